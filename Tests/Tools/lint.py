#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checks of `lint` that read files: spdx, imports, links, paths, subjects. Run in the project's root."""
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import unicodedata
import urllib.parse

LICENCE = "SPDX-License-Identifier: Apache-2.0"
# Formats without comments, texts that are quoted whole, and what git and editors read.
WITHOUT_LICENCE = {".json", ".png", ".jpg", ".flac", ".resolved"}
UNMARKED = {"LICENSE", "copyright", ".gitignore", ".swift-format"}
IMPORT = re.compile(
    r"^[ \t]*(?:@\w+(?:\([^)\n]*\))?\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?import\s+"
    r"(?:(?:struct|class|enum|func|protocol|typealias|var|let)\s+)?(\w+)", re.M)


def tracked():
    """Files git knows or would add; without a repository, all but what a build made."""
    if pathlib.Path(".git").exists():
        out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], capture_output=True, check=True).stdout
        names = [os.fsdecode(n) for n in out.split(b"\0") if n]
    else:
        names = [str(p) for p in pathlib.Path(".").rglob("*") if ".build" not in p.parts]
    return sorted(p for p in map(pathlib.Path, names) if p.is_file())


def spdx():
    for path in tracked():
        if path.name in UNMARKED or path.suffix in WITHOUT_LICENCE:
            continue
        head = path.read_bytes()[:600]
        if b"\0" in head:
            continue
        lines = head.decode(errors="replace").splitlines()
        # The first line, or the first after what a format wants before anything else.
        first = 0
        while first < len(lines) and re.match(r"#!|<\?xml|<!DOCTYPE|\s+\"http|// swift-tools|#compdef", lines[first]):
            first += 1
        # docc refuses an article that does not begin with its title.
        if path.parent.suffix == ".docc":
            first += 2
        if first >= len(lines) or LICENCE not in lines[first]:
            yield f"{path}: its first line does not say {LICENCE}"


def table():
    """Rows of `.imports`: target or pattern, and the modules it may import."""
    rows = {}
    for line in pathlib.Path(".imports").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, modules = line.partition(":")
            rows[name.strip()] = set(modules.split())
    return rows


def targets():
    """Swift targets of the package: folder, and names of the targets each depends on."""
    out = subprocess.run(["swift", "package", "dump-package"], capture_output=True, text=True)
    if out.returncode:
        sys.exit(out.stderr)
    for target in json.loads(out.stdout)["targets"]:
        if target["type"] == "system":
            continue
        names = {d[kind][0] for d in target["dependencies"] for kind in d}
        base = "Tests" if target["type"] == "test" else "Sources"
        yield target["name"], pathlib.Path(target.get("path") or f"{base}/{target['name']}"), names


def without_comments(text):
    """The same lines with what only looks like code taken out: comments and quoted text of several lines."""
    def blank(match):
        return "\n" * match[0].count("\n")
    text = re.sub(r'(#*)"""\n.*?"""\1', blank, text, flags=re.S)
    return re.sub(r"/\*.*?\*/", blank, text, flags=re.S)


def imports():
    allowed = table()
    used = set()
    folders = set()
    for target, folder, dependencies in targets():
        folders.add(folder)
        pattern = next((p for p in allowed if p == target), None)
        pattern = pattern or next((p for p in allowed if fnmatch.fnmatchcase(target, p)), None)
        sources = sorted(folder.rglob("*.swift"))
        if pattern is None:
            if sources:
                yield f".imports: no row for {target}"
            continue
        used.add(pattern)
        may = allowed[pattern] | dependencies | {"Swift"}
        for path in sources:
            text = without_comments(path.read_text())
            for match in IMPORT.finditer(text):
                if match[1] not in may:
                    line = text[: match.start(1)].count("\n") + 1
                    yield f"{path}:{line}: {target} may not import {match[1]}"
    for pattern in allowed.keys() - used:
        yield f".imports: no target is called {pattern}"
    for pattern, modules in allowed.items():
        if modules & {"Foundation", "FoundationNetworking", "FoundationXML"}:
            yield f".imports: {pattern}: Foundation is nobody's"
    for path in tracked():
        if path.suffix == ".swift" and path.parts[0] == "Sources" and not any(f in path.parents for f in folders):
            yield f"{path}: belongs to no target"


def anchors(text):
    """Names GitHub gives the headings of a document."""
    for heading in re.findall(r"^#{1,6}\s+(.+?)\s*$", text, re.M):
        plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        kept = (c for c in plain if c in " -_" or unicodedata.category(c)[0] in "LNM")
        yield "".join(kept).replace(" ", "-")


def links():
    for path in tracked():
        if path.suffix != ".md":
            continue
        text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.S | re.M)
        for match in re.finditer(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)", text):
            link, _, anchor = match[1].partition("#")
            if re.match(r"[a-z][a-z0-9+.-]*:", link):
                continue
            aim = path.parent / urllib.parse.unquote(link) if link else path
            if not aim.exists():
                yield f"{path}: the link {match[1]} leads nowhere"
            elif anchor and aim.suffix == ".md" and anchor not in set(anchors(aim.read_text())):
                yield f"{path}: {match[1]}: no heading of that name"


def paths():
    # In pieces, so that this file does not accuse itself.
    bad = re.compile(rb"(?<![\w.-])/(?:work)\b|(?<![\w/.-])(?:shared)/|/(?:tmp)/bash_jobs")
    for path in tracked():
        data = path.read_bytes()
        if b"\0" in data[:8000]:
            continue
        for number, line in enumerate(data.split(b"\n"), 1):
            if bad.search(line):
                yield f"{path}:{number}: names a path of one machine"


def subjects():
    if not pathlib.Path(".git").exists():
        return
    out = subprocess.run(["git", "log", "--no-merges", "--format=%h %s"], capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > 72:
            yield f"{commit}: {len(subject)} columns, 72 are the most: {subject}"
        elif not re.match(r"(?:[a-zA-Z0-9.-]+(?:, )?)+: \S|Revert ", subject):
            yield f"{commit}: not of the form \"area: subject\": {subject}"


if __name__ == "__main__":
    found = list({"spdx": spdx, "imports": imports, "links": links, "paths": paths, "subjects": subjects}[sys.argv[1]]())
    print("\n".join(found))
    sys.exit(1 if found else 0)
