// SPDX-License-Identifier: Apache-2.0
public import MartletCore
internal import MartletSQLite

/// Something to put into a playlist.
public enum PlaylistItem: Hashable, Sendable {
    /// A track of the library, wherever its file goes.
    case track(TrackID)
    /// Anything else that can be played, with what is known of it.
    case place(MediaURI, start: Duration = .zero, end: Duration? = nil, tags: TrackTags = TrackTags())
}

extension LibraryStore {
    /// Makes an empty playlist, last in the user's own order.
    ///
    /// - Parameter refusesDuplicates: Whether it takes nothing twice.
    public func createPlaylist(
        _ name: String, description: String = "", refusesDuplicates: Bool = false, now: UnixTime
    ) throws(LibraryError) -> PlaylistID {
        let name = try LibraryStore.checked(name)
        return try writingPersonal { database throws(SQLiteError) in
            try database.run(
                """
                INSERT INTO playlist(name, sort, description, refuses_duplicates, place, created, changed)
                VALUES (?1, ?2, ?3, ?4, (SELECT ifnull(max(place), -1) + 1 FROM playlist), ?5, ?5)
                """, name, SortKey.title(name), description, refusesDuplicates, now)
            return PlaylistID(rawValue: database.lastInsertedRow)
        }
    }

    /// Makes a playlist that is the answer to a search, whenever it is looked at.
    ///
    /// - Parameters:
    ///   - query: In the search language (``SearchQuery``); one that asks for nothing finds nothing.
    ///   - limit: Tracks at most, `nil` for all.
    public func createSmartPlaylist(
        _ name: String, query: String, order: TrackOrder, limit: Int? = nil, now: UnixTime
    ) throws(LibraryError) -> PlaylistID {
        let name = try LibraryStore.checked(name)
        try LibraryStore.check(query, limit)
        return try writingPersonal { database throws(SQLiteError) in
            try database.run(
                """
                INSERT INTO playlist(name, sort, query, query_sort, query_limit, place, created, changed)
                VALUES (?1, ?2, ?3, ?4, ?5, (SELECT ifnull(max(place), -1) + 1 FROM playlist), ?6, ?6)
                """, name, SortKey.title(name), query, "\(order)", limit, now)
            return PlaylistID(rawValue: database.lastInsertedRow)
        }
    }

    /// Has a smart playlist find something else.
    ///
    /// - Throws: ``LibraryError/conflict`` for one that is not smart or is built in; ``LibraryError/notFound``.
    public func setQuery(
        _ query: String, order: TrackOrder, limit: Int?, of id: PlaylistID, now: UnixTime
    ) throws(LibraryError) {
        try LibraryStore.check(query, limit)
        let isSmart = try reading { database throws(SQLiteError) in
            try database.value(
                "SELECT query IS NOT NULL AND builtin IS NULL FROM playlist WHERE id = ?", id, as: Bool.self)
        }
        guard let isSmart else { throw .notFound }
        guard isSmart else { throw .conflict }
        try change(id, now) { database throws(SQLiteError) in
            try database.run(
                "UPDATE playlist SET query = ?, query_sort = ?, query_limit = ? WHERE id = ?", query, "\(order)", limit,
                id)
        }
    }

    private static func check(_ query: String, _ limit: Int?) throws(LibraryError) {
        guard !SearchQuery(query).isEmpty else { throw .invalid("A smart playlist needs something to search for.") }
        if let limit, limit < 1 { throw .invalid("A playlist has at least one place.") }
    }

    public func renamePlaylist(_ id: PlaylistID, to name: String, now: UnixTime) throws(LibraryError) {
        let name = try LibraryStore.checked(name)
        try change(id, now) { database throws(SQLiteError) in
            try database.run("UPDATE playlist SET name = ?, sort = ? WHERE id = ?", name, SortKey.title(name), id)
        }
    }

