// SPDX-License-Identifier: Apache-2.0
internal import MartletSQLite

/// Which tracks a list holds.
public enum TrackSelection: Hashable, Sendable {
    case all
    case album(AlbumID)
    case artist(ArtistID, ArtistRole)
    case genre(GenreID)
    case year(Int)
    case liked
    /// Of at least this rating, 0 to 100.
    case rated(atLeast: Int)
    case played
    case neverPlayed
    /// Came at this time or later.
    case added(since: UnixTime)

    /// What follows `WHERE`; one placeholder for ``value``.
    var condition: String {
        switch self {
        case .all: "?1 IS NULL"
        case .album: "track.album = ?1"
        case .artist(_, let role):
            // A few texts, not values: the number is one of four.
            "track.id IN (SELECT track FROM track_artist WHERE artist = ?1 AND role = \(role.rawValue))"
        case .genre: "track.id IN (SELECT track FROM track_genre WHERE genre = ?1)"
        case .year: "track.year = ?1"
        case .liked: "track.id IN (SELECT track FROM personal WHERE liked IS NOT NULL AND ?1 IS NULL)"
        case .rated: "track.id IN (SELECT track FROM personal WHERE rating >= ?1)"
        case .played: "track.id IN (SELECT track FROM personal WHERE plays > 0 AND ?1 IS NULL)"
        case .neverPlayed:
            "track.id NOT IN (SELECT track FROM personal WHERE plays > 0 AND ?1 IS NULL)"
        case .added: "track.added >= ?1"
        }
    }

    var value: Int64? {
        switch self {
        case .all, .liked, .played, .neverPlayed: nil
        case .album(let id): id.rawValue
        case .artist(let id, _): id.rawValue
        case .genre(let id): id.rawValue
        case .year(let year): Int64(year)
        case .rated(let rating): Int64(rating)
        case .added(let since): since.seconds
        }
    }
}

/// In which order a list of tracks comes. What is equal comes in the order it was added.
public enum TrackOrder: Hashable, Sendable, CaseIterable {
    case title
    /// Artist's albums by year, tracks as on the disc.
    case album
    case newest
    case mostPlayed
    case lastPlayed
    case lastLiked
    case bestRated

    /// What the order is by, beside the track, to stand behind `FROM track`.
    var joins: String {
        albumJoin + (isPersonal ? " LEFT JOIN personal ON personal.track = track.id" : "")
    }

    var albumJoin: String { self == .album ? "LEFT JOIN album ON album.id = track.album" : "" }

    /// Whether it is by what the listener made of tracks.
    private var isPersonal: Bool {
        switch self {
        case .title, .album, .newest: false
        case .mostPlayed, .lastPlayed, .lastLiked, .bestRated: true
        }
    }

    var terms: String {
        switch self {
        case .title: "track.sort, track.id"
        case .album:
            "album.artist_sort, album.year, album.sort, album.id, ifnull(track.disc, 1), track.number, track.sort, track.id"
        case .newest: "track.added DESC, track.id DESC"
        case .mostPlayed: "personal.plays DESC, track.id"
        case .lastPlayed: "personal.last_played DESC, track.id"
        case .lastLiked: "personal.liked DESC, track.id"
        case .bestRated: "personal.rating DESC, track.sort, track.id"
        }
    }
}

/// Which albums a list holds.
public enum AlbumSelection: Hashable, Sendable {
    case all
    /// Under this name; ``appearances(_:)`` are the others.
    case artist(ArtistID)
    /// On which the artist has a track without being its album artist.
    case appearances(ArtistID)
    case genre(GenreID)
    case year(Int)

    var condition: String {
        switch self {
        case .all: "?1 IS NULL"
        case .artist: "album.id IN (SELECT album FROM album_artist WHERE artist = ?1)"
        case .appearances:
            """
            album.id IN (SELECT track.album FROM track_artist JOIN track ON track.id = track_artist.track
                WHERE track_artist.artist = ?1 AND track_artist.role = 0)
                AND album.id NOT IN (SELECT album FROM album_artist WHERE artist = ?1)
            """
        case .genre:
            """
            album.id IN (SELECT track.album FROM track_genre JOIN track ON track.id = track_genre.track
                WHERE track_genre.genre = ?1)
            """
        case .year: "album.year = ?1"
        }
    }

    var value: Int64? {
        switch self {
        case .all: nil
        case .artist(let id), .appearances(let id): id.rawValue
        case .genre(let id): id.rawValue
        case .year(let year): Int64(year)
        }
    }
}

/// In which order a list of albums comes.
public enum AlbumOrder: Hashable, Sendable, CaseIterable {
    case title
    case artist
    case newest
    /// Released last first; undated ones at the end.
    case year

    fileprivate var terms: String {
        switch self {
        case .title: "album.sort, album.id"
        case .artist: "album.artist_sort, album.year, album.sort, album.id"
        case .newest: "album.added DESC, album.id DESC"
        case .year: "album.year DESC, album.sort, album.id"
        }
    }
}

extension LibraryReader {
    /// Tracks whose files are there or offline; those that are gone are left out.
    public func tracks(
        _ selection: TrackSelection, by order: TrackOrder, page: LibraryPage
    ) throws(LibraryError) -> [TrackSummary] {
        // The page is found by numbers alone: what is passed over need not be put together.
        return try list(
            """
            SELECT \(TrackSummary.columns) FROM (
                SELECT track.id FROM track \(order.joins) WHERE track.file IS NOT NULL AND \(selection.condition)
                ORDER BY \(order.terms) LIMIT ?2 OFFSET ?3) AS page
            JOIN track ON track.id = page.id \(order.albumJoin) \(TrackSummary.joins) ORDER BY \(order.terms)
            """, selection.value, page
        ) { row throws(SQLiteError) in try TrackSummary(row) }
    }

