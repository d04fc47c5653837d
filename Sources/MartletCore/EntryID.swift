// SPDX-License-Identifier: Apache-2.0

/// The identity of one queue entry: a counter that is never reused, also across restarts.
///
/// One file queued twice is two entries with two ids; an id survives moves, shuffling and edits of its
/// neighbours. MPRIS shows it as `/org/martlet/Martlet/entry/<n>`.
public struct EntryID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt64

    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    public static func < (left: EntryID, right: EntryID) -> Bool {
        left.rawValue < right.rawValue
    }

    public var description: String { "entry \(rawValue)" }
}

/// Gives out entry ids, each once.
///
/// That none is given out twice across restarts is the session's part: it hands a start to this which lies above
/// everything given out before.
public struct EntryIDSource: Hashable, Sendable {
    /// The number of the id that will be given out next.
    public private(set) var upcoming: UInt64

    public init(startingAt upcoming: UInt64) {
        self.upcoming = upcoming
    }

    public mutating func next() -> EntryID {
        defer { upcoming += 1 }
        return EntryID(upcoming)
    }
}
