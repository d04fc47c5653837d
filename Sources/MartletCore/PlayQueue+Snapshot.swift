// SPDX-License-Identifier: Apache-2.0

extension PlayQueue {
    /// Everything about a queue that outlives a restart: a plain value, cheap to take, that shares its parts with the queue.
    ///
    /// Undo, the change log and what could not be played are forgotten: a disk may be back.
    public struct Snapshot: Sendable {
        public var list = EntryIDSequence()
        /// The entries of ``list``; their priorities are in ``priorities``.
        public var entries = QueueEntryTable()
        /// Priorities above 0.
        public var priorities: [EntryID: UInt8] = [:]
        /// The play order while shuffled, a permutation of ``list``; empty otherwise.
        public var order = EntryIDSequence()
        /// So many of ``order``, from the front, were heard in this round.
        public var heardCount = 0
        public var ahead: [Ahead] = []
        /// Heard before the current entry, oldest first.
        public var history: [EntryID] = []
        public var currentID: EntryID?
        public var loopMode = LoopMode.none
        public var shuffleMode = ShuffleMode.off
        public var consumes = false
        public var stopAfter: EntryID?
        /// State of the generator.
        public var random = SplitMix64(seed: 0)
        /// See ``PlayQueue/upcomingID``.
        public var upcomingID: UInt64 = 1
        /// Grows with everything that changes list, order or the current entry: whoever saves compares this first.
        public internal(set) var revision: UInt64 = 0

        public init() {}
    }

    public var snapshot: Snapshot {
        var snapshot = Snapshot()
        snapshot.list = list
        snapshot.entries = entries
        snapshot.priorities = priorities
        snapshot.order = play.order
        snapshot.heardCount = play.heardCount
        snapshot.ahead = play.ahead
        snapshot.history = history
        snapshot.currentID = currentID
        snapshot.loopMode = loopMode
        snapshot.shuffleMode = shuffleMode
        snapshot.consumes = consumes
        snapshot.stopAfter = stopAfter
        snapshot.random = random
        snapshot.upcomingID = ids.upcoming
        snapshot.revision = version + lastStamp
        return snapshot
    }

    /// A queue as a session held it.
    ///
    /// What does not fit together is mended, never fatal: ids without an entry and entries without a place are left out,
    /// an order that is no permutation of the list is made anew with the current entry first (F187, F189: everything
    /// goes by id, nothing by index).
    ///
    /// - Parameters:
    ///   - ids: Gives out ids above every id ever given out; `nil` goes on where the snapshot stopped.
    ///   - firstVersion: ``version`` to begin with, above any a client may still hold from before. Never 0, which is
    ///     a queue that never had anything.
    public init(restoring snapshot: Snapshot, ids: EntryIDSource? = nil, firstVersion: UInt64 = 1) {
        let largest = snapshot.list.max()?.rawValue ?? 0
        let upcoming = Swift.max(ids?.upcoming ?? snapshot.upcomingID, largest + 1)
        self.init(ids: EntryIDSource(startingAt: upcoming), seed: 0)
        random = snapshot.random
        entries = snapshot.entries
        list = snapshot.list
        let isWhole = list.count == entries.count && holdsEachOnce(list)
        if !isWhole {
            var seen: Set<EntryID> = []
            list = EntryIDSequence(snapshot.list.filter { entries.contains($0) && seen.insert($0).inserted })
            entries = QueueEntryTable(list.sorted().compactMap { snapshot.entries[$0] })
        }
        priorities = snapshot.priorities.filter { $0.value > 0 && contains($0.key) }
        history = snapshot.history.suffix(PlayQueue.historyDepth).filter(contains)
        loopMode = snapshot.loopMode
        shuffleMode = snapshot.shuffleMode
        consumes = snapshot.consumes
        stopAfter = snapshot.stopAfter.flatMap { contains($0) ? $0 : nil }
        currentID = snapshot.currentID.flatMap { contains($0) ? $0 : nil }
        currentPosition = currentID.flatMap { list.position(of: $0) }
        play.ahead = snapshot.ahead.filter { contains($0.id) && !(shuffleMode == .off && $0.isRevisit) }
        if shuffleMode != .off {
            let isPermutation =
                snapshot.order.count == list.count && 0...list.count ~= snapshot.heardCount
                && holdsEachOnce(snapshot.order)
            if isPermutation {
                play.order = snapshot.order
                play.heardCount = snapshot.heardCount
            } else {
                beginRound()
            }
        }
        version = Swift.max(firstVersion, 1)
        log.add(nil, version: version)
        touch()
        prepareRound()
    }

    private func holdsEachOnce(_ ids: EntryIDSequence) -> Bool {
        EntryIDSelection(ids).count == ids.count && ids.allSatisfy(entries.contains)
    }
}
