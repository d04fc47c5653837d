// SPDX-License-Identifier: Apache-2.0
import Dispatch
import MartletCore
import MartletLoop
import Synchronization

/// The item playbin is to play next, filled by the main actor and emptied by a streaming thread.
///
/// `about-to-finish` must be answered before it returns, so this is a lock and not an actor. The answer is put off
/// as long as the device has sound enough, for what was taken cannot be called back: an edit or a seek in a track's last
/// seconds should find nothing taken.
/// Writer: `GStreamerEngine` (main actor) and, for ``open(for:)``, the pipeline's control queue. Taker:
/// `aboutToFinish` in EngineTrampolines.swift.
final class NextURISlot: Sendable {
    private struct Content {
        var waiting: EngineItem?
        /// Taken, and not yet heard of by the main actor; oldest first.
        var taken: [EngineItem] = []
        /// The load whose end may take; `nil` from the moment another is wanted until that one has begun.
        var openLoad: UInt64?
        var load: UInt64 = 0
        /// The seek that is on its way: whatever ends before its flush is not the end.
        var seek: UInt64?
        /// The seek whose flush is the next one.
        var flushing: UInt64?
        /// Whoever waits must not wait any longer.
        var isUrgent = false
        var isAwaited = false
    }

    private let content = Guarded(Content())
    private let changed = DispatchSemaphore(value: 0)

    // MARK: Main actor

    /// Replaces what waits in the slot; what was taken before cannot be called back.
    func fill(_ next: EngineItem?) {
        change { $0.waiting = next }
    }

    /// From here on nothing is taken until the load with this number has begun.
    func close(for load: UInt64) {
        change { $0 = Content(waiting: $0.waiting, load: load, isAwaited: $0.isAwaited) }
    }

    /// Forbids taking until a seek has flushed the pipeline.
    ///
    /// - Returns: Whether that came in time; if not, playbin already plays on into what was taken.
    func hold(for seek: UInt64) -> Bool {
        change { content in
            guard content.taken.isEmpty else { return false }
            content.seek = seek
            return true
        }
    }

    /// No seek is on its way any more.
    func release() {
        change { $0.seek = nil }
    }

    /// Whoever puts off the choice makes it now: a pipeline that is to pause must not be kept from what flows next.
    func hurry() {
        change { $0.isUrgent = $0.isAwaited }
    }

    /// Whether something was taken of which the main actor has not heard yet: playbin already answers for it.
    var isHandingOver: Bool {
        content.withLock { !$0.taken.isEmpty }
    }

    /// Hears of what was taken.
    func receive(_ entry: EntryID) -> EngineItem? {
        content.withLock { content in
            content.taken.firstIndex { $0.entry == entry }.map { content.taken.remove(at: $0) }
        }
    }

    // MARK: The pipeline's threads

    /// The load has begun: its end may take. Nothing happens when another is wanted by now.
    func open(for load: UInt64) {
        change { if $0.load == load { $0.openLoad = load } }
    }

    /// The seek is being carried out.
    func begin(seek: UInt64) {
        change { $0.flushing = seek }
    }

    /// The pipeline was flushed: from here on what ends is what the seek led to, unless another seek is to follow.
    func noteFlush() {
        change { if $0.seek == $0.flushing { $0.seek = nil } }
    }

    /// Empties the slot when the time has come; only one caller ever gets an item that was put in once.
    ///
    /// - Parameter timeLeft: How long nobody would notice a delay, asked again after every wait; `nil`: not at all.
    func take(timeLeft: () -> Duration?) -> EngineItem? {
        defer {
            content.withLock {
                $0.isAwaited = false
                $0.isUrgent = false
            }
        }
        while true {
            let deadline = timeLeft().map { DispatchTime.now() + .nanoseconds(Int(clamping: $0.gstTime)) }
            let (isDecided, item) = content.withLock { content -> (Bool, EngineItem?) in
                guard content.openLoad == content.load, content.seek == nil else { return (true, nil) }
                if deadline != nil, !content.isUrgent, content.waiting?.uri.scheme ?? "file" == "file" {
                    content.isAwaited = true
                    return (false, nil)
                }
                guard let item = content.waiting else { return (true, nil) }
                content.waiting = nil
                content.taken.append(item)
                return (true, item)
            }
            if isDecided { return item }
            if let deadline { _ = changed.wait(timeout: deadline) }
        }
    }

    /// Says that what was taken will not be played after all.
    func putBack(_ item: EngineItem) {
        content.withLock { content in
            if let index = content.taken.lastIndex(of: item) { content.taken.remove(at: index) }
        }
    }

    private func change<Result: Sendable>(_ body: (inout sending Content) -> sending Result) -> Result {
        let (result, isAwaited) = content.withLock { content in
            let result = body(&content)
            return (result, content.isAwaited)
        }
        if isAwaited { changed.signal() }
        return result
    }
}
