// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletSQLite

/// Writes what files say into the tables, and finds which track a file's sound has been so far.
///
/// A file that was moved and retagged at once is the track it was (F256): known by its path, else by its sound, else by
/// its MusicBrainz id.
struct TrackWriter {
    private var artists = NameTable(table: "artist")
    private var genres = NameTable(table: "genre")
    /// Albums that may have lost a track, to be counted anew.
    var touchedAlbums: Set<AlbumID> = []
    /// Whether files that have tracks wait to be read anew: a new file may hold what one of them did.
    var hasChangedFiles = true
    /// Whether there are tracks without a file, which a new file may be.
    var hasGoneTracks = true
    /// Whether there may be artists that have lost all their tracks.
    var mayHaveLostArtists = true

    /// Lets go of what may not be in the tables after all.
    mutating func forget() {
        artists.forget()
        genres.forget()
    }

    mutating func artist(named name: String, in database: Database) throws(SQLiteError) -> Int64 {
        try artists.id(of: name, in: database)
    }

    /// Writes one file's tracks in place of those it had; their albums are found when the folder is grouped.
    mutating func write(_ scanned: ScannedFile, now: UnixTime, to database: Database) throws(SQLiteError) {
        switch scanned.outcome {
        case .sheet:
            try database.run("UPDATE file SET state = 1, failure = NULL WHERE id = ?", scanned.file)
        case .failed(let failure):
            try database.run("UPDATE file SET state = 2, failure = ? WHERE id = ?", failure.stored, scanned.file)
            try detach(tracksOf: scanned.file, now: now, database)
        case .tracks(let tracks):
            // Gone while it was read: the row went with it. Read by two scans at once: the first was enough.
            try database.run("UPDATE file SET state = 1, failure = NULL WHERE id = ? AND state = 0", scanned.file)
            guard database.changeCount == 1 else { return }
            try write(tracks, of: scanned.file, now: now, database)
        }
    }

    private mutating func write(
        _ tracks: [ScannedTrack], of file: FileID, now: UnixTime, _ database: Database
    ) throws(SQLiteError) {
        var former = try TrackWriter.tracks(of: file, database)
        touchedAlbums.formUnion(former.lazy.compactMap(\.album))
        for track in tracks {
            let known: TrackID?
            if let index = TrackWriter.match(track, in: former) {
                known = former.remove(at: index).id
            } else {
                known = try find(track, database)
                former.removeAll { $0.id == known }
            }
            try write(track, of: file, at: known, now: now, database)
        }
        if !former.isEmpty { (hasGoneTracks, mayHaveLostArtists) = (true, true) }
        for track in former { try TrackWriter.detach(track.id, now: now, database) }
    }

    // MARK: Which track it is

    private struct Former {
        var id: TrackID
        var album: AlbumID?
        var start: Int64
        var identity: [UInt8]?
        var title: String
        var artist: String
        var recording: String?
    }

    private static func tracks(of file: FileID, _ database: Database) throws(SQLiteError) -> [Former] {
        var result: [Former] = []
        try database.forEach(
            """
            SELECT id, album, start, identity, title, artist, musicbrainz_recording FROM track WHERE file = ?
            ORDER BY start
            """, file
        ) { row throws(SQLiteError) in
            result.append(
                Former(
                    id: try row.column(0), album: try row.column(1), start: try row.column(2),
                    identity: try row.column(3), title: try row.column(4), artist: try row.column(5),
                    recording: try row.column(6)))
        }
        return result
    }

    /// The same place in the same file, unless another song has been put there.
    private static func match(_ track: ScannedTrack, in former: [Former]) -> Int? {
        let start = Nanoseconds(track.start).count
        if let index = former.firstIndex(where: { $0.start == start && isSame(track, $0) }) { return index }
        // A sheet whose times were corrected.
        return former.firstIndex { isSame(track, $0) && $0.title == track.title }
    }

    private static func isSame(_ track: ScannedTrack, _ former: Former) -> Bool {
        guard let identity = track.identity, let known = former.identity, identity != known else { return true }
        if let recording = track.tags.musicBrainz.recording, recording == former.recording { return true }
        return former.title == track.title && former.artist == track.artist
    }

