// SPDX-License-Identifier: Apache-2.0
internal import MartletCore

/// Holds the announcement of a track back, for a moment, until everything about it is known (DESIGN §8, First Metadata).
///
/// Read-ahead makes this rare. While it lasts, clients see the track before, whole; who asked for the new one gets the reply
/// with the announcement.
@MainActor
final class MetadataHold {
    /// How long an announcement may wait for tags.
    static let longest = Duration.milliseconds(100)

    private let timekeeper: any Timekeeper
    private var alarm: (any Alarm)?
    private var waiting: [@MainActor () -> Void] = []

    init(timekeeper: any Timekeeper) {
        self.timekeeper = timekeeper
    }

    var isHolding: Bool { alarm != nil }

    /// Begins to hold; `expired` is called if nothing ends it in time.
    func begin(_ expired: @escaping @MainActor () -> Void) {
        guard alarm == nil else { return }
        alarm = timekeeper.alarm(at: timekeeper.now + MetadataHold.longest, expired)
    }

    /// The announcement has been made: those who wait are answered.
    func end() {
        alarm?.cancel()
        alarm = nil
        let ready = waiting
        waiting.removeAll()
        for action in ready { action() }
    }

    /// Runs the action now, or once the announcement is made.
    func whenAnnounced(_ action: @escaping @MainActor () -> Void) {
        if isHolding { waiting.append(action) } else { action() }
    }
}
