// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletSQLite

/// Brings the tables from one state to the next, writing what is different.
///
/// What the states share is told by identity, so that finding the difference of two queues of 100,000 entries takes
/// microseconds.
struct SessionWriter {
    /// What the tables hold; `nil` for whatever another process left there.
    private var saved: SessionState?
    /// The rows of the chunks in the tables.
    private var chunkRows: [ObjectIdentifier: Int64] = [:]

    /// - Parameter saved: What was just read from the tables, if every chunk of it was; `nil` writes everything.
    init(saved: SessionState? = nil, chunkRows: [ObjectIdentifier: Int64] = [:]) {
        self.saved = saved
        self.chunkRows = chunkRows
    }

    /// Writes a state in one transaction; after an error the tables hold the state before.
    mutating func write(_ state: SessionState, to database: Database) throws(SQLiteError) {
        var writer = self
        let old = saved
        try database.transaction { () throws(SQLiteError) in
            if old == nil { try writer.empty(database) }
            try writer.writeEntries(from: old?.queue, to: state.queue, database)
            try writer.writeRows(from: old?.queue, to: state.queue, database)
            if old?.queue.priorities ?? [:] != state.queue.priorities {
                try database.run("DELETE FROM priority")
                for (id, value) in state.queue.priorities {
                    try database.run("INSERT INTO priority VALUES (?, ?)", id.rawValue, value)
                }
            }
            let oldValues = old.map(SessionWriter.values)
            for (name, value) in SessionWriter.values(of: state) where oldValues?[name] != value {
                try database.run("INSERT OR REPLACE INTO state VALUES (?, ?)", name, value)
            }
        }
        writer.saved = state
        self = writer
    }

    /// `state`'s rows but those of the id counter.
    static func values(of state: SessionState) -> [String: SQLiteValue] {
        let queue = state.queue
        let playback = state.playback
        func id(_ id: EntryID?) -> SQLiteValue { id.map { .integer(Int64(bitPattern: $0.rawValue)) } ?? .null }
        return [
            "current": id(queue.currentID), "loop": .text(queue.loopMode.rawValue),
            "shuffle": .text(queue.shuffleMode.rawValue), "consumes": .integer(queue.consumes ? 1 : 0),
            "stop after": id(queue.stopAfter), "heard": .integer(Int64(queue.heardCount)),
            "random": .integer(Int64(bitPattern: queue.random.state)),
            "history": .blob(PackedNumbers.pack(queue.history.lazy.map(\.rawValue))),
            "ahead": .blob(PackedNumbers.pack(queue.ahead.flatMap { [$0.id.rawValue, $0.isRevisit ? 1 : 0] })),
            "upcoming": .integer(Int64(bitPattern: queue.upcomingID)),
            "status": .text(playback.status.rawValue), "position": .integer(playback.position.nanoseconds),
            "length": playback.length.map { .integer($0.nanoseconds) } ?? .null, "rate": .real(playback.rate),
            "volume": .real(playback.volume), "muted": .integer(playback.isMuted ? 1 : 0),
            "goes on": .integer(playback.goesOn ? 1 : 0),
        ]
    }

    private mutating func empty(_ database: Database) throws(SQLiteError) {
        for table in ["detail", "priority", "entry", "chunk", "directory"] {
            try database.run("DELETE FROM \(table)")
        }
        chunkRows = [:]
    }

    // MARK: Entries

    private func writeEntries(
        from old: PlayQueue.Snapshot?, to new: PlayQueue.Snapshot, _ database: Database
    ) throws(SQLiteError) {
        let oldPages = old?.entries.pages ?? [:]
        let newPages = new.entries.pages
        let isAllNew = !oldPages.isEmpty && newPages.allSatisfy { oldPages[$0.key] == nil }
        if isAllNew {
            // Without a condition SQLite drops the table's pages at once.
            for table in ["detail", "priority", "entry"] { try database.run("DELETE FROM \(table)") }
        } else {
            for (key, page) in oldPages where newPages[key] !== page {
                let kept = Set(newPages[key]?.entries.map(\.id) ?? [])
                for entry in page.entries where !kept.contains(entry.id) {
                    try database.run("DELETE FROM entry WHERE id = ?", entry.id.rawValue)
                }
            }
        }
        // Ascending, so that the table grows at its end.
        for key in newPages.keys.sorted() {
            guard let page = newPages[key], oldPages[key] !== page else { continue }
            let known = isAllNew ? [] : Set(oldPages[key]?.entries.map(\.id) ?? [])
            for entry in page.entries where !known.contains(entry.id) {
                try database.run(
                    "INSERT INTO entry VALUES (?, ?, ?, ?, ?)", entry.id.rawValue, entry.uri.description,
                    entry.start.nanoseconds, entry.end?.nanoseconds, entry.albumKey)
            }
        }
    }

    // MARK: List and order

    private mutating func writeRows(
        from old: PlayQueue.Snapshot?, to new: PlayQueue.Snapshot, _ database: Database
    ) throws(SQLiteError) {
        var rows: [ObjectIdentifier: Int64] = [:]
        for (name, row, oldRow) in [("list", new.list, old?.list), ("order", new.order, old?.order)] {
            var directory: [UInt64] = []
            for chunk in row.chunks {
                let key = ObjectIdentifier(chunk)
                if let known = rows[key] ?? chunkRows[key] {
                    rows[key] = known
                } else {
                    try database.run(
                        "INSERT INTO chunk(ids) VALUES (?)", PackedNumbers.pack(chunk.ids.lazy.map(\.rawValue)))
                    rows[key] = database.lastInsertedRow
                }
                directory.append(UInt64(bitPattern: rows[key] ?? 0))
            }
            let isSame = oldRow.map { $0.chunks.elementsEqual(row.chunks) { $0 === $1 } } ?? false
            if !isSame {
                try database.run("INSERT OR REPLACE INTO directory VALUES (?, ?)", name, PackedNumbers.pack(directory))
            }
        }
        for (key, row) in chunkRows where rows[key] == nil { try database.run("DELETE FROM chunk WHERE id = ?", row) }
        chunkRows = rows
    }
}
