// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus

extension NowPlayingSession {
    static let playlistsInterface: InterfaceName = "org.mpris.MediaPlayer2.Playlists"

    /// `org.mpris.MediaPlayer2.Playlists`: contract §5.
    func playlistsTable(_ playlists: NowPlayingPlaylists) -> InterfaceTable {
        func told(_ name: MemberName, _ type: StaticString, _ index: Int) -> PropertyEntry {
            PropertyEntry(name, type, get: { [weak self] in self?.playlistsSnapshot?.rows[index].1 })
        }
        return InterfaceTable(
            name: NowPlayingSession.playlistsInterface,
            methods: [
                MethodEntry("ActivatePlaylist", in: [Argument("PlaylistId", "o")]) { call throws(BusReplyError) in
                    let event = ActivatePlaylistEvent(id: call.arguments[0].objectPath!)
                    return try MPRISAnswers.send(playlists.activate, event, for: call)
                },
                MethodEntry(
                    "GetPlaylists",
                    in: [
                        Argument("Index", "u"), Argument("MaxCount", "u"), Argument("Order", "s"),
                        Argument("ReverseOrder", "b"),
                    ], out: [Argument("Playlists", "a(oss)")]
                ) { call throws(BusReplyError) in
                    let word = call.arguments[2].string!
                    guard let asked = PlaylistOrdering(rawValue: word) else {
                        let words = PlaylistOrdering.allCases.map(\.rawValue).joined(separator: ", ")
                        throw BusReplyError(name: .invalidArgs, message: "an order is one of \(words), not \(word)")
                    }
                    let offered = playlists.source?.orderings ?? []
                    // D12: a legal word that is not offered falls back to the first that is.
                    let ordering = offered.contains(asked) ? asked : offered.first ?? asked
                    let page = playlists.source?.playlists(
                        from: Int(call.arguments[0].uint32!), count: Int(call.arguments[1].uint32!),
                        ordering: ordering, reversed: call.arguments[3].boolean!)
                    let type = BusType.structure([.objectPath, .string, .string])
                    return .reply([.array(type, (page ?? []).map { PlaylistsSnapshot.value($0) })])
                },
            ],
            properties: [
                told("PlaylistCount", "u", 0), told("Orderings", "as", 1), told("ActivePlaylist", "(b(oss))", 2),
            ],
            signals: [SignalEntry("PlaylistChanged", [Argument("Playlist", "(oss)")])])
    }

    /// Tells of renamed playlists.
    func tellPlaylists(_ playlists: NowPlayingPlaylists, on connection: BusConnection) {
        for playlist in playlists.takeChanges() {
            connection.emit(
                NowPlayingSession.path, NowPlayingSession.playlistsInterface, "PlaylistChanged",
                [PlaylistsSnapshot.value(playlist)])
        }
    }
}
