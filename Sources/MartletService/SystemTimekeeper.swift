// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Glibc
public import MartletCore

/// The system's clock and Dispatch's timers: nothing ticks while nobody waits.
@MainActor
public final class SystemTimekeeper: Timekeeper {
    public init() {}

    public var now: Instant {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(sinceOrigin: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
    }

    public func alarm(at instant: Instant, _ action: @escaping @MainActor () -> Void) -> any Alarm {
        DispatchAlarm(after: max(instant - now, .zero), action)
    }
}

@MainActor
private final class DispatchAlarm: Alarm {
    private let source: any DispatchSourceTimer

    init(after delay: Duration, _ action: @escaping @MainActor () -> Void) {
        source = DispatchSource.makeTimerSource(queue: .main)
        source.schedule(deadline: .now() + .nanoseconds(Int(delay.nanoseconds)), leeway: .nanoseconds(500_000))
        source.setEventHandler {
            MainActor.assumeIsolated { action() }
        }
        source.activate()
    }

    func cancel() {
        source.cancel()
    }
}
