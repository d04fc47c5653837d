// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletDBus
import MartletTestSupport
import Testing

/// Buses that are not there, do not answer, or go away.
@MainActor
@Suite("Lost bus", .timeLimit(.minutes(1)))
struct LostBusTests {
    private func failure(_ address: BusAddress, timeout: Duration = .seconds(5)) async -> ErrorName? {
        do throws(BusError) {
            _ = try await BusConnection.connect(to: address, timeout: timeout)
            return nil
        } catch { return error.name }
    }

    @Test(arguments: [
        ("unix:path=/nonexistent/bus", ErrorName.fileNotFound), ("", .badAddress), ("nonsense", .badAddress),
        ("unix:path=/a\0b", .badAddress), ("unix:", .badAddress), ("bogus:a=b", .badAddress),
        ("tcp:host=127.0.0.1,port=1", .noServer),
    ])
    func `an address where no bus is gives a typed error (F120)`(address: String, expected: ErrorName) async {
        #expect(await failure(.address(address)) == expected)
        #expect { try BusConnection.connectBlocking(to: .address(address)) } throws: {
            ($0 as? BusError)?.name == expected
        }
        #expect { try BlockingBus(to: .address(address)) } throws: { ($0 as? BusError)?.name == expected }
    }

    @Test func `a socket nobody listens on any more gives a typed error`() async throws {
        let bus = try PrivateBus()
        bus.kill()
        #expect(await failure(bus.address) == .noServer)
    }

    @Test func `a bus that accepts and never answers holds nobody longer than the deadline`() async throws {
        let bus = try PrivateBus()
        bus.freeze()
        #expect(await failure(bus.address, timeout: .milliseconds(200)) == .noReply)
        let start = ContinuousClock.now
        #expect { try BusConnection.connectBlocking(to: bus.address, timeout: .milliseconds(200)) } throws: {
            ($0 as? BusError)?.name == .noReply
        }
        #expect { try BlockingBus(to: bus.address, timeout: .milliseconds(200)) } throws: {
            ($0 as? BusError)?.name == .noReply
        }
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test func `a server that closes at once gives a typed error`() async throws {
        let directory = try TemporaryDirectory()
        let listener = try RawPeer.listener(at: directory.path + "/bus")
        defer { close(listener) }
        async let closed: Void = onThread { close(accept(listener, nil, nil)) }
        let name = await failure(.address("unix:path=\(directory.path)/bus"))
        #expect(name == .disconnected || name == .noReply, "\(String(describing: name))")
        try await closed
    }

    @Test(arguments: ["kill", "stop"])
    func `when the bus goes everything pending fails and the process lives (F121)`(how: String) async throws {
        let bench = try await Workbench()
        var ended: [BusError?] = []
        bench.connection.call(
            .methodCall(destination: bench.observer.uniqueName, path: "/", interface: "a.b", member: "Never"),
            timeout: nil
        ) { ended.append($0.failure) }
        let subscription = bench.connection.subscribe(MatchRule()) { _ in }
        await withCheckedContinuation { continuation in
            bench.connection.onDisconnect = { continuation.resume() }
            if how == "kill" { bench.bus.kill() } else { bench.bus.stop() }
        }
        #expect(ended == [.disconnected])
        #expect(!bench.connection.isConnected)
        #expect(bench.connection.ownedNames.isEmpty)
        #expect(throws: BusError.disconnected) { try bench.connection.emit("A", of: "a.b", at: "/") }
        await #expect(throws: BusError.disconnected) { try await bench.connection.requestName("a.b") }
        #expect(throws: BusError.disconnected) {
            try bench.connection.objects.propertiesChanged(Workbench.path, Workbench.interface, ["Volume"])
        }
        subscription.cancel()
        _ = bench.connection.subscribe(MatchRule()) { _ in }
        bench.connection.close()
        #expect(await failure(bench.bus.address) == (how == "kill" ? .noServer : .fileNotFound))
    }

    @Test func `what came before a hang-up is handled before the loss is told`() async throws {
        // Dispatch fires once for a hang-up, however much is left to read: 1 MB is 500 of libdbus's reads.
        let directory = try TemporaryDirectory()
        let listener = try RawPeer.listener(at: directory.path + "/bus")
        defer { close(listener) }
        for _ in 0..<20 {
            async let served: Void = onThread {
                let peer = try RawPeer.server(on: listener)
                // The client has subscribed when it asks for its rule.
                _ = try peer.message()
                for number in 1...20 as ClosedRange<UInt32> {
                    let body: [BusValue] = [.uint32(number), .string(String(repeating: "x", count: 50_000))]
                    try peer.write(
                        wireBytes(of: .signal(path: "/", interface: "a.b", member: "C", body: body), serial: number + 1)
                    )
                }
            }
            let connection = try await BusConnection.connect(to: .address("unix:path=\(directory.path)/bus"))
            var numbers: [UInt32] = []
            let subscription = connection.subscribe(MatchRule()) { numbers.append($0.body[0].uint32!) }
            await withCheckedContinuation { continuation in
                guard connection.isConnected else { return continuation.resume() }
                connection.onDisconnect = { continuation.resume() }
            }
            #expect(numbers == Array(1...20))
            subscription.cancel()
            try await served
        }
    }

    @Test func `after a restart of the bus a new connection owns the name again`() async throws {
        let bench = try await Workbench()
        await withCheckedContinuation { continuation in
            bench.connection.onDisconnect = { continuation.resume() }
            bench.bus.kill()
        }
        try bench.bus.start()
        let again = try await BusConnection.connect(to: bench.bus.address)
        #expect(try await again.requestName(Workbench.name) == .primaryOwner)
        for table in bench.connection.objects.interfaces(at: Workbench.path) {
            again.objects.export(table, at: Workbench.path)
        }
        let client = try await BusConnection.connect(to: bench.bus.address)
        #expect(try await client.call(Workbench.call("Add", [.int32(1), .int32(1)])).body == [.int32(2)])
    }

    @Test func `closing tells nobody but those who wait`() async throws {
        let bus = try PrivateBus()
        let connection = try await BusConnection.connect(to: bus.address)
        connection.onDisconnect = { Issue.record("closing is not losing") }
        var ended: [BusError?] = []
        connection.call(
            .methodCall(destination: .bus, path: "/", interface: .bus, member: "ListNames")
        ) { ended.append($0.failure) }
        connection.close()
        connection.close()
        #expect(ended == [.disconnected])
        #expect(!connection.flush())
    }

    @Test func `a connection dropped is a connection closed`() async throws {
        let bus = try PrivateBus()
        let observer = try RecordingBus(bus.address)
        var connection: BusConnection? = try await BusConnection.connect(to: bus.address)
        let name = connection!.uniqueName!.string
        connection = nil
        _ = try await observer.message {
            $0.member == "NameOwnerChanged" && $0.body == [.string(name), .string(name), .string("")]
        }
    }

    @Test func `a tree that outlives its connection is no error`() async throws {
        let bus = try PrivateBus()
        var connection: BusConnection? = try await BusConnection.connect(to: bus.address)
        let objects = connection!.objects
        connection = nil
        objects.export(InterfaceTable("a.b"), at: "/a")
        #expect(throws: BusError.disconnected) {
            try objects.propertiesChanged("/a", "a.b", changed: [("C", .byte(1))])
        }
    }

    @Test func `a lost bus costs no descriptor`() async throws {
        let bus = try PrivateBus()
        func openDescriptors() -> Int { (0..<1024).count { fcntl($0, F_GETFD) >= 0 } }
        func round() async throws {
            let connection = try await BusConnection.connect(to: bus.address)
            await withCheckedContinuation { continuation in
                connection.onDisconnect = { continuation.resume() }
                bus.kill()
            }
            try bus.start()
        }
        try await round()
        let before = openDescriptors()
        for _ in 0..<20 { try await round() }
        // Other suites run at the same time; a leak would be forty.
        #expect(openDescriptors() - before < 30)
    }
}

extension Result where Failure == BusError {
    var failure: BusError? { if case .failure(let error) = self { error } else { nil } }
}
