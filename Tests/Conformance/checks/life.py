# SPDX-License-Identifier: Apache-2.0
"""Group J: playerctl, a second start, the end."""
import os
import random
import re
import signal
import subprocess
import time

from checker import NA, PLAYER_METHODS, check, expect_error, need
from dbusc import Bus, DBusError, Mpris, PATH, PLAYER, PROPS, ROOT, Timeout, Variant, now
from players import uri
from checks.transport import plain


def pc(c):
    return c.use()


@check("J01", "playerctl --list-all names it; status is right")
def _(c):
    p = pc(c)
    r = subprocess.run(["playerctl", "-l"], env=c.s.env, capture_output=True, text=True, timeout=5)
    need(p.name[len("org.mpris.MediaPlayer2."):] in r.stdout.split("\n"), r.stdout + r.stderr)
    need(c.ctl("status")[1] == "Playing", str(c.ctl("status")))


@check("J02", "playerctl play-pause, pause, play")
def _(c):
    p = pc(c)
    for cmd, want in (("play-pause", "Paused"), ("play-pause", "Playing"), ("pause", "Paused"),
                      ("play", "Playing")):
        rc, _, err = c.ctl(cmd)
        need(rc == 0, f"{cmd}: {err}")
        v = p.wait_get("PlaybackStatus", lambda v: v == want, 2)
        need(v == want, f"{cmd}: {v}")


@check("J03", "playerctl position: read, set absolute, set relative")
def _(c):
    p = c.fresh()
    rc, out, err = c.ctl("position")
    need(rc == 0 and abs(float(out) - c.pos()) < 0.5, f"{out} {err} / {c.pos():.2f}")
    rc, _, err = c.ctl("position", "12")
    need(rc == 0, err)
    v = p.wait_get("Position", lambda v: 11.5e6 < v < 14e6, 2)
    need(11.5e6 < v < 14e6, f"position {v / 1e6:.1f} after 'position 12'")
    rc, _, err = c.ctl("position", "5-")
    c.s.bus.pump(0.5)
    need(rc == 0 and 5 < c.pos() < 11, f"{err} {c.pos():.1f} after 'position 5-'")


@check("J04", "playerctl metadata --format")
def _(c):
    c.fresh()
    f = "{{title}}|{{artist}}|{{album}}|{{duration(mpris:length)}}|{{status}}"
    rc, out, err = c.ctl("metadata", "--format", f)
    need(rc == 0 and out == "Album Track 01|The Artist|Gapless Album|0:30|Playing", f"{out} {err}")


@check("J05", "playerctl --follow reports a change")
def _(c):
    p = pc(c)
    q = subprocess.Popen(["playerctl", "-p", p.name[len("org.mpris.MediaPlayer2."):], "status",
                          "--follow"], env=c.s.env, stdout=subprocess.PIPE, text=True)
    try:
        time.sleep(0.5)
        p.call("Pause")
        time.sleep(0.8)
        p.call("Play")
        time.sleep(0.8)
    finally:
        q.terminate()
        out = q.communicate()[0].split()
    need("Paused" in out and out[-1] == "Playing", str(out))


@check("J06", "playerctl next, previous")
def _(c):
    c.fresh()
    need(c.ctl("next")[0] == 0, "next fails")
    need(c.wait_current(c.files[1], 3), f"track {c.which()} after next")
    c.s.bus.pump(0.3)
    need(c.ctl("previous")[0] == 0, "previous fails")
    need(c.wait_current(c.files[0], 3), f"track {c.which()} after previous")


@check("J07", "playerctl loop")
def _(c):
    pc(c)
    c.need_prop("LoopStatus")
    for v in ("Track", "Playlist", "None"):
        need(c.ctl("loop", v)[0] == 0, f"{v} fails")
        c.s.bus.pump(0.3)
        need(c.ctl("loop")[1] == v, f"{c.ctl('loop')[1]} after {v}")


@check("J08", "playerctl shuffle")
def _(c):
    c.fresh()
    c.need_prop("Shuffle")
    for v in ("On", "Off"):
        need(c.ctl("shuffle", v)[0] == 0, f"{v} fails")
        c.s.bus.pump(0.4)
        need(c.ctl("shuffle")[1] == v, f"{c.ctl('shuffle')[1]} after {v}")