    public func describePlaylist(_ id: PlaylistID, as description: String, now: UnixTime) throws(LibraryError) {
        try change(id, now) { database throws(SQLiteError) in
            try database.run("UPDATE playlist SET description = ? WHERE id = ?", description, id)
        }
    }

    /// Whether a playlist takes nothing twice from now on; what is twice in it stays.
    public func setRefusesDuplicates(_ refuses: Bool, in id: PlaylistID, now: UnixTime) throws(LibraryError) {
        try change(id, now) { database throws(SQLiteError) in
            try database.run("UPDATE playlist SET refuses_duplicates = ? WHERE id = ?", refuses, id)
        }
    }

    /// Deletes a playlist. Those that are built in stay: ``LibraryError/conflict``.
    public func deletePlaylist(_ id: PlaylistID) throws(LibraryError) {
        let isBuiltIn = try reading { database throws(SQLiteError) in
            try database.value("SELECT builtin IS NOT NULL FROM playlist WHERE id = ?", id, as: Bool.self)
        }
        guard let isBuiltIn else { throw .notFound }
        if isBuiltIn { throw .conflict }
        try writingPersonal { database throws(SQLiteError) in
            if let name = try database.value("SELECT mirror FROM playlist WHERE id = ?", id, as: String?.self) ?? nil {
                try database.run("INSERT OR REPLACE INTO setting VALUES ('stale mirror ' || ?1, ?1)", name)
            }
            try database.run("DELETE FROM playlist WHERE id = ?", id)
        }
    }

    /// Moves a playlist in the user's own order.
    ///
    /// - Parameter place: From 0; past the end is the end.
    public func placePlaylist(_ id: PlaylistID, at place: Int) throws(LibraryError) {
        var order = try reading { database throws(SQLiteError) in
            var ids: [PlaylistID] = []
            try database.forEach("SELECT id FROM playlist ORDER BY place, id") { row throws(SQLiteError) in
                ids.append(try row.column(0))
            }
            return ids
        }
        guard let index = order.firstIndex(of: id) else { throw .notFound }
        order.remove(at: index)
        order.insert(id, at: min(max(0, place), order.count))
        try writingPersonal { database throws(SQLiteError) in
            for (place, id) in order.enumerated() {
                try database.run("UPDATE playlist SET place = ?1 WHERE id = ?2 AND place <> ?1", place, id)
            }
        }
    }

    /// Notes that a playlist was begun.
    public func recordPlay(of id: PlaylistID, at: UnixTime) throws(LibraryError) {
        try writingPersonal { database throws(SQLiteError) in
            try database.run("UPDATE playlist SET played = ? WHERE id = ?", at, id)
        }
    }

    // MARK: Entries

    /// Puts items into a playlist, in their order.
    ///
    /// - Parameter index: Before which entry, from 0; `nil`, and past the end, is the end.
    /// - Returns: The entries made: fewer than the items where the list refuses duplicates.
    /// - Throws: ``LibraryError/notFound`` for a list or a track that is not there; ``LibraryError/conflict`` for a smart
    ///   one.
    @discardableResult
    public func add(
        _ items: [PlaylistItem], to id: PlaylistID, at index: Int? = nil, now: UnixTime
    ) throws(LibraryError) -> [PlaylistEntryID] {
        try checkEditable(id)
        let made = try writingPersonal { database throws(SQLiteError) -> [PlaylistEntryID]? in
            let positions = try PlaylistPositions(id, database)
            let refuses = try database.value("SELECT refuses_duplicates FROM playlist WHERE id = ?", id, as: Bool.self)
            var place = try positions.makeRoom(for: items.count, at: index, database)
            var made: [PlaylistEntryID] = []
            for item in items {
                let entry: EntryValues
                switch item {
                case .track(let track):
                    guard let found = try EntryValues(track, database) else { return nil }
                    entry = found
                case .place(let uri, let start, let end, let tags):
                    entry = try EntryValues(uri, start, end, tags, database)
                }
                if refuses == true, try entry.isIn(id, database) { continue }
                try entry.insert(into: id, at: place, now, database)
                made.append(PlaylistEntryID(rawValue: database.lastInsertedRow))
                place += 1
            }
            if !made.isEmpty { try LibraryStore.noteChange(of: id, now, database) }
            return made
        }
        guard let made else { throw .notFound }
        return made
    }

