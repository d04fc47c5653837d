// SPDX-License-Identifier: Apache-2.0
import MartletCore
import Testing

extension PlayQueue {
    /// The albums `abc` and `xyz` and the tracks `1` and `2`, which stand alone.
    static func albums(seed: UInt64) -> PlayQueue {
        var queue = PlayQueue(seed: seed)
        queue.append("abc".map { .named(String($0), album: "first") })
        queue.append([.named("1")])
        queue.append("xyz".map { .named(String($0), album: "second") })
        queue.append([.named("2")])
        return queue
    }
}

@Suite("Play queue: shuffle")
struct PlayQueueShuffleTests {
    static let seeds: [UInt64] = Array(1...20)

    @Test(arguments: seeds)
    func `every entry comes once before any comes again, the current one first`(seed: UInt64) {
        var queue = PlayQueue.of("abcdefgh", seed: seed)
        queue.go("c")
        queue.setShuffleMode(.songs)
        #expect(queue.current == "c")
        let heard = queue.playOn(99)
        #expect(heard.count == 7)
        #expect(("c" + heard).sorted() == Array("abcdefgh"))
        #expect(!queue.hasNext)
    }

    @Test(arguments: seeds)
    func `each round of a repeated queue is whole and does not begin with what was just heard`(seed: UInt64) {
        var queue = PlayQueue.of("abcd", seed: seed)
        queue.setShuffleMode(.songs)
        queue.setLoopMode(.queue)
        var last = ""
        for _ in 0..<10 {
            let announced = queue.peekNext(.trackEnded)
            let round = queue.playOn(4)
            #expect(round.sorted() == Array("abcd"))
            #expect(queue.name(announced) == round.prefix(1))
            #expect(round.prefix(1) != last.suffix(1))
            last = round
        }
    }

    @Test func `rounds differ, and so do seeds (F280)`() {
        var orders: Set<String> = []
        for seed in UInt64(1)...10 {
            var queue = PlayQueue.of("abcdefghij", seed: seed)
            queue.setShuffleMode(.songs)
            queue.setLoopMode(.queue)
            orders.insert(queue.playOn(10))
            orders.insert(queue.playOn(10))
        }
        #expect(orders.count > 18)
    }

    @Test func `every first entry of a round is equally likely`() {
        var count: [String: Int] = [:]
        for seed in UInt64(0)..<4000 {
            var queue = PlayQueue.of("abcd", seed: seed &* 0x9E37_79B9)
            queue.setShuffleMode(.songs)
            count[queue.playOn(1), default: 0] += 1
        }
        #expect(count.count == 4)
        #expect(count.values.allSatisfy { (850...1150).contains($0) })
    }

    @Test(arguments: seeds)
    func `previous walks back through what was really heard, and next comes back the same way (F279)`(seed: UInt64) {
        var queue = PlayQueue.of("abcdefgh", seed: seed)
        queue.setShuffleMode(.songs)
        queue.setLoopMode(.queue)
        let heard = Array(queue.playOn(12))
        for name in heard.dropLast().reversed() {
            #expect(queue.back() == String(name))
        }
        #expect(!queue.hasPrevious)
        for name in heard.dropFirst() {
            #expect(queue.next() == String(name))
        }
    }

    @Test func `what was heard before shuffling can be walked back to as well`() {
        var queue = PlayQueue.of("abcd")
        queue.go("a")
        _ = queue.playOn(2)
        queue.setShuffleMode(.songs)
        #expect(queue.back() == "b")
        #expect(queue.back() == "a")
    }

    @Test func `the way back is bounded`() {
        var queue = PlayQueue.of("abcdefghij")
        queue.setShuffleMode(.songs)
        queue.setLoopMode(.queue)
        _ = queue.playOn(PlayQueue.historyDepth + 50)
        var steps = 0
        while queue.stepBack() != nil { steps += 1 }
        #expect((PlayQueue.historyDepth - 1...PlayQueue.historyDepth).contains(steps))
    }

    @Test(arguments: seeds)
    func `turning shuffle off restores the list and keeps the current entry (F281)`(seed: UInt64) {
        var queue = PlayQueue.of("abcdef", seed: seed)
        queue.setShuffleMode(.songs)
        _ = queue.playOn(3)
        let current = queue.currentID
        queue.setShuffleMode(.off)
        #expect(queue.text == "abcdef")
        #expect(queue.currentID == current)
    }

