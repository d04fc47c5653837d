// SPDX-License-Identifier: Apache-2.0
internal import MartletSQLite

/// Brings the albums of folders into the tables.
extension TrackWriter {
    /// Groups the tracks that lie in a folder.
    mutating func group(_ folder: FolderID, in database: Database) throws(SQLiteError) {
        guard let (root, path) = try TrackWriter.place(of: folder, database) else { return }
        let tracks = try TrackWriter.tracks(in: folder, database)
        for album in AlbumGrouping(root: root, folder: path).albums(tracks.map(\.track)) {
            let id = try write(album, database)
            let current = Dictionary(uniqueKeysWithValues: tracks.map { ($0.track.id, $0.album) })
            for track in album.tracks where current[track] != id {
                if let former = current[track] ?? nil { touchedAlbums.insert(former) }
                try database.run("UPDATE track SET album = ? WHERE id = ?", id, track)
            }
            touchedAlbums.insert(id)
        }
    }

    /// Counts anew what may have gained or lost tracks; an album without any goes.
    mutating func countTouchedAlbums(in database: Database) throws(SQLiteError) {
        for album in touchedAlbums {
            try database.run(
                """
                UPDATE album SET (track_count, disc_count, length, added, year, date, musicbrainz_group) = (
                    SELECT count(*), count(DISTINCT ifnull(disc, 1)), ifnull(sum(length), 0), ifnull(max(added), 0),
                        min(year), min(date), min(musicbrainz_group)
                    FROM track WHERE album = ?1) WHERE id = ?1
                """, album)
            try SearchIndex.refresh(album: album, database)
            try database.run(
                "DELETE FROM album WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM track WHERE album = ?1)", album)
        }
        touchedAlbums = []
    }

    private mutating func write(_ album: AlbumGrouping.Album, _ database: Database) throws(SQLiteError) -> AlbumID {
        let credit = ScannedTrack.credit(album.artists)
        let release = album.key.hasPrefix("release ") ? String(album.key.dropFirst(8)) : nil
        let known = try database.value("SELECT id FROM album WHERE key = ?", album.key, as: AlbumID.self)
        if let known {
            let isSame = try database.value(
                "SELECT 1 FROM album WHERE id = ? AND title = ? AND artist = ? AND is_compilation = ?", known,
                album.title, credit, album.isCompilation, as: Int.self)
            if isSame != nil { return known }
        }
        let artistSort = album.artists.first.map(SortKey.name) ?? []
        if known == nil {
            try database.run(
                "INSERT INTO album(title, key, sort, artist, artist_sort) VALUES ('', ?, x'', '', x'')", album.key)
        }
        let id = known ?? AlbumID(rawValue: database.lastInsertedRow)
        try database.run(
            """
            UPDATE album SET title = ?, sort = ?, artist = ?, artist_sort = ?, is_compilation = ?,
                musicbrainz_release = ? WHERE id = ?
            """, album.title, SortKey.name(album.title), credit, artistSort, album.isCompilation, release, id)
        if known != nil { try database.run("DELETE FROM album_artist WHERE album = ?", id) }
        var seen: Set<Int64> = []
        for (position, name) in album.artists.enumerated() {
            let artist = try artist(named: name, in: database)
            guard seen.insert(artist).inserted else { continue }
            try database.run("INSERT INTO album_artist VALUES (?, ?, ?)", id, position, artist)
        }
        return id
    }

    // MARK: Reading

    private static func place(
        of folder: FolderID, _ database: Database
    ) throws(SQLiteError) -> (root: RootID, path: [UInt8])? {
        var place: (RootID, [UInt8])?
        try database.forEach("SELECT root, path FROM folder WHERE id = ?", folder) { row throws(SQLiteError) in
            place = (try row.column(0), try row.column(1))
        }
        return place
    }

    private static func tracks(
        in folder: FolderID, _ database: Database
    ) throws(SQLiteError) -> [(track: AlbumGrouping.Track, album: AlbumID?)] {
        var tracks: [(track: AlbumGrouping.Track, album: AlbumID?)] = []
        var places: [TrackID: Int] = [:]
        try database.forEach(
            """
            SELECT track.id, album_title, is_compilation, disc, number, musicbrainz_release, album
            FROM file JOIN track ON track.file = file.id WHERE file.folder = ? AND album_title IS NOT NULL
            ORDER BY file.name, track.start
            """, folder
        ) { row throws(SQLiteError) in
            let id: TrackID = try row.column(0)
            places[id] = tracks.count
            tracks.append(
                (
                    AlbumGrouping.Track(
                        id: id, title: try row.column(1), artists: [], albumArtists: [],
                        isCompilation: try row.column(2), disc: try row.column(3), number: try row.column(4),
                        release: try row.column(5)), try row.column(6)
                ))
        }
        guard !tracks.isEmpty else { return [] }
        try database.forEach(
            """
            SELECT track.id, track_artist.role, artist.name FROM file JOIN track ON track.file = file.id
            JOIN track_artist ON track_artist.track = track.id AND track_artist.role < 2
            JOIN artist ON artist.id = track_artist.artist WHERE file.folder = ?
            ORDER BY track.id, track_artist.role, track_artist.position
            """, folder
        ) { row throws(SQLiteError) in
            guard let place = places[try row.column(0, as: TrackID.self)] else { return }
            if try row.column(1, as: Int.self) == ArtistRole.artist.rawValue {
                tracks[place].track.artists.append(try row.column(2))
            } else {
                tracks[place].track.albumArtists.append(try row.column(2))
            }
        }
        return tracks
    }
}
