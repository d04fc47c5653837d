# SPDX-License-Identifier: Apache-2.0
"""Group M: seeks near the ends, sources that fail or hang, ids that are gone, and the loss of a bus."""
import os
import random
import shutil
import signal
import socket
import time

from checker import NA, check, need, short
from checks.opening import open_plays
from checks.tracklist import editable, tl, tracks
from checks.transport import stopped
from dbusc import PATH, PLAYER, ROOT, TRACKLIST, DBusError, now
from players import uri
from session import cpu


@check("M01", "SetPosition near the end twice: it goes on to the next track, once")
def _(c):
    p = c.fresh()
    t = c.trackid()
    for _ in range(2):
        p.call("SetPosition", "ox", t, 28_500_000)
        c.s.bus.pump(0.3)
    need(c.wait_current(c.files[1], 5), f"track {c.which()}, {c.pos():.1f} s")
    c.s.bus.pump(1.5)
    need(c.which() == 1 and c.pos() < 4, f"track {c.which()}, {c.pos():.1f} s")


@check("M02", "SetPosition with the id of the track before is ignored after Next")
def _(c):
    p = c.fresh()
    old = c.trackid()
    p.call("Next")
    need(c.wait_current(c.files[1], 3), f"track {c.which()}")
    c.s.bus.pump(0.5)
    m = p.mark()
    try:
        p.call("SetPosition", "ox", old, 20_000_000)
    except DBusError:
        pass
    c.s.bus.pump(0.5)
    need(c.pos() < 10 and not p.seeked(m), f"position {c.pos():.1f}, {len(p.seeked(m))} Seeked")


@check("M03", "SetPosition to the very length is allowed: there, or the track is over")
def _(c):
    p = c.fresh()
    n = c.meta()["mpris:length"].value
    p.call("SetPosition", "ox", c.trackid(), n)
    p.wait_get("Position", lambda v: c.which() != 0 or abs(v - n) < 300_000, 2)
    need(c.which() == 1 or abs(c.pos() - n / 1e6) < 0.3, f"track {c.which()} at {c.pos():.2f}")


@check("M04", "twenty seeks in flight: it ends at the last one, and the last Seeked says so")
def _(c):
    p = c.fresh()
    t, m, bus = c.trackid(), c.steady(), c.s.bus
    want = [3 + i * 7 % 23 for i in range(20)]
    serials = [bus.send(p.name, PATH, PLAYER, "SetPosition", "ox", [t, w * 1_000_000]) for w in want]
    for s in serials:
        bus.wait_reply(s)
    x = now()
    c.s.bus.pump(1.2)
    y = c.pos() - (now() - x)
    need(abs(y - want[-1]) < 0.6, f"position {y:.2f}, wanted {want[-1]}")
    sk = p.seeked(m)
    need(sk and abs(sk[-1][2] / 1e6 - want[-1]) < 0.6, f"last Seeked {sk[-1][2] if sk else None}")
    return f"{len(sk)} Seeked"


@check("M05", "Position is never below 0 nor above the length, over the end of a track")
def _(c):
    p = c.fresh(c.idx["short"])
    bad, t = [], now()
    while now() - t < 4.5:
        a, m, b = c.trackid(), c.meta(), p.get("Position")
        n = m.get("mpris:length")
        if c.trackid() == a and (b < 0 or n is not None and b > n.value):
            bad.append((b, n and n.value))
        c.s.bus.pump(0.01)
    need(not bad, str(bad[:3]))
    need(c.which() != 0, "setup: the track did not end")


@check("M06", "Seek and SetPosition while stopped: no Seeked, and Play begins at 0", "should")
def _(c):
    p = stopped(c, False)
    m = c.steady()
    for args in (("Seek", "x", 9_000_000), ("SetPosition", "ox", c.trackid(), 9_000_000)):
        try:
            p.call(*args)
        except DBusError:
            pass
    c.s.bus.pump(0.4)
    need(not p.seeked(m), "Seeked")
    t = now()
    p.call("Play")
    p.wait_get("PlaybackStatus", lambda v: v == "Playing", 3)
    c.s.bus.pump(0.4)
    need(c.pos() < now() - t + 1.1, f"position {c.pos():.1f}")


