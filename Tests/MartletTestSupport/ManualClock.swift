// SPDX-License-Identifier: Apache-2.0
public import MartletCore

/// Time that passes when a test says so.
@MainActor
public final class ManualClock: Timekeeper {
    public private(set) var now: Instant
    private var alarms: [ManualAlarm] = []

    public init(now: Instant = Instant(sinceOrigin: .seconds(1000))) {
        self.now = now
    }

    public func alarm(at instant: Instant, _ action: @escaping @MainActor () -> Void) -> any Alarm {
        let alarm = ManualAlarm(due: instant, action: action)
        alarms.append(alarm)
        return alarm
    }

    /// How many alarms are waiting; 0 in steady play, where nothing may tick.
    public var waiting: Int { alarms.count { !$0.isOver } }

    /// Lets time pass, ringing each alarm at its own moment, in order.
    public func advance(by duration: Duration) {
        let end = now + duration
        while let next = alarms.filter({ !$0.isOver && $0.due <= end }).min(by: { $0.due < $1.due }) {
            now = max(now, next.due)
            next.isOver = true
            next.action()
        }
        now = end
        alarms.removeAll(where: \.isOver)
    }
}

@MainActor
private final class ManualAlarm: Alarm {
    let due: Instant
    let action: @MainActor () -> Void
    var isOver = false

    init(due: Instant, action: @escaping @MainActor () -> Void) {
        self.due = due
        self.action = action
    }

    func cancel() {
        isOver = true
    }
}
