// SPDX-License-Identifier: Apache-2.0
import CMartletGStreamer
import Glibc
import MartletCore
import MartletLoop
import Synchronization

/// One playbin with its sink: orders in, in sequence and never waited for; messages and answers out.
///
/// What may block (a state change, a seek, the opening of a device) runs on the pipeline's own serial queue, so a
/// dead mount or a stopped sound server holds up this pipeline and nobody else. An order that a later load has made
/// pointless is skipped when its turn comes.
///
/// - Important: Queries are answered by GStreamer under short locks and may be asked from the main actor.
@safe
final class PlaybinPipeline: @unchecked Sendable {
    // Unchecked: the pointers are constants, GStreamer locks its objects itself, and `output` and `level` belong to the
    // control queue.
    private let playbin: UnsafeMutablePointer<GstElement>
    private let bus: UnsafeMutablePointer<GstBus>
    private let control = WorkQueue(label: "engine-control")
    private let options: EngineOptions
    private let sinkDescription: SinkDescription
    private let taps: PipelineTaps
    private var output: OutputBin?
    private var level = SoundLevel()

    private let currentLoad = Atomic<UInt64>(0)
    private let latestSeek = Atomic<UInt64>(0)
    private let ordersGiven = Atomic<UInt64>(0)
    private let ordersDone = Atomic<UInt64>(0)
    private let lastRefusal = Guarded<EngineFailure?>(nil)

    /// Makes the elements that need no device.
    ///
    /// - Throws: When playbin is not installed.
    init(sink: SinkDescription, options: EngineOptions, slot: NextURISlot) throws(EngineFailure) {
        guard let playbin = unsafe gst_element_factory_make("playbin", nil),
            let silence = unsafe gst_element_factory_make("fakesink", nil)
        else {
            throw EngineFailure(
                cause: .missingPlugin("playbin"), message: "GStreamer's playbin is not installed.")
        }
        // The floating reference of a new element becomes ours.
        unsafe gst_object_ref_sink(playbin)
        unsafe self.playbin = playbin
        unsafe bus = gst_element_get_bus(playbin)
        self.options = options
        sinkDescription = sink
        unsafe taps = PipelineTaps(slot: slot, playbin: playbin, options: options)
        unsafe martlet_set_object(playbin, "video-sink", silence)
        unsafe martlet_set_int(playbin, "flags", PlayFlags.audio | PlayFlags.softVolume)
        unsafe taps.connect(to: playbin)
    }

    deinit {
        // Reached only when no block of the control queue holds the pipeline any more, so nothing is in flight.
        taps.slot.close(for: .max)
        takeDown()
        unsafe taps.disconnect(from: playbin)
        unsafe gst_object_unref(bus)
        unsafe gst_object_unref(playbin)
    }

    // MARK: Orders

    /// Whether an order has been running, or waiting for its turn, since the one with this ticket was given.
    func isStuck(since ticket: UInt64) -> Bool {
        ordersDone.load(ordering: .acquiring) < ticket
    }

    /// Replaces what is loaded and changes to `state`; ``PipelineMessage/begun(load:)`` parts the past from it.
    ///
    /// - Returns: A ticket for ``isStuck(since:)``.
    func load(_ uri: MediaURI, as load: UInt64, to state: PipelineState) -> UInt64 {
        currentLoad.store(load, ordering: .releasing)
        return order {
            guard self.isCurrent(load) else { return }
            self.change(to: .ready)
            self.forgetMessages()
            guard self.isCurrent(load) else { return }
            // pulsesink forgets the level with the stream it belonged to; without a stream it keeps it for the next.
            self.applyLevel()
            unsafe postMessage(to: self.bus, from: self.playbin, .begun, load)
            self.taps.slot.open(for: load)
            if let failure = SourceCheck.failure(of: uri) ?? self.openSink() {
                self.refuse(failure)
                return
            }
            unsafe martlet_set_string(self.playbin, "uri", uri.description)
            self.change(to: state)
        }
    }

    /// Drops what is loaded and lets the sound device go.
    func unload(as load: UInt64) {
        currentLoad.store(load, ordering: .releasing)
        order {
            guard self.isCurrent(load) else { return }
            self.change(to: .empty)
            self.forgetMessages()
        }
    }

    /// Drops what is loaded and keeps the device open, for the next load.
    func rest(as load: UInt64) {
        currentLoad.store(load, ordering: .releasing)
        order {
            guard self.isCurrent(load) else { return }
            self.change(to: .ready)
            self.forgetMessages()
        }
    }

