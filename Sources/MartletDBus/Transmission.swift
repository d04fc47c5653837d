// SPDX-License-Identifier: Apache-2.0
internal import CMartletDBus
internal import Dispatch
internal import MartletLoop

/// A moment to wait for, on the clock that stands still while the machine sleeps.
struct Deadline {
    private let nanoseconds: UInt64

    init(_ timeout: Duration) { nanoseconds = MainTimer.now + timeout.nanoseconds }

    /// What is left; zero when it is over.
    var remaining: Duration {
        let now = MainTimer.now
        return now < nanoseconds ? .nanoseconds(Int64(nanoseconds - now)) : .zero
    }
}

/// Hands a message to libdbus, which writes as much as the socket takes now and keeps the rest.
///
/// - Returns: The serial.
func transmit(_ message: BusMessage, on handle: OpaquePointer, expectingReply: Bool) throws(BusError) -> UInt32 {
    var message = message
    if expectingReply {
        message.flags.remove(.noReply)
    } else if message.kind == .methodCall {
        message.flags.insert(.noReply)
    }
    let raw = try message.encoded()
    guard unsafe dbus_connection_get_is_connected(handle) != 0 else { throw .disconnected }
    guard
        unsafe dbus_message_contains_unix_fds(raw.pointer) == 0
            || dbus_connection_can_send_type(handle, Int32(TypeCode.fileDescriptor)) != 0
    else { throw .notSupported("This connection carries no file descriptors.") }
    var serial: dbus_uint32_t = 0
    guard unsafe dbus_connection_send(handle, raw.pointer, &serial) != 0 else {
        throw BusError(.noMemory, "No memory is left for a message.")
    }
    return serial
}

/// Calls and waits for the answer.
///
/// libdbus has `dbus_connection_send_with_reply_and_block`, which first waits without a limit until the call is
/// written: a bus that accepts and never authenticates would hold the caller forever.
///
/// - Parameters:
///   - setAside: Gets the messages that come before the answer, in order.
///   - abandoned: Gets the serial when the time is over: its answer may still come.
func callAndWait(
    _ handle: OpaquePointer, _ message: BusMessage, until deadline: Deadline, setAside: (BusMessage) -> Void,
    abandoned: (UInt32) -> Void = { _ in }
) throws(BusError) -> BusMessage {
    let serial = try unsafe transmit(message, on: handle, expectingReply: true)
    while let next = try unsafe nextMessage(handle, until: deadline) {
        guard next.replySerial == serial, next.kind == .methodReturn || next.kind == .error else {
            setAside(next)
            continue
        }
        if let error = next.error { throw error }
        return next
    }
    abandoned(serial)
    throw .timedOut
}

/// The next message that has come or comes before the deadline; `nil` when it is over.
func nextMessage(_ handle: OpaquePointer, until deadline: Deadline) throws(BusError) -> BusMessage? {
    var isLast = false
    while true {
        while let raw = unsafe dbus_connection_pop_message(handle) {
            guard let message = BusMessage(unsafe RawMessage(owning: raw)) else { continue }
            // libdbus refuses this interface from outside; its only own message says that the connection is gone.
            if message.interface == .local { throw .disconnected }
            return message
        }
        if isLast { return nil }
        let remaining = deadline.remaining
        // With no time left the socket is looked at once, without waiting.
        isLast = remaining == .zero
        let isOpen = unsafe dbus_connection_read_write(handle, remaining.milliseconds) != 0
        guard unsafe isOpen || dbus_connection_get_dispatch_status(handle) == DBUS_DISPATCH_DATA_REMAINS else {
            throw .disconnected
        }
    }
}

/// Writes until nothing is left to be written.
///
/// - Returns: Whether nothing is left.
func flush(_ handle: OpaquePointer, until deadline: Deadline) -> Bool {
    while unsafe dbus_connection_has_messages_to_send(handle) != 0 {
        let remaining = deadline.remaining
        guard remaining > .zero, unsafe dbus_connection_read_write(handle, remaining.milliseconds) != 0 else {
            return false
        }
    }
    return true
}

/// Opens a connection without holding the main actor: `connect(2)` waits when a server accepts no more, and a TCP
/// address waits for the resolver.
@MainActor
final class ConnectionOpening {
    /// A pointer on its way from the queue that opened it to the main actor, which is its only user.
    @safe struct Opened: @unchecked Sendable {
        // Invariant: handed over once; the opening thread does not touch it afterwards.
        let handle: OpaquePointer
    }

    private var continuation: CheckedContinuation<Result<Opened, BusError>, Never>?
    private let limit = MainTimer()
    /// Each that never answers holds a thread for as long as it does not.
    private static let connecting = WorkQueue(label: "bus-connect", width: 64)

    static func open(_ address: String, timeout: Duration) async throws(BusError) -> Opened {
        let opening = ConnectionOpening()
        let result = await withCheckedContinuation { continuation in
            opening.continuation = continuation
            connecting.async {
                let result = Result { () throws(BusError) in unsafe Opened(handle: try openConnection(address)) }
                DispatchQueue.main.async { MainActor.assumeIsolated { opening.ended(result) } }
            }
            opening.limit.arm(after: timeout) { [weak opening] in opening?.ended(.failure(.timedOut)) }
        }
        return try result.get()
    }

    private func ended(_ result: Result<Opened, BusError>) {
        guard let continuation else {
            // Too late: nobody waits for it any more.
            if case .success(let opened) = result {
                unsafe dbus_connection_close(opened.handle)
                unsafe dbus_connection_unref(opened.handle)
            }
            return
        }
        self.continuation = nil
        limit.disarm()
        continuation.resume(returning: result)
    }
}
