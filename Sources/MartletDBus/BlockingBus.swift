// SPDX-License-Identifier: Apache-2.0

/// A connection for programs that do one thing after another: a command line, an observer in a test.
///
/// Everything waits, with a deadline; nothing needs a run loop. May be used from any one thread at a time.
public final class BlockingBus {
    /// The name the bus gave this connection.
    public let uniqueName: BusName

    /// Connects and says hello.
    ///
    /// - Throws: ``BusError`` as ``BusConnection/connect(to:timeout:)``.
    public init(to address: BusAddress, timeout: Duration = .seconds(5)) throws(BusError) {
        preconditionFailure("not yet")
    }

    /// Whether the connection can still carry a message.
    public var isConnected: Bool { preconditionFailure("not yet") }

    /// Readable when a message may have come, for `poll(2)`. Take messages with a timeout of zero until there is
    /// none before polling: one may already have been read from the descriptor.
    public var fileDescriptor: CInt { preconditionFailure("not yet") }

    /// Calls a method and waits for the answer; an error reply is thrown. Other messages keep their place in line.
    public func call(_ message: BusMessage, timeout: Duration = .seconds(25)) throws(BusError) -> BusMessage {
        preconditionFailure("not yet")
    }

    /// Sends a message and waits until it has left the process.
    ///
    /// - Returns: Its serial.
    @discardableResult
    public func send(_ message: BusMessage, timeout: Duration = .seconds(25)) throws(BusError) -> UInt32 {
        preconditionFailure("not yet")
    }

    /// Asks the bus for messages; returns when it has agreed.
    public func addMatch(_ rule: MatchRule) throws(BusError) { preconditionFailure("not yet") }

    /// Takes the wish back.
    public func removeMatch(_ rule: MatchRule) throws(BusError) { preconditionFailure("not yet") }

    /// The next message that is not the answer to a ``call(_:timeout:)``, in the order of arrival.
    ///
    /// - Returns: `nil` when the time is over. Zero looks without waiting.
    /// - Throws: ``BusError/disconnected``.
    public func nextMessage(timeout: Duration) throws(BusError) -> BusMessage? { preconditionFailure("not yet") }

    /// Asks the bus for a well-known name.
    public func requestName(_ name: BusName, flags: NameRequestFlags = .doNotQueue) throws(BusError) -> NameRequestReply
    {
        preconditionFailure("not yet")
    }

    /// Gives a name back.
    public func releaseName(_ name: BusName) throws(BusError) -> NameReleaseReply { preconditionFailure("not yet") }

    /// Who owns a name; `nil` is nobody.
    public func owner(of name: BusName) throws(BusError) -> BusName? { preconditionFailure("not yet") }

    /// Closes the connection.
    public func close() { preconditionFailure("not yet") }
}
