# SPDX-License-Identifier: Apache-2.0
"""Group A: the name on the bus, introspection."""
import re
import xml.etree.ElementTree as ET

from checker import (
    ACCESS_RW, INTROSPECT, PEER, PLAYER_METHODS, PLAYER_OPT, PLAYER_PROPS, ROOT_OPT, ROOT_PROPS, check,
    need, sig_of)
from dbusc import DBusError, PLAYER, PROPS, ROOT, TRACKLIST


@check("A01", "owns its well-known name on the session bus")
def _(c):
    p = c.use()
    need(p.alive(), "name not owned")
    need(re.fullmatch(r"org\.mpris\.MediaPlayer2\.[A-Za-z_-][A-Za-z0-9_-]*(\..*)?", p.name),
         f"odd name {p.name}")
    return p.name


@check("A02", "Introspect on /org/mpris/MediaPlayer2 is well-formed XML")
def _(c):
    c.use()
    need(c.xml().tag == "node", "root element is no <node>")
    return ", ".join(i.get("name") for i in c.xml().findall("interface"))


@check("A03", "introspection lists org.mpris.MediaPlayer2 with Raise() and Quit()")
def _(c):
    c.use()
    i = c.iface(ROOT)
    need(i is not None, "interface missing")
    have = {m.get("name"): sig_of(m) for m in i.findall("method")}
    for m in ("Raise", "Quit"):
        need(have.get(m) == "", f"{m}: {have.get(m)}")


def props_xml(c, iface, must, opt):
    i = c.iface(iface)
    need(i is not None, "interface missing")
    have = {p.get("name"): (p.get("type"), p.get("access")) for p in i.findall("property")}
    bad = [f"{n} missing" for n in must if n not in have]
    for n, t in {**must, **opt}.items():
        if n in have:
            if have[n][0] != t:
                bad.append(f"{n} is {have[n][0]} not {t}")
            want = "readwrite" if n in ACCESS_RW else "read"
            if have[n][1] != want:
                bad.append(f"{n} access {have[n][1]} not {want}")
    extra = sorted(set(have) - set(must) - set(opt))
    need(not bad, "; ".join(bad))
    return "extra: " + ",".join(extra) if extra else ""


@check("A04", "introspection: root properties, types and access")
def _(c):
    c.use()
    return props_xml(c, ROOT, ROOT_PROPS, ROOT_OPT)


@check("A05", "introspection: Player methods and argument types")
def _(c):
    c.use()
    i = c.iface(PLAYER)
    need(i is not None, "interface missing")
    have = {m.get("name"): sig_of(m) for m in i.findall("method")}
    bad = [f"{m}({s}) is {have.get(m)}" for m, s in PLAYER_METHODS.items() if have.get(m) != s]
    need(not bad, "; ".join(bad))


@check("A06", "introspection: signal Seeked(x)")
def _(c):
    c.use()
    i = c.iface(PLAYER)
    have = {m.get("name"): "".join(a.get("type") for a in m.findall("arg"))
            for m in i.findall("signal")}
    need(have.get("Seeked") == "x", f"Seeked is {have.get('Seeked')}")


@check("A07", "introspection: Player properties, types and access")
def _(c):
    c.use()
    return props_xml(c, PLAYER, PLAYER_PROPS, PLAYER_OPT)


@check("A08", "introspection lists Properties and Introspectable", "should")
def _(c):
    c.use()
    missing = [n for n in (PROPS, INTROSPECT) if c.iface(n) is None]
    need(not missing, "not listed: " + ", ".join(missing))


@check("A09", "HasTrackList agrees with a working TrackList interface")
def _(c):
    p = c.use()
    h = p.getall(ROOT).get("HasTrackList")
    need(h is not None, "no HasTrackList")
    h = h.value
    try:
        works = "Tracks" in p.getall(TRACKLIST)
    except DBusError:
        works = False
    need(h == works, f"HasTrackList {h}, TrackList answers {works}")
    return f"HasTrackList {h}"


@check("A10", "introspection: Position (and CanControl) say EmitsChangedSignal=false", "should")
def _(c):
    c.use()
    bad = []
    for n in ("Position", "CanControl"):
        e = next((x for x in c.iface(PLAYER).findall("property") if x.get("name") == n), None)
        need(e is not None, f"{n} not listed")
        a = {x.get("name"): x.get("value") for x in e.findall("annotation")}
        v = a.get("org.freedesktop.DBus.Property.EmitsChangedSignal")
        if v not in ("false", "const"):
            bad.append(f"{n}: {v}")
    need(not any(b.startswith("Position") for b in bad), "; ".join(bad))
    return "; ".join(bad)


@check("A11", "org.freedesktop.DBus.Peer: Ping and GetMachineId", "should")
def _(c):
    p = c.use()
    p.call("Ping", iface=PEER)
    m = p.call("GetMachineId", iface=PEER)[0]
    need(re.fullmatch("[0-9a-f]{32}", m), f"machine id {m!r}")


@check("A12", "introspection of parent paths leads to the object", "should")
def _(c):
    p = c.use()
    for path, child in (("/", "org"), ("/org", "mpris"), ("/org/mpris", "MediaPlayer2")):
        x = c.s.bus.call(p.name, path, INTROSPECT, "Introspect").body[0]
        kids = [n.get("name") for n in ET.fromstring(re.sub(r"<!DOCTYPE[^>]*>", "", x)).findall("node")]
        need(any(k and k.split("/")[0] == child for k in kids), f"{path} lists {kids}")


@check("A13", "the object answers as soon as the name is owned", "should")
def _(c):
    c.fresh()
    need(c.s.answers_at_once, "the first call after NameOwnerChanged fails")
