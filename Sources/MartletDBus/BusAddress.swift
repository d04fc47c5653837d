// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// Which bus to be on.
public enum BusAddress: Hashable, Sendable {
    /// The user's session: `$DBUS_SESSION_BUS_ADDRESS`, else the socket `bus` in `$XDG_RUNTIME_DIR`. Nothing is launched.
    case session
    /// The machine's: `$DBUS_SYSTEM_BUS_ADDRESS`, else its well-known socket.
    case system
    /// An address in D-Bus' own form, such as `unix:path=/run/user/1000/bus`.
    case address(String)

    /// The address as libdbus takes it.
    ///
    /// - Throws: `NoServer` where the environment names no session bus.
    func resolved() throws(BusError) -> String {
        switch self {
        case .address(let text):
            return text
        case .system:
            return BusAddress.variable("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/var/run/dbus/system_bus_socket"
        case .session:
            if let text = BusAddress.variable("DBUS_SESSION_BUS_ADDRESS") { return text }
            if let folder = BusAddress.variable("XDG_RUNTIME_DIR"), unsafe access(folder + "/bus", W_OK) == 0 {
                return "unix:path=\(folder)/bus"
            }
            throw BusError(
                name: .noServer,
                message: "there is no session bus: DBUS_SESSION_BUS_ADDRESS is not set and XDG_RUNTIME_DIR has no bus")
        }
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name), unsafe value[0] != 0 else { return nil }
        return unsafe String(cString: value)
    }
}
