// SPDX-License-Identifier: Apache-2.0
import Dispatch

/// Calls once, later, on the main actor; arming it again replaces the earlier call. Asleep it costs nothing.
@MainActor
final class OneShotTimer {
    private var pending: DispatchWorkItem?

    var isArmed: Bool { pending != nil }

    func arm(after delay: Duration, _ action: @escaping @MainActor () -> Void) {
        pending?.cancel()
        let item = DispatchWorkItem { [weak self] in
            MainActor.assumeIsolated {
                self?.pending = nil
                action()
            }
        }
        pending = item
        DispatchQueue.main.asyncAfter(deadline: .now() + .nanoseconds(Int(max(0, delay.seconds) * 1e9)), execute: item)
    }

    func disarm() {
        pending?.cancel()
        pending = nil
    }
}
