// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletProtocol
internal import NowPlaying

/// The player as the desktop sees it: its state into ``NowPlayingInfoCenter``, remote commands into ``Player``.
///
/// Uses what any program can use of the NowPlaying library, and nothing else.
@MainActor
final class MPRISBridge {
    private let player: Player
    private let session: NowPlayingSession
    private let opener: Opener
    private let hold: MetadataHold
    private let trackList: TrackListBridge
    private let book: ListeningBook?
    private let playlists: PlaylistsBridge?
    /// The entry that was announced last, or is about to be.
    private var shownID: EntryID?
    /// Jumps to be told with the next announcement.
    private var seeks: [Duration] = []

    /// - Parameters:
    ///   - book: What is shown of the listener's marks; it has to hear of changes before this does.
    ///   - playlists: What is offered as MPRIS' Playlists.
    init(
        player: Player, session: NowPlayingSession, opener: Opener, book: ListeningBook? = nil,
        playlists: PlaylistsBridge? = nil, quit: @escaping @MainActor () -> Void
    ) {
        self.player = player
        self.session = session
        self.opener = opener
        self.book = book
        self.playlists = playlists
        hold = MetadataHold(timekeeper: player.timekeeper)
        trackList = TrackListBridge(player: player, opener: opener, book: book)
        session.trackList = trackList.makeList()
        session.playlists = playlists?.makeList()
        session.infoCenter.rates = PlayerMachine.rates
        takeCommands(quit: quit)
        publish(Player.PlayerChange(seeks: [], heard: []))
        player.observe { [weak self] change in self?.publish(change) }
    }

    // MARK: Commands

    private func takeCommands(quit: @escaping @MainActor () -> Void) {
        let center = session.commandCenter
        take(center.play, .play)
        take(center.pause, .pause)
        take(center.togglePlayPause, .togglePlayPause)
        take(center.stop, .stop)
        take(center.nextTrack, .next)
        take(center.previousTrack, .previous)
        center.skip.setHandler { [player] event in
            player.send(.seek(by: event.offset))
            return .success
        }
        center.changePlaybackPosition.setHandler { [player] event in
            guard let entry = EntryID(event.trackID) else { return .success }
            player.send(.setPosition(entry, event.position))
            return .success
        }
        center.changePlaybackRate.setHandler { [player] event in
            player.send(.setRate(event.rate))
            return .success
        }
        center.changeRepeatMode.setHandler { [player] event in
            player.send(.setLoopMode(LoopMode(event.mode)))
            return .success
        }
        center.changeShuffleMode.setHandler { [player] event in
            // F071: writing what is already reported keeps a richer mode as it is.
            guard event.isShuffled != (player.machine.queue.shuffleMode != .off) else { return .success }
            player.send(.setShuffleMode(event.isShuffled ? player.lastShuffleMode : .off))
            return .success
        }
        center.changeVolume.setHandler { [player] event in
            player.send(.setVolume(event.volume))
            return .success
        }
        center.openURI.setDeferredHandler { [opener, hold] event, reply in
            opener.open(uri: event.uri) { status in hold.whenAnnounced { reply(status) } }
        }
        center.quit.setHandler { _ in
            quit()
            return .success
        }
    }

    private func take(_ command: RemoteCommand<Void>, _ order: PlayerCommand) {
        command.setDeferredHandler { [player, hold] _, reply in
            player.send(order)
            hold.whenAnnounced { reply(.success) }
        }
    }

    // MARK: State

    private func publish(_ change: Player.PlayerChange) {
        seeks += change.seeks
        let id = player.machine.queue.currentID
        let isAwaitingMarks = id.map { book?.isAwaiting($0) ?? false } ?? false
        if let id, id != shownID, player.isAwaitingDetails || isAwaitingMarks, !hold.isHolding {
            shownID = id
            return hold.begin { [weak self] in self?.announce() }
        }
        // The tags came before the listener's marks, which are a moment away.
        if hold.isHolding, id == shownID, isAwaitingMarks, !player.isAwaitingDetails { return }
        shownID = id
        announce()
    }

