// SPDX-License-Identifier: Apache-2.0

/// The queue: what is played, in which order, and where we are.
///
/// An entry has three addresses: its *position* in the list, its *id*, which never changes and is never given out again,
/// and its place in the *play order*. Shuffling is an order over an untouched list, so turning it off restores everything.
/// Pure: the generator is part of the value.
public struct PlayQueue: Sendable {
    /// Ids in the list's order.
    public internal(set) var list: [EntryID] = []
    /// The entry that plays, or would.
    public internal(set) var currentID: EntryID?
    public internal(set) var loopMode = LoopMode.none
    public internal(set) var shuffleMode = ShuffleMode.off
    /// Whether an entry leaves the queue once it was heard.
    public var consumes = false
    /// The entry after which playing stops, once.
    public var stopAfter: EntryID?
    /// Counts every change of the list.
    public internal(set) var version: UInt64 = 0

    var entries: [EntryID: QueueEntry] = [:]
    /// The play order while shuffled; empty otherwise.
    var order: [EntryID] = []
    /// What was heard before the current entry, oldest first.
    var history: [EntryID] = []
    /// Entries put in by ``playNext(_:)`` that have not been reached.
    var upNext: [EntryID] = []
    /// The order that was left by turning shuffle off, good while nothing happened since (contract C38).
    var setAside: (order: [EntryID], version: UInt64, current: EntryID?)?
    var random: SplitMix64
    var nextID: UInt64
    var undoStack: [Checkpoint] = []
    var redoStack: [Checkpoint] = []

    static let historyDepth = 1000
    static let undoDepth = 200

    /// - Parameters:
    ///   - firstID: The first id to give out; above every id ever given out before.
    ///   - seed: For shuffling; another one each start.
    public init(firstID: UInt64 = 1, seed: UInt64) {
        nextID = firstID
        random = SplitMix64(seed: seed)
    }

    public var isEmpty: Bool { list.isEmpty }
    public var count: Int { list.count }
    /// The id that will be given out next.
    public var upcomingID: UInt64 { nextID }

    public func entry(_ id: EntryID) -> QueueEntry? { entries[id].flatMap { contains(id) ? $0 : nil } }

    /// Whether the id is in the list now; entries that an undo could bring back are not.
    func contains(_ id: EntryID) -> Bool { live.contains(id) }

    /// The ids of ``list`` as a set.
    var live: Set<EntryID> = []

    /// Where the entry stands in the list.
    public func position(of id: EntryID) -> Int? { contains(id) ? list.firstIndex(of: id) : nil }

    /// Entries in playing order.
    var sequence: [EntryID] { shuffleMode == .off ? list : order }

    // MARK: Moving on

    /// What follows the current entry, without going there; `nil` is the end.
    public func peekNext(_ reason: AdvanceReason) -> EntryID? { following(reason)?.id }

    /// Whether somebody who asks for the next entry gets another one.
    public var hasNext: Bool { following(.userAsked) != nil }

    /// Goes on to what follows.
    ///
    /// - Returns: The new current entry, or `nil` at the end, where the current one stays what it is; except after
    ///   ``stopAfter``, where the one that would have followed waits to be played.
    public mutating func advance(_ reason: AdvanceReason) -> EntryID? {
        if reason == .trackEnded, let stop = stopAfter, stop == currentID {
            stopAfter = nil
            if let next = following(.trackEnded) { arrive(next, leaving: currentID) }
            return nil
        }
        guard let next = following(reason) else { return nil }
        arrive(next, leaving: currentID)
        return next.id
    }

    private mutating func arrive(_ next: (id: EntryID, round: [EntryID]?, random: SplitMix64?), leaving old: EntryID?) {
        if let round = next.round { order = round }
        if let random = next.random { self.random = random }
        if let old, old != next.id {
            remember(old)
            if consumes {
                drop([old])
                version += 1
            }
        }
        land(on: next.id)
    }

    /// Makes an entry the current one.
    mutating func land(on id: EntryID?) {
        currentID = id
        setAside = nil
        if let id, let index = upNext.firstIndex(of: id) { upNext.removeFirst(index + 1) }
    }

    mutating func remember(_ id: EntryID) {
        history.append(id)
        if history.count > PlayQueue.historyDepth { history.removeFirst(history.count - PlayQueue.historyDepth) }
    }

