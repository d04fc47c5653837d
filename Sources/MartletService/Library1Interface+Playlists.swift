// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletDBus
internal import MartletLibrary
internal import MartletProtocol

/// Playlists: looked at, made and changed. What changes them is announced before the reply.
extension Library1Interface {
    private static let playlist = Argument("playlist", "t")

    private enum OrderWord: String, CaseIterable {
        case alphabetical, created, modified, played, user

        var order: PlaylistOrder {
            switch self {
            case .alphabetical: .alphabetical
            case .created: .created
            case .modified: .modified
            case .played: .played
            case .user: .user
            }
        }
    }

    var playlists: [MethodEntry] { looking + making + filling }

    private var looking: [MethodEntry] {
        [
            method(
                "GetPlaylists", [Argument("order", "s"), Argument("reversed", "b")] + Library1Interface.page,
                [Argument("total", "u"), Argument("playlists", "aa{sv}")]
            ) { me, values in
                let order: OrderWord = try me.word(values[0]) { tr("an order is one of {0}", $0) }
                let reader = try await me.library.reader()
                let lists = try await reader.playlists(
                    by: order.order, reversed: values[1].boolean!, page: Library1Interface.page(values[2], values[3]))
                var rows: [[(String, BusValue)]] = []
                for list in lists { rows.append(try await me.pairs(of: list, reader)) }
                return [.count(try await reader.playlistCount()), .rows(rows)]
            },
            method("GetPlaylist", [Library1Interface.playlist], [Argument("facts", "a{sv}")]) { me, values in
                let reader = try await me.library.reader()
                guard let list = try await reader.playlist(values[0].id()) else { throw LibraryError.notFound }
                return [.dict(try await me.pairs(of: list, reader))]
            },
            method(
                "GetPlaylistEntries", [Library1Interface.playlist] + Library1Interface.page,
                [Argument("total", "u"), Argument("entries", "aa{sv}")]
            ) { me, values in
                let reader = try await me.library.reader()
                guard let list = try await reader.playlist(values[0].id()) else { throw LibraryError.notFound }
                let page = Library1Interface.page(values[1], values[2])
                guard list.query == nil else {
                    let now = me.library.now()
                    let tracks = try await reader.tracks(ofSmart: list, now: now, page: page)
                    return [.count(try await reader.trackCount(ofSmart: list, now: now)), .rows(tracks.map(\.pairs))]
                }
                return [.count(list.count), .rows(try await reader.entries(of: list.id, page: page).map(\.pairs))]
            },
        ]
    }

    private func pairs(of list: PlaylistSummary, _ reader: LibraryReader) async throws -> [(String, BusValue)] {
        guard list.query != nil else { return list.pairs() }
        return list.pairs(count: try await reader.trackCount(ofSmart: list, now: library.now()))
    }

    private static let search = [Argument("query", "s"), Argument("order", "s"), Argument("limit", "u")]

    /// - Parameter limit: 0 for all.
    private func orderAndLimit(_ order: BusValue, _ limit: BusValue) throws -> (TrackOrder, Int?) {
        let word: TrackOrderWord = try word(order) { tr("an order is one of {0}", $0) }
        return (word.order, limit.uint32! == 0 ? nil : Int(limit.uint32!))
    }