    /// Moves entries, in the order given, to stand before one; those that are not in the list are passed over.
    ///
    /// - Parameter index: Counted in the list as it is before, from 0; past the end is the end.
    public func move(
        _ entries: [PlaylistEntryID], in id: PlaylistID, to index: Int, now: UnixTime
    ) throws(LibraryError) {
        try checkEditable(id)
        try writingPersonal { database throws(SQLiteError) in
            let positions = try PlaylistPositions(id, database)
            let present = Set(positions.entries)
            var seen: Set<PlaylistEntryID> = []
            let moved = entries.filter { present.contains($0) && seen.insert($0).inserted }
            guard !moved.isEmpty else { return }
            let target = min(max(0, index), positions.entries.count)
            let before = positions.entries[..<target].filter { !seen.contains($0) }
            let after = positions.entries[target...].filter { !seen.contains($0) }
            for (position, entry) in (before + moved + after).enumerated() {
                try database.run(
                    "UPDATE playlist_entry SET position = ?1 WHERE id = ?2 AND position <> ?1", position, entry)
            }
            try LibraryStore.noteChange(of: id, now, database)
        }
    }

    /// Takes entries out; those that are not in the list are passed over.
    public func remove(_ entries: [PlaylistEntryID], from id: PlaylistID, now: UnixTime) throws(LibraryError) {
        try checkEditable(id)
        try writingPersonal { database throws(SQLiteError) in
            for entry in entries {
                try database.run("DELETE FROM playlist_entry WHERE id = ? AND playlist = ?", entry, id)
            }
            try LibraryStore.noteChange(of: id, now, database)
        }
    }

    // MARK: -

    private static func checked(_ name: String) throws(LibraryError) -> String {
        let words = name.split(omittingEmptySubsequences: true, whereSeparator: \.isWhitespace)
        guard !words.isEmpty else { throw .invalid("A playlist needs a name.") }
        return words.joined(separator: " ")
    }

    private func checkEditable(_ id: PlaylistID) throws(LibraryError) {
        let isSmart = try reading { database throws(SQLiteError) in
            try database.value("SELECT query IS NOT NULL FROM playlist WHERE id = ?", id, as: Bool.self)
        }
        guard let isSmart else { throw .notFound }
        if isSmart { throw .conflict }
    }

    private func change(
        _ id: PlaylistID, _ now: UnixTime, _ body: (Database) throws(SQLiteError) -> Void
    ) throws(LibraryError) {
        let isThere = try writingPersonal { database throws(SQLiteError) in
            try LibraryStore.noteChange(of: id, now, database)
            let isThere = database.changeCount == 1
            if isThere { try body(database) }
            return isThere
        }
        if !isThere { throw .notFound }
    }

    private static func noteChange(of id: PlaylistID, _ now: UnixTime, _ database: Database) throws(SQLiteError) {
        try database.run("UPDATE playlist SET changed = ?, is_mirrored = 0 WHERE id = ?", now, id)
    }
}

/// The entries of a list, in their order.
private struct PlaylistPositions {
    let id: PlaylistID
    private(set) var entries: [PlaylistEntryID] = []
    private var last: Int?

    init(_ id: PlaylistID, _ database: Database) throws(SQLiteError) {
        self.id = id
        try database.forEach(
            "SELECT id, position FROM playlist_entry WHERE playlist = ? ORDER BY position, id", id
        ) { row throws(SQLiteError) in
            entries.append(try row.column(0))
            last = try row.column(1)
        }
    }