    private func following(
        _ reason: AdvanceReason
    ) -> (id: EntryID, round: [EntryID]?, random: SplitMix64?)? {
        let sequence = sequence
        guard !sequence.isEmpty else { return nil }
        guard let currentID else {
            return sequence.first(where: isPlayable).map { ($0, nil, nil) }
        }
        if reason == .trackEnded, stopAfter == currentID { return nil }
        if reason == .trackEnded, loopMode == .track, isPlayable(currentID) { return (currentID, nil, nil) }
        let index = sequence.firstIndex(of: currentID) ?? -1
        if let next = sequence[(index + 1)...].first(where: isPlayable) { return (next, nil, nil) }
        // D04: an explicit Next leaves a repeated track, and on the last entry goes to the first.
        let wraps = loopMode == .queue || (loopMode == .track && reason == .userAsked)
        guard wraps else { return nil }
        var generator = random
        let round = shuffleMode == .off ? sequence : newRound(after: currentID, using: &generator)
        let isAlone = reason == .trackEnded
        guard let first = round.first(where: { isPlayable($0) && (isAlone || $0 != currentID) }) else { return nil }
        return shuffleMode == .off ? (first, nil, nil) : (first, round, generator)
    }

    func isPlayable(_ id: EntryID) -> Bool { entries[id]?.isUnplayable == false }

    /// The current entry, or, on a queue that never began, the first that can be played.
    public mutating func start() -> EntryID? {
        if let currentID { return currentID }
        guard let first = sequence.first(where: isPlayable) ?? sequence.first else { return nil }
        land(on: first)
        return first
    }

    // MARK: Going back

    /// Whether there is an entry to go back to.
    public var hasPrevious: Bool { preceding != nil }

    /// Goes back: through what was really heard while shuffled, up the list otherwise.
    public mutating func stepBack() -> EntryID? {
        guard let (id, depth) = preceding else { return nil }
        history.removeLast(depth)
        land(on: id)
        return id
    }

    private var preceding: (id: EntryID, depth: Int)? {
        guard let currentID else { return nil }
        if shuffleMode != .off {
            for (depth, id) in history.reversed().enumerated() where contains(id) && isPlayable(id) && id != currentID {
                return (id, depth + 1)
            }
        }
        let sequence = sequence
        guard let index = sequence.firstIndex(of: currentID) else { return nil }
        if let id = sequence[..<index].last(where: isPlayable) { return (id, 0) }
        guard loopMode == .queue, let id = sequence.last(where: { isPlayable($0) && $0 != currentID }) else {
            return nil
        }
        return (id, 0)
    }

    /// Makes an entry the current one; `false` for an id that is not in the list.
    public mutating func goTo(_ id: EntryID) -> Bool {
        guard contains(id) else { return false }
        if let currentID, currentID != id { remember(currentID) }
        entries[id]?.isUnplayable = false
        land(on: id)
        return true
    }

    /// Remembers whether playing an entry failed.
    public mutating func setUnplayable(_ id: EntryID, _ isUnplayable: Bool) {
        entries[id]?.isUnplayable = isUnplayable
    }

    /// The current entry, the next ones in playing order and the ones before: what is worth reading ahead.
    public func neighbours(ahead: Int, behind: Int) -> [EntryID] {
        let sequence = sequence
        guard let currentID, let index = sequence.firstIndex(of: currentID) else {
            return Array(sequence.prefix(ahead))
        }
        var result = Array(sequence[index..<min(index + ahead + 1, sequence.count)])
        if let next = peekNext(.trackEnded), !result.contains(next) { result.append(next) }
        return result + sequence[max(index - behind, 0)..<index]
    }

    // MARK: Modes

    public mutating func setLoopMode(_ mode: LoopMode) {
        loopMode = mode
    }

    public mutating func setShuffleMode(_ mode: ShuffleMode) {
        guard mode != shuffleMode else { return }
        let old = (mode: shuffleMode, order: order)
        shuffleMode = mode
        if mode == .off {
            order = []
            setAside = (old.order, version, currentID)
        } else if let kept = setAside, old.mode == .off, kept.version == version, kept.current == currentID,
            kept.order.count == list.count, setAsideMode == mode
        {
            // C38: a client that flips the switch to see whether it sticks must not reshuffle anything.
            order = kept.order
            setAside = nil
        } else {
            history.removeAll()
            order = firstRound(using: &random)
        }
        if mode != .off { setAsideMode = mode }
    }

    var setAsideMode = ShuffleMode.songs
}
