#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turn the JSON of conformance.py into Markdown, players side by side.

    report.py FILE... [--out results.md]
"""
import argparse
import json

from conformance import CHECKS

ORDER = ["martlet", "mpv", "vlc", "mpd", "audacious", "strawberry", "rhythmbox", "quodlibet"]
MARK = {"pass": "\u2713", "fail": "\u2717", "n/a": "\u2013", "info": "i"}


def conformance(files):
    rs = [json.load(open(f)) for f in files]
    rs.sort(key=lambda r: (ORDER.index(r["player"]) if r["player"] in ORDER else 99, r["player"]))
    L = ["| player | version | pass | fail | n/a | must: pass/fail/n/a | should: pass/fail/n/a | seconds |",
         "|---|---|---|---|---|---|---|---|"]
    t = lambda d: f"{d['pass']}/{d['fail']}/{d['n/a']}"
    for r in rs:
        s = r["summary"]
        L.append(f"| {r['player']} | {r['version']} | {s['pass']} | {s['fail']} | {s['n/a']} | "
                 f"{t(s['must'])} | {t(s['should'])} | {r['seconds']} |")
    L += ["", "Failed checks:", ""]
    for r in rs:
        for lv in ("must", "should"):
            ids = [x["id"] for x in r["checks"] if x["result"] == "fail" and x["level"] == lv]
            L.append(f"- **{r['player']}** {lv} ({len(ids)}): {' '.join(ids) or 'none'}")
    L += ["", "Signal before or after the method's reply (as seen by one client):", "",
          "| | " + " | ".join(r["player"] for r in rs) + " |", "|---" * (len(rs) + 1) + "|"]
    keys = []
    for r in rs:
        keys += [k for k in r["signal_vs_reply"] if k not in keys]
    for k in keys:
        L.append(f"| {k} | " + " | ".join(r["signal_vs_reply"].get(k, "\u2013") for r in rs) + " |")
    L += ["", "Every check (\u2713 pass, \u2717 fail, \u2013 n/a, i recorded only):", "",
          "| id | level | check | " + " | ".join(r["player"] for r in rs) + " |",
          "|---" * (len(rs) + 3) + "|"]
    by = [{x["id"]: x for x in r["checks"]} for r in rs]
    for cid, title, level, _ in sorted(CHECKS, key=lambda x: x[0]):
        L.append(f"| {cid} | {level} | {title} | " + " | ".join(
            MARK[b[cid]["result"]] if cid in b else "" for b in by) + " |")
    L += ["", "Details of the failures and of what was recorded:", ""]
    for r in rs:
        L += [f"<details><summary>{r['player']}</summary>", ""]
        for x in r["checks"]:
            if x["result"] in ("fail", "info"):
                d = x["detail"].replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
                L.append(f"- {x['id']} ({x['result']}) {x['title']}: {d[:220]}")
        L += ["", "</details>", ""]
    return "\n".join(L)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("files", nargs="+", help="what conformance.py --json wrote, one a player")
    ap.add_argument("--out")
    a = ap.parse_args()
    text = conformance(a.files) + "\n"
    if a.out:
        with open(a.out, "w") as h:
            h.write(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