@check("J09", "playerctl volume: set and relative")
def _(c):
    pc(c)
    need(c.ctl("volume", "0.4")[0] == 0, "fails")
    c.s.bus.pump(0.4)
    out = c.ctl("volume")[1]
    need(abs(float(out) - 0.4) < 0.011, f"{out} after 0.4")
    c.ctl("volume", "0.2+")
    c.s.bus.pump(0.4)
    out = c.ctl("volume")[1]
    c.p.set("Volume", "d", 1.0)
    need(abs(float(out) - 0.6) < 0.021, f"{out} after 0.2+")


@check("J10", "playerctl open, stop")
def _(c):
    p = c.fresh()
    rc, _, err = c.ctl("open", c.idx["formats"]["mp3"])
    need(rc == 0, err)
    need(c.wait_current(c.idx["formats"]["mp3"], 4), f"track {c.which()}")
    need(c.ctl("stop")[0] == 0, "stop fails")
    v = p.wait_get("PlaybackStatus", lambda v: v == "Stopped", 2)
    need(v == "Stopped", v)


@check("J11", "a second instance: a name of its own (.instance...) or handed to the first")
def _(c):
    p = c.fresh()
    argv = c.a.second(c.s, c.idx["short"])
    if not argv:
        raise NA("not for this adapter")
    before = set(c.s.bus.names())
    q = c.s.spawn(argv, "second")
    new, end = [], now() + 6
    while now() < end and not new and q.poll() is None:
        c.s.bus.pump(0.1)
        new = [n for n in set(c.s.bus.names()) - before if n.startswith("org.mpris.MediaPlayer2.")]
    rc = q.poll()
    c.s.end(q)
    c.files = None
    need(p.alive(), "the first lost its name")
    if new:
        need(re.fullmatch(re.escape(c.a.bus_name) + r"\.[A-Za-z_][A-Za-z0-9_-]*", new[0]),
             f"odd name {new[0]}")
        return new[0]
    need(rc is not None, "runs without any MPRIS name")
    return f"second exits ({rc})"


@check("J12", "Raise answers; error-free where CanRaise is true")
def _(c):
    p = c.use()
    r = p.get("CanRaise", ROOT)
    try:
        p.call("Raise", iface=ROOT)
    except DBusError as e:
        need(not r, e.name)
    return f"CanRaise {r}"


@check("J13", "Quit: name released within 3 s, process ends (CanQuit true)")
def _(c):
    p = c.fresh()
    if not p.get("CanQuit", ROOT):
        raise NA("CanQuit false")
    t = now()
    try:
        p.call("Quit", iface=ROOT)
        rep = "reply"
    except (DBusError, Timeout) as e:
        rep = f"no reply ({type(e).__name__})"
    gone = p.wait(lambda: not p.alive(), 3, 0.05)
    el = now() - t
    need(gone, "name still owned after 3 s")
    end = now() + 4
    while now() < end and any(x.poll() is None for x in c.s.player):
        time.sleep(0.02)
    live = [x for x in c.s.player if x.poll() is None]
    rcs = [x.poll() for x in c.s.player]
    c.files = None
    need(len(live) < len(c.s.player), "process still runs")
    need(all(r in (0, None) for r in rcs), f"exit status {rcs}")
    return f"{rep}; name gone after {el * 1000:.0f} ms; exit {rcs}"


@check("J14", "SIGTERM ends it cleanly (exit 0 or by the signal, within 3 s)", "should")
def _(c):
    c.fresh()
    ps = list(c.s.player)
    t = now()
    for x in ps:
        os.kill(x.pid, signal.SIGTERM)
    while now() - t < 3 and any(x.poll() is None for x in ps):
        time.sleep(0.01)
    rcs = [x.poll() for x in ps]
    c.files = None
    need(None not in rcs, "still runs after 3 s")
    need(all(r in (0, -15, 143) for r in rcs), f"exit status {rcs}")
    return f"{rcs} after {(now() - t) * 1000:.0f} ms"


