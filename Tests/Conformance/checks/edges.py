# SPDX-License-Identifier: Apache-2.0
"""Group L: what is told and in which order, what is heard, and modes at the edges of a list."""
import os
import re
import xml.etree.ElementTree as ET

import numpy as np

from checker import INTROSPECT, NA, check, need, sig_of
from checks.transport import natural, plain
from dbusc import PATH, PLAYER, PLAYLISTS, PROPS, ROOT, TRACKLIST, DBusError, now


@check("L01", "nothing is offered on a path that is not there", "should")
def _(c):
    p = c.use()
    try:
        x = c.s.bus.call(p.name, "/no/such/path", INTROSPECT, "Introspect").body[0]
    except DBusError as e:
        return e.name
    names = [i.get("name") for i in ET.fromstring(re.sub(r"<!DOCTYPE[^>]*>", "", x)).findall("interface")]
    need(not any(n.startswith(ROOT) for n in names), str(names))
    return "an empty node"


@check("L02", "introspection: Tracks says EmitsChangedSignal=invalidates", "should")
def _(c):
    c.use()
    i = c.iface(TRACKLIST)
    need_listed(i is not None, "no TrackList")
    t = next((x for x in i.findall("property") if x.get("name") == "Tracks"), None)
    need(t is not None, "Tracks not listed")
    a = {x.get("name"): x.get("value") for x in t.findall("annotation")}
    v = a.get("org.freedesktop.DBus.Property.EmitsChangedSignal")
    need(v == "invalidates", f"says {v}")


def need_listed(cond, text):
    if not cond:
        raise NA(text)


@check("L03", "only MPRIS and D-Bus interfaces are on the object (playerctld aborts on others)", "should")
def _(c):
    c.use()
    odd = [i.get("name") for i in c.xml().findall("interface")
           if i.get("name") not in (ROOT, PLAYER, TRACKLIST, PLAYLISTS)
           and not i.get("name").startswith("org.freedesktop.DBus.")]
    need(not odd, ", ".join(odd))


@check("L04", "an MPRIS interface that is not listed is refused at once, one that is answers")
def _(c):
    p = c.use()
    said = []
    for name in (ROOT, PLAYER, TRACKLIST, PLAYLISTS):
        t = now()
        try:
            p.getall(name)
            answers = True
        except DBusError:
            answers = False
        need(now() - t < 0.5, f"{name}: {now() - t:.2f} s")
        need(answers == (c.iface(name) is not None), f"{name}: listed {c.iface(name) is not None}, answers {answers}")
        said += [name.rsplit(".", 1)[1]] if answers else []
    return ", ".join(said)


EXTRA_METHODS = {
    TRACKLIST: {"GetTracksMetadata": ("ao", "aa{sv}"), "AddTrack": ("sob", ""), "RemoveTrack": ("o", ""),
                "GoTo": ("o", "")},
    PLAYLISTS: {"ActivatePlaylist": ("o", ""), "GetPlaylists": ("uusb", "a(oss)")}}
EXTRA_SIGNALS = {
    TRACKLIST: {"TrackListReplaced": "aoo", "TrackAdded": "a{sv}o", "TrackRemoved": "o", "TrackMetadataChanged": "oa{sv}"},
    PLAYLISTS: {"PlaylistChanged": "(oss)"}}


@check("L05", "introspection: methods and signals of TrackList and Playlists, where they are listed")
def _(c):
    c.use()
    listed = [n for n in EXTRA_METHODS if c.iface(n) is not None]
    need_listed(listed, "neither is listed")
    bad = []
    for name in listed:
        i = c.iface(name)
        methods = {m.get("name"): (sig_of(m), sig_of(m, "out")) for m in i.findall("method")}
        signals = {m.get("name"): "".join(a.get("type") for a in m.findall("arg")) for m in i.findall("signal")}
        bad += [f"{m} is {methods.get(m)}" for m, s in EXTRA_METHODS[name].items() if methods.get(m) != s]
        bad += [f"{m} is {signals.get(m)}" for m, s in EXTRA_SIGNALS[name].items() if signals.get(m) != s]
    need(not bad, "; ".join(bad))