    @Test(arguments: [ShuffleMode.songs, .albums], seeds)
    func `off and on again within a moment restores the order (F157, C38)`(mode: ShuffleMode, seed: UInt64) {
        var queue = PlayQueue.albums(seed: seed)
        queue.setShuffleMode(mode)
        _ = queue.playOn(2)
        queue.playNext([.named("n")])
        _ = queue.stepBack()
        var untouched = queue
        queue.setShuffleMode(.off)
        queue.setLoopMode(.queue)
        queue.setLoopMode(.none)
        queue.setShuffleMode(mode)
        #expect(queue.playOn(99) == untouched.playOn(99))
    }

    @Test func `off, played on, and on again is a new order`() {
        var orders: Set<String> = []
        for seed in PlayQueueShuffleTests.seeds {
            var queue = PlayQueue.of("abcdefghij", seed: seed)
            queue.go("a")
            queue.setShuffleMode(.songs)
            let before = queue.upcoming(limit: 99)
            queue.setShuffleMode(.off)
            _ = queue.advance(.userAsked)
            queue.setShuffleMode(.songs)
            #expect(queue.current == "b")
            orders.insert(queue.names(queue.upcoming(limit: 99)) == queue.names(before) ? "same" : "other")
        }
        #expect(orders == ["other"])
    }

    @Test(arguments: seeds)
    func `entries added while shuffled land among what was not heard`(seed: UInt64) {
        var queue = PlayQueue.of("abcdef", seed: seed)
        queue.setShuffleMode(.songs)
        let heard = queue.playOn(3)
        queue.append("123".map { .named(String($0)) })
        queue.insert([.named("4")], at: 0)
        let rest = queue.playOn(99)
        #expect(rest.count == 7)
        #expect((heard + rest).sorted() == "abcdef1234".sorted())
    }

    @Test func `an entry added in the middle of a round may come anywhere in the rest`() {
        var places: Set<Int> = []
        for seed in UInt64(1)...200 {
            var queue = PlayQueue.of("abcd", seed: seed)
            queue.setShuffleMode(.songs)
            _ = queue.playOn(1)
            queue.append([.named("n")])
            let rest = Array(queue.playOn(9))
            places.insert(rest.firstIndex(of: "n")!)
        }
        #expect(places == [0, 1, 2, 3])
    }

    @Test(arguments: [ShuffleMode.songs, .albums], seeds)
    func `play next comes directly after the current entry, in the order asked`(mode: ShuffleMode, seed: UInt64) {
        var queue = PlayQueue.albums(seed: seed)
        queue.setShuffleMode(mode)
        _ = queue.playOn(2)
        queue.playNext("pq".map { .named(String($0)) })
        queue.append([.named("n")])
        queue.playNext([.named("r")])
        #expect(queue.playOn(3) == "pqr")
        #expect(queue.playOn(99).contains("n"))
    }

    @Test func `play next after walking back comes before what was walked back from`() {
        var queue = PlayQueue.of("abcdef")
        queue.setShuffleMode(.songs)
        let heard = Array(queue.playOn(3))
        _ = queue.stepBack()
        queue.playNext("pq".map { .named(String($0)) })
        #expect(queue.playOn(3) == "pq" + String(heard[2]))
    }

    @Test(arguments: seeds)
    func `jumping to an entry takes it out of the rest of the round and skips nothing`(seed: UInt64) {
        var queue = PlayQueue.of("abcdef", seed: seed)
        queue.go("a")
        queue.setShuffleMode(.songs)
        let target = queue.upcoming(limit: 99)[3]
        let name = queue.name(target)
        #expect(queue.goTo(target) == true)
        let rest = queue.playOn(99)
        #expect(rest.count == 4)
        #expect(!rest.contains(name))
        #expect(queue.back() != "-")
    }

    @Test(arguments: [ShuffleMode.songs, .albums], LoopMode.allCases)
    func `removing while shuffled keeps every other entry in the round`(mode: ShuffleMode, loop: LoopMode) {
        for seed in PlayQueueShuffleTests.seeds {
            var queue = PlayQueue.albums(seed: seed)
            queue.setShuffleMode(mode)
            queue.setLoopMode(loop)
            var heard = queue.playOn(3, .userAsked)
            let rest = queue.upcoming(limit: 99)
            #expect(queue.remove([rest[0], rest[2]]) == .kept)
            heard += queue.playOn(3, .userAsked)
            #expect(Set(heard).count == 6)
            #expect(Set(heard) == Set(queue.text))
        }
    }
}

