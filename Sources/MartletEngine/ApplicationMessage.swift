// SPDX-License-Identifier: Apache-2.0
import CMartletGStreamer

/// Names of the messages we put on a pipeline's bus ourselves, so that they keep their place among GStreamer's own.
enum ApplicationMessage: String {
    case begun = "martlet-begun"
    case foundLive = "martlet-live"
    case refused = "martlet-refused"
    case seeking = "martlet-seeking"
    case seekRefused = "martlet-seek-refused"
    case segment = "martlet-segment"
    case tookNext = "martlet-took-next"
    case volume = "martlet-volume"
}

/// Puts a message with up to three numbers on the bus; from any thread.
nonisolated func postMessage(
    to bus: UnsafeMutablePointer<GstBus>, from playbin: UnsafeMutablePointer<GstElement>, _ name: ApplicationMessage,
    _ first: UInt64 = 0, _ second: UInt64 = 0, _ third: UInt64 = 0
) {
    let source = unsafe UnsafeMutableRawPointer(playbin).assumingMemoryBound(to: GstObject.self)
    // gst_bus_post takes the message over.
    _ = unsafe gst_bus_post(
        bus,
        martlet_application_message(source, name.rawValue, guint64(first), guint64(second), guint64(third)))
}