@check("L06", "changes of Player are sent with their values, never as invalidations", "should")
def _(c):
    p = c.fresh()
    m = c.steady()
    for f in (lambda: p.call("Pause"), lambda: p.call("Play"), lambda: p.set("Volume", "d", 0.7),
              lambda: p.call("Next"), lambda: p.set("Volume", "d", 1.0)):
        f()
        c.s.bus.pump(0.4)
    inv = sorted({n for x in p.changes(m) for n in x[3]})
    need(p.changes(m), "nothing was announced")
    need(not inv, "invalidated: " + ", ".join(inv))


@check("L07", "near misses of a type are errors: Seek(i), Seek(t), SetPosition(sx), OpenUri(o), two arguments for Next")
def _(c):
    p = c.use()
    m, t = c.steady(), c.trackid()
    for member, sig, body in (("Seek", "i", [5000000]), ("Seek", "t", [5000000]), ("SetPosition", "sx", [t, 1]),
                              ("OpenUri", "o", ["/a"]), ("Next", "s", ["x"]), ("Seek", "xx", [1, 2])):
        try:
            p.call(member, sig, *body)
        except DBusError:
            continue
        need(False, f"{member}({sig}) is taken")
    need(c.trackid() == t and not p.seeked(m), "something moved")


@check("L08", "calls take effect in the order they were sent: PlayPause and Get six times in flight", "should")
def _(c):
    p = c.use()
    serials = []
    for _ in range(6):
        c.s.bus.send(p.name, PATH, PLAYER, "PlayPause", noreply=True)
        serials.append(c.s.bus.send(p.name, PATH, PROPS, "Get", "ss", [PLAYER, "PlaybackStatus"]))
    got = [c.s.bus.wait_reply(s).body[0].value for s in serials]
    need(got == ["Paused", "Playing"] * 3, str(got))


@check("L09", "the track id stays the same through pause, seek and stop, and another track has another")
def _(c):
    p = c.fresh()
    a = c.trackid()
    for act in (lambda: p.call("Pause"), lambda: p.call("Seek", "x", 3_000_000), lambda: p.call("Play")):
        act()
        c.s.bus.pump(0.2)
        need(c.trackid() == a, f"{a} became {c.trackid()}")
    p.call("Next")
    need(c.wait_current(c.files[1], 3), f"track {c.which()}")
    need(c.trackid() != a, "the next track has the same id")


@check("L10", "the announced Metadata is whole: the one that Get gives, no field less")
def _(c):
    p = c.fresh()
    m = c.steady()
    p.call("Next")
    need(c.wait_current(c.files[1], 3), f"track {c.which()}")
    c.s.bus.pump(1.0)
    sent = [x[2]["Metadata"].value for x in p.changes(m) if "Metadata" in x[2]]
    need(sent, "Metadata not announced")
    need(plain(sent[-1]) == plain(c.meta()), f"{sorted(sent[-1])} and {sorted(c.meta())}")


@check("L11", "who has the reply has been told: the change comes before the reply", "should")
def _(c):
    p = c.fresh()
    late = []
    for verb, prop in (("Pause", "PlaybackStatus"), ("Play", "PlaybackStatus"), ("Next", "Metadata"),
                       ("PlayPause", "PlaybackStatus"), ("Stop", "PlaybackStatus")):
        m = c.steady(0.3)
        p.call(verb)
        rep = p.b.last_reply
        r = p.wait(lambda: p.changed_prop(m, prop), 2)
        if not r or r[1] > rep[1]:
            late.append(verb)
    need(not late, ", ".join(late))


@check("L12", "a track that ends: Position of the next begins at 0, to 300 ms", "should")
def _(c):
    c.fresh(c.idx["short"])
    need(c.wait_current(c.files[1], 6), f"track {c.which()}")
    x = c.pos()
    need(0 <= x < 0.3, f"position {x:.3f}")
    t = now()
    c.s.bus.pump(1.0)
    y = c.pos() - x - (now() - t)
    need(abs(y) < 0.3, f"{y:+.3f} s a second later")


@check("L13", "a track that ends: the status does not flicker", "should")
def _(c):
    st = natural(c)[5]
    need(st.count("Stopped") == 1 and "Paused" not in st, str(st))