    /// Clears away a failed load, down to the elements; with `isReplacingSink` the next load makes a new sink.
    ///
    /// Not skipped when another load is already waiting: a playbin that failed half-way up and is only taken back
    /// to ready now and then reports the old failure as the next load's.
    func reset(as load: UInt64, isReplacingSink: Bool) {
        currentLoad.store(load, ordering: .releasing)
        order {
            self.change(to: .empty)
            self.forgetMessages()
            if isReplacingSink { self.output = nil }
        }
    }

    /// Has ``PipelineMessage/foundLive`` sent if sound comes at its own pace and is lost while nobody takes it.
    ///
    /// A change straight to playing does not tell, as one to paused does; and what playbin puts before the source hides it then, too.
    func lookForLiveSource(during load: UInt64) {
        order {
            guard self.isCurrent(load), self.output?.isFedLive == true else { return }
            unsafe postMessage(to: self.bus, from: self.playbin, .foundLive)
        }
    }

    /// Nobody's from here on: it is silent, and goes down when what is under way in its threads has had its time.
    @MainActor
    func leave() {
        currentLoad.store(.max, ordering: .releasing)
        taps.slot.close(for: .max)
        order {
            self.level.isMuted = true
            self.applyLevel()
        }
        // Holds itself and the pipeline until it rings.
        let timer = MainTimer()
        timer.arm(after: .seconds(2)) {
            withExtendedLifetime(timer) { self.unload(as: .max) }
        }
    }

    func change(to state: PipelineState, during load: UInt64) {
        order {
            guard self.isCurrent(load) else { return }
            self.change(to: state)
        }
    }

    /// Jumps to an absolute position of the source, and plays until `stop` at `rate`.
    func seek(to position: Duration, until stop: Duration?, rate: Double, serial: UInt64, during load: UInt64) {
        latestSeek.store(serial, ordering: .releasing)
        order {
            guard self.isCurrent(load), self.latestSeek.load(ordering: .acquiring) == serial else { return }
            unsafe postMessage(to: self.bus, from: self.playbin, .seeking, serial)
            self.taps.slot.begin(seek: serial)
            let flags = GstSeekFlags(rawValue: GST_SEEK_FLAG_FLUSH.rawValue | GST_SEEK_FLAG_ACCURATE.rawValue)
            let isAccepted = unsafe gst_element_seek(
                self.playbin, rate, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, position.gstTime,
                stop == nil ? GST_SEEK_TYPE_NONE : GST_SEEK_TYPE_SET, stop?.gstTime ?? -1)
            if isAccepted == 0 {
                unsafe postMessage(to: self.bus, from: self.playbin, .seekRefused, serial)
            }
        }
    }

    /// Sets the cubic volume and the mute switch of the stream.
    func setLevel(_ level: SoundLevel) {
        order {
            self.level = level
            self.applyLevel()
        }
    }

    /// Notes what a mixer has set, for the next stream.
    func noteLevel(_ level: SoundLevel) {
        order { self.level = level }
    }

    // MARK: Answers

    /// Position in the source of what is heard now.
    func position() -> Duration? {
        var value: gint64 = -1
        guard unsafe gst_element_query_position(playbin, GST_FORMAT_TIME, &value) != 0, value >= 0 else { return nil }
        return .nanoseconds(value)
    }

    /// Length of the source as far as it is known.
    func duration() -> Duration? {
        var value: gint64 = -1
        guard unsafe gst_element_query_duration(playbin, GST_FORMAT_TIME, &value) != 0, value > 0 else { return nil }
        return .nanoseconds(value)
    }

    /// Time the pipeline has spent playing since its last flush, as its clock counts.
    func runningTime() -> Duration? {
        let time = unsafe gst_element_get_current_running_time(playbin)
        return time == .max ? nil : .nanoseconds(Int64(clamping: time))
    }

    /// Running time until which there is sound in the output.
    func horizon() -> Duration? {
        let time = taps.horizon.load(ordering: .relaxed)
        return time == 0 ? nil : .nanoseconds(Int64(clamping: time))
    }

    func isSeekable() -> Bool {
        guard let query = unsafe gst_query_new_seeking(GST_FORMAT_TIME) else { return false }
        defer { unsafe gst_query_unref(query) }
        var isSeekable: gboolean = 0
        guard unsafe gst_element_query(playbin, query) != 0 else { return false }
        unsafe gst_query_parse_seeking(query, nil, &isSeekable, nil, nil)
        return isSeekable != 0
    }