    private var making: [MethodEntry] {
        [
            change(
                "CreatePlaylist",
                [Argument("name", "s"), Argument("description", "s"), Argument("refuses_duplicates", "b")],
                [Library1Interface.playlist]
            ) { store, values, now in
                let id = try await store.createPlaylist(
                    values[0].string!, description: values[1].string!, refusesDuplicates: values[2].boolean!, now: now)
                return [.id(id)]
            },
            method(
                "CreateSmartPlaylist", [Argument("name", "s")] + Library1Interface.search, [Library1Interface.playlist]
            ) { me, values in
                let (order, limit) = try me.orderAndLimit(values[2], values[3])
                let id = try await me.library.writer().createSmartPlaylist(
                    values[0].string!, query: values[1].string!, order: order, limit: limit, now: me.library.now())
                me.library.note(.playlists)
                return [.id(id)]
            },
            method("SetPlaylistQuery", [Library1Interface.playlist] + Library1Interface.search) { me, values in
                let (order, limit) = try me.orderAndLimit(values[2], values[3])
                try await me.library.writer().setQuery(
                    values[1].string!, order: order, limit: limit, of: values[0].id(), now: me.library.now())
                me.library.note(.playlists)
                return []
            },
            method("RenamePlaylist", [Library1Interface.playlist, Argument("name", "s")]) { me, values in
                let store = try await me.library.writer()
                // Its name is the program's, in the user's language.
                if try await me.library.reader().playlist(values[0].id())?.builtIn != nil {
                    throw LibraryError.conflict
                }
                try await store.renamePlaylist(values[0].id(), to: values[1].string!, now: me.library.now())
                me.library.note(.playlists)
                return []
            },
            change("DescribePlaylist", [Library1Interface.playlist, Argument("description", "s")]) {
                store, values, now in
                try await store.describePlaylist(values[0].id(), as: values[1].string!, now: now)
                return []
            },
            change("SetRefusesDuplicates", [Library1Interface.playlist, Argument("refuses", "b")]) {
                store, values, now in
                try await store.setRefusesDuplicates(values[1].boolean!, in: values[0].id(), now: now)
                return []
            },
            change("PlacePlaylist", [Library1Interface.playlist, Argument("place", "u")]) { store, values, _ in
                try await store.placePlaylist(values[0].id(), at: Int(values[1].uint32!))
                return []
            },
            change("DeletePlaylist", [Library1Interface.playlist]) { store, values, _ in
                try await store.deletePlaylist(values[0].id())
                return []
            },
        ]
    }

    private var filling: [MethodEntry] {
        let entries = [Argument("entries", "at")]
        let position = Argument("position", "i")
        return [
            method(
                "AddToPlaylist", [Library1Interface.playlist, Argument("tracks", "at"), position], entries
            ) { me, values in
                let tracks = try values[1].array!.map { PlaylistItem.track(try me.track($0)) }
                return try await me.add(tracks, values)
            },
            method(
                "AddURIsToPlaylist", [Library1Interface.playlist, Argument("uris", "as"), position], entries
            ) { me, values in
                let places = try values[1].strings!.map { text in
                    guard let uri = MediaURI(text) else {
                        throw BusError(.invalidArgs, tr("this is no URI: {0}", text))
                    }
                    return PlaylistItem.place(uri)
                }
                return try await me.add(places, values)
            },
            change("MoveInPlaylist", [Library1Interface.playlist] + entries + [Argument("position", "u")]) {
                store, values, now in
                try await store.move(values[1].ids(), in: values[0].id(), to: Int(values[2].uint32!), now: now)
                return []
            },
            change("RemoveFromPlaylist", [Library1Interface.playlist] + entries) { store, values, now in
                try await store.remove(values[1].ids(), from: values[0].id(), now: now)
                return []
            },
        ]
    }

    private func add(_ items: [PlaylistItem], _ values: [BusValue]) async throws -> [BusValue] {
        let position = values[2].int32!
        let store = try await library.writer()
        let made = try await store.add(
            items, to: values[0].id(), at: position < 0 ? nil : Int(position), now: library.now())
        library.note(.playlists)
        return [.ids(made)]
    }

    /// A method that changes playlists.
    private func change(
        _ name: MemberName, _ arguments: [Argument], _ out: [Argument] = [],
        _ body: @escaping @MainActor @Sendable (LibraryStore, [BusValue], UnixTime) async throws -> [BusValue]
    ) -> MethodEntry {
        method(name, arguments, out) { me, values in
            let answer = try await body(try await me.library.writer(), values, me.library.now())
            me.library.note(.playlists)
            return answer
        }
    }
}
