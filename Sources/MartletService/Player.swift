// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
public import MartletCore

/// The player: the machine, the engine it orders about, and what is known of the entries.
///
/// Everything here is on the main actor and synchronous: when ``send(_:)`` returns, the state is new, the observers
/// have been told, and a reply may go out. The engine follows at the end of the main queue's turn.
@MainActor
public final class Player {
    public private(set) var machine: PlayerMachine
    /// What a running stream says of itself; `nil` for sources that say nothing.
    public private(set) var streamTags: StreamTags?
    /// Told after every change, in the order they were added. An observer compares; it does not trust that anything changed.
    private var observers: [@MainActor (PlayerChange) -> Void] = []
    private var detailObservers: [@MainActor (EntryID) -> Void] = []

    public let timekeeper: any Timekeeper
    private var engine: any PlaybackEngine
    private let library: EntryDetails
    let log: Log
    private var alarms: [PlayerTimer: any Alarm] = [:]
    private var playFromElsewhere: (@MainActor () -> Void)?
    private var isSettleScheduled = false
    private var readAheadFrom: (id: EntryID?, version: UInt64)?

    /// What an observer may want to know beyond the state.
    public struct PlayerChange {
        /// Positions jumped to, oldest first; usually none.
        public var seeks: [Duration]
        /// Passes of entries that ended.
        public var heard: [HeardTrack]
    }

    init(
        machine: PlayerMachine, engine: any PlaybackEngine, details: EntryDetails, timekeeper: any Timekeeper, log: Log
    ) {
        self.machine = machine
        self.engine = engine
        library = details
        self.timekeeper = timekeeper
        self.log = log
        listen()
        details.onArrival = { [weak self] id in self?.detailsArrived(id) }
        noteCurrent()
    }

    /// Goes on where a session left off. Only before anything was asked of the player.
    func restore(_ session: RestoredSession) {
        for (id, details) in session.details { library.adopt(details, for: id) }
        let playback = session.playback
        machine.restore(
            queue: session.queue, status: playback.status, position: playback.position, length: playback.length,
            rate: playback.rate, volume: playback.volume, isMuted: playback.isMuted, at: timekeeper.now)
        if machine.queue.shuffleMode != .off { lastShuffleMode = machine.queue.shuffleMode }
        noteCurrent()
        readAhead()
        touch()
    }

    /// Begins with an empty queue whose ids were never given out before.
    func begin(with ids: EntryIDSource) {
        let fresh = PlayQueue(ids: ids, seed: .random(in: 0 ... .max))
        machine.restore(
            queue: fresh, status: .stopped, position: .zero, length: nil, rate: 1, volume: 1, at: timekeeper.now)
        touch()
    }

    private func listen() {
        engine.eventHandler = { [weak self] event in self?.receive(event) }
    }

    /// Plays on another engine from now on; the one before is silenced.
    func replaceEngine(with other: any PlaybackEngine) {
        engine.stop()
        engine.eventHandler = nil
        engine = other
        listen()
        var change = PlayerChange(seeks: [], heard: [])
        perform(machine.replaceEngine(at: timekeeper.now), &change)
    }

    public func observe(_ observer: @escaping @MainActor (PlayerChange) -> Void) {
        observers.append(observer)
    }

    /// Gives the player a command; its effects are visible when this returns.
    public func send(_ command: PlayerCommand) {
        if machine.queue.isEmpty, let playFromElsewhere {
            switch command {
            case .play, .togglePlayPause: return playFromElsewhere()
            default: break
            }
        }
        if case .setShuffleMode(let mode) = command, mode != .off { lastShuffleMode = mode }
        handle(.command(command))
    }

    /// Queues something of which a little is known already.
    ///
    /// - Parameter tags: One for each of the entries, in their order; see ``EntryDetails/note(_:for:)``.
    public func queue(_ edit: QueueEdit, tags: [TrackTags?]) {
        let first = machine.queue.upcomingID
        for (offset, tags) in tags.enumerated() {
            if let tags { library.note(tags, for: EntryID(first + UInt64(offset))) }
        }
        send(.edit(edit))
    }

    /// Whether playing has an effect: there is an entry, or something that fills an empty queue.
    var canPlay: Bool { machine.canPlay || playFromElsewhere != nil }

    /// What playing does on an empty queue; `nil` for nothing.
    func setPlayingFromElsewhere(_ play: (@MainActor () -> Void)?) {
        let isNews = (play == nil) != (playFromElsewhere == nil)
        playFromElsewhere = play
        if isNews, machine.queue.isEmpty { touch() }
    }

    /// What ``PlayerCommand/previous`` does late in a track.
    func setPreviousRestarts(_ restarts: Bool) {
        machine.previousRestarts = restarts
        touch()
    }

    /// Tells the observers, as after a change: something they show came from elsewhere.
    func touch() {
        for observer in observers { observer(PlayerChange(seeks: [], heard: [])) }
    }

