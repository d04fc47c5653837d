# SPDX-License-Identifier: Apache-2.0
"""Group I: the Playlists interface."""
from checker import NA, check, expect_error, need, short
from dbusc import DBusError, PLAYLISTS
from checks.properties import typed


def pl(c):
    p = c.use(c.idx["album"])
    try:
        a = p.getall(PLAYLISTS)
    except DBusError as e:
        raise NA(e.name)
    if not a:
        raise NA("no Playlists interface")
    return p, a


@check("I01", "Playlists: PlaylistCount u, Orderings as, ActivePlaylist (b(oss))")
def _(c):
    _, a = pl(c)
    typed(a, {"PlaylistCount": "u", "Orderings": "as", "ActivePlaylist": "(b(oss))"}, {})
    bad = set(a["Orderings"].value) - {"Alphabetical", "Created", "Modified", "Played", "User"}
    need(a["Orderings"].value and not bad, f"Orderings {a['Orderings'].value}")
    return f"{a['PlaylistCount'].value} playlists"


@check("I02", "Playlists: GetPlaylists gives a(oss), PlaylistCount of them")
def _(c):
    p, a = pl(c)
    r = p.call("GetPlaylists", "uusb", 0, 100, a["Orderings"].value[0], False, iface=PLAYLISTS)[0]
    need(len(r) == a["PlaylistCount"].value, f"{len(r)} of {a['PlaylistCount'].value}")
    return short([x[1] for x in r])


@check("I03", "Playlists: order and reverse order mirror each other")
def _(c):
    p, a = pl(c)
    o = a["Orderings"].value[0]
    x = p.call("GetPlaylists", "uusb", 0, 100, o, False, iface=PLAYLISTS)[0]
    y = p.call("GetPlaylists", "uusb", 0, 100, o, True, iface=PLAYLISTS)[0]
    if len(x) < 2:
        raise NA("fewer than two playlists")
    need([i[0] for i in x] == [i[0] for i in y][::-1], "not reversed")


@check("I05", "Playlists: ActivatePlaylist makes it the ActivePlaylist")
def _(c):
    p, a = pl(c)
    x = p.call("GetPlaylists", "uusb", 0, 100, a["Orderings"].value[0], False, iface=PLAYLISTS)[0]
    if not x:
        raise NA("no playlists")
    p.call("ActivatePlaylist", "o", x[-1][0], iface=PLAYLISTS)
    c.s.bus.pump(0.8)
    v = p.get("ActivePlaylist", PLAYLISTS)
    c.files = None
    need(v[0] and v[1][0] == x[-1][0], short(v))


@check("I04", "Playlists: an index past the end and a count of 0 give nothing")
def _(c):
    p, a = pl(c)
    o = a["Orderings"].value[0]
    for index, count in ((100_000, 10), (0, 0)):
        r = p.call("GetPlaylists", "uusb", index, count, o, False, iface=PLAYLISTS)[0]
        need(r == [], f"{len(r)} from {index}, {count} at most")


@check("I06", "Playlists: an order of no legal word: InvalidArgs", "should")
def _(c):
    p, _ = pl(c)
    name = expect_error(lambda: p.call("GetPlaylists", "uusb", 0, 10, "Sideways", False, iface=PLAYLISTS))
    need(name == "org.freedesktop.DBus.Error.InvalidArgs", name)


@check("I07", "Playlists: the interface is whole, or its properties give an error")
def _(c):
    p = c.use()
    try:
        return f"{p.get('PlaylistCount', PLAYLISTS)} playlists, {p.get('Orderings', PLAYLISTS)}"
    except DBusError as e:
        need(c.iface(PLAYLISTS) is None, f"listed, yet {e.name}")
        return f"not offered ({e.name})"
