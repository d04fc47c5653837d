// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus
internal import MartletLibrary
internal import MartletProtocol

/// Search as one types, and what was searched last.
extension Library1Interface {
    private enum GroupWord: String, CaseIterable {
        case tracks, albums, artists
    }

    private static func group(_ name: String) -> Argument { Argument(name, "(ubxaa{sv})") }

    private static let query = Argument("query", "s")

    var searching: [MethodEntry] {
        [
            method(
                "Search", [Library1Interface.query, Argument("limit", "u")],
                ["tracks", "albums", "artists", "playlists"].map(Library1Interface.group)
            ) { me, values, sender in
                let query = SearchQuery(values[0].string!)
                let limit = min(Int(values[1].uint32!), Library1Interface.pageLimit)
                let now = me.library.now()
                let found = try await me.searches.search(for: sender) { reader throws(LibraryError) in
                    try await reader.search(query, limit: limit, now: now)
                }
                return [
                    found.tracks.value(\.pairs), found.albums.value(\.pairs), found.artists.value(\.pairs),
                    found.playlists.value { $0.pairs() },
                ]
            },
            method(
                "SearchMore",
                [Argument("group", "s"), Library1Interface.query, Argument("after", "x"), Argument("limit", "u")],
                [Argument("next", "x"), Argument("rows", "aa{sv}")]
            ) { me, values, sender in
                let word: GroupWord = try me.word(values[0]) { tr("what is searched further is one of {0}", $0) }
                let query = SearchQuery(values[1].string!)
                let after = values[2].int64! < 0 ? nil : SearchCursor(rawValue: values[2].int64!)
                let limit = min(Int(values[3].uint32!), Library1Interface.pageLimit)
                let now = me.library.now()
                return try await me.searches.search(for: sender) { reader throws(LibraryError) in
                    switch word {
                    case .tracks:
                        try await reader.searchTracks(query, after: after, limit: limit, now: now).page(\.pairs)
                    case .albums:
                        try await reader.searchAlbums(query, after: after, limit: limit, now: now).page(\.pairs)
                    case .artists:
                        try await reader.searchArtists(query, after: after, limit: limit, now: now).page(\.pairs)
                    }
                }
            },
            method("GetRecentSearches", [], [Argument("searches", "as")]) { me, _ in
                [.strings(try await me.library.reader().recentSearches())]
            },
            method("NoteSearch", [Library1Interface.query]) { me, values in
                try await me.library.writer().recordSearch(values[0].string!, at: me.library.now())
                return []
            },
            method("ForgetSearch", [Library1Interface.query]) { me, values in
                try await me.library.writer().forgetSearch(values[0].string!)
                return []
            },
            method("ForgetSearches") { me, _ in
                try await me.library.writer().forgetSearches()
                return []
            },
        ]
    }
}

extension SearchGroup {
    /// `(ubxaa{sv})`: how many, whether there are more than that, where the next page begins or -1, the first rows.
    fileprivate func value(_ pairs: (Item) -> [(String, BusValue)]) -> BusValue {
        .structure([
            .count(count ?? items.count), .boolean(isMore), .int64(next?.rawValue ?? -1), .rows(items.map(pairs)),
        ])
    }

    /// `x` and `aa{sv}`: where the next page begins or -1, the rows.
    fileprivate func page(_ pairs: (Item) -> [(String, BusValue)]) -> [BusValue] {
        [.int64(next?.rawValue ?? -1), .rows(items.map(pairs))]
    }
}
