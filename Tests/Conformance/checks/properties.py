# SPDX-License-Identifier: Apache-2.0
"""Group B: the property interface and its errors."""
import re

from checker import (
    NOTRACK, PEER, PLAYER_OPT, PLAYER_PROPS, ROOT_OPT, ROOT_PROPS, check, expect_error, need, short)
from dbusc import DBusError, PATH, PLAYER, PROPS, ROOT


def typed(all_, must, opt):
    bad = [f"{n} missing" for n in must if n not in all_]
    for n, t in {**must, **opt}.items():
        if n in all_ and all_[n].signature != t:
            bad.append(f"{n} is {all_[n].signature} not {t}")
    need(not bad, "; ".join(bad))


@check("B01", "GetAll(org.mpris.MediaPlayer2): every property, right type")
def _(c):
    typed(c.use().getall(ROOT), ROOT_PROPS, ROOT_OPT)


@check("B02", "GetAll(Player): every mandatory property, right type")
def _(c):
    a = c.use().getall()
    typed(a, PLAYER_PROPS, PLAYER_OPT)
    return "optional: " + (",".join(n for n in PLAYER_OPT if n in a) or "none")


@check("B03", "Get of each property has the type and value of GetAll")
def _(c):
    p = c.use()
    bad = []
    for iface, names in ((ROOT, {**ROOT_PROPS, **ROOT_OPT}), (PLAYER, {**PLAYER_PROPS, **PLAYER_OPT})):
        a = p.getall(iface)
        for n in names:
            if n in a:
                v = p.getv(n, iface)
                if v.signature != a[n].signature or n not in ("Position", "Metadata") and \
                        v.value != a[n].value:
                    bad.append(n)
            elif iface == ROOT and n in ROOT_PROPS or iface == PLAYER and n in PLAYER_PROPS:
                v = p.getv(n, iface)   # Get works although GetAll left it out?
                bad.append(n + " only by Get")
    need(not bad, ", ".join(bad))


@check("B04", "Identity is not empty; DesktopEntry has no path and no .desktop")
def _(c):
    a = c.use().getall(ROOT)
    need(a["Identity"].value, "empty Identity")
    d = a.get("DesktopEntry")
    if d is not None:
        need("/" not in d.value and not d.value.endswith(".desktop"), d.value)
    return f"{a['Identity'].value} / {d.value if d else '-'}"


@check("B05", "SupportedUriSchemes has 'file' and bare scheme names")
def _(c):
    v = c.use().get("SupportedUriSchemes", ROOT)
    need("file" in v, short(v))
    need(all(re.fullmatch(r"[a-zA-Z][a-zA-Z0-9+.-]*", x) for x in v), short(v))


@check("B06", "SupportedMimeTypes names audio types")
def _(c):
    v = c.use().get("SupportedMimeTypes", ROOT)
    need(all(re.fullmatch(r"[\w.+-]+/[\w.+*-]+(;.*)?", x) for x in v), "odd entry in " + short(v))
    need(any(x.startswith("audio/") or x == "application/ogg" for x in v), short(v) or "empty")
    return f"{len(v)} types"


@check("B07", "CanControl, CanPlay, CanPause, CanSeek true while a file plays")
def _(c):
    a = c.use().getall()
    bad = [n for n in ("CanControl", "CanPlay", "CanPause", "CanSeek") if n not in a or not a[n].value]
    need(not bad, "false: " + ", ".join(bad))


@check("B08", "PlaybackStatus and LoopStatus have values of the spec")
def _(c):
    a = c.use().getall()
    need(a["PlaybackStatus"].value in ("Playing", "Paused", "Stopped"), a["PlaybackStatus"].value)
    if "LoopStatus" in a:
        need(a["LoopStatus"].value in ("None", "Track", "Playlist"), a["LoopStatus"].value)