    /// The details of the current entry, if they are known by now.
    public var currentDetails: TrackDetails? {
        machine.queue.currentID.flatMap { library[$0] }
    }

    /// Told when an entry's details became known.
    func observeDetails(_ observer: @escaping @MainActor (EntryID) -> Void) {
        detailObservers.append(observer)
    }

    /// An entry's details; `nil` while they are unknown: then they are fetched, and observers told.
    func details(of entry: QueueEntry) -> TrackDetails? {
        if let details = library[entry.id] { return details }
        library.want([entry])
        return library[entry.id]
    }

    /// An entry's details as far as they are known; nothing is fetched.
    func knownDetails(of entry: QueueEntry) -> TrackDetails? { library.known(entry.id) }

    /// The length of what an entry plays, if known.
    func length(of entry: QueueEntry) -> Duration? { library.length(of: entry) }

    /// Whether the current entry's details are still being read.
    public var isAwaitingDetails: Bool { currentEntry.map { library.isPending($0) } ?? false }

    public var currentEntry: QueueEntry? { machine.queue.currentID.flatMap { machine.queue.entry($0) } }

    /// The kind of shuffling that was last on: what a client means that only knows on and off.
    public private(set) var lastShuffleMode = ShuffleMode.songs

    /// The position now.
    public var position: Duration { machine.position(at: timekeeper.now) }

    private func receive(_ event: EngineEvent) {
        log.debug("engine told: \(event)")
        if case .tagsChanged(let entry, let tags) = event, entry == machine.queue.currentID { streamTags = tags }
        handle(.engine(event))
    }

    private func handle(_ input: PlayerInput) {
        let current = machine.queue.currentID
        let effects = machine.handle(input, at: timekeeper.now)
        if machine.queue.currentID != current {
            streamTags = nil
            noteCurrent()
        }
        var change = PlayerChange(seeks: [], heard: [])
        perform(effects, &change)
        readAhead()
        for observer in observers { observer(change) }
    }

    private func perform(_ effects: [PlayerEffect], _ change: inout PlayerChange) {
        for effect in effects {
            switch effect {
            case .settle: scheduleSettle()
            case .schedule(let timer, let instant):
                alarms.removeValue(forKey: timer)?.cancel()
                alarms[timer] = timekeeper.alarm(at: instant) { [weak self] in
                    self?.alarms.removeValue(forKey: timer)
                    self?.handle(.timer(timer))
                }
            case .cancel(let timer): alarms.removeValue(forKey: timer)?.cancel()
            case .announceSeek(let position): change.seeks.append(position)
            case .recordHeard(let heard): change.heard.append(heard)
            case .report(let problem):
                log.warning(problem.failure.message)
                if let text = problem.failure.debugText { log.debug(text) }
            }
        }
    }

    /// The engine follows once the commands at hand are through: a burst of them is one load, not many.
    private func scheduleSettle() {
        guard !isSettleScheduled else { return }
        isSettleScheduled = true
        DispatchQueue.main.async { [weak self] in self?.settle() }
    }

    /// Brings the engine to where the machine wants it. Called by itself; tests call it to see the orders at once.
    func settle() {
        isSettleScheduled = false
        let (orders, effects) = machine.settle(at: timekeeper.now)
        for order in orders { give(order) }
        var change = PlayerChange(seeks: [], heard: [])
        perform(effects, &change)
    }

    private func give(_ order: EngineOrder) {
        log.debug("engine ordered: \(order)")
        switch order {
        case .start: engine.start()
        case .load(let item, let position, let playing): engine.load(item, at: position, playing: playing)
        case .play: engine.play()
        case .pause: engine.pause()
        case .stop: engine.stop()
        case .seek(let position, let id): engine.seek(to: position, id: id)
        case .setRate(let rate): engine.setRate(rate)
        case .setVolume(let volume): engine.setVolume(volume)
        case .setMuted(let isMuted): engine.setMuted(isMuted)
        case .prepareNext(let item): engine.prepareNext(item)
        }
    }

    private func detailsArrived(_ id: EntryID) {
        for observer in detailObservers { observer(id) }
        guard id == machine.queue.currentID, let entry = machine.queue.entry(id) else { return }
        if let length = library.length(of: entry) {
            handle(.lengthKnown(id, length))
        } else {
            for observer in observers { observer(PlayerChange(seeks: [], heard: [])) }
        }
    }

    /// A new current entry's length is part of its first Metadata.
    private func noteCurrent() {
        guard let entry = currentEntry, let length = library.length(of: entry) else { return }
        _ = machine.handle(.lengthKnown(entry.id, length), at: timekeeper.now)
    }

    private func readAhead() {
        let current = machine.queue.currentID
        guard current != readAheadFrom?.id || machine.queue.version != readAheadFrom?.version else { return }
        readAheadFrom = (current, machine.queue.version)
        library.want(machine.queue.neighbours(ahead: 3, behind: 1).compactMap { machine.queue.entry($0) })
    }
}
