# SPDX-License-Identifier: Apache-2.0
"""What the checks are made of: the catalogue they enter themselves in, and the player under test."""
import os
import re
import subprocess
import urllib.parse
import xml.etree.ElementTree as ET

from dbusc import PATH, PLAYER, DBusError, Timeout, now
from session import Session

CHECKS = []
NOTRACK = "/org/mpris/MediaPlayer2/TrackList/NoTrack"
INTROSPECT = "org.freedesktop.DBus.Introspectable"
PEER = "org.freedesktop.DBus.Peer"

ROOT_PROPS = {"CanQuit": "b", "CanRaise": "b", "HasTrackList": "b", "Identity": "s",
              "SupportedUriSchemes": "as", "SupportedMimeTypes": "as"}
ROOT_OPT = {"Fullscreen": "b", "CanSetFullscreen": "b", "DesktopEntry": "s"}
PLAYER_PROPS = {"PlaybackStatus": "s", "Rate": "d", "Metadata": "a{sv}", "Volume": "d",
                "Position": "x", "MinimumRate": "d", "MaximumRate": "d", "CanGoNext": "b",
                "CanGoPrevious": "b", "CanPlay": "b", "CanPause": "b", "CanSeek": "b",
                "CanControl": "b"}
PLAYER_OPT = {"LoopStatus": "s", "Shuffle": "b"}
ACCESS_RW = {"LoopStatus", "Rate", "Shuffle", "Volume", "Fullscreen"}
PLAYER_METHODS = {"Next": "", "Previous": "", "Pause": "", "PlayPause": "", "Stop": "", "Play": "",
                  "Seek": "x", "SetPosition": "ox", "OpenUri": "s"}
XESAM = {"mpris:trackid": "o", "mpris:length": "x", "mpris:artUrl": "s", "xesam:album": "s",
         "xesam:albumArtist": "as", "xesam:artist": "as", "xesam:asText": "s",
         "xesam:audioBPM": "i", "xesam:autoRating": "d", "xesam:comment": "as",
         "xesam:composer": "as", "xesam:contentCreated": "s", "xesam:discNumber": "i",
         "xesam:firstUsed": "s", "xesam:genre": "as", "xesam:lastUsed": "s",
         "xesam:lyricist": "as", "xesam:title": "s", "xesam:trackNumber": "i", "xesam:url": "s",
         "xesam:useCount": "i", "xesam:userRating": "d"}


class Fail(Exception):
    pass


class NA(Exception):
    pass


def check(cid, title, level="must"):
    def deco(f):
        CHECKS.append((cid, title, level, f))
        return f
    return deco


def need(cond, text):
    if not cond:
        raise Fail(text)


def short(v, n=160):
    s = str(v).replace("\n", "\\n")
    return s if len(s) <= n else s[:n - 1] + "\u2026"


def url_path(u):
    """The path (bytes) a file URI names; None where it is none."""
    if u.startswith("file://"):
        return urllib.parse.unquote_to_bytes(u[7:].split("#")[0].split("?")[0])
    return None


