// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <dbus/dbus.h>

// DBusError carries bit fields ("dummy1 : 1 …") and is filled by DBUS_ERROR_INIT, a compound initialiser macro:
// Swift imports neither, so the macro is wrapped here.
static inline DBusError martlet_dbus_error(void) {
    DBusError error = DBUS_ERROR_INIT;
    return error;
}

// DBUS_MESSAGE_ITER_INIT_CLOSED is a compound initialiser macro. An iterator so initialised may be handed to
// dbus_message_iter_abandon_container_if_open whether or not its container was ever opened.
static inline DBusMessageIter martlet_dbus_iter(void) {
    DBusMessageIter iter = DBUS_MESSAGE_ITER_INIT_CLOSED;
    return iter;
}
