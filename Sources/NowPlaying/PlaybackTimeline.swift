// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// Where playback is and how it moves on: position, the moment it was true, rate. Not a timer.
///
/// The center computes `Position` from it whenever somebody asks, so nothing has to be updated while music plays steadily.
public struct PlaybackTimeline: Hashable, Sendable {
    /// At ``instant``.
    public var position: Duration
    /// On the monotonic clock (`CLOCK_MONOTONIC`), since its origin. May lie ahead: then the position waits until then.
    public var instant: Duration
    /// Seconds of track in a second.
    public var rate: Double
    /// Whether sound moves the position on: false while paused, buffering, or landing from a seek.
    public var isRunning: Bool

    /// A position at a moment.
    ///
    /// - Parameters:
    ///   - position: Into the track.
    ///   - instant: When `position` is true; now by default.
    ///   - rate: How fast it moves on.
    ///   - isRunning: Whether it moves on at all.
    public init(
        position: Duration = .zero, instant: Duration = PlaybackTimeline.now, rate: Double = 1, isRunning: Bool = false
    ) {
        self.position = position
        self.instant = instant
        self.rate = rate
        self.isRunning = isRunning
    }

    /// The monotonic clock now.
    public static var now: Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// The position at a moment, at least 0 and at most `length`.
    public func position(at instant: Duration, length: Duration?) -> Duration {
        var position = self.position
        if isRunning, instant > self.instant {
            let elapsed = instant - self.instant
            // A rate that is no number, or out of this world, must not trap in the multiplication.
            let rate = rate.isFinite ? min(max(rate, -1000), 1000) : 1
            position += rate == 1 ? elapsed : elapsed * rate
        }
        if let length, position > length { position = length }
        return max(position, .zero)
    }
}

extension Duration {
    /// Whole microseconds, MPRIS' unit, rounded down; limited to what 64 bits hold.
    var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, overflowed) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
        return overflowed ? (seconds < 0 ? .min : .max) : sum
    }
}
