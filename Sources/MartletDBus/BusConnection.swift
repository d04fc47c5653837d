// SPDX-License-Identifier: Apache-2.0
internal import CMartletDBus
internal import Dispatch

/// A connection to a bus, served by the main queue.
///
/// All of it happens on the main actor: the descriptor is a Dispatch source on the main queue, messages are handled
/// one after the other in the order they arrived, and nothing here waits unless its documentation says so. An idle
/// connection never wakes the process.
///
/// Losing the bus closes the connection: everything pending fails with ``BusError/disconnected``, ``onDisconnect``
/// runs once, and a new connection is made by whoever wants one.
@MainActor
@safe public final class BusConnection {
    /// The objects this connection offers.
    public private(set) lazy var objects = ObjectTree(connection: self)

    /// The name the bus gave this connection; `nil` without a bus daemon.
    public internal(set) var uniqueName: BusName?
    /// The well-known names the bus says this connection owns now.
    public internal(set) var ownedNames: Set<BusName> = []

    /// Runs once, when the other side closes the connection or breaks the protocol; not after ``close()``.
    public var onDisconnect: (@MainActor () -> Void)?
    /// Runs when this connection has become the owner of a name.
    public var onNameAcquired: (@MainActor (BusName) -> Void)?
    /// Runs when this connection is no longer the owner of a name (R169).
    public var onNameLost: (@MainActor (BusName) -> Void)?

    /// libdbus's connection; `nil` once closed.
    private(set) var handle: OpaquePointer?
    let pending = PendingCalls()
    /// In the order they were made, which is the order handlers run in.
    var subscriptions: [WeakSubscription] = []
    var watches: [OpaquePointer: BusWatch] = unsafe [:]
    var timeouts: [OpaquePointer: BusTimeout] = unsafe [:]
    var isDraining = false
    var isDrainScheduled = false

    /// Takes over a connection of libdbus and puts it on the main queue.
    private init(_ handle: OpaquePointer) {
        unsafe self.handle = unsafe handle
        let data = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe dbus_connection_set_dispatch_status_function(handle, dispatchStatusChanged, data, nil)
        unsafe dbus_connection_set_wakeup_main_function(handle, mainLoopWoken, data, nil)
        unsafe dbus_connection_set_timeout_functions(
            handle, timeoutAdded, timeoutRemoved, timeoutToggled, data, nil)
        unsafe dbus_connection_set_watch_functions(handle, watchAdded, watchRemoved, watchToggled, data, nil)
    }

    isolated deinit { close() }

    // MARK: Connecting

    /// Connects, authenticates and says hello.
    ///
    /// - Parameter timeout: For all of it; a bus that accepts and never answers does not hold the caller longer.
    /// - Throws: ``BusError``: `NoServer` or `FileNotFound` when nobody listens, `BadAddress`, `AuthFailed`,
    ///   ``BusError/timedOut``, ``BusError/disconnected``.
    public static func connect(to address: BusAddress, timeout: Duration = .seconds(5)) async throws(BusError)
        -> BusConnection
    {
        let text = try address.resolve()
        let connection = unsafe BusConnection(try await ConnectionOpening.open(text, timeout: timeout).handle)
        do {
            connection.uniqueName = try await connection.call(.hello, timeout: timeout).helloName()
        } catch {
            connection.close()
            throw error
        }
        return connection
    }

    /// As ``connect(to:timeout:)``, but holds the caller and with it the main actor until the bus has answered,
    /// a millisecond as a rule: for a program that has nothing to do before it is on the bus.
    public static func connectBlocking(to address: BusAddress, timeout: Duration = .seconds(5)) throws(BusError)
        -> BusConnection
    {
        let handle = unsafe try openConnection(try address.resolve())
        let connection = unsafe BusConnection(handle)
        do {
            // Nobody has asked this connection for anything yet, so nothing of interest comes before the answer.
            let reply = try unsafe callAndWait(handle, .hello, until: Deadline(timeout)) { _ in }
            connection.uniqueName = try reply.helloName()
        } catch {
            connection.close()
            throw error
        }
        return connection
    }

    // MARK: State

    /// Whether the connection can still carry a message.
    public var isConnected: Bool {
        guard let handle = unsafe handle else { return false }
        return unsafe dbus_connection_get_is_connected(handle) != 0
    }

