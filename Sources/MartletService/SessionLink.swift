// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletCore
internal import MartletProtocol
internal import MartletSQLite

/// The session and the player: what was left is brought back before anybody is told of a player, and what changes is kept.
@MainActor
final class SessionLink {
    private let player: Player
    private let log: Log
    private let path: String
    private let opening: Task<SessionStore.Opened, Never>
    private var recorder: SessionRecorder?
    private var lastWords: SessionState?

    /// How long a file that another process has is waited for.
    private static let patience: Duration = .seconds(2)

    /// Begins to open the file.
    init(path: String, player: Player, log: Log) {
        self.player = player
        self.log = log
        self.path = path
        opening = SessionLink.open(path)
    }

    private static func open(_ path: String) -> Task<SessionStore.Opened, Never> {
        let now = Int64(time(nil))
        return Task { await SessionStore.open(path: path, unixTime: now) }
    }

    /// Brings back what was left, paused, or playing where this start follows on an upgrade. Calling again does nothing.
    ///
    /// A file in use belongs to a service that is about to end, or to one that started at the same moment. The first lets
    /// go of it; before the second this one steps back, since the file and the names on the bus must not go to two.
    ///
    /// - Parameter isOvertaken: Whether another service is on the bus by now; nothing is brought back then.
    func restore(unless isOvertaken: @MainActor () async -> Bool = { false }) async {
        var opened = await opening.value
        let end = player.timekeeper.now + SessionLink.patience
        while opened.notices.contains(.inUse), player.timekeeper.now < end {
            if await isOvertaken() { return }
            // Waits for the file by itself, for a moment.
            opened = await SessionLink.open(path).value
        }
        guard recorder == nil else { return }
        for notice in opened.notices { tell(notice) }
        if let session = opened.session {
            player.restore(session)
        } else {
            player.begin(with: opened.ids)
        }
        let recorder = SessionRecorder(store: opened.store, timekeeper: player.timekeeper) { [weak self] in
            self?.state ?? SessionState(queue: PlayQueue.Snapshot(), playback: SessionPlayback())
        }
        recorder.onNotice = { [weak self] in self?.tell($0) }
        self.recorder = recorder
        player.observe { [weak recorder] _ in recorder?.note() }
        player.observeDetails { [weak self, weak recorder] id in
            guard let self, let entry = player.machine.queue.entry(id), let details = player.details(of: entry) else {
                return
            }
            recorder?.note(details, for: id)
        }
        // The wish is saved as fulfilled with the change.
        if opened.session?.playback.goesOn == true { player.send(.play) }
    }

    /// What is saved from here on is what is now: the silence of an ending is no wish of the listener's.
    ///
    /// - Parameter goesOn: Whether the next start plays on by itself, once: it follows on this end.
    func freeze(goesOn: Bool) {
        var state = state
        state.playback.goesOn = goesOn
        lastWords = state
    }

    /// Saves for the last time and lets go of the file, for whoever comes next.
    func close() async {
        await recorder?.close()
    }

    private var state: SessionState {
        if let lastWords { return lastWords }
        let machine = player.machine
        var playback = SessionPlayback()
        playback.status = machine.status
        playback.position = player.position
        playback.length = machine.length
        playback.rate = machine.rate
        playback.volume = machine.volume
        playback.isMuted = machine.isMuted
        return SessionState(queue: machine.queue.snapshot, playback: playback)
    }

    private func tell(_ notice: SessionNotice) {
        switch notice {
        case .setAside(let path, let reason):
            log.warning(tr("the last session cannot be used and a new one begins: {0}", describe(reason)))
            log.notice(tr("the old file is kept as {0}", path))
        case .inUse:
            log.warning(tr("another process has the session; this one will not be saved"))
        case .unavailable(let error):
            log.warning(tr("the session cannot be saved for now: {0}", error.message))
        case .recovered:
            log.notice(tr("the session is saved again"))
        }
    }

    private func describe(_ reason: SchemaError) -> String {
        switch reason {
        case .newer: tr("it was written by a later version of Martlet")
        case .foreign: tr("it is another program's file")
        case .sqlite: tr("it is damaged")
        }
    }
}
