// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletLibrary
internal import MartletProtocol

/// Brings what the library has into the queue, and knows which playlist the queue came from.
@MainActor
final class LibraryPlaying {
    private let library: LibraryLink
    private let player: Player
    private let opener: Opener

    /// The playlist that was put in place of the queue, for as long as something of it is in there.
    private(set) var activePlaylist: PlaylistID?
    /// Told when that changed.
    var onChange: (@MainActor () -> Void)?
    private var entries: Set<EntryID> = []
    private var version: UInt64?

    init(library: LibraryLink, player: Player, opener: Opener) {
        self.library = library
        self.player = player
        self.opener = opener
        player.observe { [weak self] _ in self?.follow() }
        library.observe { [weak self] change in
            switch change {
            case .state, .content, .roots: self?.lookForMusic()
            default: break
            }
        }
    }

    // MARK: An empty queue

    /// Tracks that an empty queue is filled with.
    private static let handful = 100

    private var fillsEmptyQueue = false
    private var look: Task<Void, Never>?

    /// Says whether playing on an empty queue plays from the collection.
    func setFillsEmptyQueue(_ fills: Bool) {
        guard fills != fillsEmptyQueue else { return }
        fillsEmptyQueue = fills
        lookForMusic()
    }

    /// Offers to play as long as there is something.
    private func lookForMusic() {
        look?.cancel()
        guard fillsEmptyQueue, library.isThere else { return player.setPlayingFromElsewhere(nil) }
        look = Task { [weak self] in await self?.offerMusic() }
    }

    private func offerMusic() async {
        let count = (try? await library.reader().trackCount(.all)) ?? 0
        guard !Task.isCancelled, fillsEmptyQueue else { return }
        guard count > 0 else { return player.setPlayingFromElsewhere(nil) }
        player.setPlayingFromElsewhere { [weak self] in self?.playHandful() }
    }

    /// Plays a handful of the collection by chance.
    private func playHandful() {
        Task { [weak self] in await self?.reallyPlayHandful() }
    }

    private func reallyPlayHandful() async {
        do {
            let chances = (0..<LibraryPlaying.handful).map { _ in UInt64.random(in: 0 ... .max) }
            let tracks = try await library.reader().randomTracks(chances)
            // Somebody may have queued something meanwhile: that is what plays.
            guard player.machine.queue.isEmpty else { return player.send(.play) }
            _ = try await play(tracks.map(\.id), .replace)
        } catch {
            player.log.warning(tr("nothing of the collection could be played: {0}", LibraryError.words(for: error)))
        }
    }

    /// Plays tracks, in the order given.
    ///
    /// - Returns: The new entries.
    /// - Throws: ``LibraryError/notFound`` if one of them is not there, or none has a file; nothing is done then.
    func play(_ ids: [TrackID], _ mode: OpenMode) async throws -> [EntryID] {
        let reader = try await library.reader()
        let tracks = try await reader.tracks(ids)
        guard tracks.count == ids.count else { throw LibraryError.notFound }
        return try await queue(try await reader.playable(tracks), mode)
    }

    func play(album: AlbumID, _ mode: OpenMode) async throws -> [EntryID] {
        let reader = try await library.reader()
        let tracks = try await reader.tracks(.album(album), by: .album, page: .all)
        return try await queue(try await reader.playable(tracks), mode)
    }

    /// Plays a playlist. One put in place of the queue is active from then on, also if it is empty.
    func play(playlist: PlaylistID, _ mode: OpenMode) async throws -> [EntryID] {
        let reader = try await library.reader()
        guard let list = try await reader.playlist(playlist) else { throw LibraryError.notFound }
        let tracks = try await reader.playable(in: list, now: library.now(), limit: ArgumentExpander.limit)
        let isEmpty = tracks.isEmpty
        var new: [EntryID] = []
        if isEmpty, mode == .replace {
            player.send(.edit(.clear))
        } else if !isEmpty {
            new = try await queue(tracks, mode)
        }
        if mode == .replace {
            activePlaylist = playlist
            entries = Set(new)
            version = player.machine.queue.version
            onChange?()
        }
        let now = library.now()
        library.write { store in
            try await store.recordPlay(of: playlist, at: now)
        } done: { [library] in
            library.note(.playlists)
        }
        return new
    }

    private func queue(_ tracks: [PlayableTrack], _ mode: OpenMode) async throws -> [EntryID] {
        guard !tracks.isEmpty else { throw LibraryError.notFound }
        let items = tracks.map { track in
            ExpandedItem(
                uri: track.uri, start: track.start, end: track.end, tags: track.tags,
                albumKey: track.album.map { "library \($0)" })
        }
        return await withCheckedContinuation { continuation in
            opener.queue(items, mode: Opener.Mode(mode)) { continuation.resume(returning: $0) }
        }
    }

    private func follow() {
        let queue = player.machine.queue
        guard activePlaylist != nil, queue.version != version else { return }
        version = queue.version
        let isStillThere =
            entries.isEmpty
            ? queue.isEmpty
            : queue.currentID.map(entries.contains) == true
                || queue.list.contains(where: entries.contains)
        guard !isStillThere else { return }
        activePlaylist = nil
        entries = []
        onChange?()
    }
}
