// SPDX-License-Identifier: Apache-2.0
import CMartletGStreamer
import MartletCore
import Synchronization

/// What GStreamer's threads may touch: the slot, the bus to report to, and what the sink's pad has seen.
///
/// One object serves every callback of a pipeline; playbin's signals and the probe each hold a reference.
@safe
final class PipelineTaps: @unchecked Sendable {
    // Unchecked: constants, of which GStreamer's objects lock themselves; what changes is behind the mutex.
    let slot: NextURISlot
    let playbin: UnsafeMutablePointer<GstElement>
    let bus: UnsafeMutablePointer<GstBus>
    let options: EngineOptions
    private let stream = Mutex(StreamState())

    /// What has passed the sink's pad since the last load.
    private struct StreamState {
        var group: UInt32?
        var isNew = false
    }

    init(slot: NextURISlot, playbin: UnsafeMutablePointer<GstElement>, options: EngineOptions) {
        self.slot = slot
        unsafe self.playbin = playbin
        // Not a reference of ours: the pipeline outlives its callbacks and holds both.
        unsafe bus = playbin.pointee.bus
        self.options = options
    }

    /// Connects the signals; until ``disconnect(from:)`` playbin keeps this object alive.
    func connect(to playbin: UnsafeMutablePointer<GstElement>) {
        let data = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe connectSignal(playbin, "about-to-finish", unsafeBitCast(aboutToFinish, to: GCallback.self), data)
        unsafe connectSignal(playbin, "source-setup", unsafeBitCast(sourceWasSetUp, to: GCallback.self), data)
        unsafe connectSignal(playbin, "notify::volume", unsafeBitCast(volumeWasNotified, to: GCallback.self), data)
        unsafe connectSignal(playbin, "notify::mute", unsafeBitCast(volumeWasNotified, to: GCallback.self), data)
    }

    func disconnect(from playbin: UnsafeMutablePointer<GstElement>) {
        let data = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe g_signal_handlers_disconnect_matched(playbin, G_SIGNAL_MATCH_DATA, 0, 0, nil, nil, data)
    }

    /// Looks at the events that reach a sink.
    func watch(_ sink: UnsafeMutablePointer<GstElement>) {
        guard let pad = unsafe gst_element_get_static_pad(sink, "sink") else { return }
        defer { unsafe gst_object_unref(pad) }
        let data = unsafe Unmanaged.passRetained(self).toOpaque()
        unsafe gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, sinkEventPassed, data, releaseTaps)
    }

    /// Notes the stream's group, so that the next segment is known to begin another stream.
    func noteStream(group: UInt32) {
        stream.withLock { state in
            state.isNew = state.isNew || (state.group != nil && state.group != group)
            state.group = group
        }
    }

    /// Whether this segment is the first of another stream than the segment before.
    func takeStreamStart() -> Bool {
        stream.withLock { state in
            defer { state.isNew = false }
            return state.isNew
        }
    }

    func forgetStream() {
        stream.withLock { $0 = StreamState() }
    }
}

private func connectSignal(
    _ object: UnsafeMutablePointer<GstElement>, _ name: String, _ callback: GCallback, _ data: UnsafeMutableRawPointer
) {
    unsafe g_signal_connect_data(object, name, callback, data, nil, GConnectFlags(rawValue: 0))
}