@check("B09", "MinimumRate <= 1 <= MaximumRate, Rate between, Volume >= 0")
def _(c):
    a = c.use().getall()
    need("MinimumRate" in a and "MaximumRate" in a and "Rate" in a, "rate properties missing")
    lo, hi, r, v = (a[n].value for n in ("MinimumRate", "MaximumRate", "Rate", "Volume"))
    need(lo <= 1 <= hi and lo <= r <= hi and v >= 0, f"{lo} {r} {hi} volume {v}")
    return f"{lo:g}..{hi:g}"


@check("B11", "Get of an unknown property: error")
def _(c):
    p = c.use()
    return expect_error(lambda: p.get("NoSuchThing"))


@check("B12", "Get with an unknown interface: error")
def _(c):
    p = c.use()
    return expect_error(lambda: p.get("Volume", "org.example.Nothing"))


@check("B13", "unknown method: error (UnknownMethod)")
def _(c):
    p = c.use()
    n = expect_error(lambda: p.call("NoSuchMethod"))
    return n + ("" if n == "org.freedesktop.DBus.Error.UnknownMethod" else " (not UnknownMethod)")


@check("B14", "method of an unknown interface: error")
def _(c):
    p = c.use()
    return expect_error(lambda: p.call("Play", iface="org.example.Nothing"))


@check("B15", "wrong argument types (Seek of a string): error, player lives")
def _(c):
    p = c.use()
    n = expect_error(lambda: p.call("Seek", "s", "abc"))
    need(p.alive(), "player gone")
    return n


@check("B16", "missing arguments (SetPosition without any): error, player lives")
def _(c):
    p = c.use()
    n = expect_error(lambda: p.call("SetPosition"))
    need(p.alive(), "player gone")
    return n


@check("B17", "setting a read-only property: error and no change")
def _(c):
    p = c.use()
    out = []
    for n, s, v in (("PlaybackStatus", "s", "Stopped"), ("Position", "x", 12345678),
                    ("CanPlay", "b", False), ("Metadata", "a{sv}", {}), ("MinimumRate", "d", 0.5)):
        try:
            p.set(n, s, v)
            out.append(n)
        except DBusError as e:
            name = e.name
    need(p.get("PlaybackStatus") == "Playing", "PlaybackStatus changed")
    need(not out, "no error for " + ", ".join(out))
    return name


@check("B20", "a call on an unknown object path: error", "should")
def _(c):
    p = c.use()
    return expect_error(lambda: c.s.bus.call(p.name, "/no/such/path", PLAYER, "Play"))


@check("B22", "a method call without the interface field works", "info")
def _(c):
    p = c.use()
    try:
        c.s.bus.call(p.name, PATH, None, "Pause")
        v = p.wait_get("PlaybackStatus", lambda v: v == "Paused", 1.0)
        p.call("Play")
        return f"status {v}"
    except DBusError as e:
        return e.name


ERROR = "org.freedesktop.DBus.Error."


def refused(fn, *names):
    """fn must end in one of the errors named; returns which."""
    name = expect_error(fn)
    need(name in [ERROR + n for n in names], f"{name}, not {' or '.join(names)}")
    return name


@check("B10", "Set of a wrong type: InvalidArgs and no change")
def _(c):
    p = c.use()
    before = p.getall()
    for prop, sig, value in (("Volume", "i", 0), ("Volume", "s", "0.3"), ("Rate", "i", 1), ("Shuffle", "s", "true"),
                             ("LoopStatus", "i", 1), ("LoopStatus", "b", True)):
        if prop in before:
            refused(lambda: p.set(prop, sig, value), "InvalidArgs")
            need(p.get(prop) == before[prop].value, f"{prop} changed to {p.get(prop)} by a {sig}")


@check("B18", "GetAll of an unknown interface: UnknownInterface")
def _(c):
    p = c.use()
    return refused(lambda: p.getall("org.example.Nothing"), "UnknownInterface", "InvalidArgs")


@check("B19", "Set of an unknown property: UnknownProperty")
def _(c):
    p = c.use()
    return refused(lambda: p.set("NoSuchThing", "s", "x"), "UnknownProperty", "InvalidArgs")