@check("J16", "random commands: what was announced last is what Get says, and no signal without a difference")
def _(c):
    p = c.fresh()
    c.loop("Playlist")
    c.s.bus.pump(0.6)
    held, rng = {k: plain(v.value) for k, v in p.getall().items()}, random.Random(3)
    m = p.mark()
    for _ in range(80):
        verb = rng.choice(("Next", "Previous", "PlayPause", "Stop", "Play", "Pause", "Volume", "Shuffle", "Loop"))
        if verb == "Volume":
            p.set("Volume", "d", rng.randrange(11) / 10)
        elif verb == "Shuffle":
            p.set("Shuffle", "b", rng.random() < 0.5)
        elif verb == "Loop":
            p.set("LoopStatus", "s", rng.choice(("None", "Track", "Playlist")))
        else:
            p.call(verb)
    c.s.bus.pump(1.5)
    idle = []
    for _, _, changed, _ in p.changes(m):
        idle += [k for k, v in changed.items() if k in held and held[k] == plain(v.value)]
        held.update((k, plain(v.value)) for k, v in changed.items())
    end = p.getall()
    wrong = [k for k, v in end.items() if k != "Position" and held.get(k) != plain(v.value)]
    c.files = None
    need(not wrong, f"another value than announced: {wrong}")
    need(not idle, f"announced without a difference: {sorted(set(idle))}")


@check("J17", "two clients see the same signals in the same order")
def _(c):
    p = c.use()
    other = Bus(c.s.address)
    try:
        q = Mpris(other, p.name)
        other.log.clear()
        m = c.steady()
        for verb in ("Pause", "Play", "Next", "Pause", "Play"):
            p.call(verb)
        c.s.bus.pump(0.8)
        other.pump(0.2)
        one = [sorted(x[2]) for x in p.changes(m)]
        two = [sorted(x[2]) for x in q.changes(0)]
        need(one == two and one, f"{one} and {two}")
    finally:
        other.close()


@check("J18", "clients that leave in the middle of a call do no harm")
def _(c):
    p = c.use()
    for i in range(50):
        b = Bus(c.s.address)
        b.send(p.name, PATH, PROPS, "GetAll", "s", [PLAYER])
        b.send(p.name, PATH, PLAYER, "Seek", "x", [1000])
        b.close()
    need(p.alive() and c.s.running(), "player gone")
    p.getall()


@check("J19", "the name stays with the same connection through every hostile file", "should")
def _(c):
    p = c.fresh()
    for f in (*c.idx["bad"].values(), *c.idx["names"].values()):
        try:
            p.call("OpenUri", "s", uri(f))
        except DBusError:
            pass
        c.s.bus.pump(0.15)
    c.files = None
    need(c.s.bus.owner(p.name) == p.unique, "another connection owns it, or none")


@check("J20", "arguments of every wrong kind for every method: an error each time, the player lives")
def _(c):
    p = c.use()
    for name, right in PLAYER_METHODS.items():
        for sig, body in (("s", ["x"]), ("a{sv}", [{}]), ("d", [float("nan")]), ("ox", ["/a", -1]), ("ai", [[1, 2]]),
                          ("v", [Variant("s", "x")])):
            if sig == right:
                continue
            n = expect_error(lambda: c.s.bus.call(p.name, PATH, PLAYER, name, sig, body))
            need(n == "org.freedesktop.DBus.Error.InvalidArgs", f"{name}({sig}): {n}")
    need(p.alive() and p.get("PlaybackStatus") == "Playing", p.get("PlaybackStatus"))


@check("J21", "500 calls at once are all answered, in order")
def _(c):
    p = c.use()
    serials = [c.s.bus.send(p.name, PATH, PROPS, "GetAll", "s", [PLAYER]) for _ in range(500)]
    seq = []
    for s in serials:
        c.s.bus.wait_reply(s, 10)
        seq.append(c.s.bus.last_reply[1])
    need(seq == sorted(seq), "replies out of order")


@check("J22", "Quit while paused and with nothing loaded ends it with status 0", "should")
def _(c):
    for files in (c.idx["album"], []):
        p = c.fresh(files, play=bool(files))
        if not p.get("CanQuit", ROOT):
            raise NA("CanQuit false")
        if files:
            p.call("Pause")
        p.call("Quit", iface=ROOT)
        end = now() + 4
        while now() < end and any(x.poll() is None for x in c.s.player):
            c.s.bus.pump(0.02)
        codes = [x.poll() for x in c.s.player]
        c.files = None
        need(0 in codes and not any(codes), f"exit status {codes}")
        need(not p.alive(), "name still owned")


@check("J15", "Position never in PropertiesChanged (whole run)")
def _(c):
    c.down()
    need(c.position_signals == 0, f"{c.position_signals} times")
