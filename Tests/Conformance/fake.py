#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Players that are none, to see the checker fail: fake.py silent|deaf.

silent  owns its name and answers nothing
deaf    answers every read as if it played, and does nothing it is told to
"""
import os
import sys

from dbus_fast import Message, Variant

from dbusc import PATH, PLAYER, PROPS, ROOT, Bus, now

START = now()
TRACK = {"mpris:trackid": Variant("o", "/fake/1"), "mpris:length": Variant("x", 30_000_000),
         "xesam:title": Variant("s", "Album Track 01")}


def properties(iface):
    if iface == ROOT:
        return {"CanQuit": Variant("b", True), "CanRaise": Variant("b", False), "HasTrackList": Variant("b", False),
                "Identity": Variant("s", "Fake"), "SupportedUriSchemes": Variant("as", ["file"]),
                "SupportedMimeTypes": Variant("as", ["audio/flac"])}
    if iface != PLAYER:
        return None
    yes = {n: Variant("b", True) for n in "CanGoNext CanGoPrevious CanPlay CanPause CanSeek CanControl Shuffle".split()}
    return {**yes, "PlaybackStatus": Variant("s", "Playing"), "LoopStatus": Variant("s", "None"),
            "Metadata": Variant("a{sv}", TRACK), "Position": Variant("x", int((now() - START) * 1e6) % 30_000_000),
            **{n: Variant("d", 1.0) for n in "Rate MinimumRate MaximumRate Volume".split()}}


def answer(call):
    if call.interface == PROPS and call.path == PATH and call.body:
        known = properties(call.body[0])
        if known is not None and call.member == "GetAll":
            return Message.new_method_return(call, "a{sv}", [known])
        if known is not None and call.member == "Get" and call.body[1] in known:
            return Message.new_method_return(call, "v", [known[call.body[1]]])
        if call.member == "Set" or known is None:
            return Message.new_error(call, "org.freedesktop.DBus.Error.InvalidArgs", "no")
    return Message.new_method_return(call)


def main():
    bus = Bus(os.environ["DBUS_SESSION_BUS_ADDRESS"])
    def called(call):
        if sys.argv[1] == "deaf":
            reply = answer(call)
            bus.serial += 1
            reply.serial = bus.serial
            bus.sock.setblocking(True)
            bus.sock.sendall(bytes(reply._marshall(False)))
            bus.sock.setblocking(False)
    # First the ear, then the name: a call may come with it.
    bus.on_call = called
    bus.bus("RequestName", "su", f"org.mpris.MediaPlayer2.{sys.argv[1]}", 4)
    while True:
        bus.pump(60)


if __name__ == "__main__":
    main()
