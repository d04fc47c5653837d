// SPDX-License-Identifier: Apache-2.0
import MartletCore
import Testing

extension NewEntry {
    /// An entry that is called so.
    static func named(_ name: String, album: String? = nil, priority: UInt8 = 0) -> NewEntry {
        NewEntry(uri: MediaURI("file:///music/\(name)")!, albumKey: album, priority: priority)
    }
}

extension PlayQueue {
    /// A queue of entries with one-letter names; none is current.
    static func of(_ names: String, seed: UInt64 = 1) -> PlayQueue {
        var queue = PlayQueue(seed: seed)
        queue.append(names.map { .named(String($0)) })
        return queue
    }

    func name(_ id: EntryID?) -> String { id.flatMap { entry($0) }?.uri.displayName ?? "-" }

    func names(_ ids: some Sequence<EntryID>) -> String { ids.map { name($0) }.joined() }

    /// The list in names.
    var text: String { names(list) }

    var current: String { name(currentID) }

    func id(_ name: Character) -> EntryID { list.first { self.name($0) == String(name) }! }

    func ids(_ names: String) -> [EntryID] { names.map { id($0) } }

    mutating func go(_ name: Character) { _ = goTo(id(name)) }

    /// Goes back; the name of what is current then, or "-".
    mutating func back() -> String {
        let id = stepBack()
        return name(id)
    }

    /// Goes on as asked; the name of what is current then, or "-".
    mutating func next() -> String {
        let id = advance(.userAsked)
        return name(id)
    }

    /// Names of what plays when each track is played to its end, at most `limit`.
    mutating func playOn(_ limit: Int, _ reason: AdvanceReason = .trackEnded) -> String {
        var heard = ""
        for _ in 0..<limit {
            guard let next = advance(reason) else { break }
            heard += name(next)
        }
        return heard
    }
}

@Suite("Play queue: addresses and edits")
struct PlayQueueEditTests {
    @Test func `an entry keeps its id when others move around it`() {
        var queue = PlayQueue.of("abc")
        let id = queue.id("b")
        queue.move([id], after: queue.id("c"))
        queue.insert([.named("x")], at: 0)
        #expect(queue.text == "xacb")
        #expect(queue.position(of: id) == 3)
        #expect(queue.entry(id)?.uri.displayName == "b")
    }

    @Test func `one file queued twice is two entries`() {
        var queue = PlayQueue(seed: 1)
        let ids = queue.append([.named("a"), .named("a")])
        #expect(Set(ids).count == 2)
    }

    @Test func `ids are never given out again`() {
        var queue = PlayQueue.of("abc")
        queue.clear()
        let ids = queue.append([.named("d")])
        #expect(ids == [EntryID(4)])
        #expect(queue.upcomingID == 5)
    }

    @Test func `a new queue begins with the id it is told`() {
        var queue = PlayQueue(ids: EntryIDSource(startingAt: 700), seed: 1)
        #expect(queue.append([.named("a")]) == [EntryID(700)])
    }

    @Test func `inserting behind nothing is the start, behind an unknown entry the end`() {
        var queue = PlayQueue.of("ab")
        queue.insert([.named("x")], after: nil)
        queue.insert([.named("y")], after: EntryID(999))
        #expect(queue.text == "xaby")
    }

    @Test func `several calls of play next come out in the order asked`() {
        var queue = PlayQueue.of("abc")
        queue.go("a")
        queue.playNext([.named("1"), .named("2")])
        queue.playNext([.named("3")])
        #expect(queue.text == "a123bc")
        #expect(queue.playOn(9) == "123bc")
    }

    @Test func `play next goes behind what earlier calls put there and has not been reached`() {
        var queue = PlayQueue.of("abc")
        queue.go("a")
        queue.playNext([.named("1"), .named("2")])
        _ = queue.advance(.trackEnded)
        queue.playNext([.named("3")])
        #expect(queue.text == "a123bc")
        queue.go("c")
        queue.playNext([.named("4")])
        #expect(queue.text == "a123bc4")
    }

    @Test func `play next on a queue that never began comes first`() {
        var queue = PlayQueue.of("ab")
        queue.playNext([.named("1")])
        queue.playNext([.named("2")])
        #expect(queue.text == "12ab")
        #expect(queue.start() == queue.id("1"))
    }