class Ctx:
    """The player under test and ways to bring it where a check wants it."""

    def __init__(self, adapter, idx, keep=False, verbose=False, seed=1):
        self.a, self.idx, self.keep, self.verbose, self.seed = adapter, idx, keep, verbose, seed
        self.s = self.files = None
        self.memo = {}
        self.position_signals = 0
        self.order = {}
        self.launches = self.failed_launches = 0
        self.titles = {}

    @property
    def p(self):
        return self.s.p

    def down(self):
        if self.s:
            try:
                self.position_signals += sum(1 for _, _, ch, inv in self.p.changes(0)
                                             if "Position" in ch or "Position" in inv)
            except Exception:
                pass
            self.s.close()
            self.s = None

    def fresh(self, files=None, play=True):
        """A new session with the player playing `files` (default: the album)."""
        self.down()
        files = self.idx["album"] if files is None else files
        self.files = files
        self.launches += 1
        for attempt in (1, 2):
            self.s = Session(self.a, keep=self.keep)
            try:
                self.s.launch(files)
                break
            except (Timeout, OSError):
                self.failed_launches += 1
                self.s.close()
                self.s = None
                if attempt == 2:
                    raise
        if play and files:
            self.playing()
        return self.p

    def playing(self):
        p = self.p
        p.wait_get("PlaybackStatus", lambda v: v == "Playing", 2.0)
        if p.get("PlaybackStatus") != "Playing":
            p.call("Play")
            if p.wait_get("PlaybackStatus", lambda v: v == "Playing", 4.0) != "Playing":
                raise Fail("setup: the player does not play")
        # wait until it really moves
        a = p.get("Position")
        p.wait_get("Position", lambda v: v > max(a, 0), 3.0)
        self.s.bus.pump(0.1)

    def use(self, files=None):
        """The running player if it plays this list and is well, else a fresh one."""
        files = self.idx["album"] if files is None else files
        if self.s and self.files == files and self.s.running() and self.p.alive():
            try:
                if self.p.get("PlaybackStatus") == "Playing" and self.p.get("Position") < 18e6 \
                        and any(self.is_current(f) for f in files[:4]):
                    return self.p
            except (DBusError, Timeout, KeyError):
                pass
        return self.fresh(files)

    def title(self, path):
        if path not in self.titles:
            import mutagen
            try:
                t = mutagen.File(path, easy=True)
                self.titles[path] = (t.get("title") or [None])[0] if t is not None else None
            except Exception:
                self.titles[path] = None
        return self.titles[path]

    def meta(self):
        return self.p.get("Metadata")

    def is_current(self, path, meta=None):
        m = self.meta() if meta is None else meta
        u = m.get("xesam:url")
        if u is not None and isinstance(u.value, str):
            q = url_path(u.value)
            if q is None and u.value.startswith("/"):
                q = os.fsencode(u.value)
            if q is not None:
                return os.path.realpath(q) == os.path.realpath(os.fsencode(path))
        t = m.get("xesam:title")
        return bool(t and self.title(path) and t.value == self.title(path))

    def which(self, files=None):
        m = self.meta()
        for i, f in enumerate(self.files if files is None else files):
            if self.is_current(f, m):
                return i
        return None

    def wait_current(self, path, timeout=4.0):
        def ok():
            try:
                return self.is_current(path)
            except DBusError:
                return False
        end = now() + timeout
        while not ok():
            if now() > end:
                return False
            self.s.bus.pump(0.03)
        return True

    def at(self, files, i):
        """A fresh player playing files[i] of files."""
        p = self.fresh(files)
        for _ in range(len(files)):
            w = self.which()
            if w == i:
                return p
            p.call("Next")
            self.s.bus.pump(0.2)
            if w is not None and w + 1 < len(files):
                self.wait_current(files[w + 1], 2.0)
        if self.which() == i:
            return p
        raise Fail(f"setup: cannot reach track {i + 1} of {len(files)} by Next")

    def has(self, prop, iface=PLAYER):
        key = ("has", prop, iface)
        if key not in self.memo:
            try:
                self.memo[key] = prop in self.p.getall(iface)
            except DBusError:
                self.memo[key] = False
        return self.memo[key]

    def need_prop(self, prop, iface=PLAYER):
        if not self.has(prop, iface):
            raise NA(f"no {prop}")

    def loop(self, value):
        """Set LoopStatus; n/a where the player has none."""
        self.need_prop("LoopStatus")
        self.p.set("LoopStatus", "s", value)
        got = self.p.wait_get("LoopStatus", lambda v: v == value, 1.5)
        need(got == value, f"LoopStatus stays {got} after setting {value}")

    def pos(self):
        return self.p.get("Position") / 1e6

    def trackid(self):
        v = self.meta().get("mpris:trackid")
        need(v is not None, "no mpris:trackid")
        return v.value

    def seek_to(self, seconds):
        """Bring the position near `seconds` (by SetPosition or Seek)."""
        self.p.call("Seek", "x", int((seconds - self.pos()) * 1e6))
        self.p.wait_get("Position", lambda v: abs(v / 1e6 - seconds) < 1.3, 1.5)

    def steady(self, seconds=0.4):
        self.s.bus.pump(seconds)
        return self.p.mark()

    def xml(self):
        if "xml" not in self.memo:
            x = self.s.bus.call(self.p.name, PATH, INTROSPECT, "Introspect").body[0]
            self.memo["xml"] = ET.fromstring(re.sub(r"<!DOCTYPE[^>]*>", "", x))
        return self.memo["xml"]

    def iface(self, name):
        for i in self.xml().findall("interface"):
            if i.get("name") == name:
                return i
        return None

    def ctl(self, *args, timeout=5):
        suffix = self.p.name[len("org.mpris.MediaPlayer2."):]
        r = subprocess.run(["playerctl", "-p", suffix, *args], env=self.s.env, timeout=timeout,
                           capture_output=True)
        return r.returncode, r.stdout.decode("utf-8", "replace").rstrip("\n"), \
            r.stderr.decode("utf-8", "replace").strip()


def sig_of(elem, direction="in"):
    return "".join(a.get("type") for a in elem.findall("arg")
                   if a.get("direction", "in" if elem.tag == "method" else "out") == direction)


def stops(c, timeout):
    """Wait for Stopped, and see that it lasts (some players pass through Stopped between tracks)."""
    end = now() + timeout
    v = None
    while now() < end:
        v = c.p.wait_get("PlaybackStatus", lambda v: v == "Stopped", max(0.05, end - now()))
        if v == "Stopped":
            c.s.bus.pump(0.8)
            v = c.p.get("PlaybackStatus")
            if v == "Stopped":
                return v
    return v


def expect_error(fn):
    """fn must end in a D-Bus error; returns its name."""
    try:
        fn()
    except DBusError as e:
        return e.name
    raise Fail("no error")
