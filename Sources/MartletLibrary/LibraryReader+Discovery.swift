// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletCore
internal import MartletSQLite

/// What to hear when nobody has a wish.
extension LibraryReader {
    /// The surprise of a day: the same one whenever the day is asked for, another one than the day before and the day after.
    ///
    /// Drawn from the liked, the well rated and the long unheard above others, as they were when the day began: what is
    /// heard or liked during the day does not change its own surprise.
    ///
    /// - Parameters:
    ///   - day: Days since 1970 of the calendar on the wall.
    ///   - start: When it began.
    /// - Returns: `nil` for a library without tracks.
    public func todaysPick(day: Int, start: UnixTime) throws(LibraryError) -> TrackSummary? {
        let id: TrackID? = try reading { database throws(SQLiteError) in
            var chance = SplitMix64(seed: UInt64(bitPattern: Int64(day)))
            let candidates = try Candidates(day: day, start, &chance, database).tracks
            var best: (key: Double, track: TrackID)?
            for track in candidates {
                let weight = try LibraryReader.weight(of: track, before: start, database)
                // The least of -log(u)/weight is drawn with a chance in proportion to its weight (Efraimidis, Spirakis:
                // "Weighted random sampling with a reservoir", 2006). Each track has a u of its own, so that one that
                // comes or goes does not change what the others have.
                var own = SplitMix64(seed: chance.state ^ (UInt64(bitPattern: track.rawValue) &* 0x9E37_79B9_7F4A_7C15))
                let key = -log(Double.random(in: .leastNonzeroMagnitude..<1, using: &own)) / Double(weight)
                if key < best?.key ?? .infinity { best = (key, track) }
            }
            return best?.track
        }
        return try id.flatMap { id throws(LibraryError) in try tracks([id]).first }
    }

    /// How welcome a track is: 1 and more.
    private static func weight(
        of track: TrackID, before start: UnixTime, _ database: Database
    ) throws(SQLiteError) -> Int {
        var weight = 1
        var isRecent = false
        try database.forEach(
            """
            SELECT ifnull(liked < ?2, 0), ifnull(rating, 0),
                (SELECT max(at) FROM play WHERE play.track = personal.track AND at < ?2 AND is_skip = 0),
                iif(last_played < ?2, last_played, NULL) FROM personal WHERE track = ?1
            """, track, start
        ) { row throws(SQLiteError) in
            if try row.column(0, as: Bool.self) { weight += 6 }
            weight += try row.column(1, as: Int.self) / 25
            let played = try row.column(2, as: UnixTime?.self)
            let playedLast = try row.column(3, as: UnixTime?.self)
            if let heard = played ?? playedLast {
                let days = (start.seconds - heard.seconds) / 86_400
                isRecent = days < 14
                weight += Int(min(days / 30, 12))
            }
        }
        return isRecent ? 1 : weight
    }

    /// An album by chance.
    ///
    /// - Parameter chance: Any number, evenly drawn.
    /// - Returns: `nil` for a library without albums.
    public func randomAlbum(_ chance: UInt64) throws(LibraryError) -> AlbumSummary? {
        let count = try albumCount(.all)
        guard count > 0 else { return nil }
        let index = Int(chance % UInt64(count))
        return try albums(.all, by: .newest, page: LibraryPage(offset: index, limit: 1)).first
    }

    /// Tracks by chance, none twice, whose files can be reached; fewer where there are not so many.
    ///
    /// - Parameter chances: Any numbers, evenly drawn: one for each track.
    public func randomTracks(_ chances: [UInt64]) throws(LibraryError) -> [TrackSummary] {
        let ids: [TrackID] = try reading { database throws(SQLiteError) in
            let highest = try database.value("SELECT ifnull(max(id), 0) FROM track", as: Int64.self) ?? 0
            guard highest > 0 else { return [] }
            // Numbers have gaps: the next one is taken, or, behind the last, the first.
            let next = try database.prepare(
                "SELECT id FROM track WHERE id >= ? AND file IS NOT NULL ORDER BY id LIMIT 1")
            var ids: [TrackID] = []
            var seen: Set<TrackID> = []
            for chance in chances {
                var found: TrackID?
                for start in [Int64(chance % UInt64(highest)) + 1, 1] where found == nil {
                    try next.forEach(start) { row throws(SQLiteError) in found = try row.column(0) }
                }
                if let found, seen.insert(found).inserted { ids.append(found) }
            }
            return ids
        }
        return try tracks(ids).filter(\.isAvailable)
    }

