// SPDX-License-Identifier: Apache-2.0
internal import MartletSQLite

/// How long the lists are, of which ``LibraryReader`` gives pages.
extension LibraryReader {
    public func trackCount(_ selection: TrackSelection) throws(LibraryError) -> Int {
        try count("track WHERE track.file IS NOT NULL AND \(selection.condition)", selection.value)
    }

    public func albumCount(_ selection: AlbumSelection) throws(LibraryError) -> Int {
        try count("album WHERE album.track_count > 0 AND \(selection.condition)", selection.value)
    }

    public func artistCount(onlyAlbumArtists: Bool) throws(LibraryError) -> Int {
        try count("artist AS one WHERE ?1 IS NULL AND \(ArtistSummary.condition(onlyAlbumArtists))")
    }

    public func genreCount() throws(LibraryError) -> Int {
        try count("genre WHERE ?1 IS NULL AND \(GenreSummary.condition)")
    }

    public func failureCount() throws(LibraryError) -> Int {
        try count("file WHERE ?1 IS NULL AND state = 2")
    }

    public func historyCount() throws(LibraryError) -> Int {
        try count("play WHERE ?1 IS NULL")
    }

    public func playlistCount() throws(LibraryError) -> Int {
        try count("playlist WHERE ?1 IS NULL")
    }

    private func count(_ rows: String, _ value: Int64? = nil) throws(LibraryError) -> Int {
        try reading { database throws(SQLiteError) in
            try database.value("SELECT count(*) FROM \(rows)", value, as: Int.self) ?? 0
        }
    }
}
