// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import MartletDBus
import MartletTestSupport
import Testing

@MainActor
@Suite("Connection", .timeLimit(.minutes(1)))
struct ConnectionTests {
    let bus: PrivateBus
    init() throws { bus = try PrivateBus() }

    private static let listNames = BusMessage.methodCall(
        destination: .bus, path: "/org/freedesktop/DBus", interface: .bus, member: "ListNames")

    @Test func `a connection has a unique name and reaches the bus`() async throws {
        let connection = try await BusConnection.connect(to: bus.address)
        let reply = try await connection.call(Self.listNames)
        #expect(reply.body[0].strings?.contains(connection.uniqueName!.string) == true)
        #expect(connection.isConnected)
        #expect(connection.outgoingByteCount == 0)
    }

    @Test func `a connection made while waiting works the same`() async throws {
        let connection = try BusConnection.connectBlocking(to: bus.address)
        #expect(connection.uniqueName?.isUnique == true)
        let observer = try RecordingBus(bus.address)
        try connection.emit("Changed", of: "org.martlet.Test", at: "/a", [.string("x")])
        let signal = try await observer.signal("Changed")
        #expect(signal.body == [.string("x")])
        #expect(signal.sender == connection.uniqueName)
        #expect(signal.destination == nil, "a signal is a broadcast (R175)")
    }

    // MARK: Names

    @Test func `a name is owned, refused to a second, and given back (R167, F116)`() async throws {
        let first = try await BusConnection.connect(to: bus.address)
        let second = try await BusConnection.connect(to: bus.address)
        var acquired: [BusName] = []
        var lost: [BusName] = []
        first.onNameAcquired = { acquired.append($0) }
        first.onNameLost = { lost.append($0) }
        #expect(try await first.requestName("org.martlet.Test") == .primaryOwner)
        #expect(first.ownedNames == ["org.martlet.Test"])
        #expect(acquired == ["org.martlet.Test"], "NameAcquired has come before the reply")
        #expect(try await first.requestName("org.martlet.Test") == .alreadyOwner)
        #expect(try await second.requestName("org.martlet.Test") == .exists)
        #expect(try await second.releaseName("org.martlet.Test") == .notOwner)
        #expect(try await second.releaseName("org.martlet.Nobody") == .nonExistent)
        #expect(try await first.releaseName("org.martlet.Test") == .released)
        #expect(lost == ["org.martlet.Test"])
        #expect(first.ownedNames.isEmpty)
    }

