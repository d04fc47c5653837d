// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import MartletCore

@Suite("Play queue: rows of ids and tables of entries")
struct PlayQueueSequenceTests {
    @Test(arguments: Array(UInt64(1)...10))
    func `a row is an array in pieces`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var row = EntryIDSequence()
        var array: [EntryID] = []
        var source = EntryIDSource(startingAt: 1)
        for _ in 0..<400 {
            let start = Int.random(in: 0...array.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1, 2:
                let size = [1, 3, 200, 700, 1500].randomElement(using: &random) ?? 1
                let new = (0..<size).map { _ in source.next() }
                row.insert(new, at: start)
                array.insert(contentsOf: new, at: start)
            case 3:
                let end = Int.random(in: start...array.count, using: &random)
                row.replaceSubrange(start..<end, with: [])
                array.removeSubrange(start..<end)
            case 4 where start < array.count:
                let target = Int.random(in: 0..<array.count, using: &random)
                row.move(from: start, to: target)
                array.insert(array.remove(at: start), at: target)
            default:
                let gone = EntryIDSelection(array.filter { _ in Int.random(in: 0..<9, using: &random) == 0 })
                row.removeAll(in: gone)
                array.removeAll(where: gone.contains)
            }
            #expect(row.elementsEqual(array))
            #expect(row.count == array.count)
            #expect(row.chunks.allSatisfy { (1...EntryIDSequence.largestChunk).contains($0.ids.count) })
            guard let id = array.randomElement(using: &random) else { continue }
            #expect(row.position(of: id) == array.firstIndex(of: id))
            #expect(row.position(of: id).map { row[$0] } == id)
        }
        #expect(row == EntryIDSequence(array))
    }

    @Test func `an edit of one entry shares all other pieces`() {
        let old = EntryIDSequence((1...100_000).map { EntryID($0) })
        var new = old
        new.insert([EntryID(200_000)], at: 50_000)
        let known = Set(old.chunks.map(ObjectIdentifier.init))
        #expect(new.chunks.count { !known.contains(ObjectIdentifier($0)) } <= 2)
    }

    @Test func `many removals do not leave a row of crumbs`() {
        var row = EntryIDSequence((1...50_000).map { EntryID($0) })
        row.removeAll(in: EntryIDSelection((1...50_000).filter { !$0.isMultiple(of: 100) }.map { EntryID($0) }))
        #expect(row.count == 500)
        #expect(row.chunks.count <= 500 / EntryIDSequence.smallestChunk + 1)
    }

    @Test(arguments: Array(UInt64(1)...10))
    func `a table is a dictionary on pages`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var table = QueueEntryTable()
        var dictionary: [EntryID: QueueEntry] = [:]
        var taken = QueueEntryTable()
        for _ in 0..<300 {
            if Bool.random(using: &random) {
                let ids = Set((0..<40).map { _ in EntryID(UInt64.random(in: 1...2000, using: &random)) })
                    .filter { dictionary[$0] == nil && !taken.contains($0) }
                let new = ids.map { QueueEntry(id: $0, .named("\($0.rawValue)")) }
                table.insert(new)
                for entry in new { dictionary[entry.id] = entry }
            } else if Bool.random(using: &random) {
                let gone = EntryIDSelection(dictionary.keys.filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
                let removed = table.remove(gone)
                #expect(removed.count == gone.count)
                #expect(Set(removed.ids) == Set(gone.ids))
                for id in gone.ids { dictionary[id] = nil }
                taken.insert(removed)
            } else {
                table.insert(taken)
                for id in taken.ids { dictionary[id] = taken[id] }
                taken = QueueEntryTable()
            }
            #expect(table.count == dictionary.count)
            #expect(Set(table.ids) == Set(dictionary.keys))
            for id in (1...50).map({ EntryID($0 * 40) }) { #expect(table[id] == dictionary[id]) }
        }
    }

    @Test func `a selection answers for ids near and far apart`() {
        for last in [UInt64(40), 1 << 40, .max] {
            let selection = EntryIDSelection([EntryID(3), EntryID(last), EntryID(3)])
            #expect(selection.count == 2)
            #expect(selection.contains(EntryID(3)) && selection.contains(EntryID(last)))
            #expect(!selection.contains(EntryID(2)) && !selection.contains(EntryID(4)))
            #expect(Set(selection.ids) == [EntryID(3), EntryID(last)])
        }
        #expect(!EntryIDSelection([]).contains(EntryID(.max)))
    }
}
