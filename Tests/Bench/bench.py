#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measure players side by side: start, memory, CPU, wakeups, D-Bus latency,
throughput, a storm of calls, and the gap between tracks.

    bench.py PLAYER... [--reps 3] [--parts main,gap,storm] [--json FILE] [--md FILE]
    bench.py mpv --cmd 'prog {files}' --name org.mpris.MediaPlayer2.prog

All players run on the same files in one go, interleaved (rep 1 of each, then rep
2 in the other order, ...), each in a session of its own.  Figures are medians over
the repetitions; latencies are p50/p99 of all samples pooled.  The round trip of
the bus itself (GetId, answered by dbus-daemon) and the load average are recorded
beside them, to tell a slow player from a slow minute.
"""
import argparse
import datetime
import json
import os
import random
import signal
import statistics
import sys
import time

import numpy as np

import fixtures
import players
from dbusc import PATH, PLAYER, PROPS, ROOT, DBusError, Timeout, now
from players import uri
from session import Session, cpu, memory, switch_delta, switches

PEER = "org.freedesktop.DBus.Peer"


def log(*a):
    print(time.strftime("%H:%M:%S"), *a, file=sys.stderr, flush=True)


def pct(v, q):
    v = sorted(v)
    return v[min(len(v) - 1, int(q * len(v)))] if v else None


def start(adapter, files):
    """A session with the player playing files: (session, t_name, t_playing)."""
    s = Session(adapter)
    try:
        t_name = s.launch(files)
        t_play = None
        if files:
            end = s.t0 + 20
            kicked = False
            while now() < end:
                try:
                    if s.p.get("PlaybackStatus") == "Playing":
                        t_play = now() - s.t0
                        break
                except (DBusError, Timeout):
                    pass
                if not kicked and now() - s.t0 > 4:       # a player that waits for Play
                    kicked = True
                    try:
                        s.p.call("Play")
                    except (DBusError, Timeout):
                        pass
                time.sleep(0.004)
            if t_play is None:
                raise Timeout("does not play")
            end = now() + 4
            while now() < end and s.p.get("Position") <= 0:
                time.sleep(0.004)
            s.t_moving = now() - s.t0
        return s, t_name, t_play
    except BaseException:
        s.close()
        raise


def window(s, seconds):
    """CPU share and switches over a stretch: (cpu s per minute, voluntary/s, all/s)."""
    c0, w0, t0 = cpu(s.pids), switches(s.pids), now()
    s.bus.pump(seconds)      # we only listen; no calls disturb the player
    c1, w1, t1 = cpu(s.pids), switches(s.pids), now()
    v, i = switch_delta(w0, w1)
    return (c1 - c0) * 60 / (t1 - t0), v / (t1 - t0), (v + i) / (t1 - t0)


def timed(fn, n, cap=10.0):
    out, end = [], now() + cap
    for _ in range(n):
        t = now()
        fn()
        out.append((now() - t) * 1e3)
        if now() > end:
            break
    return out


def until_signal(s, act, prop=None, seeked=False, timeout=2.0, accept=None):
    """(call->reply ms, call->signal ms or None, error)."""
    p = s.p
    s.bus.log.clear()
    t = now()
    try:
        act()
        rep = (s.bus.last_reply[0] - t) * 1e3
    except DBusError as e:
        return None, None, e.name
    except Timeout:
        return None, None, "timeout"

    def got():
        r = p.seeked(0) if seeked else [x for x in p.changes(0) if prop in x[2] or prop in x[3]]
        if accept:
            r = [x for x in r if accept(x)]
        return r[0] if r else None
    r = p.wait(got, timeout)
    return rep, ((r[0] - t) * 1e3 if r else None), None


def playing(s):
    try:
        if s.p.get("PlaybackStatus") != "Playing":
            s.p.call("Play")
            s.p.wait_get("PlaybackStatus", lambda v: v == "Playing", 2)
    except (DBusError, Timeout):
        pass


def main_part(adapter, idx, n, win):
    """One repetition for one player: {metric: value or [samples]}."""
    r = {"load": os.getloadavg()[0]}
    files = list(idx["album"])
    s, r["start_name_ms"], r["start_playing_ms"] = start(adapter, files)
    r["start_name_ms"] *= 1e3
    r["start_playing_ms"] *= 1e3
    r["start_moving_ms"] = s.t_moving * 1e3
    try:
        loops = "LoopStatus" in s.p.getall()
        if not loops:
            s.close()
            files = files * (n // 8)
            s, _, _ = start(adapter, files)
        p = s.p
        s.bus.pump(3)
        # playing, FLAC
        r["cpu_flac"], r["wake_play"], r["switch_play"] = window(s, win)
        m = memory(s.pids)
        r["pss_play"], r["rss_play"], r["procs"] = m["pss"] / 1024, m["rss"] / 1024, m["procs"]
        # latency of plain calls
        r["bus_ms"] = timed(lambda: s.bus.bus("GetId"), n)
        r["ping_ms"] = timed(lambda: s.bus.call(p.name, PATH, PEER, "Ping"), n)
        r["getpos_ms"] = timed(lambda: p.get("Position"), n)
        t, k = now(), 0
        while now() - t < 1.0:
            p.getall()
            k += 1
        r["getall_seq"] = k / (now() - t)
        t = now()
        ser = [s.bus.send(p.name, PATH, PROPS, "GetAll", "s", [PLAYER]) for _ in range(500)]
        for x in ser:
            s.bus.wait_reply(x, 20)
        r["getall_pipe"] = 500 / (now() - t)
        # PlayPause
        rep, sig = [], []
        end = now() + 15
        for _ in range(n):
            a, b, e = until_signal(s, lambda: p.call("PlayPause"), "PlaybackStatus")
            rep += [a] if a is not None else []
            sig += [b] if b is not None else []
            s.bus.pump(0.01)
            if now() > end:
                break
        r["pp_reply_ms"], r["pp_signal_ms"] = rep, sig
        playing(s)
        # SetPosition -> Seeked
        rng = random.Random(5)
        rep, sig, lost = [], [], 0
        end = now() + 15
        for _ in range(n):
            tid = p.get("Metadata")["mpris:trackid"].value
            x = rng.randrange(1_000_000, 24_000_000)
            try:
                a, b, e = until_signal(s, lambda: p.call("SetPosition", "ox", tid, x), seeked=True,
                                       accept=lambda q: abs(q[2] - x) < 1_500_000)
            except Exception:
                break
            rep += [a] if a is not None else []
            sig += [b] if b is not None else []
            lost += b is None
            s.bus.pump(0.01)
            if now() > end:
                break
        r["sp_reply_ms"], r["sp_signal_ms"], r["sp_lost"] = rep, sig, lost
        # Next -> Metadata
        if loops:
            try:
                p.set("LoopStatus", "s", "Playlist")
            except DBusError:
                pass
        playing(s)
        s.bus.pump(0.3)
        rep, sig, lost = [], [], 0
        end = now() + 20
        for _ in range(n):
            try:
                old = p.get("Metadata")["mpris:trackid"].value
                oldt = (p.get("Metadata").get("xesam:title") or None)
            except (DBusError, KeyError):
                old = oldt = None

            def other(q):
                v = q[2].get("Metadata")
                if v is None:
                    return True
                i, t2 = v.value.get("mpris:trackid"), v.value.get("xesam:title")
                return bool((i and i.value != old) or (t2 and oldt and t2.value != oldt.value))
            a, b, e = until_signal(s, lambda: p.call("Next"), "Metadata", accept=other)
            rep += [a] if a is not None else []
            sig += [b] if b is not None else []
            lost += b is None
            s.bus.pump(0.02)
            if now() > end:
                break
        r["next_reply_ms"], r["next_signal_ms"], r["next_lost"] = rep, sig, lost
        # paused
        p.call("Pause")
        s.bus.pump(2)
        c, r["wake_pause"], r["switch_pause"] = window(s, win / 2)
        r["cpu_pause"] = c
        m = memory(s.pids)
        r["pss_after"] = m["pss"] / 1024
    finally:
        s.close()
    # MP3
    s, _, _ = start(adapter, idx["albummp3"])
    try:
        s.bus.pump(3)
        r["cpu_mp3"], _, _ = window(s, win)
    finally:
        s.close()
    # idle, nothing loaded
    s, _, _ = start(adapter, [])
    try:
        s.bus.pump(3)
        r["cpu_idle"], r["wake_idle"], r["switch_idle"] = window(s, win / 2)
        m = memory(s.pids)
        r["pss_idle"], r["rss_idle"] = m["pss"] / 1024, m["rss"] / 1024
    finally:
        s.close()
    return r


# ------------------------------------------------------------------ gaps
def locate(rec_fft, nfft, rec, ref):
    """Where ref (float array) lies in rec: (index, normalised correlation)."""
    c = np.fft.irfft(rec_fft * np.conj(np.fft.rfft(ref, nfft)), nfft)[:len(rec) - len(ref) + 1]
    i = int(np.argmax(c))
    seg = rec[i:i + len(ref)]
    n = np.sqrt((seg @ seg) * (ref @ ref))
    return i, float(c[i] / n) if n > 0 else 0.0


def analyse(raw, gap):
    """Gaps at the boundaries and slips within tracks, in samples."""
    cont = np.fromfile(gap["continuous"], "<i2").reshape(-1, 2)
    rec16 = np.fromfile(raw, "<i2")
    rec16 = rec16[:len(rec16) // 2 * 2].reshape(-1, 2)
    if len(rec16) < 44100:
        return {"error": "recording too short"}
    rec, ref = rec16[:, 0].astype(float), cont[:, 0].astype(float)
    W = 4096
    nfft = 1 << (len(rec) + W - 1).bit_length()
    F = np.fft.rfft(rec, nfft)
    starts = np.cumsum([0] + gap["samples"])
    offs = []
    for k in range(len(gap["samples"])):
        row = []
        # 0.2 s in, middle, 0.2 s before the end
        for pos in (starts[k] + 8820, (starts[k] + starts[k + 1]) // 2, starts[k + 1] - 8820 - W):
            i, conf = locate(F, nfft, rec, ref[pos:pos + W])
            if conf < 0.5:        # resampled by the player: a shorter piece still fits
                i, conf = locate(F, nfft, rec, ref[pos:pos + 1024])
            exact = bool(np.array_equal(rec16[i:i + W], cont[pos:pos + W]))
            row.append((i - int(pos), round(conf, 3), exact))
        offs.append(row)
    gaps, slips = [], []
    for k in range(len(offs)):
        a, b, c = offs[k]
        for x, y in ((a, b), (b, c)):
            slips.append(y[0] - x[0] if min(x[1], y[1]) > 0.5 else None)
        if k + 1 < len(offs):
            d = offs[k + 1][0]
            gaps.append(d[0] - c[0] if min(d[1], c[1]) > 0.5 else None)
    # lost at the very start / end of the list (first and last sample played)
    first = offs[0][0]
    head = None
    if first[1] > 0.5:
        at = first[0]        # where sample 0 of the signal should lie in the recording
        n = 4000
        seg = rec16[at:at + n] if at >= 0 else rec16[:0]
        nz = np.nonzero(np.any(seg != 0, axis=1))[0]
        head = int(nz[0]) if len(nz) else None
    return {"gaps": gaps, "slips_within_tracks": slips, "samples_missing_at_start": head,
            "bit_exact_windows": sum(x[2] for r in offs for x in r), "windows": 3 * len(offs),
            "found": sum(x[1] > 0.5 for r in offs for x in r)}


def gap_part(adapter, idx, kind):
    gap = idx["gap"]
    s = Session(adapter)
    try:
        raw = f"{s.dir}/rec.s16"
        q = s.record(raw)
        time.sleep(0.5)
        s.launch(gap[kind])
        seconds = sum(gap["samples"]) / 44100
        end = now() + seconds + 6
        playing(s)
        while now() < end:
            s.bus.pump(0.5)
            if s.p.get("PlaybackStatus") == "Stopped" and now() > end - 8:
                break
        s.bus.pump(1.0)
        s.end(q)
        return analyse(raw, gap)
    finally:
        s.close()


# ------------------------------------------------------------------ storm
def storm_part(adapter, idx, n=10000, cap=90.0, flight=20):
    files = list(idx["album"])
    s, _, _ = start(adapter, files)
    r = {}
    try:
        p = s.p
        if "LoopStatus" in p.getall():
            try:
                p.set("LoopStatus", "s", "Playlist")
            except DBusError:
                pass
        s.bus.pump(3)
        before = memory(s.pids)
        rng = random.Random(9)
        t0, sent, done, errors, timeouts = now(), 0, 0, {}, 0
        q, latest = [], 0.0
        while (sent < n or q) and now() - t0 < cap:
            while sent < n and len(q) < flight:
                k = rng.random()
                if k < 0.34:
                    q.append((s.bus.send(p.name, PATH, PLAYER, "Next"), now()))
                elif k < 0.67:
                    q.append((s.bus.send(p.name, PATH, PLAYER, "PlayPause"), now()))
                else:
                    q.append((s.bus.send(p.name, PATH, PLAYER, "Seek", "x",
                                         [rng.randrange(-5_000_000, 5_000_000)]), now()))
                sent += 1
            ser, t = q.pop(0)
            try:
                s.bus.wait_reply(ser, 10)
                done += 1
                latest = max(latest, now() - t)
            except DBusError as e:
                errors[e.name] = errors.get(e.name, 0) + 1
                if "NameHasNoOwner" in e.name or "ServiceUnknown" in e.name or \
                        (e.name.endswith("NoReply") and not s.running()):
                    break
            except Timeout:
                timeouts += 1
                if timeouts > 3:
                    break
            if sent % 500 == 0:
                s.bus.log.clear()
        el = now() - t0
        r = {"sent": sent, "answered": done, "errors": errors, "timeouts": timeouts,
             "seconds": round(el, 2), "calls_per_s": round(done / el), "worst_ms": round(latest * 1e3),
             "survives": s.running() and p.alive()}
        if r["survives"]:
            end = now() + 30          # let it work off what it queued
            while now() < end:
                try:
                    t = now()
                    p.get("PlaybackStatus", timeout=10)
                    if now() - t < 0.1:
                        break
                except (Timeout, DBusError):
                    pass
            s.bus.pump(3)
            after = memory(s.pids)
            r["pss_growth_mib"] = round((after["pss"] - before["pss"]) / 1024, 1)
            r["rss_growth_mib"] = round((after["rss"] - before["rss"]) / 1024, 1)
            ok = False
            try:
                try:
                    p.call("OpenUri", "s", uri(idx["formats"]["flac"]))
                except DBusError as e:            # no OpenUri: Play will have to do
                    r["openuri_error"] = str(e)[:100]
                ok = p.wait_get("PlaybackStatus", lambda v: v == "Playing", 5) == "Playing"
                if not ok:
                    p.call("Play")
                    ok = p.wait_get("PlaybackStatus", lambda v: v == "Playing", 3) == "Playing"
                x = p.get("Position")
                ok = ok and p.wait_get("Position", lambda v: v != x, 3) != x
            except (DBusError, Timeout) as e:
                r["recover_error"] = str(e)[:100]
            r["plays_after"] = ok
            r["survives"] = s.running() and p.alive()
        else:
            r["exit"] = [x.poll() for x in s.player]
    finally:
        s.close()
    return r


# ------------------------------------------------------------------ report
ROWS = [
    ("start_name_ms", "start \u2192 name owned, ms", "med", 0),
    ("start_playing_ms", "start \u2192 Playing, ms", "med", 0),
    ("start_moving_ms", "start \u2192 Position > 0, ms", "med", 0),
    ("pss_idle", "PSS idle, MiB", "med", 1),
    ("rss_idle", "RSS idle, MiB", "med", 1),
    ("pss_play", "PSS playing FLAC, MiB", "med", 1),
    ("rss_play", "RSS playing FLAC, MiB", "med", 1),
    ("cpu_flac", "CPU s per min, FLAC", "med", 2),
    ("cpu_mp3", "CPU s per min, MP3", "med", 2),
    ("cpu_pause", "CPU s per min, paused", "med", 2),
    ("cpu_idle", "CPU s per min, idle", "med", 2),
    ("wake_idle", "wakeups/s idle", "med", 1),
    ("wake_pause", "wakeups/s paused", "med", 1),
    ("wake_play", "wakeups/s playing", "med", 1),
    ("switch_play", "all switches/s playing", "med", 1),
    ("bus_ms", "(bus round trip, ms)", "lat", 3),
    ("ping_ms", "Ping, ms", "lat", 3),
    ("getpos_ms", "Get Position, ms", "lat", 3),
    ("pp_reply_ms", "PlayPause \u2192 reply, ms", "lat", 2),
    ("pp_signal_ms", "PlayPause \u2192 PropertiesChanged, ms", "lat", 2),
    ("next_reply_ms", "Next \u2192 reply, ms", "lat", 2),
    ("next_signal_ms", "Next \u2192 Metadata changed, ms", "lat", 2),
    ("sp_reply_ms", "SetPosition \u2192 reply, ms", "lat", 2),
    ("sp_signal_ms", "SetPosition \u2192 Seeked, ms", "lat", 2),
    ("getall_seq", "GetAll/s, one after another", "med", 0),
    ("getall_pipe", "GetAll/s, 500 in flight", "med", 0),
]
HIGHER = {"getall_seq", "getall_pipe"}


def gather(reps):
    """Median/pool over a player's repetitions."""
    out = {}
    for key, _, how, _ in ROWS:
        v = [r[key] for r in reps if r.get(key) is not None]
        if how == "lat":
            pool = [x for a in v for x in a]
            out[key] = {"p50": pct(pool, .5), "p99": pct(pool, .99), "n": len(pool)} if pool else None
        else:
            out[key] = {"med": statistics.median(v), "min": min(v), "max": max(v), "n": len(v)} if v else None
    for k in ("sp_lost", "next_lost"):
        out[k] = sum(r.get(k, 0) for r in reps)
    return out


