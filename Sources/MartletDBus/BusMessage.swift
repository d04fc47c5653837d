// SPDX-License-Identifier: Apache-2.0

/// A message: what kind, from whom, to what, and what it carries.
public struct BusMessage: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case methodCall
        case methodReturn
        case error
        case signal
    }

    public var kind: Kind
    public var path: ObjectPath?
    public var interface: InterfaceName?
    public var member: MemberName?
    public var errorName: ErrorName?
    public var destination: BusName?
    /// Filled in by the bus on arrival.
    public internal(set) var sender: BusName?
    /// Given out by the connection when the message is sent; 0 before.
    public internal(set) var serial: UInt32 = 0
    /// The serial of the call this answers.
    public var replySerial: UInt32?
    /// The caller wants no answer.
    public var isReplyUnwanted = false
    /// The bus shall not start a service for it.
    public var preventsAutoStart = false
    public var allowsInteraction = false
    public var body: [BusValue]

    public var signature: BusSignature { BusSignature(body.map(\.type)) }

    init(kind: Kind, body: [BusValue]) {
        self.kind = kind
        self.body = body
    }

    public static func methodCall(
        to destination: BusName?, path: ObjectPath, interface: InterfaceName?, member: MemberName,
        _ body: [BusValue] = []
    ) -> BusMessage {
        var message = BusMessage(kind: .methodCall, body: body)
        message.destination = destination
        message.path = path
        message.interface = interface
        message.member = member
        return message
    }

    public static func signal(
        path: ObjectPath, interface: InterfaceName, member: MemberName, _ body: [BusValue] = []
    ) -> BusMessage {
        var message = BusMessage(kind: .signal, body: body)
        message.path = path
        message.interface = interface
        message.member = member
        return message
    }

    public static func reply(to call: BusMessage, _ body: [BusValue] = []) -> BusMessage {
        var message = BusMessage(kind: .methodReturn, body: body)
        message.destination = call.sender
        message.replySerial = call.serial
        return message
    }

    public static func error(to call: BusMessage, _ error: BusReplyError) -> BusMessage {
        var message = BusMessage(kind: .error, body: [.string(error.message)])
        message.destination = call.sender
        message.replySerial = call.serial
        message.errorName = error.name
        return message
    }
}