@check("B21", "Ping answers on any path")
def _(c):
    p = c.use()
    for path in ("/", PATH, "/no/such/path"):
        c.s.bus.call(p.name, path, PEER, "Ping")


@check("B23", "each mistake has the usual error name", "should")
def _(c):
    p = c.use()
    refused(lambda: p.get("NoSuchThing"), "UnknownProperty")
    refused(lambda: p.get("Volume", "org.example.Nothing"), "UnknownInterface", "UnknownProperty")
    refused(lambda: p.set("CanPlay", "b", False), "PropertyReadOnly")
    refused(lambda: p.call("Seek", "i", 5), "InvalidArgs")
    refused(lambda: p.call("NoSuchMethod"), "UnknownMethod")
    refused(lambda: p.call("Play", iface="org.example.Nothing"), "UnknownMethod", "UnknownInterface")
    refused(lambda: c.s.bus.call(p.name, "/no/such/path", PLAYER, "Play"), "UnknownObject", "UnknownMethod")


@check("B24", "an empty interface name in Get and GetAll does no harm")
def _(c):
    p = c.use()
    for fn in (lambda: p.getall(""), lambda: p.get("Volume", "")):
        try:
            fn()
        except DBusError:
            pass
    need(p.alive() and c.s.running(), "player gone")


def empty(c):
    return c.fresh([], play=False)


@check("B25", "an empty queue: Stopped, Position 0, Metadata an a{sv} of NoTrack at most")
def _(c):
    a = empty(c).getall()
    need(a["PlaybackStatus"].value == "Stopped", a["PlaybackStatus"].value)
    need(a["Metadata"].signature == "a{sv}", a["Metadata"].signature)
    m = a["Metadata"].value
    need(not m or list(m) == ["mpris:trackid"] and m["mpris:trackid"].value == NOTRACK, short(m))
    need(a["Position"].value == 0, a["Position"].value)


@check("B26", "an empty queue: every method does no harm and nothing is announced")
def _(c):
    p = empty(c)
    m = c.steady()
    for args in (("Play",), ("Pause",), ("PlayPause",), ("Stop",), ("Next",), ("Previous",), ("Seek", "x", 5_000_000),
                 ("SetPosition", "ox", NOTRACK, 0)):
        try:
            p.call(*args)
        except DBusError:
            pass
    c.s.bus.pump(0.5)
    need(p.alive() and c.s.running(), "player gone")
    need(p.get("PlaybackStatus") == "Stopped", p.get("PlaybackStatus"))
    need(not p.changes(m) and not p.seeked(m), short(p.changes(m)) + short(p.seeked(m)))


@check("B27", "a call that wants no reply gets none, and is done")
def _(c):
    p = c.use()
    serial = c.s.bus.send(p.name, PATH, PLAYER, "Pause", noreply=True)
    v = p.wait_get("PlaybackStatus", lambda v: v == "Paused", 2)
    p.call("Play")
    need(v == "Paused", v)
    need(serial not in c.s.bus.replies, "a reply came")


@check("B28", "PropertiesChanged is (sa{sv}as), broadcast from the object")
def _(c):
    p = c.use()
    mark = c.steady()
    p.call("Pause")
    p.call("Play")
    c.s.bus.pump(0.5)
    seen = [x for _, _, x in p.b.log[mark:] if x.member == "PropertiesChanged" and x.sender == p.unique]
    need(seen, "none seen")
    for x in seen:
        need(x.signature == "sa{sv}as", x.signature)
        need(x.path == PATH or not x.body[0].startswith(ROOT), f"{x.body[0]} from {x.path}")
        need(x.destination is None, f"sent to {x.destination} alone")


@check("B29", "the empty name, the wrong argument count and a huge string are answered with an error")
def _(c):
    p = c.use()
    for fn in (lambda: p.get(""), lambda: p.call("Get", "s", PLAYER, iface=PROPS),
               lambda: p.call("Seek", "xx", 1, 1), lambda: p.get("x" * 1_000_000)):
        expect_error(fn)
    need(p.alive() and c.s.running(), "player gone")
