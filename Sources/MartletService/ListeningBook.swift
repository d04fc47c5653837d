// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletLibrary

/// What the listener made of a track, as its metadata tells it.
struct ListenerMarks: Hashable, Sendable {
    /// 0…1.
    var rating: Double?
    var playCount: Int
    /// ISO 8601.
    var firstPlayed: String?
    var lastPlayed: String?

    fileprivate init(_ record: TrackRecord) {
        rating = record.rating.map { Double($0) / 100 }
        playCount = record.plays
        firstPlayed = record.firstPlayed.map { MetadataDate.dateTime(unix: $0.seconds) }
        lastPlayed = record.lastPlayed.map { MetadataDate.dateTime(unix: $0.seconds) }
    }
}

/// The library's side of what plays: which track of it an entry is, what the listener made of that, and what was heard.
///
/// Looked up for the current entry and its neighbours, off the main actor.
@MainActor
final class ListeningBook {
    private let player: Player
    private let library: LibraryLink

    private struct Page {
        /// The number of the question whose answer is in it, or awaited.
        var question: Int
        var isPending = true
        var track: TrackID?
        var record = TrackRecord()
    }

    private var pages: [EntryID: Page] = [:]
    private var questions = 0
    private var asking: [Int: Task<Void, Never>] = [:]
    /// What is current, and since when.
    private var current: (entry: QueueEntry, since: UnixTime)?

    /// At half of a track, or after so much of it, it counts as played.
    private static let enough: Duration = .seconds(240)

    init(player: Player, library: LibraryLink) {
        self.player = player
        self.library = library
        player.observe { [weak self] change in self?.follow(change) }
        library.observe { [weak self] change in self?.follow(change) }
    }

    /// What the listener made of the track an entry plays; `nil` for what is not of the library, or not known yet.
    func marks(of entry: EntryID) -> ListenerMarks? {
        guard let page = pages[entry], page.track != nil else { return nil }
        return ListenerMarks(page.record)
    }

    /// The library's track the current entry plays, with what the listener made of it.
    var currentTrack: (id: TrackID, record: TrackRecord)? {
        guard let id = player.machine.queue.currentID, let page = pages[id] else { return nil }
        return page.track.map { ($0, page.record) }
    }

    /// Whether the answer for an entry is on its way. It takes a moment, and never longer than the library's disk.
    func isAwaiting(_ entry: EntryID) -> Bool { pages[entry]?.isPending ?? false }

    // MARK: What is known

    private func follow(_ change: Player.PlayerChange) {
        for heard in change.heard { count(heard) }
        let queue = player.machine.queue
        if let entry = player.currentEntry {
            let isNew = current?.entry.id != entry.id || change.heard.contains { $0.entry == entry.id }
            // A pass begins when it is first seen to play.
            if isNew || (player.machine.status == .stopped) { current = (entry, library.now()) }
        } else {
            current = nil
        }
        let near = ([queue.currentID].compactMap { $0 } + queue.neighbours(ahead: 3, behind: 1))
        pages = pages.filter { near.contains($0.key) }
        for id in near where pages[id] == nil { ask(id) }
    }

    private func follow(_ change: LibraryLink.Change) {
        switch change {
        case .content, .roots: for id in pages.keys { ask(id) }
        case .state where library.isThere: for id in pages.keys { ask(id) }
        case .tracks(let tracks):
            for (id, page) in pages { if let track = page.track, tracks.contains(track) { ask(id) } }
        default: break
        }
    }

    private func ask(_ id: EntryID) {
        guard let entry = player.machine.queue.entry(id), entry.uri.filePath != nil, library.isThere else {
            pages[id] = Page(question: 0, isPending: false)
            return
        }
        questions += 1
        let question = questions
        if pages[id] == nil { pages[id] = Page(question: question) } else { pages[id]?.question = question }
        asking[question] = Task { [weak self, library] in
            var track: TrackID?
            var record = TrackRecord()
            if let reader = try? await library.reader() {
                track = try? await reader.track(at: entry.uri, start: entry.start)
                if let track { record = (try? await reader.record(of: track)) ?? record }
            }
            self?.asking[question] = nil
            self?.take(track, record, for: id, question)
        }
    }

    /// Waits until everything that was asked is answered, and told.
    func settle() async {
        for task in asking.values { await task.value }
    }

    private func take(_ track: TrackID?, _ record: TrackRecord, for id: EntryID, _ question: Int) {
        guard let page = pages[id], page.question == question else { return }
        let isNews = page.isPending || page.track != track || page.record != record
        pages[id] = Page(question: question, isPending: false, track: track, record: record)
        // While tags are still awaited, what is announced with them has this too.
        if isNews, id == player.machine.queue.currentID, !player.isAwaitingDetails { player.touch() }
    }

    // MARK: What was heard

    private func count(_ heard: HeardTrack) {
        let isCurrent = current?.entry.id == heard.entry
        let start = (isCurrent ? current?.entry.start : nil) ?? .zero
        let since = (isCurrent ? current?.since : nil) ?? library.now() - heard.heard
        let known = pages[heard.entry]?.track
        let half = heard.length.map { $0 / 2 } ?? ListeningBook.enough
        let isPlay = heard.isComplete || heard.heard >= min(half, ListeningBook.enough)
        // Who stops, or ends the player, has passed nothing over.
        guard isPlay || player.machine.status != .stopped else { return }
        let told = Told()
        library.write { [library] store in
            var track = known
            if track == nil { track = try await library.reader().track(at: heard.uri, start: start) }
            guard let track else { return }
            if isPlay {
                try await store.recordPlay(of: track, heard: heard.heard, at: since)
            } else {
                try await store.recordSkip(of: track, heard: heard.heard, at: since)
            }
            await told.set(track)
        } done: { [library] in
            if let track = told.track { library.note(.tracks([track])) }
        }
    }

    /// Carries the track from where it is written to where it is told.
    @MainActor
    private final class Told {
        private(set) var track: TrackID?
        func set(_ track: TrackID) { self.track = track }
    }
}