    private func announce() {
        let machine = player.machine
        let center = session.infoCenter
        let commands = session.commandCenter
        trackList.follow()
        publishInfo()
        center.playbackState = NowPlayingPlaybackState(machine.status)
        center.timeline = PlaybackTimeline(machine.clock)
        center.repeatMode = RepeatMode(machine.queue.loopMode)
        center.isShuffled = machine.queue.shuffleMode != .off
        center.volume = machine.volume
        center.rate = machine.rate
        commands.play.isEnabled = player.canPlay
        commands.pause.isEnabled = machine.canPause
        commands.nextTrack.isEnabled = machine.canGoNext
        commands.previousTrack.isEnabled = machine.canGoPrevious
        commands.changePlaybackPosition.isEnabled = machine.canSeek
        for position in seeks { center.announceSeek(to: position) }
        seeks.removeAll()
        session.commit()
        hold.end()
    }

    private func publishInfo() {
        let machine = player.machine
        guard let id = machine.queue.currentID, let entry = machine.queue.entry(id) else {
            session.infoCenter.nowPlayingInfo = nil
            return
        }
        session.infoCenter.nowPlayingInfo = NowPlayingInfo(
            entry: entry, details: player.currentDetails, length: machine.length, stream: player.streamTags,
            marks: book?.marks(of: id))
    }
}

extension EntryID {
    /// The entry a track id stands for; `nil` for a path of somebody else's.
    init?(_ trackID: TrackID) {
        let text = trackID.description
        guard text.hasPrefix(MartletBus.entryPrefix), let number = UInt64(text.dropFirst(MartletBus.entryPrefix.count))
        else { return nil }
        self.init(number)
    }
}

extension TrackID {
    init(_ entry: EntryID) {
        self.init(prefix: MartletBus.entryPrefix, number: entry.rawValue)
    }
}

extension NowPlayingPlaybackState {
    init(_ status: PlaybackStatus) {
        switch status {
        case .playing: self = .playing
        case .paused: self = .paused
        case .stopped: self = .stopped
        }
    }
}

extension RepeatMode {
    init(_ mode: LoopMode) {
        switch mode {
        case .none: self = .off
        case .track: self = .one
        case .queue: self = .all
        }
    }
}

extension LoopMode {
    init(_ mode: RepeatMode) {
        switch mode {
        case .off: self = .none
        case .one: self = .track
        case .all: self = .queue
        }
    }
}

extension PlaybackTimeline {
    init(_ clock: PlaybackClock) {
        self.init(
            position: clock.anchorPosition, instant: clock.anchorInstant.sinceOrigin, rate: clock.rate,
            isRunning: clock.isRunning)
    }
}

extension NowPlayingInfo {
    /// Everything known of an entry, as the metadata guidelines name it.
    ///
    /// - Parameters:
    ///   - stream: What a running stream says; a station's title replaces what the entry is called.
    ///   - marks: What the listener made of the track, if it is of the library.
    init(
        entry: QueueEntry, details: TrackDetails?, length: Duration?, stream: StreamTags?, marks: ListenerMarks? = nil
    ) {
        self.init(trackID: TrackID(entry.id))
        let tags = details?.tags
        self.length = length
        artworkURL = details?.artwork?.description
        url = entry.uri.withoutSecrets
        title = tags?.title ?? stream?.title ?? stream?.organization ?? entry.uri.titleFromName
        artists = tags?.artists ?? []
        if artists.isEmpty, let artist = stream?.artist { artists = [artist] }
        album = tags?.album ?? stream?.album
        albumArtists = tags?.albumArtists ?? []
        trackNumber = tags?.trackNumber
        discNumber = tags?.discNumber
        genres = tags?.genres ?? []
        if genres.isEmpty, let genre = stream?.genre { genres = [genre] }
        composers = tags?.composers ?? []
        lyricists = tags?.lyricists ?? []
        contentCreated = tags?.date.map(MetadataDate.dateTime)
        beatsPerMinute = tags?.beatsPerMinute
        comments = tags?.comments ?? []
        lyrics = tags?.lyrics
        userRating = marks?.rating
        useCount = marks?.playCount
        firstUsed = marks?.firstPlayed
        lastUsed = marks?.lastPlayed
        if let recording = tags?.musicBrainz.recording { extras["martlet:musicBrainzRecording"] = .text(recording) }
        if let isrc = tags?.isrc { extras["martlet:isrc"] = .text(isrc) }
    }
}