    /// Tracks in the order asked for; those that are not there are left out, those whose files are gone are not.
    public func tracks(_ ids: [TrackID]) throws(LibraryError) -> [TrackSummary] {
        try reading { database throws(SQLiteError) in
            var result: [TrackSummary] = []
            let statement = try database.prepare(
                "SELECT \(TrackSummary.columns) FROM track \(TrackSummary.joins) WHERE track.id = ?")
            for id in ids {
                try statement.forEach(id) { row throws(SQLiteError) in result.append(try TrackSummary(row)) }
            }
            return result
        }
    }

    public func albums(
        _ selection: AlbumSelection, by order: AlbumOrder, page: LibraryPage
    ) throws(LibraryError) -> [AlbumSummary] {
        try list(
            """
            SELECT \(AlbumSummary.columns) FROM album WHERE album.track_count > 0 AND \(selection.condition)
            ORDER BY \(order.terms) LIMIT ?2 OFFSET ?3
            """, selection.value, page
        ) { row throws(SQLiteError) in try AlbumSummary(row) }
    }

    public func album(_ id: AlbumID) throws(LibraryError) -> AlbumSummary? {
        try list(
            "SELECT \(AlbumSummary.columns) FROM album WHERE album.id = ?1 LIMIT ?2 OFFSET ?3", id.rawValue, .all
        ) { row throws(SQLiteError) in try AlbumSummary(row) }.first
    }

    /// The names of an album's discs that have one, by number.
    public func discSubtitles(of album: AlbumID) throws(LibraryError) -> [Int: String] {
        try reading { database throws(SQLiteError) in
            var result: [Int: String] = [:]
            try database.forEach(
                """
                SELECT ifnull(disc, 1), min(disc_subtitle) FROM track
                WHERE album = ? AND disc_subtitle IS NOT NULL GROUP BY 1
                """, album
            ) { row throws(SQLiteError) in result[try row.column(0)] = try row.column(1) }
            return result
        }
    }

    /// Artists by name.
    ///
    /// - Parameter onlyAlbumArtists: Leaves out those who only appear on albums of others.
    public func artists(onlyAlbumArtists: Bool, page: LibraryPage) throws(LibraryError) -> [ArtistSummary] {
        try list(
            """
            SELECT \(ArtistSummary.columns)
            FROM artist AS one WHERE ?1 IS NULL AND \(ArtistSummary.condition(onlyAlbumArtists)) ORDER BY one.sort, one.id LIMIT ?2 OFFSET ?3
            """, nil, page
        ) { row throws(SQLiteError) in try ArtistSummary(row) }
    }

    /// Genres by name.
    public func genres(page: LibraryPage) throws(LibraryError) -> [GenreSummary] {
        try list(
            """
            SELECT id, name, (SELECT count(*) FROM track_genre JOIN track ON track.id = track_genre.track
                WHERE track_genre.genre = genre.id AND track.file IS NOT NULL)
            FROM genre WHERE ?1 IS NULL AND \(GenreSummary.condition) ORDER BY genre.key LIMIT ?2 OFFSET ?3
            """, nil, page
        ) { row throws(SQLiteError) in
            GenreSummary(id: try row.column(0), name: try row.column(1), trackCount: try row.column(2))
        }
    }

    /// Years, latest first.
    public func years() throws(LibraryError) -> [YearSummary] {
        try list(
            """
            SELECT year, count(*) FROM track WHERE ?1 IS NULL AND year IS NOT NULL AND file IS NOT NULL
            GROUP BY year ORDER BY year DESC LIMIT ?2 OFFSET ?3
            """, nil, .all
        ) { row throws(SQLiteError) in YearSummary(year: try row.column(0), trackCount: try row.column(1)) }
    }

    private func list<Item>(
        _ sql: String, _ value: Int64?, _ page: LibraryPage, _ item: (Statement) throws(SQLiteError) -> Item
    ) throws(LibraryError) -> [Item] {
        try reading { database throws(SQLiteError) in
            var result: [Item] = []
            try database.forEach(sql, value, page.limit, page.offset) { row throws(SQLiteError) in
                result.append(try item(row))
            }
            return result
        }
    }
}

/// A file that gave nothing, and why.
public struct FailedFile: Hashable, Sendable {
    /// The bytes of its absolute path.
    public var path: [UInt8]
    public var failure: FileFailure
}

extension LibraryReader {
    /// Files that could not be read; tried again when they have changed.
    public func failures(page: LibraryPage) throws(LibraryError) -> [FailedFile] {
        try list(
            """
            SELECT root.path, folder.path, file.name, ifnull(file.failure, '') FROM file
            JOIN folder ON folder.id = file.folder JOIN root ON root.id = folder.root
            WHERE ?1 IS NULL AND file.state = 2 ORDER BY file.id LIMIT ?2 OFFSET ?3
            """, nil, page
        ) { row throws(SQLiteError) in
            FailedFile(
                path: LibraryPath.join(try row.column(0), try row.column(1), name: try row.column(2)),
                failure: FileFailure(stored: try row.column(3)))
        }
    }
}
