// SPDX-License-Identifier: Apache-2.0
import MartletDBus
import NowPlaying

/// A small player behind a session: a queue, playlists and a clock, without sound.
///
/// What it does on a verb is what MPRIS asks of a player; the session's part is everything between it and the bus.
@MainActor
final class Deck: NowPlayingTrackSource, NowPlayingPlaylistSource {
    let session: NowPlayingSession
    private(set) var queue: [NowPlayingInfo] = []
    private(set) var current: Int?
    private var state = NowPlayingPlaybackState.stopped
    private var nextNumber: UInt64 = 1
    /// Jumps made, to compare with the number of `Seeked`.
    private(set) var jumps = 0

    var lists: [NowPlayingPlaylist] = []
    var activePlaylist: NowPlayingPlaylist?
    var orderings: [PlaylistOrdering] = [.alphabetical, .lastPlayDate]
    /// What the last page was asked for with.
    var pageAsked = ""

    init(_ session: NowPlayingSession) {
        self.session = session
        takeTransport()
        takeValues()
    }

    /// Offers the queue.
    func offerTrackList() {
        let list = NowPlayingTrackList(source: self)
        list.addTrack.setHandler { [unowned self] event in
            let index = event.after.map { after in queue.firstIndex { $0.trackID == after } } ?? -1
            guard let index else { return .success }
            insert(event.uri, at: index + 1)
            if event.setAsCurrent { go(to: index + 1) }
            return .success
        }
        list.removeTrack.setHandler { [unowned self] event in
            remove(event.trackID)
            return .success
        }
        list.goTo.setHandler { [unowned self] event in
            go(to: queue.firstIndex { $0.trackID == event.trackID }!)
            return .success
        }
        session.trackList = list
    }

    /// Offers the playlists.
    func offerPlaylists() {
        let playlists = NowPlayingPlaylists(source: self)
        playlists.activate.setHandler { [unowned self] event in
            guard let list = lists.first(where: { $0.id == event.id }) else {
                return .noSuchContent("no such playlist")
            }
            activePlaylist = list
            session.playlists?.noteChange()
            load([list.name + "/1", list.name + "/2"])
            go(to: 0)
            return .success
        }
        session.playlists = playlists
    }

    // MARK: Sources

    var tracks: [TrackID] { queue.map(\.trackID) }
    func info(of track: TrackID) -> NowPlayingInfo? { queue.first { $0.trackID == track } }

    var playlistCount: Int { lists.count }
    func playlists(from index: Int, count: Int, ordering: PlaylistOrdering, reversed: Bool) -> [NowPlayingPlaylist] {
        pageAsked = "\(index) \(count) \(ordering) \(reversed)"
        let ordered = ordering == .alphabetical ? lists.sorted { $0.name < $1.name } : lists
        return Array((reversed ? ordered.reversed() : ordered).dropFirst(index))
    }

    // MARK: The queue

    /// Replaces the queue.
    func load(_ uris: [String]) {
        queue = uris.map(make)
        current = queue.isEmpty ? nil : 0
        if queue.isEmpty { state = .stopped }
        session.trackList?.announceReplacement()
        move(to: .zero)
    }

    private func make(_ uri: String) -> NowPlayingInfo {
        var info = NowPlayingInfo(trackID: .entry(nextNumber))
        nextNumber += 1
        info.url = uri.contains(":") ? uri : "file:///" + uri
        info.title = uri
        // Every fifth is a stream without an end.
        info.length = nextNumber % 5 == 0 ? nil : .seconds(100)
        return info
    }

    func insert(_ uri: String, at index: Int) {
        queue.insert(make(uri), at: index)
        session.trackList?.announceAddition(
            of: queue[index].trackID, after: index == 0 ? nil : queue[index - 1].trackID)
        if let current, current >= index { self.current = current + 1 }
        if current == nil { current = index }
        publish()
    }

    func remove(_ track: TrackID) {
        guard let index = queue.firstIndex(where: { $0.trackID == track }) else { return }
        queue.remove(at: index)
        session.trackList?.announceRemoval(of: track)
        guard let current else { return }
        if index < current {
            self.current = current - 1
        } else if index == current {
            self.current = queue.isEmpty ? nil : min(index, queue.count - 1)
            if queue.isEmpty { state = .stopped }
            move(to: .zero)
        }
        publish()
    }

    /// Goes to an entry and plays it.
    func go(to index: Int) {
        current = index
        state = .playing
        move(to: .zero)
    }

    func rename(_ track: TrackID, _ title: String) {
        guard let index = queue.firstIndex(where: { $0.trackID == track }) else { return }
        queue[index].title = title
        session.trackList?.announceMetadataChange(of: track)
        publish()
    }

    // MARK: Commands

    private func takeTransport() {
        let commands = session.commandCenter
        take(commands.play) { [unowned self] in setState(.playing) }
        take(commands.pause) { [unowned self] in if state == .playing { setState(.paused) } }
        take(commands.stop) { [unowned self] in
            state = .stopped
            move(to: .zero)
        }
        take(commands.nextTrack) { [unowned self] in step(1) }
        take(commands.previousTrack) { [unowned self] in step(-1) }
        commands.changePlaybackPosition.setHandler { [unowned self] event in
            jumps += 1
            move(to: event.position)
            session.infoCenter.announceSeek(to: event.position)
            return .success
        }
        commands.openURI.setHandler { [unowned self] event in
            let index = current.map { $0 + 1 } ?? 0
            insert(event.uri, at: index)
            go(to: index)
            return .success
        }
    }

    private func take(_ command: RemoteCommand<Void>, _ body: @escaping @MainActor () -> Void) {
        command.setHandler {
            body()
            return .success
        }
    }

    private func takeValues() {
        let center = session.infoCenter
        center.rates = 0.5...2
        session.commandCenter.changeVolume.setHandler {
            center.volume = min($0.volume, 1)
            return .success
        }
        session.commandCenter.changePlaybackRate.setHandler { [unowned self] event in
            let position = center.position
            center.rate = min(max(event.rate, 0.5), 2)
            move(to: position)
            return .success
        }
        session.commandCenter.changeShuffleMode.setHandler {
            center.isShuffled = $0.isShuffled
            return .success
        }
        session.commandCenter.changeRepeatMode.setHandler { [unowned self] event in
            center.repeatMode = event.mode
            publish()
            return .success
        }
    }

    private func setState(_ new: NowPlayingPlaybackState) {
        guard current != nil else { return }
        let position = session.infoCenter.position
        state = new
        move(to: position)
    }

    private func step(_ offset: Int) {
        guard let current, !queue.isEmpty else { return }
        self.current = (current + offset + queue.count) % queue.count
        move(to: .zero)
    }

    private func move(to position: Duration) {
        session.infoCenter.timeline = PlaybackTimeline(
            position: position, rate: session.infoCenter.rate, isRunning: state == .playing)
        publish()
    }

    private func publish() {
        let center = session.infoCenter
        let commands = session.commandCenter
        center.nowPlayingInfo = current.map { queue[$0] }
        center.playbackState = state
        let isRound = center.repeatMode == .all
        commands.play.isEnabled = current != nil
        commands.pause.isEnabled = current != nil
        commands.nextTrack.isEnabled = current.map { isRound || $0 + 1 < queue.count } ?? false
        commands.previousTrack.isEnabled = current.map { isRound || $0 > 0 } ?? false
        commands.changePlaybackPosition.isEnabled = current.map { queue[$0].length != nil } ?? false
    }
}
