# SPDX-License-Identifier: Apache-2.0
"""Group H: the TrackList interface."""
import os

from checker import NA, NOTRACK, XESAM, check, need, short, url_path
from dbusc import DBusError, ROOT, TRACKLIST
from players import uri
from checks.properties import typed
from checks.opening import open_plays


def tl(c, fresh=True):
    p = c.fresh(c.idx["album"][:3]) if fresh else c.use(c.idx["album"][:3])
    a = p.getall(ROOT)
    if "HasTrackList" not in a or not a["HasTrackList"].value:
        raise NA("no HasTrackList" if "HasTrackList" not in a else "HasTrackList false")
    return p


def tracks(c, least=1):
    t = c.p.get("Tracks", TRACKLIST)
    need(len(t) >= least, f"Tracks has {len(t)} entries")
    return t


def editable(c):
    if not c.p.get("CanEditTracks", TRACKLIST):
        raise NA("CanEditTracks false")


def track_url(c, tid):
    r = c.p.call("GetTracksMetadata", "ao", [tid], iface=TRACKLIST)[0]
    need(r and "xesam:url" in r[0], "no metadata of " + tid)
    return r[0]["xesam:url"].value


@check("H01", "TrackList: Tracks (ao) and CanEditTracks (b), right types")
def _(c):
    a = tl(c).getall(TRACKLIST)
    typed(a, {"Tracks": "ao", "CanEditTracks": "b"}, {})
    return f"{len(a['Tracks'].value)} tracks, CanEditTracks {a['CanEditTracks'].value}"


@check("H02", "TrackList: the list's tracks, distinct ids, the current one among them")
def _(c):
    tl(c)
    t = tracks(c, 0)
    need(len(t) == len(set(t)), "ids twice")
    need(c.trackid() in t, f"{c.trackid()} not in {short(t)}")
    need(len(t) == 3, f"{len(t)} tracks for 3 files")


@check("H03", "TrackList: GetTracksMetadata in order, each with its trackid")
def _(c):
    p = tl(c)
    t = tracks(c)
    r = p.call("GetTracksMetadata", "ao", t, iface=TRACKLIST)[0]
    need(len(r) == len(t), f"{len(r)} for {len(t)}")
    need([x["mpris:trackid"].value for x in r if "mpris:trackid" in x] == t, "order or trackid")
    need(all(x["mpris:trackid"].signature == "o" for x in r), "trackid is no object path")


@check("H04", "TrackList: GetTracksMetadata of unknown ids does no harm")
def _(c):
    p = tl(c)
    try:
        r = p.call("GetTracksMetadata", "ao", ["/no/such", tracks(c)[0]], iface=TRACKLIST)[0]
    except DBusError as e:
        return e.name
    return f"{len(r)} entries"


@check("H05", "TrackList: GoTo switches")
def _(c):
    p = tl(c)
    t = tracks(c, 3)
    p.call("GoTo", "o", t[2], iface=TRACKLIST)
    v = p.wait_get("Metadata", lambda m: "mpris:trackid" in m and m["mpris:trackid"].value == t[2], 3)
    need(v["mpris:trackid"].value == t[2], "another track is current")


@check("H07", "TrackList: AddTrack after a track, not current; TrackAdded sent")
def _(c):
    p = tl(c)
    editable(c)
    t, m, f = tracks(c), p.mark(), c.idx["formats"]["flac"]
    p.call("AddTrack", "sob", uri(f), t[0], False, iface=TRACKLIST)
    c.s.bus.pump(1.0)
    n = tracks(c)
    need(len(n) == len(t) + 1, f"{len(n)} tracks")
    need(n[0] == t[0] and n[2:] == t[1:], f"order {short(n)}")
    need(url_path(track_url(c, n[1])) == os.fsencode(f), "url of the new track")
    need(c.which() == 0, "current track changed")
    s = p.signals(m, "TrackAdded", TRACKLIST) + p.signals(m, "TrackListReplaced", TRACKLIST)
    need(s, "neither TrackAdded nor TrackListReplaced")


