#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measure players side by side: start, memory, CPU, wakeups, D-Bus latency,
throughput, a storm of calls, and the gap between tracks.

    bench.py [--reps 3] [--players martlet,mpv,mpd,audacious] [--only main,gap,queue,storm] [--json FILE] [--document FILE]

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
import shutil
import signal
import sys
import time

import numpy as np

import document
import fixtures
import limits
import players
from dbusc import PATH, PLAYER, DBusError, Timeout, now
from players import uri
from session import Session, cpu, memory, switch_delta, switches

PEER = "org.freedesktop.DBus.Peer"


def log(*a):
    print(time.strftime("%H:%M:%S"), *a, file=sys.stderr, flush=True)


def start(adapter, files):
    """A session with the player playing files: (session, t_name, t_playing)."""
    s = Session(adapter)
    try:
        t_name = s.launch(files)
        s.start_cpu = cpu(s.pids) * 1e3
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
    r["answers_at_once"] = s.answers_at_once
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
        mark = p.mark()
        r["cpu_flac"], r["wake_play"], r["switch_play"] = window(s, win)
        told = sum(1 for _, _, x in s.bus.log[mark:] if x.sender == p.unique)
        r["signals_per_min"] = told * 60 / win
        m = memory(s.pids)
        r["pss_play"], r["rss_play"], r["procs"] = m["pss"] / 1024, m["rss"] / 1024, m["procs"]
        # latency of plain calls
        r["bus_ms"] = timed(lambda: s.bus.bus("GetId"), n)
        r["ping_ms"] = timed(lambda: s.bus.call(p.name, PATH, PEER, "Ping"), n)
        r["getpos_ms"] = timed(lambda: p.get("Position"), n)
        r.update(limits.ask(s, p.name))
        # PlayPause
        rep, sig, before = [], [], 0
        end = now() + 15
        for _ in range(n):
            a, b, e = until_signal(s, lambda: p.call("PlayPause"), "PlaybackStatus")
            rep += [a] if a is not None else []
            sig += [b] if b is not None else []
            before += a is not None and b is not None and b <= a
            s.bus.pump(0.01)
            if now() > end:
                break
        r["pp_reply_ms"], r["pp_signal_ms"] = rep, sig
        r["pp_before"] = 100 * before / len(rep) if rep else None
        playing(s)
        # SetPosition -> Seeked
        rng = random.Random(5)
        rep, sig, off, lost = [], [], [], 0
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
            off += [abs(q[2] - x) / 1e3 for q in p.seeked(0)[:1]]
            s.bus.pump(0.01)
            if now() > end:
                break
        r["sp_off_ms"] = off
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
        c, r["wake_pause"], r["switch_pause"] = window(s, max(win / 2, 10))
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
        r["pss_mp3"] = memory(s.pids)["pss"] / 1024
    finally:
        s.close()
    # idle, nothing loaded
    s, _, _ = start(adapter, [])
    try:
        s.bus.pump(3)
        r["start_cpu_ms"] = s.start_cpu
        r["cpu_idle"], r["wake_idle"], r["switch_idle"] = window(s, max(win / 2, 10))
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


# ------------------------------------------------------------------ the queue
MARTLET = ("org.martlet.Martlet", "/org/martlet/Martlet")
TRACKLIST = "org.mpris.MediaPlayer2.TrackList"
NO_TRACK = "/org/mpris/MediaPlayer2/TrackList/NoTrack"


