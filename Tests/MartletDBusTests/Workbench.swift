// SPDX-License-Identifier: Apache-2.0
import MartletDBus
import MartletTestSupport

/// A service that shows every kind of member, on a bus of its own and on the main actor, with an outside observer.
@MainActor
final class Workbench {
    nonisolated static let name: BusName = "org.martlet.Test"
    nonisolated static let path: ObjectPath = "/org/martlet/Test"
    nonisolated static let interface: InterfaceName = "org.martlet.Test.Bench"
    nonisolated static let second: InterfaceName = "org.martlet.Test.Second"

    let bus: PrivateBus
    let connection: BusConnection
    let observer: RecordingBus

    /// What the handlers were called with, in order.
    var log: [String] = []
    var volume = 0.5
    var deferred: [DeferredReply] = []

    init(configuration: String = "") async throws {
        bus = try PrivateBus(configuration: configuration)
        connection = try await BusConnection.connect(to: bus.address)
        observer = try RecordingBus(bus.address)
        connection.objects.export(bench(), at: Workbench.path)
        connection.objects.export(
            InterfaceTable(
                Workbench.second,
                methods: [MethodEntry("OnlyHere", out: [Argument("who", .string)]) { _ in [.string("second")] }],
                properties: [
                    PropertyEntry("Title", .string) { .string("of the second") },
                    PropertyEntry("Extra", .byte) { .byte(2) },
                ]), at: Workbench.path)
        guard try await connection.requestName(Workbench.name) == .primaryOwner else { throw BusError.failed("name") }
        // The observer was there first: what it has seen so far is not what a test is about.
        observer.clear()
    }

    private func bench() -> InterfaceTable {
        InterfaceTable(
            Workbench.interface,
            methods: [
                MethodEntry("Echo", in: [Argument("value", .variant)], out: [Argument("value", .variant)]) {
                    [unowned self] call in
                    log.append("Echo")
                    return .reply(call.arguments)
                },
                MethodEntry(
                    "Add", in: [Argument("a", .int32), Argument("b", .int32)], out: [Argument("sum", .int32)],
                    annotations: [.deprecated]
                ) { call in [.int32(call.arguments[0].int32! &+ call.arguments[1].int32!)] },
                MethodEntry("Note", in: [Argument("number", .uint32)]) { [unowned self] call in
                    log.append("\(call.arguments[0].uint32!)")
                    return []
                },
                MethodEntry("Refuse") { call throws(BusReplyError) in throw .notSupported("not now") },
                MethodEntry("Later", in: [Argument("tag", .string)], out: [Argument("tag", .string)]) {
                    [unowned self] call in
                    deferred.append(call.deferReply())
                    log.append("Later \(call.arguments[0].string!)")
                    return .deferred
                },
                MethodEntry("Forget") { call in
                    _ = call.deferReply()
                    return .deferred
                },
                MethodEntry("Silent") { _ in .deferred },
                MethodEntry("Liar", out: [Argument("text", .string)]) { _ in [.int32(1)] },
                MethodEntry("TooDeep", out: [Argument("value", .variant)]) { _ in
                    [(0..<70).reduce(BusValue.byte(1)) { value, _ in .variant(value) }]
                },
                MethodEntry("Who", out: [Argument("sender", .string)]) { call in [.string(call.sender?.string ?? "")] },
                MethodEntry(
                    "Swap", in: [Argument("file", .fileDescriptor)], out: [Argument("file", .fileDescriptor)]
                ) { call in .reply(call.arguments) },
            ],
            properties: [
                PropertyEntry(
                    "Volume", .double, access: .readWrite, get: { [unowned self] in .double(volume) },
                    set: { [unowned self] value throws(BusReplyError) in
                        guard let new = value.double, new.isFinite else { throw .invalidArgs("no volume") }
                        volume = new
                    }),
                PropertyEntry("Title", .string) { .string("a & b") },
                PropertyEntry("Secret", .string, access: .write, emits: .none, set: { _ in }),
                PropertyEntry("Broken", .string) { () throws(BusReplyError) in throw .failed("no value now") },
                PropertyEntry("Liar", .string) { .int32(1) },
                PropertyEntry("Unsendable", .variant) { .variant(.array([.byte(1)], of: .string)) },
                PropertyEntry("Count", .uint32, emits: .constant) { .uint32(3) },
                PropertyEntry("Position", .int64, emits: .none) { .int64(-1) },
                PropertyEntry("Tracks", .objectPaths, emits: .invalidates) { .objectPaths([]) },
            ],
            signals: [SignalEntry("Happened", [Argument("what", .string), Argument("when", .int64)])],
            annotations: [Annotation("org.martlet.Note", "<\"&'>")])
    }

    /// A call of the bench as the observer sends it.
    nonisolated static func call(_ member: MemberName, _ body: [BusValue] = [], flags: BusMessage.Flags = [])
        -> BusMessage
    {
        .methodCall(destination: name, path: path, interface: interface, member: member, body: body, flags: flags)
    }

    /// A call of `Properties`.
    nonisolated static func properties(_ member: MemberName, _ body: [BusValue]) -> BusMessage {
        .methodCall(destination: name, path: path, interface: .properties, member: member, body: body)
    }

    /// What a call is answered with, from outside; an error as its name.
    func outcome(_ message: BusMessage) async -> Result<[BusValue], BusError> {
        do {
            return .success(try await observer.reply(to: message).body)
        } catch let error as BusError {
            return .failure(error)
        } catch {
            return .failure(.failed("\(error)"))
        }
    }
}

extension Result where Failure == BusError {
    /// The name of the error; `nil` for success.
    var errorName: ErrorName? { if case .failure(let error) = self { error.name } else { nil } }
}
