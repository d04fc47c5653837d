# SPDX-License-Identifier: Apache-2.0
"""Group K: what must hold after any sequence of calls.

One random walk (its seed is in the summary and in every detail) of batches of calls in flight; after each
batch the bus is left to become quiet, and nine invariants are held against what a client has seen and what
Get says.  Each invariant is a check of its own; what it found is kept by number.
"""
import os
import random
import re

from checker import NOTRACK, Fail, check, need, short
from dbusc import PATH, PLAYER, PROPS, ROOT, TRACKLIST, DBusError, Timeout, Variant, now
from checks.transport import plain
from players import uri

BATCHES = 60
VALID_PATH = re.compile(r"/|(/[A-Za-z0-9_]+)+")
# What a Set outside the range may announce though it stays: the value that really holds.
ADJUSTED = {"Volume", "Rate"}


class Walk:
    def __init__(self, c):
        self.c, self.p, self.bus = c, c.p, c.s.bus
        self.rng = random.Random(c.seed)
        self.wrong = {n: [] for n in range(1, 10)}
        self.took, self.lately, self.ids = [], [], set()
        self.lists = self.p.get("HasTrackList", ROOT) and self.p.get("CanEditTracks", TRACKLIST)
        self.owner = self.bus.owner(self.p.name)
        self.mark = self.p.mark()
        self.told = {k: plain(v.value) for k, v in self.p.getall().items()}
        self.adjusting = set()

    def find(self, number, text):
        self.wrong[number].append(f"{text} after {' '.join(self.lately[-6:])}")

    # -- calls
    def operation(self):
        """(what to call it, interface, member, signature, body)"""
        r, c = self.rng, self.c
        files = c.idx["short"] + c.idx["album"][:3]
        kind = r.randrange(100)
        if kind < 45:
            verb = r.choice("Play Pause PlayPause Stop Next Previous Next PlayPause Play".split())
            return verb, PLAYER, verb, "", []
        if kind < 57:
            x = r.choice((r.randrange(-9_000_000, 9_000_000), 2**62, -2**62))
            return f"Seek({x})", PLAYER, "Seek", "x", [x]
        if kind < 69:
            track = r.choice([self.current(), self.current(), "/no/such", NOTRACK])
            x = r.choice((r.randrange(0, 30_000_000), -1, 2**60))
            return f"SetPosition({track},{x})", PLAYER, "SetPosition", "ox", [track, x]
        if kind < 90:
            name, value = r.choice((
                ("Volume", Variant("d", r.choice((0.0, 0.3, 1.0, -2.0, 7.0)))),
                ("LoopStatus", Variant("s", r.choice(("None", "Track", "Playlist", "Foo")))),
                ("Shuffle", Variant("b", r.random() < 0.5)), ("Rate", Variant("d", r.choice((1.0, 1.5, 0.1, 9.0, 0.0)))),
                ("Position", Variant("x", 5))))
            return f"{name}={value.value}", PROPS, "Set", "ssv", [PLAYER, name, value]
        if kind < 94 or not self.lists:
            u = r.choice([uri(r.choice(files)), uri(c.idx["bad"]["text"]), "nosuch://a/b", "file:///no/such.flac"])
            return "OpenUri(" + os.path.basename(u) + ")", PLAYER, "OpenUri", "s", [u]
        tracks = self.p.get("Tracks", TRACKLIST) + ["/no/such"]
        if kind < 97 or len(tracks) < 4:
            body = [uri(r.choice(files)), r.choice(tracks + [NOTRACK]), r.random() < 0.2]
            return "AddTrack", TRACKLIST, "AddTrack", "sob", body
        member = r.choice(("RemoveTrack", "GoTo"))
        return member, TRACKLIST, member, "o", [r.choice(tracks)]

    def current(self):
        t = self.p.get("Metadata").get("mpris:trackid")
        return t.value if t is not None else NOTRACK

    def batch(self):
        sent = []
        for _ in range(self.rng.randrange(1, 5)):
            what, iface, member, sig, body = self.operation()
            self.lately.append(what)
            if member == "Set" and body[1] in ADJUSTED:
                self.adjusting.add(body[1])
            sent.append((now(), what, self.bus.send(self.p.name, PATH, iface, member, sig, body)))
        for t, what, serial in sent:
            try:
                self.bus.wait_reply(serial, 5)
            except DBusError:
                pass
            except Timeout:
                self.find(7, f"{what} is not answered in 5 s")
            self.took.append(now() - t)

    def quiet(self):
        """Until nothing came for 0.25 s, or for 2 s: tracks end by themselves too."""
        end, seen = now() + 2, -1
        while now() < end and seen != len(self.bus.log):
            seen = len(self.bus.log)
            self.bus.pump(0.25)

    # -- what must hold
    def follow(self):
        """Apply what was announced; announcements without a difference, or of what may not be announced."""
        for _, _, changed, gone in self.p.changes(self.mark):
            for name in {"Position", "CanControl"} & {*changed, *gone}:
                self.find(5, f"{name} announced")
            for name, v in changed.items():
                if plain(v.value) == self.told.get(name) and name not in self.adjusting:
                    self.find(5, f"{name} announced though it stays {short(v.value, 40)}")
                self.told[name] = plain(v.value)
            for name in gone:
                self.told.pop(name, None)
        self.mark = len(self.bus.log)
        self.adjusting.clear()

    def agree(self):
        """Names whose value differs between what was told, GetAll and Get."""
        every = self.p.getall()
        self.follow()
        bad = [n for n, v in every.items() if n not in ("Position", "CanControl") and n in self.told
               and self.told[n] != plain(v.value)]
        one = self.rng.choice([n for n in every if n != "Position"])
        if plain(self.p.getv(one).value) != plain(every[one].value):
            bad.append(one + " by Get")
        return every, bad

    def look(self):
        every, bad = self.agree()
        if bad:                 # a track may have ended in between
            self.quiet()
            every, bad = self.agree()
        for name in bad:
            self.find(1, f"{name}: told {short(self.told.get(name.split()[0]), 60)}, reads {short(every.get(name), 60)}")
        v = {k: x.value for k, x in every.items()}
        length = v["Metadata"].get("mpris:length")
        if v["PlaybackStatus"] not in ("Playing", "Paused", "Stopped") or v.get("LoopStatus", "None") not in (
                "None", "Track", "Playlist"):
            self.find(2, f"status {v['PlaybackStatus']}, loop {v.get('LoopStatus')}")
        if not (v["MinimumRate"] <= v["Rate"] <= v["MaximumRate"] and v["Rate"] > 0 and v["Volume"] >= 0):
            self.find(2, f"rate {v['Rate']}, volume {v['Volume']}")
        if v["Position"] < 0 or length is not None and v["Position"] > length.value:
            self.find(2, f"position {v['Position']} of {length}")
        track = v["Metadata"].get("mpris:trackid")
        if track is not None:
            self.ids.add(track.value)
            if self.lists and track.value != NOTRACK and track.value not in self.p.get("Tracks", TRACKLIST) \
                    and track.value == self.current():
                self.find(3, f"{track.value} is not in Tracks")
        self.probe(v)

    def probe(self, v):
        """A refused verb does nothing; the current id is taken by SetPosition, exactly one Seeked."""
        p, mark = self.p, self.p.mark()
        before = self.current(), p.get("PlaybackStatus")
        for flag, verb in (("CanGoNext", "Next"), ("CanGoPrevious", "Previous")):
            if not v[flag] and v["PlaybackStatus"] != "Playing":        # playing, it may end by itself
                self.lately.append("refused " + verb)
                try:
                    p.call(verb)
                except DBusError:
                    pass
                if (self.current(), p.get("PlaybackStatus")) != before:
                    self.find(6, f"{verb} though {flag} is false: {before} became {self.current()}")
        if v["PlaybackStatus"] != "Paused" or not v["CanSeek"]:
            return
        for track, x, n in ((before[0], -5, 0), ("/no/such", 1_000_000, 0), (before[0], 1_500_000, 1)):
            mark = p.mark()
            try:
                p.call("SetPosition", "ox", track, x)
            except DBusError:
                pass
            p.wait(lambda: len(p.seeked(mark)) >= 1, 1.0 if n else 0.1)
            self.bus.pump(0.1)
            if len(p.seeked(mark)) != n:
                self.find(4, f"{len(p.seeked(mark))} Seeked for SetPosition({track},{x})")
            if n and abs(p.get("Position") - x) > 300_000:
                self.find(3, f"SetPosition({track},{x}) leaves {p.get('Position')}")

    def paths(self):
        if self.lists:
            self.ids |= set(self.p.get("Tracks", TRACKLIST))
        for i in self.ids:
            if not VALID_PATH.fullmatch(i) or i.startswith("/org/mpris") and i != NOTRACK:
                self.find(8, f"track id {i}")

    def go(self):
        for _ in range(BATCHES):
            self.batch()
            self.quiet()
            self.look()
        self.paths()
        if not (self.c.s.running() and self.bus.owner(self.p.name) == self.owner is not None):
            self.find(9, "the name is not owned by the connection it began with")
        self.took.sort()
        worst, most = self.took[-1], self.took[len(self.took) * 95 // 100]
        if worst > 1 or most > 0.1:
            self.find(7, f"95 % in {most * 1e3:.0f} ms, worst {worst * 1e3:.0f} ms")
        return self


def walked(c, number):
    if "walk" not in c.memo:
        c.fresh(c.idx["short"] + c.idx["album"][:3])
        w = Walk(c)
        try:
            w.go()
        except (DBusError, Timeout) as e:
            w.find(9, f"{short(e, 80)}; player {'lives' if c.s.running() else 'gone'}")
        c.files = None
        c.memo["walk"] = w
    w = c.memo["walk"]
    need(not w.wrong[number], f"seed {c.seed}, {len(w.wrong[number])} times: {w.wrong[number][0] if w.wrong[number] else ''}")
    # What a walk that ended early did not find, it did not look for.
    if number != 9 and w.wrong[9]:
        raise Fail(f"seed {c.seed}: the walk ended early: {w.wrong[9][0]}")
    return f"seed {c.seed}, {len(w.lately)} calls"


for _n, _t, _l in (
        (1, "what was announced, Get and GetAll agree", "must"),
        (2, "status, loop, rate, volume and position stay in their ranges", "must"),
        (3, "the current track id is in Tracks, and SetPosition takes it", "must"),
        (4, "one Seeked for a seek, none for a refused one", "should"),
        (5, "nothing is announced that did not change, never Position or CanControl", "should"),
        (6, "Can... false: the verb changes nothing", "should"),
        (7, "95 of 100 calls are answered in 100 ms, each in a second", "should"),
        (8, "track ids are valid paths outside /org/mpris", "must"),
        (9, "the name stays with its connection to the end", "must")):
    def _made(number):
        return lambda c: walked(c, number)
    check(f"K{_n:02}", f"random calls: {_t}", _l)(_made(_n))