def queue_part(adapter, idx, count=100_000, edits=200):
    """A queue of 100,000 entries edited over the bus, read while it is there, and brought back by the next start."""
    s = Session(adapter)
    rng = random.Random(5)
    try:
        s.launch()
        ask = lambda member, sig="", *args: s.bus.call(*MARTLET, "org.martlet.Queue1", member, sig, args, timeout=60).body
        edit = lambda *call: timed(lambda: ask(*call), 1)[0]
        r = {"getall_empty": limits.ask(s, s.p.name)["getall_seq"]}
        where = f"{s.dir}/long.m3u8"
        with open(where, "w") as h:
            h.writelines(f"http://127.0.0.1:9/Artist%20{i // 100}/Album%20{i // 10}/{i:06}.flac\n" for i in range(count))
        r["queue_fill_ms"] = edit("Add", "aayays", [where.encode()], b"/", "append")
        ids = ask("GetIds", "uu", 0, count)[1]
        assert len(ids) == count, f"{len(ids)} entries"
        r["queue_edit_ms"] = []
        for _ in range(edits // 4):
            here, there = rng.randrange(count), rng.randrange(count)
            r["queue_edit_ms"] += [
                edit("InsertAt", "aayayu", [f"http://127.0.0.1:9/one%20more{here}.flac".encode()], b"/", here),
                edit("MoveRange", "uuu", here, 1, there), edit("RemoveRange", "uu", there, 1), edit("Undo")]
        r["queue_shuffle_ms"] = timed(lambda: s.p.set("Shuffle", "b", True, timeout=60), 1)[0]
        assert s.p.get("Shuffle"), "it is not shuffled"
        r["getall_full"] = limits.ask(s, s.p.name)["getall_seq"]
        r["tracks_ms"] = timed(lambda: s.p.get("Tracks", iface=TRACKLIST), 20)
        some = s.p.get("Tracks", iface=TRACKLIST)[:20]
        r["track_metadata_ms"] = timed(lambda: s.p.call("GetTracksMetadata", "ao", some, iface=TRACKLIST), 50)
        r["track_add_ms"] = timed(
            lambda: s.p.call("AddTrack", "sob", "http://127.0.0.1:9/x.flac", NO_TRACK, False, iface=TRACKLIST), 50)
        first = lambda: s.p.get("Tracks", iface=TRACKLIST)[1]
        r["track_remove_ms"] = [timed(lambda: s.p.call("RemoveTrack", "o", x, iface=TRACKLIST), 1)[0]
                                for x in (first() for _ in range(50))]
        total = s.bus.call(*MARTLET, "org.freedesktop.DBus.Properties", "Get", "ss", ["org.martlet.Queue1", "Count"]).body[0]
        r["pss_full"] = memory(s.pids)["pss"] / 1024
        s.bus.pump(6)            # the session is saved
        s.stop_player()
        r["restore_ms"] = s.launch() * 1e3
        back = s.bus.call(*MARTLET, "org.freedesktop.DBus.Properties", "Get", "ss", ["org.martlet.Queue1", "Count"]).body[0]
        assert back.value == total.value, f"{back.value} of {total.value} entries came back"
        return r
    finally:
        s.close()


# ------------------------------------------------------------------ the run
PEERS = ["martlet", "mpv", "mpd", "audacious"]
PROGRAMS = {"mpv": ["mpv"], "mpd": ["mpd", "mpDris2"], "audacious": ["audacious"], "vlc": ["vlc"]}
LIMITS = {"gst-launch": (limits.GstLaunch, limits.playbin_part), "echo": (limits.Echo, limits.echo_part)}


def missing(name):
    """Why a peer cannot be measured here, or None."""
    gone = [x for x in PROGRAMS.get(name, []) if not shutil.which(x)]
    if name == "mpv" and not os.path.exists("/usr/lib/mpv-mpris/mpris.so"):
        gone.append("mpv-mpris")
    if name == "vlc" and os.getuid() == 0:
        return "refuses to run as root"
    return f"not installed: {', '.join(gone)}" if gone else None


def show(name, what, r):
    """Every sample, as it is taken: figures as they are, latencies as p50 / p99 of their number."""
    for k, v in r.items():
        if isinstance(v, list) and v and all(isinstance(x, float) for x in v):
            v = f"{document.pct(v, .5):.3f} / {document.pct(v, .99):.3f} of {len(v)}"
        elif isinstance(v, float):
            v = f"{v:.3f}"
        print(f"{name:10} {what:8} {k:24} {v}", flush=True)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--players", default=",".join(PEERS), help="of: " + ", ".join(players.ALL))
    ap.add_argument("--reps", type=int, default=3)
    ap.add_argument("--samples", type=int, default=200, help="latency samples per player, all reps together")
    ap.add_argument("--window", type=float, default=20, help="seconds of playback per CPU figure")
    ap.add_argument("--only", default="main,gap,queue,storm", help="of main, gap, queue, storm")
    ap.add_argument("--gap-kinds", default="flac,mp3,opus,ogg,m4a,wav", help="all but flac and mp3 of Martlet alone")
    ap.add_argument("--storm-calls", type=int, default=10000)
    ap.add_argument("--json", help="keep every sample here")
    ap.add_argument("--again", action="store_true",
                    help="measure --players and --only again, in their places in the --json that is there")
    ap.add_argument("--document", help="write the comparison here, in Markdown")
    a = ap.parse_args()
    signal.signal(signal.SIGTERM, lambda *x: sys.exit(143))      # so that sessions are closed
    os.environ["MPRIS_PASS_ENV"] = os.environ.get("MPRIS_PASS_ENV", "LD_LIBRARY_PATH") + ",GST_REGISTRY"
    if a.again:
        a.players = ",".join(n for n in a.players.split(",") if not missing(n))
    absent = {n: missing(n) for n in a.players.split(",") if missing(n)}
    if not a.again:
        absent.update({n: "left out of this run" for n in PEERS if n not in a.players.split(",")})
    for n, why in absent.items():
        log(f"{n}: {why}; this run does not count")
    ads = [players.get(n) for n in a.players.split(",") if n not in absent]
    every = ads + ([] if a.again else [new() for new, _ in LIMITS.values()])
    idx = fixtures.load()
    parts = a.only.split(",")
    n = -(-a.samples // a.reps)
    res = {"date": datetime.datetime.now().isoformat(timespec="minutes"), "reps": a.reps, "window_s": a.window,
           "samples": a.samples, "machine": document.machine(), "missing": absent, "only": parts,
           "players": {x.name: {"version": x.version(), "notes": x.notes, "reps": []} for x in every}}
    if a.again:
        with open(a.json) as h:
            old = json.load(h)
        for x in ads:
            for part in parts:
                for k in {"main": ["reps"], "storm": ["storm"], "queue": ["queue"],
                          "gap": ["gap_" + k for k in a.gap_kinds.split(",")]}[part]:
                    old["players"][x.name].pop(k, None)
            old["players"][x.name].setdefault("reps", [])
        what = f"{', '.join(x.name for x in ads)}: {', '.join(parts)}"
        old["again"] = old.get("again", []) + [
            what + (f" ({a.gap_kinds})" if "gap" in parts else "") + f" at {res['date']}"]
        res = old

    def save():
        for d in res["players"].values():
            if d["reps"]:
                d["summary"] = document.gather(d["reps"])
        if a.json:
            with open(a.json, "w") as h:
                json.dump(res, h, indent=1)

    def attempt(x, what, fn):
        t = now()
        for k in (1, 2):
            try:
                v = fn()
                log(f"{x.name} {what}: {now() - t:.0f} s, load {os.getloadavg()[0]:.1f}")
                show(x.name, what, v)
                return v
            except Exception as e:
                log(f"{x.name} {what}: {type(e).__name__}: {e}" + ("; once more" if k == 1 else ""))
                err = f"{type(e).__name__}: {e}"
        res["players"][x.name].setdefault("errors", []).append(f"{what}: {err}")

    if "main" in parts:
        for rep in range(a.reps):
            for x in (every if rep % 2 == 0 else every[::-1]):
                part = LIMITS[x.name][1] if x.name in LIMITS else main_part
                v = attempt(x, f"main {rep + 1}", lambda: part(x, idx, n, a.window))
                if v:
                    v["load"] = os.getloadavg()[0]
                    res["players"][x.name]["reps"].append(v)
                save()
    if "gap" in parts:
        for kind in a.gap_kinds.split(","):
            for x in (ads if kind in ("flac", "mp3") else [x for x in ads if x.name == "martlet"]):
                v = attempt(x, f"gap {kind}", lambda: gap_part(x, idx, kind))
                if v:
                    res["players"][x.name]["gap_" + kind] = v
                save()
    if "queue" in parts:
        for x in ads:
            if x.name == "martlet":
                v = attempt(x, "queue", lambda: queue_part(x, idx))
                if v:
                    res["players"][x.name]["queue"] = v
                save()
    if "storm" in parts:
        for x in ads:
            v = attempt(x, "storm", lambda: storm_part(x, idx, a.storm_calls))
            if v:
                res["players"][x.name]["storm"] = v
            save()
    save()
    text = document.write(res)
    print(text)
    if a.document:
        with open(a.document, "w") as h:
            h.write(text)


if __name__ == "__main__":
    main()
