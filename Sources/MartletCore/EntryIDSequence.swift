// SPDX-License-Identifier: Apache-2.0

/// A long row of entry ids, of which copies are cheap and edits touch little.
///
/// The row is cut into chunks of a few hundred ids that never change once they exist; an edit makes one or two new
/// chunks and shares the rest. Copies that lie an edit apart therefore share nearly everything: a hundred steps of
/// undo over 100,000 entries cost some hundred kilobytes, and whoever saves the row can tell by the identity of the
/// chunks what is new.
public struct EntryIDSequence: RandomAccessCollection, Sendable {
    /// A part of the row; immutable, so that identity is equality.
    public final class Chunk: Sendable {
        public let ids: [EntryID]
        /// Smallest and largest id: most chunks of a list in the order of arrival need not be searched.
        let bounds: ClosedRange<UInt64>

        init(_ ids: [EntryID]) {
            precondition(!ids.isEmpty, "a chunk holds at least one id")
            var low = UInt64.max
            var high = UInt64.min
            for id in ids {
                low = Swift.min(low, id.rawValue)
                high = Swift.max(high, id.rawValue)
            }
            self.ids = ids
            bounds = low...high
        }
    }

    /// The parts in order; none is empty.
    public private(set) var chunks: [Chunk] = []
    /// Where each chunk starts in the row.
    private var starts: [Int] = []
    public private(set) var count = 0

    static let largestChunk = 512
    static let usualChunk = 256
    /// A chunk below this is joined to its neighbour.
    static let smallestChunk = 64

    public init() {}

    public init(_ ids: some Sequence<EntryID>) {
        let all = Array(ids)
        chunks = EntryIDSequence.cut(all)
        count = all.count
        renumber(from: 0)
    }

    /// A row in these pieces, none of them empty: as it was cut when it was saved.
    public init(chunks: [[EntryID]]) {
        self.chunks = chunks.map { Chunk($0) }
        count = chunks.reduce(0) { $0 + $1.count }
        renumber(from: 0)
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { count }

    public subscript(position: Int) -> EntryID {
        let chunk = chunkIndex(at: position)
        return chunks[chunk].ids[position - starts[chunk]]
    }

    /// Where an id stands, searched for from a position on. Takes a time that grows with the count.
    public func position(of id: EntryID, from start: Int = 0) -> Int? {
        guard start < count else { return nil }
        let first = chunkIndex(at: start)
        for index in first..<chunks.count where chunks[index].bounds.contains(id.rawValue) {
            let ids = chunks[index].ids
            let offset = index == first ? start - starts[first] : 0
            if let found = ids[offset...].firstIndex(of: id) { return starts[index] + found }
        }
        return nil
    }

    // MARK: Editing

    /// Puts other ids in place of a range.
    mutating func replaceSubrange(_ range: Range<Int>, with new: [EntryID]) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "range \(range) outside 0..<\(count)")
        guard !range.isEmpty || !new.isEmpty else { return }
        guard !chunks.isEmpty else {
            self = EntryIDSequence(new)
            return
        }
        var first = chunkIndex(at: Swift.min(range.lowerBound, count - 1))
        var last = range.isEmpty ? first : chunkIndex(at: range.upperBound - 1)
        var ids = Array(chunks[first].ids[..<(range.lowerBound - starts[first])])
        ids += new
        ids += chunks[last].ids[(range.upperBound - starts[last])...]
        if ids.count < EntryIDSequence.smallestChunk {
            if last + 1 < chunks.count {
                last += 1
                ids += chunks[last].ids
            } else if first > 0 {
                first -= 1
                ids = chunks[first].ids + ids
            }
        }
        chunks.replaceSubrange(first...last, with: EntryIDSequence.cut(ids))
        count += new.count - range.count
        renumber(from: first)
    }

    mutating func insert(_ new: [EntryID], at position: Int) {
        replaceSubrange(position..<position, with: new)
    }

    mutating func append(_ new: [EntryID]) {
        insert(new, at: count)
    }

    mutating func remove(at position: Int) {
        replaceSubrange(position..<(position + 1), with: [])
    }

    /// Takes an id from one place to another, `target` counted in the row as it is without it.
    mutating func move(from position: Int, to target: Int) {
        guard position != target else { return }
        let id = self[position]
        remove(at: position)
        insert([id], at: target)
    }

    /// Takes out all ids of a selection.
    mutating func removeAll(in selection: EntryIDSelection) {
        var kept: [Chunk] = []
        kept.reserveCapacity(chunks.count)
        for chunk in chunks {
            guard chunk.bounds.overlaps(selection.bounds), chunk.ids.contains(where: selection.contains) else {
                kept.append(chunk)
                continue
            }
            var ids = chunk.ids.filter { !selection.contains($0) }
            guard !ids.isEmpty else { continue }
            if ids.count < EntryIDSequence.smallestChunk, let before = kept.last,
                before.ids.count + ids.count <= EntryIDSequence.largestChunk
            {
                kept.removeLast()
                ids = before.ids + ids
            }
            kept.append(Chunk(ids))
        }
        chunks = kept
        renumber(from: 0)
        count = starts.last.map { $0 + (chunks.last?.ids.count ?? 0) } ?? 0
    }

    private static func cut(_ ids: [EntryID]) -> [Chunk] {
        guard ids.count > largestChunk else { return ids.isEmpty ? [] : [Chunk(ids)] }
        // Equal parts, so that no short rest is left behind.
        let parts = (ids.count + usualChunk - 1) / usualChunk
        return (0..<parts).map { Chunk(Array(ids[(ids.count * $0 / parts)..<(ids.count * ($0 + 1) / parts)])) }
    }

    private mutating func renumber(from first: Int) {
        starts.removeSubrange(Swift.min(first, starts.count)...)
        var start = first == 0 ? 0 : starts[first - 1] + chunks[first - 1].ids.count
        for chunk in chunks[first...] {
            starts.append(start)
            start += chunk.ids.count
        }
    }

    private func chunkIndex(at position: Int) -> Int {
        precondition(position >= 0 && position < count, "position \(position) outside 0..<\(count)")
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= position { low = middle } else { high = middle }
        }
        return low
    }

    // MARK: Walking

    /// Walks chunk by chunk; the default iterator would search a chunk for every id.
    public struct Iterator: IteratorProtocol {
        private var chunks: IndexingIterator<ArraySlice<Chunk>>
        private var ids: IndexingIterator<[EntryID]>

        private var rest: Int

        init(_ chunks: ArraySlice<Chunk>, skipping skipped: Int, limit: Int) {
            self.chunks = chunks.makeIterator()
            ids = Array(self.chunks.next()?.ids.dropFirst(skipped) ?? []).makeIterator()
            rest = limit
        }

        public mutating func next() -> EntryID? {
            guard rest > 0 else { return nil }
            rest -= 1
            while true {
                if let id = ids.next() { return id }
                guard let chunk = chunks.next() else { return nil }
                ids = chunk.ids.makeIterator()
            }
        }
    }

    public func makeIterator() -> Iterator { Iterator(chunks[...], skipping: 0, limit: count) }

    /// The ids at these positions, to be walked through; a slice would search for each.
    func walk(_ range: Range<Int>) -> IteratorSequence<Iterator> {
        guard !range.isEmpty else { return IteratorSequence(Iterator([], skipping: 0, limit: 0)) }
        let chunk = chunkIndex(at: range.lowerBound)
        return IteratorSequence(
            Iterator(chunks[chunk...], skipping: range.lowerBound - starts[chunk], limit: range.count))
    }
}

