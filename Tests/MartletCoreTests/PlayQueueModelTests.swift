// SPDX-License-Identifier: Apache-2.0
import MartletCore
import Testing

/// The list and the current entry as anybody would write them down: whole arrays, no order, full copies for undo.
private struct NaiveQueue {
    var list: [EntryID] = []
    var current: EntryID?
    var undoStack: [(list: [EntryID], current: EntryID?)] = []
    var redoStack: [(list: [EntryID], current: EntryID?)] = []
    /// Consumed entries, which no undo brings back.
    var consumed: Set<EntryID> = []

    mutating func edit(_ change: (inout [EntryID]) -> Void) {
        undoStack.append((list, current))
        redoStack = []
        change(&list)
    }

    mutating func undo() {
        guard let last = undoStack.popLast() else { return }
        redoStack.append((list, current))
        restore(last)
    }

    mutating func redo() {
        guard let last = redoStack.popLast() else { return }
        undoStack.append((list, current))
        restore(last)
    }

    private mutating func restore(_ kept: (list: [EntryID], current: EntryID?)) {
        list = kept.list.filter { !consumed.contains($0) }
        if let current, list.contains(current) { return }
        current = kept.current.flatMap { list.contains($0) ? $0 : nil } ?? (current == nil ? nil : list.first)
    }
}

@Suite("Play queue: random edits against a naive queue")
struct PlayQueueModelTests {
    #if DEBUG
        static let steps = 5000
    #else
        static let steps = 100_000
    #endif

    /// 20 seeds: 100,000 steps in a debug build, two million in a release build.
    @Test(.timeLimit(.minutes(10)), arguments: Array(UInt64(1)...20))
    func `a long life keeps list, current entry, undo and steps right`(seed: UInt64) {
        var life = Life(seed: seed)
        for step in 0..<PlayQueueModelTests.steps {
            if let violation = life.step() {
                Issue.record("seed \(seed), step \(step), after \(life.lastOperation): \(violation)")
                return
            }
        }
        #expect(life.edits > PlayQueueModelTests.steps / 3)
    }
}

