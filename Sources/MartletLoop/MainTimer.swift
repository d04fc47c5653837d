// SPDX-License-Identifier: Apache-2.0
internal import CMartletLoop
internal import Dispatch
internal import Glibc

/// Calls once, later, on the main actor; arming it again replaces the earlier call. Disarmed it wakes nobody.
///
/// The clock is the monotonic one, which stands still while the machine sleeps.
@MainActor
public final class MainTimer {
    private var source: (any DispatchSourceTimer)?
    private var action: (@MainActor () -> Void)?

    public init() {}

    /// Nanoseconds on the timers' clock.
    public nonisolated static var now: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    public var isArmed: Bool { action != nil }

    /// - Parameter delay: What is not above zero calls on a later turn, too, never at once.
    public func arm(after delay: Duration, _ action: @escaping @MainActor () -> Void) {
        let (seconds, attoseconds) = max(delay, .zero).components
        let (whole, isTooLong) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isTooLate) = MainTimer.now.addingReportingOverflow(whole)
        arm(at: isTooLong || isTooLate ? .max - 1 : sum + UInt64(attoseconds / 1_000_000_000), action)
    }

    /// - Parameter deadline: As ``now``; what is past calls on a later turn.
    public func arm(at deadline: UInt64, _ action: @escaping @MainActor () -> Void) {
        self.action = action
        if let loop = MainLoop.current {
            loop.arm(self, for: deadline)
        } else {
            (source ?? makeSource()).schedule(
                deadline: DispatchTime(uptimeNanoseconds: deadline), leeway: .microseconds(500))
        }
    }

    public func disarm() {
        guard action != nil else { return }
        action = nil
        source?.schedule(deadline: .distantFuture)
        MainLoop.current?.disarm(ObjectIdentifier(self))
    }

    func fire() {
        guard let action else { return }
        self.action = nil
        action()
    }

    private func makeSource() -> any DispatchSourceTimer {
        let source = DispatchSource.makeTimerSource(queue: .main)
        source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.fire() } }
        source.activate()
        self.source = source
        return source
    }

    isolated deinit {
        source?.cancel()
        MainLoop.current?.disarm(ObjectIdentifier(self))
    }
}
