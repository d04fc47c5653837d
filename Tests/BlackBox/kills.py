#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Kills martletd -9 at random moments of random commands, and looks at what the next one brings back.

kills.py PROGRAM ROUNDS SEED FILE...

After every command the state is noted. What a restart brings back must be one of the states of the last five seconds
before the kill, Playing read as Paused, the position no more than those seconds and a start behind.
"""
import os
import random
import signal
import subprocess
import sys
import time

from gi.repository import Gio, GLib

PROGRAM, ROUNDS, SEED, FILES = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
BUS = Gio.bus_get_sync(Gio.BusType.SESSION)
NAME, PATH = "org.mpris.MediaPlayer2.martlet", "/org/mpris/MediaPlayer2"
PLAYER, TRACKS = "org.mpris.MediaPlayer2.Player", "org.mpris.MediaPlayer2.TrackList"
KEPT = 5.0  # seconds that may be lost
SHORT = 3.0  # seconds that the short track lasts
chance = random.Random(SEED)


def call(interface, member, *arguments, name=NAME, path=PATH):
    body = GLib.Variant.new_tuple(*arguments) if arguments else None
    return BUS.call_sync(name, path, interface, member, body, None, Gio.DBusCallFlags.NO_AUTO_START, 10_000, None).unpack()


def everything(interface):
    return call("org.freedesktop.DBus.Properties", "GetAll", GLib.Variant("s", interface))[0]


def put(name, value):
    call("org.freedesktop.DBus.Properties", "Set", GLib.Variant("s", PLAYER), GLib.Variant("s", name), GLib.Variant("v", value))


def state():
    """What must survive, and the position."""
    player, tracks = everything(PLAYER), everything(TRACKS)["Tracks"]
    status = {"Playing": "Paused"}.get(player["PlaybackStatus"], player["PlaybackStatus"])
    current = player["Metadata"]["mpris:trackid"]
    urls = [entry.get("xesam:url") for entry in call(TRACKS, "GetTracksMetadata", GLib.Variant("ao", tracks))[0]]
    kept = (tuple(tracks), tuple(urls), current, status, player["LoopStatus"], player["Shuffle"])
    return kept, {"volume": round(player["Volume"], 4), "rate": player["Rate"]}, player["Position"] / 1e6


def difference(kept, known):
    """Which parts are others, in few words: a queue is long."""
    parts = zip(("entries", "places", "current", "status", "loop", "shuffle"), kept, known)
    return ", ".join(
        f"{name} ({len(one)} and {len(other)})" if isinstance(one, tuple) else f"{name} {one}, was {other}"
        for name, one, other in parts if one != other)


def start():
    process = subprocess.Popen(
        [PROGRAM, "--sink", "null", "--log-level", "error"], stdin=subprocess.DEVNULL, start_new_session=True)
    end = time.monotonic() + 20
    while time.monotonic() < end:
        names = BUS.call_sync(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ListNames", None, None, 0, 5000, None)
        if NAME in names.unpack()[0]:
            return process
        time.sleep(0.005)
    sys.exit("the player did not start")


def gone(process):
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    while BUS.call_sync(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner", GLib.Variant("(s)", (NAME,)),
        None, 0, 5000, None).unpack()[0]:
        time.sleep(0.002)


def some_file():
    return GLib.Variant("s", GLib.filename_to_uri(chance.choice(FILES), None))


def one_command():
    tracks = everything(TRACKS)["Tracks"]
    after = GLib.Variant("o", chance.choice(tracks + ["/org/mpris/MediaPlayer2/TrackList/NoTrack"]))
    kind = chance.randrange(14)
    if kind <= 3 or not tracks:
        call(TRACKS, "AddTrack", some_file(), after, GLib.Variant("b", chance.random() < 0.3))
    elif kind == 4 and len(tracks) > 3:
        call(TRACKS, "RemoveTrack", GLib.Variant("o", chance.choice(tracks)))
    elif kind == 5:
        call(TRACKS, "GoTo", GLib.Variant("o", chance.choice(tracks)))
    elif kind == 6:
        put("LoopStatus", GLib.Variant("s", chance.choice(["None", "Track", "Playlist"])))
    elif kind == 7:
        put("Shuffle", GLib.Variant("b", chance.random() < 0.5))
    elif kind == 8:
        put("Volume", GLib.Variant("d", chance.randrange(11) / 10))
    elif kind == 9:
        put("Rate", GLib.Variant("d", chance.choice([0.5, 1.0, 1.5, 2.0])))
    elif kind == 10:
        call(PLAYER, "Seek", GLib.Variant("x", chance.randrange(-3, 4) * 1_000_000))
    else:
        call(PLAYER, chance.choice(["Play", "Pause", "PlayPause", "Stop", "Next", "Previous"]))


def close_to(position, other, since):
    """Whether what was at `position` may come back at `other`."""
    # In its last second the short track begins anew (F188).
    if other == 0 and position <= SHORT and position + 2 * since >= SHORT - 1:
        return True
    # Played on at up to twice the speed, or fell back to what was written up to KEPT before.
    return -2 * since - 0.3 <= other - position <= 2 * (KEPT + 1)


faults = 0
process = start()
for number in range(ROUNDS):
    noted = []
    first = state()
    noted.append((time.monotonic(), *first))
    for _ in range(chance.randrange(1, 9)):
        one_command()
        noted.append((time.monotonic(), *state()))
    deadline = time.monotonic() + chance.random() * 0.6
    while time.monotonic() < deadline:
        time.sleep(0.01)
        # The end of a short track may come in between.
        noted.append((time.monotonic(), *state()))
    if chance.random() < 0.5:
        # In the middle of something: what comes of the last one is not waited for.
        BUS.call(NAME, PATH, PLAYER, "Next", None, None, Gio.DBusCallFlags.NO_AUTO_START, 1000, None, None)
        noted.append(None)
    killed = time.monotonic()
    gone(process)
    process = start()
    kept, levels, position = state()
    recent = [note for note in noted if note and killed - note[0] <= KEPT] or [noted[0]]
    same = [note for note in recent if note[1] == kept]
    unknown_end = noted[-1] is None and same == [] and any(
        note[1][:2] == kept[:2] and note[1][3:] == kept[3:] for note in recent)
    if not unknown_end and not same:
        faults += 1
        print(f"failed: seed {SEED}, round {number}: came back with {difference(kept, recent[-1][1])}")
    elif same and not any(close_to(note[3], position, killed - note[0]) for note in same):
        faults += 1
        print(f"failed: seed {SEED}, round {number}: at {position:.2f} s, was at {[round(note[3], 2) for note in same]}")
    elif same:
        # Of all of them: the end of a short track may fall between a command and the look at what it did.
        for name, level in levels.items():
            known = {note[2][name] for note in recent}
            if level not in known:
                faults += 1
                print(f"failed: seed {SEED}, round {number}: {name} {level}, was {sorted(known)}")
gone(process)
print(f"seed {SEED}: {ROUNDS - faults} passed, {faults} failed")
sys.exit(faults != 0)
