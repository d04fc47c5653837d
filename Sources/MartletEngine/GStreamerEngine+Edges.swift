// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletLoop

/// Beginnings and ends: loads, hand-overs, the end of the stream, failures, and the timers that watch over them.
extension GStreamerEngine {
    // MARK: Beginnings

    /// Loads an item in place of whatever is loaded; what is to follow stays as it is.
    func begin(_ item: EngineItem, at position: Duration, playing: Bool) {
        forget()
        guard let pipeline else { return }
        var source = LoadedSource(
            item: item, target: item.start + max(.zero, position), wantsPlaying: playing)
        // Where no seek is needed first, the pipeline need not stop at paused on its way.
        source.startsAtOnce = playing && source.firstTarget == .zero && item.end == nil && rate == 1
        source.orderedState = source.startsAtOnce ? .playing : .paused
        source.announces = playing ? .start : .pause
        self.source = source
        loadTicket = pipeline.load(item.uri, as: loadSerial, to: source.orderedState)
        armWatchdog()
        if playing { watchProgress() }
    }

    /// Opens the current item again where a hand-over already under way makes a seek in it impossible.
    func reload(at target: Duration, id: SeekID?) {
        guard let source else { return }
        let position = target - source.item.start
        begin(source.item, at: position, playing: source.wantsPlaying)
        self.source?.waitingSeek = id ?? source.landing?.id
        self.source?.tags = source.tags
        self.source?.duration = source.duration
        self.source?.isSeekable = source.isSeekable
        next = source.taken.first ?? next
        offerNext()
    }

    /// Lets go of the source on our side: from here on nothing of it is told any more.
    func forget() {
        loadSerial += 1
        isListening = false
        source = nil
        slot.close(for: loadSerial)
        watchdog.disarm()
        stallTimer.disarm()
        disarmEndTimers()
    }

    /// Pauses a station: closed, for what it sent meanwhile would be stale (F202).
    func suspend() {
        guard let source else { return }
        forget()
        var suspended = LoadedSource(item: source.item, target: source.item.start, wantsPlaying: false)
        suspended.phase = .suspended
        suspended.isSeekable = source.isSeekable
        suspended.duration = source.duration
        self.source = suspended
        pipeline?.rest(as: loadSerial)
        later { $0.emit(.paused(source.item.entry, position: .zero)) }
    }

    func order(_ state: PipelineState) {
        guard source?.orderedState != state else { return }
        source?.orderedState = state
        if state == .paused { slot.hurry() }
        pipeline?.change(to: state, during: loadSerial)
    }

    // MARK: Hand-overs

    /// Whether `item` goes on where `earlier` ends, in the same source: then one flows into the other and there is
    /// nothing to hand over (F227).
    private func continues(_ earlier: EngineItem, _ item: EngineItem?) -> Bool {
        guard let item, let end = earlier.end else { return false }
        return item.uri == earlier.uri && item.start == end
    }

    /// Where the pipeline is to stop by itself: at the item's end, unless the next goes on from there.
    var wantedStop: Duration? {
        guard let source, !continues(source.item, next) else { return nil }
        return source.item.end
    }

    /// Puts what is to follow into the slot, when playbin can take it without a gap.
    ///
    /// playbin begins a taken URI at its start; an item that begins further in is left to the load that follows
    /// ``EngineEvent/endOfStream(_:)``.
    func offerNext() {
        guard let source, let next, next.start == .zero, !continues(source.taken.last ?? source.item, next) else {
            slot.fill(nil)
            return
        }
        slot.fill(next)
    }

    func tookNext(_ entry: EntryID) {
        guard source != nil, let item = slot.receive(entry) else { return }
        source?.taken.append(item)
        // What was put in its place in that very instant follows it.
        if next == item { next = nil }
        emit(.tookNext(entry))
    }

    /// A taken item flows; what is still in the device of the old one is heard first.
    func crossEdge(_ segment: SinkSegment) {
        guard let source, let first = source.taken.first else { return }
        // A damaged item may have been passed over in silence: then it is the one after that flows.
        let item = source.taken.first { SourceKey.of($0.uri) == segment.source } ?? first
        let dueAt = segment.dueAt
        let remaining = max(.zero, dueAt - (pipeline?.runningTime() ?? dueAt))
        var crossed = LoadedSource(item: item, target: .zero, wantsPlaying: source.wantsPlaying)
        crossed.phase = .running
        crossed.orderedState = source.orderedState
        crossed.announces = source.announces
        crossed.isBuffering = source.isBuffering
        crossed.landing = source.landing
        crossed.taken = Array(source.taken.drop { $0.entry != item.entry }.dropFirst())
        crossed.takenFailure = source.takenFailure
        crossed.audibleAt = remaining > .zero ? dueAt : nil
        self.source = crossed
        offerNext()
        emit(.crossedEdge(item.entry, remaining: remaining))
        guard self.source?.item == item else { return }
        measure()
        armEndTimers()
    }

    func ended() {
        guard let source, source.landing == nil else { return }
        if !source.taken.isEmpty {
            failTaken(.unsupportedFormat)
            return
        }
        self.source?.phase = .ended
        watchdog.disarm()
        disarmEndTimers()
        emit(.endOfStream(source.item.entry))
    }

    // MARK: Failures