/// A queue and its naive double living through the same operations.
private struct Life {
    var queue: PlayQueue
    var naive = NaiveQueue()
    var random: SplitMix64
    var lastOperation = ""
    var edits = 0
    private var steps = 0

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        queue = PlayQueue(seed: seed)
    }

    mutating func some<T>(_ all: some Collection<T>) -> T? { all.randomElement(using: &random) }

    mutating func fresh() -> [NewEntry] {
        (0..<Int.random(in: 1...3, using: &random)).map { _ in
            .named("t", album: some(["x", "y", "z", nil]) ?? nil, priority: some([0, 0, 0, 0, 0, 0, 5]) ?? 0)
        }
    }

    /// One random operation on both; what is wrong afterwards.
    mutating func step() -> String? {
        let old = (list: Array(queue.list), current: queue.currentID, version: queue.version)
        let wrong = operate()
        if let wrong { return wrong }
        if !queue.list.elementsEqual(naive.list) { return "the lists differ" }
        if queue.version != old.version { edits += 1 }
        if !PlayQueueInvariants.stepsLead(from: old.list, version: old.version, to: queue) {
            return "the steps mislead"
        }
        if queue.version == old.version, !queue.list.elementsEqual(old.list) { return "a change without a version" }
        // They cost more than the step itself, and what breaks them stays broken for a while.
        steps += 1
        return steps.isMultiple(of: 8) ? PlayQueueInvariants.violation(in: queue) : nil
    }

    private mutating func operate() -> String? {
        let operation = Int.random(in: 0..<26, using: &random)
        // Short lists meet each other's edges more often.
        let isFull = queue.count > 12
        switch operation {
        case 0 where !isFull, 1 where !isFull:
            lastOperation = "append"
            let ids = queue.append(fresh())
            naive.edit { $0 += ids }
        case 2 where !isFull:
            lastOperation = "insert"
            let position = Int.random(in: 0...queue.count, using: &random)
            let ids = queue.insert(fresh(), at: position)
            naive.edit { $0.insert(contentsOf: ids, at: position) }
        case 3 where !isFull:
            lastOperation = "insert after"
            let anchor = some(queue.list)
            let ids = queue.insert(fresh(), after: anchor)
            naive.edit { $0.insert(contentsOf: ids, at: anchor.flatMap($0.firstIndex).map { $0 + 1 } ?? 0) }
        case 4 where !isFull, 5 where !isFull: return playNext()
        case 6:
            lastOperation = "replace"
            if Int.random(in: 0..<6, using: &random) > 0 { return nil }
            let ids = queue.replace(with: fresh(), startingAt: 1)
            naive.edit { $0 = ids }
            naive.current = ids.count > 1 ? ids[1] : ids[0]
        case 7:
            lastOperation = "clear"
            if Int.random(in: 0..<6, using: &random) > 0 || queue.isEmpty { return nil }
            queue.clear()
            naive.edit { $0 = [] }
            naive.current = nil
        case 8, 9: return remove()
        case 10, 11, 12: move()
        case 13:
            lastOperation = "priority"
            let ids = queue.list.filter { _ in Bool.random(using: &random) }
            let version = queue.version
            queue.setPriority(ids, some([0, 0, 3, 5]) ?? 0)
            if queue.version != version { naive.edit { _ in } }
        case 14, 15:
            lastOperation = "undo"
            queue.undo()
            naive.undo()
            return compareCurrent()
        case 16:
            lastOperation = "redo"
            queue.redo()
            naive.redo()
            return compareCurrent()
        default: turn(operation)
        }
        return nil
    }

    /// After undo and redo the double knows what is current, except where a shuffled order decides.
    private mutating func compareCurrent() -> String? {
        defer { naive.current = queue.currentID }
        if queue.shuffleMode == .off, queue.currentID != naive.current { return "the current entries differ" }
        return nil
    }

    private mutating func turn(_ operation: Int) {
        switch operation {
        case 17, 18, 19:
            let reason = some(AdvanceReason.allCases) ?? .userAsked
            lastOperation = "advance \(reason)"
            _ = queue.advance(reason)
            for id in naive.list where !queue.contains(id) { naive.consumed.insert(id) }
            naive.list.removeAll { naive.consumed.contains($0) }
        case 20:
            lastOperation = "back"
            _ = queue.stepBack()
        case 21:
            lastOperation = "go to"
            if let id = some(queue.list) { _ = queue.goTo(id) }
        case 22:
            lastOperation = "loop"
            queue.setLoopMode(some(LoopMode.allCases) ?? .none)
        case 23:
            lastOperation = "shuffle"
            queue.setShuffleMode(some(ShuffleMode.allCases) ?? .off)
        case 24:
            lastOperation = "unplayable"
            if let id = some(queue.list) { queue.setUnplayable(id, Bool.random(using: &random)) }
        default:
            lastOperation = "consume, stop after"
            queue.consumes = Int.random(in: 0..<4, using: &random) == 0
            queue.stopAfter = some([true, false]) == true ? some(queue.list) : nil
        }
        naive.current = queue.currentID
    }

    private mutating func playNext() -> String? {
        lastOperation = "play next"
        let current = queue.currentID
        let isFirst = queue.snapshot.ahead.first.map { $0.isRevisit } ?? true
        let ids = queue.playNext(fresh())
        guard let first = ids.first, let position = queue.position(of: first) else { return "nothing came in" }
        naive.edit { $0.insert(contentsOf: ids, at: position) }
        let here = current.flatMap(queue.position) ?? -1
        if position <= here { return "before the current entry" }
        if isFirst, position != here + 1 { return "not directly behind the current entry" }
        if isFirst, queue.shuffleMode != .off || queue.snapshot.list[here + 1] == first {
            if queue.peekNext(.userAsked) != first { return "not what comes next" }
        }
        return nil
    }

    private mutating func remove() -> String? {
        lastOperation = "remove"
        let ids = queue.list.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
        guard !ids.isEmpty else { return nil }
        let current = queue.currentID
        let isKept = current.map { !ids.contains($0) } ?? true
        let fate = queue.remove(ids)
        naive.edit { $0.removeAll { ids.contains($0) } }
        naive.current = queue.currentID
        if isKept, queue.currentID != current || fate != .kept { return "removing others moved the current entry" }
        if !isKept, (fate == .emptied) != queue.isEmpty { return "fate \(fate)" }
        return nil
    }

    private mutating func move() {
        lastOperation = "move"
        let ids = queue.list.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }.shuffled(using: &random)
        let rest = queue.list.filter { !ids.contains($0) }
        let anchor = some(rest)
        let old = queue.version
        queue.move(ids, after: anchor)
        var moved = rest
        moved.insert(contentsOf: ids, at: anchor.flatMap(moved.firstIndex).map { $0 + 1 } ?? 0)
        if queue.version != old { naive.edit { $0 = moved } } else { naive.list = moved }
    }
}
