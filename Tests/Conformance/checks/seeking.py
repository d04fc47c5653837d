# SPDX-License-Identifier: Apache-2.0
"""Group F: Seek, SetPosition, Seeked."""
import random

from checker import NOTRACK, check, need, stops
from dbusc import DBusError, PATH, PLAYER, now
from checks.transport import pause, stopped


def whole_seconds(p):
    """Does the player tell its position in whole seconds only?"""
    for _ in range(4):
        if p.get("Position") % 1_000_000:
            return False
        p.b.pump(0.03)
    return True


def do_seek(c, act, want, tol=0.35):
    """act(); exactly the Seeked and Position wanted.  Returns text."""
    p = c.p
    note = ""
    if tol > 0.2 and whole_seconds(p):
        tol, note = 1.25, "; Position in whole seconds: 1.25 s allowed"
    m = p.mark()
    act()
    rep = p.b.last_reply
    t = now()
    r = p.wait(lambda: p.seeked(m), 2)
    if r:
        t = r[0][0]         # until it lands the position stands still
    c.s.bus.pump(0.25)
    el = now() - t
    x = c.pos()
    move = el if p.get("PlaybackStatus") == "Playing" else 0
    need(abs(x - move - want) < tol + 0.1 or abs(x - want) < tol, f"position {x:.2f}, wanted {want:.2f}")
    need(r, "no Seeked")
    v = r[0][2] / 1e6
    need(abs(v - want) < tol, f"Seeked({v:.2f}), wanted {want:.2f}")
    c.order["Seek"] = "before" if r[0][1] < rep[1] else "after"
    return f"Seeked({v:.3f}), wanted {want:.3f}; {len(p.seeked(m))} signals{note}"


@check("F01", "Seek(+8 s): position and Seeked right")
def _(c):
    p = c.fresh()
    return do_seek(c, lambda: p.call("Seek", "x", 8_000_000), c.pos() + 8)


@check("F02", "Seek(-4 s): position and Seeked right")
def _(c):
    p = c.fresh()
    c.seek_to(12)
    c.s.bus.pump(0.8)
    return do_seek(c, lambda: p.call("Seek", "x", -4_000_000), c.pos() - 4)


@check("F04", "Seek past the end acts as Next")
def _(c):
    p = c.fresh()
    p.call("Seek", "x", 60_000_000)
    need(c.wait_current(c.files[1], 3), f"track {c.which()}, {p.get('PlaybackStatus')}, {c.pos():.1f} s")
    need(c.pos() < 4, f"position {c.pos():.1f}")


@check("F05", "Seek past the end of the last track acts as Next there (stops)")
def _(c):
    files = c.idx["album"][:2]
    p = c.at(files, 1)
    if c.has("LoopStatus"):
        c.loop("None")
    p.call("Seek", "x", 60_000_000)
    v = stops(c, 3)
    need(v == "Stopped", f"{v}, track {c.which()}, {c.pos():.1f} s")


@check("F06", "SetPosition(current, 15 s): position and Seeked right to 100 ms")
def _(c):
    p = c.fresh()
    t = c.trackid()
    return do_seek(c, lambda: p.call("SetPosition", "ox", t, 15_000_000), 15, 0.1)


@check("F07", "SetPosition with another track's id is ignored")
def _(c):
    p = c.use()
    m, a, t = c.steady(), c.pos(), now()
    try:
        p.call("SetPosition", "ox", "/org/example/other/track", 25_000_000)
    except DBusError:
        pass
    c.s.bus.pump(0.5)
    x = c.pos()
    need(x - a < now() - t + 1.2 and x >= a - 0.05, f"{a:.1f} -> {x:.1f}")
    need(not p.seeked(m), "Seeked")


@check("F10", "Seek while paused moves the position, stays Paused, Seeked sent")
def _(c):
    p = c.fresh()
    pause(c)
    c.s.bus.pump(0.3)
    r = do_seek(c, lambda: p.call("Seek", "x", 5_000_000), c.pos() + 5)
    need(p.get("PlaybackStatus") == "Paused", p.get("PlaybackStatus"))
    return r


@check("F11", "exactly one Seeked per seek", "should")
def _(c):
    p = c.fresh()
    m = c.steady(0.8)
    p.call("Seek", "x", 5_000_000)
    c.s.bus.pump(1.5)
    n = len(p.seeked(m))
    need(n == 1, f"{n} Seeked")


@check("F13", "Seek and SetPosition while stopped do no harm", "should")
def _(c):
    p = stopped(c, False)
    for args in (("Seek", "x", 5_000_000), ("SetPosition", "ox", "/a/b", 5_000_000)):
        try:
            p.call(*args)
        except DBusError:
            pass
    c.s.bus.pump(0.4)
    need(p.alive(), "player gone")
    need(p.get("PlaybackStatus") == "Stopped", p.get("PlaybackStatus"))


@check("F14", "SetPosition in a 3-hour MP3: to 2 h within 1 s, right to 1 s", "should")
def _(c):
    p = c.fresh([c.idx["edge"]["threehours"]])
    m = p.wait_get("Metadata", lambda m: "mpris:length" in m, 3)
    ln = m["mpris:length"].value / 1e6 if "mpris:length" in m else 0
    need(abs(ln - 10800) < 5, f"length {ln:.0f} s")
    t = now()
    p.call("SetPosition", "ox", c.trackid(), 7_200_000_000)
    v = p.wait_get("Position", lambda v: abs(v / 1e6 - 7200) < 2, 3)
    el = now() - t
    need(abs(v / 1e6 - 7200) < 2, f"position {v / 1e6:.1f}")
    need(el < 1, f"took {el:.2f} s")
    return f"{el * 1000:.0f} ms, length {ln:.2f}"


