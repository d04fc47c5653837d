// SPDX-License-Identifier: Apache-2.0
import MartletCore
import Testing

@Suite("Play queue: undo, changes, snapshots")
struct PlayQueueUndoTests {
    typealias Edit = @Sendable (inout PlayQueue) -> Void
    static let edits: [Edit] = [
        { $0.append([.named("x"), .named("y")]) },
        { $0.insert([.named("x")], at: 2) },
        { $0.playNext([.named("x")]) },
        { $0.remove($0.ids("bdf")) },
        { $0.remove($0.ids("c")) },
        { $0.move($0.ids("fb"), after: $0.id("d")) },
        { $0.move($0.ids("e"), after: nil) },
        { $0.replace(with: [.named("x")], startingAt: 0) },
        { $0.setPriority($0.ids("ad"), 7) },
        { $0.clear() },
    ]

    @Test(arguments: edits.indices, [ShuffleMode.off, .songs, .albums])
    func `every edit can be taken back and done again, the order with it`(edit: Int, mode: ShuffleMode) {
        var queue = PlayQueue.of("abcdef")
        queue.go("c")
        queue.setShuffleMode(mode)
        let before = queue.snapshot
        PlayQueueUndoTests.edits[edit](&queue)
        let after = queue.snapshot
        for _ in 0..<3 {
            queue.undo()
            #expect(queue.list == before.list)
            #expect(queue.snapshot.order.sorted() == before.order.sorted())
            if queue.currentID == before.currentID { #expect(queue.snapshot.order == before.order) }
            #expect(queue.snapshot.priorities == before.priorities)
            #expect(queue.list.allSatisfy { queue.entry($0) != nil })
            queue.redo()
            #expect(queue.list == after.list)
            #expect(queue.snapshot.order.sorted() == after.order.sorted())
            #expect(queue.snapshot.priorities == after.priorities)
        }
        #expect(!queue.canRedo)
    }

    @Test func `a hundred edits and more can be taken back`() {
        var queue = PlayQueue.of("abc")
        for number in 0..<150 { queue.insert([.named("\(number)")], at: number % 3) }
        for _ in 0..<150 { queue.undo() }
        #expect(queue.text == "abc")
        for _ in 0..<150 { queue.redo() }
        #expect(queue.count == 153)
    }

    @Test func `a new edit ends what could be done again`() {
        var queue = PlayQueue.of("abc")
        queue.remove(queue.ids("b"))
        queue.undo()
        queue.append([.named("x")])
        #expect(!queue.canRedo)
        #expect(queue.redo() == .kept)
        #expect(queue.text == "abcx")
    }

    @Test func `taking a replacement back brings the old current entry back`() {
        var queue = PlayQueue.of("abc")
        queue.go("b")
        queue.replace(with: [.named("x")], startingAt: 0)
        #expect(queue.undo() == .replaced)
        #expect(queue.current == "b")
        queue.clear()
        #expect(queue.undo() == .replaced)
        #expect(queue.current == "b")
        #expect(queue.redo() == .emptied)
    }

    @Test func `taking a removal back does not disturb what plays`() {
        var queue = PlayQueue.of("abc")
        queue.go("b")
        queue.remove(queue.ids("b"))
        #expect(queue.current == "c")
        #expect(queue.undo() == .kept)
        #expect(queue.current == "c")
        #expect(queue.text == "abc")
    }

    @Test func `taking back an edit after playing on forgets nothing that was heard`() {
        var queue = PlayQueue.of("abcdef")
        queue.go("a")
        queue.setShuffleMode(.songs)
        queue.remove(queue.ids("f"))
        let heard = queue.playOn(3)
        queue.undo()
        let rest = queue.playOn(99)
        #expect((heard + rest).sorted() == Array("bcdef"))
    }

    @Test func `what was consumed does not come back`() {
        var queue = PlayQueue.of("abcd")
        queue.consumes = true
        queue.go("a")
        queue.remove(queue.ids("d"))
        _ = queue.playOn(1)
        queue.undo()
        #expect(queue.text == "bcd")
        queue.undo()
        #expect(queue.isEmpty)
        queue.redo()
        #expect(queue.text == "bcd")
    }

    @Test func `the steps from an older version lead to the list of today`() {
        var queue = PlayQueue.of("abcdef")
        let version = queue.version
        #expect(queue.changes(since: version) == [])
        queue.move(queue.ids("e"), after: nil)
        queue.insert([.named("x")], at: 2)
        let x = queue.id("x")
        let a = queue.id("a")
        queue.remove([a])
        #expect(
            queue.changes(since: version) == [
                .moved([EntryID(5)], to: 0), .inserted([x], at: 2), .removed([a]),
            ])
        #expect(queue.changes(since: version + 2) == [.removed([a])])
        #expect(queue.changes(since: queue.version + 1) == nil)
    }

    @Test func `versions that are too old get everything`() {
        var queue = PlayQueue.of("abc")
        let version = queue.version
        queue.clear()
        #expect(queue.changes(since: version) == nil)
        #expect(queue.changes(since: queue.version) == [])
        let empty = queue.version
        for _ in 0..<1200 { queue.append([.named("x")]) }
        #expect(queue.changes(since: empty) == nil)
        #expect(queue.changes(since: queue.version - 400)?.count == 400)
    }

    @Test(arguments: ShuffleMode.allCases)
    func `a restored queue goes on like the one it was taken of (F187)`(mode: ShuffleMode) {
        var queue = PlayQueue.albums(seed: 5)
        queue.setShuffleMode(mode)
        queue.setLoopMode(.queue)
        _ = queue.playOn(4)
        queue.playNext([.named("n")])
        queue.setPriority(queue.ids("x"), 3)
        _ = queue.stepBack()
        var restored = PlayQueue(restoring: queue.snapshot)
        #expect(restored.text == queue.text)
        #expect(restored.currentID == queue.currentID)
        #expect(restored.upcomingID == queue.upcomingID)
        #expect(restored.back() == queue.back())
        #expect(restored.playOn(40) == queue.playOn(40))
    }

    @Test func `a damaged snapshot is mended by id (F189)`() {
        var queue = PlayQueue.of("abcd")
        queue.go("c")
        queue.setShuffleMode(.songs)
        _ = queue.playOn(1)
        let current = queue.current
        var snapshot = queue.snapshot
        snapshot.list = EntryIDSequence(Array(queue.list.dropFirst()) + [EntryID(77), queue.list[2]])
        snapshot.history = [EntryID(77), EntryID(3)]
        snapshot.heardCount = 99
        snapshot.upcomingID = 1
        var restored = PlayQueue(restoring: snapshot)
        #expect(restored.text == "bcd")
        #expect(restored.current == current)
        #expect(restored.entry(EntryID(1)) == nil)
        #expect(restored.playOn(99).count == 2)
        #expect(restored.append([.named("n")])[0].rawValue > 77)
    }

    @Test func `ids go on above the session's and above all that are there`() {
        let queue = PlayQueue.of("abc")
        #expect(PlayQueue(restoring: queue.snapshot, ids: EntryIDSource(startingAt: 500)).upcomingID == 500)
        #expect(PlayQueue(restoring: queue.snapshot, ids: EntryIDSource(startingAt: 2)).upcomingID == 4)
    }
}