def heard(c, volume):
    """The loudness (root of the mean square) of what comes out at this volume."""
    c.p.set("Volume", "d", volume)
    c.s.bus.pump(0.8)
    a = os.path.getsize(c.recording)
    c.s.bus.pump(0.6)
    with open(c.recording, "rb") as h:
        h.seek(a - a % 4)
        x = np.frombuffer(h.read()[:4 * 17640], "<i2").astype(float)
    need(len(x) > 8000, "setup: nothing is recorded")
    return float(np.sqrt(np.mean(x * x)))


def loudness(c):
    """Of volumes 1, 0.5 and 0, once."""
    if "loudness" not in c.memo:
        c.fresh([c.idx["album"][0]])
        c.recording = f"{c.s.dir}/rec.s16"
        c.s.record(c.recording)
        c.s._until(lambda: os.path.exists(c.recording) and os.path.getsize(c.recording) > 20000, "parec does not record")
        c.memo["loudness"] = [heard(c, v) for v in (1.0, 0.5, 0.0)]
        c.p.set("Volume", "d", 1.0)
    return c.memo["loudness"]


@check("L14", "Volume 0 is silence, 1 is not, and 0.5 lies between", "must")
def _(c):
    one, half, none = loudness(c)
    need(one > 500, f"setup: {one:.0f} at 1.0")
    need(none < 2, f"{none:.0f} at 0")
    need(none < half < one * 0.95, f"{half:.0f} at 0.5, {one:.0f} at 1.0")


@check("L15", "Volume 0.5 is heard at", "info")
def _(c):
    one, half, _ = loudness(c)
    return f"{half / one:.3f} of the amplitude (cubic 0.125, linear 0.5)"


@check("L16", "LoopStatus Track on the last track: CanGoNext agrees with what Next does", "should")
def _(c):
    p = c.at(c.idx["album"][:2], 1)
    c.loop("Track")
    c.s.bus.pump(0.3)
    g = p.get("CanGoNext")
    p.call("Next")
    c.s.bus.pump(1.0)
    w = c.which()
    need(g == (w == 0), f"CanGoNext {g}, then track {w}, {p.get('PlaybackStatus')}")
    return f"CanGoNext {g}, then track {w}"


def walk(c, n):
    """The tracks that come by Next, the current one first."""
    order = [c.which()]
    for _ in range(n):
        a = c.trackid()
        c.p.call("Next")
        c.p.wait_get("Metadata", lambda m: m.get("mpris:trackid") and m["mpris:trackid"].value != a, 1.5)
        order.append(c.which())
    return order


@check("L17", "a negative Rate never plays backwards, and Rate never reads 0 or less")
def _(c):
    p = c.fresh()
    try:
        p.set("Rate", "d", -1.0)
    except DBusError:
        pass
    c.s.bus.pump(0.3)
    need(p.get("Rate") > 0, f"reads {p.get('Rate')}")
    if p.get("PlaybackStatus") == "Playing":
        a = c.pos()
        c.s.bus.pump(0.6)
        need(c.pos() >= a, f"{a:.2f} -> {c.pos():.2f}")


@check("L18", "Shuffle leaves what plays alone: the same track, no jump", "should")
def _(c):
    p = c.fresh()
    c.need_prop("Shuffle")
    m, t, a, x = c.steady(), c.trackid(), c.pos(), now()
    p.set("Shuffle", "b", True)
    c.s.bus.pump(0.6)
    need(c.trackid() == t, f"track {c.which()}")
    need(a <= c.pos() < a + now() - x + 1.2 and not p.seeked(m), f"{a:.2f} -> {c.pos():.2f}")


@check("L19", "LoopStatus Playlist with Shuffle: CanGoNext stays true for twice the list", "should")
def _(c):
    p = c.fresh(c.idx["album"][:3])
    c.need_prop("Shuffle")
    c.loop("Playlist")
    p.set("Shuffle", "b", True)
    for i in range(6):
        need(p.get("CanGoNext"), f"false after {i}")
        walk(c, 1)
        need(p.get("PlaybackStatus") == "Playing", f"{p.get('PlaybackStatus')} after {i + 1}")
