// SPDX-License-Identifier: Apache-2.0
import CMartletGStreamer
import MartletCore
import MartletLoop
import Synchronization

/// The bin playbin plays into: the sink, and before it, only while the rate is not 1, what keeps the pitch.
///
/// At rate 1 sound goes from playbin straight into the sink, so nothing can touch its samples. The way is changed in
/// the streaming thread, between two segments, when nothing flows.
@safe
final class OutputBin: @unchecked Sendable {
    // Unchecked: the pointers are constants owned by the bin, which owns this object through its pad's probe; what
    // changes is behind the mutex.
    let taps: PipelineTaps
    let bin: UnsafeMutablePointer<GstElement>
    private let entry: UnsafeMutablePointer<GstPad>
    private let sink: UnsafeMutablePointer<GstElement>
    private let tempo: UnsafeMutablePointer<GstElement>?
    /// Joins blocks for the device; not every sink has one.
    private let splitter: UnsafeMutablePointer<GstElement>?
    private let flow = Guarded(Flow())

    /// What has passed into the bin since the last load or flush.
    private struct Flow {
        /// Buffers, up to two.
        var buffers = 0
        var group: UInt32?
        /// Of the stream that came last, as ``SourceKey`` has it.
        var source: UInt32 = 0
        var startsStream = false
        var isStretching = false
        var stretch: Stretch?
    }

    /// The running segment, as far as the next one's place depends on it.
    private struct Stretch {
        var rate: Double
        var base: UInt64
        var start: UInt64
        /// Where the last sound ends.
        var end: UInt64
    }

    /// - Returns: `nil` when the sink has no pad for sound.
    init?(_ made: SinkElement, taps: PipelineTaps) {
        guard let bin = unsafe gst_bin_new("martlet-output"),
            let target = unsafe gst_element_get_static_pad(made.element, "sink")
        else { return nil }
        defer { unsafe gst_object_unref(target) }
        unsafe gst_bin_add(asBin(bin), made.element)
        guard let entry = unsafe gst_ghost_pad_new("sink", target) else { return nil }
        unsafe gst_element_add_pad(bin, entry)
        self.taps = taps
        unsafe self.bin = bin
        unsafe self.entry = entry
        unsafe sink = made.element
        // The bin holds it for as long as this object lives.
        let splitter = unsafe made.takePart(SinkElement.splitterName)
        if let splitter = unsafe splitter { unsafe gst_object_unref(splitter) }
        unsafe self.splitter = splitter
        // In gstreamer1.0-plugins-good, like the parsers nothing plays without.
        let tempo = unsafe gst_parse_bin_from_description("audioconvert ! scaletempo ! audioconvert", 1, nil)
        if let tempo = unsafe tempo { unsafe gst_bin_add(asBin(bin), tempo) }
        unsafe self.tempo = tempo
        let kinds = GstPadProbeType(
            rawValue: GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue | GST_PAD_PROBE_TYPE_EVENT_FLUSH.rawValue
                | GST_PAD_PROBE_TYPE_BUFFER.rawValue)
        let data = unsafe Unmanaged.passRetained(self).toOpaque()
        ThreadHandover.give()
        unsafe gst_pad_add_probe(entry, kinds, outputPassed, data, releaseOutput)
        join(.first)
    }

    /// How much sound the device is handed in one block.
    private enum Block {
        /// What a seek or a start waits for: the sound in it must be decoded before anything is heard.
        case first
        /// What fits into one block of the sound server's shared memory (64 KiB at 44.1 kHz).
        case lasting
    }

    private func join(_ block: Block) {
        guard let splitter = unsafe splitter else { return }
        let (numerator, denominator): (gint, gint) =
            switch block {
            case .first: (1, 50)
            case .lasting: (37, 100)
            }
        unsafe martlet_set_fraction(splitter, "output-buffer-duration", numerator, denominator)
    }

    // MARK: On the streaming thread

    /// Notes the stream's group, so that the next segment is known to begin another stream.
    func noteStream(group: UInt32, source: UInt32) {
        flow.withLock { flow in
            flow.source = source
            flow.startsStream = flow.startsStream || (flow.group != nil && flow.group != group)
            flow.group = group
        }
    }

