// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletLoop

/// From the pipeline's messages to events: what each means in the phase it comes in.
extension GStreamerEngine {
    func drainBus() {
        while let message = pipeline?.nextMessage() { receive(message) }
    }

    func receive(_ message: PipelineMessage) {
        switch message {
        case .begun(let load):
            isListening = load == loadSerial
        case .level(let level):
            levelChanged(to: level)
        default:
            guard isListening, source != nil else { return }
            receiveForSource(message)
        }
    }

    private func receiveForSource(_ message: PipelineMessage) {
        switch message {
        case .foundLive:
            source?.isLive = true
            if source?.phase == .starting { sourceIsReady() }
        case .refused:
            fail(pipeline?.refusal() ?? EngineFailure(cause: .other, message: "The player could not be started."))
        case .reached(let state): reached(state)
        case .prerolled: prerolled()
        case .seeking(let serial):
            if source?.landing?.serial == serial { source?.landing?.isUnderWay = true }
        case .seekRefused(let serial):
            guard source?.landing?.serial == serial else { return }
            source?.landing?.position = pipeline?.position()
            landed()
        case .segment(let segment): segmentArrived(segment)
        case .tookNext(let entry): tookNext(entry)
        case .endOfStream: ended()
        case .buffering(let percent): buffered(percent)
        case .durationChanged: measure()
        case .tags(let tags):
            guard let known = source?.tags, let entry = source?.item.entry else { return }
            let merged = known.merging(tags)
            guard merged != known else { return }
            source?.tags = merged
            emit(.tagsChanged(entry, merged))
        case .missingPlugin(let name): source?.missingPlugin = name
        case .failure(let failure): failureArrived(failure)
        case .clockLost:
            // The next clock is chosen on the way back to playing.
            guard source?.orderedState == .playing else { return }
            order(.paused)
            order(.playing)
        case .begun, .level: break
        }
    }

    // MARK: States

    private func reached(_ state: PipelineState) {
        guard let source, source.phase == .running || source.phase == .starting else { return }
        if state == .playing, source.phase == .starting, source.isLive || source.startsAtOnce {
            // A source that does not preroll is ready when it plays.
            sourceIsReady()
        }
        guard let source = self.source, source.phase == .running, source.landing == nil else { return }
        switch (state, source.announces) {
        case (.playing, .start):
            self.source?.announces = nil
            armEndTimers()
            emit(.started(source.item.entry, position: currentPosition() ?? .zero))
        case (.paused, .pause):
            self.source?.announces = nil
            emit(.paused(source.item.entry, position: currentPosition() ?? .zero))
        default: break
        }
    }

    private func prerolled() {
        switch source?.phase {
        case .starting: sourceIsReady()
        case .positioning, .running, .ended:
            guard let landing = source?.landing, landing.isUnderWay, landing.position != nil else { return }
            landed()
        case .suspended, nil: break
        }
    }

    /// The source is open and its first sound decoded: now its length and whether it can seek are known.
    private func sourceIsReady() {
        guard var source else { return }
        measure()
        guard self.source != nil else { return }
        source = self.source!
        source.phase = .running
        pipeline?.lookForLiveSource(during: loadSerial)
        let stop = wantedStop
        let isSought = source.firstTarget > .zero || stop != nil || rate != 1
        if isSought, source.isSeekable == true {
            source.phase = .positioning
            self.source = source
            land(at: source.firstTarget, id: source.waitingSeek)
            return
        }
        let waiting = source.waitingSeek
        source.waitingSeek = nil
        self.source = source
        if let waiting { emit(.landed(waiting, position: currentPosition() ?? .zero)) }
        settle()
    }

    /// Where it is to be; from here it plays or stands.
    private func settle() {
        guard let source else { return }
        if !source.isBuffering { watchdog.disarm() }
        self.source?.phase = .running
        if source.wantsPlaying {
            goOn()
        } else if source.orderedState == .paused {
            self.source?.announces = nil
            emit(.paused(source.item.entry, position: currentPosition() ?? .zero))
        } else {
            self.source?.announces = .pause
        }
    }

