// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletDBus
import MartletTestSupport
import Testing

@MainActor
@Suite("Object tree", .timeLimit(.minutes(1)))
struct ObjectTreeTests {
    let bench: Workbench
    init() async throws { bench = try await Workbench() }

    @Test func `a method gets its arguments and answers`() async {
        #expect(await bench.outcome(Workbench.call("Add", [.int32(2), .int32(3)])) == .success([.int32(5)]))
        #expect(
            await bench.outcome(Workbench.call("Who")) == .success([.string(bench.observer.uniqueName.string)]))
    }

    @Test func `a handler's error is the answer`() async {
        #expect(await bench.outcome(Workbench.call("Refuse")) == .failure(.notSupported("not now")))
    }

    @Test func `a call without an interface finds the first that has the member (F171)`() async {
        var call = Workbench.call("OnlyHere")
        call.interface = nil
        #expect(await bench.outcome(call) == .success([.string("second")]))
        call.member = "Ping"
        #expect(await bench.outcome(call) == .success([]))
        call.member = "GetAll"
        call.body = [.string(Workbench.second.string)]
        #expect(await bench.outcome(call).errorName == nil)
        call.member = "Nothing"
        #expect(await bench.outcome(call).errorName == .unknownMethod)
    }

    @Test func `a wrong signature names what was expected`() async {
        let outcome = await bench.outcome(Workbench.call("Add", [.int32(2), .string("3")]))
        guard case .failure(let error) = outcome else {
            Issue.record("answered")
            return
        }
        #expect(error.name == .invalidArgs)
        #expect(error.message.contains("(ii)") && error.message.contains("i a, i b") && error.message.contains("(is)"))
    }

    @Test func `what a handler must not answer becomes an error, and the service lives`() async {
        for member: MemberName in ["Liar", "Silent", "Forget"] {
            #expect(await bench.outcome(Workbench.call(member)).errorName == .failed, "\(member)")
        }
        #expect(await bench.outcome(Workbench.call("TooDeep")).errorName == .limitsExceeded)
        #expect(await bench.outcome(Workbench.call("Add", [.int32(1), .int32(1)])) == .success([.int32(2)]))
    }

    @Test func `calls are handled in the order they were sent`() async throws {
        for number in 0..<500 as Range<UInt32> {
            _ = try bench.observer.post(Workbench.call("Note", [.uint32(number)]))
        }
        _ = await bench.outcome(Workbench.call("Add", [.int32(1), .int32(1)]))
        #expect(bench.log == (0..<500).map(String.init))
    }

    @Test func `with the no-reply flag no answer is sent, not even an error (R154)`() async throws {
        for member: MemberName in ["Note", "Refuse", "Missing", "Forget", "Liar"] {
            try bench.observer.send(Workbench.call(member, member == "Note" ? [.uint32(2)] : []))
        }
        try bench.observer.send(Workbench.properties("Set", [.string("x"), .string("y"), .variant(.byte(1))]))
        try bench.observer.send(
            .methodCall(destination: Workbench.name, path: "/nowhere", interface: .peer, member: "Ping"))
        // Messages keep their order, so an answer to one of these would be there before this one.
        let last = try bench.observer.post(Workbench.call("Add", [.int32(1), .int32(1)]))
        _ = try await bench.observer.message { $0.replySerial == last }
        let answers = bench.observer.messages.filter { $0.sender == bench.connection.uniqueName && $0.kind != .signal }
        #expect(answers.map(\.replySerial) == [last])
        #expect(bench.log == ["2"])
    }

    // MARK: Properties

    @Test func `Get, Set and GetAll answer as their rows say (R156)`() async {
        let interface = BusValue.string(Workbench.interface.string)
        #expect(
            await bench.outcome(Workbench.properties("Get", [interface, .string("Volume")]))
                == .success([.variant(.double(0.5))]))
        #expect(
            await bench.outcome(Workbench.properties("Set", [interface, .string("Volume"), .variant(.double(0.75))]))
                == .success([]))
        #expect(bench.volume == 0.75)
        // One broken property must not fail GetAll (R159, C11, C24): three are left out, and the one not readable.
        let all = BusValue.dict([
            ("Volume", .double(0.75)), ("Title", .string("a & b")), ("Count", .uint32(3)), ("Position", .int64(-1)),
            ("Tracks", .objectPaths([])),
        ])
        #expect(await bench.outcome(Workbench.properties("GetAll", [interface])) == .success([all]))
    }

    @Test func `an interface without properties has an empty map of them (R158)`() async {
        for name in [
            "org.freedesktop.DBus.Peer", "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.Introspectable",
        ] {
            #expect(await bench.outcome(Workbench.properties("GetAll", [.string(name)])) == .success([.dict([])]))
        }
    }

    @Test func `the empty interface name means all, the first exported first (R157)`() async {
        guard case .success(let body) = await bench.outcome(Workbench.properties("GetAll", [.string("")])) else {
            Issue.record("an error")
            return
        }
        #expect(body[0]["Title"] == .string("a & b"))
        #expect(body[0]["Extra"] == .byte(2))
        #expect(body[0].dictionary?.keys.filter { $0 == "Title" }.count == 1)
        #expect(
            await bench.outcome(Workbench.properties("Get", [.string(""), .string("Extra")]))
                == .success([.variant(.byte(2))]))
        #expect(
            await bench.outcome(Workbench.properties("Set", [.string(""), .string("Volume"), .variant(.double(1))]))
                == .success([]))
        #expect(bench.volume == 1)
    }

    @Test func `a property that cannot be had now says why (R159)`() async {
        let interface = BusValue.string(Workbench.interface.string)
        for (name, error) in [
            ("Broken", ErrorName.failed), ("Liar", .failed), ("Secret", .accessDenied), ("Unsendable", .invalidArgs),
        ] {
            #expect(
                await bench.outcome(Workbench.properties("Get", [interface, .string(name)])).errorName == error,
                "\(name)")
        }
    }

    @Test func `PropertiesChanged has the signature sa{sv}as and comes from the object's path (R160)`() async throws {
        try bench.connection.objects.propertiesChanged(
            Workbench.path, Workbench.interface, ["Volume", "Tracks", "Position", "Count", "Broken", "Missing"])
        let signal = try await bench.observer.signal("PropertiesChanged")
        #expect(signal.signature == "sa{sv}as")
        #expect(signal.path == Workbench.path)
        #expect(
            signal.body == [
                .string(Workbench.interface.string), .dict([("Volume", .double(0.5))]), .strings(["Tracks"]),
            ])
    }

    @Test func `with nothing to tell nothing is sent`() async throws {
        try bench.connection.objects.propertiesChanged(Workbench.path, Workbench.interface, changed: [])
        try bench.connection.objects.propertiesChanged(Workbench.path, Workbench.interface, ["Count", "Position"])
        try bench.connection.emit("End", of: Workbench.interface, at: Workbench.path)
        _ = try await bench.observer.signal("End")
        #expect(bench.observer.signals.count == 1)
    }

    // MARK: The hook

    @Test(arguments: ["method", "error", "set", "refused set", "deferred"])
    func `signals sent before the reply arrive before the reply (R155)`(kind: String) async throws {
        bench.connection.objects.beforeReply = { [weak connection = bench.connection] in
            try? connection?.emit("Told", of: Workbench.interface, at: Workbench.path)
        }
        let interface = BusValue.string(Workbench.interface.string)
        let call =
            switch kind {
            case "method": Workbench.call("Note", [.uint32(1)])
            case "error": Workbench.call("Refuse")
            case "set": Workbench.properties("Set", [interface, .string("Volume"), .variant(.double(1))])
            case "refused set": Workbench.properties("Set", [interface, .string("Volume"), .variant(.double(.nan))])
            default: Workbench.call("Forget")
            }
        _ = await bench.outcome(call)
        let told = bench.observer.messages.firstIndex { $0.member == "Told" }
        let replied = bench.observer.messages.lastIndex { $0.kind == .methodReturn || $0.kind == .error }
        #expect(try #require(told) < #require(replied))
        #expect(bench.observer.signals.count == 1, "the hook runs once")
    }

    // MARK: Deferred replies

    @Test func `a deferred reply is sent when it is given, and others are not held up`() async throws {
        let first = try bench.observer.post(Workbench.call("Later", [.string("first")]))
        let second = try bench.observer.post(Workbench.call("Later", [.string("second")]))
        #expect(await bench.outcome(Workbench.call("Add", [.int32(1), .int32(1)])) == .success([.int32(2)]))
        #expect(bench.log == ["Later first", "Later second"])
        bench.deferred[1].reply([.string("second")])
        bench.deferred[0].fail(.invalidArgs("no"))
        // Exactly once: what comes after the first answer is ignored.
        bench.deferred[0].reply([.string("too late")])
        bench.deferred = []
        _ = await bench.outcome(Workbench.call("Add", [.int32(1), .int32(1)]))
        let answers = bench.observer.messages.filter { [first, second].contains($0.replySerial) }
        #expect(answers.map(\.replySerial) == [second, first])
        #expect(answers[0].body == [.string("second")])
        #expect(answers[1].error == .invalidArgs("no"))
    }

    @Test func `a caller that has gone is no error`() async throws {
        let client = try RecordingBus(bench.bus.address)
        _ = try client.post(Workbench.call("Later", [.string("x")]))
        _ = try await client.reply(to: Workbench.call("Add", [.int32(1), .int32(1)]))
        client.stop()
        let name = client.uniqueName.string
        _ = try await bench.observer.message {
            $0.member == "NameOwnerChanged" && $0.body == [.string(name), .string(name), .string("")]
        }
        bench.deferred[0].reply([.string("x")])
        #expect(await bench.outcome(Workbench.call("Add", [.int32(1), .int32(1)])) == .success([.int32(2)]))
    }

    @Test func `a reply after the connection has closed is no error`() async throws {
        _ = try bench.observer.post(Workbench.call("Later", [.string("x")]))
        _ = await bench.outcome(Workbench.call("Add", [.int32(1), .int32(1)]))
        bench.connection.close()
        bench.deferred[0].reply([.string("x")])
        #expect(!bench.connection.isConnected)
    }

    // MARK: Standard interfaces

    @Test func `Ping answers on whatever path, and GetMachineId has 32 hex digits (R165, C37)`() async {
        for path: ObjectPath in ["/", "/org/martlet/Test", "/nowhere"] {
            let ping = BusMessage.methodCall(destination: Workbench.name, path: path, interface: .peer, member: "Ping")
            #expect(await bench.outcome(ping) == .success([]))
        }
        let call = BusMessage.methodCall(
            destination: Workbench.name, path: "/nowhere", interface: .peer, member: "GetMachineId")
        switch await bench.outcome(call) {
        case .success(let body):
            #expect(body[0].string?.count == 32 && body[0].string?.allSatisfy(\.isHexDigit) == true)
        case .failure(let error): #expect(access("/etc/machine-id", R_OK) != 0, "\(error)")
        }
    }

    @Test func `what is withdrawn is gone, and its ancestors with it`() async {
        bench.connection.objects.unexport(Workbench.second, at: Workbench.path)
        #expect(
            await bench.outcome(Workbench.properties("GetAll", [.string(Workbench.second.string)])).errorName
                == .unknownInterface)
        bench.connection.objects.unexport(at: Workbench.path)
        bench.connection.objects.unexport(at: Workbench.path)
        #expect(await bench.outcome(Workbench.call("Note", [.uint32(1)])).errorName == .unknownObject)
        #expect(bench.connection.objects.introspection(of: "/org") == nil)
        #expect(bench.connection.objects.introspection(of: "/")?.contains("<node name") == false)
    }

    @Test func `a descriptor comes back as another number of the same file`() async throws {
        let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
        let file = BusFileDescriptor(owning: descriptor)
        let client = try await BusConnection.connect(to: bench.bus.address)
        #expect(client.canPassFileDescriptors)
        let reply = try await client.call(Workbench.call("Swap", [.fileDescriptor(file)]))
        let received = try #require(reply.body[0].fileDescriptor)
        #expect(received.rawValue != file.rawValue)
        var (one, other) = (stat(), stat())
        #expect(fstat(received.rawValue, &one) == 0 && fstat(descriptor, &other) == 0)
        #expect(one.st_rdev == other.st_rdev && one.st_ino == other.st_ino)
    }
}
