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

    /// A playlist.
    public init(id: ObjectPath, name: String, icon: String = "") {
        self.id = id
        self.name = name
        self.icon = icon
    }
}

/// The orders playlists can be asked for in: MPRIS' five words.
public enum PlaylistOrdering: String, Hashable, Sendable, CaseIterable {
    /// By name.
    case alphabetical = "Alphabetical"
    /// By the date of creation, oldest first.
    case creationDate = "Created"
    /// By the date of the last change, oldest first.
    case modifiedDate = "Modified"
    /// By the date of the last play, oldest first.
    case lastPlayDate = "Played"
    /// In an order of the user's.
    case user = "User"
}

/// Where playlists come from.
@MainActor
public protocol NowPlayingPlaylistSource: AnyObject {
    /// How many there are.
    var playlistCount: Int { get }
    /// The orders that are offered; at least one. Without any, ``PlaylistOrdering/user`` is shown.
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

    /// Shows the playlists of a source.
    public init(source: any NowPlayingPlaylistSource) {
        self.source = source
        activate.changed = { [weak self] in self?.changed?() }
    }

    /// The name or the picture of a playlist changed: `PlaylistChanged`.
    public func announceChange(of playlist: NowPlayingPlaylist) {
        guard let changed else { return }
        renamed.removeAll { $0.id == playlist.id }
        renamed.append(playlist)
        changed()
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
    /// As the caller wrote it: it may name no playlist of yours.
    public var id: ObjectPath
}
