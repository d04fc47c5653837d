// SPDX-License-Identifier: Apache-2.0
internal import MartletCore

/// What is known of queue entries, near the current one at least; the rest is read when it comes near.
@MainActor
final class EntryDetails {
    /// Told on the main actor when an entry's details became known, never from inside ``want(_:)``.
    var onArrival: (@MainActor (EntryID) -> Void)?

    private let reader: DetailReader
    /// What a playlist or a cue sheet told when the entry was queued.
    private var hints: [EntryID: TrackTags] = [:]
    private var known: [EntryID: TrackDetails] = [:]
    /// Ids in ``known``, longest unused first.
    private var age: [EntryID] = []
    private var underWay: Set<EntryID> = []

    /// Details kept; lyrics and comments make some of them large.
    private static let capacity = 512

    /// Bytes the pictures may take; fewer than before are brought about at once.
    var artworkLimit: Int {
        didSet { if artworkLimit < oldValue { trimArtwork() } }
    }

    init(reader: DetailReader, artworkLimit: Int) {
        self.reader = reader
        self.artworkLimit = artworkLimit
    }

    subscript(_ id: EntryID) -> TrackDetails? { known[id] }

    /// What is known of an entry, be it only what a list told.
    func known(_ id: EntryID) -> TrackDetails? { known[id] ?? hints[id].map { TrackDetails(tags: $0) } }

    /// The length of what the entry plays, if known.
    func length(of entry: QueueEntry) -> Duration? {
        let whole = known[entry.id]?.tags.audio.length ?? hints[entry.id]?.audio.length
        if let end = entry.end { return end - entry.start }
        return whole.flatMap { $0 > entry.start ? $0 - entry.start : nil }
    }

    /// Keeps what was told of an entry when it was queued.
    func note(_ tags: TrackTags, for id: EntryID) {
        hints[id] = tags
    }

    /// Details that came with a restored session.
    func adopt(_ details: TrackDetails, for id: EntryID) {
        remember(details, for: id)
    }

    /// Whether something about the entry is still to come.
    func isPending(_ entry: QueueEntry) -> Bool { known[entry.id] == nil && entry.uri.filePath != nil }

    /// Reads what is not known of these.
    func want(_ entries: [QueueEntry]) {
        for entry in entries {
            let id = entry.id
            if known[id] != nil { continue }
            guard entry.uri.filePath != nil else {
                if let hint = hints[id] { remember(TrackDetails(tags: hint), for: id) }
                continue
            }
            guard underWay.insert(id).inserted else { continue }
            reader.read(entry.uri, known: hints[id]) { [weak self] details in
                guard let self, underWay.remove(id) != nil else { return }
                remember(details, for: id)
                trimNowAndThen()
                onArrival?(id)
            }
        }
    }

    private func remember(_ details: TrackDetails, for id: EntryID) {
        if known.updateValue(details, forKey: id) != nil { age.removeAll { $0 == id } }
        age.append(id)
        if age.count > EntryDetails.capacity { known.removeValue(forKey: age.removeFirst()) }
    }

    /// Arrivals between two looks at how large the picture cache has grown.
    private static let trimInterval = 64
    private var arrivals = 0

    private func trimNowAndThen() {
        arrivals += 1
        if arrivals % EntryDetails.trimInterval == 1 { trimArtwork() }
    }

    /// Brings the picture cache below its bound, in a while.
    func trimArtwork() { reader.trimArtwork(to: artworkLimit, keeping: artwork) }

    /// Pictures that are shown or may be in a moment.
    private var artwork: Set<MediaURI> { Set(known.values.compactMap(\.artwork)) }
}
