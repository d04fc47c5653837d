// SPDX-License-Identifier: Apache-2.0
import CMartletGStreamer

/// Where the sound goes.
public enum SinkDescription: Hashable, Sendable {
    /// The sound server if one answers, else what GStreamer finds best.
    case auto
    /// Nowhere, in real time.
    case null
    /// A bin description as `gst-launch-1.0` takes it, for instance `alsasink device=hw:1` or
    /// `audioconvert ! wavenc ! filesink location=out.wav`; its first element takes the sound.
    case custom(String)

    /// Reads the form used in configuration: `auto`, `null`, or a bin description.
    public init(_ text: String) {
        switch text {
        case "auto": self = .auto
        case "null": self = .null
        default: self = .custom(text)
        }
    }
}

/// Why a sink cannot be made, and where in the description the fault is.
public struct SinkDescriptionError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        /// No such element is installed.
        case noSuchElement
        /// The element has no such property, or the property not such a value.
        case badProperty
        /// The elements do not fit together, or none can take sound.
        case cannotLink
        /// It cannot be read.
        case badSyntax
        /// No sound device was found.
        case noDevice
    }

    public let reason: Reason
    /// The description at fault.
    public let sink: SinkDescription
    /// What the parser said, which names the element or property.
    public let detail: String

    /// One sentence for people.
    public var description: String {
        switch reason {
        case .noSuchElement: "The output names an element that is not installed: \(detail)"
        case .badProperty: "The output names a property that does not exist: \(detail)"
        case .cannotLink: "The parts of the output do not fit together: \(detail)"
        case .badSyntax: "The output cannot be understood: \(detail)"
        case .noDevice: "No sound device was found."
        }
    }
}

/// A sink element of ours, released with the last reference.
@safe
final class SinkElement {
    let element: UnsafeMutablePointer<GstElement>

    init(_ element: UnsafeMutablePointer<GstElement>) {
        unsafe self.element = unsafe element
        unsafe gst_object_ref_sink(element)
    }

    deinit { unsafe gst_object_unref(element) }
}

extension SinkDescription {
    /// Makes the sink; opens a device to see whether there is one, so it may block.
    func makeElement(_ options: EngineOptions) throws(SinkDescriptionError) -> SinkElement {
        switch self {
        case .null:
            let sink = try named("fakesink")
            unsafe martlet_set_int(sink.element, "sync", 1)
            return sink
        case .auto:
            if let server = try? soundServer(options), server.canOpen() { return server }
            let found = try named("autoaudiosink")
            // With no device at all it settles for a fakesink and a warning.
            guard found.canOpen(), !found.containsFakeSink() else {
                // An element must be in NULL when its last reference goes.
                found.close()
                throw SinkDescriptionError(reason: .noDevice, sink: self, detail: "autoaudiosink")
            }
            return found
        case .custom(let text):
            return try parse(text)
        }
    }

    /// The sound server's sink behind an element that gives it larger blocks.
    ///
    /// pulsesink hands each decoded buffer to the server as a block of its own, which the server gives back with a
    /// message: an MP3's 38 blocks a second wake its thread 40 to 60 times. Joined blocks hold the same samples; how long
    /// they are is the output's to say (``OutputBin``).
    private func soundServer(_ options: EngineOptions) throws(SinkDescriptionError) -> SinkElement {
        let device = "pulsesink name=\(SinkElement.deviceName)"
        let sink: SinkElement
        do throws(SinkDescriptionError) {
            sink = try parse("audiobuffersplit name=\(SinkElement.splitterName) ! \(device)")
        } catch {
            // The splitter is among the "bad" plugins, which may be missing.
            sink = try parse(device)
        }
        sink.configure(options)
        return sink
    }

    private func named(_ factory: String) throws(SinkDescriptionError) -> SinkElement {
        guard let element = unsafe gst_element_factory_make(factory, nil) else {
            throw SinkDescriptionError(reason: .noSuchElement, sink: self, detail: factory)
        }
        return unsafe SinkElement(element)
    }

