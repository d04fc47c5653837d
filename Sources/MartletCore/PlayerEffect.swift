// SPDX-License-Identifier: Apache-2.0

/// What the shell must do after an input, in this order.
public enum PlayerEffect: Hashable, Sendable {
    /// Call ``PlayerMachine/settle(at:)`` once the commands at hand are through, and perform its orders.
    case settle
    /// Wake the machine at a moment; replaces an earlier wish for the same timer.
    case schedule(PlayerTimer, at: Instant)
    case cancel(PlayerTimer)
    /// The position jumped: tell everybody who extrapolates.
    case announceSeek(Duration)
    /// An entry stopped being heard.
    case recordHeard(HeardTrack)
    /// Something went wrong; for the log.
    case report(PlaybackProblem)
}

/// One pass of an entry, for counts and history.
public struct HeardTrack: Hashable, Sendable {
    public var entry: EntryID
    public var uri: MediaURI
    /// Track time that was really played, jumps not counted.
    public var heard: Duration
    public var length: Duration?
    /// Whether it was played to its end.
    public var isComplete: Bool
}

/// An order to a ``PlaybackEngine``.
public enum EngineOrder: Hashable, Sendable {
    case start
    case load(EngineItem, at: Duration, playing: Bool)
    case play
    case pause
    case stop
    case seek(to: Duration, id: SeekID)
    case setRate(Double)
    case setVolume(Double)
    case setMuted(Bool)
    case prepareNext(EngineItem?)
}
