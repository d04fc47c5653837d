// SPDX-License-Identifier: Apache-2.0

/// How far a scan is.
public struct ScanProgress: Hashable, Sendable {
    public enum Phase: Hashable, Sendable {
        /// Looking for what is new.
        case walking
        /// Reading it.
        case reading
        case finished
    }

    public var phase = Phase.walking
    /// Audio files seen.
    public var found = 0
    /// Files that are to be read in this scan, as far as is known.
    public var wanted = 0
    /// Files that were read, with or without success.
    public var read = 0
    /// Files that gave nothing; ``LibraryReader/failures(page:)`` tells why.
    public var failed = 0
    /// Files read a second, since reading began; 0 before.
    public var rate = 0.0
    /// Until everything is read, at this rate; `nil` while that is not known.
    public var remaining: Duration?

    public init() {}
}

/// What came of a scan.
public struct ScanReport: Hashable, Sendable {
    public var progress = ScanProgress()
    /// Files that are no longer there.
    public var missing = 0
    /// Files that were found under another name, and not read again.
    public var moved = 0
    /// Roots that could not be reached; everything about them was kept.
    public var offline: [RootID] = []
    /// Folders that could not be looked into, at most 1,000; what is known of them was kept.
    public var problems: [ScanProblem] = []
    /// It was stopped before its end; the next one goes on where it was.
    public var wasCancelled = false

    static let mostProblems = 1000

    public init() {}
}
