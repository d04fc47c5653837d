// SPDX-License-Identifier: Apache-2.0

extension PlayQueue {
    /// What became of the current entry when others were taken out.
    public enum CurrentFate: Hashable, Sendable {
        case kept
        /// It was taken out; the one that followed has its place.
        case replaced
        /// It was taken out and nothing followed; an earlier one is current.
        case endReached
        /// Nothing is left.
        case emptied
    }

    // MARK: Putting in

    /// Puts these at the end.
    @discardableResult
    public mutating func append(_ new: [NewEntry]) -> [EntryID] {
        insert(new, at: list.count)
    }

    /// Puts these at a position, clamped to the list.
    @discardableResult
    public mutating func insert(_ new: [NewEntry], at position: Int) -> [EntryID] {
        place(new, at: position.clamped(to: 0...list.count)) { queue, ids in queue.scatter(ids) }
    }

    /// Puts these behind an entry, or at the start; an unknown entry means the end.
    ///
    /// Behind the current entry they are also the next in the play order.
    @discardableResult
    public mutating func insert(_ new: [NewEntry], after id: EntryID?) -> [EntryID] {
        guard let id else { return insert(new, at: 0) }
        guard let position = position(of: id) else { return append(new) }
        guard id == currentID else { return insert(new, at: position + 1) }
        return place(new, at: position + 1) { queue, ids in queue.play.order.insert(ids, at: queue.play.heardCount) }
    }

    /// Puts these after the current entry, behind what earlier calls put there and has not been reached.
    @discardableResult
    public mutating func playNext(_ new: [NewEntry]) -> [EntryID] {
        let leading = play.ahead.prefix { !$0.isRevisit }
        var position = currentPosition.map { $0 + 1 } ?? 0
        let promised = Set(leading.map(\.id))
        while position < list.count, promised.contains(list[position]) { position += 1 }
        let ids = place(new, at: position) { queue, ids in
            let last = leading.last.flatMap { queue.play.order.position(of: $0.id, from: queue.play.heardCount) }
            queue.play.order.insert(ids, at: last.map { $0 + 1 } ?? queue.play.heardCount)
        }
        play.ahead.insert(contentsOf: ids.map { Ahead(id: $0, isRevisit: false) }, at: leading.count)
        prepareRound()
        return ids
    }

    /// Puts these in place of everything.
    ///
    /// - Parameter index: Which of them is current; outside means the first.
    @discardableResult
    public mutating func replace(with new: [NewEntry], startingAt index: Int) -> [EntryID] {
        guard !new.isEmpty || !isEmpty else { return [] }
        var record = begin()
        record.removed = entries
        removeEverything()
        let ids = make(new)
        record.added = ids
        list = EntryIDSequence(ids)
        currentID = ids.indices.contains(index) ? ids[index] : ids.first
        beginRound()
        commit(record, forward: nil, backward: nil)
        return ids
    }

    private mutating func place(
        _ new: [NewEntry], at position: Int, order: (inout PlayQueue, [EntryID]) -> Void
    ) -> [EntryID] {
        guard !new.isEmpty else { return [] }
        var record = begin()
        let ids = make(new)
        record.added = ids
        list.insert(ids, at: position)
        if shuffleMode != .off { order(&self, ids) }
        commit(record, forward: [.inserted(ids, at: position)], backward: [.removed(ids)])
        return ids
    }

    private mutating func make(_ new: [NewEntry]) -> [EntryID] {
        let made = new.map { QueueEntry(id: ids.next(), $0) }
        for (entry, new) in zip(made, new) where new.priority > 0 { priorities[entry.id] = new.priority }
        entries.insert(made)
        return made.map(\.id)
    }

    // MARK: Taking out

    /// Takes entries out; ids that are not there are passed over.
    ///
    /// If the current entry goes, what follows it in playing order becomes current, at the end of a repeated queue its
    /// beginning; entries that cannot be played only if nothing else is left.
    @discardableResult
    public mutating func remove(_ ids: [EntryID]) -> CurrentFate {
        let gone = EntryIDSelection(ids.filter(contains))
        guard gone.count > 0 else { return .kept }
        guard gone.count < list.count else { return clear() }
        var record = begin()
        let runs = runs(of: gone)
        let isCurrentGone = currentID.map(gone.contains) == true
        let successor = isCurrentGone ? successor(without: gone) : nil
        record.removed = drop(gone)
        if isCurrentGone { currentID = nil }
        var fate = CurrentFate.kept
        if let successor {
            land(on: successor.id)
            fate = successor.isEnd ? .endReached : .replaced
        }
        commit(
            record, forward: [.removed(runs?.flatMap(\.ids) ?? ids)],
            backward: runs?.map { .inserted($0.ids, at: $0.position) })
        return fate
    }

    /// Takes out the entries at these positions, clamped to the list.
    @discardableResult
    public mutating func removeSubrange(_ range: Range<Int>) -> CurrentFate {
        remove(Array(list[range.clamped(to: 0..<list.count)]))
    }

    /// Takes everything out.
    @discardableResult
    public mutating func clear() -> CurrentFate {
        guard !list.isEmpty else { return .kept }
        var record = begin()
        record.removed = entries
        let hadCurrent = currentID != nil
        removeEverything()
        commit(record, forward: nil, backward: nil)
        return hadCurrent ? .emptied : .kept
    }