def table(res):
    """The results as Markdown."""
    names = list(res["players"])
    L = ["| metric | " + " | ".join(names) + " | best |", "|---" * (len(names) + 2) + "|"]
    for key, title, how, d in ROWS:
        cells, best = [], []
        for n in names:
            g = res["players"][n].get("summary", {}).get(key)
            if not g:
                cells.append("\u2013")
            elif how == "lat":
                few = f" (n={g['n']})" if g["n"] < 50 else ""
                cells.append(f"{g['p50']:.{d}f} / {g['p99']:.{d}f}{few}")
                best.append((g["p50"], n))
            else:
                cells.append(f"{g['med']:.{d}f} ({g['min']:.{d}f}\u2013{g['max']:.{d}f})" if g["n"] > 1
                             else f"{g['med']:.{d}f}")
                best.append((-g["med"] if key in HIGHER else g["med"], n))
        if not best:
            continue
        top = round(min(best)[0], d)
        who = ", ".join(n for v, n in best if round(v, d) == top) if key != "bus_ms" else ""
        L.append(f"| {title} | " + " | ".join(cells) + f" | {who} |")
    for part, cols in (("storm", ("answered", "calls_per_s", "worst_ms", "survives", "plays_after",
                                  "pss_growth_mib", "rss_growth_mib", "timeouts", "errors")),):
        if any(part in res["players"][n] for n in names):
            for c in cols:
                L.append(f"| storm: {c} | " + " | ".join(
                    str(res["players"][n].get(part, {}).get(c, "\u2013")) for n in names) + " | |")
    for kind in ("flac", "mp3", "opus"):
        key = "gap_" + kind
        if any(key in res["players"][n] for n in names):
            for c in ("gaps", "bit_exact_windows", "slips", "samples_missing_at_start"):
                cells = []
                for n in names:
                    g = res["players"][n].get(key)
                    if not g or "error" in g:
                        cells.append(g["error"][:40] if g else "\u2013")
                    elif c == "gaps":
                        cells.append(gaptext(g["gaps"]))
                    elif c == "slips":
                        v = [x for x in g["slips_within_tracks"] if x]
                        cells.append(str(v) if v else "none" if None not in g["slips_within_tracks"]
                                     else "not all found")
                    elif c == "bit_exact_windows":
                        cells.append(f"{g[c]} of {g['windows']}")
                    else:
                        cells.append(str(g[c]))
                L.append(f"| {kind}: " + {"gaps": "samples inserted (+) / missing (-) at the 9 boundaries",
                                          "bit_exact_windows": "windows bit-exact",
                                          "slips": "slips within tracks",
                                          "samples_missing_at_start": "samples missing at the start"}[c]
                         + " | " + " | ".join(cells) + " | |")
    return "\n".join(L)


