// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletSQLite

/// Everything the library knows of one track.
public struct TrackFacts: Hashable, Sendable {
    public var summary: TrackSummary
    public var record: TrackRecord
    /// Each by itself, in the order of the tags.
    public var artists: [String] = []
    public var albumArtists: [String] = []
    public var composers: [String] = []
    public var lyricists: [String] = []
    public var genres: [String] = []
    public var date: String?
    public var discSubtitle: String?
    public var comment: String?
    public var codec: String?
    /// Bits a second.
    public var bitrate: Int?
    public var sampleRate: Int?
    public var channels: Int?
    public var beatsPerMinute: Int?
    public var musicBrainzRecording: String?
    public var added: UnixTime
    /// Since when its file is gone.
    public var gone: UnixTime?

    fileprivate static let columns = """
        track.date, track.disc_subtitle, track.comment, track.codec, track.bitrate, track.sample_rate, track.channels, \
        track.beats_per_minute, track.musicbrainz_recording, track.added, track.gone
        """

    fileprivate init(_ row: Statement, _ record: TrackRecord) throws(SQLiteError) {
        summary = try TrackSummary(row)
        self.record = record
        let base = TrackSummary.columnCount
        date = try row.column(base)
        discSubtitle = try row.column(base + 1)
        comment = try row.column(base + 2)
        codec = try row.column(base + 3)
        bitrate = try row.column(base + 4)
        sampleRate = try row.column(base + 5)
        channels = try row.column(base + 6)
        beatsPerMinute = try row.column(base + 7)
        musicBrainzRecording = try row.column(base + 8)
        added = try row.column(base + 9)
        gone = try row.column(base + 10)
    }
}

extension LibraryReader {
    /// Everything about a track; `nil` if there is none of that number.
    public func facts(of track: TrackID) throws(LibraryError) -> TrackFacts? {
        let record = try record(of: track)
        return try reading { database throws(SQLiteError) in
            var facts: TrackFacts?
            try database.forEach(
                "SELECT \(TrackSummary.columns), \(TrackFacts.columns) FROM track \(TrackSummary.joins) WHERE track.id = ?",
                track
            ) { row throws(SQLiteError) in facts = try TrackFacts(row, record) }
            guard var facts else { return nil }
            facts.artists = try TrackFacts.names(.artist, of: track, database)
            facts.albumArtists = try TrackFacts.names(.albumArtist, of: track, database)
            facts.composers = try TrackFacts.names(.composer, of: track, database)
            facts.lyricists = try TrackFacts.names(.lyricist, of: track, database)
            try database.forEach(
                """
                SELECT genre.name FROM track_genre JOIN genre ON genre.id = track_genre.genre
                WHERE track_genre.track = ? ORDER BY track_genre.position
                """, track
            ) { row throws(SQLiteError) in facts.genres.append(try row.column(0)) }
            return facts
        }
    }
}

extension TrackFacts {
    /// Those who have a part in a track, in the order of its tags.
    static func names(
        _ role: ArtistRole, of track: TrackID, _ database: Database
    ) throws(SQLiteError) -> [String] {
        var names: [String] = []
        try database.forEach(
            """
            SELECT artist.name FROM track_artist JOIN artist ON artist.id = track_artist.artist
            WHERE track_artist.track = ? AND role = ? ORDER BY position
            """, track, role.rawValue
        ) { row throws(SQLiteError) in names.append(try row.column(0)) }
        return names
    }
}
