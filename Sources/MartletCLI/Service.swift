// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus
internal import MartletProtocol

/// The service as a command sees it: one call after the other, each waited for.
final class Service {
    let bus: BlockingBus

    private static let mprisPath: ObjectPath = "/org/mpris/MediaPlayer2"
    static let player: InterfaceName = "org.mpris.MediaPlayer2.Player"

    init() throws(Trouble) {
        do throws(BusError) {
            bus = try BlockingBus(to: .session)
        } catch {
            throw Trouble(exit: .noService, message: tr("there is no session bus: {0}", error.message))
        }
    }

    /// Whether the service runs now.
    var isRunning: Bool { ((try? bus.owner(of: MartletBus.name)) ?? nil) != nil }

    /// Calls a method of MPRIS' Player.
    ///
    /// - Parameter starts: Whether the bus may start the service for it.
    @discardableResult
    func player(_ member: MemberName, _ arguments: [BusValue] = [], starts: Bool = false) throws(Trouble) -> [BusValue]
    {
        try call(
            .methodCall(
                destination: MartletBus.mprisName, path: Service.mprisPath, interface: Service.player, member: member,
                body: arguments), starts)
    }

    /// Calls a method of one of Martlet's own interfaces.
    @discardableResult
    func own(
        _ interface: InterfaceName, _ member: MemberName, _ arguments: [BusValue] = [], starts: Bool = false
    ) throws(Trouble) -> [BusValue] {
        try call(
            .methodCall(
                destination: MartletBus.name, path: MartletBus.path, interface: interface, member: member,
                body: arguments), starts)
    }

    func property(_ interface: InterfaceName, _ name: MemberName) throws(Trouble) -> BusValue {
        let (destination, path) = place(of: interface)
        let values = try call(
            .getProperty(name, of: interface, at: path, destination: destination), false)
        return values.first?.unwrapped ?? .string("")
    }

    func properties(_ interface: InterfaceName) throws(Trouble) -> BusDictionary {
        let (destination, path) = place(of: interface)
        let values = try call(.getAllProperties(of: interface, at: path, destination: destination), false)
        return values.first?.dictionary ?? BusDictionary([])
    }

    func set(_ interface: InterfaceName, _ name: MemberName, _ value: BusValue) throws(Trouble) {
        let (destination, path) = place(of: interface)
        _ = try call(.setProperty(name, of: interface, to: value, at: path, destination: destination), false)
    }

    private func place(of interface: InterfaceName) -> (BusName, ObjectPath) {
        interface == Service.player ? (MartletBus.mprisName, Service.mprisPath) : (MartletBus.name, MartletBus.path)
    }

    private func call(_ message: BusMessage, _ starts: Bool) throws(Trouble) -> [BusValue] {
        var message = message
        if !starts { message.flags.insert(.noAutoStart) }
        do throws(BusError) {
            // Files are looked through for as long as it takes.
            return try bus.call(message, timeout: .seconds(600)).body
        } catch {
            throw Trouble(error)
        }
    }
}
