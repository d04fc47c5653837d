// SPDX-License-Identifier: Apache-2.0

/// The clock and the alarm of everything on the main actor; a parameter, so that tests own time.
@MainActor
public protocol Timekeeper: AnyObject {
    /// The monotonic clock now.
    var now: Instant { get }

    /// Calls back once, on the main actor, not before the moment, and never from inside this call.
    func alarm(at instant: Instant, _ action: @escaping @MainActor () -> Void) -> any Alarm
}

/// A wish to be called back.
@MainActor
public protocol Alarm: AnyObject {
    /// Never called back after this. Calling again does nothing.
    func cancel()
}