    /// - Returns: The first of so many free positions.
    func makeRoom(for count: Int, at index: Int?, _ database: Database) throws(SQLiteError) -> Int {
        guard let index, index < entries.count else { return (last ?? -1) + 1 }
        let entry = entries[max(0, index)]
        let position = try database.value("SELECT position FROM playlist_entry WHERE id = ?", entry, as: Int.self) ?? 0
        try database.run(
            "UPDATE playlist_entry SET position = position + ? WHERE playlist = ? AND position >= ?", count, id,
            position)
        return position
    }
}

/// What a list remembers of an entry.
private struct EntryValues {
    var track: TrackID?
    var uri: String
    var start: Int64
    var end: Int64?
    var title: String
    var artist: String
    var album: String?
    var length: Int64?

    init?(_ track: TrackID, _ database: Database) throws(SQLiteError) {
        var found: TrackSummary?
        try database.forEach(
            "SELECT \(TrackSummary.columns) FROM track \(TrackSummary.joins) WHERE track.id = ?", track
        ) { row throws(SQLiteError) in found = try TrackSummary(row) }
        guard let found else { return nil }
        self.track = track
        uri = found.uri?.description ?? ""
        start = Nanoseconds(found.start).count
        end = Nanoseconds(found.end)?.count
        title = found.title
        artist = found.artist
        album = found.albumTitle
        length = Nanoseconds(found.length)?.count
    }

    /// - Parameter uri: Of a file of the library: its track is meant.
    init(
        _ uri: MediaURI, _ start: Duration, _ end: Duration?, _ tags: TrackTags, _ database: Database
    ) throws(SQLiteError) {
        if let path = uri.filePath, let id = try EntryValues.track(at: path, start, database),
            let known = try EntryValues(id, database)
        {
            self = known
            return
        }
        self.uri = uri.description
        self.start = Nanoseconds(start).count
        self.end = Nanoseconds(end)?.count
        title = tags.title ?? uri.displayName
        artist = ScannedTrack.credit(tags.artists)
        album = tags.album
        length = Nanoseconds(tags.audio.length)?.count
    }

    static func track(at path: [UInt8], _ start: Duration, _ database: Database) throws(SQLiteError) -> TrackID? {
        for root in try LibraryRoot.all(database) where LibraryPath.contains(root.path, path) {
            let rest = Array(path.dropFirst(root.path.count).drop { $0 == LibraryPath.slash })
            let slash = rest.lastIndex(of: LibraryPath.slash)
            let folder = slash.map { Array(rest[..<$0]) } ?? []
            let name = slash.map { Array(rest[($0 + 1)...]) } ?? rest
            let found = try database.value(
                """
                SELECT track.id FROM folder JOIN file ON file.folder = folder.id JOIN track ON track.file = file.id
                WHERE folder.root = ? AND folder.path = ? AND file.name = ? AND track.start = ?
                """, root.id, folder, name, Nanoseconds(start), as: TrackID.self)
            if let found { return found }
        }
        return nil
    }

    func isIn(_ list: PlaylistID, _ database: Database) throws(SQLiteError) -> Bool {
        try database.value(
            """
            SELECT 1 FROM playlist_entry WHERE playlist = ?1
                AND iif(?2 IS NULL, track IS NULL AND uri = ?3 AND start = ?4, track = ?2) LIMIT 1
            """, list, track, uri, start, as: Int.self) != nil
    }

    func insert(into list: PlaylistID, at position: Int, _ now: UnixTime, _ database: Database) throws(SQLiteError) {
        try database.run(
            """
            INSERT INTO playlist_entry(playlist, position, track, uri, start, end, title, artist, album, length, added)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, list, position, track, uri, start, end, title, artist, album, length, now)
    }
}

extension LibraryReader {
    /// The track that is a file, or a part of one that begins there; `nil` for what is not of the library.
    public func track(at uri: MediaURI, start: Duration = .zero) throws(LibraryError) -> TrackID? {
        guard let path = uri.filePath else { return nil }
        return try reading { database throws(SQLiteError) in try EntryValues.track(at: path, start, database) }
    }
}
