// SPDX-License-Identifier: Apache-2.0
internal import CMartletDBus

/// Calls into libdbus with a place for an error, and throws what was put there.
///
/// - Returns: What the call returned, when it set no error.
func withBusError<Value>(_ call: (UnsafeMutablePointer<DBusError>) -> Value) throws(BusError) -> Value {
    var error = unsafe martlet_dbus_error()
    let value = unsafe call(&error)
    guard unsafe dbus_error_is_set(&error) != 0 else { return value }
    defer { unsafe dbus_error_free(&error) }
    throw BusError(
        ErrorName(validated: unsafe error.name.map { unsafe String(cString: $0) } ?? ErrorName.failed.string),
        unsafe error.message.map { unsafe String(cString: $0) } ?? "")
}

/// Opens a connection of our own; what is on it is not yet authenticated.
///
/// Blocks as `connect(2)` does, and for TCP as long as the name takes to resolve. Callable from any thread.
func openConnection(_ address: String) throws(BusError) -> OpaquePointer {
    // libdbus would set SIGPIPE to be ignored in the whole process; it writes with MSG_NOSIGNAL anyway, and a command
    // line wants the signal when its pager goes.
    dbus_connection_set_change_sigpipe(0)
    let opened = try unsafe withBusError { unsafe dbus_connection_open_private(address, $0) }
    guard let connection = unsafe opened else { throw BusError(.noMemory, "No memory is left for a connection.") }
    unsafe dbus_connection_set_exit_on_disconnect(connection, 0)
    return unsafe connection
}

extension BusMessage {
    /// The first call on every bus: answered with the unique name.
    static let hello = BusMessage.methodCall(
        destination: .bus, path: "/org/freedesktop/DBus", interface: .bus, member: "Hello")

    /// A call of the bus daemon itself.
    static func toBus(_ member: MemberName, _ body: [BusValue]) -> BusMessage {
        .methodCall(destination: .bus, path: "/org/freedesktop/DBus", interface: .bus, member: member, body: body)
    }

    /// The name that `Hello` was answered with.
    func helloName() throws(BusError) -> BusName {
        guard let text = body.first?.string, let name = BusName(text) else {
            throw .failed("The bus gave no name to this connection.")
        }
        return name
    }

    /// The enumerated answer of `RequestName` and `ReleaseName`.
    func busReply<Reply: RawRepresentable<UInt32>>(_: Reply.Type) throws(BusError) -> Reply {
        guard let code = body.first?.uint32, let reply = Reply(rawValue: code) else {
            throw .failed("The bus gave an answer unknown to this program.")
        }
        return reply
    }
}

extension Duration {
    /// Nanoseconds, at most what fits.
    var nanoseconds: UInt64 {
        let parts = components
        guard parts.seconds >= 0, parts.attoseconds >= 0 else { return 0 }
        let (product, overflow) = UInt64(parts.seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max / 2 : min(product, .max / 2) + UInt64(parts.attoseconds) / 1_000_000_000
    }

    /// Whole milliseconds, rounded up so that a wait never ends early; at most what libdbus takes as finite.
    var milliseconds: CInt {
        CInt(min((nanoseconds + 999_999) / 1_000_000, UInt64(CInt.max) - 1))
    }
}