    /// A track that has lost its file, or whose file is about to be read anew and may hold something else by now.
    private func find(_ track: ScannedTrack, _ database: Database) throws(SQLiteError) -> TrackID? {
        if let identity = track.identity {
            // Silence, and the tones of test files, sound alike by the thousand: a few of each are looked at.
            var found: TrackID?
            if hasGoneTracks {
                found = try database.value(
                    """
                    SELECT id FROM track LEFT JOIN personal ON personal.track = id
                    WHERE identity = ? AND title = ? AND file IS NULL ORDER BY personal.track IS NULL, id LIMIT 1
                    """, identity, track.title, as: TrackID.self)
                if let found { return found }
                found = try database.value(
                    """
                    SELECT id FROM (SELECT id FROM track WHERE identity = ? AND file IS NULL LIMIT 50)
                        LEFT JOIN personal ON personal.track = id ORDER BY personal.track IS NULL, id LIMIT 1
                    """, identity, as: TrackID.self)
            }
            if found == nil, hasChangedFiles {
                found = try database.value(
                    """
                    SELECT one.id FROM (SELECT id, title, file FROM track WHERE identity = ? LIMIT 50) AS one
                        JOIN file ON file.id = one.file WHERE file.state = 0 ORDER BY one.title <> ?, one.id LIMIT 1
                    """, identity, track.title, as: TrackID.self)
            }
            if let found { return found }
        }
        guard hasGoneTracks, let recording = track.tags.musicBrainz.recording else { return nil }
        // The same recording stands on several albums: only what sounds as long, and the same album if it is there.
        return try database.value(
            """
            SELECT id FROM track WHERE musicbrainz_recording = ?1 AND file IS NULL AND abs(length - ?2) < 2000000000
            ORDER BY musicbrainz_release IS NOT ?3, id LIMIT 1
            """, recording, Nanoseconds(track.tags.audio.length), track.tags.musicBrainz.release, as: TrackID.self)
    }

    // MARK: Rows

    /// What ``write(_:_:_:_:)`` binds, in its order.
    private static let columns = """
        file, start, end, sheet, title, sort, artist, album_title, is_compilation, disc, disc_total, disc_subtitle, \
        number, number_total, date, year, length, codec, bitrate, sample_rate, channels, beats_per_minute, grouping, \
        comment, isrc, track_gain, track_peak, album_gain, album_peak, identity, musicbrainz_recording, \
        musicbrainz_track, musicbrainz_release, musicbrainz_group
        """
    private static let places = Array(repeating: "?", count: columns.split(separator: ",").count).joined(separator: ",")
    private static let insertion = "INSERT INTO track(\(columns), added) VALUES (\(places), ?)"
    private static let renewal = "UPDATE track SET (\(columns)) = (\(places)), album = NULL, gone = NULL WHERE id = ?"

    /// Writes a track in the place of one that was, or as a new one.
    private mutating func write(
        _ track: ScannedTrack, of file: FileID, at known: TrackID?, now: UnixTime, _ database: Database
    ) throws(SQLiteError) {
        let tags = track.tags
        let gain = tags.replayGain
        let audio = tags.audio
        try database.run(
            known == nil ? TrackWriter.insertion : TrackWriter.renewal,
            file, Nanoseconds(track.start), Nanoseconds(track.end), track.sheet, track.title, track.sort, track.artist,
            tags.album, tags.isCompilation, tags.discNumber, tags.discTotal, tags.discSubtitle, tags.trackNumber,
            tags.trackTotal, tags.date, TrackWriter.year(tags.date), Nanoseconds(audio.length), audio.codec,
            audio.bitrate, audio.sampleRate, audio.channels, tags.beatsPerMinute, tags.grouping,
            tags.comments.isEmpty ? nil : tags.comments.joined(separator: "\n"), tags.isrc, gain.trackGain,
            gain.trackPeak, gain.albumGain, gain.albumPeak, track.identity, tags.musicBrainz.recording,
            tags.musicBrainz.track, tags.musicBrainz.release, tags.musicBrainz.releaseGroup,
            known?.rawValue ?? now.seconds)
        let id = known ?? TrackID(rawValue: database.lastInsertedRow)
        if known != nil {
            mayHaveLostArtists = true
            try TrackWriter.noteInPlaylists(file, database)
            try database.run("DELETE FROM track_artist WHERE track = ?", id)
            try database.run("DELETE FROM track_genre WHERE track = ?", id)
        }
        let ids = tags.musicBrainz
        try write(tags.artists, of: id, .artist, ids.artists, database)
        try write(tags.albumArtists, of: id, .albumArtist, ids.albumArtists, database)
        try write(tags.composers, of: id, .composer, [], database)
        try write(tags.lyricists, of: id, .lyricist, [], database)
        for (position, name) in TrackWriter.distinct(tags.genres).enumerated() {
            let genre = try genres.id(of: name, in: database)
            try database.run("INSERT INTO track_genre VALUES (?, ?, ?)", id, position, genre)
        }
        try SearchIndex.refresh(track: id, database)
    }

    private mutating func write(
        _ names: [String], of track: TrackID, _ role: ArtistRole, _ ids: [String], _ database: Database
    ) throws(SQLiteError) {
        // Ids belong to names only where there is one for each.
        let ids: [String?] = ids.count == names.count ? ids : names.map { _ in nil }
        var seen: Set<Int64> = []
        for (position, (name, musicBrainz)) in zip(names, ids).enumerated() {
            let artist = try artists.id(of: name, musicBrainz: musicBrainz, in: database)
            guard seen.insert(artist).inserted else { continue }
            try database.run("INSERT INTO track_artist VALUES (?, ?, ?, ?)", track, role.rawValue, position, artist)
        }
    }

