// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletDBus
internal import MartletLibrary

/// Covers of what is in the library.
extension Library1Interface {
    /// Files of an album that are looked into for a picture: who has none in so many has none.
    private static let filesOfAlbum = 12

    var art: [MethodEntry] {
        [
            cover("GetTrackArt", Argument("track", "t")) { me, reader, id in
                let tracks = try await reader.tracks([try me.track(id)])
                guard !tracks.isEmpty else { throw LibraryError.notFound }
                return tracks
            },
            cover("GetAlbumArt", Argument("album", "t")) { _, reader, id in
                let page = LibraryPage(offset: 0, limit: Library1Interface.filesOfAlbum)
                let tracks = try await reader.tracks(.album(id.id()), by: .album, page: page)
                guard !tracks.isEmpty else { throw LibraryError.notFound }
                return tracks
            },
        ]
    }

    private func cover(
        _ name: MemberName, _ what: Argument,
        _ tracks:
            @escaping @MainActor @Sendable (Library1Interface, LibraryReader, BusValue) async throws -> [TrackSummary]
    ) -> MethodEntry {
        method(name, [what, Argument("side", "u")], [Argument("uri", "s")]) { me, values in
            let side = try CoverDesk.side(values[1])
            let found = try await tracks(me, try await me.library.reader(), values[0])
            let uri = await me.covers.cover(of: found.compactMap { $0.uri?.filePath }, side: side)
            return [.string(uri?.description ?? "")]
        }
    }
}
