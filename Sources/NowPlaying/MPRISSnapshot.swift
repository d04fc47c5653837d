// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus

/// The announceable properties of the Player interface at one moment.
///
/// A closed set on purpose: `Position` and `CanControl` are not here, so no change set can carry them (contract R080).
struct PlayerSnapshot: Equatable {
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

    /// Every property with its value, in the specification's order.
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
struct RootSnapshot: Equatable {
    var canQuit: Bool
    var canRaise: Bool
    var hasTrackList: Bool
    var isFullscreen: Bool?

    var rows: [(MemberName, BusValue)] {
        var rows: [(MemberName, BusValue)] = [("CanQuit", .boolean(canQuit))]
        if let isFullscreen {
            rows += [("Fullscreen", .boolean(isFullscreen)), ("CanSetFullscreen", .boolean(true))]
        }
        return rows + [("CanRaise", .boolean(canRaise)), ("HasTrackList", .boolean(hasTrackList))]
    }
}

/// The announceable properties of the Playlists interface.
struct PlaylistsSnapshot: Equatable {
    var count: UInt32
    var orderings: [String]
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

enum ChangeSet {
    /// What of `new` differs from `old`, or is to be told all the same.
    static func between(
        _ old: [(MemberName, BusValue)], _ new: [(MemberName, BusValue)], repeating names: Set<MemberName> = []
    ) -> [(MemberName, BusValue)] {
        new.filter { row in
            names.contains(row.0) || !old.contains { $0.0 == row.0 && $0.1 == row.1 }
        }
    }
}
