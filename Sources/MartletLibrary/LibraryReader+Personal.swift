// SPDX-License-Identifier: Apache-2.0
internal import MartletSQLite

/// What the user made of one track.
public struct TrackRecord: Hashable, Sendable {
    /// Since when it is liked.
    public var liked: UnixTime?
    /// 0 to 100.
    public var rating: Int?
    public var plays = 0
    public var skips = 0
    public var firstPlayed: UnixTime?
    public var lastPlayed: UnixTime?
    public var lastSkipped: UnixTime?

    public init() {}
}

/// A time a track was played, or passed over.
public struct PlayRecord: Hashable, Sendable {
    public var track: TrackID
    public var at: UnixTime
    public var heard: Duration
    public var isSkip: Bool
}

/// A place in a track.
public struct Bookmark: Hashable, Sendable, Identifiable {
    public var id: BookmarkID
    public var track: TrackID
    public var position: Duration
    public var label: String?
    public var created: UnixTime
}

extension LibraryReader {
    /// A track nobody did anything with has an empty record; so has one that is not there.
    public func record(of track: TrackID) throws(LibraryError) -> TrackRecord {
        try reading { database throws(SQLiteError) in
            var record = TrackRecord()
            try database.forEach(
                """
                SELECT liked, rating, plays, skips, first_played, last_played, last_skipped FROM personal
                WHERE track = ?
                """, track
            ) { row throws(SQLiteError) in
                record.liked = try row.column(0)
                record.rating = try row.column(1)
                record.plays = try row.column(2)
                record.skips = try row.column(3)
                record.firstPlayed = try row.column(4)
                record.lastPlayed = try row.column(5)
                record.lastSkipped = try row.column(6)
            }
            return record
        }
    }

    /// What was played, latest first.
    public func history(page: LibraryPage) throws(LibraryError) -> [PlayRecord] {
        try reading { database throws(SQLiteError) in
            var records: [PlayRecord] = []
            try database.forEach(
                "SELECT track, at, heard, is_skip FROM play ORDER BY at DESC, id DESC LIMIT ? OFFSET ?", page.limit,
                page.offset
            ) { row throws(SQLiteError) in
                records.append(
                    PlayRecord(
                        track: try row.column(0), at: try row.column(1),
                        heard: try row.column(2, as: Nanoseconds.self).duration, isSkip: try row.column(3)))
            }
            return records
        }
    }

    /// A track's bookmarks from its beginning on; all of them, track by track, without one.
    public func bookmarks(of track: TrackID? = nil) throws(LibraryError) -> [Bookmark] {
        try reading { database throws(SQLiteError) in
            var bookmarks: [Bookmark] = []
            try database.forEach(
                """
                SELECT id, track, position, label, created FROM bookmark WHERE ?1 IS NULL OR track = ?1
                ORDER BY track, position, id
                """, track
            ) { row throws(SQLiteError) in
                bookmarks.append(
                    Bookmark(
                        id: try row.column(0), track: try row.column(1),
                        position: try row.column(2, as: Nanoseconds.self).duration, label: try row.column(3),
                        created: try row.column(4)))
            }
            return bookmarks
        }
    }

    /// The last searches, latest first.
    public func recentSearches() throws(LibraryError) -> [String] {
        try reading { database throws(SQLiteError) in
            var texts: [String] = []
            try database.forEach("SELECT text FROM recent_search ORDER BY id DESC") { row throws(SQLiteError) in
                texts.append(try row.column(0))
            }
            return texts
        }
    }
}
