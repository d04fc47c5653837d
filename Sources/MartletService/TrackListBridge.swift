// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import NowPlaying

/// The queue as MPRIS' TrackList: a window of it, its edits told one by one where they are few.
@MainActor
final class TrackListBridge: NowPlayingTrackSource {
    private let player: Player
    private let opener: Opener
    private let book: ListeningBook?
    private var window = QueueWindow()
    private var version: UInt64?
    private var current: EntryID?
    /// Entries somebody was told about before everything was known of them.
    private var incomplete: Set<EntryID> = []
    private var list: NowPlayingTrackList?

    init(player: Player, opener: Opener, book: ListeningBook? = nil) {
        self.player = player
        self.opener = opener
        self.book = book
        player.observeDetails { [weak self] id in self?.detailsArrived(id) }
    }

    /// The list to offer, with its commands taken.
    func makeList() -> NowPlayingTrackList {
        let list = NowPlayingTrackList(source: self)
        self.list = list
        list.addTrack.setDeferredHandler { [opener] event, reply in
            opener.add(uri: event.uri, after: event.after.flatMap { EntryID($0) }, isCurrent: event.setAsCurrent, reply)
        }
        list.removeTrack.setHandler { [player] event in
            if let id = EntryID(event.trackID) { player.send(.edit(.remove([id]))) }
            return .success
        }
        list.goTo.setHandler { [player] event in
            if let id = EntryID(event.trackID) { player.send(.goTo(id)) }
            return .success
        }
        follow()
        return list
    }

    /// Announces what changed in the queue since the last call.
    func follow() {
        let queue = player.machine.queue
        guard queue.version != version || queue.currentID != current else { return }
        (version, current) = (queue.version, queue.currentID)
        switch window.follow(queue) {
        case .none: break
        case .replaced: list?.announceReplacement()
        case .edited(let removed, let added):
            for id in removed { list?.announceRemoval(of: TrackID(id)) }
            for id in added {
                list?.announceAddition(of: TrackID(id), after: window.predecessor(of: id).map { TrackID($0) })
            }
        }
    }

    // MARK: NowPlayingTrackSource

    var tracks: [TrackID] { window.ids.map { TrackID($0) } }

    func info(of track: TrackID) -> NowPlayingInfo? {
        guard let id = EntryID(track), let entry = player.machine.queue.entry(id) else { return nil }
        let isCurrent = id == player.machine.queue.currentID
        let details = player.details(of: entry)
        if details == nil { incomplete.insert(id) }
        return NowPlayingInfo(
            entry: entry, details: details, length: isCurrent ? player.machine.length : player.length(of: entry),
            stream: isCurrent ? player.streamTags : nil, marks: book?.marks(of: id))
    }

    private func detailsArrived(_ id: EntryID) {
        guard incomplete.remove(id) != nil, player.machine.queue.entry(id) != nil else { return }
        list?.announceMetadataChange(of: TrackID(id))
    }
}
