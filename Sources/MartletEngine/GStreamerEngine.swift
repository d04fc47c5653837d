// SPDX-License-Identifier: Apache-2.0
import Dispatch
public import MartletCore
import MartletLoop

/// GStreamer's playbin as a ``PlaybackEngine``.
///
/// Nothing of GStreamer is touched before ``start()``. Orders go to the pipeline's own queue and return at once;
/// what came of them is read from the pipeline's bus on the main actor (see GStreamerEngine+Messages.swift).
@MainActor
public final class GStreamerEngine: PlaybackEngine {
    public var eventHandler: (@MainActor (EngineEvent) -> Void)?

    /// Where the sound goes, for as long as this engine lives.
    public let sink: SinkDescription
    let options: EngineOptions
    /// The pipeline's own: one that is left may still ask for what follows.
    private(set) var slot = NextURISlot()
    var pipeline: PlaybinPipeline?
    private var busWatch: EngineBusWatch?
    private var isStarted = false

    /// What is loaded, and how far it has come.
    var source: LoadedSource?
    /// What is to follow; also in the slot while playbin can take it without a gap.
    var next: EngineItem?
    /// Counts loads and stops; parts the messages of one from those of another.
    var loadSerial: UInt64 = 0
    /// Of the pipeline's order that carries out the current load.
    var loadTicket: UInt64 = 0
    /// Whether the bus has reached the messages of the current load.
    var isListening = false
    var seekSerial: UInt64 = 0

    var rate = 1.0
    var level = SoundLevel()
    var levelEcho = LevelEcho()

    let watchdog = MainTimer()
    let endTimer = MainTimer()
    let rangeTimer = MainTimer()
    let stallTimer = MainTimer()
    var lastProgress: Progress?
    var stalledLooks = 0

    public init(sink: SinkDescription = .auto, options: EngineOptions = EngineOptions()) {
        self.sink = sink
        self.options = options
    }

    // MARK: PlaybackEngine

    public func start() {
        guard !isStarted else { return }
        isStarted = true
        let (sink, options, slot) = (sink, options, slot)
        WorkQueue(label: "engine-start").async { [weak self] in
            let made = GStreamerEngine.makePipeline(sink: sink, options: options, slot: slot)
            DispatchQueue.main.async {
                switch made {
                case .success(let pipeline):
                    self?.adopt(pipeline)
                    self?.emit(.ready)
                case .failure(let failure):
                    self?.emit(.unavailable(failure))
                }
            }
        }
    }

    public func load(_ item: EngineItem, at position: Duration, playing: Bool) {
        precondition(pipeline != nil, "load before .ready")
        next = nil
        slot.fill(nil)
        begin(item, at: position, playing: playing)
    }

    public func play() {
        guard let source else { return }
        self.source?.wantsPlaying = true
        watchProgress()
        switch source.phase {
        case .suspended:
            begin(source.item, at: .zero, playing: true)
        case .starting where source.startsAtOnce, .running:
            goOn()
        default: break
        }
    }

    public func pause() {
        guard let source else { return }
        self.source?.wantsPlaying = false
        stallTimer.disarm()
        switch source.phase {
        case .starting where source.startsAtOnce:
            order(.paused)
        case .running where source.isRadio:
            suspend()
        case .running:
            self.source?.announces = .pause
            order(.paused)
            disarmEndTimers()
        default: break
        }
    }

    public func stop() {
        forget()
        next = nil
        slot.fill(nil)
        pipeline?.unload(as: loadSerial)
    }

    public func seek(to position: Duration, id: SeekID) {
        guard let source else { return }
        let target = source.item.start + max(.zero, position)
        switch source.phase {
        case .starting:
            self.source?.firstTarget = target
            self.source?.waitingSeek = id
        case .positioning, .running, .ended:
            land(at: target, id: id)
        case .suspended:
            later { $0.emit(.landed(id, position: .zero)) }
        }
    }

    public func setRate(_ rate: Double) {
        guard rate != self.rate else { return }
        self.rate = rate
        guard let source, source.phase == .running, source.isSeekable == true else { return }
        if let landing = source.landing {
            land(at: landing.target, id: landing.id)
        } else if let position = pipeline?.position() {
            land(at: position, id: nil)
        }
    }

    public func setVolume(_ volume: Double) {
        level.volume = min(1, max(0, volume))
        levelEcho.expect(level)
        pipeline?.setLevel(level)
    }

    public func setMuted(_ isMuted: Bool) {
        level.isMuted = isMuted
        levelEcho.expect(level)
        pipeline?.setLevel(level)
    }

    public func prepareNext(_ item: EngineItem?) {
        next = item
        offerNext()
        armRangeTimer()
    }

    public func currentPosition() -> Duration? {
        guard let source, source.landing == nil, source.phase == .running || source.phase == .ended else { return nil }
        if let due = source.audibleAt {
            // The device still plays what came before, and the query answers for neither.
            guard let now = pipeline?.runningTime(), now >= due else { return nil }
            self.source?.audibleAt = nil
        }
        guard let position = pipeline?.position() else { return nil }
        return max(.zero, position - source.item.start)
    }

    // MARK: Pipelines

    private nonisolated static func makePipeline(
        sink: SinkDescription, options: EngineOptions, slot: NextURISlot
    ) -> Result<PlaybinPipeline, EngineFailure> {
        if let failure = GStreamerLibrary.failure() { return .failure(failure) }
        do throws(SinkDescriptionError) {
            // A description that cannot be read is told before anything is played. A device is not opened yet.
            if case .custom = sink { _ = try sink.makeElement(options) }
        } catch {
            return .failure(EngineFailure(cause: .output, message: error.description, debugText: error.detail))
        }
        return Result { () throws(EngineFailure) in
            try PlaybinPipeline(sink: sink, options: options, slot: slot)
        }
    }

    private func adopt(_ pipeline: PlaybinPipeline) {
        self.pipeline = pipeline
        busWatch?.cancel()
        busWatch = EngineBusWatch(of: pipeline) { [weak self] in self?.drainBus() }
        pipeline.setLevel(level)
    }

    /// Leaves a pipeline to itself and takes another: one that no longer answers, or one that must not be taken down yet.
    func replacePipeline() {
        let left = pipeline
        pipeline = nil
        busWatch?.cancel()
        busWatch = nil
        slot = NextURISlot()
        slot.close(for: loadSerial)
        left?.leave()
        // GStreamer is initialised, so this makes two elements and opens nothing.
        guard case .success(let fresh) = GStreamerEngine.makePipeline(sink: sink, options: options, slot: slot) else {
            return
        }
        adopt(fresh)
    }

    func emit(_ event: EngineEvent) {
        eventHandler?(event)
    }

    /// Does something after the order that is being given has returned, unless another load or stop comes first.
    func later(_ work: @escaping @MainActor (GStreamerEngine) -> Void) {
        let serial = loadSerial
        DispatchQueue.main.async { [weak self] in
            guard let self, self.loadSerial == serial else { return }
            work(self)
        }
    }
}
