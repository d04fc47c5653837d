// SPDX-License-Identifier: Apache-2.0

/// A call as its handler sees it.
@MainActor
public final class MethodCall {
    public let message: BusMessage
    private let tree: ObjectTree
    private weak var connection: BusConnection?

    init(message: BusMessage, tree: ObjectTree, connection: BusConnection) {
        self.message = message
        self.tree = tree
        self.connection = connection
    }

    /// Of the row's input types.
    public var arguments: [BusValue] { message.body }

    /// The caller's unique name.
    public var sender: BusName? { message.sender }

    /// Takes over answering: the handler returns `.deferred`.
    public func deferReply() -> DeferredReply {
        DeferredReply(call: self)
    }

    func answer(_ result: Result<[BusValue], BusReplyError>) {
        // State first, then signals, then the reply: who has the reply has been told (contract R155).
        tree.beforeReply?()
        guard !message.isReplyUnwanted, let connection else { return }
        do throws(BusError) {
            switch result {
            case .success(let body): try connection.send(.reply(to: message, body))
            case .failure(let error): try connection.send(.error(to: message, error))
            }
        } catch {
            _ = try? connection.send(
                .error(to: message, BusReplyError(name: error.name, message: error.message)))
        }
    }
}

/// An answer that is still owed.
///
/// One that is let go of unanswered answers with `Failed`, so that no caller waits for ever. A caller that has left the bus
/// meanwhile is no error.
@MainActor
public final class DeferredReply {
    private var call: MethodCall?

    init(call: MethodCall) {
        self.call = call
    }

    /// The reply's body; only the first answer counts.
    public func send(_ body: [BusValue] = []) {
        finish(.success(body))
    }

    public func fail(_ error: BusReplyError) {
        finish(.failure(error))
    }

    private func finish(_ result: Result<[BusValue], BusReplyError>) {
        guard let call else { return }
        self.call = nil
        call.answer(result)
    }

    isolated deinit {
        finish(.failure(BusReplyError(name: .failed, message: "the call was given up")))
    }
}
