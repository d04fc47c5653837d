// SPDX-License-Identifier: Apache-2.0
import CMartletGStreamer
import MartletCore

// File scope and nonisolated on purpose: a closure literal inside a @MainActor type is itself main-actor isolated,
// compiles as a C callback, and traps when GStreamer calls it from its thread. Nothing here takes more than one
// short lock of ours, and nothing changes a pipeline's state: from a streaming thread that deadlocks.

typealias PlaybinCallback = @convention(c) (UnsafeMutablePointer<GstElement>?, UnsafeMutableRawPointer?) -> Void
typealias SourceCallback =
    @convention(c) (UnsafeMutablePointer<GstElement>?, UnsafeMutablePointer<GstElement>?, UnsafeMutableRawPointer?) ->
    Void
typealias NotifyCallback =
    @convention(c) (UnsafeMutablePointer<GstElement>?, UnsafeMutablePointer<GParamSpec>?, UnsafeMutableRawPointer?) ->
    Void

/// `about-to-finish`, on a streaming thread: playbin plays without a gap what is set before this returns.
nonisolated let aboutToFinish: PlaybinCallback = { playbin, data in
    guard let playbin = unsafe playbin, let taps = unsafe taps(data) else { return }
    // A file that is gone is left to the load that follows the end: then its error does not cut off what is heard.
    guard let item = taps.slot.take(timeLeft: { unsafe taps.timeToDecide(of: playbin) }) else { return }
    guard SourceCheck.failure(of: item.uri) == nil else {
        taps.slot.putBack(item)
        return
    }
    unsafe martlet_set_string(playbin, "uri", item.uri.description)
    unsafe postMessage(to: taps.bus, from: playbin, .tookNext, item.entry.rawValue)
}

/// `source-setup`, on whatever thread opens the source.
nonisolated let sourceWasSetUp: SourceCallback = { _, source, data in
    guard let source = unsafe source, let taps = unsafe taps(data) else { return }
    guard unsafe martlet_has_property(source, "user-agent") != 0 else { return }
    unsafe martlet_set_string(source, "user-agent", taps.options.userAgent)
    unsafe martlet_set_int(source, "retries", gint(clamping: taps.options.networkRetries))
    unsafe martlet_set_int(source, "timeout", gint(clamping: taps.options.networkTimeout.components.seconds))
}

/// `notify::volume` and `notify::mute`: our own orders on the control queue, a mixer's on the sink's thread.
nonisolated let volumeWasNotified: NotifyCallback = { playbin, _, data in
    guard let playbin = unsafe playbin, let taps = unsafe taps(data) else { return }
    // Asked here, because the sink may have to ask the sound server, for which the main actor must not wait.
    let volume = unsafe gst_stream_volume_get_volume(OpaquePointer(playbin), GST_STREAM_VOLUME_FORMAT_CUBIC)
    let isMuted = unsafe gst_stream_volume_get_mute(OpaquePointer(playbin)) != 0
    unsafe postMessage(to: taps.bus, from: playbin, .volume, volume.bitPattern, isMuted ? 1 : 0)
}

/// Everything on its way into the output, on its streaming thread: tells when which stream is due to be heard.
///
/// The position query cannot: it answers for the old stream until the segment is in the sink and for the new one
/// after, while the device goes on with what it holds of the old.
nonisolated func outputPassed(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?,
    _ data: UnsafeMutableRawPointer?
) -> GstPadProbeReturn {
    guard let data = unsafe data, let info = unsafe info else { return GST_PAD_PROBE_OK }
    ThreadHandover.take()
    let output = unsafe Unmanaged<OutputBin>.fromOpaque(data).takeUnretainedValue()
    if unsafe info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
        guard let buffer = unsafe gst_pad_probe_info_get_buffer(info) else { return GST_PAD_PROBE_OK }
        let (start, length) = unsafe (buffer.pointee.pts, buffer.pointee.duration)
        if start != .max, length != .max { output.noteSound(until: UInt64(start + length)) }
        return GST_PAD_PROBE_OK
    }
    guard let event = unsafe gst_pad_probe_info_get_event(info) else { return GST_PAD_PROBE_OK }
    switch unsafe event.pointee.type {
    case GST_EVENT_FLUSH_STOP: output.noteFlush()
    case GST_EVENT_STREAM_START:
        var group: guint = 0
        var name: UnsafePointer<CChar>?
        unsafe gst_event_parse_stream_start(event, &name)
        if unsafe gst_event_parse_group_id(event, &group) != 0 {
            output.noteStream(group: group, source: unsafe name.map { unsafe SourceKey.of(streamID: $0) } ?? 0)
        }
    case GST_EVENT_SEGMENT:
        var segment: UnsafePointer<GstSegment>?
        unsafe gst_event_parse_segment(event, &segment)
        guard let segment = unsafe segment, unsafe segment.pointee.format == GST_FORMAT_TIME else { break }
        let sequence = unsafe gst_event_get_seqnum(event)
        guard var played = unsafe output.admit(segment.pointee, sequence: sequence) else { break }
        guard let replacement = unsafe gst_event_new_segment(&played) else { break }
        unsafe gst_event_set_seqnum(replacement, sequence)
        unsafe info.pointee.data = UnsafeMutableRawPointer(replacement)
        unsafe gst_event_unref(event)
    default: break
    }
    return GST_PAD_PROBE_OK
}

/// Gives up the reference a probe held.
nonisolated func releaseOutput(_ data: UnsafeMutableRawPointer?) {
    guard let data = unsafe data else { return }
    unsafe Unmanaged<OutputBin>.fromOpaque(data).release()
}

private func taps(_ data: UnsafeMutableRawPointer?) -> PipelineTaps? {
    ThreadHandover.take()
    guard let data = unsafe data else { return nil }
    return unsafe Unmanaged<PipelineTaps>.fromOpaque(data).takeUnretainedValue()
}
