// SPDX-License-Identifier: Apache-2.0
import MartletCore
import Synchronization

/// The item playbin is to play next, filled by the main actor and emptied by a streaming thread.
///
/// `about-to-finish` must be answered before it returns, so this is a lock and not an actor.
/// Writer: `GStreamerEngine` (main actor). Taker: `aboutToFinish` in EngineTrampolines.swift.
final class NextURISlot: Sendable {
    private struct Content {
        var waiting: EngineItem?
        var taken: EngineItem?
        var isHandingOver = false
    }

    private let content = Mutex(Content())

    /// Replaces what waits in the slot; what was taken before cannot be called back.
    func fill(_ next: EngineItem?) {
        content.withLock { $0.waiting = next }
    }

    /// Empties the slot; only one caller ever gets an item that was put in once.
    func take() -> EngineItem? {
        content.withLock { content in
            guard let item = content.waiting else { return nil }
            content = Content(waiting: nil, taken: item, isHandingOver: true)
            return item
        }
    }

    /// Says that what was taken will not be played after all, or that the main actor has heard of it.
    func endHandOver() {
        content.withLock { $0.isHandingOver = false }
    }

    /// Whether something was taken of which the main actor has not heard yet: playbin already answers for it.
    var isHandingOver: Bool {
        content.withLock { $0.isHandingOver }
    }

    /// What was taken last: the main actor may have put in another by the time it hears of it.
    var lastTaken: EngineItem? {
        content.withLock { $0.taken }
    }
}
