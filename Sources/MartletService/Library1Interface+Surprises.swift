// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletDBus
internal import MartletLibrary
internal import MartletProtocol

/// What to hear, and hearing it.
extension Library1Interface {
    var surprises: [MethodEntry] {
        [
            method("GetTodaysPick", [Argument("date", "s")], [Argument("track", "a{sv}")]) { me, values in
                let text = values[0].string!
                guard let day = text.isEmpty ? CalendarDay(at: me.library.now()) : CalendarDay(text) else {
                    throw BusError(.invalidArgs, tr("a date is written as 2026-12-31"))
                }
                let pick = try await me.library.reader().todaysPick(day: day.number, start: day.start)
                guard let pick else { throw LibraryError.notFound }
                return [.dict(pick.pairs)]
            },
            method("GetRandomAlbum", [], [Argument("album", "a{sv}")]) { me, _ in
                let album = try await me.library.reader().randomAlbum(.random(in: 0 ... .max))
                guard let album else { throw LibraryError.notFound }
                return [.dict(album.pairs)]
            },
            method(
                "GetSimilar", [Argument("track", "t"), Argument("limit", "u")], [Argument("tracks", "aa{sv}")]
            ) { me, values in
                let limit = min(Int(values[1].uint32!), Library1Interface.pageLimit)
                let tracks = try await me.library.reader().similar(to: try me.track(values[0]), limit: limit)
                return [.rows(tracks.map(\.pairs))]
            },
            play("PlayTracks", Argument("tracks", "at")) { me, value, mode in
                try await me.playing.play(try await me.tracks(value), mode)
            },
            play("PlayAlbum", Argument("album", "t")) { me, value, mode in
                try await me.playing.play(album: value.id(), mode)
            },
            play("PlayPlaylist", Argument("playlist", "t")) { me, value, mode in
                try await me.playing.play(playlist: value.id(), mode)
            },
        ]
    }

    private func play(
        _ name: MemberName, _ what: Argument,
        _ body: @escaping @MainActor @Sendable (Library1Interface, BusValue, OpenMode) async throws -> [EntryID]
    ) -> MethodEntry {
        method(name, [what, Argument("mode", "s")], [Argument("entries", "at")]) { me, values in
            let mode: OpenMode = try me.word(values[1]) { tr("a mode is one of {0}", $0) }
            return [.entries(try await body(me, values[0], mode))]
        }
    }
}
