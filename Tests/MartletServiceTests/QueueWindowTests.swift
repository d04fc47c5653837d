// SPDX-License-Identifier: Apache-2.0
import MartletCore
import Testing

@testable import MartletService

@Suite("The window of the queue that MPRIS shows")
struct QueueWindowTests {
    func queue(_ count: Int) -> PlayQueue {
        var queue = PlayQueue(seed: 1)
        queue.append((0..<count).map { NewEntry(uri: MediaURI("file:///\($0)")!) })
        _ = queue.start()
        return queue
    }

    @Test func `a short queue is shown whole`() {
        var window = QueueWindow()
        var queue = queue(500)
        #expect(window.follow(queue) == .replaced)
        #expect(window.ids == Array(queue.list))
        let third = queue.list[2]
        queue.remove([third])
        #expect(window.follow(queue) == .edited(removed: [third], added: []))
        let added = queue.insert([NewEntry(uri: MediaURI("file:///new")!)], after: queue.list[0])
        #expect(window.follow(queue) == .edited(removed: [], added: added))
        #expect(window.predecessor(of: added[0]) == queue.list[0])
        #expect(window.follow(queue) == .none)
    }

    @Test func `a move is told as a replacement`() {
        var window = QueueWindow()
        var queue = queue(5)
        _ = window.follow(queue)
        queue.move([queue.list[4]], after: nil)
        #expect(window.follow(queue) == .replaced)
    }

    @Test func `a long queue is a window that moves when the current entry comes near its edge (D10)`() {
        var window = QueueWindow()
        var queue = queue(10_000)
        _ = window.follow(queue)
        #expect(window.ids.count == 500 && window.ids.first == queue.list[0])
        _ = queue.goTo(queue.list[449])
        #expect(window.follow(queue) == .none)
        _ = queue.goTo(queue.list[450])
        #expect(window.follow(queue) == .replaced)
        #expect(window.ids.contains(queue.list[450]) && window.ids.first == queue.list[200])
        _ = queue.goTo(queue.list[9_999])
        _ = window.follow(queue)
        #expect(window.ids.last == queue.list[9_999] && window.ids.count == 500)
    }

    @Test func `an emptied queue is a replacement by nothing`() {
        var window = QueueWindow()
        var queue = queue(3)
        _ = window.follow(queue)
        queue.clear()
        #expect(window.follow(queue) == .replaced && window.ids.isEmpty)
    }
}