    private func parse(_ text: String) throws(SinkDescriptionError) -> SinkElement {
        var error: UnsafeMutablePointer<GError>?
        let bin = unsafe gst_parse_bin_from_description_full(
            text, 1, nil, GST_PARSE_FLAG_FATAL_ERRORS, &error)
        if let error = unsafe error {
            defer { unsafe g_error_free(error) }
            if let bin = unsafe bin { unsafe gst_object_unref(bin) }
            let reason: SinkDescriptionError.Reason =
                switch unsafe GstParseError(rawValue: UInt32(bitPattern: error.pointee.code)) {
                case GST_PARSE_ERROR_NO_SUCH_ELEMENT: .noSuchElement
                case GST_PARSE_ERROR_NO_SUCH_PROPERTY, GST_PARSE_ERROR_COULD_NOT_SET_PROPERTY: .badProperty
                case GST_PARSE_ERROR_LINK: .cannotLink
                default: .badSyntax
                }
            throw SinkDescriptionError(
                reason: reason, sink: self, detail: unsafe String(cString: error.pointee.message))
        }
        guard let bin = unsafe bin else {
            throw SinkDescriptionError(reason: .badSyntax, sink: self, detail: text)
        }
        let sink = unsafe SinkElement(bin)
        guard let pad = unsafe gst_element_get_static_pad(sink.element, "sink") else {
            throw SinkDescriptionError(reason: .cannotLink, sink: self, detail: text)
        }
        unsafe gst_object_unref(pad)
        return sink
    }
}

extension SinkElement {
    /// What the element that talks to the sound server is called inside its bin.
    static let deviceName = "martlet-device"

    /// What the element that joins blocks is called there.
    static let splitterName = "martlet-blocks"

    /// Gives a sound server's sink its deep buffer and its name in mixers.
    func configure(_ options: EngineOptions) {
        guard let device = unsafe takePart(SinkElement.deviceName) else { return }
        defer { unsafe gst_object_unref(device) }
        unsafe martlet_set_int64(device, "buffer-time", options.sinkBuffer.gstTime / 1000)
        unsafe martlet_set_int64(device, "latency-time", options.sinkPeriod.gstTime / 1000)
        unsafe martlet_set_string(device, "client-name", options.applicationName)
        if let server = options.soundServer { unsafe martlet_set_string(device, "server", server) }
        guard let properties = unsafe martlet_stream_properties(options.applicationName, options.iconName) else {
            return
        }
        unsafe martlet_set_structure(device, "stream-properties", properties)
        unsafe gst_structure_free(properties)
    }

    /// Whether the device has the deep buffer of ``configure(_:)`` and plays on from it while nothing comes.
    var holdsSound: Bool {
        guard let device = unsafe takePart(SinkElement.deviceName) else { return false }
        unsafe gst_object_unref(device)
        return true
    }

    /// An element of the bin by its name, with a reference for the caller.
    func takePart(_ name: String) -> UnsafeMutablePointer<GstElement>? {
        guard unsafe martlet_is_bin(element) != 0 else { return nil }
        let bin = unsafe UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstBin.self)
        return unsafe gst_bin_get_by_name(bin, name)
    }

    /// Whether the device, or the server, answers.
    func canOpen() -> Bool {
        let isOpen = unsafe gst_element_set_state(element, GST_STATE_READY) != GST_STATE_CHANGE_FAILURE
        // Left open when it works: playbin takes it from here.
        if !isOpen { unsafe gst_element_set_state(element, GST_STATE_NULL) }
        return isOpen
    }

    func close() {
        unsafe gst_element_set_state(element, GST_STATE_NULL)
    }

    func containsFakeSink() -> Bool {
        unsafe martlet_contains_factory(element, "fakesink") != 0
    }
}
