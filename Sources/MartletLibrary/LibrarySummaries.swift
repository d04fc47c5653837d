// SPDX-License-Identifier: Apache-2.0
public import MartletCore
internal import MartletSQLite

/// A track as lists show it.
public struct TrackSummary: Hashable, Sendable, Identifiable {
    public var id: TrackID
    /// Where it lies; `nil` for a track whose file is gone.
    public var uri: MediaURI?
    /// The part of the file that is meant.
    public var start: Duration
    public var end: Duration?
    public var title: String
    /// The artists as one text; empty if unknown.
    public var artist: String
    public var album: AlbumID?
    public var albumTitle: String?
    public var disc: Int?
    public var number: Int?
    public var year: Int?
    public var length: Duration?
    public var isLiked: Bool
    /// 0 to 100.
    public var rating: Int?
    public var plays: Int
    /// Whether the folder it lies in can be reached, as far as the last scan saw.
    public var isAvailable: Bool

    /// What ``init(_:)`` reads, to stand behind `SELECT`.
    static let columns = """
        track.id, track.start, track.end, track.title, track.artist, track.album, track.album_title, track.disc, \
        track.number, track.year, track.length, personal.liked, personal.rating, personal.plays, root.path, \
        folder.path, file.name, root.is_offline, folder.is_offline
        """

    /// How many those are.
    static let columnCount = 19

    /// To stand behind a `FROM` that names `track`.
    static let joins = """
        LEFT JOIN personal ON personal.track = track.id LEFT JOIN file ON file.id = track.file
        LEFT JOIN folder ON folder.id = file.folder LEFT JOIN root ON root.id = folder.root
        """

    init(_ row: Statement) throws(SQLiteError) {
        id = try row.column(0)
        start = try row.column(1, as: Nanoseconds.self).duration
        end = try row.column(2, as: Nanoseconds?.self)?.duration
        title = try row.column(3)
        artist = try row.column(4)
        album = try row.column(5)
        albumTitle = try row.column(6)
        disc = try row.column(7)
        number = try row.column(8)
        year = try row.column(9)
        length = try row.column(10, as: Nanoseconds?.self)?.duration
        isLiked = try row.column(11, as: Int64?.self) != nil
        rating = try row.column(12)
        plays = try row.column(13, as: Int?.self) ?? 0
        if let root = try row.column(14, as: [UInt8]?.self) {
            uri = MediaURI(
                filePath: LibraryPath.join(root, try row.column(15), name: try row.column(16, as: [UInt8].self)))
            let isOffline = (root: try row.column(17, as: Bool.self), folder: try row.column(18, as: Bool.self))
            isAvailable = !isOffline.root && !isOffline.folder
        } else {
            uri = nil
            isAvailable = false
        }
    }
}

/// An album as lists show it.
public struct AlbumSummary: Hashable, Sendable, Identifiable {
    public var id: AlbumID
    public var title: String
    /// The album artists as one text; empty for a compilation.
    public var artist: String
    public var isCompilation: Bool
    public var year: Int?
    public var date: String?
    public var trackCount: Int
    public var discCount: Int
    public var length: Duration
    /// When its newest track came.
    public var added: UnixTime
    public var musicBrainzRelease: String?

    static let columns = """
        album.id, album.title, album.artist, album.is_compilation, album.year, album.date, album.track_count, \
        album.disc_count, album.length, album.added, album.musicbrainz_release
        """

    init(_ row: Statement) throws(SQLiteError) {
        id = try row.column(0)
        title = try row.column(1)
        artist = try row.column(2)
        isCompilation = try row.column(3)
        year = try row.column(4)
        date = try row.column(5)
        trackCount = try row.column(6)
        discCount = try row.column(7)
        length = try row.column(8, as: Nanoseconds.self).duration
        added = try row.column(9)
        musicBrainzRelease = try row.column(10)
    }
}

/// An artist as lists show it.
public struct ArtistSummary: Hashable, Sendable, Identifiable {
    public var id: ArtistID
    public var name: String
    /// Albums under this name.
    public var albumCount: Int
    /// Tracks with this name among the artists, of whatever album.
    public var trackCount: Int

    /// What ``init(_:)`` reads, about the artist `one`.
    static let columns = """
        one.id, one.name, (SELECT count(*) FROM album_artist WHERE artist = one.id), \
        (SELECT count(*) FROM track_artist JOIN track ON track.id = track_artist.track \
        WHERE track_artist.artist = one.id AND role = 0 AND track.file IS NOT NULL)
        """

    init(_ row: Statement) throws(SQLiteError) {
        id = try row.column(0)
        name = try row.column(1)
        albumCount = try row.column(2)
        trackCount = try row.column(3)
    }

    /// Who is listed; about the artist `one`.
    static func condition(_ onlyAlbumArtists: Bool) -> String {
        onlyAlbumArtists
            ? "EXISTS (SELECT 1 FROM album_artist WHERE artist = one.id)"
            : """
            EXISTS (SELECT 1 FROM track_artist JOIN track ON track.id = track_artist.track
                WHERE track_artist.artist = one.id AND role < 2 AND track.file IS NOT NULL)
            """
    }
}

/// A genre as lists show it.
public struct GenreSummary: Hashable, Sendable, Identifiable {
    public var id: GenreID
    public var name: String
    public var trackCount: Int

    /// Which are listed; about `genre`.
    static let condition = """
        EXISTS (SELECT 1 FROM track_genre JOIN track ON track.id = track_genre.track
            WHERE track_genre.genre = genre.id AND track.file IS NOT NULL)
        """
}

/// A year as lists show it.
public struct YearSummary: Hashable, Sendable {
    public var year: Int
    public var trackCount: Int
}

/// Paths as the tables hold them: a root, a folder below it, a name.
enum LibraryPath {
    static let slash = UInt8(ascii: "/")

    static func join(_ root: [UInt8], _ folder: [UInt8]) -> [UInt8] {
        if folder.isEmpty { return root }
        return root.last == slash ? root + folder : root + [slash] + folder
    }

    static func join(_ root: [UInt8], _ folder: [UInt8], name: [UInt8]) -> [UInt8] {
        let base = join(root, folder)
        return base.last == slash ? base + name : base + [slash] + name
    }

    /// A folder's path below its root, one level down.
    static func below(_ folder: [UInt8], _ name: [UInt8]) -> [UInt8] {
        folder.isEmpty ? name : folder + [slash] + name
    }

    /// Without double slashes and one at the end.
    static func tidied(_ path: [UInt8]) -> [UInt8] {
        let parts = path.split(separator: slash).filter { $0 != [UInt8(ascii: ".")] }
        return parts.isEmpty ? [slash] : parts.flatMap { [slash] + $0 }
    }

    /// The folder below the root that holds both.
    static func common(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        let pairs = zip(left.split(separator: slash), right.split(separator: slash))
        return Array(pairs.prefix { $0.0 == $0.1 }.map(\.0).joined(separator: [slash]))
    }

    /// Whether a path is another one or lies below it.
    static func contains(_ folder: [UInt8], _ path: [UInt8]) -> Bool {
        if folder.isEmpty { return true }
        guard path.starts(with: folder) else { return false }
        return path.count == folder.count || folder.last == slash || path[folder.count] == slash
    }
}
