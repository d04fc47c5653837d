// SPDX-License-Identifier: Apache-2.0

/// Queue entries by id.
///
/// Ids are given out by counting, so entries that came together lie on one page; a page never changes once it exists.
/// Copies share their pages, and an edit of one entry makes one new page.
public struct QueueEntryTable: Sendable {
    /// Entries with neighbouring ids, ascending; immutable, so that identity is equality.
    public final class Page: Sendable {
        public let entries: [QueueEntry]

        init(_ entries: [QueueEntry]) {
            self.entries = entries
        }

        fileprivate func index(of id: EntryID) -> Int? {
            // Nearly all pages have no holes.
            let first = entries[0].id.rawValue
            if id.rawValue >= first, id.rawValue - first < UInt64(entries.count) {
                let guess = Int(id.rawValue - first)
                if entries[guess].id == id { return guess }
            }
            var low = 0
            var high = entries.count
            while low < high {
                let middle = (low + high) / 2
                if entries[middle].id < id { low = middle + 1 } else { high = middle }
            }
            return low < entries.count && entries[low].id == id ? low : nil
        }
    }

    /// Pages by the upper bits of the ids; none is empty.
    public private(set) var pages: [UInt64: Page] = [:]
    public private(set) var count = 0

    private static let shift: UInt64 = 7

    public init() {}

    public init(_ entries: some Sequence<QueueEntry>) {
        insert(Array(entries))
    }

    public subscript(id: EntryID) -> QueueEntry? {
        guard let page = pages[id.rawValue >> QueueEntryTable.shift], let index = page.index(of: id) else { return nil }
        return page.entries[index]
    }

    public func contains(_ id: EntryID) -> Bool {
        pages[id.rawValue >> QueueEntryTable.shift]?.index(of: id) != nil
    }

    /// Adds entries, none of which may be there.
    mutating func insert(_ new: [QueueEntry]) {
        let isAscending = zip(new, new.dropFirst()).allSatisfy { $0.id < $1.id }
        let new = isAscending ? new : new.sorted { $0.id < $1.id }
        var start = 0
        while start < new.count {
            let key = new[start].id.rawValue >> QueueEntryTable.shift
            var end = start + 1
            while end < new.count, new[end].id.rawValue >> QueueEntryTable.shift == key { end += 1 }
            merge(new[start..<end], into: key)
            start = end
        }
    }

    /// Adds another table's entries, none of which may be there.
    mutating func insert(_ other: QueueEntryTable) {
        if pages.isEmpty {
            self = other
            return
        }
        for (key, page) in other.pages {
            if pages[key] == nil {
                pages[key] = page
                count += page.entries.count
            } else {
                merge(page.entries[...], into: key)
            }
        }
    }

    private mutating func merge(_ new: ArraySlice<QueueEntry>, into key: UInt64) {
        count += new.count
        guard let old = pages[key]?.entries else {
            pages[key] = Page(Array(new))
            return
        }
        if let last = old.last, let first = new.first, last.id < first.id {
            pages[key] = Page(old + new)
            return
        }
        pages[key] = Page((old + new).sorted { $0.id < $1.id })
    }

    /// Takes entries out.
    ///
    /// - Returns: What was there of them.
    mutating func remove(_ selection: EntryIDSelection) -> QueueEntryTable {
        var taken = QueueEntryTable()
        guard selection.count > 0 else { return taken }
        let lowest = selection.bounds.lowerBound >> QueueEntryTable.shift
        let keys = lowest...(selection.bounds.upperBound >> QueueEntryTable.shift)
        if keys.count <= UInt64(pages.count) {
            for key in keys { take(selection, from: key, &taken) }
        } else {
            for key in pages.keys where keys.contains(key) { take(selection, from: key, &taken) }
        }
        return taken
    }

    private mutating func take(_ selection: EntryIDSelection, from key: UInt64, _ taken: inout QueueEntryTable) {
        guard let page = pages[key] else { return }
        let going = page.entries.filter { selection.contains($0.id) }
        if going.isEmpty { return }
        if going.count == page.entries.count {
            pages[key] = nil
            taken.pages[key] = page
        } else {
            pages[key] = Page(page.entries.filter { !selection.contains($0.id) })
            taken.pages[key] = Page(going)
        }
        count -= going.count
        taken.count += going.count
    }

    /// The entries of some albums, with the number given for each album.
    func members(ofAlbums numbers: [String: Int]) -> [EntryID: Int] {
        var members: [EntryID: Int] = [:]
        guard !numbers.isEmpty else { return members }
        // Neighbours mostly are of one album, so that few keys are looked up.
        var lastKey: String?
        var lastNumber: Int?
        for page in pages.values {
            for index in page.entries.indices {
                let key = page.entries[index].albumKey
                if key != lastKey {
                    lastKey = key
                    lastNumber = key.flatMap { numbers[$0] }
                }
                if let lastNumber { members[page.entries[index].id] = lastNumber }
            }
        }
        return members
    }

    /// Every id, page by page.
    var ids: [EntryID] { pages.values.flatMap { $0.entries.map(\.id) } }
}

extension QueueEntryTable {
    /// Asks for the albums of many entries, of which neighbours mostly lie on one page.
    struct AlbumReader {
        private let table: QueueEntryTable
        private var key: UInt64?
        private var page: Page?

        init(_ table: QueueEntryTable) {
            self.table = table
        }

        mutating func albumKey(of id: EntryID) -> String? {
            let key = id.rawValue >> QueueEntryTable.shift
            if key != self.key {
                self.key = key
                page = table.pages[key]
            }
            guard let page, let index = page.index(of: id) else { return nil }
            return page.entries[index].albumKey
        }
    }
}

extension ClosedRange<UInt64> {
    fileprivate var count: UInt64 { upperBound - lowerBound + 1 }
}