    /// Bytes that wait for the other side to read. Sending never blocks; a sender of much can look here.
    public var outgoingByteCount: Int {
        guard let handle = unsafe handle else { return 0 }
        return Int(unsafe dbus_connection_get_outgoing_size(handle))
    }

    /// Whether file descriptors can be sent.
    public var canPassFileDescriptors: Bool {
        guard let handle = unsafe handle else { return false }
        return unsafe dbus_connection_can_send_type(handle, Int32(TypeCode.fileDescriptor)) != 0
    }

    // MARK: Sending

    /// The time a call waits for its answer when nobody says otherwise; D-Bus's usual 25 s.
    public nonisolated static let defaultTimeout = Duration.seconds(25)

    /// Calls a method and waits for the answer.
    ///
    /// - Parameter timeout: `nil` waits until the connection closes.
    /// - Returns: The reply. An error reply is thrown.
    /// - Throws: ``BusError``: what the other side answered; ``BusError/timedOut``; ``BusError/disconnected``;
    ///   ``BusError/cancelled`` when the task is; `LimitsExceeded` or `InvalidArgs` when the message cannot be sent.
    public func call(_ message: BusMessage, timeout: Duration? = defaultTimeout) async throws(BusError) -> BusMessage {
        guard !Task.isCancelled else { throw .cancelled }
        let serial = try transmit(message, expectingReply: true)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                pending.add(serial, timeout: timeout) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            DispatchQueue.main.async {
                MainActor.assumeIsolated { _ = self.pending.complete(serial, .failure(.cancelled)) }
            }
        }
        return try result.get()
    }

    /// Calls a method; the completion runs once, later, on the main actor, in the order of arrival of the replies.
    public func call(
        _ message: BusMessage, timeout: Duration? = defaultTimeout,
        completion: @escaping @MainActor (Result<BusMessage, BusError>) -> Void
    ) {
        do {
            pending.add(try transmit(message, expectingReply: true), timeout: timeout, completion: completion)
        } catch {
            DispatchQueue.main.async { MainActor.assumeIsolated { completion(.failure(error)) } }
        }
    }

    /// Sends a message without waiting for an answer; a call is marked as wanting none.
    ///
    /// Returns before the other side has read it: a socket that is full keeps the message in memory, in order.
    /// - Returns: The serial of the message.
    /// - Throws: ``BusError/disconnected``, or `LimitsExceeded`, `InvalidArgs`, `NotSupported` when it cannot be sent.
    @discardableResult
    public func send(_ message: BusMessage) throws(BusError) -> UInt32 {
        try transmit(message, expectingReply: false)
    }

    /// Sends a signal.
    public func emit(
        _ member: MemberName, of interface: InterfaceName, at path: ObjectPath, _ body: [BusValue] = [],
        to destination: BusName? = nil
    ) throws(BusError) {
        try send(.signal(path: path, interface: interface, member: member, body: body, destination: destination))
    }

    private func transmit(_ message: BusMessage, expectingReply: Bool) throws(BusError) -> UInt32 {
        guard let handle = unsafe handle else { throw .disconnected }
        return try unsafe MartletDBus.transmit(message, on: handle, expectingReply: expectingReply)
    }

    /// Waits until everything sent has left this process, or the time is over; blocks the main actor.
    ///
    /// - Returns: Whether everything has left.
    @discardableResult
    public func flush(timeout: Duration = .seconds(5)) -> Bool {
        guard let handle = unsafe handle else { return false }
        return unsafe MartletDBus.flush(handle, until: Deadline(timeout))
    }

    /// Closes the connection. What is pending fails with ``BusError/disconnected``; what has not left is lost.
    ///
    /// Subscriptions end. Closing twice is harmless.
    public func close() {
        guard let handle = unsafe handle else { return }
        unsafe self.handle = nil
        // Taking the functions back removes every watch and timeout through them, while `self` is still there.
        unsafe dbus_connection_set_watch_functions(handle, nil, nil, nil, nil, nil)
        unsafe dbus_connection_set_timeout_functions(handle, nil, nil, nil, nil, nil)
        unsafe dbus_connection_set_wakeup_main_function(handle, nil, nil, nil)
        unsafe dbus_connection_set_dispatch_status_function(handle, nil, nil, nil)
        unsafe dbus_connection_close(handle)
        unsafe dbus_connection_unref(handle)
        ownedNames = []
        subscriptions = []
        pending.failAll(.disconnected)
    }
}
