// SPDX-License-Identifier: Apache-2.0

/// One place in the queue.
public struct QueueEntry: Hashable, Sendable, Identifiable {
    public let id: EntryID
    public var uri: MediaURI
    /// The part of the source to play: from `start` to `end`, or to the source's own end.
    public var start: Duration
    public var end: Duration?
    /// What groups entries for shuffling by album; `nil` stands alone.
    public var albumKey: String?
    /// While shuffled, entries of higher priority come first; MPD's `prio`.
    public internal(set) var priority: UInt8 = 0
    /// Playing it failed; it is passed over until somebody asks for it again.
    public internal(set) var isUnplayable = false

    public init(id: EntryID, _ new: NewEntry) {
        self.id = id
        uri = new.uri
        start = new.start
        end = new.end
        albumKey = new.albumKey
    }
}

/// What happens at the end: MPRIS' `LoopStatus` None, Track, Playlist.
public enum LoopMode: String, Hashable, Sendable, CaseIterable {
    case none
    case track
    case queue
}

/// In which order the queue is played.
public enum ShuffleMode: String, Hashable, Sendable, CaseIterable {
    case off
    /// Every entry once, in some other order.
    case songs
    /// Every album once, in some other order; inside an album the list's order.
    case albums
}

/// Why the queue moves on.
public enum AdvanceReason: Hashable, Sendable, CaseIterable {
    /// Somebody asked for the next one: repeat-one does not hold.
    case userAsked
    /// The current one is over, or cannot be played.
    case trackEnded
}

/// A small generator of 64-bit numbers whose whole state is one number, so that a session can keep it.
///
/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
public struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
    public private(set) var state: UInt64

    public init(seed: UInt64) {
        state = seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
