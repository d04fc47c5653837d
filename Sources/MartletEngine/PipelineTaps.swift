// SPDX-License-Identifier: Apache-2.0
import CMartletGStreamer
import MartletCore
import Synchronization

/// What playbin's signals may touch on GStreamer's threads: the slot, the options, and the bus to report to.
@safe
final class PipelineTaps: @unchecked Sendable {
    // Unchecked: constants, of which GStreamer's objects lock themselves.
    let slot: NextURISlot
    let playbin: UnsafeMutablePointer<GstElement>
    let bus: UnsafeMutablePointer<GstBus>
    let options: EngineOptions
    /// Running time at which everything that has passed into the output will have been heard; 0 while nothing has.
    let horizon = Atomic<UInt64>(0)
    /// Whether the sink is a device that plays on from its buffer while nothing comes.
    let sinkHoldsSound = Atomic<Bool>(false)

    init(slot: NextURISlot, playbin: UnsafeMutablePointer<GstElement>, options: EngineOptions) {
        self.slot = slot
        unsafe self.playbin = playbin
        // Not a reference of ours: the pipeline outlives its callbacks and holds both.
        unsafe bus = playbin.pointee.bus
        self.options = options
    }

    /// How long the choice of the next item can wait: until what the device holds is nearly used up; `nil`: no longer.
    func timeToDecide(of playbin: UnsafeMutablePointer<GstElement>) -> Duration? {
        let end = horizon.load(ordering: .relaxed)
        // Where nothing came, or the sink holds nothing, the device cannot bridge anything.
        guard end > 0, sinkHoldsSound.load(ordering: .relaxed) else { return nil }
        // On the way to a pause the sink waits for something to stand on.
        guard unsafe playbin.pointee.current_state == GST_STATE_PLAYING,
            unsafe playbin.pointee.pending_state == GST_STATE_VOID_PENDING
        else { return nil }
        let now = unsafe gst_element_get_current_running_time(playbin)
        guard now != .max else { return nil }
        // What waits before the output follows as soon as the device takes it, which it does by the second.
        let held =
            Duration.nanoseconds(Int64(clamping: end)) - .nanoseconds(Int64(clamping: now))
            + (unsafe queued(in: playbin))
        return held > PipelineTaps.openingTime ? held - PipelineTaps.openingTime : nil
    }

    /// Sound in the queue that playbin has before its audio sink.
    private func queued(in playbin: UnsafeMutablePointer<GstElement>) -> Duration {
        let bin = unsafe UnsafeMutableRawPointer(playbin).assumingMemoryBound(to: GstBin.self)
        guard let queue = unsafe gst_bin_get_by_name(bin, "aqueue") else { return .zero }
        defer { unsafe gst_object_unref(queue) }
        return .nanoseconds(Int64(clamping: unsafe martlet_get_uint64(queue, "current-level-time")))
    }

    /// What a local file may take from its being opened to its first sound in the device, generously.
    private static let openingTime = Duration.milliseconds(800)

    /// Connects the signals. The pipeline holds this object until it has called ``disconnect(from:)``.
    func connect(to playbin: UnsafeMutablePointer<GstElement>) {
        let data = unsafe Unmanaged.passUnretained(self).toOpaque()
        ThreadHandover.give()
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
