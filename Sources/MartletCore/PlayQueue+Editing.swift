// SPDX-License-Identifier: Apache-2.0

extension PlayQueue {
    /// What an edit can be taken back to. Arrays are shared with the queue until one of them changes.
    struct Checkpoint: Sendable {
        var list: [EntryID]
        var order: [EntryID]
        var currentID: EntryID?
    }

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
        place(new, at: list.count, directlyAfter: nil)
    }

    /// Puts these behind an entry, or at the start; an unknown entry means the end.
    @discardableResult
    public mutating func insert(_ new: [NewEntry], after id: EntryID?) -> [EntryID] {
        guard let id else { return place(new, at: 0, directlyAfter: nil) }
        guard let position = position(of: id) else { return append(new) }
        return place(new, at: position + 1, directlyAfter: id == currentID ? id : nil)
    }

    /// Puts these after the current entry, behind what earlier calls put there and has not been reached.
    @discardableResult
    public mutating func playNext(_ new: [NewEntry]) -> [EntryID] {
        let anchor = upNext.last ?? currentID
        guard let anchor, let position = position(of: anchor) else {
            let ids = place(new, at: 0, directlyAfter: nil)
            upNext += ids
            return ids
        }
        let ids = place(new, at: position + 1, directlyAfter: anchor)
        upNext += ids
        return ids
    }

    /// Puts these in place of everything.
    ///
    /// - Parameter index: Which of them is current; outside means the first.
    @discardableResult
    public mutating func replace(with new: [NewEntry], startingAt index: Int) -> [EntryID] {
        checkpoint()
        let ids = make(new)
        list = ids
        live = Set(ids)
        history.removeAll()
        upNext.removeAll()
        stopAfter = nil
        version += 1
        land(on: ids.indices.contains(index) ? ids[index] : ids.first)
        order = shuffleMode == .off ? [] : firstRound(using: &random)
        return ids
    }

    private mutating func place(_ new: [NewEntry], at position: Int, directlyAfter anchor: EntryID?) -> [EntryID] {
        guard !new.isEmpty else { return [] }
        checkpoint()
        let ids = make(new)
        list.insert(contentsOf: ids, at: position)
        live.formUnion(ids)
        version += 1
        if shuffleMode != .off {
            if let anchor, let index = order.firstIndex(of: anchor) {
                order.insert(contentsOf: ids, at: index + 1)
            } else {
                scatter(ids)
            }
        }
        return ids
    }

    private mutating func make(_ new: [NewEntry]) -> [EntryID] {
        new.map { new in
            let id = EntryID(nextID)
            nextID += 1
            entries[id] = QueueEntry(id: id, new)
            return id
        }
    }

    // MARK: Taking out and moving

    /// Takes entries out; ids that are not there are passed over.
    @discardableResult
    public mutating func remove(_ ids: [EntryID]) -> CurrentFate {
        let gone = Set(ids).intersection(live)
        guard !gone.isEmpty else { return .kept }
        checkpoint()
        version += 1
        guard let currentID, gone.contains(currentID) else {
            drop(gone)
            return .kept
        }
        let sequence = sequence
        let index = sequence.firstIndex(of: currentID) ?? 0
        let after = sequence[index...].first { !gone.contains($0) }
        let before = sequence[..<index].last { !gone.contains($0) }
        let first = loopMode == .queue ? sequence.first { !gone.contains($0) } : nil
        drop(gone)
        if let next = after ?? first {
            land(on: next)
            return .replaced
        }
        land(on: before)
        return before == nil ? .emptied : .endReached
    }

    /// Takes everything out.
    @discardableResult
    public mutating func clear() -> CurrentFate {
        guard !list.isEmpty else { return .kept }
        return remove(list)
    }

    /// Moves entries, in the order given, behind another one or to the start. Ids that are not there are passed over; a
    /// target that is itself moved means the place before it.
    public mutating func move(_ ids: [EntryID], after target: EntryID?) {
        var seen: Set<EntryID> = []
        let moved = ids.filter { contains($0) && seen.insert($0).inserted }
        guard !moved.isEmpty else { return }
        var anchor = target
        while let id = anchor, seen.contains(id) {
            let position = position(of: id) ?? 0
            anchor = position == 0 ? nil : list[position - 1]
        }
        if let target, !contains(target) { return }
        checkpoint()
        version += 1
        list.removeAll { seen.contains($0) }
        let index = anchor.flatMap { list.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
        list.insert(contentsOf: moved, at: index)
        setAside = nil
    }

    mutating func drop(_ gone: Set<EntryID>) {
        list.removeAll { gone.contains($0) }
        order.removeAll { gone.contains($0) }
        upNext.removeAll { gone.contains($0) }
        live.subtract(gone)
        if let stop = stopAfter, gone.contains(stop) { stopAfter = nil }
    }

    mutating func drop(_ ids: [EntryID]) {
        drop(Set(ids))
    }

    // MARK: Undo

    public var canUndo: Bool { !undoStack.isEmpty }
    public var canRedo: Bool { !redoStack.isEmpty }

    /// Takes the last edit back. The current entry stays, as long as it is in the list.
    @discardableResult
    public mutating func undo() -> CurrentFate {
        guard let checkpoint = undoStack.popLast() else { return .kept }
        redoStack.append(here)
        return restore(checkpoint)
    }

    /// Does again what was taken back.
    @discardableResult
    public mutating func redo() -> CurrentFate {
        guard let checkpoint = redoStack.popLast() else { return .kept }
        undoStack.append(here)
        return restore(checkpoint)
    }

    private var here: Checkpoint { Checkpoint(list: list, order: order, currentID: currentID) }

    private mutating func checkpoint() {
        undoStack.append(here)
        redoStack.removeAll()
        guard undoStack.count > PlayQueue.undoDepth else { return }
        // Halved at once, so that forgetting entries nobody can bring back is rare.
        undoStack.removeFirst(PlayQueue.undoDepth / 2)
        var kept = live
        for checkpoint in undoStack { kept.formUnion(checkpoint.list) }
        entries = entries.filter { kept.contains($0.key) }
    }

    private mutating func restore(_ checkpoint: Checkpoint) -> CurrentFate {
        version += 1
        list = checkpoint.list
        live = Set(list)
        upNext.removeAll { !live.contains($0) }
        order = []
        if shuffleMode != .off {
            let isFitting = checkpoint.order.count == list.count
            order = isFitting ? checkpoint.order : firstRound(using: &random)
        }
        guard currentID.map({ live.contains($0) }) != true else { return .kept }
        let old = checkpoint.currentID.flatMap { live.contains($0) ? $0 : nil } ?? sequence.first
        let hadCurrent = currentID != nil
        land(on: hadCurrent ? old : nil)
        if !hadCurrent { return .kept }
        return old == nil ? .emptied : .replaced
    }
}
