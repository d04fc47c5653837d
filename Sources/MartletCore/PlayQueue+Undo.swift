// SPDX-License-Identifier: Apache-2.0

extension PlayQueue {
    /// What an edit can be taken back to. Rows share their chunks and tables their pages with the queue, so that a record
    /// is as large as what the edit changed.
    struct EditRecord: Sendable {
        var list: EntryIDSequence
        /// The play order from before the edit, as long as it can matter: see ``stampAfter``.
        var play: PlayOrder?
        /// The order's stamp after the edit. Only while the order still has it nothing was played or shuffled since, and
        /// going back to ``play`` forgets nothing.
        var stampAfter: UInt64 = 0
        var currentID: EntryID?
        var priorities: [EntryID: UInt8]
        /// Entries the edit took out.
        var removed = QueueEntryTable()
        /// Entries the edit put in.
        var added: [EntryID] = []
        /// What the edit did to the list, and what taking it back does; `nil` is too much to tell.
        var forward: [QueueChange]?
        var backward: [QueueChange]?
    }

    /// Edits that can be taken back.
    public static let undoDepth = 200
    /// Entries all records together may keep from oblivion; beyond, the oldest edits cannot be taken back any more.
    static let undoEntries = 300_000

    public var canUndo: Bool { !undoStack.isEmpty }
    public var canRedo: Bool { !redoStack.isEmpty }

    func begin() -> EditRecord {
        EditRecord(list: list, play: play, currentID: currentID, priorities: priorities)
    }

    mutating func commit(_ record: EditRecord, forward: [QueueChange]?, backward: [QueueChange]?) {
        var record = record
        forgetOutdatedOrders()
        touch()
        record.stampAfter = play.stamp
        record.forward = forward
        record.backward = backward
        undoStack.append(record)
        redoStack.removeAll()
        if undoStack.count > PlayQueue.undoDepth { undoStack.removeFirst() }
        var kept = undoStack.reduce(0) { $0 + $1.removed.count }
        while kept > PlayQueue.undoEntries, undoStack.count > 1 { kept -= undoStack.removeFirst().removed.count }
        noteChange(forward)
        currentPosition = currentID.flatMap { list.position(of: $0) }
        prepareRound()
    }

    /// Once something was played, no older order can come back: rows of 100,000 that nobody will ask for.
    private mutating func forgetOutdatedOrders() {
        guard let last = undoStack.last, last.stampAfter != play.stamp else { return }
        for index in undoStack.indices.reversed() {
            if undoStack[index].play == nil { return }
            undoStack[index].play = nil
        }
    }

    /// Takes the last edit back.
    ///
    /// The current entry stays as long as it is in the list; one that an edit had taken away with nothing left comes
    /// back. What was consumed since does not.
    @discardableResult
    public mutating func undo() -> CurrentFate {
        guard let record = undoStack.popLast() else { return .kept }
        let (inverse, fate) = restore(record)
        redoStack.append(inverse)
        noteChange(inverse.backward)
        prepareRound()
        return fate
    }

    /// Does again what was taken back.
    @discardableResult
    public mutating func redo() -> CurrentFate {
        guard let record = redoStack.popLast() else { return .kept }
        let (inverse, fate) = restore(record)
        undoStack.append(inverse)
        noteChange(inverse.forward)
        prepareRound()
        return fate
    }

    private mutating func restore(_ record: EditRecord) -> (inverse: EditRecord, fate: CurrentFate) {
        var inverse = begin()
        let isOrderIntact = record.stampAfter == play.stamp
        inverse.removed = drop(EntryIDSelection(record.added))
        entries.insert(record.removed)
        inverse.added = record.removed.ids
        list = record.list
        priorities = record.priorities
        // Otherwise something was consumed meanwhile, and the steps noted then lead elsewhere.
        let isExact = list.count == entries.count && inverse.removed.count == record.added.count
        if list.count != entries.count {
            list.removeAll(in: EntryIDSelection(list.filter { !entries.contains($0) }))
            priorities = priorities.filter { entries.contains($0.key) }
        }
        if isOrderIntact, isExact, let before = record.play {
            play = before
        } else {
            if shuffleMode != .off { scatter(inverse.added) }
            touch()
        }
        let fate = keepCurrent(or: record.currentID)
        currentPosition = currentID.flatMap { list.position(of: $0) }
        inverse.stampAfter = play.stamp
        inverse.forward = isExact ? record.forward : nil
        inverse.backward = isExact ? record.backward : nil
        return (inverse, fate)
    }

    private mutating func keepCurrent(or earlier: EntryID?) -> CurrentFate {
        let earlier = earlier.flatMap { contains($0) ? $0 : nil }
        if let currentID, contains(currentID) {
            if currentID != earlier, shuffleMode != .off { hear(currentID) }
            return .kept
        }
        let hadCurrent = currentID != nil
        currentID = earlier ?? (hadCurrent ? (shuffleMode == .off ? list : play.order).first : nil)
        if let currentID, shuffleMode != .off { hear(currentID) }
        guard currentID == nil else { return .replaced }
        return hadCurrent ? .emptied : .kept
    }
}
