// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus
internal import MartletProtocol

/// Goes on as long as the service does, and does something after each change: told by the bus, never asked for.
struct Following {
    let service: Service

    init(_ service: Service) throws(Trouble) {
        self.service = service
        do throws(BusError) {
            for path: ObjectPath in ["/org/mpris/MediaPlayer2", MartletBus.path] {
                try service.bus.addMatch(
                    MatchRule(kind: .signal, interface: .properties, member: "PropertiesChanged", path: path))
            }
            try service.bus.addMatch(MatchRule(kind: .signal, interface: Service.player, member: "Seeked"))
            try service.bus.addMatch(
                MatchRule(
                    kind: .signal, sender: .bus, interface: .bus, member: "NameOwnerChanged",
                    argument0: MartletBus.name.string))
        } catch {
            throw Trouble(error)
        }
    }

    /// - Parameters:
    ///   - interfaces: Whose changes count.
    ///   - body: Done at once, and after each change; several that came together are one.
    /// - Throws: What the body throws; no service when it ends.
    func each(of interfaces: [InterfaceName], _ body: () throws(Trouble) -> Void) throws(Trouble) {
        try body()
        while true {
            var isNews = try hears(within: .seconds(3600), interfaces)
            // What belongs together comes within a turn of the service.
            while try hears(within: .milliseconds(1), interfaces) { isNews = true }
            if isNews { try body() }
        }
    }

    /// Whether a message came that counts, before the time was over.
    func hears(within time: Duration, _ interfaces: [InterfaceName]) throws(Trouble) -> Bool {
        do throws(BusError) {
            while let message = try service.bus.nextMessage(timeout: time) {
                if message.member == "NameOwnerChanged" {
                    guard message.body.last?.string?.isEmpty == false else { throw BusError.disconnected }
                    return true
                }
                if message.member == "Seeked" { return true }
                guard message.member == "PropertiesChanged", let name = message.body.first?.string else { continue }
                if interfaces.contains(where: { $0.string == name }) { return true }
            }
            return false
        } catch {
            throw Trouble(error)
        }
    }
}
