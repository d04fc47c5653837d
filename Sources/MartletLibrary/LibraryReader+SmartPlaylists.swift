// SPDX-License-Identifier: Apache-2.0

/// What a smart playlist holds at the moment.
///
/// The one place that answers a query of one. It knows those of the built-in lists by themselves; where the search language
/// is understood, it takes over here.
extension LibraryReader {
    /// The tracks a smart playlist finds.
    ///
    /// - Throws: ``LibraryError/invalid(_:)`` for a query that is not understood.
    public func tracks(
        ofSmart list: PlaylistSummary, now: UnixTime, page: LibraryPage = .all
    ) throws(LibraryError) -> [TrackSummary] {
        var page = page
        if let limit = list.queryLimit { page.limit = min(page.limit, max(0, limit - page.offset)) }
        return try tracks(
            try LibraryReader.selection(of: list, now), by: list.queryOrder ?? .title, page: page)
    }

    public func trackCount(ofSmart list: PlaylistSummary, now: UnixTime) throws(LibraryError) -> Int {
        let count = try trackCount(try LibraryReader.selection(of: list, now))
        return list.queryLimit.map { min(count, $0) } ?? count
    }

    private static func selection(of list: PlaylistSummary, _ now: UnixTime) throws(LibraryError) -> TrackSelection {
        switch list.query {
        case "liked": return .liked
        case "added:<30d": return .added(since: now - .seconds(30 * 86_400))
        default: throw .invalid("This search is not understood.")
        }
    }
}
