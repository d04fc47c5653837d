// SPDX-License-Identifier: Apache-2.0
import CMartletGStreamer
import MartletCore

extension PipelineMessage {
    /// Reads a message; `nil` for those that mean nothing to an engine.
    init?(_ message: UnsafeMutablePointer<GstMessage>, from playbin: UnsafeMutablePointer<GstElement>) {
        let isFromPlaybin =
            unsafe UnsafeMutableRawPointer(message.pointee.src) == UnsafeMutableRawPointer(playbin)
        switch unsafe message.pointee.type {
        case GST_MESSAGE_APPLICATION:
            guard let value = unsafe PipelineMessage.applicationMessage(message) else { return nil }
            self = value
        case GST_MESSAGE_STATE_CHANGED where isFromPlaybin:
            var state = GST_STATE_NULL
            var pending = GST_STATE_NULL
            unsafe gst_message_parse_state_changed(message, nil, &state, &pending)
            guard pending == GST_STATE_VOID_PENDING else { return nil }
            switch state {
            case GST_STATE_PLAYING: self = .reached(.playing)
            case GST_STATE_PAUSED: self = .reached(.paused)
            default: return nil
            }
        case GST_MESSAGE_ASYNC_DONE: self = .prerolled
        case GST_MESSAGE_EOS: self = .endOfStream
        case GST_MESSAGE_DURATION_CHANGED: self = .durationChanged
        case GST_MESSAGE_CLOCK_LOST: self = .clockLost
        case GST_MESSAGE_BUFFERING:
            var percent: gint = 0
            unsafe gst_message_parse_buffering(message, &percent)
            self = .buffering(percent: Int(percent))
        case GST_MESSAGE_TAG:
            var list: UnsafeMutablePointer<GstTagList>?
            unsafe gst_message_parse_tag(message, &list)
            guard let list = unsafe list else { return nil }
            defer { unsafe gst_tag_list_unref(list) }
            self = unsafe .tags(StreamTags(list))
        case GST_MESSAGE_ERROR:
            self = unsafe .failure(EngineFailure(errorMessage: message))
        case GST_MESSAGE_ELEMENT:
            guard let structure = unsafe gst_message_get_structure(message),
                unsafe gst_structure_has_name(structure, "missing-plugin") != 0,
                let name = unsafe gst_structure_get_string(structure, "name")
            else { return nil }
            self = unsafe .missingPlugin(String(cString: name))
        default: return nil
        }
    }

    private static func applicationMessage(_ message: UnsafeMutablePointer<GstMessage>) -> PipelineMessage? {
        guard let structure = unsafe gst_message_get_structure(message),
            let name = unsafe gst_structure_get_name(structure),
            let kind = unsafe ApplicationMessage(rawValue: String(cString: name))
        else { return nil }
        var numbers: (guint64, guint64, guint64) = (0, 0, 0)
        unsafe gst_structure_get_uint64(structure, "a", &numbers.0)
        unsafe gst_structure_get_uint64(structure, "b", &numbers.1)
        unsafe gst_structure_get_uint64(structure, "c", &numbers.2)
        return switch kind {
        case .begun: .begun(load: UInt64(numbers.0))
        case .foundLive: .foundLive
        case .refused: .refused
        case .seeking: .seeking(serial: UInt64(numbers.0))
        case .seekRefused: .seekRefused(serial: UInt64(numbers.0))
        case .segment:
            .segment(
                SinkSegment(
                    position: .nanoseconds(Int64(clamping: numbers.0)), dueAt: .nanoseconds(Int64(clamping: numbers.1)),
                    startsStream: numbers.2 & 1 == 1, sequence: UInt32(truncatingIfNeeded: numbers.2 >> 1),
                    source: UInt32(numbers.2 >> 33)))
        case .tookNext: .tookNext(EntryID(UInt64(numbers.0)))
        case .volume: .level(SoundLevel(volume: Double(bitPattern: UInt64(numbers.0)), isMuted: numbers.1 == 1))
        }
    }
}
