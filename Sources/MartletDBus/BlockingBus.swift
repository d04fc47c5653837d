// SPDX-License-Identifier: Apache-2.0
internal import CMartletDBus

/// A connection for programs that do one thing after another: a command line, an observer in a test.
///
/// Everything waits, with a deadline; nothing needs a run loop. May be used from any one thread at a time.
@safe public final class BlockingBus {
    /// The name the bus gave this connection.
    public let uniqueName: BusName

    private let handle: OpaquePointer
    private var isClosed = false
    /// Messages that came before an answer that was waited for.
    private var backlog: [BusMessage] = []
    /// Calls whose answer nobody waits for any more.
    private var abandoned: Set<UInt32> = []

    /// Connects and says hello.
    ///
    /// - Parameter timeout: For the authentication and the hello. `connect(2)` itself, which waits only for a
    ///   server that accepts nobody, is not covered.
    /// - Throws: ``BusError`` as ``BusConnection/connect(to:timeout:)``.
    public init(to address: BusAddress, timeout: Duration = .seconds(5)) throws(BusError) {
        let handle = unsafe try openConnection(try address.resolve())
        do throws(BusError) {
            uniqueName = try unsafe callAndWait(handle, .hello, until: Deadline(timeout)) { _ in }.helloName()
        } catch {
            unsafe dbus_connection_close(handle)
            unsafe dbus_connection_unref(handle)
            throw error
        }
        unsafe self.handle = unsafe handle
    }

    deinit {
        close()
        unsafe dbus_connection_unref(handle)
    }

    /// Whether the connection can still carry a message.
    public var isConnected: Bool { unsafe dbus_connection_get_is_connected(handle) != 0 }

    /// Readable when a message may have come, for `poll(2)`; -1 once closed.
    ///
    /// Take messages with a timeout of zero until there is none before polling: one may already have been read from
    /// the descriptor.
    public var fileDescriptor: CInt {
        var descriptor: CInt = -1
        return unsafe dbus_connection_get_unix_fd(handle, &descriptor) != 0 ? descriptor : -1
    }

    /// Calls a method and waits for the answer; an error reply is thrown. Other messages keep their place in line.
    ///
    /// - Throws: ``BusError``: what the other side answered, `NoReply` when the time is over,
    ///   ``BusError/disconnected``, `LimitsExceeded` or `InvalidArgs` when the message cannot be sent.
    public func call(_ message: BusMessage, timeout: Duration = BusConnection.defaultTimeout) throws(BusError)
        -> BusMessage
    {
        try unsafe callAndWait(
            handle, message, until: Deadline(timeout), setAside: { if !isAbandoned($0) { backlog.append($0) } },
            abandoned: { abandoned.insert($0) })
    }

    /// Sends a message and waits until it has left the process. A call is marked as wanting no answer.
    ///
    /// - Returns: Its serial.
    /// - Throws: ``BusError/timedOut`` when it has not left in time; it may leave later.
    @discardableResult
    public func send(_ message: BusMessage, timeout: Duration = BusConnection.defaultTimeout) throws(BusError) -> UInt32
    {
        let serial = try unsafe transmit(message, on: handle, expectingReply: false)
        guard unsafe flush(handle, until: Deadline(timeout)) else { throw isConnected ? .timedOut : .disconnected }
        return serial
    }

    /// Sends a call whose answer is wanted, without waiting for it: it comes as a ``nextMessage(timeout:)`` with
    /// this serial as its ``BusMessage/replySerial``.
    public func post(_ message: BusMessage) throws(BusError) -> UInt32 {
        try unsafe transmit(message, on: handle, expectingReply: true)
    }

    /// Asks the bus for messages; returns when it has agreed.
    public func addMatch(_ rule: MatchRule) throws(BusError) {
        _ = try call(.toBus("AddMatch", [.string(rule.description)]))
    }

    /// Takes the wish back.
    public func removeMatch(_ rule: MatchRule) throws(BusError) {
        _ = try call(.toBus("RemoveMatch", [.string(rule.description)]))
    }

    /// The next message that is not the answer to a ``call(_:timeout:)``, in the order of arrival.
    ///
    /// Everything that was asked for comes through here, also the bus's own `NameAcquired`; a method call is to be
    /// answered by the caller with ``send(_:timeout:)``.
    ///
    /// - Returns: `nil` when the time is over. Zero looks without waiting.
    /// - Throws: ``BusError/disconnected``.
    public func nextMessage(timeout: Duration) throws(BusError) -> BusMessage? {
        if !backlog.isEmpty { return backlog.removeFirst() }
        let deadline = Deadline(timeout)
        while let message = try unsafe MartletDBus.nextMessage(handle, until: deadline) {
            if !isAbandoned(message) { return message }
        }
        return nil
    }

    /// Whether a message answers a call that was given up.
    private func isAbandoned(_ message: BusMessage) -> Bool {
        !abandoned.isEmpty && message.kind != .methodCall && message.kind != .signal
            && abandoned.remove(message.replySerial) != nil
    }

    /// Asks the bus for a well-known name.
    ///
    /// - Throws: ``BusError`` as ``BusConnection/requestName(_:flags:)``.
    public func requestName(_ name: BusName, flags: NameRequestFlags = .doNotQueue) throws(BusError)
        -> NameRequestReply
    {
        try call(.toBus("RequestName", [.string(name.string), .uint32(flags.rawValue)])).busReply(NameRequestReply.self)
    }

    /// Gives a name back.
    public func releaseName(_ name: BusName) throws(BusError) -> NameReleaseReply {
        try call(.toBus("ReleaseName", [.string(name.string)])).busReply(NameReleaseReply.self)
    }

    /// Who owns a name; `nil` is nobody.
    public func owner(of name: BusName) throws(BusError) -> BusName? {
        do throws(BusError) {
            return try call(.toBus("GetNameOwner", [.string(name.string)])).body.first?.string.flatMap { BusName($0) }
        } catch  where error.name == .nameHasNoOwner {
            return nil
        }
    }

    /// The names on the bus, unique ones included.
    public func names() throws(BusError) -> [BusName] {
        try call(.toBus("ListNames", [])).body.first?.strings?.compactMap { BusName($0) } ?? []
    }

    /// Closes the connection. Closing twice is harmless; every call afterwards throws ``BusError/disconnected``.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        unsafe dbus_connection_close(handle)
    }
}