    func failureArrived(_ failure: EngineFailure) {
        guard let source else { return }
        var failure = failure
        if let name = source.missingPlugin, failure.cause != .output {
            failure.cause = .missingPlugin(name)
            failure.message = EngineFailure.sentence(for: failure.cause)
        }
        if let last = source.taken.last, failure.cause != .output {
            // What plays was decoded to its end before the next was taken: it is heard out (F192), then the failure told.
            if source.takenFailure == nil { self.source?.takenFailure = (last.entry, failure) }
            armEndTimers()
            return
        }
        if failure.cause != .output, let due = source.audibleAt, let now = pipeline?.runningTime(), now < due {
            // What came before it is still heard.
            if source.heldFailure == nil { self.source?.heldFailure = failure }
            armEndTimers()
            return
        }
        fail(failure)
    }

    /// Tells a failure, once, and stops.
    func fail(_ failure: EngineFailure, of entry: EntryID? = nil) {
        guard let source else { return }
        let isStuck = pipeline?.isStuck(since: loadTicket) ?? false
        forget()
        next = nil
        slot.fill(nil)
        if isStuck || !source.taken.isEmpty {
            // What follows may still be being put together, and a playbin that is taken down meanwhile can abort the process
            // (gstplaybin2.c, pad_removed_cb: its combiner is gone before the pad).
            replacePipeline()
        } else {
            pipeline?.reset(as: loadSerial, isReplacingSink: failure.cause == .output)
        }
        emit(.failed(entry ?? source.item.entry, failure))
    }

    /// What was taken does not come: tells why, as far as that is known.
    ///
    /// Of several the one that was being opened last is at fault, until the others show that they are.
    func failTaken(_ otherwise: EngineFailure.Cause) {
        guard let source, let last = source.taken.last else { return }
        let (entry, failure) = source.takenFailure ?? (last.entry, EngineFailure(otherwise))
        fail(failure, of: entry)
    }

    // MARK: Timers

    func armWatchdog() {
        watchdog.arm(after: options.watchdog) { [weak self] in self?.fail(EngineFailure(.timedOut)) }
    }

    func disarmEndTimers() {
        endTimer.disarm()
        rangeTimer.disarm()
    }

    /// Sets the alarm for the expected end; called when sound begins to run from a known position.
    func armEndTimers() {
        guard let source, source.phase == .running, source.wantsPlaying else { return }
        if let failure = source.heldFailure {
            let now = pipeline?.runningTime() ?? .zero
            endTimer.arm(after: max(.zero, (source.audibleAt ?? now) - now)) { [weak self] in self?.fail(failure) }
            return
        }
        armRangeTimer()
        guard let remaining = timeToEnd() else {
            endTimer.disarm()
            return
        }
        endTimer.arm(after: remaining + .milliseconds(250)) { [weak self] in self?.endIsDue() }
    }

    /// Time until the item has been heard, at the current rate.
    private func timeToEnd() -> Duration? {
        guard let source, let duration = source.duration ?? nil, let pipeline else { return nil }
        let end = source.item.start + duration
        if let due = source.audibleAt, let now = pipeline.runningTime(), now < due {
            return due - now + duration / rate
        }
        guard let position = pipeline.position() else { return nil }
        return max(.zero, end - position) / rate
    }

    /// Whether what is left to hear may all have been read already: playbin's queues hold megabytes.
    var isNearEnd: Bool {
        guard let remaining = timeToEnd() else { return false }
        return remaining < .seconds(8)
    }

    /// The end should have been heard: if nothing moves any more, it has been (F185).
    private func endIsDue() {
        guard let source, let pipeline, let duration = source.duration ?? nil, source.landing == nil else { return }
        let position = pipeline.position() ?? .zero
        guard source.item.start + duration - position < .milliseconds(400) else {
            // Held up on the way, by a buffer or a clock that runs slow.
            if !source.isBuffering { armEndTimers() }
            return
        }
        guard let before = source.positionAtEnd, position - before < .milliseconds(10) else {
            self.source?.positionAtEnd = position
            endTimer.arm(after: .milliseconds(500)) { [weak self] in self?.endIsDue() }
            return
        }
        if !source.taken.isEmpty, source.takenFailure == nil {
            // The next is being opened; it gets the time that a load gets.
            endTimer.arm(after: options.watchdog) { [weak self] in self?.failTaken(.timedOut) }
            return
        }
        ended()
    }

    // MARK: Ranges

    /// Before the end of a range it is decided whether playing stops there or goes on into the next.
    func armRangeTimer() {
        guard let source, source.phase == .running, source.orderedState == .playing, source.landing == nil,
            let end = source.item.end, let position = pipeline?.position()
        else {
            rangeTimer.disarm()
            return
        }
        let remaining = (end - position) / rate
        if remaining > GStreamerEngine.rangeLead {
            rangeTimer.arm(after: remaining - GStreamerEngine.rangeLead) { [weak self] in self?.settleRange() }
        } else {
            settleRange()
        }
    }

    /// Longer than a sink holds in advance: what is beyond the stop must not be in the device yet.
    private static let rangeLead = Duration.seconds(4)

    private func settleRange() {
        guard let source, let end = source.item.end, let position = pipeline?.position() else { return }
        if source.stop != wantedStop, position < end {
            land(at: position, id: nil)
        } else if continues(source.item, next) {
            rangeTimer.arm(after: max(.zero, (end - position) / rate)) { [weak self] in self?.flowIntoNext() }
        }
    }

    /// The edge between two ranges of one source is crossed by the clock alone.
    private func flowIntoNext() {
        guard let source, let item = next, continues(source.item, item), let end = source.item.end else { return }
        let remaining = max(.zero, (end - (pipeline?.position() ?? end)) / rate)
        self.source?.item = item
        self.source?.duration = nil
        next = nil
        offerNext()
        emit(.tookNext(item.entry))
        guard self.source?.item == item else { return }
        emit(.crossedEdge(item.entry, remaining: remaining))
        guard self.source?.item == item else { return }
        measure()
        armEndTimers()
    }
}
