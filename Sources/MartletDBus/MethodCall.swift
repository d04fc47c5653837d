// SPDX-License-Identifier: Apache-2.0

/// A method call as its handler sees it.
@MainActor
public final class MethodCall {
    /// The message that arrived.
    public let message: BusMessage
    /// The connection it arrived on, and the reply leaves on.
    public let connection: BusConnection

    private let outSignature: BusSignature
    private var state = State.open
    private enum State { case open, deferred, answered }

    init(_ message: BusMessage, connection: BusConnection, outSignature: BusSignature) {
        self.message = message
        self.connection = connection
        self.outSignature = outSignature
    }

    /// The arguments, of the types the row declares.
    public var arguments: [BusValue] { message.body }
    /// The caller's unique name; `nil` between two processes without a bus.
    public var sender: BusName? { message.sender }
    /// The object that was called.
    public var path: ObjectPath { message.path ?? .root }

    /// Takes over the duty to answer. The handler returns ``MethodResult/deferred`` and the object answers later.
    ///
    /// Traps when taken twice.
    public func deferReply() -> DeferredReply {
        precondition(state == .open, "the reply of \(message.member?.string ?? "a call") was deferred twice")
        state = .deferred
        return DeferredReply(self)
    }

    /// What the handler returned, or threw.
    func handlerEnded(_ result: Result<MethodResult, BusError>) {
        switch result {
        case .success(.deferred):
            if state == .open { answer(.failure(.failed("The method did not answer."))) }
        case .success(.reply(let values)): answer(.success(values))
        case .failure(let error): answer(.failure(error))
        }
    }

    /// Sends the answer, if it is the first and the caller wants one. The hook before the reply runs in any case.
    func answer(_ result: Result<[BusValue], BusError>) {
        guard state != .answered else { return }
        state = .answered
        connection.objects.beforeReply?()
        connection.answer(message, result, expecting: outSignature)
    }
}

/// A reply that is still owed (R153). Answered exactly once: what comes after the first answer is ignored.
///
/// Dropping the last reference unanswered sends the error `…Error.Failed`, so a forgotten reply never leaves a
/// caller waiting (F111). A caller that has left the bus meanwhile is no error.
@MainActor
public final class DeferredReply {
    private let call: MethodCall

    init(_ call: MethodCall) { self.call = call }

    /// The caller's unique name.
    public var sender: BusName? { call.sender }

    /// Answers with values of the row's `out` types.
    public func reply(_ values: [BusValue] = []) { call.answer(.success(values)) }

    /// Answers with an error.
    public func fail(_ error: BusReplyError) { call.answer(.failure(error)) }

    isolated deinit { call.answer(.failure(.failed("The service gave up the call without an answer."))) }
}
