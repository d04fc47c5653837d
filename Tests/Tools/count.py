#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up what ran: xunit files and the last lines of the black-box scripts. Nought is a failure."""
import pathlib
import re
import sys
import xml.etree.ElementTree as ET


def count(folder):
    passed = failed = skipped = 0
    for file in sorted(folder.glob("*.xml")):
        for case in ET.parse(file).getroot().iter("testcase"):
            if case.find("skipped") is not None:
                skipped += 1
            elif case.find("failure") is not None or case.find("error") is not None:
                failed += 1
                print(f"failed: {case.get('classname')} {case.get('name')}")
            else:
                passed += 1
    for file in sorted(folder.glob("*.out")):
        lines = [line for line in file.read_text(errors="replace").splitlines() if line.strip()]
        match = re.fullmatch(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?", lines[-1].strip()) if lines else None
        if not match:
            print(f"failed: {file.stem} came to no end")
            failed += 1
            continue
        passed += int(match[1])
        failed += int(match[2])
        skipped += int(match[3] or 0)
    return passed, failed, skipped


def main():
    passed, failed, skipped = count(pathlib.Path(sys.argv[1]))
    if passed + failed == 0:
        print("no test ran")
        failed = 1
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
