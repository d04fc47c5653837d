// SPDX-License-Identifier: Apache-2.0
internal import MartletSQLite
internal import MartletText

/// Where a page of a search ends: the next begins behind it, whatever has come or gone before.
public struct SearchCursor: Hashable, Sendable {
    /// For keeping elsewhere; another one than this gave is a place like any other.
    public var rawValue: Int64

    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

/// What a search found of one kind.
public struct SearchGroup<Item: Hashable & Sendable>: Hashable, Sendable {
    /// The first, or the next, by rank and then in the order they were added.
    public var items: [Item] = []
    /// How many there are, up to ``LibraryReader/mostCounted``; of a later page, `nil`.
    public var count: Int?
    /// Whether there are more than were counted.
    public var isMore = false
    /// Where the next page begins; `nil` at the end.
    public var next: SearchCursor?
}

/// What a search found, by kinds.
public struct SearchResult: Hashable, Sendable {
    public var tracks = SearchGroup<TrackSummary>()
    public var albums = SearchGroup<AlbumSummary>()
    public var artists = SearchGroup<ArtistSummary>()
    public var playlists = SearchGroup<PlaylistSummary>()
}

/// Search as one types.
///
/// A search that another one overtakes is stopped by ``interrupter``, and fails with ``ResultCode/interrupted``.
extension LibraryReader {
    /// What is found is counted so far.
    public static let mostCounted = 1000

    /// The first of everything that fits.
    ///
    /// - Parameters:
    ///   - limit: Of each kind.
    ///   - now: What `added:<7d` is reckoned from.
    public func search(_ query: SearchQuery, limit: Int, now: UnixTime) throws(LibraryError) -> SearchResult {
        try reading { database throws(SQLiteError) in
            var result = SearchResult()
            result.tracks = try tracks(query, after: nil, limit, counting: true, now, database)
            result.albums = try albums(query, after: nil, limit, counting: true, now, database)
            result.artists = try artists(query, after: nil, limit, counting: true, now, database)
            result.playlists = try playlists(query, limit, database)
            return result
        }
    }

    /// The next tracks of a search.
    public func searchTracks(
        _ query: SearchQuery, after cursor: SearchCursor?, limit: Int, now: UnixTime
    ) throws(LibraryError) -> SearchGroup<TrackSummary> {
        try reading { database throws(SQLiteError) in
            try tracks(query, after: cursor, limit, counting: cursor == nil, now, database)
        }
    }

    /// The next albums of a search.
    public func searchAlbums(
        _ query: SearchQuery, after cursor: SearchCursor?, limit: Int, now: UnixTime
    ) throws(LibraryError) -> SearchGroup<AlbumSummary> {
        try reading { database throws(SQLiteError) in
            try albums(query, after: cursor, limit, counting: cursor == nil, now, database)
        }
    }

    /// The next artists of a search.
    public func searchArtists(
        _ query: SearchQuery, after cursor: SearchCursor?, limit: Int, now: UnixTime
    ) throws(LibraryError) -> SearchGroup<ArtistSummary> {
        try reading { database throws(SQLiteError) in
            try artists(query, after: cursor, limit, counting: cursor == nil, now, database)
        }
    }

    // MARK: By kind

    private func tracks(
        _ query: SearchQuery, after cursor: SearchCursor?, _ limit: Int, counting: Bool, _ now: UnixTime,
        _ database: Database
    ) throws(SQLiteError) -> SearchGroup<TrackSummary> {
        let statement = try database.prepare(
            "SELECT \(TrackSummary.columns) FROM track \(TrackSummary.joins) WHERE track.id = ?")
        return try group(query, .tracks, cursor, limit, counting, now, database) { id throws(SQLiteError) in
            try LibraryReader.one(statement, id) { row throws(SQLiteError) in try TrackSummary(row) }
        }
    }

    private func albums(
        _ query: SearchQuery, after cursor: SearchCursor?, _ limit: Int, counting: Bool, _ now: UnixTime,
        _ database: Database
    ) throws(SQLiteError) -> SearchGroup<AlbumSummary> {
        let statement = try database.prepare("SELECT \(AlbumSummary.columns) FROM album WHERE id = ?")
        return try group(query, .albums, cursor, limit, counting, now, database) { id throws(SQLiteError) in
            try LibraryReader.one(statement, id) { row throws(SQLiteError) in try AlbumSummary(row) }
        }
    }

    private func artists(
        _ query: SearchQuery, after cursor: SearchCursor?, _ limit: Int, counting: Bool, _ now: UnixTime,
        _ database: Database
    ) throws(SQLiteError) -> SearchGroup<ArtistSummary> {
        let statement = try database.prepare("SELECT \(ArtistSummary.columns) FROM artist AS one WHERE one.id = ?")
        return try group(query, .artists, cursor, limit, counting, now, database) { id throws(SQLiteError) in
            try LibraryReader.one(statement, id) { row throws(SQLiteError) in try ArtistSummary(row) }
        }
    }

    /// Of playlists there are few: they are looked at one by one.
    private func playlists(
        _ query: SearchQuery, _ limit: Int, _ database: Database
    ) throws(SQLiteError) -> SearchGroup<PlaylistSummary> {
        guard !query.isEmpty else { return SearchGroup(count: 0) }
        let found = try PlaylistSummary.read(
            "WHERE ?1 IS NULL ORDER BY playlist.sort, playlist.id LIMIT ?2 OFFSET ?3", nil, .all, database
        )
        .filter { list in
            let text = SearchText(title: list.name)
            return query.clauses.allSatisfy { clause in
                switch clause.term {
                case .words(_, nil), .initials(_, nil): SearchPlan.holds(clause, text)
                default: clause.isExcluded
                }
            }
        }
        return SearchGroup(items: Array(found.prefix(limit)), count: found.count)
    }

