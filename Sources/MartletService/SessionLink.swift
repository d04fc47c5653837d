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
    private let opening: Task<SessionStore.Opened, Never>
    private var recorder: SessionRecorder?
    private var lastWords: SessionState?

    /// Begins to open the file, off the main actor.
    init(path: String, player: Player, log: Log) {
        self.player = player
        self.log = log
        let now = Int64(time(nil))
        opening = Task.detached(priority: .userInitiated) { await SessionStore.open(path: path, unixTime: now) }
    }

    /// Brings back what was left, paused. Calling again does nothing.
    func restore() async {
        let opened = await opening.value
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
    }

    /// What is saved from here on is what is now: the silence of an ending is no wish of the listener's.
    func freeze() {
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