@check("M07", "from close to the end back into the track: it goes there, stays on the track, can be sought again")
def _(c):
    p, rng = c.fresh(), random.Random(c.seed)
    c.loop("Playlist")
    for _ in range(40):
        t = c.trackid()
        near, back = 30 - 0.8 - 6 * rng.random(), 1 + 14 * rng.random()
        p.call("SetPosition", "ox", t, int(near * 1e6))
        # By then a player without gaps may have the next file open already, or be about to open it.
        c.s.bus.pump(rng.choice((0, 0.004, 0.01, 0.02, 0.05, 0.4, 0.8)))
        paused = rng.random() < 0.4
        if paused:
            p.call("Pause")
        if c.trackid() != t:        # over before we looked
            p.call("Play")
            continue
        m = p.mark()
        p.call("SetPosition", "ox", t, int(back * 1e6))
        p.wait(lambda: p.seeked(m), 2)
        at = now()
        c.s.bus.pump(0.25)
        x = c.pos() - (0 if paused else now() - at)
        need(c.trackid() == t, f"seed {c.seed}: track {c.which()} after going back from {near:.1f} s to {back:.1f}")
        told = [round(s[2] / 1e6, 2) for s in p.seeked(m)]
        need(told and abs(x - back) < 0.4, f"seed {c.seed}: from {near:.1f} to {back:.1f}{' paused' if paused else ''}: "
             f"position {x:.2f}, Seeked {told}")
        p.call("Play")


@check("M08", "OpenUri of a folder: the player lives, and opens a good file after", "should")
def _(c):
    p = c.fresh()
    said = "no error"
    try:
        p.call("OpenUri", "s", uri(c.s.home))
    except DBusError as e:
        said = e.name
    c.s.bus.pump(1.0)
    need(p.alive() and c.s.running(), "player gone")
    open_plays(c, c.idx["formats"]["flac"])
    return said


@check("M09", "a server that never answers: every call is answered in 500 ms meanwhile, a good file plays after")
def _(c):
    p = c.fresh()
    if "http" not in p.get("SupportedUriSchemes", ROOT):
        raise NA("no http")
    with socket.create_server(("127.0.0.1", 0)) as server:
        try:
            p.call("OpenUri", "s", f"http://127.0.0.1:{server.getsockname()[1]}/track.mp3")
        except DBusError as e:
            return e.name
        worst, end = 0, now() + 2
        while now() < end:
            t = now()
            p.getall()
            p.get("Position")
            worst = max(worst, now() - t)
            c.s.bus.pump(0.05)
        t = now()
        open_plays(c, c.idx["formats"]["flac"], 5)
        took = now() - t
    need(worst < 0.5, f"{worst:.2f} s")
    return f"worst {worst * 1e3:.0f} ms; the good file after {took * 1e3:.0f} ms"


@check("M10", "OpenUri while paused plays")
def _(c):
    p = c.fresh()
    p.call("Pause")
    p.wait_get("PlaybackStatus", lambda v: v == "Paused", 2)
    open_plays(c, c.idx["formats"]["flac"])


@check("M11", "OpenUri of a URI with a good scheme and nothing behind it: the player lives, opens a good file after")
def _(c):
    p, said = c.fresh(), []
    for u in ("http://", "https:///x", "http://[::1", "file:///no such/100%", "file://elsewhere/a.flac"):
        try:
            p.call("OpenUri", "s", u)
            said.append(u)
        except DBusError:
            pass
        c.s.bus.pump(0.3)
        need(p.alive() and c.s.running(), f"player gone after {u!r}")
    open_plays(c, c.idx["formats"]["flac"])
    return "taken: " + (" ".join(said) or "none")


@check("M12", "a file that vanishes while it plays: the player lives, and opens a good file after")
def _(c):
    p = c.fresh()
    f = f"{c.s.home}/goes.flac"
    shutil.copy(c.idx["album"][1], f)
    open_plays(c, f)
    os.unlink(f)
    t = c.trackid()
    try:
        p.call("SetPosition", "ox", t, 25_000_000)
    except DBusError:
        pass
    c.s.bus.pump(0.8)
    need(p.alive() and c.s.running(), "player gone")
    open_plays(c, c.idx["formats"]["flac"])


