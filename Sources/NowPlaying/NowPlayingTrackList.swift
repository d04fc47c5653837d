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
    /// Puts a URI behind an entry, or at the start. While it has a handler and is enabled, `CanEditTracks` is true.
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
    }

    private var announcements: [Announcement] = []
    var changed: (@MainActor () -> Void)?

    public init(source: any NowPlayingTrackSource) {
        self.source = source
        for command in [removeTrack, goTo] { command.changed = { [weak self] in self?.changed?() } }
        addTrack.changed = { [weak self] in self?.changed?() }
    }

    /// The list is another one: `TrackListReplaced`. Replaces what was announced before in this turn.
    public func announceReplacement() {
        announcements = [.replaced]
        changed?()
    }

    /// An entry was put in, behind another or at the start: `TrackAdded`.
    public func announceAddition(of track: TrackID, after: TrackID?) {
        announce(.added(track, after: after))
    }

    /// An entry was taken out: `TrackRemoved`.
    public func announceRemoval(of track: TrackID) {
        announce(.removed(track))
    }

    /// What is known of an entry changed: `TrackMetadataChanged`. The list itself did not.
    public func announceMetadataChange(of track: TrackID) {
        announce(.metadataChanged(track, new: track))
    }

    private func announce(_ announcement: Announcement) {
        if case .replaced? = announcements.first { return }
        announcements.append(announcement)
        changed?()
    }

    func takeAnnouncements() -> [Announcement] {
        defer { announcements.removeAll() }
        return announcements
    }
}

/// A wish to queue a URI.
public struct AddTrackEvent: Hashable, Sendable {
    public var uri: String
    /// The entry to put it behind; `nil` for the start.
    public var after: TrackID?
    /// Whether to go to it at once.
    public var setAsCurrent: Bool
}

/// A wish about an entry.
public struct TrackEvent: Hashable, Sendable {
    public var trackID: TrackID
}
