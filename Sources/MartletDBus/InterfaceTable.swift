// SPDX-License-Identifier: Apache-2.0

/// An interface as a table: from its rows come dispatch, argument checks, properties and introspection.
@MainActor
public struct InterfaceTable {
    public let name: InterfaceName
    public let methods: [MethodEntry]
    public let properties: [PropertyEntry]
    public let signals: [SignalEntry]
    /// For the whole interface, by name.
    public let annotations: [(String, String)]

    let methodIndex: [MemberName: MethodEntry]
    let propertyIndex: [String: PropertyEntry]

    public init(
        name: InterfaceName, methods: [MethodEntry] = [], properties: [PropertyEntry] = [],
        signals: [SignalEntry] = [], annotations: [(String, String)] = []
    ) {
        self.name = name
        self.methods = methods
        self.properties = properties
        self.signals = signals
        self.annotations = annotations
        methodIndex = Dictionary(uniqueKeysWithValues: methods.map { ($0.name, $0) })
        propertyIndex = Dictionary(uniqueKeysWithValues: properties.map { ($0.name.description, $0) })
    }
}

/// A named argument of one complete type.
public struct Argument: Hashable, Sendable {
    public var name: String
    public var type: BusType

    /// - Precondition: `type` is the signature of one complete type.
    public init(_ name: String, _ type: StaticString) {
        guard let parsed = BusType("\(type)") else { preconditionFailure("\(type) is no complete type") }
        self.name = name
        self.type = parsed
    }
}

/// What a method's handler comes to.
public enum MethodAnswer: Sendable {
    /// The reply's body, of the row's output types.
    case reply([BusValue])
    /// A ``DeferredReply`` was taken from the call and will answer.
    case deferred
}

/// A method's row.
@MainActor
public struct MethodEntry {
    public typealias Handler = @MainActor (MethodCall) throws(BusReplyError) -> MethodAnswer

    public let name: MemberName
    public let inputs: [Argument]
    public let outputs: [Argument]
    public let annotations: [(String, String)]
    let handler: Handler
    let signature: [BusType]

    /// - Parameter handler: Called with arguments of exactly the input types.
    public init(
        _ name: MemberName, in inputs: [Argument] = [], out outputs: [Argument] = [],
        annotations: [(String, String)] = [], handler: @escaping Handler
    ) {
        self.name = name
        self.inputs = inputs
        self.outputs = outputs
        self.annotations = annotations
        self.handler = handler
        signature = inputs.map(\.type)
    }
}

/// A property's row.
@MainActor
public struct PropertyEntry {
    /// `EmitsChangedSignal`: what a client is promised about changes.
    public enum Emission: String, Hashable, Sendable {
        /// `PropertiesChanged` carries the new value.
        case value = "true"
        /// `PropertiesChanged` names the property.
        case invalidates = "invalidates"
        /// It never changes.
        case constant = "const"
        /// Nothing is promised.
        case none = "false"
    }

    public typealias Getter = @MainActor () -> BusValue?
    public typealias Setter = @MainActor (BusValue) throws(BusReplyError) -> Void

    public let name: MemberName
    public let type: BusType
    public let emission: Emission
    public let annotations: [(String, String)]
    let get: Getter
    let set: Setter?

    /// - Parameters:
    ///   - get: The value, of the row's type; `nil` leaves the property out of `GetAll`, and a `Get` is refused as unknown:
    ///     an optional property the program does not have.
    ///   - set: Called with a value of exactly the row's type; without it the property is read-only.
    public init(
        _ name: MemberName, _ type: StaticString, emits emission: Emission = .value,
        annotations: [(String, String)] = [], get: @escaping Getter, set: Setter? = nil
    ) {
        self.name = name
        self.type = Argument("", type).type
        self.emission = emission
        self.annotations = annotations
        self.get = get
        self.set = set
    }
}

/// A signal's row.
public struct SignalEntry: Sendable {
    public var name: MemberName
    public var arguments: [Argument]

    public init(_ name: MemberName, _ arguments: [Argument] = []) {
        self.name = name
        self.arguments = arguments
    }
}