@Suite("Play queue: shuffling albums and priorities")
struct PlayQueueAlbumTests {
    @Test(arguments: PlayQueueShuffleTests.seeds)
    func `albums stay together and in their order`(seed: UInt64) {
        var queue = PlayQueue.albums(seed: seed)
        queue.setShuffleMode(.albums)
        queue.setLoopMode(.queue)
        var last = ""
        for _ in 0..<4 {
            let round = queue.playOn(8)
            #expect(round.contains("abc") && round.contains("xyz") && round.contains("1") && round.contains("2"))
            if last == "c" || last == "z" { #expect(round.prefix(1) != (last == "c" ? "a" : "x")) }
            last = String(round.suffix(1))
        }
    }

    @Test(arguments: PlayQueueShuffleTests.seeds)
    func `an album begun in its middle is played to its end first`(seed: UInt64) {
        var queue = PlayQueue.albums(seed: seed)
        queue.go("b")
        queue.setShuffleMode(.albums)
        let heard = queue.playOn(99)
        #expect(heard.hasPrefix("c"))
        #expect(!heard.contains("a"))
        #expect(heard.contains("xyz"))
        #expect(heard.count == 6)
    }

    @Test(arguments: PlayQueueShuffleTests.seeds)
    func `jumping into an album goes on with it`(seed: UInt64) {
        var queue = PlayQueue.albums(seed: seed)
        queue.go("a")
        queue.setShuffleMode(.albums)
        queue.go("y")
        let heard = queue.playOn(99)
        #expect(heard.hasPrefix("z"))
        #expect(heard.contains("bc"))
        #expect(heard.sorted() == Array("12bcz"))
    }

    @Test(arguments: PlayQueueShuffleTests.seeds)
    func `new tracks join the rest of their album, new albums come between two`(seed: UInt64) {
        var queue = PlayQueue.albums(seed: seed)
        queue.go("a")
        queue.setShuffleMode(.albums)
        queue.append([.named("d", album: "first"), .named("p", album: "third"), .named("w", album: "second")])
        queue.append([.named("q", album: "third")])
        let heard = queue.playOn(99)
        #expect(heard.hasPrefix("bcd"))
        #expect(heard.contains("xyzw"))
        #expect(heard.contains("pq"))
        #expect(heard.sorted() == "bcdpqxyzw12".sorted())
    }

    @Test(arguments: PlayQueueShuffleTests.seeds)
    func `higher priorities come first while shuffled`(seed: UInt64) {
        var queue = PlayQueue.of("abcdef", seed: seed)
        queue.go("a")
        queue.setPriority(queue.ids("bc"), 10)
        queue.setPriority(queue.ids("d"), 200)
        queue.setShuffleMode(.songs)
        queue.setLoopMode(.queue)
        let heard = queue.playOn(5)
        #expect(heard.hasPrefix("d"))
        #expect(Set(heard.dropFirst().prefix(2)) == ["b", "c"])
        #expect(queue.playOn(1) == "d")
    }

    @Test func `a raised entry comes at once, also one that was heard; a lowered one later (MPD)`() {
        var queue = PlayQueue.of("abcdef")
        queue.go("a")
        queue.setShuffleMode(.songs)
        let heard = queue.playOn(2)
        let first = queue.id(heard.first!)
        queue.setPriority([first], 5)
        #expect(queue.peekNext(.userAsked) == first)
        let last = queue.upcoming(limit: 99).last!
        queue.setPriority([last], 9)
        #expect(queue.peekNext(.userAsked) == last)
        queue.setPriority([last], 0)
        #expect(queue.peekNext(.userAsked) == first)
        #expect(queue.entry(first)?.priority == 5)
    }

    @Test func `new entries with a priority come before the rest and behind play next`() {
        var queue = PlayQueue.of("abcdef")
        queue.go("a")
        queue.setShuffleMode(.songs)
        queue.playNext([.named("n")])
        queue.append([.named("p", priority: 3)])
        queue.append([.named("q", priority: 4)])
        #expect(queue.playOn(3) == "nqp")
    }

    @Test func `priorities mean nothing while not shuffled and can be undone`() {
        var queue = PlayQueue.of("abc")
        queue.go("a")
        queue.setPriority(queue.ids("c"), 9)
        #expect(queue.peekNext(.userAsked) == queue.id("b"))
        queue.undo()
        #expect(queue.entry(queue.id("c"))?.priority == 0)
        queue.redo()
        #expect(queue.entry(queue.id("c"))?.priority == 9)
    }
}