def ignored(c, tid, x):
    """SetPosition(tid, x) must change nothing."""
    p = c.use()
    m, a, t = c.steady(), c.pos(), now()
    try:
        p.call("SetPosition", "ox", tid or c.trackid(), x)
    except DBusError:
        pass
    c.s.bus.pump(0.5)
    b = c.pos()
    need(a - 0.05 <= b <= a + (now() - t) + 1.2, f"{a:.1f} -> {b:.1f}")
    need(not p.seeked(m), "Seeked")
    need(not p.changes(m), [sorted(y[2]) for y in p.changes(m)])


@check("F03", "Seek before the beginning goes to 0")
def _(c):
    p = c.fresh()
    c.seek_to(10)
    c.s.bus.pump(0.5)
    return do_seek(c, lambda: p.call("Seek", "x", -3_600_000_000), 0)


@check("F08", "SetPosition below 0 is ignored")
def _(c):
    ignored(c, None, -1)
    ignored(c, None, -(1 << 63))


@check("F09", "SetPosition beyond the length is ignored")
def _(c):
    c.use()
    ignored(c, None, c.meta()["mpris:length"].value + 1_000_000)
    ignored(c, None, (1 << 63) - 1)


@check("F12", "SetPosition with NoTrack is ignored")
def _(c):
    ignored(c, NOTRACK, 20_000_000)


@check("F15", "SetPosition(current, 0) goes to the start")
def _(c):
    p = c.fresh()
    c.seek_to(10)
    c.s.bus.pump(0.5)
    return do_seek(c, lambda: p.call("SetPosition", "ox", c.trackid(), 0), 0)


@check("F16", "Seek past the end while paused: the next track at 0, still paused")
def _(c):
    p = c.fresh()
    pause(c)
    p.call("Seek", "x", 60_000_000)
    need(c.wait_current(c.files[1], 3), f"track {c.which()}")
    c.s.bus.pump(0.5)
    need(p.get("PlaybackStatus") == "Paused", p.get("PlaybackStatus"))
    need(p.get("Position") < 20_000, p.get("Position"))


@check("F17", "SetPosition while paused: Position is the new one as soon as the reply is there", "should")
def _(c):
    p = c.fresh()
    pause(c)
    for x in (20_000_000, 3_000_000, 11_000_000):
        p.call("SetPosition", "ox", c.trackid(), x)
        v = p.get("Position")
        need(abs(v - x) < 50_000, f"{v} instead of {x}")
        p.wait(lambda: False, 0.4)
        need(abs(p.get("Position") - x) < 50_000, f"then {p.get('Position')}")


@check("F18", "Position stays between 0 and the length in any sequence of seeks")
def _(c):
    p = c.fresh()
    c.loop("Playlist")
    rng = random.Random(11)
    for i in range(60):
        verb = rng.choice(("seek", "seek", "set", "next", "pp"))
        if verb == "seek":
            p.call("Seek", "x", rng.randrange(-40_000_000, 29_000_000))
        elif verb == "set":
            p.call("SetPosition", "ox", c.trackid(), rng.randrange(-5_000_000, 35_000_000))
        else:
            p.call("Next" if verb == "next" else "PlayPause")
        a = p.getall()
        x, n = a["Position"].value, a["Metadata"].value.get("mpris:length")
        need(x >= 0 and (n is None or x <= n.value), f"{x} of {n} after step {i} ({verb})")
        c.s.bus.pump(0.02)
    need(p.alive() and c.s.running(), "player gone")


def _mkformat(ext):
    def f(c):
        p = c.fresh([c.idx["formats"][ext]])
        c.p.wait_get("CanSeek", lambda v: v, 2)
        return do_seek(c, lambda: p.call("SetPosition", "ox", c.trackid(), 12_000_000), 12, 0.15)
    return f


for _n, _e in (("F19", "mp3"), ("F20", "ogg"), ("F21", "opus"), ("F22", "m4a"), ("F23", "wav")):
    check(_n, f"SetPosition in {_e}: position and Seeked right to 150 ms", "should")(_mkformat(_e))


@check("F24", "a seek that overtakes another: the last one counts, no more than one Seeked each")
def _(c):
    p = c.fresh()
    t, m = c.trackid(), c.steady()
    serials = [c.s.bus.send(p.name, PATH, PLAYER, "SetPosition", "ox", [t, x * 1_000_000]) for x in (20, 5, 12)]
    for s in serials:
        c.s.bus.wait_reply(s)
    c.s.bus.pump(0.8)
    sk = p.seeked(m)
    need(1 <= len(sk) <= 3, f"{len(sk)} Seeked")
    need(abs(sk[-1][2] - 12e6) < 350_000, f"the last Seeked says {sk[-1][2]}")
    need(12 <= c.pos() < 14, f"position {c.pos():.2f}")


@check("F25", "CanSeek false or true, Seek agrees with it")
def _(c):
    p = c.use()
    a, m = c.pos(), c.steady()
    can = p.get("CanSeek")
    p.call("Seek", "x", 2_000_000)
    p.wait(lambda: p.seeked(m), 1.5)
    need(bool(p.seeked(m)) == can, f"CanSeek {can}, {len(p.seeked(m))} Seeked from {a:.1f} s")


@check("F26", "Seek of the smallest and the greatest offset does no harm")
def _(c):
    p = c.fresh()
    p.call("Seek", "x", -(1 << 63))
    c.s.bus.pump(0.3)
    need(p.get("Position") < 1_500_000 and c.which() == 0, f"{p.get('Position')}, track {c.which()}")
    p.call("Seek", "x", (1 << 63) - 1)
    need(c.wait_current(c.files[1], 2), f"track {c.which()}")
    need(p.alive() and c.s.running(), "player gone")
