// SPDX-License-Identifier: Apache-2.0
internal import MartletSQLite

/// What the user makes of tracks. It hangs on the track, wherever its file goes.
extension LibraryStore {
    /// Likes a track, or takes it back; liking again keeps the first date.
    public func setLiked(_ isLiked: Bool, track: TrackID, now: UnixTime) throws(LibraryError) {
        try personal(track) { database throws(SQLiteError) in
            if isLiked {
                try database.run("UPDATE personal SET liked = ifnull(liked, ?2) WHERE track = ?1", track, now)
            } else {
                try database.run("UPDATE personal SET liked = NULL WHERE track = ?", track)
            }
        }
    }

    /// Rates a track.
    ///
    /// - Parameter rating: 0 to 100, or `nil` for no rating at all.
    public func setRating(_ rating: Int?, track: TrackID) throws(LibraryError) {
        if let rating, !(0...100).contains(rating) {
            throw .invalid("A rating is a number from 0 to 100, not \(rating).")
        }
        try personal(track) { database throws(SQLiteError) in
            try database.run("UPDATE personal SET rating = ?2 WHERE track = ?1", track, rating)
        }
    }

    /// Counts a play. When one counts is for the caller to say: at half of the track or after four minutes.
    ///
    /// - Parameters:
    ///   - heard: How much of it.
    ///   - at: When it began.
    public func recordPlay(of track: TrackID, heard: Duration, at: UnixTime) throws(LibraryError) {
        try personal(track) { database throws(SQLiteError) in
            try database.run(
                """
                UPDATE personal SET plays = plays + 1, first_played = min(ifnull(first_played, ?2), ?2),
                    last_played = max(ifnull(last_played, ?2), ?2) WHERE track = ?1
                """, track, at)
            try database.run(
                "INSERT INTO play(track, at, heard) VALUES (?, ?, ?)", track, at, Nanoseconds(heard))
        }
    }

    /// Counts that a track was passed over.
    public func recordSkip(of track: TrackID, heard: Duration, at: UnixTime) throws(LibraryError) {
        try personal(track) { database throws(SQLiteError) in
            try database.run(
                """
                UPDATE personal SET skips = skips + 1, last_skipped = max(ifnull(last_skipped, ?2), ?2)
                WHERE track = ?1
                """, track, at)
            try database.run(
                "INSERT INTO play(track, at, heard, is_skip) VALUES (?, ?, ?, 1)", track, at, Nanoseconds(heard))
        }
    }

    /// Forgets when what was played; counts and dates of first and last plays stay.
    public func clearHistory() throws(LibraryError) {
        try writingPersonal { database throws(SQLiteError) in try database.run("DELETE FROM play") }
    }

    private func personal(_ track: TrackID, _ body: (Database) throws(SQLiteError) -> Void) throws(LibraryError) {
        try checkTrack(track)
        try writingPersonal { database throws(SQLiteError) in
            try database.run("INSERT OR IGNORE INTO personal(track) VALUES (?)", track)
            try body(database)
            try SearchIndex.refreshRanks(of: track, database)
        }
    }

    private func checkTrack(_ track: TrackID) throws(LibraryError) {
        let found = try reading { database throws(SQLiteError) in
            try database.value("SELECT 1 FROM track WHERE id = ?", track, as: Int.self)
        }
        guard found != nil else { throw .notFound }
    }

    // MARK: Bookmarks

    /// Remembers a place in a track.
    public func addBookmark(
        _ position: Duration, in track: TrackID, label: String? = nil, now: UnixTime
    ) throws(LibraryError) -> BookmarkID {
        guard position >= .zero else { throw .invalid("A bookmark lies at or after the beginning of the track.") }
        try checkTrack(track)
        return try writingPersonal { database throws(SQLiteError) in
            try database.run(
                "INSERT INTO bookmark(track, position, label, created) VALUES (?, ?, ?, ?)", track,
                Nanoseconds(position), label, now)
            return BookmarkID(rawValue: database.lastInsertedRow)
        }
    }

    public func removeBookmark(_ id: BookmarkID) throws(LibraryError) {
        let count = try writingPersonal { database throws(SQLiteError) in
            try database.run("DELETE FROM bookmark WHERE id = ?", id)
            return database.changeCount
        }
        if count == 0 { throw .notFound }
    }

    // MARK: Searches

    /// How many searches are remembered.
    public static let mostRecentSearches = 10

    /// Remembers a search; one that was made before comes to the front. White space at the ends does not count, and a
    /// search for nothing is none.
    public func recordSearch(_ text: String, at: UnixTime) throws(LibraryError) {
        let words = text.split(omittingEmptySubsequences: true, whereSeparator: \.isWhitespace)
        guard let first = words.first, let last = words.last else { return }
        let trimmed = String(text[first.startIndex..<last.endIndex])
        try writingPersonal { database throws(SQLiteError) in
            try database.run("DELETE FROM recent_search WHERE text = ?", trimmed)
            try database.run("INSERT INTO recent_search(text, at) VALUES (?, ?)", trimmed, at)
            try database.run(
                "DELETE FROM recent_search WHERE id NOT IN (SELECT id FROM recent_search ORDER BY id DESC LIMIT ?)",
                LibraryStore.mostRecentSearches)
        }
    }

    public func forgetSearch(_ text: String) throws(LibraryError) {
        try writingPersonal { database throws(SQLiteError) in
            try database.run("DELETE FROM recent_search WHERE text = ?", text)
        }
    }

    public func forgetSearches() throws(LibraryError) {
        try writingPersonal { database throws(SQLiteError) in try database.run("DELETE FROM recent_search") }
    }
}
