// SPDX-License-Identifier: Apache-2.0
import MartletDBus
import MartletTestSupport
import Testing

@MainActor
@Suite("Subscriptions", .timeLimit(.minutes(1)))
struct SubscriptionTests {
    let bus: PrivateBus
    let sender: BusConnection
    let receiver: BusConnection

    init() async throws {
        bus = try PrivateBus()
        sender = try await BusConnection.connect(to: bus.address)
        receiver = try await BusConnection.connect(to: bus.address)
    }

    /// Returns when everything the sender has sent so far has been handled by the receiver.
    private func settle() async throws {
        await withCheckedContinuation { continuation in
            var end: Subscription?
            end = receiver.subscribe(MatchRule(member: "End")) { _ in
                if end != nil { continuation.resume() }
                end = nil
            }
            // The bus has the rule before it answers this, and only then the signal is sent.
            receiver.call(.methodCall(destination: .bus, path: "/", interface: .bus, member: "GetId")) { [sender] _ in
                try? sender.emit("End", of: "org.martlet.Test", at: "/end")
            }
        }
    }

    /// Returns when the bus knows what the receiver has asked for.
    private func ready() async throws {
        _ = try await receiver.call(.methodCall(destination: .bus, path: "/", interface: .bus, member: "GetId"))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let rule: MatchRule
        let expected: [Int]
    }

    // Signals 0…5, see below.
    nonisolated static let cases = [
        Case(testDescription: "everything", rule: MatchRule(), expected: [0, 1, 2, 3, 4, 5]),
        Case(testDescription: "interface", rule: MatchRule(interface: "a.One"), expected: [0, 1, 2, 5]),
        Case(testDescription: "member", rule: MatchRule(member: "Y"), expected: [1, 4]),
        Case(testDescription: "path", rule: MatchRule(path: "/a"), expected: [0, 4]),
        Case(testDescription: "path namespace", rule: MatchRule(pathNamespace: "/a"), expected: [0, 1, 4]),
        Case(testDescription: "root namespace", rule: MatchRule(pathNamespace: "/"), expected: [0, 1, 2, 3, 4, 5]),
        Case(testDescription: "first argument", rule: MatchRule(argument0: "it's"), expected: [2]),
        Case(testDescription: "empty first argument", rule: MatchRule(argument0: ""), expected: [5]),
        Case(
            testDescription: "first argument's namespace", rule: MatchRule(argument0Namespace: "com.x"),
            expected: [3, 4]),
        Case(testDescription: "all of it", rule: .signal("X", of: "a.One", at: "/a"), expected: [0]),
        Case(testDescription: "no signals", rule: MatchRule(kind: .methodCall), expected: []),
    ]

    @Test(arguments: cases)
    func `a rule lets through what fits`(rule: Case) async throws {
        var got: [Int] = []
        let wanted = receiver.subscribe(rule.rule) { message in
            if let number = message.body.last?.int32 { got.append(Int(number)) }
        }
        // A second rule brings every signal to the process; each handler still gets its own only.
        let everything = receiver.subscribe(MatchRule()) { _ in }
        try await ready()
        try sender.emit("X", of: "a.One", at: "/a", [.string("s"), .int32(0)])
        try sender.emit("Y", of: "a.One", at: "/a/b", [.int32(1)])
        try sender.emit("X", of: "a.One", at: "/ab", [.string("it's"), .int32(2)])
        try sender.emit("X", of: "a.Two", at: "/b", [.string("com.x"), .int32(3)])
        try sender.emit("Y", of: "a.Two", at: "/a", [.string("com.x.y"), .int32(4)])
        try sender.emit("X", of: "a.One", at: "/c", [.string(""), .int32(5)])
        try await settle()
        #expect(got == rule.expected)
        #expect(wanted.failure == nil)
        everything.cancel()
    }

