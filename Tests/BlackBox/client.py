#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A client of martletd that does what no good client does.

client.py moves COUNT    Next, PlayPause and Seek as fast as 20 unanswered ones allow; every one must be answered without error
client.py odd COUNT      messages that are wrong in a known way; each must get the error it deserves, or no answer if none is due
client.py slowest COUNT  reads one after another; prints the longest wait in milliseconds
"""
import random
import sys
import time

from gi.repository import Gio, GLib

BUS = Gio.bus_get_sync(Gio.BusType.SESSION)
MPRIS = ("org.mpris.MediaPlayer2.martlet", "/org/mpris/MediaPlayer2")
MARTLET = ("org.martlet.Martlet", "/org/martlet/Martlet")
PLAYER = "org.mpris.MediaPlayer2.Player"
PROPERTIES = "org.freedesktop.DBus.Properties"
IN_FLIGHT = 20
LIMIT = 120  # seconds for all of it

INVALID = {"org.freedesktop.DBus.Error.InvalidArgs"}
METHOD = {"org.freedesktop.DBus.Error.UnknownMethod"}
INTERFACE = {"org.freedesktop.DBus.Error.UnknownInterface", "org.freedesktop.DBus.Error.UnknownMethod"}
OBJECT = {"org.freedesktop.DBus.Error.UnknownObject"}
PROPERTY = {"org.freedesktop.DBus.Error.UnknownProperty"}
READ_ONLY = {"org.freedesktop.DBus.Error.PropertyReadOnly"}
FINE = {""}
NO_ANSWER = None


def call(where, interface, member, body=None):
    message = Gio.DBusMessage.new_method_call(where[0], where[1], interface, member)
    if body is not None:
        message.set_body(body)
    return message


def run(messages):
    """Sends (what, message, errors that may come) with a few in flight; returns what went otherwise."""
    loop = GLib.MainLoop()
    source = iter(messages)
    state = {"open": 0, "done": False}
    complaints = []

    def answered(_bus, result, what, errors):
        state["open"] -= 1
        try:
            reply = BUS.send_message_with_reply_finish(result)
            name = reply.get_error_name() or ""
        except GLib.Error as error:
            name = f"no answer: {error.message}"
        if name not in errors:
            complaints.append(f"{what}: {name or 'accepted'}")
        more()

    def more():
        while state["open"] < IN_FLIGHT and not state["done"]:
            try:
                what, message, errors = next(source)
            except StopIteration:
                state["done"] = True
                break
            if errors is NO_ANSWER:
                BUS.send_message(message, Gio.DBusSendMessageFlags.NONE)
                continue
            state["open"] += 1
            BUS.send_message_with_reply(
                message, Gio.DBusSendMessageFlags.NONE, 30_000, None,
                lambda bus, result, data=(what, errors): answered(bus, result, *data))
        if state["done"] and state["open"] == 0:
            loop.quit()

    GLib.timeout_add_seconds(LIMIT, lambda: complaints.append("out of time") or loop.quit())
    more()
    if state["open"]:
        loop.run()
    return complaints


def moves(count):
    for number in range(count):
        kind = number % 3
        if kind == 0:
            yield "Next", call(MPRIS, PLAYER, "Next"), FINE
        elif kind == 1:
            yield "PlayPause", call(MPRIS, PLAYER, "PlayPause"), FINE
        else:
            offset = random.randrange(-5_000_000, 5_000_000)
            yield "Seek", call(MPRIS, PLAYER, "Seek", GLib.Variant("(x)", (offset,))), FINE


def nested_variant(depth):
    value = GLib.Variant("d", 0.5)
    for _ in range(depth):
        value = GLib.Variant("v", value)
    return value


def nested_array(depth):
    return GLib.Variant.parse(GLib.VariantType("a" * depth + "i"), "[" * depth + "1" + "]" * depth, None, None)


def set_property(name, value, interface=PLAYER):
    return call(MPRIS, PROPERTIES, "Set", GLib.Variant("(ssv)", (interface, name, value)))


def tuple_of(value):
    return GLib.Variant.new_tuple(value)


def odd():
    """One message of each kind, for ever."""
    big = "x" * 30_000
    while True:
        yield "unknown method", call(MPRIS, PLAYER, "Explode"), METHOD
        yield "unknown interface", call(MPRIS, "com.example.None", "Next"), INTERFACE
        yield "unknown object", call((MPRIS[0], "/com/example/none"), PLAYER, "Next"), OBJECT | METHOD | INTERFACE
        yield "no interface", call(MPRIS, None, "Pause"), FINE | METHOD
        yield "a method of the other object", call(MARTLET, PLAYER, "Next"), INTERFACE
        for signature, value in (("(s)", ("1",)), ("(xx)", (1, 2)), ("(d)", (1.0,)), ("(i)", (1,)), ("(u)", (1,))):
            yield f"Seek {signature}", call(MPRIS, PLAYER, "Seek", GLib.Variant(signature, value)), INVALID
        yield "Seek without arguments", call(MPRIS, PLAYER, "Seek"), INVALID
        yield "Next with an argument", call(MPRIS, PLAYER, "Next", GLib.Variant("(s)", ("now",))), INVALID
        yield "Seek with an array", call(MPRIS, PLAYER, "Seek", GLib.Variant("(ax)", ([7] * 2_000,))), INVALID
        yield "Seek with deep arrays", call(MPRIS, PLAYER, "Seek", tuple_of(nested_array(31))), INVALID
        yield "Seek with deep variants", call(MPRIS, PLAYER, "Seek", tuple_of(nested_variant(60))), INVALID
        yield "SetPosition with text", call(MPRIS, PLAYER, "SetPosition", GLib.Variant("(sx)", ("/a", 1))), INVALID
        yield "SetPosition elsewhere", call(MPRIS, PLAYER, "SetPosition", GLib.Variant("(ox)", ("/a", 1))), FINE | INVALID
        yield "SetPosition far", call(MPRIS, PLAYER, "SetPosition", GLib.Variant("(ox)", ("/a", -(2**63)))), FINE | INVALID
        yield "OpenUri with bytes", call(MPRIS, PLAYER, "OpenUri", GLib.Variant("(ay)", (b"file:///a",))), INVALID
        yield "Get of nothing", call(MPRIS, PROPERTIES, "Get"), INVALID
        yield "Get of an unknown property", call(MPRIS, PROPERTIES, "Get", GLib.Variant("(ss)", (PLAYER, "Mood"))), PROPERTY
        yield "Get of a long name", call(MPRIS, PROPERTIES, "Get", GLib.Variant("(ss)", (PLAYER, big))), PROPERTY
        yield "GetAll of an unknown interface", call(MPRIS, PROPERTIES, "GetAll", GLib.Variant("(s)", (big,))), INTERFACE | INVALID
        yield "Volume as deep variants", set_property("Volume", nested_variant(50)), INVALID
        yield "Volume as deep arrays", set_property("Volume", nested_array(30)), INVALID
        yield "Volume as long text", set_property("Volume", GLib.Variant("s", big)), INVALID
        yield "Volume not a number", set_property("Volume", GLib.Variant("d", float("nan"))), INVALID
        yield "Rate infinite", set_property("Rate", GLib.Variant("d", float("inf"))), INVALID
        yield "Rate below nothing", set_property("Rate", GLib.Variant("d", -1.0)), INVALID
        yield "LoopStatus empty", set_property("LoopStatus", GLib.Variant("s", "")), INVALID
        yield "LoopStatus long", set_property("LoopStatus", GLib.Variant("s", big)), INVALID
        yield "Shuffle as bytes", set_property("Shuffle", GLib.Variant("ay", bytes(1_000))), INVALID
        yield "Position written", set_property("Position", GLib.Variant("x", 1)), READ_ONLY
        yield "Metadata written", set_property("Metadata", GLib.Variant("a{sv}", {})), READ_ONLY
        yield "a property of no interface", set_property("Volume", GLib.Variant("d", 1.0), "com.example.None"), INTERFACE | INVALID
        yield "SetConfig unknown", call(MARTLET, "org.martlet.Player1", "SetConfig", GLib.Variant("(ss)", (big, big))), INVALID
        yield "OpenFiles in no mode", call(
            MARTLET, "org.martlet.Player1", "OpenFiles", GLib.Variant("(aayays)", ([b"a"] * 50, b"/", "up"))), INVALID
        yield "OpenFiles of nothing", call(
            MARTLET, "org.martlet.Player1", "OpenFiles", GLib.Variant("(aayays)", ([], b"", "append"))), FINE
        yield "OpenFiles of a nought", call(
            MARTLET, "org.martlet.Player1", "OpenFiles", GLib.Variant("(aayays)", ([b"a\0b", b""], b"/\0", "append"))), FINE

        backwards = call(MPRIS, PLAYER, "Seek", GLib.Variant("(s)", ("big endian",)))
        backwards.set_byte_order(Gio.DBusMessageByteOrder.BIG_ENDIAN)
        yield "the other byte order", backwards, INVALID
        silent = call(MPRIS, PLAYER, "Explode")
        silent.set_flags(Gio.DBusMessageFlags.NO_REPLY_EXPECTED)
        yield "an error nobody wants", silent, NO_ANSWER
        signal = Gio.DBusMessage.new_signal("/com/example", "com.example.Odd", "Happened")
        signal.set_destination(MPRIS[0])
        signal.set_body(tuple_of(nested_variant(40)))
        yield "a signal to it alone", signal, NO_ANSWER
        stray = call(MPRIS, PLAYER, "Next")
        stray.set_message_type(Gio.DBusMessageType.METHOD_RETURN)
        stray.set_reply_serial(random.randrange(1, 2**32 - 1))
        yield "an answer to no question", stray, NO_ANSWER
        with_file = call(MPRIS, PLAYER, "Seek", GLib.Variant("(h)", (0,)))
        files = Gio.UnixFDList.new()
        files.append(0)
        with_file.set_unix_fd_list(files)
        yield "Seek with a file", with_file, INVALID


def first(count, items):
    for _, item in zip(range(count), items):
        yield item


def slowest(count):
    worst = 0.0
    for _ in range(count):
        start = time.monotonic()
        BUS.call_sync(*MPRIS, PROPERTIES, "GetAll", GLib.Variant("(s)", (PLAYER,)), None, Gio.DBusCallFlags.NONE, 30_000, None)
        worst = max(worst, time.monotonic() - start)
    print(int(worst * 1000))


def main():
    random.seed(1)
    order, count = sys.argv[1], int(sys.argv[2])
    if order == "slowest":
        return slowest(count)
    complaints = run(moves(count) if order == "moves" else first(count, odd()))
    for line in sorted(set(complaints))[:20]:
        print(f"{complaints.count(line)}x {line}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
