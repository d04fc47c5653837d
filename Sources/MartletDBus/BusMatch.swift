// SPDX-License-Identifier: Apache-2.0

/// Which signals to hear: what is set must be equal.
public struct BusMatchRule: Hashable, Sendable, CustomStringConvertible {
    public var sender: BusName?
    public var path: ObjectPath?
    public var interface: InterfaceName?
    public var member: MemberName?
    /// The first argument, a string.
    public var firstArgument: String?

    public init(
        sender: BusName? = nil, path: ObjectPath? = nil, interface: InterfaceName? = nil, member: MemberName? = nil,
        firstArgument: String? = nil
    ) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.firstArgument = firstArgument
    }

    /// The rule as `AddMatch` takes it.
    public var description: String {
        var parts = ["type='signal'"]
        if let sender { parts.append("sender='\(sender)'") }
        if let path { parts.append("path='\(path)'") }
        if let interface { parts.append("interface='\(interface)'") }
        if let member { parts.append("member='\(member)'") }
        if let firstArgument {
            // Inside quotes an apostrophe ends the quoting, `\'` outside stands for one.
            let quoted = firstArgument.split(separator: "'", omittingEmptySubsequences: false).joined(
                separator: "'\\''")
            parts.append("arg0='\(quoted)'")
        }
        return parts.joined(separator: ",")
    }

    /// A well-known sender is the bus' to check: messages carry the unique name only.
    func fits(_ message: BusMessage) -> Bool {
        (sender == nil || !sender!.isUnique || sender == message.sender) && (path == nil || path == message.path)
            && (interface == nil || interface == message.interface) && (member == nil || member == message.member)
            && (firstArgument == nil || firstArgument == message.body.first?.string)
    }
}

/// A wish to hear signals, for as long as somebody holds it.
@MainActor
public final class BusMatch {
    public let rule: BusMatchRule
    let handler: @MainActor (BusMessage) -> Void
    public private(set) var isCancelled = false
    private weak var connection: BusConnection?

    init(rule: BusMatchRule, connection: BusConnection, handler: @escaping @MainActor (BusMessage) -> Void) {
        self.rule = rule
        self.connection = connection
        self.handler = handler
    }

    /// Hears nothing more. Calling again does nothing.
    public func cancel() {
        guard !isCancelled else { return }
        isCancelled = true
        connection?.cancel(ObjectIdentifier(self), rule: rule)
    }

    isolated deinit {
        cancel()
    }
}