    @Test func `a name taken over is told to who had it (R169)`() async throws {
        let first = try await BusConnection.connect(to: bus.address)
        let second = try await BusConnection.connect(to: bus.address)
        #expect(
            try await first.requestName("org.martlet.Test", flags: [.allowReplacement, .doNotQueue]) == .primaryOwner)
        let lost = await withCheckedContinuation { continuation in
            first.onNameLost = { continuation.resume(returning: $0) }
            second.call(
                .methodCall(
                    destination: .bus, path: "/org/freedesktop/DBus", interface: .bus, member: "RequestName",
                    body: [.string("org.martlet.Test"), .uint32(NameRequestFlags.replaceExisting.rawValue)])
            ) { _ in }
        }
        #expect(lost == "org.martlet.Test")
        #expect(second.ownedNames == ["org.martlet.Test"])
    }

    @Test func `in line for a name, the next owner is told when it is free`() async throws {
        let first = try await BusConnection.connect(to: bus.address)
        let second = try await BusConnection.connect(to: bus.address)
        #expect(try await first.requestName("org.martlet.Test") == .primaryOwner)
        #expect(try await second.requestName("org.martlet.Test", flags: []) == .inQueue)
        let acquired = await withCheckedContinuation { continuation in
            second.onNameAcquired = { continuation.resume(returning: $0) }
            first.close()
        }
        #expect(acquired == "org.martlet.Test")
    }

    @Test func `a name the policy forbids is AccessDenied (F118), a unique one InvalidArgs`() async throws {
        let bus = try PrivateBus(
            configuration: "<policy context=\"default\"><deny own=\"org.martlet.Denied\"/></policy>")
        let connection = try await BusConnection.connect(to: bus.address)
        await #expect { try await connection.requestName("org.martlet.Denied") } throws: {
            ($0 as? BusError)?.name == .accessDenied
        }
        await #expect { try await connection.requestName(":1.99") } throws: { ($0 as? BusError)?.name == .invalidArgs }
    }

    // MARK: Calls

    @Test func `a call to nobody says so, and starts nobody with noAutoStart`() async throws {
        let connection = try await BusConnection.connect(to: bus.address)
        for flags in [BusMessage.Flags(), .noAutoStart] {
            let call = BusMessage.methodCall(
                destination: "org.martlet.Nobody", path: "/", interface: .peer, member: "Ping", flags: flags)
            await #expect { try await connection.call(call) } throws: { ($0 as? BusError)?.isUnreachable == true }
        }
    }

    @Test func `a call nobody answers ends in time, in the order of the deadlines`() async throws {
        let (client, mute) = try await pairWithMute()
        var ended: [Int] = []
        await withCheckedContinuation { continuation in
            for (number, limit) in [(0, 60), (1, 20), (2, 40)] {
                client.call(call(mute), timeout: .milliseconds(limit)) { result in
                    #expect(result.errorName == .noReply)
                    ended.append(number)
                    if ended.count == 3 { continuation.resume() }
                }
            }
        }
        #expect(ended == [1, 2, 0])
        await #expect(throws: BusError.timedOut) { try await client.call(call(mute), timeout: .milliseconds(1)) }
    }

    @Test func `an answer that comes too late is ignored`() async throws {
        let bench = try await Workbench()
        let client = try await BusConnection.connect(to: bench.bus.address)
        let name = Workbench.call("Later", [.string("x")])
        await #expect(throws: BusError.timedOut) { try await client.call(name, timeout: .milliseconds(30)) }
        bench.deferred[0].reply([.string("x")])
        #expect(try await client.call(Workbench.call("Add", [.int32(1), .int32(1)])).body == [.int32(2)])
    }

    @Test func `a cancelled task gives its call up`() async throws {
        let (client, mute) = try await pairWithMute()
        let task = Task { () -> BusError? in
            do throws(BusError) {
                _ = try await client.call(call(mute), timeout: nil)
                return nil
            } catch { return error }
        }
        _ = try await client.call(Self.listNames)
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    @Test func `a message that cannot be sent is an error, and the connection lives`() async throws {
        let connection = try await BusConnection.connect(to: bus.address)
        var impossible = Self.listNames
        impossible.body = [.structure([])]
        await #expect { try await connection.call(impossible) } throws: { ($0 as? BusError)?.name == .limitsExceeded }
        let error = await withCheckedContinuation { continuation in
            connection.call(impossible) { continuation.resume(returning: $0.errorName) }
        }
        #expect(error == .limitsExceeded)
        _ = try await connection.call(Self.listNames)
    }

    /// A client, and a peer that reads calls and never answers.
    private func pairWithMute() async throws -> (BusConnection, RecordingBus) {
        (try await BusConnection.connect(to: bus.address), try RecordingBus(bus.address))
    }

    private func call(_ peer: RecordingBus) -> BusMessage {
        .methodCall(destination: peer.uniqueName, path: "/", interface: "org.martlet.Test", member: "Answer")
    }

    // MARK: Load

    @Test func `ten thousand calls in flight are answered in order while the main queue stays free`() async throws {
        let bench = try await Workbench()
        let client = try await BusConnection.connect(to: bench.bus.address)
        let count: Int32 = 10_000
        var answers: [Int32] = []
        var turns = 0
        var isDone = false
        func turn() {
            turns += 1
            if !isDone { DispatchQueue.main.async { MainActor.assumeIsolated(turn) } }
        }
        turn()
        await withCheckedContinuation { continuation in
            for number in 0..<count {
                client.call(Workbench.call("Add", [.int32(number), .int32(0)])) { result in
                    if case .success(let reply) = result { answers.append(reply.body[0].int32!) }
                    if answers.count == count { continuation.resume() }
                }
            }
        }
        isDone = true
        #expect(answers == Array(0..<count))
        #expect(turns > (Sanitizer.isSlow ? 4 : 40), "other work on the main queue ran between the messages")
    }

    @Test func `a reader that does not read neither blocks the sender nor loses a message`() async throws {
        let bench = try await Workbench()
        let payload = String(repeating: "x", count: 50_000)
        bench.bus.freeze()
        let start = ContinuousClock.now
        for number in 0..<400 as Range<UInt32> {
            try bench.connection.emit(
                "Big", of: Workbench.interface, at: Workbench.path, [.uint32(number), .string(payload)])
        }
        #expect(ContinuousClock.now - start < .seconds(5), "sending does not wait")
        #expect(bench.connection.outgoingByteCount > 1_000_000)
        #expect(!bench.connection.flush(timeout: .milliseconds(50)), "flush ends in time")
        bench.bus.thaw()
        let numbers = try await onThread { [observer = bench.observer] in
            try observer.wait(within: .seconds(20)) { messages -> [UInt32]? in
                let numbers = messages.filter { $0.member == "Big" }.map { $0.body[0].uint32! }
                return numbers.count == 400 ? numbers : nil
            }
        }
        #expect(numbers == Array(0..<400))
        #expect(bench.connection.flush())
        #expect(bench.connection.outgoingByteCount == 0)
    }

    @Test(.disabled(if: Sanitizer.wakes, "ThreadSanitizer has a thread that wakes by itself"))
    func `an idle connection wakes nobody`() async {
        // In a process of its own: what is counted is every wake-up of every thread.
        await #expect(processExitsWith: .success) {
            try await idleWakeUps()
        }
    }

    // MARK: Peer rules

    @Test func `descriptors are refused where the connection carries none`() async throws {
        let directory = try TemporaryDirectory()
        let listener = try RawPeer.listener(at: directory.path + "/bus")
        defer { close(listener) }
        async let peer = onThread { Unchecked(try RawPeer.server(on: listener, passesDescriptors: false)) }
        let connection = try await BusConnection.connect(to: .address("unix:path=\(directory.path)/bus"))
        #expect(!connection.canPassFileDescriptors)
        let file = try BusFileDescriptor(duplicating: STDIN_FILENO)
        #expect { try connection.emit("A", of: "a.b", at: "/", [.variant(.fileDescriptor(file))]) } throws: {
            ($0 as? BusError)?.name == .notSupported
        }
        #expect(connection.isConnected)
        _ = try await peer
    }

    @Test func `more descriptors than the kernel takes are refused here`() async throws {
        let bench = try await Workbench()
        let file = try BusFileDescriptor(duplicating: STDIN_FILENO)
        #expect {
            try bench.connection.emit(
                "A", of: "a.b", at: "/",
                [.array(Array(repeating: .fileDescriptor(file), count: 254), of: .fileDescriptor)])
        } throws: { ($0 as? BusError)?.name == .limitsExceeded }
        #expect(await bench.outcome(Workbench.call("Add", [.int32(1), .int32(1)])) == .success([.int32(2)]))
    }
}

/// A value handed from one thread to another, which is then its only user.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

/// Ends the process with an error when a connection that has nothing to do wakes it.
@MainActor
private func idleWakeUps() async throws {
    let bus = try PrivateBus()
    let connection = try await BusConnection.connect(to: bus.address)
    let subscription = connection.subscribe(MatchRule()) { _ in }
    _ = try await connection.requestName("org.martlet.Test")
    let counted = await withCheckedContinuation { continuation in
        // A timer of our own ends the idleness: one wake-up, on the main queue.
        DispatchQueue.main.asyncAfter(deadline: .now() + .seconds(1)) {
            let before = voluntarySwitches()
            DispatchQueue.main.asyncAfter(deadline: .now() + .seconds(3)) {
                continuation.resume(returning: voluntarySwitches() - before)
            }
        }
    }
    subscription.cancel()
    // Dispatch itself looks after its threads once a second, and those of the start end in this time; the rest is the
    // end of the measurement. That nothing at all wakes the service is tested from outside.
    guard counted <= 20, connection.isConnected else {
        throw BusError.failed("\(counted) wake-ups in three idle seconds")
    }
}

/// How often the threads of this process have gone to sleep by themselves.
private func voluntarySwitches() -> Int {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    return usage.ru_nvcsw
}
