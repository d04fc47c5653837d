// SPDX-License-Identifier: Apache-2.0

/// What the desktop shows: the track, its state, its position; in the idiom of `MPNowPlayingInfoCenter`.
///
/// Setting something never sends a signal by itself. The changes of one turn of the main queue (or of one remote command)
/// are compared with what was last told and sent as one: set things in any order, as often as you like.
@MainActor
public final class NowPlayingInfoCenter {
    /// The current track, or `nil` when there is none. Replace it whole on every track change.
    public var nowPlayingInfo: NowPlayingInfo? { didSet { if nowPlayingInfo != oldValue { noteInfo() } } }
    /// Playing, paused or stopped: the listener's wish, not the pipeline's mood.
    public var playbackState = NowPlayingPlaybackState.stopped {
        didSet { if playbackState != oldValue { changed() } }
    }
    /// Where playback is. Setting it tells nobody: `Position` is asked for, never announced.
    public var timeline = PlaybackTimeline()
    /// `nil`: the player does not repeat, and `LoopStatus` is not offered.
    public var repeatMode: RepeatMode? = .off { didSet { if repeatMode != oldValue { changed() } } }
    /// `nil`: the player does not shuffle, and `Shuffle` is not offered.
    public var isShuffled: Bool? = false { didSet { if isShuffled != oldValue { changed() } } }
    /// The slider: 0 is silence, 1 the sensible maximum; negative and non-finite values show as 0.
    public var volume = 1.0 { didSet { if volume != oldValue { changed() } } }
    /// The wanted speed, never 0: pausing is ``playbackState``'s matter. Shown within ``rates``; what is no speed shows as 1.
    public var rate = 1.0 { didSet { if rate != oldValue { changed() } } }
    /// The speeds there are. Widened to hold 1, as MPRIS asks, where it does not.
    public var rates: ClosedRange<Double> = 1...1 { didSet { if rates != oldValue { changed() } } }
    /// Whether the window fills the screen; shown only while ``RemoteCommandCenter/setFullscreen`` has a handler.
    public var isFullscreen = false { didSet { if isFullscreen != oldValue { changed() } } }

    private let changed: @MainActor () -> Void
    /// The metadata as the bus has it; made once a track, read at every `GetAll`.
    private(set) var metadata = MetadataMap(nil)
    private var jumps: [Duration] = []

    init(changed: @escaping @MainActor () -> Void) {
        self.changed = changed
    }

    /// Tells everybody who extrapolates that the position jumped: `Seeked`, after the change it belongs to.
    ///
    /// Set ``timeline`` too; this only announces. Needed "when the track position has changed in a way that is inconsistent
    /// with the current playing state" (MPRIS 2.2), so not at an ordinary start of a track.
    /// - Parameter position: Where the jump landed; limited to 0…length (F021).
    public func announceSeek(to position: Duration) {
        let position = max(position, .zero)
        jumps.append(nowPlayingInfo?.knownLength.map { min(position, $0) } ?? position)
        changed()
    }

    /// The position now, 0…length.
    public var position: Duration {
        timeline.position(at: PlaybackTimeline.now, length: nowPlayingInfo?.knownLength)
    }

    /// The jumps announced since the last call, oldest first.
    func takeJumps() -> [Duration] {
        defer { jumps.removeAll() }
        return jumps
    }

    private func noteInfo() {
        metadata = MetadataMap(nowPlayingInfo)
        changed()
    }
}

extension NowPlayingInfo {
    /// The length, where it means anything.
    var knownLength: Duration? {
        guard let length, length > .zero else { return nil }
        return length
    }
}

/// What clients see of values that a program may set to anything.
extension NowPlayingInfoCenter {
    /// R076: never negative.
    var shownVolume: Double { volume.isFinite ? max(volume, 0) : 0 }

    /// R083, R084: `MinimumRate` ≤ 1 ≤ `MaximumRate`.
    var shownRates: ClosedRange<Double> {
        let (least, most) = (rates.lowerBound, rates.upperBound)
        return (least.isFinite ? min(least, 1) : 1)...(most.isFinite ? max(most, 1) : 1)
    }

    /// R065: within the rates and never 0 (F077).
    var shownRate: Double {
        guard rate.isFinite, rate > 0 else { return 1 }
        return min(max(rate, shownRates.lowerBound), shownRates.upperBound)
    }
}
