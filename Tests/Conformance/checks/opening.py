# SPDX-License-Identifier: Apache-2.0
"""Group G: OpenUri, odd names and broken files."""
import fixtures
from checker import Fail, check, need, short, url_path
from dbusc import DBusError, PATH, PLAYER, Timeout
from players import uri


def open_plays(c, path, timeout=4):
    p = c.p
    p.call("OpenUri", "s", uri(path))
    need(c.wait_current(path, timeout), "not current: " + short(
        {k: v.value for k, v in c.meta().items() if k in ("xesam:url", "xesam:title")}))
    v = p.wait_get("PlaybackStatus", lambda v: v == "Playing", 2)
    need(v == "Playing", f"status {v}")


@check("G01", "OpenUri of a file plays it, Metadata announced")
def _(c):
    p = c.use()
    m = c.steady()
    open_plays(c, c.idx["formats"]["flac"])
    c.s.bus.pump(0.3)
    need(p.changed_prop(m, "Metadata"), "Metadata not announced")


@check("G02", "OpenUri plays FLAC, MP3, Ogg, Opus, M4A and WAV")
def _(c):
    c.fresh()
    bad = []
    for e in ("flac", "mp3", "ogg", "opus", "m4a", "wav"):
        try:
            open_plays(c, c.idx["formats"][e])
            a = c.p.get("Position")
            if c.p.wait_get("Position", lambda v: v > max(a, 100000), 2.5) <= a:
                bad.append(e + ": no progress")
        except (Fail, DBusError, Timeout) as x:
            bad.append(f"{e}: {short(x, 60)}")
    need(not bad, "; ".join(bad))


def unchanged(c, u):
    p = c.fresh()
    t = c.trackid()
    err = None
    try:
        p.call("OpenUri", "s", u)
    except DBusError as e:
        err = e.name
    c.s.bus.pump(1.5)
    need(p.alive() and c.s.running(), "player gone")
    return err, c.which() == 0 and p.get("PlaybackStatus") == "Playing" and c.trackid() == t


@check("G04", "OpenUri of an unsupported scheme: an error comes back", "should")
def _(c):
    if "g03" not in c.memo:
        c.memo["g03"], _ = unchanged(c, "nosuch://example/track.mp3")
    need(c.memo["g03"], "no error")
    return c.memo["g03"]


@check("G05", "OpenUri of a missing file: error or no change of what plays", "should")
def _(c):
    err, ok = unchanged(c, "file:///no/such/file.flac")
    need(ok, f"{err or 'no error'}; track {c.which()}, {c.p.get('PlaybackStatus')}")
    return err or "no error"


def _mkbad(key):
    def f(c):
        p = c.fresh()
        err = None
        try:
            p.call("OpenUri", "s", uri(c.idx["bad"][key]))
        except DBusError as e:
            err = e.name
        c.s.bus.pump(2.0)
        need(p.alive() and c.s.running(), "player gone")
        st = p.get("PlaybackStatus")
        open_plays(c, c.idx["formats"]["flac"])
        return f"{err or 'no error'}, then {st}; still opens a good file"
    return f


for _n, _k in (("G07", "text"), ("G08", "empty"), ("G09", "truncated")):
    check(_n, f"OpenUri of a bad file ({_k}): the player lives and plays on")(_mkbad(_k))


def _mkname(key):
    def f(c):
        if not (c.s and c.memo.get("names") == c.s.dir and c.s.running() and c.p.alive()):
            c.fresh()
            c.memo["names"] = c.s.dir
        open_plays(c, c.idx["names"][key])
        v = c.meta().get("xesam:url")
        if v is None:
            return "no xesam:url; told by the title"
        need(url_path(v.value) is not None, f"url {v.value} is no file URI")
        return v.value.rsplit("/", 1)[1]
    return f


for _i, _k in enumerate(fixtures.NAMES):
    check(f"G{10 + _i}", f"OpenUri and xesam:url of a name with: {_k}")(_mkname(_k))


@check("G19", "tracks of 0.2, 1 and 3 s play through to the next track")
def _(c):
    e = c.idx["edge"]
    p = c.fresh([e["t3"], e["t02"], e["t1"], c.idx["album"][0]])
    need(c.wait_current(c.idx["album"][0], 12), f"track {c.which()}, {p.get('PlaybackStatus')}")


@check("G03", "OpenUri of an unsupported scheme changes nothing")
def _(c):
    c.memo["g03"], same = unchanged(c, "nosuch://example/track.mp3")
    need(same, f"track {c.which()}, {c.p.get('PlaybackStatus')}")


@check("G06", "OpenUri of what is no URI changes nothing")
def _(c):
    p = c.fresh()
    t = c.trackid()
    for u in ("", "nonsense", "file:", "://", "file:///%zz", "http://", "\u00e9\u00e8 \ud55c"):
        try:
            p.call("OpenUri", "s", u)
        except DBusError:
            pass
    c.s.bus.pump(1.0)
    need(p.alive() and c.s.running(), "player gone")
    need(c.trackid() == t and p.get("PlaybackStatus") == "Playing", f"track {c.which()}, {p.get('PlaybackStatus')}")


@check("G20", "OpenUri while stopped starts to play")
def _(c):
    p = c.fresh()
    p.call("Stop")
    p.wait_get("PlaybackStatus", lambda v: v == "Stopped", 2)
    open_plays(c, c.idx["formats"]["mp3"])
    a = p.get("Position")
    need(p.wait_get("Position", lambda v: v > a, 3) > a, "no progress")


@check("G21", "OpenUri in an empty player plays")
def _(c):
    c.fresh([], play=False)
    open_plays(c, c.idx["formats"]["flac"])


@check("G22", "OpenUri ten times at once: the last one plays")
def _(c):
    p = c.fresh()
    files = [c.idx["album"][i] for i in range(9)] + [c.idx["formats"]["ogg"]]
    for s in [c.s.bus.send(p.name, PATH, PLAYER, "OpenUri", "s", [uri(f)]) for f in files]:
        c.s.bus.wait_reply(s)
    need(c.wait_current(files[-1], 4), f"{short(c.meta().get('xesam:url'))}")
    v = p.wait_get("PlaybackStatus", lambda v: v == "Playing", 2)
    need(v == "Playing", v)


@check("G23", "a bad file in the middle of the list is passed over")
def _(c):
    files = [c.idx["short"][0], c.idx["bad"]["text"], c.idx["bad"]["empty"], c.idx["album"][0]]
    p = c.fresh(files)
    need(c.wait_current(files[3], 12), f"track {c.which()}, {p.get('PlaybackStatus')}")
    v = p.wait_get("PlaybackStatus", lambda v: v == "Playing", 2)
    need(v == "Playing", v)
