# SPDX-License-Identifier: Apache-2.0
"""Calls every method, sets and gets every property of every interface with the extremes of their types, many at once.

    extremes.py PROCESS SEED ROUNDS

Whatever comes back must be an answer or an error with a name and a sentence, within the time; the process must live, answer a
read at once, and not grow. Prints what is wrong, and "N passed, N failed".
"""
import os
import random
import sys
import time
import xml.etree.ElementTree as ElementTree

from gi.repository import Gio, GLib

PROCESS, SEED, ROUNDS = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(SEED)
BUS = Gio.bus_get_sync(Gio.BusType.SESSION)
PLACES = [("org.mpris.MediaPlayer2.martlet", "/org/mpris/MediaPlayer2"), ("org.martlet.Martlet", "/org/martlet/Martlet")]
# What ends the process is another test's.
LEFT_OUT = {"Quit"}
ANSWERED_WITHIN = 30_000  # milliseconds; a scan of the root folder is among them
passed = failed = 0


def check(sentence, is_so, what=""):
    global passed, failed
    if is_so:
        passed += 1
    else:
        failed += 1
        print(f"failed: {sentence}: {what}")


def extreme(kind):
    """A value of a type, out of those that go wrong elsewhere."""
    integers = {"y": (0, 8), "n": (1, 16), "q": (0, 16), "i": (1, 32), "u": (0, 32), "x": (1, 64), "t": (0, 64)}
    if kind in integers:
        signed, bits = integers[kind]
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        return GLib.Variant(kind, chance.choice([low, high, 0, 1, 2, max(low, -1), high // 2]))
    if kind == "b":
        return GLib.Variant("b", chance.random() < 0.5)
    if kind == "d":
        return GLib.Variant("d", chance.choice([0.0, -0.0, 1.0, -1.0, 1e308, -1e308, 5e-324, float("nan"), float("inf"), -float("inf")]))
    if kind == "s":
        return GLib.Variant("s", chance.choice([
            "", " ", "a", "x" * 100_000, "\u202e\u0301", "../../etc/passwd", "file:///", "file:///dev/zero", "http://[::1", "%00", "'\";--",
            "all", "title", "tracks", "replace", "-1", "NaN", "year:..", "\"", "ㅂ", "playback.previous", "\U0001f600" * 50]))
    if kind == "o":
        return GLib.Variant("o", chance.choice([
            "/", "/a", "/org/mpris/MediaPlayer2/TrackList/NoTrack", "/org/martlet/Martlet/entry/0", "/org/martlet/Martlet/entry/18446744073709551615",
            "/" + "a" * 5000]))
    if kind == "g":
        return GLib.Variant("g", "")
    if kind == "v":
        return GLib.Variant("v", extreme(chance.choice("ybnqiuxtds")))
    if kind.startswith("a"):
        inside = kind[1:]
        if inside.startswith("{"):
            return GLib.Variant(kind, {}) if kind != "a{sv}" else GLib.Variant(kind, {"x": extreme("i"), "": extreme("s")})
        count = chance.choice([0, 1, 2, 500])
        return GLib.Variant.new_array(GLib.VariantType(inside), [extreme(inside) for _ in range(count)])
    raise ValueError(kind)


def arguments(kinds):
    return GLib.Variant.new_tuple(*[extreme(kind) for kind in kinds])


def members():
    """(destination, path, interface, method, types) of all that can be called, and the properties."""
    methods, properties = [], []
    for name, path in PLACES:
        text = BUS.call_sync(
            name, path, "org.freedesktop.DBus.Introspectable", "Introspect", None, None, Gio.DBusCallFlags.NONE, 5000, None).unpack()[0]
        for interface in ElementTree.fromstring(text).iter("interface"):
            for method in interface.iter("method"):
                if method.get("name") not in LEFT_OUT:
                    kinds = [arg.get("type") for arg in method.iter("arg") if arg.get("direction", "in") == "in"]
                    methods.append((name, path, interface.get("name"), method.get("name"), kinds))
            for entry in interface.iter("property"):
                properties.append((name, path, interface.get("name"), entry.get("name"), entry.get("type"), entry.get("access")))
    return methods, properties


def memory():
    with open(f"/proc/{PROCESS}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def alive():
    begin = time.monotonic()
    try:
        BUS.call_sync(
            *PLACES[0], "org.freedesktop.DBus.Properties", "Get", GLib.Variant("(ss)", ("org.mpris.MediaPlayer2.Player", "Position")), None,
            Gio.DBusCallFlags.NO_AUTO_START, 5000, None)
    except GLib.Error as error:
        return error.message
    took = time.monotonic() - begin
    return None if took < 2 else f"it took {took:.1f} s"


methods, properties = members()
check("there is something to call", len(methods) > 90 and len(properties) > 40, f"{len(methods)} methods, {len(properties)} properties")
waiting = 0


def call(name, path, interface, member, body):
    global waiting
    # The bus lets nobody wait for more than 128 answers.
    while waiting >= 100:
        GLib.MainContext.default().iteration(True)
    waiting += 1

    def answered(_, result):
        global waiting
        waiting -= 1
        try:
            BUS.call_finish(result)
            check("an answer", True)
        except GLib.Error as error:
            kind = Gio.DBusError.get_remote_error(error) or ""
            isFine = kind.startswith(("org.freedesktop.DBus.Error.", "org.martlet.Error.", "org.mpris.")) and kind not in (
                "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.Timeout")
            check("an error has a name that says something", isFine, f"{interface}.{member}: {error.message[:200]}")

    BUS.call(name, path, interface, member, body, None, Gio.DBusCallFlags.NO_AUTO_START, ANSWERED_WITHIN, None, answered)


before = None
for number in range(ROUNDS):
    for name, path, interface, member, kinds in methods:
        call(name, path, interface, member, arguments(kinds) if kinds else None)
        if chance.random() < 0.3:
            # Of other types, or too many of them.
            call(name, path, interface, member, arguments([chance.choice("ysdxo")]))
    for name, path, interface, member, kind, access in properties:
        call(name, path, "org.freedesktop.DBus.Properties", "Get", GLib.Variant("(ss)", (interface, member)))
        call(
            name, path, "org.freedesktop.DBus.Properties", "Set",
            GLib.Variant("(ssv)", (interface, member, extreme(kind if len(kind) == 1 and chance.random() < 0.8 else chance.choice("sdx")))))
    while waiting:
        GLib.MainContext.default().iteration(True)
    problem = alive()
    check(f"seed {SEED}, round {number}: it answers a read at once", problem is None, problem)
    if problem is not None:
        break
    if number == ROUNDS // 2:
        before = memory()
if before is not None and os.path.exists(f"/proc/{PROCESS}"):
    grown = memory() - before
    check("the second half of it takes no memory that the first had not", grown < 16 * 1024, f"{grown} kB more than {before}")
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
