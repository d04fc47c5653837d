// SPDX-License-Identifier: Apache-2.0
internal import MartletSQLite

/// The index of one kind of thing that is searched: its spelled texts, and FTS5's tokens of them.
///
/// A row's number holds its rank: FTS5 gives rows in the order of their numbers, so what the listener likes comes first
/// without any sorting (bm25 over all hits takes a hundred times as long at a million rows). A row whose rank changes is
/// written anew.
struct SearchIndex: Sendable {
    let name: String

    static let tracks = SearchIndex(name: "track")
    static let albums = SearchIndex(name: "album")
    static let artists = SearchIndex(name: "artist")

    /// The highest rank.
    static let highest = 255
    private static let idBits: Int64 = 47
    private static let idMask: Int64 = 1 << idBits - 1

    /// Where a row stands: higher ranks first, then in the order they were added.
    static func key(rank: Int, id: Int64) -> Int64 {
        Int64(highest - min(max(rank, 0), highest)) << idBits | id
    }

    static func id(of key: Int64) -> Int64 { key & idMask }

    /// The key of a row of the table, as SQL.
    var keyExpression: String { "((\(SearchIndex.highest) - \(name).rank) << \(SearchIndex.idBits) | \(name).id)" }

    /// The tables.
    static let tables =
        "ALTER TABLE album ADD COLUMN rank INTEGER NOT NULL DEFAULT 0;"
        + "ALTER TABLE artist ADD COLUMN rank INTEGER NOT NULL DEFAULT 0;"
        + [tracks, albums, artists].map(\.tables).joined()

    private var tables: String {
        """
        CREATE TABLE \(name)_text(
            key INTEGER PRIMARY KEY, title TEXT NOT NULL, artist TEXT NOT NULL, album TEXT NOT NULL,
            genre TEXT NOT NULL, facts TEXT NOT NULL);
        CREATE VIRTUAL TABLE \(name)_index USING fts5(
            title, artist, album, other, content='', detail=column, tokenize='ascii');
        """
    }

    /// Writes a row in the place of what it was; `nil` takes it out.
    ///
    /// - Parameter former: The key it had.
    func write(_ text: SearchText?, at key: Int64, former: Int64, _ database: Database) throws(SQLiteError) {
        var known: SearchText?
        try database.forEach("SELECT \(SearchText.columns) FROM \(name)_text WHERE key = ?", former) {
            row throws(SQLiteError) in known = try SearchText(row)
        }
        if known == text, key == former { return }
        if let known {
            let old = known.tokens
            try database.run(
                """
                INSERT INTO \(name)_index(\(name)_index, rowid, title, artist, album, other)
                VALUES ('delete', ?, ?, ?, ?, ?)
                """, former, old.title, old.artist, old.album, old.other)
            try database.run("DELETE FROM \(name)_text WHERE key = ?", former)
        }
        guard let text else { return }
        let new = text.tokens
        try database.run(
            "INSERT INTO \(name)_text(key, \(SearchText.columns)) VALUES (?, ?, ?, ?, ?, ?)", key, text.title,
            text.artist,
            text.album, text.genre, text.facts)
        try database.run(
            "INSERT INTO \(name)_index(rowid, title, artist, album, other) VALUES (?, ?, ?, ?, ?)", key, new.title,
            new.artist, new.album, new.other)
    }
}

/// What keeps the index as the tables are.
extension SearchIndex {
    /// How far up a track comes: likes, stars and plays count, each play less than the one before.
    static func rank(isLiked: Bool, rating: Int?, plays: Int, skips: Int) -> Int {
        var rank = isLiked ? 80 : 0
        if let rating { rank += rating * 3 / 5 }
        var (step, left) = (1, plays)
        while left >= step, rank < highest {
            rank += 16
            left -= step
            step *= 2
        }
        return min(max(rank - min(skips, 5) * 2, 0), highest)
    }

    /// Brings a track's row up to date, with its rank.
    ///
    /// - Parameter isGone: Takes it out: its row in the table is about to be deleted.
    static func refresh(track id: TrackID, isGone: Bool = false, _ database: Database) throws(SQLiteError) {
        var row: (rank: Int, newRank: Int, isThere: Bool, text: SearchText)?
        try database.forEach(
            """
            SELECT rank, file IS NOT NULL, title, artist, album_title, year, liked, rating, ifnull(plays, 0), ifnull(skips, 0)
            FROM track LEFT JOIN personal ON personal.track = track.id WHERE track.id = ?
            """, id
        ) { columns throws(SQLiteError) in
            let isLiked = try columns.column(6, as: Int64?.self) != nil
            let rating: Int? = try columns.column(7)
            let plays: Int = try columns.column(8)
            var facts = [plays > 0 ? "p1" : "p0"]
            if isLiked { facts.append("l") }
            if let rating { facts.append("r\((rating + 10) / 20)") }
            if let year = try columns.column(5, as: Int?.self) { facts.append("y\(year)") }
            var artist: String = try columns.column(3)
            var genres: [String] = []
            try database.forEach(
                """
                SELECT artist.name FROM track_artist JOIN artist ON artist.id = track_artist.artist
                WHERE track = ? AND role = 1 ORDER BY position
                """, id
            ) { name throws(SQLiteError) in
                let name: String = try name.column(0)
                if !artist.contains(name) { artist += " " + name }
            }
            try database.forEach(
                "SELECT name FROM track_genre JOIN genre ON genre.id = track_genre.genre WHERE track = ? ORDER BY position",
                id
            ) { name throws(SQLiteError) in genres.append(try name.column(0)) }
            row = (
                rank: try columns.column(0),
                newRank: rank(isLiked: isLiked, rating: rating, plays: plays, skips: try columns.column(9)),
                isThere: try columns.column(1),
                text: SearchText(
                    title: try columns.column(2), artist: artist, album: try columns.column(4, as: String?.self) ?? "",
                    genre: genres.joined(separator: " "), facts: facts)
            )
        }
        guard let row else { return }
        try tracks.write(
            row.isThere && !isGone ? row.text : nil, at: key(rank: row.newRank, id: id.rawValue),
            former: key(rank: row.rank, id: id.rawValue), database)
        if row.newRank != row.rank {
            try database.run("UPDATE track SET rank = ? WHERE id = ?", row.newRank, id)
        }
    }