def gaptext(g):
    v = [x for x in g if x is not None]
    if not v:
        return "not found"
    if not any(v) and len(v) == len(g):
        return "0 (all)"
    return f"median {statistics.median(v):+.0f} ({min(v):+d}\u2026{max(v):+d}; {len(v)} found)"


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("players", nargs="*", help="of: " + ", ".join(players.ALL))
    ap.add_argument("--cmd", help="one more player by its command line; {files} {uris} {home} {run}")
    ap.add_argument("--name", help="its bus name")
    ap.add_argument("--display", action="store_true")
    ap.add_argument("--load", choices=("argv", "openuri", "tracklist"), default="argv")
    ap.add_argument("--reps", type=int, default=3)
    ap.add_argument("--samples", type=int, default=200, help="latency samples per player, all reps together")
    ap.add_argument("--window", type=float, default=20, help="seconds of playback per CPU figure")
    ap.add_argument("--parts", default="main,gap,storm")
    ap.add_argument("--gap-kinds", default="flac,mp3")
    ap.add_argument("--storm-calls", type=int, default=10000)
    ap.add_argument("--json")
    ap.add_argument("--md")
    a = ap.parse_args()
    signal.signal(signal.SIGTERM, lambda *x: sys.exit(143))      # so that sessions are closed
    ads = [players.get(n) for n in a.players]
    if a.cmd:
        ads.append(players.Custom(a.name.rsplit(".", 1)[1], a.name, a.cmd, a.display, a.load))
    idx = fixtures.load()
    parts = a.parts.split(",")
    n = -(-a.samples // a.reps)
    res = {"date": datetime.datetime.now().isoformat(timespec="seconds"), "reps": a.reps,
           "window_s": a.window, "samples": a.samples, "cpus": os.cpu_count(),
           "players": {x.name: {"version": x.version(), "notes": x.notes, "reps": []} for x in ads}}

    def save():
        for d in res["players"].values():
            if d["reps"]:
                d["summary"] = gather(d["reps"])
        if a.json:
            with open(a.json, "w") as h:
                json.dump(res, h, indent=1)

    def attempt(x, what, fn):
        t = now()
        for k in (1, 2):
            try:
                v = fn()
                log(f"{x.name} {what}: {now() - t:.0f} s, load {os.getloadavg()[0]:.1f}")
                return v
            except Exception as e:
                log(f"{x.name} {what}: {type(e).__name__}: {e}" + ("; once more" if k == 1 else ""))
                err = f"{type(e).__name__}: {e}"
        res["players"][x.name].setdefault("errors", []).append(f"{what}: {err}")

    if "main" in parts:
        for rep in range(a.reps):
            for x in (ads if rep % 2 == 0 else ads[::-1]):
                v = attempt(x, f"main rep {rep + 1}", lambda: main_part(x, idx, n, a.window))
                if v:
                    res["players"][x.name]["reps"].append(v)
                save()
    if "gap" in parts:
        for kind in a.gap_kinds.split(","):
            for x in ads:
                v = attempt(x, f"gap {kind}", lambda: gap_part(x, idx, kind))
                if v:
                    res["players"][x.name]["gap_" + kind] = v
                save()
    if "storm" in parts:
        for x in ads:
            v = attempt(x, "storm", lambda: storm_part(x, idx, a.storm_calls))
            if v:
                res["players"][x.name]["storm"] = v
            save()
    save()
    t = table(res)
    print(t)
    if a.md:
        with open(a.md, "w") as h:
            h.write(t + "\n")


if __name__ == "__main__":
    main()
