// SPDX-License-Identifier: Apache-2.0

/// Where playback is at a given moment, without asking anybody and without a timer.
///
/// A value of four numbers: an anchor position, the moment it was true, the rate, and whether time moves it. It is
/// anchored anew by events only (start, pause, a landed seek, a rate change, a track's edge) and extrapolates in
/// between. An anchor in the future is a track whose sound has not begun: the position waits at the anchor.
public struct PlaybackClock: Hashable, Sendable {
    public private(set) var anchorPosition: Duration
    public private(set) var anchorInstant: Instant
    /// Seconds of track a second of time; never 0.
    public private(set) var rate: Double
    public private(set) var isRunning: Bool
    /// Upper end of every position told; `nil` while unknown or for a live stream.
    public var length: Duration?

    /// A clock that stands.
    public init(position: Duration = .zero, at instant: Instant, rate: Double = 1, length: Duration? = nil) {
        anchorPosition = position
        anchorInstant = instant
        self.rate = rate
        isRunning = false
        self.length = length
    }

    /// The position at a moment, within 0…``length``.
    public func position(at instant: Instant) -> Duration {
        var position = anchorPosition
        if isRunning, instant > anchorInstant {
            // Through a Double a day loses picoseconds: not where nothing is scaled.
            let elapsed = instant - anchorInstant
            position += rate == 1 ? elapsed : elapsed * rate
        }
        if let length, position > length { position = length }
        return max(position, .zero)
    }

    /// When the position will be reached; `nil` for a clock that stands, and for a position already passed its anchor.
    public func instant(reaching position: Duration) -> Instant? {
        guard isRunning, position >= anchorPosition else { return nil }
        return anchorInstant + (position - anchorPosition) / rate
    }

    /// Sets the position; `instant` may lie ahead.
    public mutating func anchor(at position: Duration, instant: Instant, isRunning: Bool) {
        anchorPosition = position
        anchorInstant = instant
        self.isRunning = isRunning
    }

    /// Lets time move the position on from where it is.
    public mutating func run(from instant: Instant) {
        guard !isRunning else { return }
        anchor(at: position(at: instant), instant: instant, isRunning: true)
    }

    /// Holds the position where it is.
    public mutating func hold(at instant: Instant) {
        guard isRunning else { return }
        anchor(at: position(at: instant), instant: instant, isRunning: false)
    }

    /// Changes the speed; the position at `instant` stays.
    public mutating func setRate(_ rate: Double, at instant: Instant) {
        guard rate != self.rate else { return }
        if isRunning, instant > anchorInstant {
            anchor(at: position(at: instant), instant: instant, isRunning: true)
        }
        self.rate = rate
    }
}