    private static func one<Item>(
        _ statement: Statement, _ id: Int64, _ item: (Statement) throws(SQLiteError) -> Item
    ) throws(SQLiteError) -> Item? {
        var result: Item?
        try statement.forEach(id) { row throws(SQLiteError) in result = try item(row) }
        return result
    }

    private func group<Item>(
        _ query: SearchQuery, _ index: SearchIndex, _ cursor: SearchCursor?, _ limit: Int, _ counting: Bool,
        _ now: UnixTime, _ database: Database, _ item: (Int64) throws(SQLiteError) -> Item?
    ) throws(SQLiteError) -> SearchGroup<Item> {
        var result = SearchGroup<Item>()
        var count = 0
        var last: Int64?
        let limit = max(limit, 0)
        let most = counting ? max(LibraryReader.mostCounted, limit) : limit
        try SearchPlan(query, in: index).run(on: index, after: cursor?.rawValue, now: now, database) {
            key throws(SQLiteError) in
            count += 1
            if count > most { return false }
            if count <= limit {
                if let item = try item(SearchIndex.id(of: key)) { result.items.append(item) }
                last = key
            }
            return true
        }
        if count > limit, let last { result.next = SearchCursor(rawValue: last) }
        if counting {
            result.count = min(count, most)
            result.isMore = count > most
        }
        return result
    }
}

extension SearchPlan {
    /// Goes through what is found, in order, until `body` says no.
    func run(
        on index: SearchIndex, after cursor: Int64?, now: UnixTime, _ database: Database,
        _ body: (Int64) throws(SQLiteError) -> Bool
    ) throws(SQLiteError) {
        guard !isVoid else { return }
        let after = cursor ?? -1
        if let recent = try recentKeys(on: index, now, database) {
            let judge = try Judge(clauses: clauses, details: clauses, index: index, now: now, database)
            for key in recent where key > after {
                if try judge.admits(key), try !body(key) { return }
            }
            return
        }
        let judge = try Judge(clauses: texts, details: details, index: index, now: now, database)
        let statement: Statement
        let looks = !parts.isEmpty
        if let match {
            statement = try database.prepare(
                """
                SELECT found.rowid FROM \(index.name)_index AS found
                \(looks ? "CROSS JOIN \(index.name)_text AS text ON text.key = found.rowid" : "")
                WHERE found.\(index.name)_index MATCH ? AND found.rowid > ?
                \(partsCondition(3)) ORDER BY found.rowid
                """)
            if looks {
                try statement.bind(match, after, partsValue)
            } else {
                try statement.bind(match, after)
            }
        } else {
            statement = try database.prepare(
                """
                SELECT text.key FROM \(index.name)_text AS text WHERE text.key > ?
                \(partsCondition(2)) ORDER BY text.key
                """)
            if looks {
                try statement.bind(after, partsValue)
            } else {
                try statement.bind(after)
            }
        }
        defer { statement.reset() }
        while try statement.step() {
            let key: Int64 = try statement.column(0)
            if try judge.admits(key), try !body(key) { return }
        }
    }

    /// How many tracks may have come of late for all of them to be looked at.
    private static let mostRecent = 2000

    /// Where few tracks are new, those are looked at, and not all that have the words.
    private func recentKeys(on index: SearchIndex, _ now: UnixTime, _ database: Database) throws(SQLiteError)
        -> [Int64]?
    {
        for case .added(let age, false) in clauses.lazy.filter({ !$0.isExcluded }).map(\.term) {
            var keys: [Int64] = []
            try database.forEach(
                """
                SELECT \(index.keyExpression) FROM track WHERE added >= ? AND file IS NOT NULL
                ORDER BY added DESC LIMIT \(SearchPlan.mostRecent + 1)
                """, now - age
            ) { row throws(SQLiteError) in keys.append(try row.column(0)) }
            if keys.count <= SearchPlan.mostRecent { return keys.sorted() }
        }
        return nil
    }
}

/// Looks at rows for what the index does not settle.
private struct Judge {
    private let clauses: [SearchQuery.Clause]
    private let details: [SearchQuery.Clause]
    private let now: UnixTime
    private let text: Statement?
    private let table: Statement?

    init(
        clauses: [SearchQuery.Clause], details: [SearchQuery.Clause], index: SearchIndex, now: UnixTime,
        _ database: Database
    ) throws(SQLiteError) {
        self.clauses = clauses
        self.details = details
        self.now = now
        text =
            clauses.isEmpty
            ? nil : try database.prepare("SELECT \(SearchText.columns) FROM \(index.name)_text WHERE key = ?")
        table =
            details.isEmpty
            ? nil
            : try database.prepare(
                """
                SELECT added, ifnull(plays, 0) FROM track LEFT JOIN personal ON personal.track = track.id WHERE track.id = ?
                """)
    }

    func admits(_ key: Int64) throws(SQLiteError) -> Bool {
        if let text {
            var isFitting = false
            try text.forEach(key) { row throws(SQLiteError) in
                let text = try SearchText(row)
                isFitting = clauses.allSatisfy { SearchPlan.holds($0, text) }
            }
            guard isFitting else { return false }
        }
        guard let table else { return true }
        var isFitting = false
        try table.forEach(SearchIndex.id(of: key)) { row throws(SQLiteError) in
            let (added, plays) = (try row.column(0, as: UnixTime.self), try row.column(1, as: Int.self))
            isFitting = details.allSatisfy { SearchPlan.holds($0, added: added, plays: plays, now: now) }
        }
        return isFitting
    }
}
