#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""As much of BlueZ as mpris-proxy needs: an adapter that takes players and writes down what it is told of them.

bluez.py    owns org.bluez on the system bus; a line a call, and a line "told PROPERTY" for each change of a registered player
"""
import sys

from gi.repository import Gio, GLib

XML = """<node>
<interface name="org.bluez.Media1">
  <method name="RegisterPlayer"><arg type="o" direction="in"/><arg type="a{sv}" direction="in"/></method>
  <method name="UnregisterPlayer"><arg type="o" direction="in"/></method>
</interface>
<interface name="org.freedesktop.DBus.ObjectManager">
  <method name="GetManagedObjects"><arg type="a{oa{sa{sv}}}" direction="out"/></method>
  <signal name="InterfacesAdded"><arg type="o"/><arg type="a{sa{sv}}"/></signal>
</interface>
</node>"""
ADAPTER = "/org/bluez/hci0"


def tell(line):
    print(line, flush=True)


def called(bus, sender, path, interface, method, arguments, invocation):
    if method == "GetManagedObjects":
        invocation.return_value(GLib.Variant("(a{oa{sa{sv}}})", ({ADAPTER: {"org.bluez.Adapter1": {}, "org.bluez.Media1": {}}},)))
        return
    if method == "RegisterPlayer":
        player, properties = arguments.unpack()
        tell(f"registered {player} {' '.join(sorted(properties))}")
        bus.signal_subscribe(sender, "org.freedesktop.DBus.Properties", "PropertiesChanged", player, None, 0,
                             lambda *args: [tell(f"told {name}") for name in args[5].unpack()[1]])
    else:
        tell(f"unregistered {arguments.unpack()[0]}")
    invocation.return_value(None)


system = Gio.bus_get_sync(Gio.BusType.SYSTEM)
media, manager = Gio.DBusNodeInfo.new_for_xml(XML).interfaces
system.register_object(ADAPTER, media, called, None, None)
system.register_object("/", manager, called, None, None)
Gio.bus_own_name_on_connection(system, "org.bluez", 0, lambda *_: tell("here"), lambda *_: sys.exit("org.bluez is taken"))
GLib.MainLoop().run()
