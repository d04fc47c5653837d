// SPDX-License-Identifier: Apache-2.0
public import MartletDBus

/// A playlist as MPRIS shows it.
public struct NowPlayingPlaylist: Hashable, Sendable {
    /// Stays when the playlist is renamed.
    public var id: ObjectPath
    /// For people; two may have the same.
    public var name: String
    /// The URI of a picture, or empty.
    public var icon: String

    public init(id: ObjectPath, name: String, icon: String = "") {
        self.id = id
        self.name = name
        self.icon = icon
    }
}

/// The orders playlists can be asked for in: MPRIS' five words.
public enum PlaylistOrdering: String, Hashable, Sendable, CaseIterable {
    case alphabetical = "Alphabetical"
    case creationDate = "Created"
    case modifiedDate = "Modified"
    case lastPlayDate = "Played"
    case user = "User"
}

/// Where playlists come from.
@MainActor
public protocol NowPlayingPlaylistSource: AnyObject {
    /// How many there are.
    var playlistCount: Int { get }
    /// The orders that are offered; at least one.
    var orderings: [PlaylistOrdering] { get }
    /// The one that plays, if any.
    var activePlaylist: NowPlayingPlaylist? { get }
    /// A page in an offered order; dates oldest first. `index` and `count` are at least 0, `index` may lie beyond the end.
    func playlists(from index: Int, count: Int, ordering: PlaylistOrdering, reversed: Bool) -> [NowPlayingPlaylist]
}

/// Playlists on the desktop: MPRIS' Playlists. Set ``NowPlayingSession/playlists`` to offer them.
@MainActor
public final class NowPlayingPlaylists {
    /// Where the playlists come from. Not kept alive.
    public weak var source: (any NowPlayingPlaylistSource)?
    /// Starts playing a playlist. Mandatory within the interface: give it a handler before offering it.
    public let activate = RemoteCommand<ActivatePlaylistEvent>()

    private var renamed: [NowPlayingPlaylist] = []
    var changed: (@MainActor () -> Void)?

    public init(source: any NowPlayingPlaylistSource) {
        self.source = source
        activate.changed = { [weak self] in self?.changed?() }
    }

    /// The name or the picture of a playlist changed: `PlaylistChanged`.
    public func announceChange(of playlist: NowPlayingPlaylist) {
        renamed.append(playlist)
        changed?()
    }

    /// The count or the active playlist may have changed; compared and told if so.
    public func noteChange() {
        changed?()
    }

    func takeChanges() -> [NowPlayingPlaylist] {
        defer { renamed.removeAll() }
        return renamed
    }
}

/// A wish to play a playlist.
public struct ActivatePlaylistEvent: Hashable, Sendable {
    public var id: ObjectPath
}
