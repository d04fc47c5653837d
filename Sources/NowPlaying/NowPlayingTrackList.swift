// SPDX-License-Identifier: Apache-2.0

/// Where the track list's entries come from: the program's queue, or a window of it.
///
/// "It is recommended that you limit the size" of a long list to a window around the current track (MPRIS 2.2, TrackList). An
/// entry keeps its id for as long as it is queued.
@MainActor
public protocol NowPlayingTrackSource: AnyObject {
    /// The ids shown, in playing order of the list.
    var tracks: [TrackID] { get }
    /// What is known of an entry, shown or not; `nil` for an id that is not in the queue.
    func info(of track: TrackID) -> NowPlayingInfo?
}

/// The queue on the desktop: MPRIS' TrackList.
///
/// Set ``NowPlayingSession/trackList`` to offer it. Announce every change of ``NowPlayingTrackSource/tracks`` here; the
/// announcements of one turn go out together, with one invalidation of `Tracks` before anything the Player says.
@MainActor
public final class NowPlayingTrackList {
    /// Where the entries come from. Not kept alive.
    public weak var source: (any NowPlayingTrackSource)?
    /// Puts a URI behind an entry, or at the start. While it has a handler and is enabled, `CanEditTracks` is true; while
    /// that is false, ``removeTrack`` gets nothing either.
    public let addTrack = RemoteCommand<AddTrackEvent>()
    /// Takes an entry out; the current one too. Only ids that are shown arrive.
    public let removeTrack = RemoteCommand<TrackEvent>()
    /// Goes to an entry and plays it. Any id the source knows arrives.
    public let goTo = RemoteCommand<TrackEvent>()

    enum Announcement {
        case replaced
        case added(TrackID, after: TrackID?)
        case removed(TrackID)
        case metadataChanged(TrackID, new: TrackID)

        /// Whether the list is the same after it.
        var isOfMetadata: Bool { if case .metadataChanged(let old, let new) = self { old == new } else { false } }
    }

    private var announcements: [Announcement] = []
    var changed: (@MainActor () -> Void)?

    /// Shows the entries of a source.
    public init(source: any NowPlayingTrackSource) {
        self.source = source
        for command in [removeTrack, goTo] { command.changed = { [weak self] in self?.changed?() } }
        addTrack.changed = { [weak self] in self?.changed?() }
    }

    /// The list is another one: `TrackListReplaced`. Stands for every addition and removal announced in the same turn.
    public func announceReplacement() {
        guard let changed else { return }
        announcements = [.replaced] + announcements.filter(\.isOfMetadata)
        changed()
    }

    /// An entry was put in, behind another or at the start: `TrackAdded`.
    public func announceAddition(of track: TrackID, after: TrackID?) {
        announce(.added(track, after: after))
    }

    /// An entry was taken out: `TrackRemoved`.
    public func announceRemoval(of track: TrackID) {
        announce(.removed(track))
    }

    /// What is known of an entry changed: `TrackMetadataChanged`.
    ///
    /// - Parameters:
    ///   - track: The entry, under the id it was known by.
    ///   - new: Its id from now on, if another entry took its place; then the list changed too.
    public func announceMetadataChange(of track: TrackID, nowNamed new: TrackID? = nil) {
        announce(.metadataChanged(track, new: new ?? track))
    }

    private func announce(_ announcement: Announcement) {
        // Without a session that is on the bus nobody hears it, and nothing may pile up.
        guard let changed else { return }
        if case .replaced? = announcements.first, !announcement.isOfMetadata { return }
        announcements.append(announcement)
        changed()
    }

    func takeAnnouncements() -> [Announcement] {
        defer { announcements.removeAll() }
        return announcements
    }
}

/// A wish to queue a URI.
public struct AddTrackEvent: Hashable, Sendable {
    /// As the caller wrote it; the scheme is a supported one.
    public var uri: String
    /// The entry to put it behind, as the caller wrote it: it may be gone. `nil` for the start.
    public var after: TrackID?
    /// Whether to go to it at once.
    public var setAsCurrent: Bool
}

/// A wish about an entry.
public struct TrackEvent: Hashable, Sendable {
    /// An entry of the source's.
    public var trackID: TrackID
}