    private static func distinct(_ names: [String]) -> [String] {
        guard names.count > 1 else { return names }
        var seen: Set<String> = []
        return names.filter { seen.insert(SortKey.identity($0)).inserted }
    }

    static func year(_ date: String?) -> Int? {
        date.flatMap { Int($0.prefix(4)) }
    }

    /// Has the copies of playlists written anew that name a file's tracks.
    static func noteInPlaylists(_ file: FileID, _ database: Database) throws(SQLiteError) {
        try database.run(
            """
            UPDATE playlist SET is_mirrored = 0 WHERE id IN (
                SELECT playlist FROM track JOIN playlist_entry ON playlist_entry.track = track.id WHERE track.file = ?)
            """, file)
    }

    // MARK: Files that are gone

    /// Takes their file from tracks; they stay for what hangs on them.
    mutating func detach(tracksOf file: FileID, now: UnixTime, _ database: Database) throws(SQLiteError) {
        for track in try TrackWriter.tracks(of: file, database) {
            if let album = track.album { touchedAlbums.insert(album) }
            hasGoneTracks = true
            mayHaveLostArtists = true
            try TrackWriter.detach(track.id, now: now, database)
        }
    }

    /// Makes one track of two that are the same: the later one's file and tags, the former one's number.
    mutating func merge(_ new: TrackID, into former: TrackID, _ database: Database) throws(SQLiteError) {
        let columns = """
            file, start, end, sheet, title, sort, artist, album, album_title, is_compilation, disc, disc_total, \
            disc_subtitle, number, number_total, date, year, length, codec, bitrate, sample_rate, channels, \
            beats_per_minute, grouping, comment, isrc, track_gain, track_peak, album_gain, album_peak, identity, \
            musicbrainz_recording, musicbrainz_track, musicbrainz_release, musicbrainz_group, artwork, gone
            """
        if let album = try database.value("SELECT album FROM track WHERE id = ?", new, as: AlbumID?.self) ?? nil {
            touchedAlbums.insert(album)
        }
        mayHaveLostArtists = true
        try SearchIndex.refresh(track: new, isGone: true, database)
        try database.run(
            "UPDATE track SET (\(columns)) = (SELECT \(columns) FROM track WHERE id = ?2) WHERE id = ?1", former, new)
        try database.run("DELETE FROM track_artist WHERE track = ?", former)
        try database.run("UPDATE track_artist SET track = ? WHERE track = ?", former, new)
        try database.run("DELETE FROM track_genre WHERE track = ?", former)
        try database.run("UPDATE track_genre SET track = ? WHERE track = ?", former, new)
        try database.run("DELETE FROM track WHERE id = ?", new)
        try SearchIndex.refresh(track: former, database)
    }

    private static func detach(_ track: TrackID, now: UnixTime, _ database: Database) throws(SQLiteError) {
        try database.run("UPDATE track SET file = NULL, sheet = NULL, album = NULL, gone = ? WHERE id = ?", now, track)
        try SearchIndex.refresh(track: track, database)
    }
}

/// In which way an artist belongs to a track.
public enum ArtistRole: Int, Hashable, Sendable, CaseIterable {
    case artist = 0
    /// As tagged.
    case albumArtist = 1
    case composer = 2
    case lyricist = 3
}

/// Rows that are names: found by what tells them apart, or made.
///
/// A library has few of them and many uses of each: they are remembered, up to a bound.
struct NameTable {
    let table: String
    private var known: [String: Int64] = [:]
    private static let most = 20_000

    init(table: String) {
        self.table = table
    }

    mutating func forget() {
        known = [:]
    }

    mutating func id(
        of name: String, musicBrainz: String? = nil, in database: Database
    ) throws(SQLiteError) -> Int64 {
        // As it is written: folding costs more than looking up.
        if let id = known[name] { return id }
        let key = SortKey.identity(name)
        let isArtist = table == "artist"
        let id: Int64
        if let found = try database.value(
            isArtist ? "SELECT id FROM artist WHERE key = ?" : "SELECT id FROM genre WHERE key = ?", key,
            as: Int64.self)
        {
            id = found
            // It may have lost its tracks, and is about to have one again.
            if isArtist { try SearchIndex.refresh(artist: id, isThere: true, database) }
        } else {
            if isArtist {
                try database.run("INSERT INTO artist(name, key, sort) VALUES (?, ?, ?)", name, key, SortKey.name(name))
                id = database.lastInsertedRow
                try SearchIndex.refresh(artist: id, isThere: true, database)
            } else {
                try database.run("INSERT INTO genre(name, key) VALUES (?, ?)", name, key)
                id = database.lastInsertedRow
            }
        }
        if isArtist, let musicBrainz {
            try database.run("UPDATE artist SET musicbrainz = ? WHERE id = ? AND musicbrainz IS NULL", musicBrainz, id)
        }
        if known.count >= NameTable.most { known = [:] }
        known[name] = id
        return id
    }
}