    /// Tracks like one, from what the tags say: of the same artists, of its genres, of about its year.
    ///
    /// What has more in common comes first; of equals what is played more. The track itself is not among them.
    /// - Throws: ``LibraryError/notFound`` for a track that is not there.
    public func similar(to track: TrackID, limit: Int) throws(LibraryError) -> [TrackSummary] {
        let ids: [TrackID]? = try reading { database throws(SQLiteError) in
            guard try database.value("SELECT 1 FROM track WHERE id = ?", track, as: Int.self) != nil else { return nil }
            var ids: [TrackID] = []
            // Of each kind the first thousand: a genre can be half of the library.
            try database.forEach(
                """
                WITH likeness(id, points) AS (
                    SELECT * FROM (SELECT other.track, 4 FROM track_artist AS one
                        JOIN track_artist AS other ON other.artist = one.artist AND other.role < 2
                        WHERE one.track = ?1 AND one.role = 0 LIMIT 1000)
                    UNION ALL SELECT * FROM (SELECT other.track, 2 FROM track_genre AS one
                        JOIN track_genre AS other ON other.genre = one.genre WHERE one.track = ?1 LIMIT 1000)
                    UNION ALL SELECT * FROM (SELECT other.id, 1 FROM track AS one
                        JOIN track AS other ON other.year BETWEEN one.year - 1 AND one.year + 1
                        WHERE one.id = ?1 AND other.file IS NOT NULL LIMIT 1000))
                SELECT track.id FROM likeness JOIN track ON track.id = likeness.id
                    LEFT JOIN personal ON personal.track = track.id
                WHERE track.file IS NOT NULL AND track.id <> ?1
                GROUP BY track.id ORDER BY sum(likeness.points) DESC, ifnull(personal.plays, 0) DESC, track.id LIMIT ?2
                """, track, limit
            ) { row throws(SQLiteError) in ids.append(try row.column(0)) }
            return ids
        }
        guard let ids else { throw .notFound }
        return try tracks(ids)
    }
}

/// Tracks among which a day's surprise is drawn.
///
/// Days take turns between two halves of the library, by which two days running have nothing in common: nobody has to
/// remember what yesterday brought.
private struct Candidates {
    private(set) var tracks: [TrackID] = []

    /// At most, and below which all are taken.
    private static let most = 200

    init(
        day: Int, _ start: UnixTime, _ chance: inout SplitMix64, _ database: Database
    ) throws(SQLiteError) {
        let half = day & 1
        var first: [TrackID] = []
        try database.forEach(
            "SELECT id FROM track WHERE file IS NOT NULL ORDER BY id LIMIT ?", Candidates.most + 1
        ) { row throws(SQLiteError) in first.append(try row.column(0)) }
        if first.count <= Candidates.most {
            tracks = first.enumerated().filter { $0.offset & 1 == half || first.count == 1 }.map(\.element)
            return
        }
        let last = try database.value("SELECT max(id) FROM track", as: Int64.self) ?? 0
        let likes = try database.value("SELECT count(*) FROM personal WHERE liked < ?", start, as: Int.self) ?? 0
        var found: Set<TrackID> = []
        for _ in 0..<Candidates.most / 2 {
            try take(
                "SELECT id FROM track WHERE id >= ?1 AND id & 1 = ?2 AND file IS NOT NULL ORDER BY id LIMIT 1",
                Int64.random(in: 0...last, using: &chance), half, &found, database)
        }
        for _ in 0..<min(likes, Candidates.most / 4) {
            try take(
                """
                SELECT track.id FROM (SELECT track AS id FROM personal WHERE liked IS NOT NULL
                    ORDER BY liked, track LIMIT 1 OFFSET ?1) AS one
                JOIN track ON track.id = one.id WHERE track.id & 1 = ?2 AND file IS NOT NULL
                """, Int64.random(in: 0..<Int64(likes), using: &chance), half, &found, database)
        }
        // Numbers of one parity only: the halves are those of a small library.
        tracks = found.isEmpty ? first.enumerated().filter { $0.offset & 1 == half }.map(\.element) : found.sorted()
    }

    private func take(
        _ sql: String, _ number: Int64, _ half: Int, _ found: inout Set<TrackID>, _ database: Database
    ) throws(SQLiteError) {
        if let id = try database.value(sql, number, half, as: TrackID.self) { found.insert(id) }
    }
}
