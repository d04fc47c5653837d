// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus

/// The announceable properties of one interface at one moment.
protocol PropertySnapshot: Equatable {
    /// Every property that is there with its value, in the specification's order.
    var rows: [(MemberName, BusValue)] { get }
}

/// The announceable properties of the Player interface at one moment.
///
/// A closed set on purpose: `Position` and `CanControl` are not here, so no change set can carry them (contract R080).
struct PlayerSnapshot: PropertySnapshot {
    var playbackStatus: String
    var loopStatus: String?
    var rate: Double
    var shuffle: Bool?
    var metadata: MetadataMap
    var volume: Double
    var minimumRate: Double
    var maximumRate: Double
    var canGoNext: Bool
    var canGoPrevious: Bool
    var canPlay: Bool
    var canPause: Bool
    var canSeek: Bool

    var rows: [(MemberName, BusValue)] {
        var rows: [(MemberName, BusValue)] = [("PlaybackStatus", .string(playbackStatus))]
        if let loopStatus { rows.append(("LoopStatus", .string(loopStatus))) }
        rows.append(("Rate", .double(rate)))
        if let shuffle { rows.append(("Shuffle", .boolean(shuffle))) }
        rows += [
            ("Metadata", metadata.value), ("Volume", .double(volume)), ("MinimumRate", .double(minimumRate)),
            ("MaximumRate", .double(maximumRate)), ("CanGoNext", .boolean(canGoNext)),
            ("CanGoPrevious", .boolean(canGoPrevious)), ("CanPlay", .boolean(canPlay)),
            ("CanPause", .boolean(canPause)), ("CanSeek", .boolean(canSeek)),
        ]
        return rows
    }
}

/// The announceable properties of the root interface.
struct RootSnapshot: PropertySnapshot {
    var canQuit: Bool
    var isFullscreen: Bool?
    var canSetFullscreen: Bool
    var canRaise: Bool
    var hasTrackList: Bool
    var identity: NowPlayingIdentity

    var rows: [(MemberName, BusValue)] {
        var rows: [(MemberName, BusValue)] = [("CanQuit", .boolean(canQuit))]
        if let isFullscreen {
            rows += [("Fullscreen", .boolean(isFullscreen)), ("CanSetFullscreen", .boolean(canSetFullscreen))]
        }
        rows += [
            ("CanRaise", .boolean(canRaise)), ("HasTrackList", .boolean(hasTrackList)),
            ("Identity", .string(identity.displayName)),
        ]
        if let desktopEntry = identity.desktopEntry { rows.append(("DesktopEntry", .string(desktopEntry))) }
        return rows + [
            ("SupportedUriSchemes", .strings(identity.uriSchemes)),
            ("SupportedMimeTypes", .strings(identity.mimeTypes)),
        ]
    }
}

/// The announceable properties of the TrackList interface; its `Tracks` are invalidated, never told.
struct TrackListSnapshot: PropertySnapshot {
    var canEditTracks = false

    var rows: [(MemberName, BusValue)] { [("CanEditTracks", .boolean(canEditTracks))] }
}

/// The announceable properties of the Playlists interface.
struct PlaylistsSnapshot: PropertySnapshot {
    var count: UInt32 = 0
    var orderings: [String] = []
    var active: NowPlayingPlaylist?

    var rows: [(MemberName, BusValue)] {
        [
            ("PlaylistCount", .uint32(count)), ("Orderings", .strings(orderings)),
            ("ActivePlaylist", PlaylistsSnapshot.maybe(active)),
        ]
    }

    /// R132: without one the rest means nothing, but the id still has to be a valid path.
    static func maybe(_ playlist: NowPlayingPlaylist?) -> BusValue {
        .structure([.boolean(playlist != nil), value(playlist ?? NowPlayingPlaylist(id: "/", name: ""))])
    }

    static func value(_ playlist: NowPlayingPlaylist) -> BusValue {
        .structure([.objectPath(playlist.id), .string(playlist.name), .string(playlist.icon)])
    }
}

/// What one `PropertiesChanged` tells.
struct ChangeSet: Equatable {
    /// New values.
    var changed: [Change] = []
    /// Properties the player no longer has.
    var gone: [MemberName] = []

    struct Change: Equatable {
        var name: MemberName
        var value: BusValue
    }

    var pairs: [(MemberName, BusValue)] { changed.map { ($0.name, $0.value) } }

    /// What of `new` differs from `old`, or is to be told all the same.
    init<Snapshot: PropertySnapshot>(from old: Snapshot, to new: Snapshot, repeating names: Set<MemberName> = []) {
        guard old != new || !names.isEmpty else { return }
        let before = Dictionary(uniqueKeysWithValues: old.rows)
        let after = new.rows
        changed = after.filter { names.contains($0.0) || before[$0.0] != $0.1 }.map(Change.init)
        gone = old.rows.map(\.0).filter { name in !after.contains { $0.0 == name } }
    }
}