    /// Brings an album's row up to date; its rank is the highest of its tracks'.
    static func refresh(album id: AlbumID, isGone: Bool = false, _ database: Database) throws(SQLiteError) {
        try albums.refresh(
            id.rawValue,
            """
            SELECT rank, (SELECT ifnull(max(rank), 0) FROM track WHERE album = album.id), '', artist, title,
                year, track_count > 0 FROM album WHERE id = ?
            """, isGone, database)
    }

    /// Brings an artist's row up to date; the rank is the highest of the tracks'.
    ///
    /// - Parameter isThere: Whether there are tracks, where that is known: they may be about to be written.
    static func refresh(artist id: Int64, isThere: Bool? = nil, _ database: Database) throws(SQLiteError) {
        let has = isThere.map { $0 ? "1" : "0" } ?? hasTracks
        try artists.refresh(
            id,
            """
            SELECT rank, (SELECT ifnull(max(track.rank), 0) FROM track_artist JOIN track ON track.id = track_artist.track
                WHERE track_artist.artist = artist.id AND role < 2), '', name, '', NULL, \(has) FROM artist WHERE id = ?
            """, false, database)
    }

    private static let hasTracks = """
        EXISTS (SELECT 1 FROM track_artist JOIN track ON track.id = track_artist.track
            WHERE track_artist.artist = artist.id AND role < 2 AND track.file IS NOT NULL)
        """

    /// Takes out artists that have lost all their tracks.
    static func dropArtistsWithoutTracks(_ database: Database) throws(SQLiteError) {
        var ids: [Int64] = []
        try database.forEach(
            """
            SELECT artist.id FROM artist JOIN artist_text ON artist_text.key = \(artists.keyExpression)
            WHERE NOT \(hasTracks)
            """
        ) { row throws(SQLiteError) in ids.append(try row.column(0)) }
        for id in ids { try refresh(artist: id, isThere: false, database) }
    }

    private func refresh(
        _ id: Int64, _ sql: String, _ isGone: Bool, _ database: Database
    ) throws(SQLiteError) {
        var row: (rank: Int, newRank: Int, isThere: Bool, text: SearchText)?
        try database.forEach(sql, id) { columns throws(SQLiteError) in
            let year: Int? = try columns.column(5)
            row = (
                rank: try columns.column(0), newRank: try columns.column(1), isThere: try columns.column(6),
                text: SearchText(
                    title: try columns.column(2), artist: try columns.column(3), album: try columns.column(4),
                    facts: year.map { ["y\($0)"] } ?? [])
            )
        }
        guard let row else { return }
        try write(
            row.isThere && !isGone ? row.text : nil, at: SearchIndex.key(rank: row.newRank, id: id),
            former: SearchIndex.key(rank: row.rank, id: id), database)
        if row.newRank != row.rank {
            try database.run("UPDATE \(name) SET rank = ? WHERE id = ?", row.newRank, id)
        }
    }

    /// After a track was liked, rated, played or passed over: its own rank, and those of its album and artists.
    static func refreshRanks(of track: TrackID, _ database: Database) throws(SQLiteError) {
        try refresh(track: track, database)
        if let album = try database.value("SELECT album FROM track WHERE id = ?", track, as: AlbumID?.self) ?? nil {
            try refresh(album: album, database)
        }
        var artists: [Int64] = []
        try database.forEach("SELECT DISTINCT artist FROM track_artist WHERE track = ? AND role < 2", track) {
            row throws(SQLiteError) in artists.append(try row.column(0))
        }
        for artist in artists { try refresh(artist: artist, database) }
    }

    /// Makes the rows of everything there is; for tables that have none.
    static func build(_ database: Database) throws(SQLiteError) {
        func ids(_ table: String) throws(SQLiteError) -> [Int64] {
            var ids: [Int64] = []
            try database.forEach("SELECT id FROM \(table) ORDER BY id") { row throws(SQLiteError) in
                ids.append(try row.column(0))
            }
            return ids
        }
        for id in try ids("track") { try refresh(track: TrackID(rawValue: id), database) }
        for id in try ids("album") { try refresh(album: AlbumID(rawValue: id), database) }
        for id in try ids("artist") { try refresh(artist: id, database) }
    }
}
