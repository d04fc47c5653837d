// SPDX-License-Identifier: Apache-2.0
import MartletDBus
import MartletTestSupport
import Testing

@MainActor
@Suite("Connection", .timeLimit(.minutes(1)))
struct ConnectionTests {
    let bus: PrivateBus
    init() throws { bus = try PrivateBus() }

    @Test func `a connection has a unique name and reaches the bus`() async throws {
        let connection = try await BusConnection.connect(to: bus.address)
        let reply = try await connection.call(
            .methodCall(destination: .bus, path: "/org/freedesktop/DBus", interface: .bus, member: "ListNames"))
        #expect(reply.body[0].strings?.contains(connection.uniqueName!.string) == true)
        #expect(connection.isConnected)
    }

    @Test func `a connection made while waiting works the same`() async throws {
        let connection = try BusConnection.connectBlocking(to: bus.address)
        #expect(connection.uniqueName?.isUnique == true)
        let observer = try RecordingBus(bus.address)
        try connection.emit("Changed", of: "org.martlet.Test", at: "/a", [.string("x")])
        let signal = try await observer.signal("Changed")
        #expect(signal.body == [.string("x")])
        #expect(signal.sender == connection.uniqueName)
    }
}
