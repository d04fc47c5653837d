// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletDBus
internal import MartletLibrary
internal import MartletProtocol

/// What the listener makes of tracks: likes, ratings, history, bookmarks. A track of 0 is the one the current entry plays.
extension Library1Interface {
    private static let tracks = Argument("tracks", "at")

    var listening: [MethodEntry] {
        [
            mark("Like", []) { _ in { store, track, now in try await store.setLiked(true, track: track, now: now) } },
            mark("Unlike", []) { _ in { store, track, now in try await store.setLiked(false, track: track, now: now) }
            },
            mark("Rate", [Argument("rating", "i")]) { values in
                let rating = values[1].int32!
                guard (-1...100).contains(rating) else {
                    throw BusError(.invalidArgs, tr("a rating is a number from 0 to 100, or -1 for none"))
                }
                return { store, track, _ in try await store.setRating(rating < 0 ? nil : Int(rating), track: track) }
            },
            method(
                "GetHistory", Library1Interface.page, [Argument("total", "u"), Argument("tracks", "aa{sv}")]
            ) { me, values in
                let reader = try await me.library.reader()
                let plays = try await reader.history(page: Library1Interface.page(values[0], values[1]))
                // A track that was played twice is read once.
                let tracks = Dictionary(
                    try await reader.tracks(Array(Set(plays.map(\.track)))).map { ($0.id, $0.pairs) }
                ) { first, _ in first }
                let rows = plays.map { play -> [(String, BusValue)] in
                    (tracks[play.track] ?? [("id", .id(play.track))]) + [
                        ("at", .int64(play.at.seconds)), ("heard", .int64(play.heard.microseconds)),
                        ("skipped", .boolean(play.isSkip)),
                    ]
                }
                return [.count(try await reader.historyCount()), .rows(rows)]
            },
            method("ClearHistory") { me, _ in
                try await me.library.writer().clearHistory()
                return []
            },
        ] + bookmarks
    }

    private typealias Marking =
        @MainActor @Sendable (LibraryStore, MartletLibrary.TrackID, UnixTime) async throws -> Void

    /// A method that does something with each of some tracks, all of which have to be there.
    ///
    /// - Parameter make: Looks at the arguments first, so that nothing is done by a call that is refused.
    private func mark(
        _ name: MemberName, _ more: [Argument], _ make: @escaping @MainActor @Sendable ([BusValue]) throws -> Marking
    ) -> MethodEntry {
        method(name, [Library1Interface.tracks] + more) { me, values in
            let marking = try make(values)
            let tracks = try await me.tracks(values[0])
            let store = try await me.library.writer()
            let now = me.library.now()
            for track in tracks { try await marking(store, track, now) }
            me.library.note(.tracks(tracks))
            // Metadata has it before the caller has the reply.
            await me.book.settle()
            return []
        }
    }

    private var bookmarks: [MethodEntry] {
        [
            method(
                "GetBookmarks", [Argument("track", "t")], [Argument("bookmarks", "a(ttxsx)")]
            ) { me, values in
                let bookmarks = try await me.library.reader().bookmarks(of: try me.track(values[0]))
                let rows = bookmarks.map { bookmark in
                    BusValue.structure([
                        .id(bookmark.id), .id(bookmark.track), .int64(bookmark.position.microseconds),
                        .string(bookmark.label ?? ""), .int64(bookmark.created.seconds),
                    ])
                }
                return [.array(rows, of: "(ttxsx)")]
            },
            method(
                "AddBookmark", [Argument("track", "t"), Argument("position", "x"), Argument("label", "s")],
                [Argument("bookmark", "t")]
            ) { me, values in
                let label = values[2].string!
                let track = try me.track(values[0])
                let bookmark = try await me.library.writer().addBookmark(
                    .microseconds(values[1].int64!), in: track, label: label.isEmpty ? nil : label,
                    now: me.library.now())
                me.library.note(.tracks([track]))
                return [.id(bookmark)]
            },
            method("RemoveBookmark", [Argument("bookmark", "t")]) { me, values in
                try await me.library.writer().removeBookmark(values[0].id())
                return []
            },
        ]
    }
}
