// SPDX-License-Identifier: Apache-2.0
import CMartletGStreamer
import MartletCore

/// A pipeline that takes blocks of bytes at one end and is run to its end: how the writers use GStreamer.
///
/// Blocks the caller; not for the main actor.
@safe
final class EncodingPipeline {
    private let pipeline: UnsafeMutablePointer<GstElement>
    private let source: UnsafeMutablePointer<GstElement>

    /// - Parameter description: As for `gst-launch-1.0`, with an `appsrc name=source`.
    init(_ description: String, caps: String) throws(EncodingError) {
        guard GStreamerLibrary.failure() == nil else { throw .unavailable("GStreamer") }
        var error: UnsafeMutablePointer<GError>?
        let made = unsafe gst_parse_launch(description, &error)
        if let error = unsafe error {
            defer { unsafe g_error_free(error) }
            if let made = unsafe made { unsafe gst_object_unref(made) }
            throw unsafe .unavailable(String(cString: error.pointee.message))
        }
        guard let made = unsafe made,
            let source = unsafe gst_bin_get_by_name(
                UnsafeMutableRawPointer(made).assumingMemoryBound(to: GstBin.self), "source")
        else { throw .unavailable(description) }
        unsafe gst_object_ref_sink(made)
        unsafe pipeline = made
        unsafe self.source = source
        let parsed = unsafe gst_caps_from_string(caps)
        unsafe martlet_set_object(source, "caps", parsed)
        unsafe gst_caps_unref(parsed)
    }

    deinit {
        unsafe gst_element_set_state(pipeline, GST_STATE_NULL)
        unsafe gst_object_unref(source)
        unsafe gst_object_unref(pipeline)
    }

    /// Sets a text property of a named element.
    func set(_ property: String, of name: String, to value: String) {
        unsafe withElement(name) { element in unsafe martlet_set_string(element, property, value) }
    }

    /// Hands tags to an element that writes them.
    func setTags(_ tags: TagListBuilder, of name: String) {
        unsafe withElement(name) { element in unsafe martlet_set_tags(element, tags.list) }
    }

    func withElement(_ name: String, _ body: (UnsafeMutablePointer<GstElement>) -> Void) {
        let bin = unsafe UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self)
        guard let element = unsafe gst_bin_get_by_name(bin, name) else {
            preconditionFailure("no element \(name) in a pipeline of ours")
        }
        unsafe body(element)
        unsafe gst_object_unref(element)
    }

    /// Puts one block in; it begins at `time` and lasts `duration`.
    func push(_ bytes: UnsafeRawBufferPointer, at time: Duration, lasting duration: Duration) {
        guard let buffer = unsafe gst_buffer_new_allocate(nil, gsize(bytes.count), nil) else { return }
        unsafe gst_buffer_fill(buffer, 0, bytes.baseAddress, gsize(bytes.count))
        unsafe buffer.pointee.pts = GstClockTime(time.gstTime)
        unsafe buffer.pointee.duration = GstClockTime(duration.gstTime)
        // The signal takes a reference of its own.
        _ = unsafe martlet_push_buffer(source, buffer)
        unsafe gst_buffer_unref(buffer)
    }

    /// The last buffer that reached a sink.
    func lastBytes(of name: String) -> [UInt8]? {
        var bytes: [UInt8]?
        unsafe withElement(name) { element in
            guard let sample = unsafe martlet_get_last_sample(element) else { return }
            defer { unsafe gst_sample_unref(sample) }
            guard let buffer = unsafe gst_sample_get_buffer(sample) else { return }
            let size = unsafe Int(gst_buffer_get_size(buffer))
            bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { storage, count in
                count = unsafe Int(gst_buffer_extract(buffer, 0, storage.baseAddress, gsize(size)))
            }
        }
        return bytes
    }

    func start() {
        unsafe gst_element_set_state(pipeline, GST_STATE_PLAYING)
    }

    /// Ends the input and waits until all of it has come out at the other end.
    ///
    /// - Parameter limit: How long at most; what has not come out by then is a failure.
    func finish(within limit: Duration? = nil) throws(EncodingError) {
        _ = unsafe martlet_end_of_stream(source)
        guard let bus = unsafe gst_element_get_bus(pipeline) else { throw .failed("no bus") }
        defer { unsafe gst_object_unref(bus) }
        let kinds = GstMessageType(rawValue: GST_MESSAGE_EOS.rawValue | GST_MESSAGE_ERROR.rawValue)
        guard
            let message = unsafe gst_bus_timed_pop_filtered(bus, limit.map { GstClockTime($0.gstTime) } ?? .max, kinds)
        else { throw .failed("no end") }
        defer { unsafe gst_message_unref(message) }
        if unsafe message.pointee.type == GST_MESSAGE_ERROR {
            throw unsafe .failed(EngineFailure(errorMessage: message).debugText ?? "")
        }
    }
}

/// Why something could not be encoded.
public enum EncodingError: Error, Hashable, Sendable {
    /// An encoder is not installed; the text says which, for the log.
    case unavailable(String)
    /// The numbers given do not fit together; the text says which.
    case badInput(String)
    /// Encoding or writing failed; the text is for the log.
    case failed(String)
}

/// A tag list being filled.
@safe
final class TagListBuilder {
    fileprivate let list: UnsafeMutablePointer<GstTagList>

    init() {
        unsafe list = gst_tag_list_new_empty()
    }

    deinit { unsafe gst_tag_list_unref(list) }

    func add(_ tag: String, _ value: String?) {
        guard let value, !value.isEmpty else { return }
        unsafe martlet_add_string_tag(list, tag, value)
    }

    func add(_ tag: String, _ value: Int?) {
        guard let value, value > 0 else { return }
        unsafe martlet_add_uint_tag(list, tag, guint(clamping: value))
    }

    /// - Parameter date: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`; anything else is left out.
    func add(_ tag: String, date: String?) {
        guard let date, let value = unsafe gst_date_time_new_from_iso8601_string(date) else { return }
        unsafe martlet_add_date_tag(list, tag, value)
        unsafe gst_date_time_unref(value)
    }

    func add(_ tag: String, picture bytes: [UInt8], mediaType: String) {
        guard let buffer = unsafe gst_buffer_new_allocate(nil, gsize(bytes.count), nil),
            let caps = unsafe gst_caps_new_empty_simple(mediaType)
        else { return }
        _ = unsafe bytes.withUnsafeBytes { unsafe gst_buffer_fill(buffer, 0, $0.baseAddress, gsize($0.count)) }
        let sample = unsafe gst_sample_new(buffer, caps, nil, nil)
        unsafe martlet_add_sample_tag(list, tag, sample)
        unsafe gst_sample_unref(sample)
        unsafe gst_caps_unref(caps)
        unsafe gst_buffer_unref(buffer)
    }
}
