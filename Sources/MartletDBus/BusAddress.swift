// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// Where a bus is.
public enum BusAddress: Hashable, Sendable {
    /// The user's bus: `DBUS_SESSION_BUS_ADDRESS`, else the socket `bus` in `XDG_RUNTIME_DIR`.
    ///
    /// Never `autolaunch:`, which libdbus would take: it starts a bus through X11 that nobody else listens on.
    case session
    /// The machine's bus: `DBUS_SYSTEM_BUS_ADDRESS`, else its usual socket.
    case system
    /// An address as the D-Bus specification writes it, as `unix:path=/run/user/1000/bus`.
    case address(String)

    /// The address in D-Bus's own notation.
    ///
    /// - Throws: ``BusError`` named `…Error.NoServer` when the environment names no session bus (F120), or
    ///   `…Error.BadAddress` when the text holds U+0000 or nothing.
    func resolve() throws(BusError) -> String {
        let text: String
        switch self {
        case .address(let address):
            text = address
        case .session:
            if let address = environment("DBUS_SESSION_BUS_ADDRESS") {
                text = address
            } else if let directory = environment("XDG_RUNTIME_DIR"), unsafe access(directory + "/bus", F_OK) == 0 {
                text = "unix:path=" + escape(directory + "/bus")
            } else {
                throw BusError(.noServer, "No session bus: DBUS_SESSION_BUS_ADDRESS is not set.")
            }
        case .system:
            text = environment("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/var/run/dbus/system_bus_socket"
        }
        guard !text.isEmpty, !text.utf8.contains(0) else {
            throw BusError(.badAddress, "The bus address is not valid.")
        }
        return text
    }
}

/// A variable of the environment; `nil` when unset or empty.
private func environment(_ name: String) -> String? {
    guard let text = unsafe getenv(name) else { return nil }
    let value = unsafe String(cString: text)
    return value.isEmpty ? nil : value
}

/// A path as the value of an address: bytes outside the specification's "optionally escaped" set as `%xx`.
private func escape(_ path: String) -> String {
    var text = ""
    for byte in path.utf8 {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "/"),
            UInt8(ascii: "\\"), UInt8(ascii: "*"), UInt8(ascii: "."):
            text.unicodeScalars.append(Unicode.Scalar(byte))
        default:
            let digits = String(byte, radix: 16)
            text += digits.count == 1 ? "%0" + digits : "%" + digits
        }
    }
    return text
}
