// SPDX-License-Identifier: Apache-2.0

/// The queue: what is played, in which order, and where we are.
///
/// An entry has three addresses: its *position* in the list, its *id*, which never changes and is never given out again,
/// and its place in the *play order*. Shuffling is an order over an untouched list, so turning it off restores everything.
/// Pure: the generator is part of the value. Copies are cheap and share what they have in common.
///
/// The files beside this one hold the operations by theme: moving on and back, editing, shuffling, undo, changes.
public struct PlayQueue: Sendable {
    /// Ids in the list's order.
    public internal(set) var list = EntryIDSequence()
    /// The entry that plays, or would; always one of ``list``, or `nil` on a queue that never began.
    public internal(set) var currentID: EntryID?
    public internal(set) var loopMode = LoopMode.none
    public internal(set) var shuffleMode = ShuffleMode.off
    /// Whether an entry leaves the queue once it was heard, or skipped with ``AdvanceReason/userAsked``.
    ///
    /// Entries that cannot be played are kept, and so is one that repeats itself.
    public var consumes = false
    /// The entry after which playing stops, once. To stop after what plays now, set it to ``currentID``.
    public var stopAfter: EntryID?
    /// Counts every change of the list; see ``changes(since:)``.
    public internal(set) var version: UInt64 = 0

    var entries = QueueEntryTable()
    var unplayable: Set<EntryID> = []
    /// Priorities above 0.
    var priorities: [EntryID: UInt8] = [:]
    var play = PlayOrder()
    /// What was heard before the current entry, oldest first. Ids that left the queue stay: an undo may bring them back.
    var history: [EntryID] = []
    /// What comes when everything of this round was heard; made when the last entry becomes current, so that
    /// ``peekNext(_:)`` tells what ``advance(_:)`` does.
    var nextRound: EntryIDSequence?
    /// ``version`` when ``nextRound`` was made.
    var nextRoundVersion: UInt64 = 0
    /// The order that was left by turning shuffle off, good while nothing happened since (contract C38).
    var setAside: (play: PlayOrder, mode: ShuffleMode, currentID: EntryID?, stamp: UInt64)?
    /// Where the current entry stands in the list.
    var currentPosition: Int?
    var random: SplitMix64
    var ids: EntryIDSource
    var undoStack: [EditRecord] = []
    var redoStack: [EditRecord] = []
    var log = ChangeLog()
    var lastStamp: UInt64 = 0

    /// Entries that ``stepBack()`` can reach while shuffled.
    public static let historyDepth = 1000

    /// - Parameters:
    ///   - ids: Gives the entries their ids.
    ///   - seed: For shuffling; another one each start (F280).
    public init(ids: EntryIDSource, seed: UInt64) {
        self.ids = ids
        random = SplitMix64(seed: seed)
    }

    /// - Parameters:
    ///   - firstID: The first id to give out; above every id ever given out before.
    ///   - seed: For shuffling; another one each start (F280).
    public init(firstID: UInt64 = 1, seed: UInt64) {
        self.init(ids: EntryIDSource(startingAt: firstID), seed: seed)
    }

    public var isEmpty: Bool { list.isEmpty }
    public var count: Int { list.count }
    /// The id that will be given out next.
    public var upcomingID: UInt64 { ids.upcoming }

    /// An entry of the list; `nil` for an id that is not in it now, be it that an undo could bring it back.
    public func entry(_ id: EntryID) -> QueueEntry? {
        guard var entry = entries[id] else { return nil }
        entry.priority = priorities[id] ?? 0
        entry.isUnplayable = unplayable.contains(id)
        return entry
    }

    /// Whether the id is in the list now.
    public func contains(_ id: EntryID) -> Bool { entries.contains(id) }

    /// Where the entry stands in the list.
    public func position(of id: EntryID) -> Int? {
        if id == currentID { return currentPosition }
        return contains(id) ? list.position(of: id) : nil
    }

    func isPlayable(_ id: EntryID) -> Bool { !unplayable.contains(id) && contains(id) }

