// SPDX-License-Identifier: Apache-2.0

/// Which messages to ask the bus for. A field that is `nil` excludes nothing.
public struct MatchRule: Hashable, Sendable, CustomStringConvertible {
    public var kind: BusMessage.Kind?
    /// Unique or well-known; for a well-known name, whoever owns it at that time.
    public var sender: BusName?
    public var interface: InterfaceName?
    public var member: MemberName?
    public var path: ObjectPath?
    /// This path or any below it. The bus refuses a rule with both this and ``path``.
    public var pathNamespace: ObjectPath?
    public var destination: BusName?
    /// The first value is this string.
    public var argument0: String?
    /// The first value is a string that is this name or begins with it and a dot.
    public var argument0Namespace: InterfaceName?

    public init(
        kind: BusMessage.Kind? = .signal, sender: BusName? = nil, interface: InterfaceName? = nil,
        member: MemberName? = nil, path: ObjectPath? = nil, pathNamespace: ObjectPath? = nil,
        destination: BusName? = nil, argument0: String? = nil, argument0Namespace: InterfaceName? = nil
    ) {
        self.kind = kind
        self.sender = sender
        self.interface = interface
        self.member = member
        self.path = path
        self.pathNamespace = pathNamespace
        self.destination = destination
        self.argument0 = argument0
        self.argument0Namespace = argument0Namespace
    }

    /// A signal of an object.
    public static func signal(
        _ member: MemberName? = nil, of interface: InterfaceName? = nil, from sender: BusName? = nil,
        at path: ObjectPath? = nil
    ) -> MatchRule {
        MatchRule(sender: sender, interface: interface, member: member, path: path)
    }

    /// `PropertiesChanged` of one interface of an object.
    public static func propertiesChanged(
        of interface: InterfaceName? = nil, from sender: BusName? = nil, at path: ObjectPath? = nil
    ) -> MatchRule {
        MatchRule(
            sender: sender, interface: .properties, member: "PropertiesChanged", path: path,
            argument0: interface?.string)
    }

    /// The rule as `AddMatch` takes it.
    public var description: String {
        var parts: [String] = []
        switch kind {
        case .methodCall: parts.append("type='method_call'")
        case .methodReturn: parts.append("type='method_return'")
        case .error: parts.append("type='error'")
        case .signal: parts.append("type='signal'")
        case nil: break
        }
        func add(_ key: String, _ value: String?) {
            // Inside quotes everything is literal; a quote itself is written outside of them, behind a backslash.
            if let value {
                parts.append(
                    "\(key)='\(value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
                )
            }
        }
        add("sender", sender?.string)
        add("interface", interface?.string)
        add("member", member?.string)
        add("path", path?.string)
        add("path_namespace", pathNamespace?.string)
        add("destination", destination?.string)
        add("arg0", argument0)
        add("arg0namespace", argument0Namespace?.string)
        return parts.joined(separator: ",")
    }

    /// Whether a message fits, but for the sender when that is a well-known name: a message carries unique names.
    func matches(_ message: BusMessage) -> Bool {
        if let kind, kind != message.kind { return false }
        if let member, member != message.member { return false }
        if let interface, interface != message.interface { return false }
        if let path, path != message.path { return false }
        if let sender, sender.isUnique || sender == .bus, sender != message.sender { return false }
        if let destination, destination != message.destination { return false }
        if let pathNamespace, message.path?.isInside(pathNamespace) != true { return false }
        if let argument0 {
            guard case .string(argument0)? = message.body.first else { return false }
        }
        if let name = argument0Namespace?.string {
            guard case .string(let text)? = message.body.first, text == name || text.hasPrefix(name + ".") else {
                return false
            }
        }
        return true
    }
}