@check("H08", "TrackList: AddTrack with SetAsCurrent plays it")
def _(c):
    p = tl(c)
    editable(c)
    f = c.idx["formats"]["flac"]
    p.call("AddTrack", "sob", uri(f), tracks(c)[-1], True, iface=TRACKLIST)
    need(c.wait_current(f, 3), f"track {c.which()}")


@check("H09", "TrackList: AddTrack after NoTrack puts it first")
def _(c):
    p = tl(c)
    editable(c)
    t, f = tracks(c), c.idx["formats"]["flac"]
    p.call("AddTrack", "sob", uri(f), NOTRACK, False, iface=TRACKLIST)
    c.s.bus.pump(0.8)
    n = tracks(c)
    need(len(n) == len(t) + 1 and n[1:] == t, f"order {short(n)}")


@check("H10", "TrackList: RemoveTrack; TrackRemoved sent")
def _(c):
    p = tl(c)
    editable(c)
    t, m = tracks(c), p.mark()
    p.call("RemoveTrack", "o", t[1], iface=TRACKLIST)
    c.s.bus.pump(0.8)
    need(tracks(c) == [t[0], t[2]], short(tracks(c)))
    need(p.signals(m, "TrackRemoved", TRACKLIST) + p.signals(m, "TrackListReplaced", TRACKLIST),
         "no TrackRemoved")


@check("H11", "TrackList: RemoveTrack of an unknown id is ignored")
def _(c):
    p = tl(c)
    editable(c)
    t = tracks(c)
    try:
        p.call("RemoveTrack", "o", "/no/such", iface=TRACKLIST)
    except DBusError:
        pass
    c.s.bus.pump(0.4)
    need(tracks(c) == t, "list changed")


@check("H13", "TrackList: Tracks is invalidated (not sent) in PropertiesChanged", "should")
def _(c):
    p = tl(c)
    editable(c)
    m = p.mark()
    p.call("AddTrack", "sob", uri(c.idx["formats"]["flac"]), tracks(c)[-1], False, iface=TRACKLIST)
    c.s.bus.pump(0.8)
    ch = p.changes(m, TRACKLIST)
    need(any("Tracks" in x[3] for x in ch), short([(list(x[2]), x[3]) for x in ch]) or "no signal")


@check("H14", "TrackList: an opened URI is in the list", "should")
def _(c):
    tl(c)
    open_plays(c, c.idx["formats"]["flac"])
    c.s.bus.pump(0.4)
    need(c.trackid() in tracks(c, 0), f"{c.trackid()} not in Tracks")


def goto_ignored(c, tid):
    p = tl(c)
    before, m = c.trackid(), c.steady()
    try:
        p.call("GoTo", "o", tid, iface=TRACKLIST)
    except DBusError:
        pass
    c.s.bus.pump(0.4)
    need(c.trackid() == before, "another track is current")
    need(not p.changes(m), [sorted(x[2]) for x in p.changes(m)])


@check("H06", "TrackList: GoTo of an unknown id and of NoTrack is ignored")
def _(c):
    goto_ignored(c, "/no/such")
    goto_ignored(c, NOTRACK)


@check("H12", "TrackList: RemoveTrack of the current track goes on with the next")
def _(c):
    p = tl(c)
    editable(c)
    t = tracks(c, 3)
    p.call("RemoveTrack", "o", t[0], iface=TRACKLIST)
    p.wait_get("Metadata", lambda m: m["mpris:trackid"].value == t[1], 3)
    need(c.trackid() == t[1], f"{c.trackid()} is current")
    need(tracks(c) == t[1:], short(tracks(c)))


@check("H15", "TrackList: RemoveTrack of NoTrack is ignored")
def _(c):
    p = tl(c)
    editable(c)
    t, m = tracks(c), p.mark()
    try:
        p.call("RemoveTrack", "o", NOTRACK, iface=TRACKLIST)
    except DBusError:
        pass
    c.s.bus.pump(0.4)
    need(tracks(c) == t and not p.signals(m, "TrackRemoved", TRACKLIST), "list changed")


