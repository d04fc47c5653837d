// SPDX-License-Identifier: Apache-2.0
import CMartletGStreamer
import MartletCore

/// What playbin's signals may touch on GStreamer's threads: the slot, the options, and the bus to report to.
@safe
final class PipelineTaps: @unchecked Sendable {
    // Unchecked: constants, of which GStreamer's objects lock themselves.
    let slot: NextURISlot
    let playbin: UnsafeMutablePointer<GstElement>
    let bus: UnsafeMutablePointer<GstBus>
    let options: EngineOptions

    init(slot: NextURISlot, playbin: UnsafeMutablePointer<GstElement>, options: EngineOptions) {
        self.slot = slot
        unsafe self.playbin = playbin
        // Not a reference of ours: the pipeline outlives its callbacks and holds both.
        unsafe bus = playbin.pointee.bus
        self.options = options
    }

    /// Connects the signals. The pipeline holds this object until it has called ``disconnect(from:)``.
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
}

private func connectSignal(
    _ object: UnsafeMutablePointer<GstElement>, _ name: String, _ callback: GCallback, _ data: UnsafeMutableRawPointer
) {
    unsafe g_signal_connect_data(object, name, callback, data, nil, GConnectFlags(rawValue: 0))
}