    @Test(arguments: [
        ("b", "d", "acdbef"), ("bc", "e", "adebcf"), ("fa", "c", "bcfade"), ("bd", "d", "acbdef"),
        ("ab", "a", "abcdef"),
    ])
    func `moving keeps the order asked`(moved: String, target: Character, expected: String) {
        var queue = PlayQueue.of("abcdef")
        queue.move(queue.ids(moved), after: queue.id(target))
        #expect(queue.text == expected)
    }

    @Test func `moving to the start, and a range by position`() {
        var queue = PlayQueue.of("abcdef")
        queue.move([queue.id("e")], after: nil)
        #expect(queue.text == "eabcdf")
        queue.moveSubrange(1..<3, to: 3)
        #expect(queue.text == "ecdabf")
        queue.moveSubrange(3..<5, to: 0)
        #expect(queue.text == "abecdf")
        queue.moveSubrange(4..<99, to: 99)
        #expect(queue.text == "abecdf")
    }

    @Test func `moving behind an unknown entry changes nothing`() {
        var queue = PlayQueue.of("abc")
        let version = queue.version
        queue.move([queue.id("a")], after: EntryID(999))
        queue.move([EntryID(999)], after: nil)
        #expect(queue.text == "abc")
        #expect(queue.version == version)
        #expect(queue.canUndo)
    }

    @Test func `removing others keeps the current entry`() {
        var queue = PlayQueue.of("abcde")
        queue.go("c")
        #expect(queue.remove(queue.ids("ae")) == .kept)
        #expect(queue.removeSubrange(0..<1) == .kept)
        #expect(queue.text == "cd")
        #expect(queue.current == "c")
        #expect(queue.position(of: queue.id("c")) == 0)
    }

    @Test func `removing the current entry makes what follows current`() {
        var queue = PlayQueue.of("abcd")
        queue.go("b")
        #expect(queue.remove(queue.ids("bc")) == .replaced)
        #expect(queue.current == "d")
    }

    @Test func `removing the last entry while current ends at the one before, or goes round`() {
        var queue = PlayQueue.of("abc")
        queue.go("c")
        var round = queue
        round.setLoopMode(.queue)
        #expect(queue.remove(queue.ids("c")) == .endReached)
        #expect(queue.current == "b")
        #expect(round.remove(round.ids("c")) == .replaced)
        #expect(round.current == "a")
    }

    @Test func `what takes the place of a removed entry can be played`() {
        var queue = PlayQueue.of("abc")
        queue.go("a")
        queue.setUnplayable(queue.id("b"), true)
        #expect(queue.remove(queue.ids("a")) == .replaced)
        #expect(queue.current == "c")
        #expect(queue.remove(queue.ids("c")) == .endReached)
        #expect(queue.current == "b")
    }

    @Test func `emptying says so`() {
        var queue = PlayQueue.of("ab")
        queue.go("a")
        #expect(queue.remove(Array(queue.list)) == .emptied)
        #expect(queue.currentID == nil)
        #expect(queue.clear() == .kept)
        #expect(queue.start() == nil)
    }

    @Test func `replacing starts at the entry asked for, or at the first`() {
        var queue = PlayQueue.of("abc")
        queue.replace(with: ["x", "y", "z"].map { .named($0) }, startingAt: 1)
        #expect(queue.text == "xyz")
        #expect(queue.current == "y")
        queue.replace(with: [.named("p")], startingAt: 7)
        #expect(queue.current == "p")
        queue.replace(with: [], startingAt: 0)
        #expect(queue.isEmpty)
        #expect(queue.currentID == nil)
    }
}

@Suite("Play queue: moving on and back")
struct PlayQueueAdvanceTests {
    @Test func `without a loop the last entry has no next`() {
        var queue = PlayQueue.of("ab")
        queue.go("b")
        #expect(!queue.hasNext)
        #expect(queue.peekNext(.trackEnded) == nil)
        #expect(queue.advance(.userAsked) == nil)
        #expect(queue.current == "b")
    }

