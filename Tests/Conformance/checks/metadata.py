# SPDX-License-Identifier: Apache-2.0
"""Group C: Metadata: keys, types, values, art."""
import os
import re

import fixtures
from checker import XESAM, check, need, short, url_path
from players import uri


def full(c, ext="flac"):
    """Metadata of formats/full.EXT, playing (settled)."""
    key = ("full", ext)
    if key not in c.memo:
        f = c.idx["formats"][ext]
        c.fresh([f])
        c.wait_current(f, 3)
        c.p.wait_get("Metadata", lambda m: "xesam:title" in m and "mpris:length" in m and
                     "mpris:artUrl" in m, 2.5)
        c.memo[key] = c.meta()
        u = c.memo[key].get("mpris:artUrl")
        c.memo["art", ext] = read_art(u.value) if u is not None else None
    return c.memo[key]


def read_art(u):
    if u.startswith("file://"):
        try:
            with open(url_path(u), "rb") as h:
                return h.read(16)
        except OSError as e:
            return str(e)
    if u.startswith("data:"):
        import base64
        try:
            head, body = u.split(",", 1)
            return base64.b64decode(body[:24]) if "base64" in head else None
        except Exception as e:
            return str(e)
    return "scheme " + u.split(":")[0]


def field(c, key, want, ext="flac"):
    m = full(c, ext)
    need(key in m, f"{key} missing")
    need(m[key].signature == XESAM[key], f"{key} is {m[key].signature} not {XESAM[key]}")
    if want is not None:
        need(m[key].value == want, f"{short(m[key].value)} not {short(want)}")
    return short(m[key].value)


@check("C01", "mpris:trackid is an object path outside /org/mpris")
def _(c):
    m = full(c)
    need("mpris:trackid" in m, "missing")
    v = m["mpris:trackid"]
    need(v.signature == "o", f"type {v.signature}")
    need(re.fullmatch(r"/|(/[A-Za-z0-9_]+)+", v.value), f"invalid path {v.value}")
    need(not v.value.startswith("/org/mpris"), f"{v.value} (reserved prefix)")
    return v.value


@check("C02", "mpris:length is int64 and right to 100 ms")
def _(c):
    m = full(c)
    need("mpris:length" in m, "missing")
    need(m["mpris:length"].signature == "x", f"type {m['mpris:length'].signature}")
    need(abs(m["mpris:length"].value - 20e6) <= 100e3, str(m["mpris:length"].value))
    return str(m["mpris:length"].value)


@check("C03", "mpris:artUrl of an embedded picture is reachable and an image", "should")
def _(c):
    field(c, "mpris:artUrl", None)
    a = c.memo["art", "flac"]
    need(isinstance(a, bytes) and a[:4] in (b"\x89PNG",) or isinstance(a, bytes) and
         a[:3] == b"\xff\xd8\xff", f"{short(full(c)['mpris:artUrl'].value)}: {a}")
    return short(full(c)["mpris:artUrl"].value)


T = fixtures.FULL_TAGS
for _cid, _key, _want, _lvl in (
        ("C04", "xesam:title", T["title"], "must"),
        ("C06", "xesam:album", T["album"], "must"),
        ("C07", "xesam:albumArtist", T["albumartist"], "should"),
        ("C08", "xesam:genre", T["genre"], "should"),
        ("C09", "xesam:trackNumber", 7, "should"),
        ("C10", "xesam:discNumber", 2, "should"),
        ("C12", "xesam:audioBPM", 128, "should"),
        ("C13", "xesam:asText", T["lyrics"], "should"),
        ("C15", "xesam:composer", T["composer"], "should"),
        ("C16", "xesam:comment", [T["comment"]], "should")):
    def _make(key, want):
        return lambda c: field(c, key, want)
    check(_cid, f"{_key}: present, right type and value (FLAC, all tags)", _lvl)(_make(_key, _want))


@check("C05", "xesam:artist: present, right type, the artist in it (FLAC, two artists)")
def _(c):
    v = field(c, "xesam:artist", None)
    need("First Artist" in v, v)
    return v


