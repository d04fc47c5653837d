// SPDX-License-Identifier: Apache-2.0

/// Every command the desktop may send, in the idiom of `MPRemoteCommandCenter`.
///
/// Give each command you can follow a handler, and keep ``RemoteCommand/isEnabled`` true to what it would do: GNOME hides a
/// player whose `CanPlay` is false, KDE greys the buttons out.
@MainActor
public final class RemoteCommandCenter {
    /// Starts or resumes. `CanPlay`: true whenever there is anything to play, also while playing.
    public let play = RemoteCommand<Void>()
    /// Pauses; never toggles. `CanPause`: a quality of the track, not of the state.
    public let pause = RemoteCommand<Void>()
    /// The media key. Without a handler it becomes ``play`` or ``pause`` by the playback state.
    public let togglePlayPause = RemoteCommand<Void>()
    /// Stops; a play afterwards begins the track at its beginning.
    public let stop = RemoteCommand<Void>()
    /// The entry after. Paused stays paused. `CanGoNext`.
    public let nextTrack = RemoteCommand<Void>()
    /// The entry before. `CanGoPrevious`.
    public let previousTrack = RemoteCommand<Void>()
    /// Moves by a signed offset. Without a handler it becomes ``changePlaybackPosition`` within the track and
    /// ``nextTrack`` past its end, as MPRIS' `Seek` asks; past the end of the last track it becomes a change to the end.
    ///
    /// Arrives only while ``changePlaybackPosition`` can be used and the state is not stopped: `CanSeek` speaks for both.
    public let skip = RemoteCommand<SkipEvent>()
    /// Moves to a position within the current track. `CanSeek`. Stale ids, positions outside the track, and anything while
    /// the state is stopped never arrive.
    public let changePlaybackPosition = RemoteCommand<PlaybackPositionEvent>()
    /// Wants another speed; finite and above 0, the handler clamps. A rate of 0 arrives as ``pause``.
    public let changePlaybackRate = RemoteCommand<PlaybackRateEvent>()
    /// Wants another way of repeating. `LoopStatus` can be written while it has a handler.
    public let changeRepeatMode = RemoteCommand<RepeatModeEvent>()
    /// Wants the list shuffled, or not. `Shuffle` can be written while it has a handler.
    public let changeShuffleMode = RemoteCommand<ShuffleModeEvent>()
    /// Wants another volume; finite and at least 0, the handler clamps above.
    public let changeVolume = RemoteCommand<VolumeEvent>()
    /// Opens a URI whose scheme the identity lists, and plays it.
    public let openURI = RemoteCommand<OpenURIEvent>()
    /// Brings a window forward. `CanRaise`.
    public let raise = RemoteCommand<Void>()
    /// Ends the program. `CanQuit`. The reply is sent before the handler is called.
    public let quit = RemoteCommand<Void>()
    /// Fills the screen. Without a handler neither `Fullscreen` nor `CanSetFullscreen` is offered.
    public let setFullscreen = RemoteCommand<FullscreenEvent>()

    init(changed: @escaping @MainActor () -> Void) {
        for command in [play, pause, togglePlayPause, stop, nextTrack, previousTrack, raise, quit] {
            command.changed = changed
        }
        skip.changed = changed
        changePlaybackPosition.changed = changed
        changePlaybackRate.changed = changed
        changeRepeatMode.changed = changed
        changeShuffleMode.changed = changed
        changeVolume.changed = changed
        openURI.changed = changed
        setFullscreen.changed = changed
    }
}

/// A wish to move by an offset.
public struct SkipEvent: Hashable, Sendable {
    /// Negative goes back. The target is relative to the position when the command is taken.
    public var offset: Duration
}

/// A wish to be at a position.
public struct PlaybackPositionEvent: Hashable, Sendable {
    /// The current track's.
    public var trackID: TrackID
    /// Within the track.
    public var position: Duration
}

/// A wish for a speed.
public struct PlaybackRateEvent: Hashable, Sendable {
    /// 1 is as recorded.
    public var rate: Double
}

/// A wish for a way of repeating.
public struct RepeatModeEvent: Hashable, Sendable {
    /// One of MPRIS' three; other words never arrive.
    public var mode: RepeatMode
}

/// A wish for or against shuffling. Writing what is already reported must change nothing (F071).
public struct ShuffleModeEvent: Hashable, Sendable {
    /// The wish.
    public var isShuffled: Bool
}

/// A wish for a volume.
public struct VolumeEvent: Hashable, Sendable {
    /// The slider: 0 is silence, 1 the sensible maximum.
    public var volume: Double
}

/// A wish to play a URI.
public struct OpenURIEvent: Hashable, Sendable {
    /// As the caller wrote it; the scheme is a supported one.
    public var uri: String
}

/// A wish for or against the whole screen.
public struct FullscreenEvent: Hashable, Sendable {
    /// The wish.
    public var isFullscreen: Bool
}
