// SPDX-License-Identifier: Apache-2.0
internal import Glibc
public import MartletCore
internal import MartletLoop

/// The system's clock and the main actor's timers: nothing ticks while nobody waits.
@MainActor
public final class SystemTimekeeper: Timekeeper {
    public init() {}

    public var now: Instant {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(sinceOrigin: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
    }

    public func alarm(at instant: Instant, _ action: @escaping @MainActor () -> Void) -> any Alarm {
        MainTimerAlarm(after: instant - now, action)
    }
}

@MainActor
private final class MainTimerAlarm: Alarm {
    private let timer = MainTimer()

    init(after delay: Duration, _ action: @escaping @MainActor () -> Void) {
        timer.arm(after: delay, action)
    }

    func cancel() {
        timer.disarm()
    }
}
