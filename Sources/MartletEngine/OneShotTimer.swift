// SPDX-License-Identifier: Apache-2.0
import Dispatch
import MartletCore

/// Calls once, later, on the main actor; arming it again replaces the earlier call. Disarmed it wakes nobody.
@MainActor
final class OneShotTimer {
    private var source: (any DispatchSourceTimer)?
    private var action: (@MainActor () -> Void)?

    var isArmed: Bool { action != nil }

    func arm(after delay: Duration, _ action: @escaping @MainActor () -> Void) {
        self.action = action
        let source = source ?? make()
        source.schedule(
            deadline: .now() + .nanoseconds(Int(clamping: delay.gstTime)), leeway: .milliseconds(1))
    }

    func disarm() {
        guard action != nil else { return }
        action = nil
        source?.schedule(deadline: .distantFuture)
    }

    private func make() -> any DispatchSourceTimer {
        let source = DispatchSource.makeTimerSource(queue: .main)
        source.setEventHandler { [weak self] in
            MainActor.assumeIsolated {
                guard let action = self?.action else { return }
                self?.action = nil
                action()
            }
        }
        source.activate()
        self.source = source
        return source
    }

    isolated deinit {
        source?.cancel()
    }
}
