// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import MartletDBus
import MartletTestSupport
import Testing

/// Messages nobody in their right mind would send.
@MainActor
@Suite("Hostile input", .timeLimit(.minutes(2)))
struct HostileTests {
    /// A message to the bench with random fields and values, most of them nonsense.
    private nonisolated static func odd(_ random: inout RandomValues) throws -> [UInt8] {
        func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &random.generator)! }
        let members: [MemberName] = [
            "Echo", "Add", "Note", "Refuse", "Forget", "Silent", "Liar", "TooDeep", "Get", "Set", "GetAll",
            "Introspect",
            "Ping", "GetMachineId", "Nothing", "Disconnected", "NameAcquired", "NameLost",
        ]
        let interfaces: [InterfaceName?] = [
            Workbench.interface, Workbench.second, .properties, .introspectable, .peer, .bus, "a.b", nil,
        ]
        let paths: [ObjectPath] = [Workbench.path, "/", "/org", "/nowhere"]
        var body: [BusValue] = []
        if Bool.random(using: &random.generator) {
            body = (0..<Int.random(in: 0...3, using: &random.generator)).map { _ in random.value(of: random.type()) }
        } else {
            body = [
                .string(pick(["", Workbench.interface.string, "a.b", "\u{1F3B5}"])),
                .string(pick(["Volume", "Title", "", "é"])),
            ]
            if Bool.random(using: &random.generator) { body.append(.variant(random.value(of: random.type()))) }
        }
        var message = BusMessage.methodCall(
            destination: Workbench.name, path: pick(paths), interface: pick(interfaces), member: pick(members),
            body: body, flags: BusMessage.Flags(rawValue: UInt8.random(in: 0...7, using: &random.generator)))
        switch Int.random(in: 0..<10, using: &random.generator) {
        case 3, 4:
            // What the bench takes, holding whatever a variant may hold.
            message.path = Workbench.path
            message.interface = Workbench.interface
            message.member = "Echo"
            message.body = [.variant(random.value(of: random.type()))]
        case 0:
            message.kind = .signal
            message.interface = message.interface ?? "a.b"
        case 1:
            message.kind = .methodReturn
            message.replySerial = UInt32.random(in: 1...300, using: &random.generator)
        case 2:
            message.kind = .error
            message.errorName = .failed
            message.replySerial = UInt32.random(in: 1...300, using: &random.generator)
        default: break
        }
        do {
            return try wireBytes(of: message, serial: UInt32.random(in: 1...(.max), using: &random.generator))
        } catch is BusError {
            return try odd(&random)
        }
    }

    /// The bytes with a few of them changed.
    private nonisolated static func broken(_ bytes: [UInt8], _ random: inout RandomValues) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random.generator) {
            let place = bytes.indices.randomElement(using: &random.generator)!
            bytes[place] = UInt8.random(in: .min ... .max, using: &random.generator)
        }
        return bytes
    }

    @Test func `after 10,000 odd and malformed messages through the bus the service answers`() async throws {
        let bench = try await Workbench()
        let path = bench.bus.socketPath
        try await onThread {
            var random = RandomValues(seed: 20_26)
            let peer = try RawPeer.client(of: path)
            for number in 0..<10_000 {
                let bytes = try HostileTests.odd(&random)
                if number % 4 == 0 {
                    // A connection of its own each: the daemon closes it for an invalid message, or takes all that
                    // follows for the body of one whose length is broken.
                    let other = try RawPeer.client(of: path)
                    try? other.write(HostileTests.broken(bytes, &random))
                } else {
                    try peer.write(bytes)
                    if peer.isClosed { throw RawPeer.Closed() }
                }
            }
        }
        #expect(bench.connection.isConnected)
        #expect(bench.log.count > 500, "many of them reached a handler")
        #expect(await bench.outcome(Workbench.call("Add", [.int32(1), .int32(1)])) == .success([.int32(2)]))
        #expect(bench.connection.ownedNames == [Workbench.name], "a forged NameLost is not believed")
    }

    @Test func `a peer that is no bus daemon and sends nonsense costs the connection and nothing else`() async throws {
        let directory = try TemporaryDirectory()
        let listener = try RawPeer.listener(at: directory.path + "/bus")
        defer { close(listener) }
        for seed in 0..<150 as Range<UInt64> {
            async let served: Void = onThread {
                let peer = try RawPeer.server(on: listener)
                var random = RandomValues(seed: seed)
                // Valid but odd first, then broken ones until libdbus has had enough.
                for _ in 0..<20 { try peer.write(try HostileTests.odd(&random)) }
                do {
                    for _ in 0..<200 { try peer.write(HostileTests.broken(try HostileTests.odd(&random), &random)) }
                } catch is RawPeer.Closed {}
            }
            let connection = try await BusConnection.connect(to: .address("unix:path=\(directory.path)/bus"))
            connection.objects.export(
                InterfaceTable(Workbench.interface, methods: [MethodEntry("Echo") { _ in [] }]), at: Workbench.path)
            let subscription = connection.subscribe(MatchRule(kind: nil)) { _ in }
            await withCheckedContinuation { continuation in
                guard connection.isConnected else { return continuation.resume() }
                connection.onDisconnect = { continuation.resume() }
            }
            #expect(!connection.isConnected)
            #expect(throws: BusError.disconnected) { try connection.emit("A", of: "a.b", at: "/") }
            subscription.cancel()
            try await served
        }
    }

    @Test func `messages of unknown type, unknown header fields and the other byte order are taken as they should be`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let listener = try RawPeer.listener(at: directory.path + "/bus")
        defer { close(listener) }
        async let answered: [BusMessage] = onThread {
            let peer = try RawPeer.server(on: listener)
            let call = BusMessage.methodCall(destination: nil, path: "/", interface: .peer, member: "Ping")
            var unknownType = try wireBytes(of: call, serial: 5)
            unknownType[1] = 77
            try peer.write(unknownType)
            var unknownFlag = try wireBytes(of: call, serial: 6)
            unknownFlag[2] |= 0xF0
            try peer.write(unknownFlag)
            // GetAll("") in big-endian order, by hand: header, then the fields path, member, interface, signature.
            var big: [UInt8] = [UInt8(ascii: "B"), 1, 0, 1, 0, 0, 0, 5, 0, 0, 0, 7]
            func field(_ code: UInt8, _ type: Character, _ text: String) -> [UInt8] {
                var bytes: [UInt8] = [code, 1, type.asciiValue!, 0]
                if type != "g" { bytes += [0, 0, 0] }
                return bytes + [UInt8(text.utf8.count)] + Array(text.utf8) + [0]
            }
            var fields: [UInt8] = []
            for part in [
                field(1, "o", "/"), field(3, "s", "Introspect"), field(200, "s", "future"),
                field(2, "s", "org.freedesktop.DBus.Introspectable"), field(8, "g", "s"),
            ] {
                while fields.count % 8 != 0 { fields.append(0) }
                fields += part
            }
            big += [0, 0, 0, UInt8(fields.count)] + fields
            while big.count % 8 != 0 { big.append(0) }
            try peer.write(big + [0, 0, 0, 0, 0])
            var answers: [BusMessage] = []
            while answers.count < 2 {
                let message = try peer.message()
                if message.kind != .methodCall { answers.append(message) }
            }
            return answers
        }
        let connection = try await BusConnection.connect(to: .address("unix:path=\(directory.path)/bus"))
        let answers = try await answered
        #expect(answers.map(\.replySerial) == [6, 7], "a message of unknown type is ignored")
        #expect(answers[1].error?.name == .invalidArgs, "the big-endian call was understood: \(answers[1])")
        connection.close()
    }
}

/// Runs what blocks on a thread of its own.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result(catching: body)) }
    }
}

/// A fresh directory, removed with this object.
final class TemporaryDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/martlet-dbus-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw BusError.failed("no directory") }
        path = String(cString: made)
    }

    deinit {
        unlink(path + "/bus")
        rmdir(path)
    }
}
