// SPDX-License-Identifier: Apache-2.0

/// Everything that can happen to the player.
public enum PlayerInput: Sendable {
    case command(PlayerCommand)
    case engine(EngineEvent)
    /// A timer asked for by ``PlayerEffect/schedule(_:at:)`` is due.
    case timer(PlayerTimer)
    /// The length of an entry became known from its tags or a database.
    case lengthKnown(EntryID, Duration)
    /// The machine slept or was suspended and time passed that nobody heard.
    case resumedFromSuspend(position: Duration?)
}

/// What somebody wants of the player.
public enum PlayerCommand: Sendable {
    case play
    case pause
    case togglePlayPause
    case stop
    case next
    /// By the `previous` setting: the entry before, or this one's start.
    case previous
    /// The entry before, whatever the setting says.
    case previousEntry
    /// This entry's start.
    case restart
    /// Moves the position by a signed offset; past the end acts as ``next``, before the start means the start.
    case seek(by: Duration)
    /// Sets the position of an entry; ignored if another is current or the position lies outside the track.
    case setPosition(EntryID, Duration)
    case setLoopMode(LoopMode)
    case setShuffleMode(ShuffleMode)
    /// Whether entries leave the queue once they were heard.
    case setConsumes(Bool)
    /// The entry after which playing stops, once; `nil`, or one that is not in the queue: none.
    case setStopAfter(EntryID?)
    /// Speed, clamped to 0.5…2.0; 0 acts as ``pause``.
    case setRate(Double)
    /// The cubic slider, clamped to 0…1.
    case setVolume(Double)
    case setMuted(Bool)
    /// Plays an entry, whatever was playing.
    case goTo(EntryID)
    case edit(QueueEdit)
    /// Prerolls the current entry so that ``play`` is instant.
    case prepare
}

/// A moment the machine wants to be woken at.
public enum PlayerTimer: Hashable, Sendable {
    /// The taken entry becomes audible.
    case edge
    /// Loads that came in quick succession may now be ordered.
    case settle
}