    @Test func `a repeated queue goes round both ways`() {
        var queue = PlayQueue.of("abc")
        queue.setLoopMode(.queue)
        queue.go("c")
        #expect(queue.hasNext)
        #expect(queue.playOn(4) == "abca")
        #expect(queue.back() == "c")
    }

    @Test func `a repeated track repeats at its end and is left when asked for, also at the end of the list (D04)`() {
        var queue = PlayQueue.of("ab")
        queue.setLoopMode(.track)
        queue.go("b")
        #expect(queue.playOn(2) == "bb")
        #expect(queue.hasNext)
        #expect(queue.next() == "a")
    }

    @Test func `alone in a repeated queue an entry follows itself, but there is no other to ask for`() {
        var queue = PlayQueue.of("a")
        queue.setLoopMode(.queue)
        queue.go("a")
        #expect(queue.playOn(2) == "aa")
        #expect(!queue.hasNext)
        #expect(!queue.hasPrevious)
    }

    @Test(arguments: ShuffleMode.allCases, LoopMode.allCases)
    func `what cannot be played is passed over, and a full round of failures is the end`(
        shuffle: ShuffleMode, loop: LoopMode
    ) {
        var queue = PlayQueue.of("abcd")
        queue.go("a")
        queue.setShuffleMode(shuffle)
        queue.setLoopMode(loop)
        for name in "bd" { queue.setUnplayable(queue.id(name), true) }
        #expect(queue.next() == "c")
        for id in queue.list { queue.setUnplayable(id, true) }
        #expect(!queue.hasNext)
        #expect(!queue.hasPrevious)
        #expect(queue.peekNext(.trackEnded) == nil)
        #expect(queue.goTo(queue.id("b")) == true)
        #expect(queue.entry(queue.id("b"))?.isUnplayable == false)
    }

    @Test func `stopping after an entry happens once and leaves the next one waiting`() {
        var queue = PlayQueue.of("abc")
        queue.go("a")
        queue.stopAfter = queue.id("b")
        #expect(queue.playOn(1) == "b")
        #expect(queue.peekNext(.trackEnded) == nil)
        #expect(queue.hasNext)
        #expect(queue.advance(.trackEnded) == nil)
        #expect(queue.current == "c")
        #expect(queue.stopAfter == nil)
        queue.stopAfter = queue.id("a")
        queue.remove(queue.ids("a"))
        #expect(queue.stopAfter == nil)
    }

    @Test func `a consuming queue drops what was heard`() {
        var queue = PlayQueue.of("abc")
        queue.consumes = true
        queue.go("a")
        #expect(queue.playOn(1) == "b")
        #expect(queue.text == "bc")
        #expect(queue.playOn(5) == "c")
        #expect(queue.isEmpty)
        #expect(queue.currentID == nil)
    }

    @Test func `a consuming queue keeps what could not be played and what repeats (F251)`() {
        var queue = PlayQueue.of("abc")
        queue.consumes = true
        queue.go("a")
        queue.setUnplayable(queue.id("a"), true)
        #expect(queue.playOn(1) == "b")
        queue.setLoopMode(.track)
        #expect(queue.playOn(2) == "bb")
        #expect(queue.text == "abc")
    }

    @Test func `a consuming queue begun in its middle ends at its beginning`() {
        var queue = PlayQueue.of("abc")
        queue.consumes = true
        queue.go("c")
        #expect(queue.advance(.trackEnded) == nil)
        #expect(queue.text == "ab")
        #expect(queue.current == "a")
    }

    @Test func `going back is up the list, whatever was jumped over`() {
        var queue = PlayQueue.of("abcd")
        queue.go("a")
        queue.go("d")
        #expect(queue.back() == "c")
        #expect(queue.back() == "b")
        #expect(queue.back() == "a")
        #expect(!queue.hasPrevious)
        #expect(queue.stepBack() == nil)
    }

    @Test func `neighbours are the current entry, what comes and what was`() {
        var queue = PlayQueue.of("abcdef")
        queue.go("c")
        #expect(queue.names(queue.neighbours(ahead: 2, behind: 1)) == "cdeb")
        queue.setLoopMode(.queue)
        queue.go("f")
        #expect(queue.names(queue.neighbours(ahead: 2, behind: 1)) == "fae")
    }
}
