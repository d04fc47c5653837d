// SPDX-License-Identifier: Apache-2.0
internal import CMartletDBus
internal import Glibc

/// A thin client for programs that ask, print and leave: no event loop, one thread, a deadline on everything.
@safe
public final class BlockingBus {
    public let uniqueName: BusName
    private let raw: OpaquePointer

    /// Connects and says hello.
    ///
    /// - Throws: `NoServer` or whatever keeps the address from being reached.
    public init(_ address: BusAddress = .session) throws(BusError) {
        let text = try address.resolved()
        guard let raw = unsafe try BusError.catching({ unsafe dbus_connection_open_private(text, $0) }) else {
            throw BusError(name: .noServer, message: "cannot connect to \(text)")
        }
        unsafe dbus_connection_set_exit_on_disconnect(raw, 0)
        do throws(BusError) {
            _ = unsafe try BusError.catching { unsafe dbus_bus_register(raw, $0) }
        } catch {
            unsafe dbus_connection_close(raw)
            unsafe dbus_connection_unref(raw)
            throw error
        }
        unsafe self.raw = raw
        uniqueName = unsafe dbus_bus_get_unique_name(raw).flatMap { unsafe BusName(String(cString: $0)) } ?? ":0.0"
    }

    deinit {
        unsafe dbus_connection_close(raw)
        unsafe dbus_connection_unref(raw)
    }

    /// Whether the bus is still there.
    public var isConnected: Bool { unsafe dbus_connection_get_is_connected(raw) != 0 }

    /// The socket, to wait on beside other descriptors; read from it only through ``receive(timeout:)``.
    public var fileDescriptor: Int32 {
        var descriptor: Int32 = -1
        unsafe dbus_connection_get_unix_fd(raw, &descriptor)
        return descriptor
    }

    /// Calls a method and waits for the answer's body.
    ///
    /// - Throws: The error answered; `NoReply` after the timeout; `Disconnected`.
    public func call(_ message: BusMessage, timeout: Duration = .seconds(25)) throws(BusError) -> [BusValue] {
        let encoded = unsafe try MessageCodec.encode(message)
        defer { unsafe dbus_message_unref(encoded) }
        let reply = unsafe try BusError.catching {
            unsafe dbus_connection_send_with_reply_and_block(
                raw, encoded, Int32(clamping: Int(timeout / .milliseconds(1))), $0)
        }
        guard let reply = unsafe reply else { throw BusError.disconnected() }
        defer { unsafe dbus_message_unref(reply) }
        return unsafe MessageCodec.decode(reply)?.body ?? []
    }

    /// Sends without waiting for an answer; what the socket does not take at once is written before this returns.
    @discardableResult
    public func send(_ message: BusMessage) throws(BusError) -> UInt32 {
        guard isConnected else { throw BusError.disconnected() }
        let encoded = unsafe try MessageCodec.encode(message)
        defer { unsafe dbus_message_unref(encoded) }
        var serial: UInt32 = 0
        unsafe dbus_connection_send(raw, encoded, &serial)
        unsafe dbus_connection_flush(raw)
        return serial
    }

    /// Asks the bus for signals that fit a rule.
    public func addMatch(_ rule: BusMatchRule) throws(BusError) {
        _ = unsafe try BusError.catching { unsafe dbus_bus_add_match(raw, rule.description, $0) }
    }

    /// The next message that is no answer to a ``call(_:timeout:)``, or `nil` after the timeout.
    ///
    /// - Throws: `Disconnected` when the bus is gone and everything that came before has been handed out.
    public func receive(timeout: Duration) throws(BusError) -> BusMessage? {
        var start = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &start)
        var rest = timeout
        while true {
            if let encoded = unsafe dbus_connection_pop_message(raw) {
                defer { unsafe dbus_message_unref(encoded) }
                guard let message = unsafe MessageCodec.decode(encoded) else { continue }
                if message.interface == "org.freedesktop.DBus.Local" { throw BusError.disconnected() }
                return message
            }
            guard rest > .zero else { return nil }
            let milliseconds = Int32(clamping: Int(rest / .milliseconds(1)) + 1)
            if unsafe dbus_connection_read_write(raw, milliseconds) == 0,
                unsafe dbus_connection_get_dispatch_status(raw) != DBUS_DISPATCH_DATA_REMAINS
            {
                throw BusError.disconnected()
            }
            var now = timespec()
            unsafe clock_gettime(CLOCK_MONOTONIC, &now)
            let elapsed =
                Duration.seconds(now.tv_sec - start.tv_sec) + .nanoseconds(now.tv_nsec - start.tv_nsec)
            rest = timeout - elapsed
        }
    }
}