    /// The current entry, or, on a queue that never began, the first that can be played.
    public mutating func start() -> EntryID? {
        if let currentID { return currentID }
        guard let first = following(.userAsked)?.id ?? list.first else { return nil }
        land(on: first)
        prepareRound()
        return first
    }

    /// Makes an entry the current one, wherever the user comes from.
    ///
    /// While shuffled it counts as heard in this round; by albums, what follows it on its album comes next. It is tried
    /// again if it could not be played.
    ///
    /// - Returns: `false` for an id that is not in the list.
    public mutating func goTo(_ id: EntryID) -> Bool {
        guard contains(id) else { return false }
        unplayable.remove(id)
        if id != currentID {
            if let currentID { remember(currentID) }
            land(on: id, isJump: true)
        }
        prepareRound()
        return true
    }

    /// Remembers whether playing an entry failed.
    public mutating func setUnplayable(_ id: EntryID, _ isUnplayable: Bool) {
        guard contains(id), isUnplayable != unplayable.contains(id) else { return }
        if isUnplayable { unplayable.insert(id) } else { unplayable.remove(id) }
        prepareRound()
    }

    // MARK: Modes

    public mutating func setLoopMode(_ mode: LoopMode) {
        loopMode = mode
        prepareRound()
    }

    /// Turns shuffling on or off. The list and the current entry stay.
    ///
    /// On, the current entry is the first of a new round. Off and on again, with nothing edited or played in between,
    /// restores the round as it was: a client may flip the switch to see whether it sticks (C38, F157).
    public mutating func setShuffleMode(_ mode: ShuffleMode) {
        guard mode != shuffleMode else { return }
        let left = (play: play, mode: shuffleMode)
        shuffleMode = mode
        nextRound = nil
        if mode == .off {
            play.order = []
            play.heardCount = 0
            play.ahead.removeAll { $0.isRevisit }
            touch()
            setAside = (left.play, left.mode, currentID, play.stamp)
        } else if let kept = setAside, kept.mode == mode, kept.stamp == play.stamp {
            play = kept.play
            setAside = nil
            if let currentID, currentID != kept.currentID { hear(currentID) }
        } else {
            beginRound()
            touch()
        }
        prepareRound()
    }

    // MARK: The current entry

    /// Makes an entry of the list the current one and counts it as heard.
    ///
    /// - Parameter isJump: Somebody chose it, and with it what follows on its album.
    mutating func land(on id: EntryID, isJump: Bool = false) {
        currentID = id
        currentPosition = list.position(of: id)
        if shuffleMode == .off {
            // Play-next entries were promised to follow what was current then.
            let index = play.ahead.firstIndex { $0.id == id }
            play.ahead.removeSubrange(...(index ?? play.ahead.count - 1))
        } else {
            play.ahead.removeAll { $0.isRevisit || $0.id == id }
            if isJump { hearAlbum(of: id) } else { hear(id) }
        }
        touch()
    }

    mutating func remember(_ id: EntryID) {
        history.append(id)
        if history.count > PlayQueue.historyDepth { history.removeFirst(history.count - PlayQueue.historyDepth) }
    }

    /// Says that the play order is no longer what it was.
    mutating func touch() {
        lastStamp += 1
        play.stamp = lastStamp
    }
}

/// Where playing stands in an order over the list.
struct PlayOrder: Sendable {
    /// The order while shuffled, a permutation of the list; empty otherwise.
    var order = EntryIDSequence()
    /// So many of ``order``, from the front, were heard in this round.
    var heardCount = 0
    /// What comes before anything else: entries put in by `playNext`, and those that were walked back from.
    var ahead: [PlayQueue.Ahead] = []
    /// Another number after every change that did not come from taking an edit back.
    var stamp: UInt64 = 0
}

extension PlayQueue {
    /// An entry that has precedence over the play order.
    public struct Ahead: Hashable, Sendable {
        public var id: EntryID
        /// Walked back from with ``PlayQueue/stepBack()``, so that going on leads there again.
        public var isRevisit: Bool

        public init(id: EntryID, isRevisit: Bool) {
            self.id = id
            self.isRevisit = isRevisit
        }
    }
}