    /// Why the last ``PipelineMessage/refused`` was sent.
    func refusal() -> EngineFailure {
        lastRefusal.withLock { $0 }
            ?? EngineFailure(cause: .other, message: "The player could not be started.")
    }

    // MARK: Messages

    /// A descriptor that is readable while messages wait; owned by the bus.
    var messageDescriptor: CInt {
        var poll = GPollFD()
        unsafe gst_bus_get_pollfd(bus, &poll)
        return poll.fd
    }

    /// The next message that means something, or `nil` when none waits.
    func nextMessage() -> PipelineMessage? {
        while let message = unsafe gst_bus_pop(bus) {
            defer { unsafe gst_message_unref(message) }
            if let value = unsafe PipelineMessage(message, from: playbin) { return value }
        }
        return nil
    }

    // MARK: On the control queue

    @discardableResult
    private func order(_ work: @escaping @Sendable () -> Void) -> UInt64 {
        let ticket = ordersGiven.add(1, ordering: .relaxed).newValue
        control.async {
            work()
            self.ordersDone.store(ticket, ordering: .releasing)
        }
        return ticket
    }

    private func isCurrent(_ load: UInt64) -> Bool {
        currentLoad.load(ordering: .acquiring) == load
    }

    /// Brings everything to NULL. What is still up when it is let go of is a thread that runs on in freed memory.
    private func takeDown() {
        guard unsafe gst_element_set_state(playbin, GST_STATE_NULL) == GST_STATE_CHANGE_FAILURE else { return }
        // A source that failed cannot be paused, and playbin gives up going down at the first child that will not.
        unsafe martlet_lock_down(playbin, "uridecodebin")
        unsafe gst_element_set_state(playbin, GST_STATE_NULL)
    }

    private func change(to state: PipelineState) {
        guard state != .empty else { return takeDown() }
        switch unsafe gst_element_set_state(playbin, state.gstState) {
        case GST_STATE_CHANGE_NO_PREROLL:
            unsafe postMessage(to: bus, from: playbin, .foundLive)
        case GST_STATE_CHANGE_FAILURE:
            // An element that fails says why on the bus, as a rule; this comes behind it, for the exception.
            refuse(EngineFailure(cause: .other, message: "The player could not be started."))
            // A playbin that failed on its way up is half open; only from the bottom does it open again.
            unsafe gst_element_set_state(playbin, state == .ready ? GST_STATE_NULL : GST_STATE_READY)
        default: break
        }
    }

    private func refuse(_ failure: EngineFailure) {
        lastRefusal.withLock { $0 = failure }
        unsafe postMessage(to: bus, from: playbin, .refused)
    }

    private func applyLevel() {
        let control = unsafe OpaquePointer(playbin)
        unsafe gst_stream_volume_set_volume(control, GST_STREAM_VOLUME_FORMAT_CUBIC, level.volume)
        unsafe gst_stream_volume_set_mute(control, level.isMuted ? 1 : 0)
    }

    /// Empties the bus: nothing of what was loaded before may be taken for news.
    private func forgetMessages() {
        unsafe gst_bus_set_flushing(bus, 1)
        unsafe gst_bus_set_flushing(bus, 0)
        output?.forgetStream()
    }

    private func openSink() -> EngineFailure? {
        guard output == nil else { return nil }
        do throws(SinkDescriptionError) {
            let made = try sinkDescription.makeElement(options)
            guard let output = OutputBin(made, taps: taps) else {
                throw SinkDescriptionError(reason: .cannotLink, sink: sinkDescription, detail: "no way in")
            }
            unsafe martlet_set_object(playbin, "audio-sink", output.bin)
            self.output = output
            taps.sinkHoldsSound.store(made.holdsSound, ordering: .relaxed)
            return nil
        } catch {
            return EngineFailure(cause: .output, message: error.description, debugText: error.detail)
        }
    }
}

/// How loud a stream is.
struct SoundLevel: Hashable, Sendable {
    /// Cubic, 0…1.
    var volume = 1.0
    var isMuted = false
}

/// `GstPlayFlags` of playbin; GStreamer registers the type at run time and has no header for it.
private enum PlayFlags {
    static let audio: gint = 0x02
    /// A volume of our own where the sink has none; with pulsesink nothing is inserted.
    static let softVolume: gint = 0x10
}

extension PipelineState {
    var gstState: GstState {
        switch self {
        case .empty: GST_STATE_NULL
        case .ready: GST_STATE_READY
        case .paused: GST_STATE_PAUSED
        case .playing: GST_STATE_PLAYING
        }
    }
}