    @Test func `a rule for a well-known sender follows its owner`() async throws {
        let other = try await BusConnection.connect(to: bus.address)
        var got: [Int32] = []
        let subscription = receiver.subscribe(.signal("X", from: "org.martlet.Test")) { got.append($0.body[0].int32!) }
        let everything = receiver.subscribe(MatchRule()) { _ in }
        try await ready()
        try sender.emit("X", of: "a.One", at: "/a", [.int32(0)])
        _ = try await sender.requestName("org.martlet.Test")
        try sender.emit("X", of: "a.One", at: "/a", [.int32(1)])
        try other.emit("X", of: "a.One", at: "/a", [.int32(2)])
        _ = try await sender.releaseName("org.martlet.Test")
        try sender.emit("X", of: "a.One", at: "/a", [.int32(3)])
        try await settle()
        _ = try await other.requestName("org.martlet.Test")
        try other.emit("X", of: "a.One", at: "/a", [.int32(4)])
        _ = try await other.call(.methodCall(destination: .bus, path: "/", interface: .bus, member: "GetId"))
        try await settle()
        #expect(got == [1, 4])
        subscription.cancel()
        everything.cancel()
    }

    @Test func `a subscription ends when cancelled and when dropped, and the bus is told`() async throws {
        var count = 0
        var dropped: Subscription? = receiver.subscribe(.signal("X")) { _ in count += 1 }
        let cancelled = receiver.subscribe(.signal("X")) { _ in count += 1 }
        try await ready()
        try sender.emit("X", of: "a.One", at: "/a")
        try await settle()
        #expect(count == 2 && dropped != nil)
        dropped = nil
        cancelled.cancel()
        cancelled.cancel()
        try await ready()
        let observed = receiver.subscribe(MatchRule(kind: nil, interface: "a.Other")) { _ in }
        try sender.emit("X", of: "a.One", at: "/a")
        try await settle()
        #expect(count == 2)
        // A rule that was never asked for cannot be taken back: the bus no longer knows either of the two.
        await #expect {
            try await receiver.call(
                .methodCall(
                    destination: .bus, path: "/", interface: .bus, member: "RemoveMatch",
                    body: [.string(MatchRule.signal("X").description)]))
        } throws: { ($0 as? BusError)?.name == .matchRuleNotFound }
        observed.cancel()
    }

    @Test func `a handler may end any subscription`() async throws {
        var count = 0
        var first: Subscription?
        var second: Subscription?
        first = receiver.subscribe(.signal("X")) { _ in
            count += 1
            second?.cancel()
            first?.cancel()
        }
        second = receiver.subscribe(.signal("X")) { _ in count += 10 }
        try await ready()
        try sender.emit("X", of: "a.One", at: "/a")
        try sender.emit("X", of: "a.One", at: "/a")
        try await settle()
        #expect(count == 1)
        // They hold each other.
        first = nil
        second = nil
    }

    @Test func `a rule the bus refuses is told`() async throws {
        let subscription = receiver.subscribe(MatchRule(path: "/a", pathNamespace: "/a")) { _ in }
        try await ready()
        #expect(subscription.failure?.name == .matchRuleInvalid)
    }

    @Test func `the owner of a name is told now and at each change`() async throws {
        var owners: [BusName?] = []
        let watch = receiver.watchName("org.martlet.Test") { owners.append($0) }
        try await ready()
        #expect(owners == [nil])
        _ = try await sender.requestName("org.martlet.Test")
        _ = try await sender.releaseName("org.martlet.Test")
        _ = try await sender.requestName("org.martlet.Test")
        try await settle()
        #expect(owners == [nil, sender.uniqueName, nil, sender.uniqueName])
        var others: [BusName?] = []
        let second = receiver.watchName("org.martlet.Test") { others.append($0) }
        try await ready()
        #expect(others == [sender.uniqueName])
        watch.cancel()
        sender.close()
        _ = try await receiver.call(.methodCall(destination: .bus, path: "/", interface: .bus, member: "GetId"))
        while others.count < 2 {
            _ = try await receiver.call(.methodCall(destination: .bus, path: "/", interface: .bus, member: "GetId"))
        }
        #expect(others == [others[0], nil])
        #expect(owners.count == 4)
        second.cancel()
    }
}