    /// Plays on, unless sound has to wait for the network.
    func goOn() {
        guard let source, source.wantsPlaying else { return }
        self.source?.announces = .start
        if !source.isBuffering || source.isLive { order(.playing) }
    }

    // MARK: Seeks

    /// Sends the pipeline to an absolute position; a seek still on its way is overtaken.
    func land(at target: Duration, id: SeekID?) {
        guard let source, let pipeline else { return }
        guard source.isSeekable == true else {
            if let id { later { $0.emit(.landed(id, position: $0.currentPosition() ?? .zero)) } }
            return
        }
        seekSerial += 1
        if !source.taken.isEmpty || !slot.hold(for: seekSerial) {
            reload(at: target, id: id)
            return
        }
        if source.phase == .ended { self.source?.phase = .running }
        // One `.landed` for both: the overtaken seek's owner asked through the same door.
        self.source?.landing = .init(serial: seekSerial, id: id ?? source.landing?.id, target: target)
        self.source?.waitingSeek = nil
        let stop = wantedStop
        self.source?.stop = stop
        self.source?.audibleAt = nil
        self.source?.positionAtEnd = nil
        disarmEndTimers()
        pipeline.seek(
            to: target, until: stop, rate: rate, serial: seekSerial, during: loadSerial)
    }

    private func landed() {
        guard let source, let landing = source.landing else { return }
        self.source?.landing = nil
        slot.release()
        let position = max(.zero, (landing.position ?? landing.target) - source.item.start)
        if let id = landing.id { emit(.landed(id, position: position)) }
        guard self.source != nil, self.source?.landing == nil else { return }
        if source.phase == .positioning {
            settle()
        } else {
            armEndTimers()
            if source.wantsPlaying, source.orderedState != .playing { goOn() }
        }
    }

    private func segmentArrived(_ segment: SinkSegment) {
        if segment.startsStream, source?.taken.isEmpty == false {
            crossEdge(segment)
        } else if source?.landing?.isUnderWay == true {
            source?.landing?.position = segment.position
        }
    }

    // MARK: Facts about the source

    /// Asks for length and seekability and tells what is new.
    func measure() {
        guard let source, let pipeline else { return }
        // Once the next item is taken the answers are the next one's.
        guard source.taken.isEmpty, !slot.isHandingOver else { return }
        let entry = source.item.entry
        var length = pipeline.duration().map { $0 - source.item.start }
        if let end = source.item.end { length = end - source.item.start }
        length = length.map { max(.zero, $0) }
        if source.duration == nil || source.duration! != length {
            self.source?.duration = .some(length)
            emit(.durationChanged(entry, length))
            if self.source?.phase == .running, self.source?.orderedState == .playing { armEndTimers() }
        }
        guard self.source?.item.entry == entry else { return }
        let isSeekable = pipeline.isSeekable()
        if self.source?.isSeekable != isSeekable {
            self.source?.isSeekable = isSeekable
            emit(.seekableChanged(entry, isSeekable))
        }
    }

    private func buffered(_ percent: Int) {
        guard let source, !source.isLive, source.taken.isEmpty else { return }
        let wasBuffering = source.isBuffering
        // While sound runs a buffer that is not full is no reason to stop it; one that is nearly empty is (F198).
        // Near the end an empty buffer is the rule: the rest is decoded already, and a pause would strand it (F185).
        if source.phase == .running, !wasBuffering, percent >= 10 || isNearEnd { return }
        self.source?.isBuffering = percent < 100
        guard wasBuffering || percent < 100 else { return }
        if percent < 100 {
            // Progress earns the source another wait.
            armWatchdog()
            if source.orderedState == .playing {
                order(.paused)
                disarmEndTimers()
            }
        } else if source.phase == .running {
            watchdog.disarm()
            if source.wantsPlaying { goOn() }
        }
        emit(.buffering(source.item.entry, percent: min(100, max(0, percent))))
    }

    private func levelChanged(to level: SoundLevel) {
        guard !levelEcho.isEcho(level) else { return }
        levelEcho.overrule(level)
        self.level = level
        pipeline?.noteLevel(level)
        emit(.volumeChanged(volume: level.volume, isMuted: level.isMuted))
    }
}
