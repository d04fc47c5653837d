// SPDX-License-Identifier: Apache-2.0
internal import MartletSQLite

/// What a smart playlist holds at the moment: what its search finds, in an order, up to a limit.
extension LibraryReader {
    /// Tracks a smart playlist has at most.
    static let mostSmart = 100_000

    /// The tracks a smart playlist finds.
    public func tracks(
        ofSmart list: PlaylistSummary, now: UnixTime, page: LibraryPage = .all
    ) throws(LibraryError) -> [TrackSummary] {
        var page = page
        if let limit = list.queryLimit { page.limit = min(page.limit, max(0, limit - page.offset)) }
        let order = list.queryOrder ?? .title
        if let selection = LibraryReader.plainSelection(of: list, now) {
            return try tracks(selection, by: order, page: page)
        }
        return try reading { database throws(SQLiteError) in
            let found = try LibraryReader.found(list, now, database)
            var result: [TrackSummary] = []
            // The numbers go in as one text: a list of any length is one statement then.
            try database.forEach(
                """
                SELECT \(TrackSummary.columns) FROM (
                    SELECT track.id FROM json_each(?1) AS found JOIN track ON track.id = found.value
                    \(order.joins) WHERE track.file IS NOT NULL ORDER BY \(order.terms) LIMIT ?2 OFFSET ?3) AS page
                JOIN track ON track.id = page.id \(order.albumJoin) \(TrackSummary.joins) ORDER BY \(order.terms)
                """, "[\(found.map(String.init).joined(separator: ","))]", page.limit, page.offset
            ) { row throws(SQLiteError) in result.append(try TrackSummary(row)) }
            return result
        }
    }

    public func trackCount(ofSmart list: PlaylistSummary, now: UnixTime) throws(LibraryError) -> Int {
        let count: Int
        if let selection = LibraryReader.plainSelection(of: list, now) {
            count = try trackCount(selection)
        } else {
            count = try reading { database throws(SQLiteError) in try LibraryReader.found(list, now, database).count }
        }
        return list.queryLimit.map { min(count, $0) } ?? count
    }

    private static func found(
        _ list: PlaylistSummary, _ now: UnixTime, _ database: Database
    ) throws(SQLiteError) -> [Int64] {
        var found: [Int64] = []
        let index = SearchIndex.tracks
        try SearchPlan(SearchQuery(list.query ?? ""), in: index).run(on: index, after: nil, now: now, database) {
            key throws(SQLiteError) in
            found.append(SearchIndex.id(of: key))
            return found.count < mostSmart
        }
        return found
    }

    /// Where the tables answer by themselves: the two lists that always exist are asked for often.
    private static func plainSelection(of list: PlaylistSummary, _ now: UnixTime) -> TrackSelection? {
        switch list.query {
        case "liked": .liked
        case "added:<30d": .added(since: now - .seconds(30 * 86_400))
        default: nil
        }
    }
}
