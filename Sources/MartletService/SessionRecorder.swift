// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletSQLite

/// Decides when the session is written, on the main actor, without ever waiting for the disk.
///
/// A change of the queue is handed to the store at once; while one write is under way further changes gather into the
/// next. What changes by itself or in a stream of small steps (the position, the volume) waits until ``interval`` has
/// passed since the last write. While nothing changes nothing is written and no timer runs; while a track plays one
/// timer runs, for its position.
@MainActor
public final class SessionRecorder {
    /// Told on the main actor; each kind of trouble once, until it has passed.
    public var onNotice: (@MainActor (SessionNotice) -> Void)?

    private let store: SessionStore
    private let timekeeper: any Timekeeper
    private let state: @MainActor () -> SessionState
    private var details: [EntryID: TrackDetails] = [:]
    /// What the store was given last.
    private var handedOver: SessionState?
    private var lastWrite: Instant?
    private var writing: Task<Void, Never>?
    private var isWanted = false
    private var trouble: ResultCode?
    private var alarm: (any Alarm)?
    private var isClosed = false

    /// How often a position is written, at most.
    public static let interval = Duration.seconds(5)
    /// After how long a save that failed is tried again, if nothing changes before.
    public static let retryInterval = Duration.seconds(30)

    /// - Parameter state: What is to be saved, when it is to be saved; cheap, and called often.
    init(
        store: SessionStore, timekeeper: any Timekeeper, state: @escaping @MainActor () -> SessionState
    ) {
        self.store = store
        self.timekeeper = timekeeper
        self.state = state
    }

    /// Something about the player may have changed.
    func note() {
        guard !isClosed else { return }
        let now = state()
        guard let old = handedOver, trouble == nil else { return write() }
        let isUrgent =
            now.queue.revision != old.queue.revision || now.queue.loopMode != old.queue.loopMode
            || now.queue.consumes != old.queue.consumes || now.queue.stopAfter != old.queue.stopAfter
            || now.playback.status != old.playback.status || now.playback.length != old.playback.length
        if isUrgent || !details.isEmpty { return write() }
        guard now.playback != old.playback || now.playback.status == .playing else { return }
        wait(until: (lastWrite ?? timekeeper.now) + SessionRecorder.interval)
    }

    /// An entry's details became known.
    func note(_ details: TrackDetails, for id: EntryID) {
        self.details[id] = details
        note()
    }

    /// Writes what there is to write and waits until it is on disk, or has failed.
    func flush() async {
        write()
        while let writing { await writing.value }
    }

    /// Saves for the last time and closes the file.
    func close() async {
        guard !isClosed else { return }
        isClosed = true
        alarm?.cancel()
        while let writing { await writing.value }
        do throws(SQLiteError) {
            try await store.close(saving: state(), details: details)
        } catch {
            onNotice?(.unavailable(error))
        }
    }

    private func wait(until instant: Instant) {
        guard alarm == nil else { return }
        alarm = timekeeper.alarm(at: instant) { [weak self] in
            guard let self else { return }
            alarm = nil
            write()
        }
    }

    private func write() {
        isWanted = true
        guard writing == nil else { return }
        writing = Task { [weak self] in
            while let self, isWanted, !isClosed { await writeOnce() }
            self?.writing = nil
        }
    }

    private func writeOnce() async {
        isWanted = false
        alarm?.cancel()
        alarm = nil
        let state = state()
        let details = details
        self.details = [:]
        do throws(SQLiteError) {
            let notices = try await store.save(state, details: details)
            handedOver = state
            if trouble != nil { onNotice?(.recovered) }
            trouble = nil
            for notice in notices { onNotice?(notice) }
        } catch {
            self.details.merge(details) { newer, _ in newer }
            if trouble != error.code { onNotice?(.unavailable(error)) }
            trouble = error.code
        }
        lastWrite = timekeeper.now
        if trouble != nil {
            wait(until: timekeeper.now + SessionRecorder.retryInterval)
        } else if state.playback.status == .playing {
            wait(until: timekeeper.now + SessionRecorder.interval)
        }
    }
}