    func noteSound(until end: UInt64) {
        let isSecond = flow.withLock { flow in
            guard flow.buffers < 2 else { return false }
            flow.buffers += 1
            return flow.buffers == 2
        }
        if isSecond { join(.lasting) }
        flow.withLock { flow in
            guard let stretch = flow.stretch, end > stretch.end else { return }
            flow.stretch?.end = end
            let heard = stretch.base + UInt64(Double(end - stretch.start) / stretch.rate)
            taps.horizon.store(heard, ordering: .relaxed)
        }
    }

    /// After a flush running time begins anew.
    func noteFlush() {
        flow.withLock { flow in
            flow.stretch = nil
            flow.buffers = 0
        }
        join(.first)
        taps.horizon.store(0, ordering: .relaxed)
        taps.slot.noteFlush()
    }

    /// Takes a segment in: gives it the rate that is asked for, opens the way it needs, and tells of it.
    ///
    /// - Returns: The segment as it is to be played, when it is another than it came.
    func admit(_ segment: GstSegment, sequence: UInt32) -> GstSegment? {
        var segment = segment
        let isSpedUp = flow.withLock { flow in
            // What playbin hands over without a gap comes at rate 1, and its place was reckoned at rate 1 (F245).
            guard let before = flow.stretch, before.rate != 1, segment.rate == 1 else { return false }
            segment.rate = before.rate
            segment.base = guint64(before.base + UInt64(Double(before.end - before.start) / before.rate))
            return true
        }
        let (startsStream, source, mustRoute) = flow.withLock { flow in
            defer {
                flow.startsStream = false
                flow.isStretching = segment.rate != 1
            }
            flow.stretch = Stretch(
                rate: segment.rate, base: UInt64(segment.base), start: UInt64(segment.start),
                end: UInt64(segment.start))
            return (flow.startsStream, flow.source, flow.isStretching != (segment.rate != 1))
        }
        if mustRoute { route(isStretching: segment.rate != 1) }
        unsafe postMessage(
            to: taps.bus, from: taps.playbin, .segment, UInt64(segment.time), UInt64(segment.base),
            (startsStream ? 1 : 0) | UInt64(sequence) << 1 | UInt64(source) << 33)
        return isSpedUp ? segment : nil
    }

    private func route(isStretching: Bool) {
        guard let tempo = unsafe tempo else { return }
        if isStretching {
            unsafe setTarget(nil)
            unsafe gst_element_link(tempo, sink)
            unsafe gst_element_sync_state_with_parent(tempo)
            unsafe setTarget(tempo)
        } else {
            unsafe setTarget(nil)
            unsafe gst_element_unlink(tempo, sink)
            unsafe setTarget(sink)
        }
    }

    private func setTarget(_ element: UnsafeMutablePointer<GstElement>?) {
        let ghost = unsafe UnsafeMutableRawPointer(entry).assumingMemoryBound(to: GstGhostPad.self)
        let pad = unsafe element.flatMap { unsafe gst_element_get_static_pad($0, "sink") }
        unsafe gst_ghost_pad_set_target(ghost, pad)
        if let pad = unsafe pad { unsafe gst_object_unref(pad) }
    }

    // MARK: On the control queue

    /// Whether what comes in is live. The pipeline itself would answer for its sinks, and each sink that keeps time says yes.
    var isFedLive: Bool {
        guard let query = unsafe gst_query_new_latency() else { return false }
        defer { unsafe gst_query_unref(query) }
        guard unsafe gst_pad_peer_query(entry, query) != 0 else { return false }
        var isLive: gboolean = 0
        unsafe gst_query_parse_latency(query, &isLive, nil, nil)
        return isLive != 0
    }

    /// Nothing of an earlier load counts any more.
    func forgetStream() {
        flow.withLock { flow in
            flow.group = nil
            flow.startsStream = false
            flow.stretch = nil
            flow.buffers = 0
        }
        join(.first)
        taps.horizon.store(0, ordering: .relaxed)
    }
}

private func asBin(_ element: UnsafeMutablePointer<GstElement>) -> UnsafeMutablePointer<GstBin> {
    unsafe UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstBin.self)
}
