# SPDX-License-Identifier: Apache-2.0
"""The run: which checks, in which sessions, and what came of them.

With more than one job several sessions run side by side, each in a process of its own.  What fails there is
tried once more alone, unless that is not wanted, and named as flaky when it passes then: a check that waits
for real playback may lose on a busy machine.
"""
import datetime
import multiprocessing
import signal
import sys
import traceback

from checker import CHECKS, NA, Ctx, Fail, short
from dbusc import DBusError, Disconnected, Timeout, now

CHUNK = 9               # checks that share a session where they can
STARTS_THAT_MAY_FAIL = 3
WHOLE_RUN = "J15"       # looks at what all the others saw: comes last
# What waits for much real playback (more than about four seconds) and is left out of a quick run.
SLOW = frozenset("""
    C18 C20 D07 D08 D09 D17 D20 D22 D23 D24 D25 E03 E06 E18 F11 F13 F16 G02 G08 G19 G23 H06 K01 K02 K03 K04 K05
    K06 K07 K08 K09 L12 L13 L14 M01 M05 M07 M18 M19
""".split())


def one(c, fn, level, verbose):
    """(result, detail) of one check; a failure's context is forgotten where the player may be ill."""
    try:
        try:
            detail = fn(c)
        except Disconnected:
            c.down()            # our bus went: once more in a new session
            detail = fn(c)
        return ("info" if level == "info" else "pass"), detail or ""
    except NA as e:
        return "n/a", str(e)
    except Fail as e:
        return ("info" if level == "info" else "fail"), str(e)
    except (DBusError, Timeout, Disconnected) as e:
        alive = True
        try:
            alive = c.s is not None and c.s.running() and c.p.alive()
        except (DBusError, Timeout, Disconnected, AttributeError):
            alive = False
        if not alive or not isinstance(e, DBusError):
            c.files = None
        return ("info" if level == "info" else "fail"), ("" if alive else "player gone; ") + short(e)
    except Exception as e:      # a fault of the check is a failure too, and says so
        if verbose:
            traceback.print_exc()
        c.files = None
        return "fail", f"{type(e).__name__}: {short(e)}"


def run_some(c, checks, verbose=False, log=None):
    """The results of these checks, in this context."""
    out, failed_starts = [], 0
    for cid, title, level, fn in checks:
        t = now()
        if failed_starts >= STARTS_THAT_MAY_FAIL:
            result, detail = ("info" if level == "info" else "fail"), "not tried: the player does not start"
        else:
            before = c.launches, c.failed_launches
            result, detail = one(c, fn, level, verbose)
            if c.failed_launches > before[1] and c.s is None:
                failed_starts += 1
            elif c.launches > before[0]:
                failed_starts = 0
        out.append({"id": cid, "title": title, "level": level, "result": result, "detail": detail,
                    "seconds": round(now() - t, 2)})
        if log:
            tell(out[-1], log)
    return out


def tell(x, log):
    print(f"{x['id']} {x['result']:5} {x['level']:6} {x['title']}"
          + (f"  [{short(x['detail'], 110)}]" if x["detail"] else ""), file=log, flush=True)


def chunks(checks):
    """Neighbours of one letter together, for they share a player; those that take longest first."""
    out = []
    for x in checks:
        if out and out[-1][0][0][0] == x[0][0] and (len(out[-1]) < CHUNK or x[0][0] in "CK"):
            out[-1].append(x)
        else:
            out.append([x])
    return sorted(out, key=lambda ch: -sum(4 if x[0] in SLOW else 1 for x in ch))


def work(job):
    """In a worker: one chunk in a context of its own."""
    adapter, idx, ids, keep, verbose, seed = job
    c = Ctx(adapter, idx, keep, verbose, seed)
    try:
        out = run_some(c, [x for x in CHECKS if x[0] in ids], verbose)
    finally:
        c.down()
    return out, c.order, c.position_signals, c.launches


def in_worker():
    signal.signal(signal.SIGTERM, lambda *x: sys.exit(143))      # so that sessions are closed
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def run(adapter, idx, checks, a, log=sys.stdout):
    t0, out, order, positions, launches = now(), [], {}, 0, 0

    def take(result):
        nonlocal positions, launches
        found, told, signals, started = result
        for x in found:
            tell(x, log)
        out.extend(found)
        order.update(told)
        positions += signals
        launches += started

    last = [x for x in checks if x[0] == WHOLE_RUN]
    jobs = [(adapter, idx, [x[0] for x in ch], a.keep, a.v, a.seed) for ch in chunks(x for x in checks if x not in last)]
    if a.jobs > 1:
        pool = multiprocessing.get_context("fork").Pool(a.jobs, in_worker)
        try:
            for result in pool.imap_unordered(work, jobs):
                take(result)
        except BaseException:
            pool.terminate()
            raise
        # Not terminated: a worker that is told to exit while it holds the queue's lock leaves the others waiting.
        pool.close()
        pool.join()
    else:
        for job in jobs:
            take(work(job))
    flaky = []
    again = [x["id"] for x in out if x["result"] == "fail" and "not tried" not in x["detail"]]
    # A player that fails most checks does not fail them for want of a quiet machine.
    if again and a.jobs > 1 and not a.strict and len(again) <= max(3, len(out) // 10):
        print("once more, alone: " + " ".join(again), file=log, flush=True)
        for cid in again:
            first = next(x for x in out if x["id"] == cid)
            out.remove(first)
            take(work((adapter, idx, [cid], a.keep, a.v, a.seed)))
            if out[-1]["result"] == "pass":
                flaky.append(cid)
                out[-1]["detail"] += f" (first: {first['detail']})"
    for cid, title, level, fn in last:
        c = Ctx(adapter, idx)
        c.position_signals = positions
        result, detail = one(c, fn, level, a.v)
        out.append({"id": cid, "title": title, "level": level, "result": result, "detail": detail, "seconds": 0})
        tell(out[-1], log)
    place = {x[0]: i for i, x in enumerate(CHECKS)}
    out.sort(key=lambda x: place[x["id"]])
    return {"player": adapter.name, "version": adapter.version(), "notes": adapter.notes, "seed": a.seed,
            "date": datetime.datetime.now().isoformat(timespec="seconds"), "seconds": round(now() - t0),
            "launches": launches, "signal_vs_reply": order, "flaky": flaky, "summary": summarise(out), "checks": out}


def summarise(out):
    def n(r, lv=("must", "should")):
        return sum(1 for x in out if x["result"] == r and x["level"] in lv)
    return {"pass": n("pass"), "fail": n("fail"), "n/a": n("n/a"),
            "must": {r: n(r, ("must",)) for r in ("pass", "fail", "n/a")},
            "should": {r: n(r, ("should",)) for r in ("pass", "fail", "n/a")},
            "checks": len(out)}


def merged(old, new):
    """old with the checks of new put in (for a run with --only)."""
    by = {x["id"]: x for x in old["checks"]}
    by.update({x["id"]: x for x in new["checks"]})
    r = {**old, "version": new["version"], "checks": [by[x[0]] for x in CHECKS if x[0] in by]}
    r["signal_vs_reply"] = {**old["signal_vs_reply"], **new["signal_vs_reply"]}
    r["summary"] = summarise(r["checks"])
    return r
