// SPDX-License-Identifier: Apache-2.0

/// How a name is requested.
public struct NameRequestFlags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// Another connection may take the name over later.
    public static let allowReplacement = NameRequestFlags(rawValue: 1)
    /// Take the name over from an owner that allows it.
    public static let replaceExisting = NameRequestFlags(rawValue: 2)
    /// Answer ``NameRequestReply/exists`` instead of waiting in line for the name (R167, F116).
    public static let doNotQueue = NameRequestFlags(rawValue: 4)
}

/// What the bus answered to a request for a name.
public enum NameRequestReply: UInt32, Hashable, Sendable {
    case primaryOwner = 1
    /// Another connection owns the name; this one waits in line.
    case inQueue = 2
    /// Another connection owns the name.
    case exists = 3
    case alreadyOwner = 4
}

/// What the bus answered to the return of a name.
public enum NameReleaseReply: UInt32, Hashable, Sendable {
    case released = 1
    /// Nobody owns the name.
    case nonExistent = 2
    case notOwner = 3
}

/// A connection to a bus, served by the main queue.
///
/// All of it happens on the main actor: the descriptor is a Dispatch source on the main queue, messages are handled
/// one after the other in the order they arrived, and nothing here waits unless its documentation says so. An idle
/// connection wakes the process never.
///
/// Losing the bus closes the connection: everything pending fails with ``BusError/disconnected``, ``onDisconnect``
/// runs once, and a new connection is made by whoever wants one.
@MainActor
public final class BusConnection {
    /// The objects this connection offers.
    public private(set) lazy var objects = ObjectTree(connection: self)

    /// The name the bus gave this connection; `nil` without a bus daemon.
    public private(set) var uniqueName: BusName?
    /// Whether the connection can still carry a message.
    public var isConnected: Bool { preconditionFailure("not yet") }
    /// The well-known names the bus says this connection owns now.
    public private(set) var ownedNames: Set<BusName> = []
    /// Bytes that wait for the other side to read. Sending never blocks; a sender of much can look here.
    public var outgoingByteCount: Int { preconditionFailure("not yet") }
    /// Whether file descriptors can be sent.
    public var canPassFileDescriptors: Bool { preconditionFailure("not yet") }

    /// Runs once, when the other side closes the connection or breaks the protocol; not after ``close()``.
    public var onDisconnect: (@MainActor () -> Void)?
    /// Runs when this connection has become the owner of a name.
    public var onNameAcquired: (@MainActor (BusName) -> Void)?
    /// Runs when this connection is no longer the owner of a name (R169).
    public var onNameLost: (@MainActor (BusName) -> Void)?

    private init() {}

    /// Connects, authenticates and says hello.
    ///
    /// - Parameter timeout: For all of it; a bus that accepts and never answers does not hold the caller longer.
    /// - Throws: ``BusError``: `NoServer` or `FileNotFound` when nobody listens, `BadAddress`, `AuthFailed`,
    ///   ``BusError/timedOut``, ``BusError/disconnected``.
    public static func connect(to address: BusAddress, timeout: Duration = .seconds(5)) async throws(BusError)
        -> BusConnection
    { preconditionFailure("not yet") }

    /// As ``connect(to:timeout:)``, but holds the caller and with it the main actor until the bus has answered,
    /// a millisecond as a rule: for a program that has nothing to do before it is on the bus.
    public static func connectBlocking(to address: BusAddress, timeout: Duration = .seconds(5)) throws(BusError)
        -> BusConnection
    { preconditionFailure("not yet") }

    // MARK: Calling

    /// The time a call waits for its answer when nobody says otherwise; D-Bus's usual 25 s.
    public static let defaultTimeout = Duration.seconds(25)

    /// Calls a method and waits for the answer.
    ///
    /// - Parameter timeout: `nil` waits until the connection closes.
    /// - Returns: The reply. An error reply is thrown.
    /// - Throws: ``BusError``: what the other side answered; ``BusError/timedOut``; ``BusError/disconnected``;
    ///   ``BusError/cancelled`` when the task is; `LimitsExceeded` or `InvalidArgs` when the message cannot be sent.
    public func call(_ message: BusMessage, timeout: Duration? = defaultTimeout) async throws(BusError) -> BusMessage {
        preconditionFailure("not yet")
    }

    /// Calls a method; the completion runs once, later, on the main actor, in the order of arrival of the replies.
    public func call(
        _ message: BusMessage, timeout: Duration? = defaultTimeout,
        completion: @escaping @MainActor (Result<BusMessage, BusError>) -> Void
    ) { preconditionFailure("not yet") }

    /// Sends a message without waiting for an answer; a call is marked as wanting none.
    ///
    /// Returns before the other side has read it: a socket that is full keeps the message in memory, in order.
    /// - Returns: The serial of the message.
    /// - Throws: ``BusError/disconnected``, or `LimitsExceeded`, `InvalidArgs`, `NotSupported` when it cannot be sent.
    @discardableResult
    public func send(_ message: BusMessage) throws(BusError) -> UInt32 { preconditionFailure("not yet") }

    /// Sends a signal.
    public func emit(
        _ member: MemberName, of interface: InterfaceName, at path: ObjectPath, _ body: [BusValue] = [],
        to destination: BusName? = nil
    ) throws(BusError) { preconditionFailure("not yet") }

    // MARK: Names

    /// Asks the bus for a well-known name.
    ///
    /// - Throws: ``BusError``: `AccessDenied` when a policy or a sandbox forbids it (F118), `InvalidArgs` for a
    ///   unique name.
    public func requestName(_ name: BusName, flags: NameRequestFlags = .doNotQueue) async throws(BusError)
        -> NameRequestReply
    { preconditionFailure("not yet") }

    /// Gives a name back, or leaves the line for it.
    public func releaseName(_ name: BusName) async throws(BusError) -> NameReleaseReply {
        preconditionFailure("not yet")
    }

    // MARK: Signals

    /// Asks the bus for messages and hands each to the handler, in the order of arrival.
    ///
    /// The request is on its way when this returns: whatever is called afterwards on this connection is answered
    /// after the bus knows of it. A rule the bus refuses is found in ``Subscription/failure``.
    public func subscribe(_ rule: MatchRule, handler: @escaping @MainActor (BusMessage) -> Void) -> Subscription {
        preconditionFailure("not yet")
    }

    /// Tells who owns a name: once soon after this returns, and at each change. `nil` is nobody.
    public func watchName(_ name: BusName, onChange: @escaping @MainActor (BusName?) -> Void) -> Subscription {
        preconditionFailure("not yet")
    }

    // MARK: Ending

    /// Waits until everything sent has left this process, or the time is over; blocks the main actor.
    ///
    /// - Returns: Whether everything has left.
    @discardableResult
    public func flush(timeout: Duration = .seconds(5)) -> Bool { preconditionFailure("not yet") }

    /// Closes the connection. What is pending fails with ``BusError/disconnected``; what has not left is lost.
    public func close() { preconditionFailure("not yet") }

    func answer(_ call: BusMessage, _ result: Result<[BusValue], BusError>, expecting signature: BusSignature) {
        preconditionFailure("not yet")
    }
}

/// Interest in messages or in a name. Ends with ``cancel()``, or when the last reference goes.
@MainActor
public final class Subscription {
    /// Why the bus refused the rule; `nil` as long as nothing is known to be wrong.
    public internal(set) var failure: BusError?

    init() {}

    /// Ends the interest. The handler does not run again.
    public func cancel() { preconditionFailure("not yet") }
}
