// SPDX-License-Identifier: Apache-2.0
public import MartletCore
internal import MartletSQLite

/// A playlist as lists show it.
public struct PlaylistSummary: Hashable, Sendable, Identifiable {
    public var id: PlaylistID
    public var name: String
    public var description: String
    public var refusesDuplicates: Bool
    /// `liked`, `recent`: one that is always there.
    public var builtIn: String?
    /// Of a smart playlist, in the search language; its entries are what a search finds.
    public var query: String?
    public var queryOrder: TrackOrder?
    public var queryLimit: Int?
    public var created: UnixTime
    public var changed: UnixTime
    public var played: UnixTime?
    /// Entries; 0 for a smart one.
    public var count: Int
    /// Of all entries together, as far as known.
    public var length: Duration
}

/// In which order playlists come: MPRIS' words (`Playlists.PlaylistOrdering`).
public enum PlaylistOrder: String, Hashable, Sendable, CaseIterable {
    case alphabetical = "Alphabetical"
    case created = "Created"
    case modified = "Modified"
    case played = "Played"
    case user = "User"

    /// Without direction; dates that are not there come first.
    fileprivate var column: String {
        switch self {
        case .alphabetical: "playlist.sort"
        case .created: "playlist.created"
        case .modified: "playlist.changed"
        case .played: "ifnull(playlist.played, 0)"
        case .user: "playlist.place"
        }
    }
}

/// An entry of a playlist: what the track says now, else what was remembered of it (F258).
public struct PlaylistEntrySummary: Hashable, Sendable, Identifiable {
    public var id: PlaylistEntryID
    /// `nil` for what is not of the library.
    public var track: TrackID?
    /// `nil` for a track whose place nobody knows any more.
    public var uri: MediaURI?
    public var start: Duration
    public var end: Duration?
    public var title: String
    public var artist: String
    public var album: String?
    public var length: Duration?
    public var added: UnixTime
    /// Whether there is something to play, as far as the library knows.
    public var isAvailable: Bool
}

extension LibraryReader {
    public func playlists(
        by order: PlaylistOrder, reversed: Bool = false, page: LibraryPage = .all
    ) throws(LibraryError) -> [PlaylistSummary] {
        try summaries(
            "WHERE ?1 IS NULL ORDER BY \(order.column) \(reversed ? "DESC" : "ASC"), playlist.id LIMIT ?2 OFFSET ?3",
            nil, page)
    }

    public func playlist(_ id: PlaylistID) throws(LibraryError) -> PlaylistSummary? {
        try summaries("WHERE playlist.id = ?1 LIMIT ?2 OFFSET ?3", id, .all).first
    }

    private func summaries(
        _ rest: String, _ id: PlaylistID?, _ page: LibraryPage
    ) throws(LibraryError) -> [PlaylistSummary] {
        try reading { database throws(SQLiteError) in try PlaylistSummary.read(rest, id, page, database) }
    }

    /// The entries of a playlist that is no smart one, in their order.
    public func entries(
        of id: PlaylistID, page: LibraryPage = .all
    ) throws(LibraryError) -> [PlaylistEntrySummary] {
        try reading { database throws(SQLiteError) in try PlaylistEntrySummary.read(id, page, database) }
    }
}

extension PlaylistSummary {
    /// Those that a condition picks; it has places for a number, a limit and an offset.
    static func read(
        _ rest: String, _ id: PlaylistID?, _ page: LibraryPage, _ database: Database
    ) throws(SQLiteError) -> [PlaylistSummary] {
        var result: [PlaylistSummary] = []
        try database.forEach(
            """
            SELECT id, name, description, refuses_duplicates, builtin, query, query_sort, query_limit, created,
                changed, played, (SELECT count(*) FROM playlist_entry WHERE playlist = playlist.id),
                (SELECT ifnull(sum(ifnull(track.length, playlist_entry.length)), 0) FROM playlist_entry
                    LEFT JOIN track ON track.id = playlist_entry.track WHERE playlist = playlist.id)
            FROM playlist \(rest)
            """, id, page.limit, page.offset
        ) { row throws(SQLiteError) in
            let order: String? = try row.column(6)
            result.append(
                PlaylistSummary(
                    id: try row.column(0), name: try row.column(1), description: try row.column(2),
                    refusesDuplicates: try row.column(3), builtIn: try row.column(4), query: try row.column(5),
                    queryOrder: order.flatMap { name in TrackOrder.allCases.first { "\($0)" == name } },
                    queryLimit: try row.column(7), created: try row.column(8), changed: try row.column(9),
                    played: try row.column(10), count: try row.column(11),
                    length: try row.column(12, as: Nanoseconds.self).duration))
        }
        return result
    }
}

extension PlaylistEntrySummary {
    static func read(
        _ id: PlaylistID, _ page: LibraryPage, _ database: Database
    ) throws(SQLiteError) -> [PlaylistEntrySummary] {
        var result: [PlaylistEntrySummary] = []
        try database.forEach(
            """
            SELECT \(TrackSummary.columns), entry.id, entry.uri, entry.start, entry.end, entry.title, entry.artist,
                entry.album, entry.length, entry.added
            FROM playlist_entry AS entry LEFT JOIN track ON track.id = entry.track \(TrackSummary.joins)
            WHERE entry.playlist = ? ORDER BY entry.position, entry.id LIMIT ? OFFSET ?
            """, id, page.limit, page.offset
        ) { row throws(SQLiteError) in
            let known = try row.column(0, as: TrackID?.self) == nil ? nil : try TrackSummary(row)
            let base = TrackSummary.columnCount
            let uri = MediaURI(stored: try row.column(base + 1))
            var entry = PlaylistEntrySummary(
                id: try row.column(base), track: known?.id, uri: known?.uri ?? uri,
                start: try row.column(base + 2, as: Nanoseconds.self).duration,
                end: try row.column(base + 3, as: Nanoseconds?.self)?.duration, title: try row.column(base + 4),
                artist: try row.column(base + 5), album: try row.column(base + 6),
                length: try row.column(base + 7, as: Nanoseconds?.self)?.duration, added: try row.column(base + 8),
                isAvailable: known?.isAvailable ?? true)
            if let known {
                entry.start = known.start
                entry.end = known.end
                entry.title = known.title
                entry.artist = known.artist
                entry.album = known.albumTitle
                entry.length = known.length
            }
            result.append(entry)
        }
        return result
    }
}
