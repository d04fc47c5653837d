#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up what ran, in a folder of results, and says "N passed, N failed" in its last line.

NAME.xml  an xunit file; swift test writes one for each of its two frameworks
NAME.out  what a black-box script said; it ends with a line "N passed, N failed[, N skipped]" of its own, which what
          it leaves running may still write after
NAME.rc   the exit status of that runner

A runner that named no failure but ended badly is one failure, and so is one that said nothing; nought tests is a failure.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as ET

LAST = re.compile(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?")


def of_xunit(file):
    """(passed, failed, skipped) of one file; a file cut short is one failure."""
    counts = [0, 0, 0]
    try:
        cases = list(ET.parse(file).getroot().iter("testcase"))
    except ET.ParseError as error:
        print(f"failed: {file.name} cannot be read: {error}")
        return 0, 1, 0
    for case in cases:
        if case.find("skipped") is not None:
            counts[2] += 1
        elif case.find("failure") is not None or case.find("error") is not None:
            counts[1] += 1
            print(f"failed: {case.get('classname')} {case.get('name')}")
        else:
            counts[0] += 1
    return tuple(counts)


def of_script(file):
    """(passed, failed, skipped) by the last line that counts; a script without one came to no end."""
    matches = map(LAST.fullmatch, map(str.strip, file.read_text(errors="replace").splitlines()))
    match = next(filter(None, reversed(list(matches))), None)
    if not match:
        print(f"failed: {file.stem} came to no end")
        return 0, 1, 0
    return int(match[1]), int(match[2]), int(match[3] or 0)


def count(folder):
    total = [0, 0, 0]
    runners = {file.stem for file in folder.glob("*.rc")}
    by_runner = {}
    for file in sorted(folder.iterdir()):
        if file.suffix == ".xml":
            found = of_xunit(file)
            # swift.xml and swift-swift-testing.xml belong to the runner swift.
            runner = next((name for name in runners if file.stem in (name, f"{name}-swift-testing")), file.stem)
        elif file.suffix == ".out":
            found, runner = of_script(file), file.stem
        else:
            continue
        sums = by_runner.setdefault(runner, [0, 0, 0])
        for index, number in enumerate(found):
            sums[index] += number
            total[index] += number
    for name in sorted(runners):
        status = (folder / f"{name}.rc").read_text().strip()
        passed, failed, skipped = by_runner.get(name, (0, 0, 0))
        if status != "0" and failed == 0:
            print(f"failed: {name} ended with status {status} and named no failure")
            total[1] += 1
        elif passed + failed + skipped == 0:
            print(f"failed: {name} ran nothing")
            total[1] += 1
    return total


def main():
    passed, failed, skipped = count(pathlib.Path(sys.argv[1]))
    if passed + failed == 0:
        print("failed: no test ran")
        failed = 1
    if skipped:
        print(f"{skipped} skipped")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
