// SPDX-License-Identifier: Apache-2.0

/// An interface of an object, told once: dispatch, argument checks, `Properties`, introspection and documentation
/// all read this table.
///
/// A table belongs to one object: its handlers capture what they act on. Names that occur twice, and signatures
/// that exceed 255 bytes, are mistakes of the programmer and trap when the table is made.
public struct InterfaceTable: Sendable {
    public let name: InterfaceName
    public let methods: [MethodEntry]
    public let properties: [PropertyEntry]
    public let signals: [SignalEntry]
    /// Annotations of the interface as a whole.
    public let annotations: [Annotation]
    /// What the interface is for, in plain text; not part of what `Introspect` answers.
    public let documentation: String

    let methodRows: [String: Int]
    let propertyRows: [String: Int]

    public init(
        _ name: InterfaceName, methods: [MethodEntry] = [], properties: [PropertyEntry] = [],
        signals: [SignalEntry] = [], annotations: [Annotation] = [], documentation: String = ""
    ) {
        self.name = name
        self.methods = methods
        self.properties = properties
        self.signals = signals
        self.annotations = annotations
        self.documentation = documentation
        methodRows = InterfaceTable.rows(methods.map(\.name), in: name)
        propertyRows = InterfaceTable.rows(properties.map(\.name), in: name)
        _ = InterfaceTable.rows(signals.map(\.name), in: name)
    }

    private static func rows(_ names: [MemberName], in interface: InterfaceName) -> [String: Int] {
        Dictionary(names.enumerated().map { ($1.string, $0) }) { _, later in
            preconditionFailure("\(interface) has two members named \(names[later])")
        }
    }

    func method(_ name: String) -> MethodEntry? { methodRows[name].map { methods[$0] } }
    func property(_ name: String) -> PropertyEntry? { propertyRows[name].map { properties[$0] } }
}

/// An argument of a method or a signal.
public struct Argument: Hashable, Sendable {
    public let name: String
    public let type: BusType

    public init(_ name: String, _ type: BusType) {
        self.name = name
        self.type = type
    }
}

/// A remark for tools, as `org.freedesktop.DBus.Deprecated` = `true`.
public struct Annotation: Hashable, Sendable {
    public let name: InterfaceName
    public let value: String

    public init(_ name: InterfaceName, _ value: String) {
        self.name = name
        self.value = value
    }

    public static let deprecated = Annotation("org.freedesktop.DBus.Deprecated", "true")
    /// On an interface: what a change of its properties announces, where a property says nothing else (R162).
    ///
    /// Rows of properties have ``PropertyEntry/emits`` instead, from which their annotation is made.
    public static func emitsChangedSignal(_ emits: PropertyEntry.Emits) -> Annotation {
        Annotation("org.freedesktop.DBus.Property.EmitsChangedSignal", emits.rawValue)
    }
    /// Callers should not wait for an answer. One is sent all the same, unless the call asks for none.
    public static let noReply = Annotation("org.freedesktop.DBus.Method.NoReply", "true")
}

/// What a method handler says when it returns.
public enum MethodResult: Sendable, ExpressibleByArrayLiteral {
    /// The values of the answer, of the row's `out` types.
    case reply([BusValue])
    /// The answer comes later, through the ``DeferredReply`` the handler has taken from its call.
    case deferred

    /// `return []` and `return [.string("x")]` read as what they answer.
    public init(arrayLiteral values: BusValue...) { self = .reply(values) }
}

/// A method of an interface.
public struct MethodEntry: Sendable {
    /// Runs on the main actor, one call after the other in the order they arrived. The arguments are of the row's
    /// `in` types. An error becomes the reply.
    public typealias Handler = @MainActor @Sendable (MethodCall) throws(BusReplyError) -> MethodResult

    public let name: MemberName
    public let `in`: [Argument]
    public let out: [Argument]
    public let annotations: [Annotation]
    public let documentation: String
    public let handler: Handler

    let inSignature: BusSignature
    let outSignature: BusSignature

    public init(
        _ name: MemberName, in: [Argument] = [], out: [Argument] = [], annotations: [Annotation] = [],
        documentation: String = "", handler: @escaping Handler
    ) {
        self.name = name
        self.in = `in`
        self.out = out
        self.annotations = annotations
        self.documentation = documentation
        self.handler = handler
        inSignature = signature(of: `in`, in: name)
        outSignature = signature(of: out, in: name)
    }
}

/// A property of an interface.
public struct PropertyEntry: Sendable {
    public enum Access: String, Hashable, Sendable { case read, readWrite = "readwrite", write }

    /// What a change of the property announces: the `EmitsChangedSignal` annotation (R162).
    public enum Emits: String, Hashable, Sendable {
        /// `PropertiesChanged` with the new value.
        case value = "true"
        /// `PropertiesChanged` with the name only.
        case invalidates
        /// Nothing: it never changes while the object lives.
        case constant = "const"
        /// Nothing is promised.
        case none = "false"
    }

    /// Gives the present value, of the row's type. Runs on the main actor and answers from memory (F124). An error
    /// is the answer to `Get`; `GetAll` leaves the property out (R159).
    public typealias Getter = @MainActor @Sendable () throws(BusReplyError) -> BusValue
    /// Takes a value of the row's type, out of its variant. What the value means is for the setter to check: NaN
    /// and infinities do arrive. An error is the answer to `Set`.
    public typealias Setter = @MainActor @Sendable (BusValue) throws(BusReplyError) -> Void

    public let name: MemberName
    public let type: BusType
    public let access: Access
    public let emits: Emits
    public let annotations: [Annotation]
    public let documentation: String
    public let get: Getter?
    public let set: Setter?

    /// A row with any access. ``Access/readWrite`` needs both closures, the others their one; traps otherwise.
    public init(
        _ name: MemberName, _ type: BusType, access: Access, emits: Emits = .value, annotations: [Annotation] = [],
        documentation: String = "", get: Getter? = nil, set: Setter? = nil
    ) {
        precondition(access == .write || get != nil, "\(name) is readable and has no getter")
        precondition(access == .read || set != nil, "\(name) is writable and has no setter")
        self.name = name
        self.type = type
        self.access = access
        self.emits = emits
        self.annotations = annotations
        self.documentation = documentation
        self.get = get
        self.set = set
    }

    /// A property that is only read.
    public init(
        _ name: MemberName, _ type: BusType, emits: Emits = .value, annotations: [Annotation] = [],
        documentation: String = "", get: @escaping Getter
    ) {
        self.init(
            name, type, access: .read, emits: emits, annotations: annotations, documentation: documentation, get: get)
    }
}

/// A signal of an interface.
public struct SignalEntry: Hashable, Sendable {
    public let name: MemberName
    public let arguments: [Argument]
    public let annotations: [Annotation]
    public let documentation: String

    let signature: BusSignature

    public init(
        _ name: MemberName, _ arguments: [Argument] = [], annotations: [Annotation] = [], documentation: String = ""
    ) {
        self.name = name
        self.arguments = arguments
        self.annotations = annotations
        self.documentation = documentation
        signature = MartletDBus.signature(of: arguments, in: name)
    }
}

private func signature(of arguments: [Argument], in member: MemberName) -> BusSignature {
    guard let signature = BusSignature(arguments.map(\.type)) else {
        preconditionFailure("the signature of \(member) exceeds 255 bytes")
    }
    return signature
}
