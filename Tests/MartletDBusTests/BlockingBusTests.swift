// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletDBus
import MartletTestSupport
import Testing

/// The waiting client, against a service on the main actor of this process: everything of it runs elsewhere.
@Suite("Blocking bus", .timeLimit(.minutes(1)))
struct BlockingBusTests {
    @Test func `it calls, asks and is told`() async throws {
        let bench = try await Workbench()
        let address = bench.bus.address
        try await onThread {
            let bus = try BlockingBus(to: address)
            #expect(bus.uniqueName.isUnique && bus.isConnected)
            #expect(try bus.call(Workbench.call("Add", [.int32(1), .int32(2)])).body == [.int32(3)])
            #expect { try bus.call(Workbench.call("Refuse")) } throws: { ($0 as? BusError)?.name == .notSupported }
            #expect(try bus.owner(of: Workbench.name) != nil)
            #expect(try bus.owner(of: "org.martlet.Nobody") == nil)
            #expect(try bus.names().contains(Workbench.name))
            #expect(try bus.requestName(Workbench.name) == .exists)
            #expect(try bus.requestName("org.martlet.Mine") == .primaryOwner)
            #expect(try bus.releaseName("org.martlet.Mine") == .released)
        }
    }

    @Test func `a call ends at its deadline`() async throws {
        let bench = try await Workbench()
        let address = bench.bus.address
        try await onThread {
            let bus = try BlockingBus(to: address)
            #expect { try bus.call(Workbench.call("Later", [.string("x")]), timeout: .milliseconds(50)) } throws: {
                ($0 as? BusError)?.name == .noReply
            }
            #expect(try bus.call(Workbench.call("Add", [.int32(1), .int32(2)])).body == [.int32(3)])
        }
    }

    @Test func `signals keep their order through calls in between, and a deadline ends the waiting`() async throws {
        let bench = try await Workbench()
        let address = bench.bus.address
        try await onThread {
            let sender = try BlockingBus(to: address)
            let bus = try BlockingBus(to: address)
            let rule = MatchRule.signal("Tick", of: "a.b")
            try bus.addMatch(rule)
            for number in 0..<5 as Range<Int32> {
                try sender.send(.signal(path: "/a", interface: "a.b", member: "Tick", body: [.int32(number)]))
            }
            _ = try sender.names()
            _ = try bus.call(Workbench.call("Add", [.int32(1), .int32(2)]))
            var numbers: [Int32] = []
            while let message = try bus.nextMessage(timeout: .milliseconds(50)) {
                if message.member == "Tick" { numbers.append(message.body[0].int32!) }
            }
            #expect(numbers == [0, 1, 2, 3, 4])
            try bus.removeMatch(rule)
            #expect { try bus.removeMatch(rule) } throws: { ($0 as? BusError)?.name == .matchRuleNotFound }
        }
    }

    @Test func `its descriptor tells when to look`() async throws {
        let bus = try PrivateBus()
        let address = bus.address
        try await onThread {
            let sender = try BlockingBus(to: address)
            let bus = try BlockingBus(to: address)
            try bus.addMatch(.signal("Tick", of: "a.b"))
            while try bus.nextMessage(timeout: .zero) != nil {}
            var poller = pollfd(fd: bus.fileDescriptor, events: Int16(POLLIN), revents: 0)
            #expect(poll(&poller, 1, 0) == 0)
            try sender.send(.signal(path: "/a", interface: "a.b", member: "Tick"))
            #expect(poll(&poller, 1, 5000) == 1)
            #expect(try bus.nextMessage(timeout: .zero)?.member == "Tick")
        }
    }

    @Test func `a call with noAutoStart starts nobody, one without does (R171, R172)`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/org.martlet.Started.service"
        let text = "[D-BUS Service]\nName=org.martlet.Started\nExec=/bin/false\n"
        let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        write(descriptor, text, text.utf8.count)
        close(descriptor)
        defer { unlink(file) }
        let bus = try PrivateBus(serviceDirectories: [directory.path])
        let address = bus.address
        try await onThread {
            let bus = try BlockingBus(to: address)
            func ping(_ flags: BusMessage.Flags) -> ErrorName? {
                do throws(BusError) {
                    _ = try bus.call(
                        .methodCall(
                            destination: "org.martlet.Started", path: "/", interface: .peer, member: "Ping",
                            flags: flags))
                    return nil
                } catch { return error.name }
            }
            #expect(ping(.noAutoStart) == .nameHasNoOwner)
            #expect(ping([]) == .spawnChildExited)
        }
    }

    @Test func `a bus that goes is an error of every call`() async throws {
        let bus = try PrivateBus()
        let address = bus.address
        let client = Unchecked(try await onThread { Unchecked(try BlockingBus(to: address)) }.value)
        bus.kill()
        try await onThread {
            let bus = client.value
            #expect(throws: BusError.disconnected) {
                while try bus.nextMessage(timeout: .seconds(5)) != nil {}
            }
            #expect(throws: BusError.disconnected) { try bus.nextMessage(timeout: .seconds(5)) }
            #expect(throws: BusError.disconnected) { try bus.names() }
            #expect(throws: BusError.disconnected) { try bus.send(.signal(path: "/", interface: "a.b", member: "C")) }
            #expect(!bus.isConnected)
            #expect(bus.fileDescriptor == -1)
        }
    }

    @Test func `the process keeps its own mind about SIGPIPE`() async throws {
        let bus = try PrivateBus()
        let address = bus.address
        try await onThread {
            _ = try BlockingBus(to: address)
            var action = sigaction()
            sigaction(SIGPIPE, nil, &action)
            #expect(action.__sigaction_handler.sa_handler == nil, "SIG_DFL, as the test runner had it")
        }
    }
}
