// SPDX-License-Identifier: Apache-2.0

/// Interest in messages or in a name. Ends with ``cancel()``, or when the last reference goes.
@MainActor
public final class Subscription {
    /// Why the bus refused the rule; `nil` as long as nothing is known to be wrong.
    public internal(set) var failure: BusError?

    let rule: MatchRule
    /// The connection, as long as the subscription is alive.
    private(set) weak var connection: BusConnection?
    private let handler: @MainActor (BusMessage) -> Void
    /// Follows the owner of a well-known sender; messages carry unique names only.
    private var senderWatch: Subscription?
    private var senderOwner: BusName?

    init(_ rule: MatchRule, connection: BusConnection, handler: @escaping @MainActor (BusMessage) -> Void) {
        self.rule = rule
        self.connection = connection
        self.handler = handler
        if let sender = rule.sender, !sender.isUnique, sender != .bus {
            senderWatch = connection.watchName(sender) { [weak self] in self?.senderOwner = $0 }
        }
    }

    /// Ends the interest. The handler does not run again.
    public func cancel() {
        senderWatch?.cancel()
        senderWatch = nil
        connection?.unsubscribe(self)
        connection = nil
    }

    func deliver(_ message: BusMessage) {
        guard connection != nil, rule.matches(message) else { return }
        if senderWatch != nil, message.sender != senderOwner || senderOwner == nil { return }
        handler(message)
    }

    isolated deinit { cancel() }
}