@check("M13", "TrackList: an id is not used again after its track is removed")
def _(c):
    p = tl(c)
    editable(c)
    seen = set(tracks(c))
    for _ in range(3):
        p.call("AddTrack", "sob", uri(c.files[1]), tracks(c)[-1], False, iface=TRACKLIST)
        c.s.bus.pump(0.3)
        new = set(tracks(c)) - seen
        need(len(new) == 1, f"{len(new)} new ids")
        seen |= new
        p.call("RemoveTrack", "o", new.pop(), iface=TRACKLIST)
        c.s.bus.pump(0.3)


@check("M14", "TrackList: TrackRemoved names the removed id, once, and Tracks is invalidated")
def _(c):
    p = tl(c)
    editable(c)
    t, m = tracks(c), p.mark()
    p.call("RemoveTrack", "o", t[2], iface=TRACKLIST)
    c.s.bus.pump(0.8)
    s = [x[2][0] for x in p.signals(m, "TrackRemoved", TRACKLIST)]
    if not s and p.signals(m, "TrackListReplaced", TRACKLIST):
        raise NA("TrackListReplaced instead")
    need(s == [t[2]], str(s))
    ch = p.changes(m, TRACKLIST)
    need(ch and all("Tracks" in x[3] and "Tracks" not in x[2] for x in ch), short([(list(x[2]), x[3]) for x in ch]))


@check("M15", "TrackList: the current track of TrackListReplaced is the one of Metadata", "should")
def _(c):
    p = tl(c)
    m = p.mark()
    open_plays(c, c.idx["formats"]["mp3"])
    c.s.bus.pump(0.6)
    s = p.signals(m, "TrackListReplaced", TRACKLIST)
    if not s:
        need(p.signals(m, "TrackAdded", TRACKLIST), "neither TrackListReplaced nor TrackAdded")
        raise NA("TrackAdded instead")
    listed, current = s[-1][2]
    need(current == c.trackid() and current in listed, f"{current}, not {c.trackid()}")


@check("M16", "TrackList: AddTrack of an unsupported scheme adds nothing")
def _(c):
    p = tl(c)
    editable(c)
    t, said = tracks(c), "no error"
    try:
        p.call("AddTrack", "sob", "nosuch://x/y.mp3", t[0], False, iface=TRACKLIST)
    except DBusError as e:
        said = e.name
    c.s.bus.pump(0.6)
    need(tracks(c) == t, short(tracks(c)))
    return said


@check("M17", "killed and started again, it comes up and plays")
def _(c):
    p = c.fresh()
    files = c.files
    for x in c.s.player:
        os.kill(x.pid, signal.SIGKILL)
    need(p.wait(lambda: not p.alive(), 3, 0.05), "the name is still owned")
    c.s.stop_player()
    c.s.launch(files)
    c.playing()


@check("M18", "the bus dies: no crash, no busy loop", "should")
def _(c):
    c.fresh()
    bus = c.s.procs[0]
    pids = c.s.pids
    c.files = None
    bus.kill()
    bus.wait()
    time.sleep(0.5)             # nobody left who could tell us: the bus was the only way
    a, t = cpu(pids), now()
    time.sleep(2)
    used = (cpu(pids) - a) / (now() - t)
    rcs = [x.poll() for x in c.s.player]
    c.down()
    # SIGTERM is how a library that ends its program with the bus does it.
    need(all(r is None or r >= 0 or r == -signal.SIGTERM for r in rcs), f"died of signal: {rcs}")
    need(used < 0.3, f"{used * 100:.0f} % of a core")
    return f"exit status {rcs}, {used * 100:.1f} % of a core"


@check("M19", "nothing is said on the bus while it is paused (4 s)", "should")
def _(c):
    p = c.use()
    p.call("Pause")
    p.wait_get("PlaybackStatus", lambda v: v == "Paused", 2)
    m = c.steady(0.5)
    c.s.bus.pump(4)
    said = [x[2].member for x in c.s.bus.log[m:] if x[2].sender == p.unique]
    p.call("Play")
    need(not said, str(said))


@check("M20", "SIGINT ends it cleanly (exit 0 or by the signal, within 3 s)", "should")
def _(c):
    c.fresh()
    ps = list(c.s.player)
    for x in ps:
        os.kill(x.pid, signal.SIGINT)
    t = now()
    while now() - t < 3 and any(x.poll() is None for x in ps):
        c.s.bus.pump(0.01)
    rcs = [x.poll() for x in ps]
    c.files = None
    need(None not in rcs, "still runs after 3 s")
    need(all(r in (0, -2, 130) for r in rcs), f"exit status {rcs}")