    private mutating func removeEverything() {
        entries = QueueEntryTable()
        list = EntryIDSequence()
        play = PlayOrder(stamp: play.stamp)
        unplayable = []
        priorities = [:]
        stopAfter = nil
        currentID = nil
    }

    /// What is current once these and the current one are gone.
    private func successor(without gone: EntryIDSelection) -> (id: EntryID, isEnd: Bool)? {
        let isFit = { (id: EntryID) in !gone.contains(id) && !self.unplayable.contains(id) }
        let isLeft = { (id: EntryID) in !gone.contains(id) }
        let sequence = shuffleMode == .off ? list : play.order
        let start = shuffleMode == .off ? currentPosition ?? 0 : play.heardCount
        if let id = play.ahead.first(where: { contains($0.id) && isFit($0.id) })?.id, shuffleMode != .off {
            return (id, false)
        }
        if let id = sequence.first(from: start, where: isFit)?.id { return (id, false) }
        if loopMode == .queue, let id = sequence.first(from: 0, where: isFit)?.id { return (id, false) }
        let before = shuffleMode == .off ? nil : history.last { contains($0) && isFit($0) }
        return (before ?? sequence.last(before: start, where: isFit) ?? sequence.first(from: 0, where: isLeft)?.id)
            .map { ($0, true) }
    }

    /// Takes entries out of everything but the history, where an undo may want them.
    @discardableResult
    mutating func drop(_ gone: EntryIDSelection) -> QueueEntryTable {
        list.removeAll(in: gone)
        if shuffleMode != .off {
            if gone.count <= 8 {
                for id in gone.ids {
                    guard let index = play.order.position(of: id) else { continue }
                    play.order.remove(at: index)
                    if index < play.heardCount { play.heardCount -= 1 }
                }
            } else {
                play.heardCount -= play.order.walk(0..<play.heardCount).count(where: gone.contains)
                play.order.removeAll(in: gone)
            }
        }
        play.ahead.removeAll { gone.contains($0.id) }
        if !unplayable.isEmpty { unplayable = unplayable.filter { !gone.contains($0) } }
        if !priorities.isEmpty { priorities = priorities.filter { !gone.contains($0.key) } }
        if let stop = stopAfter, gone.contains(stop) { stopAfter = nil }
        return entries.remove(gone)
    }

    // MARK: Moving

    /// Moves entries, in the order given, behind another one or to the start. Ids that are not there are passed over; a
    /// target that is itself moved means the place before it, an unknown one leaves everything as it is.
    public mutating func move(_ ids: [EntryID], after target: EntryID?) {
        var seen: Set<EntryID> = []
        let moved = ids.filter { contains($0) && seen.insert($0).inserted }
        guard !moved.isEmpty, target.map(contains) != false else { return }
        var anchor = target.flatMap(position)
        while let position = anchor, seen.contains(list[position]) { anchor = position == 0 ? nil : position - 1 }
        move(moved, behind: anchor.map { list[$0] })
    }

    /// Moves the entries at these positions so that the first of them stands at `target` afterwards, counted in the
    /// list without them; both clamped to the list.
    public mutating func moveSubrange(_ range: Range<Int>, to target: Int) {
        let range = range.clamped(to: 0..<list.count)
        let index = target.clamped(to: 0...(list.count - range.count)) - 1
        let anchor = index < 0 ? nil : list[index < range.lowerBound ? index : index + range.count]
        if !range.isEmpty { move(Array(list[range]), behind: anchor) }
    }

    private mutating func move(_ moved: [EntryID], behind anchor: EntryID?) {
        let record = begin()
        let selection = EntryIDSelection(moved)
        let runs = runs(of: selection)
        list.removeAll(in: selection)
        let index = anchor.flatMap { list.position(of: $0) }.map { $0 + 1 } ?? 0
        list.insert(moved, at: index)
        guard list != record.list else {
            list = record.list
            return
        }
        if shuffleMode == .off { play.ahead.removeAll { selection.contains($0.id) } }
        var backward: [QueueChange]?
        if let runs {
            let isOneRun = runs.count == 1
            backward = isOneRun ? [] : [.removed(moved)]
            backward? += runs.map { isOneRun ? .moved($0.ids, to: $0.position) : .inserted($0.ids, at: $0.position) }
        }
        commit(record, forward: [.moved(moved, to: index)], backward: backward)
    }

    /// The pieces of the list these entries make up; `nil` for so many that nobody wants to hear of each.
    private func runs(of selection: EntryIDSelection) -> [(position: Int, ids: [EntryID])]? {
        var runs: [(position: Int, ids: [EntryID])] = []
        var position = 0
        for chunk in list.chunks {
            if chunk.bounds.overlaps(selection.bounds) {
                for (offset, id) in chunk.ids.enumerated() where selection.contains(id) {
                    if let last = runs.last, last.position + last.ids.count == position + offset {
                        runs[runs.count - 1].ids.append(id)
                    } else {
                        if runs.count == ChangeLog.mostRuns { return nil }
                        runs.append((position + offset, [id]))
                    }
                }
            }
            position += chunk.ids.count
        }
        return runs
    }
}

extension Int {
    fileprivate func clamped(to range: ClosedRange<Int>) -> Int {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
