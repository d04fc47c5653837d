#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Black-box conformance checks of a player against MPRIS 2.2, over real D-Bus.

    conformance.py PLAYER [--quick] [--only B07,D] [--jobs N] [--seed N] [--json FILE] [--keep] [-v]
    conformance.py --cmd 'prog {files}' --name org.mpris.MediaPlayer2.prog

Every check has a number, a level and a result.
  level   must   the spec (MPRIS 2.2 or D-Bus) demands it
          should the spec recommends it, or any desktop client relies on it
          info   recorded only, never counted as a failure
  result  pass | fail | n/a (the player lacks an optional part) | info
Each check starts from a player in a known state: freshly launched in a session
of its own with a known list of files, or the running one where that is safe.
"""
import argparse
import json
import os
import signal
import sys
import time

import fixtures
import players
from checker import CHECKS
from checks import (  # noqa: F401
    names, properties, metadata, transport, modes, seeking, opening, tracklist, playlists, life,
    edges, hardship, invariants)
from running import SLOW, merged, run


def adapter_from(a):
    if a.cmd:
        return players.Custom(a.player or a.name.rsplit(".", 1)[1], a.name, a.cmd, a.display, a.load)
    return players.get(a.player)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("player", nargs="?", help="one of: " + ", ".join(players.ALL))
    ap.add_argument("--cmd", help="command line of a player without adapter; {files} {uris} {home} {run}")
    ap.add_argument("--name", help="its bus name (with --cmd)")
    ap.add_argument("--display", action="store_true", help="it needs X (with --cmd)")
    ap.add_argument("--load", choices=("argv", "openuri", "tracklist"), default="argv",
                    help="how files are brought in (with --cmd)")
    ap.add_argument("--only", help="comma-separated ids or their beginnings, e.g. B,D12")
    ap.add_argument("--quick", action="store_true", help="leave out what waits for much real playback")
    ap.add_argument("--jobs", type=int, default=1, help="sessions side by side")
    ap.add_argument("--strict", action="store_true", help="no second try of what failed side by side")
    ap.add_argument("--seed", type=int, default=0, help="of the random sequences; without it by the clock")
    ap.add_argument("--json", help="write the result here")
    ap.add_argument("--merge", action="store_true",
                    help="with --only: put these checks into the --json file that is there")
    ap.add_argument("--keep", action="store_true", help="keep the session directories (logs)")
    ap.add_argument("-v", action="store_true")
    ap.add_argument("--list", action="store_true", help="list the checks")
    a = ap.parse_args()
    signal.signal(signal.SIGTERM, lambda *x: sys.exit(143))      # so that sessions are closed
    a.seed = a.seed or time.time_ns() % 1_000_000 + 1
    only = a.only.split(",") if a.only else [""]
    checks = [x for x in CHECKS if any(x[0].startswith(o) for o in only) and not (a.quick and x[0] in SLOW)]
    if a.list:
        for cid, title, level, _ in checks:
            print(cid, level, title + (" (slow)" if cid in SLOW else ""))
        return
    if not checks:
        ap.error(f"no check is called {a.only}")
    if not a.player and not a.cmd:
        ap.error("which player?")
    r = run(adapter_from(a), fixtures.load(), checks, a)
    if a.json and a.merge and os.path.exists(a.json):
        with open(a.json) as h:
            r = merged(json.load(h), r)
    if a.json:
        with open(a.json, "w") as h:
            json.dump(r, h, indent=1)
    s = r["summary"]
    print(f"{r['player']} ({r['version']}): {s['n/a']} not applicable of {s['checks']} checks in {r['seconds']} s; "
          f"must: {s['must']}, should: {s['should']}")
    print("seed:", r["seed"])
    if r["flaky"]:
        print("flaky:", " ".join(r["flaky"]))
    print("failed:", " ".join(x["id"] for x in r["checks"] if x["result"] == "fail") or "none")
    print("signal vs reply:", r["signal_vs_reply"])
    print(f"{s['pass']} passed, {s['fail']} failed")
    # Nothing run at all is no success.
    sys.exit(1 if s["fail"] or not s["pass"] else 0)


if __name__ == "__main__":
    main()
