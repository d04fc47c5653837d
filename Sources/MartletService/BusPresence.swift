// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletDBus
internal import MartletProtocol
internal import NowPlaying

/// The service on the bus: names taken, lost, and taken again.
@MainActor
final class BusPresence {
    /// How the bus is lived without (DESIGN §8).
    enum Patience: Hashable, Sendable {
        /// After this long without one the service ends, and its unit starts it again.
        case limited(Duration)
        /// It plays on, and looks for a bus now and then.
        case endless(every: Duration)
    }

    /// What came of the first look at the bus.
    enum Arrival {
        case present
        /// Somebody else is the service.
        case occupied
        case noBus(BusError)
    }

    private let session: NowPlayingSession
    private let interfaces: [any OwnInterface]
    private let isSeparateInstance: Bool
    private let patience: Patience
    private let timekeeper: any Timekeeper
    private let log: Log
    /// Has everything in place that is to be offered; awaited before a name is taken. It can ask whether another service
    /// has come first, and then need not go on.
    var prepare: (@MainActor (_ isOvertaken: @MainActor () async -> Bool) async -> Void)?
    /// Called when patience is at its end.
    var onGivenUp: (@MainActor () -> Void)?

    private var connection: BusConnection?
    private var alarm: (any Alarm)?

    init(
        session: NowPlayingSession, interfaces: [any OwnInterface], isSeparateInstance: Bool, patience: Patience,
        timekeeper: any Timekeeper, log: Log
    ) {
        self.session = session
        self.interfaces = interfaces
        self.isSeparateInstance = isSeparateInstance
        self.patience = patience
        self.timekeeper = timekeeper
        self.log = log
    }

    /// Goes on the bus: everything is offered before a name is asked for.
    func arrive() async -> Arrival {
        do throws(BusError) {
            let connection = try await BusConnection.connect(to: .session)
            if !isSeparateInstance {
                // Asked first, so that a second start does not touch the files of the first.
                guard try await connection.owner(of: MartletBus.name) == nil else { return .occupied }
            }
            await prepare? { (try? await connection.owner(of: MartletBus.name)) ?? nil != nil }
            if !isSeparateInstance {
                for interface in interfaces { interface.export(on: connection) }
                switch try await connection.requestName(MartletBus.name) {
                case .primaryOwner, .alreadyOwner: break
                case .exists, .inQueue: return .occupied
                }
            }
            switch try await session.activate(on: connection, isSeparateInstance: isSeparateInstance) {
            case .owner(let name), .instance(let name): log.info(tr("on the bus as {0}", name.description))
            case .nameless(let error):
                log.error(tr("no name on the bus, so no media keys: {0}", error.description))
            }
            self.connection = connection
            connection.onDisconnect = { [weak self] in self?.lost() }
            return .present
        } catch {
            return .noBus(error)
        }
    }

    /// Looks for a bus again and again, as patience says.
    func waitForBus() {
        switch patience {
        case .endless(let interval): retry(after: interval, next: interval, until: nil)
        case .limited(let limit):
            retry(after: .milliseconds(100), next: .milliseconds(200), until: timekeeper.now + limit)
        }
    }

    private func lost() {
        log.warning(tr("the session bus is gone; playing on and looking for it"))
        session.deactivate()
        connection = nil
        waitForBus()
    }

    private func retry(after delay: Duration, next: Duration, until end: Instant?) {
        alarm = timekeeper.alarm(at: timekeeper.now + delay) { [weak self] in
            Task { await self?.lookAgain(next, until: end) }
        }
    }

    private func lookAgain(_ next: Duration, until end: Instant?) async {
        switch await arrive() {
        case .present: return log.notice(tr("back on the session bus"))
        case .occupied: log.notice(tr("another player has taken the name on the bus"))
        case .noBus: break
        }
        if let end, timekeeper.now >= end {
            log.error(tr("the session bus did not come back"))
            onGivenUp?()
            return
        }
        retry(after: next, next: end == nil ? next : min(next * 2, .seconds(5)), until: end)
    }

    /// Leaves the bus; what has been said is written first.
    func leave() {
        alarm?.cancel()
        session.deactivate()
        connection?.flush()
        connection?.close()
        connection = nil
    }
}
