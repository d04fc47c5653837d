#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checks of `lint` that read files: spdx, imports, links, paths. Run in the project's root."""
import fnmatch
import os
import pathlib
import re
import subprocess
import sys

IMPORT = re.compile(
    r"^\s*(?:@\w+\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?import\s+"
    r"(?:(?:struct|class|enum|func|protocol|typealias|var|let)\s+)?(\w+)", re.M)
SOURCES = {".swift", ".c", ".h", ".cpp", ".py", ".sh", ".service", ".svg", ".xml", ".desktop", ".bash", ".modulemap"}


def tracked():
    try:
        out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], capture_output=True, check=True).stdout
        names = [os.fsdecode(n) for n in out.split(b"\0") if n]
    except (subprocess.CalledProcessError, FileNotFoundError):
        names = [str(p) for p in pathlib.Path(".").rglob("*") if p.is_file() and ".build" not in p.parts]
    return [pathlib.Path(n) for n in names if pathlib.Path(n).is_file()]


def spdx():
    for path in tracked():
        head = path.read_bytes()[:400]
        if path.suffix in SOURCES or head.startswith(b"#!") or path.name in ("Makefile", "Package.swift"):
            if b"SPDX-License-Identifier: Apache-2.0" not in head:
                yield f"{path}: no SPDX line at its top"


def table():
    rows = {}
    for line in pathlib.Path(".imports").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, modules = line.partition(":")
            rows[name.strip()] = set(modules.split())
    return rows


def targets():
    """Names of our targets and what each may import, read from Package.swift as text."""
    text = pathlib.Path("Package.swift").read_text()
    names = set(re.findall(r'(?:room|tests)\(\s*"(\w+)"', text)) | set(re.findall(r'name: "(\w+)"', text))
    rows = {}
    for match in re.finditer(r'(?:room|tests|[tT]arget)\(\s*(?:name: )?"(\w+)"((?:[^()]|\([^()]*\))*)\)', text):
        rows[match[1]] = set(re.findall(r'"(\w+)"', match[2])) & names
    return names, rows


def imports():
    allowed = table()
    ours, dependencies = targets()
    for path in tracked():
        if path.suffix != ".swift" or path.parts[0] not in ("Sources", "Tests") or len(path.parts) < 3:
            continue
        target = path.parts[1]
        if target not in ours:
            continue
        row = allowed.get(target)
        if row is None:
            row = next((m for pattern, m in allowed.items() if fnmatch.fnmatch(target, pattern)), set())
        mine = dependencies.get(target, set()) | ({"MartletTestSupport"} if target.endswith("Tests") else set())
        for match in IMPORT.finditer(path.read_text()):
            module = match[1]
            if module in row or module in mine or module == "Swift":
                continue
            line = path.read_text()[: match.start()].count("\n") + 1
            yield f"{path}:{line}: {target} may not import {module}"


def links():
    for path in tracked():
        if path.suffix != ".md":
            continue
        for match in re.finditer(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text()):
            link = match[1]
            if "://" in link or link.startswith("mailto:"):
                continue
            if not (path.parent / link).exists():
                yield f"{path}: the link {link} leads nowhere"


def paths():
    bad = re.compile(rb"/(?:work)/|\.\./(?:shared)/|(?<![\w/])(?:shared)/(?:harness|reference|desktop|tools)")
    for path in tracked():
        for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
            if bad.search(line):
                yield f"{path}:{number}: names a path of one machine"


if __name__ == "__main__":
    found = list({"spdx": spdx, "imports": imports, "links": links, "paths": paths}[sys.argv[1]]())
    print("\n".join(found))
    sys.exit(1 if found else 0)
