// SPDX-License-Identifier: Apache-2.0
import CMartletGStreamer
import Glibc
import MartletCore

extension EngineFailure {
    /// Reads an error message of the bus: who says it and what it says give the cause.
    init(errorMessage message: UnsafeMutablePointer<GstMessage>) {
        var error: UnsafeMutablePointer<GError>?
        var debug: UnsafeMutablePointer<gchar>?
        unsafe gst_message_parse_error(message, &error, &debug)
        defer {
            unsafe g_clear_error(&error)
            unsafe g_free(debug)
        }
        let said = unsafe error.map { unsafe String(cString: $0.pointee.message) } ?? ""
        let detail = unsafe debug.map { unsafe String(cString: $0) } ?? ""
        let cause = unsafe EngineFailure.cause(
            domain: error?.pointee.domain ?? 0, code: error?.pointee.code ?? 0,
            origin: Origin(message.pointee.src))
        self.init(cause: cause, message: EngineFailure.sentence(for: cause), debugText: said + "\n" + detail)
    }

    /// A failure of which nothing is known but its cause.
    init(_ cause: Cause) {
        self.init(cause: cause, message: EngineFailure.sentence(for: cause))
    }

    /// The part of the pipeline an error comes from.
    private enum Origin {
        case sink, network, other

        init(_ object: UnsafeMutablePointer<GstObject>?) {
            self = .other
            // Also the bins round an element speak up; the one that failed speaks first, and it is no bin.
            guard let object = unsafe object, unsafe martlet_is_element(object) != 0,
                let factory = unsafe gst_element_get_factory(
                    UnsafeMutableRawPointer(object).assumingMemoryBound(to: GstElement.self)),
                let klass = unsafe gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS)
            else { return }
            let words = unsafe String(cString: klass).split(separator: "/")
            if words.contains("Sink") {
                self = .sink
            } else if words.contains("Network") {
                self = .network
            }
        }
    }

    private static func cause(domain: GQuark, code: gint, origin: Origin) -> Cause {
        if origin == .sink { return .output }
        let code = UInt32(bitPattern: code)
        if domain == gst_resource_error_quark() {
            switch code {
            case GST_RESOURCE_ERROR_NOT_FOUND.rawValue: return .notFound
            case GST_RESOURCE_ERROR_NOT_AUTHORIZED.rawValue: return .accessDenied
            default: return origin == .network ? .network : .other
            }
        }
        if domain == gst_stream_error_quark() {
            switch code {
            case GST_STREAM_ERROR_CODEC_NOT_FOUND.rawValue, GST_STREAM_ERROR_TYPE_NOT_FOUND.rawValue,
                GST_STREAM_ERROR_WRONG_TYPE.rawValue, GST_STREAM_ERROR_NOT_IMPLEMENTED.rawValue,
                GST_STREAM_ERROR_DECRYPT.rawValue, GST_STREAM_ERROR_DECRYPT_NOKEY.rawValue:
                return .unsupportedFormat
            case GST_STREAM_ERROR_DECODE.rawValue, GST_STREAM_ERROR_DEMUX.rawValue,
                GST_STREAM_ERROR_FORMAT.rawValue:
                return .corrupt
            default: return origin == .network ? .network : .corrupt
            }
        }
        if domain == gst_core_error_quark(), code == GST_CORE_ERROR_MISSING_PLUGIN.rawValue {
            return .missingPlugin("")
        }
        return origin == .network ? .network : .other
    }

    /// One plain sentence for a cause; GStreamer's own text is for programmers, or names the file.
    static func sentence(for cause: Cause) -> String {
        switch cause {
        case .notFound: "There is nothing at this address."
        case .accessDenied: "Access was refused."
        case .missingPlugin(let name) where name.isEmpty: "A GStreamer plugin that could play this is not installed."
        case .missingPlugin(let name): "To play this, GStreamer lacks a plugin: \(name)."
        case .unsupportedFormat: "This is not audio, or a format that cannot be played."
        case .corrupt: "The file is damaged."
        case .network: "The server cannot be reached, or the connection was cut."
        case .output: "The sound device cannot be used."
        case .timedOut: "The source did not begin to play in time."
        case .other: "This cannot be played."
        }
    }
}
