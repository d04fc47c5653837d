// SPDX-License-Identifier: Apache-2.0

/// Something to be queued: a source, or a part of one, and what is already known of it.
public struct NewEntry: Hashable, Sendable {
    public var uri: MediaURI
    /// The part of the source to play (a CUE track, a bookmark); all of it by default.
    public var start: Duration
    public var end: Duration?
    /// What groups entries for shuffling by album; `nil` stands alone.
    public var albumKey: String?
    /// See ``QueueEntry/priority``.
    public var priority: UInt8

    public init(
        uri: MediaURI, start: Duration = .zero, end: Duration? = nil, albumKey: String? = nil, priority: UInt8 = 0
    ) {
        self.uri = uri
        self.start = start
        self.end = end
        self.albumKey = albumKey
        self.priority = priority
    }
}

/// A change of the queue.
public enum QueueEdit: Hashable, Sendable {
    /// Puts these in place of everything and plays from the given index; stops if there are none.
    case replace([NewEntry], startingAt: Int)
    /// Puts these at the end.
    case append([NewEntry])
    /// Puts these after the current entry, behind what earlier calls put there.
    case playNext([NewEntry])
    /// Puts these behind an entry, or at the start; an unknown entry means the end.
    case insert([NewEntry], after: EntryID?)
    /// Puts these so that the first of them stands at a position, clamped to the list.
    case insertAt([NewEntry], position: Int)
    /// Puts these after the current entry and plays the first of them: what `OpenUri` means.
    case open([NewEntry])
    case remove([EntryID])
    /// Moves entries, in their order, behind another, or to the start.
    case move([EntryID], after: EntryID?)
    /// Moves the entries at these positions so that the first stands at a position of the list without them.
    case moveRange(Range<Int>, to: Int)
    case removeRange(Range<Int>)
    case setPriority([EntryID], UInt8)
    case clear
    case undo
    case redo
}
