// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus

extension NowPlayingSession {
    static let playlistsInterface: InterfaceName = "org.mpris.MediaPlayer2.Playlists"

    /// `org.mpris.MediaPlayer2.Playlists`: contract §5.
    func playlistsTable(_ playlists: NowPlayingPlaylists) -> InterfaceTable {
        func told(_ name: MemberName, _ type: BusType, _ index: Int) -> PropertyEntry {
            PropertyEntry(name, type) { [weak self] () throws(BusError) in
                try offered(self?.playlistsSnapshot.rows[index].1)
            }
        }
        return InterfaceTable(
            NowPlayingSession.playlistsInterface,
            methods: [
                MethodEntry("ActivatePlaylist", in: [Argument("PlaylistId", "o")]) { call throws(BusError) in
                    let event = ActivatePlaylistEvent(id: call.arguments[0].objectPath!)
                    return try MPRISAnswers.send(playlists.activate, event, for: call)
                },
                MethodEntry(
                    "GetPlaylists",
                    in: [
                        Argument("Index", "u"), Argument("MaxCount", "u"), Argument("Order", "s"),
                        Argument("ReverseOrder", "b"),
                    ], out: [Argument("Playlists", "a(oss)")]
                ) { call throws(BusError) in
                    let word = call.arguments[2].string!
                    guard let asked = PlaylistOrdering(rawValue: word) else {
                        let words = PlaylistOrdering.allCases.map(\.rawValue).joined(separator: ", ")
                        throw BusError(.invalidArgs, "an order is one of \(words), not \(word)")
                    }
                    let count = Int(call.arguments[1].uint32!)
                    guard let source = playlists.source, count > 0 else { return .reply([.array([], of: "(oss)")]) }
                    // D12: a legal word that is not offered falls back to the first that is.
                    let offered = source.orderings
                    let page = source.playlists(
                        from: Int(call.arguments[0].uint32!), count: count,
                        ordering: offered.contains(asked) ? asked : offered.first ?? .user,
                        reversed: call.arguments[3].boolean!)
                    return .reply([.array(page.prefix(count).map { PlaylistsSnapshot.value($0) }, of: "(oss)")])
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
            try? connection.emit(
                "PlaylistChanged", of: NowPlayingSession.playlistsInterface, at: NowPlayingSession.path,
                [PlaylistsSnapshot.value(playlist)])
        }
    }
}
