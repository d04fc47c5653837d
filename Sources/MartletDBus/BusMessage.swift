// SPDX-License-Identifier: Apache-2.0

/// One message: its header fields and its values.
///
/// A received message is valid as D-Bus means it (libdbus checks the bytes before this value is made), but its
/// senders are anybody: types, values and sizes are theirs to choose.
public struct BusMessage: Hashable, Sendable {
    public enum Kind: Hashable, Sendable { case methodCall, methodReturn, error, signal }

    public struct Flags: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// The sender wants no answer, not even an error (R154).
        public static let noReply = Flags(rawValue: 1)
        /// The bus is not to start the receiver if it does not run.
        public static let noAutoStart = Flags(rawValue: 2)
        /// The receiver may ask the user for authorisation before it answers.
        public static let allowInteractive = Flags(rawValue: 4)
    }

    public var kind: Kind
    public var flags: Flags
    /// The sender's number of this message; 0 until it is sent.
    public var serial: UInt32 = 0
    /// In an answer, the serial of the call.
    public var replySerial: UInt32 = 0
    /// The receiver; `nil` for a broadcast signal, and between two processes without a bus.
    public var destination: BusName?
    /// The unique name of the sender, written by the bus daemon and therefore true; `nil` without a daemon.
    public var sender: BusName?
    public var path: ObjectPath?
    public var interface: InterfaceName?
    public var member: MemberName?
    public var errorName: ErrorName?
    /// The values, in order.
    public var body: [BusValue]
    /// The signature the message was received with; empty in a message that was not received.
    public internal(set) var signature: BusSignature = .empty

    init(kind: Kind, flags: Flags = [], body: [BusValue]) {
        self.kind = kind
        self.flags = flags
        self.body = body
    }

    /// A call of a method. Without an interface the receiver takes the first that has the member (F171).
    public static func methodCall(
        destination: BusName?, path: ObjectPath, interface: InterfaceName?, member: MemberName,
        body: [BusValue] = [], flags: Flags = []
    ) -> BusMessage {
        var message = BusMessage(kind: .methodCall, flags: flags, body: body)
        message.destination = destination
        message.path = path
        message.interface = interface
        message.member = member
        return message
    }

    /// A signal; without a destination everybody who asked for it gets it (R175).
    public static func signal(
        path: ObjectPath, interface: InterfaceName, member: MemberName, body: [BusValue] = [],
        destination: BusName? = nil
    ) -> BusMessage {
        var message = BusMessage(kind: .signal, flags: .noReply, body: body)
        message.destination = destination
        message.path = path
        message.interface = interface
        message.member = member
        return message
    }

    /// The successful answer to a received call.
    public static func reply(to call: BusMessage, body: [BusValue] = []) -> BusMessage {
        var message = BusMessage(kind: .methodReturn, flags: .noReply, body: body)
        message.replySerial = call.serial
        message.destination = call.sender
        return message
    }

    /// The answer to a received call that failed.
    public static func error(to call: BusMessage, _ error: BusError) -> BusMessage {
        var message = BusMessage(kind: .error, flags: .noReply, body: [.string(error.message)])
        message.replySerial = call.serial
        message.destination = call.sender
        message.errorName = error.name
        return message
    }

    /// What an error message says; `nil` in the other kinds. The first value is the sentence, if it is a string.
    public var error: BusError? {
        guard kind == .error else { return nil }
        var sentence = ""
        if case .string(let text)? = body.first { sentence = text }
        return BusError(errorName ?? .failed, sentence)
    }
}

/// `Properties` calls, for clients.
extension BusMessage {
    /// `Properties.Get`: answered with one variant.
    public static func getProperty(
        _ property: MemberName, of interface: InterfaceName, at path: ObjectPath, destination: BusName?,
        flags: Flags = []
    ) -> BusMessage {
        .methodCall(
            destination: destination, path: path, interface: .properties, member: "Get",
            body: [.string(interface.string), .string(property.string)], flags: flags)
    }

    /// `Properties.GetAll`: answered with one `a{sv}`.
    public static func getAllProperties(
        of interface: InterfaceName, at path: ObjectPath, destination: BusName?, flags: Flags = []
    ) -> BusMessage {
        .methodCall(
            destination: destination, path: path, interface: .properties, member: "GetAll",
            body: [.string(interface.string)], flags: flags)
    }

    /// `Properties.Set`: answered with nothing. The value is wrapped in a variant here.
    public static func setProperty(
        _ property: MemberName, of interface: InterfaceName, to value: BusValue, at path: ObjectPath,
        destination: BusName?, flags: Flags = []
    ) -> BusMessage {
        .methodCall(
            destination: destination, path: path, interface: .properties, member: "Set",
            body: [.string(interface.string), .string(property.string), .variant(value)], flags: flags)
    }
}