extension EntryIDSequence: Equatable {
    public static func == (left: EntryIDSequence, right: EntryIDSequence) -> Bool {
        if left.count != right.count { return false }
        if left.chunks.count == right.chunks.count, zip(left.chunks, right.chunks).allSatisfy({ $0 === $1 }) {
            return true
        }
        return left.elementsEqual(right)
    }
}

extension EntryIDSequence: ExpressibleByArrayLiteral {
    public init(arrayLiteral ids: EntryID...) {
        self.init(ids)
    }
}

/// A set of ids that is asked about every entry of a queue: a table of flags where the ids lie close together.
struct EntryIDSelection {
    /// From the smallest to the largest; a range nothing lies in when empty.
    let bounds: ClosedRange<UInt64>
    private let flags: [Bool]
    private let scattered: Set<EntryID>
    let count: Int

    /// Beyond this distance between the smallest and the largest id a hashed set needs less memory.
    private static let widestTable: UInt64 = 1 << 22

    init(_ ids: some Collection<EntryID>) {
        var low = UInt64.max
        var high = UInt64.min
        for id in ids {
            low = min(low, id.rawValue)
            high = max(high, id.rawValue)
        }
        guard low <= high else {
            bounds = UInt64.max...UInt64.max
            flags = []
            scattered = []
            count = 0
            return
        }
        bounds = low...high
        guard high - low < EntryIDSelection.widestTable else {
            flags = []
            scattered = Set(ids)
            count = scattered.count
            return
        }
        var flags = [Bool](repeating: false, count: Int(high - low) + 1)
        var count = 0
        for id in ids where !flags[Int(id.rawValue - low)] {
            flags[Int(id.rawValue - low)] = true
            count += 1
        }
        self.flags = flags
        self.count = count
        scattered = []
    }

    /// Ascending, unless they lie far apart.
    var ids: [EntryID] {
        guard !flags.isEmpty else { return Array(scattered) }
        return flags.indices.filter { flags[$0] }.map { EntryID(bounds.lowerBound + UInt64($0)) }
    }

    func contains(_ id: EntryID) -> Bool {
        guard count > 0, bounds.contains(id.rawValue) else { return false }
        return flags.isEmpty ? scattered.contains(id) : flags[Int(id.rawValue - bounds.lowerBound)]
    }
}