@check("C11", "xesam:contentCreated is an ISO 8601 date of the file's DATE", "should")
def _(c):
    v = field(c, "xesam:contentCreated", None)
    need(v.startswith("2021"), v)
    need(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d", v), f"{v}: no date-time")
    return v


@check("C14", "xesam:url is a percent-encoded file URI of the file", "should")
def _(c):
    v = field(c, "xesam:url", None)
    need(url_path(v) is not None, v)
    need(os.path.realpath(url_path(v)) == os.path.realpath(os.fsencode(c.idx["formats"]["flac"])), v)
    return v


@check("C18", "title, artist, album and length right in MP3, Ogg, Opus, M4A")
def _(c):
    bad = []
    for ext in ("mp3", "ogg", "opus", "m4a"):
        m = full(c, ext)
        g = lambda k: m[k].value if k in m else None
        if g("xesam:title") != T["title"]:
            bad.append(f"{ext} title {short(g('xesam:title'), 30)}")
        if not any("First Artist" in x for x in g("xesam:artist") or []):
            bad.append(f"{ext} artist {short(g('xesam:artist'), 60)}")
        if g("xesam:album") != T["album"]:
            bad.append(f"{ext} album {g('xesam:album')}")
        if abs((g("mpris:length") or 0) - 20e6) > 100e3:
            bad.append(f"{ext} length {g('mpris:length')}")
    need(not bad, "; ".join(bad))


@check("C25", "two artists are two strings in MP3, Ogg, Opus, M4A too", "should")
def _(c):
    bad = []
    for ext in ("mp3", "ogg", "opus", "m4a"):
        v = full(c, ext).get("xesam:artist")
        if v is None or v.value != T["artist"]:
            bad.append(f"{ext} {short(v.value if v else None, 50)}")
    need(not bad, "; ".join(bad))


@check("C19", "embedded art reachable in MP3, Ogg, Opus, M4A too", "should")
def _(c):
    bad = []
    for ext in ("mp3", "ogg", "opus", "m4a"):
        full(c, ext)
        a = c.memo["art", ext]
        if not (isinstance(a, bytes) and (a[:4] == b"\x89PNG" or a[:3] == b"\xff\xd8\xff")):
            bad.append(f"{ext}: {a}")
    need(not bad, "; ".join(bad))


@check("C20", "an untagged file (WAV) still has trackid and length")
def _(c):
    m = full(c, "wav")
    need("mpris:trackid" in m, "no trackid")
    need(abs((m["mpris:length"].value if "mpris:length" in m else 0) - 20e6) < 100e3, "no length")


def survives_tags(c, path):
    p = c.fresh()
    p.call("OpenUri", "s", uri(path))
    ok = c.wait_current(path, 4)
    c.s.bus.pump(0.3)
    need(p.alive() and c.s.running(), "player or its connection died")
    m = c.meta()
    p.getall()
    need(ok, "does not become current: " + short(m))
    need(p.wait_get("PlaybackStatus", lambda v: v == "Playing", 2) == "Playing", "not playing")
    t = m.get("xesam:title")
    return short([t.value if t else None, m["xesam:artist"].value if "xesam:artist" in m else None])


@check("C17", "every key is of the mpris or xesam name space with its type, or has a prefix of its own")
def _(c):
    bad = []
    for ext in ("flac", "mp3", "ogg", "opus", "m4a", "wav"):
        for k, v in full(c, ext).items():
            if k.startswith(("mpris:", "xesam:")):
                if XESAM.get(k) != v.signature:
                    bad.append(f"{ext} {k} is {v.signature}")
            elif ":" not in k:
                bad.append(f"{ext} {k} has no prefix")
    need(not bad, "; ".join(bad))


@check("C21", "an ID3v1 tag in EUC-KR: the player lives and the title is right", "should")
def _(c):
    survives_tags(c, c.idx["bad"]["euckr"])
    c.p.wait_get("Metadata", lambda m: "xesam:artist" in m, 1)
    t = c.meta().get("xesam:title")
    need(t is not None and t.value == "\ud55c\uae00 \uc81c\ubaa9", short(t))


@check("C22", "a tag of invalid UTF-8: the player stays on the bus and plays")
def _(c):
    return survives_tags(c, c.idx["bad"]["badutf8"])


@check("C23", "cover.jpg beside the file is found", "should")
def _(c):
    p = c.use()
    m = p.wait_get("Metadata", lambda m: "mpris:artUrl" in m, 2)
    need("mpris:artUrl" in m, "no mpris:artUrl")
    a = read_art(m["mpris:artUrl"].value)
    need(isinstance(a, bytes) and a[:3] == b"\xff\xd8\xff", f"{short(m['mpris:artUrl'].value)}: {a}")


@check("C24", "what is not known is left out: no empty text, no empty list, no length of 0", "should")
def _(c):
    bad = [f"{ext} {k}" for ext in ("flac", "mp3", "wav") for k, v in full(c, ext).items()
           if v.value in ("", []) or v.value == [""] or k == "mpris:length" and v.value <= 0]
    need(not bad, ", ".join(bad))


@check("C26", "the same file twice in the queue: two track ids")
def _(c):
    f = c.idx["album"][0]
    p = c.fresh([f, f])
    a = c.trackid()
    p.call("Next")
    p.wait_get("Metadata", lambda m: m["mpris:trackid"].value != a, 2)
    need(c.trackid() != a, "one id for both")
    need(c.is_current(f), short(c.meta()))


@check("C27", "the same URI opened twice: a new track id", "should")
def _(c):
    p, f = c.fresh(), c.idx["formats"]["flac"]
    p.call("OpenUri", "s", uri(f))
    need(c.wait_current(f, 3), "not current")
    a = c.trackid()
    p.call("OpenUri", "s", uri(f))
    p.wait_get("Metadata", lambda m: m["mpris:trackid"].value != a, 2)
    need(c.trackid() != a, "the id stays")


@check("C28", "keys of the track before do not linger")
def _(c):
    p = c.fresh([c.idx["formats"]["flac"], c.idx["formats"]["wav"]])
    p.wait_get("Metadata", lambda m: "xesam:asText" in m, 1)
    p.call("Next")
    need(c.wait_current(c.idx["formats"]["wav"], 3), f"track {c.which()}")
    c.s.bus.pump(0.5)
    left = {"xesam:asText", "xesam:composer", "xesam:album", "xesam:genre"} & set(c.meta())
    need(not left, ", ".join(sorted(left)))


@check("C29", "url and title of a track whose name is not valid UTF-8 are valid text")
def _(c):
    f = c.idx["names"]["latin1"]
    c.fresh([f])
    m = c.meta()
    need(url_path(m["xesam:url"].value) == os.fsencode(f), m["xesam:url"].value)
    need(c.p.alive(), "player gone")
