// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletSQLite

/// Reads what ``SessionWriter`` wrote.
enum SessionReader {
    /// - Returns: `nil` if nothing was ever written; the rows of the chunks besides.
    /// - Throws: What a damaged file meets; a value of another kind is ``ResultCode/mismatch``.
    static func read(_ database: Database) throws(SQLiteError) -> (
        state: SessionState, chunkRows: [ObjectIdentifier: Int64]
    )? {
        var values: [String: SQLiteValue] = [:]
        try database.forEach("SELECT name, value FROM state") { row throws(SQLiteError) in
            values[try row.column(0)] = try row.column(1, as: SQLiteValue.self)
        }
        guard values["current"] != nil else { return nil }
        var queue = PlayQueue.Snapshot()
        var chunkRows: [ObjectIdentifier: Int64] = [:]
        queue.entries = QueueEntryTable(try entries(database))
        queue.list = try row("list", database, &chunkRows)
        queue.order = try row("order", database, &chunkRows)
        try database.forEach("SELECT entry, value FROM priority") { row throws(SQLiteError) in
            queue.priorities[EntryID(try row.column(0))] = try row.column(1, as: UInt8.self)
        }
        fill(&queue, from: values)
        return (SessionState(queue: queue, playback: playback(values)), chunkRows)
    }

    private static func entries(_ database: Database) throws(SQLiteError) -> [QueueEntry] {
        var entries: [QueueEntry] = []
        try database.forEach("SELECT id, uri, start, end, album FROM entry ORDER BY id") { row throws(SQLiteError) in
            guard let uri = MediaURI(stored: try row.column(1)) else { return }
            let end = try row.column(3, as: Int64?.self)
            entries.append(
                QueueEntry(
                    id: EntryID(try row.column(0)),
                    NewEntry(
                        uri: uri, start: .nanoseconds(try row.column(2, as: Int64.self)),
                        end: end.map { .nanoseconds($0) },
                        albumKey: try row.column(4))))
        }
        return entries
    }

    private static func row(
        _ name: String, _ database: Database, _ chunkRows: inout [ObjectIdentifier: Int64]
    ) throws(SQLiteError) -> EntryIDSequence {
        let directory = try database.value("SELECT chunks FROM directory WHERE name = ?", name, as: [UInt8].self) ?? []
        guard let numbers = PackedNumbers.unpack(directory) else { throw damage("directory \(name)") }
        var parts: [[EntryID]] = []
        for number in numbers {
            let bytes = try database.value("SELECT ids FROM chunk WHERE id = ?", number, as: [UInt8].self)
            guard let ids = bytes.flatMap(PackedNumbers.unpack), !ids.isEmpty else { throw damage("chunk \(number)") }
            parts.append(ids.map { EntryID($0) })
        }
        let sequence = EntryIDSequence(chunks: parts)
        for (chunk, number) in zip(sequence.chunks, numbers) {
            chunkRows[ObjectIdentifier(chunk)] = Int64(bitPattern: number)
        }
        return sequence
    }

    private static func damage(_ what: String) -> SQLiteError {
        SQLiteError(code: .corrupt, message: "the session's \(what) cannot be read")
    }

    private static func fill(_ queue: inout PlayQueue.Snapshot, from values: [String: SQLiteValue]) {
        func number(_ name: String) -> Int64? {
            if case .integer(let value) = values[name] { value } else { nil }
        }
        func text(_ name: String) -> String {
            if case .text(let value) = values[name] { value } else { "" }
        }
        func numbers(_ name: String) -> [UInt64] {
            if case .blob(let bytes) = values[name] { PackedNumbers.unpack(bytes) ?? [] } else { [] }
        }
        queue.currentID = number("current").map { EntryID(UInt64(bitPattern: $0)) }
        queue.loopMode = LoopMode(rawValue: text("loop")) ?? .none
        queue.shuffleMode = ShuffleMode(rawValue: text("shuffle")) ?? .off
        queue.consumes = number("consumes") == 1
        queue.stopAfter = number("stop after").map { EntryID(UInt64(bitPattern: $0)) }
        queue.heardCount = Int(number("heard") ?? 0)
        queue.random = SplitMix64(seed: UInt64(bitPattern: number("random") ?? 0))
        queue.history = numbers("history").map { EntryID($0) }
        let ahead = numbers("ahead")
        queue.ahead = stride(from: 0, to: ahead.count - 1, by: 2).map {
            PlayQueue.Ahead(id: EntryID(ahead[$0]), isRevisit: ahead[$0 + 1] == 1)
        }
        queue.upcomingID = UInt64(bitPattern: number("upcoming") ?? 1)
    }

    private static func playback(_ values: [String: SQLiteValue]) -> SessionPlayback {
        var playback = SessionPlayback()
        if case .text(let text) = values["status"] { playback.status = PlaybackStatus(rawValue: text) ?? .stopped }
        if case .integer(let value) = values["position"] { playback.position = .nanoseconds(max(value, 0)) }
        if case .integer(let value) = values["length"] { playback.length = .nanoseconds(value) }
        if case .real(let value) = values["rate"], value.isFinite { playback.rate = value }
        if case .real(let value) = values["volume"], value.isFinite { playback.volume = value }
        playback.isMuted = values["muted"] == .integer(1)
        playback.goesOn = values["goes on"] == .integer(1)
        return playback
    }
}
