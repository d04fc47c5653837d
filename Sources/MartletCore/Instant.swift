// SPDX-License-Identifier: Apache-2.0

/// A moment on the monotonic clock: what `CLOCK_MONOTONIC` reads, as a `Duration` since its unspecified origin.
///
/// The machine never asks for the time; whoever calls it passes the moment in, so a test can own time
/// (`clock_gettime(2)`: the clock does not count suspended time and never steps back).
public struct Instant: Hashable, Comparable, Sendable {
    /// Time since the clock's origin.
    public let sinceOrigin: Duration

    public init(sinceOrigin: Duration) {
        self.sinceOrigin = sinceOrigin
    }

    public static func < (left: Instant, right: Instant) -> Bool {
        left.sinceOrigin < right.sinceOrigin
    }

    public static func + (instant: Instant, duration: Duration) -> Instant {
        Instant(sinceOrigin: instant.sinceOrigin + duration)
    }

    public static func - (instant: Instant, duration: Duration) -> Instant {
        Instant(sinceOrigin: instant.sinceOrigin - duration)
    }

    /// How long after `earlier` this moment is; negative when it is before.
    public static func - (later: Instant, earlier: Instant) -> Duration {
        later.sinceOrigin - earlier.sinceOrigin
    }
}