@check("H16", "TrackList: AddTrack after an unknown id does no harm")
def _(c):
    p = tl(c)
    editable(c)
    t = tracks(c)
    try:
        p.call("AddTrack", "sob", uri(c.idx["formats"]["flac"]), "/no/such", False, iface=TRACKLIST)
        note = "no error"
    except DBusError as e:
        note = e.name
    c.s.bus.pump(0.5)
    need([x for x in tracks(c) if x in t] == t and c.which() == 0, short(tracks(c)))
    return note


@check("H17", "TrackList: one file added twice has two ids")
def _(c):
    p = tl(c)
    editable(c)
    for _ in range(2):
        p.call("AddTrack", "sob", uri(c.files[0]), tracks(c)[-1], False, iface=TRACKLIST)
    c.s.bus.pump(0.6)
    t = tracks(c, 5)
    need(len(set(t)) == 5, short(t))


@check("H18", "TrackList: TrackAdded carries the track's id and url and what it stands behind")
def _(c):
    p = tl(c)
    editable(c)
    t, m, f = tracks(c), p.mark(), c.idx["formats"]["flac"]
    p.call("AddTrack", "sob", uri(f), t[1], False, iface=TRACKLIST)
    c.s.bus.pump(0.8)
    s = p.signals(m, "TrackAdded", TRACKLIST)
    need(len(s) == 1, f"{len(s)} TrackAdded")
    meta, after = s[0][2]
    need(meta["mpris:trackid"].signature == "o" and meta["mpris:trackid"].value == tracks(c)[2], short(meta))
    need(url_path(meta["xesam:url"].value) == os.fsencode(f), short(meta))
    need(after == t[1], after)


@check("H19", "TrackList: GetTracksMetadata leaves unknown ids out and keeps the order", "should")
def _(c):
    p = tl(c)
    t = tracks(c, 3)
    r = p.call("GetTracksMetadata", "ao", [t[2], "/no/such", t[0], NOTRACK], iface=TRACKLIST)[0]
    need([x["mpris:trackid"].value for x in r] == [t[2], t[0]], short(r))
    need(p.call("GetTracksMetadata", "ao", [], iface=TRACKLIST)[0] == [], "not empty")


@check("H20", "TrackList: the maps of GetTracksMetadata have the types of Metadata")
def _(c):
    p = tl(c)
    r = p.call("GetTracksMetadata", "ao", tracks(c), iface=TRACKLIST)[0]
    bad = [f"{k} {v.signature}" for m in r for k, v in m.items() if XESAM.get(k, v.signature) != v.signature]
    need(not bad, "; ".join(bad))
    need(r[0]["mpris:trackid"].value == c.trackid(), short(r[0]))


@check("H21", "TrackList: Next runs through the tracks in the order of Tracks")
def _(c):
    p = tl(c)
    t, seen = tracks(c, 3), [c.trackid()]
    for i in (1, 2):
        p.call("Next")
        p.wait_get("Metadata", lambda m: m["mpris:trackid"].value == t[i], 2)
        seen.append(c.trackid())
    need(seen == t, f"{seen} not {t}")


@check("H22", "TrackList: all tracks removed: Stopped, no track, and a new one can be added")
def _(c):
    p = tl(c)
    editable(c)
    for t in tracks(c):
        p.call("RemoveTrack", "o", t, iface=TRACKLIST)
    v = p.wait_get("PlaybackStatus", lambda v: v == "Stopped", 2)
    need(v == "Stopped" and not tracks(c, 0), f"{v}, {tracks(c, 0)}")
    m = c.meta()
    need(set(m) <= {"mpris:trackid"}, f"Metadata still {short(m)}")
    f = c.idx["formats"]["flac"]
    p.call("AddTrack", "sob", uri(f), NOTRACK, True, iface=TRACKLIST)
    need(c.wait_current(f, 3), short(c.meta()))
