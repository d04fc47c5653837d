// SPDX-License-Identifier: Apache-2.0

extension PlayerMachine {
    mutating func handle(_ command: PlayerCommand, at instant: Instant, _ effects: inout [PlayerEffect]) {
        switch command {
        case .play: play(at: instant, &effects)
        case .pause: pause(at: instant, &effects)
        case .togglePlayPause:
            if status == .playing { pause(at: instant, &effects) } else { play(at: instant, &effects) }
        case .stop: stop(at: instant, &effects)
        case .next: goNext(at: instant, &effects)
        case .previous: goPrevious(at: instant, &effects)
        case .previousEntry: goToPreviousEntry(at: instant, &effects)
        case .restart: restart(at: instant, &effects)
        case .seek(let offset): seek(by: offset, at: instant, &effects)
        case .setPosition(let entry, let position): setPosition(entry, position, at: instant, &effects)
        case .setLoopMode(let mode):
            queue.setLoopMode(mode)
            effects.append(.settle)
        case .setShuffleMode(let mode):
            queue.setShuffleMode(mode)
            effects.append(.settle)
        case .setConsumes(let consumes):
            queue.consumes = consumes
            effects.append(.settle)
        case .setStopAfter(let entry):
            queue.stopAfter = entry.flatMap { queue.contains($0) ? $0 : nil }
            effects.append(.settle)
        case .setRate(let rate): setRate(rate, at: instant, &effects)
        case .setVolume(let volume):
            guard !volume.isNaN else { return }
            self.volume = volume.clamped(to: 0...1)
            effects.append(.settle)
        case .setMuted(let isMuted):
            self.isMuted = isMuted
            effects.append(.settle)
        case .goTo(let entry): goTo(entry, at: instant, &effects)
        case .edit(let edit): perform(edit, at: instant, &effects)
        case .prepare:
            guard queue.currentID != nil, status != .playing else { return }
            if status == .stopped { status = .paused }
            wantCurrent(from: clock.position(at: instant))
            effects.append(.settle)
        }
    }

    mutating func play(at instant: Instant, _ effects: inout [PlayerEffect]) {
        guard status != .playing else { return }
        // R043: nothing to play, no effect.
        guard let id = queue.currentID ?? queue.start() else { return }
        if queue.entry(id)?.isUnplayable == true {
            // The listener asks again: the disk may be back.
            queue.setUnplayable(id, false)
        }
        status = .playing
        problem = nil
        if engine.loaded == nil || engine.loaded?.entry != id, engine.wantedLoad == nil {
            wantCurrent(from: clock.position(at: instant))
        }
        activity = engine.hasStarted && engine.wantedLoad == nil ? .steady : .loading
        resumeClock(at: instant, &effects)
        effects.append(.settle)
    }

    mutating func pause(at instant: Instant, _ effects: inout [PlayerEffect]) {
        guard status == .playing else { return }
        status = .paused
        activity = .steady
        holdClock(at: instant, &effects)
        effects.append(.settle)
    }

    mutating func stop(at instant: Instant, _ effects: inout [PlayerEffect]) {
        guard status != .stopped else { return }
        leaveCurrent(isComplete: false, at: instant, &effects)
        halt(at: instant, &effects)
    }

    /// Silent, at the start of the current entry.
    mutating func halt(at instant: Instant, _ effects: inout [PlayerEffect]) {
        status = .stopped
        activity = .steady
        dropEngineWork(&effects)
        clock.anchor(at: .zero, instant: instant, isRunning: false)
        effects.append(.settle)
    }

    mutating func goNext(at instant: Instant, _ effects: inout [PlayerEffect]) {
        // R031: with CanGoNext false there is no effect.
        guard queue.hasNext else { return }
        leaveCurrent(isComplete: false, at: instant, &effects)
        guard queue.advance(.userAsked) != nil else { return }
        enterCurrent(at: instant, &effects)
    }

    mutating func goPrevious(at instant: Instant, _ effects: inout [PlayerEffect]) {
        if previousRestarts, queue.currentID != nil {
            let isLate = clock.position(at: instant) > PlayerMachine.restartThreshold
            if isLate || !queue.hasPrevious { return restart(at: instant, &effects) }
        }
        goToPreviousEntry(at: instant, &effects)
    }

    mutating func goToPreviousEntry(at instant: Instant, _ effects: inout [PlayerEffect]) {
        guard queue.hasPrevious else { return }
        leaveCurrent(isComplete: false, at: instant, &effects)
        guard queue.stepBack() != nil else { return }
        enterCurrent(at: instant, &effects)
    }

    mutating func restart(at instant: Instant, _ effects: inout [PlayerEffect]) {
        guard let id = queue.currentID, status != .stopped else { return }
        setPosition(id, .zero, at: instant, &effects)
    }

    mutating func goTo(_ entry: EntryID, at instant: Instant, _ effects: inout [PlayerEffect]) {
        guard queue.entry(entry) != nil else { return }
        leaveCurrent(isComplete: false, at: instant, &effects)
        guard queue.goTo(entry) else { return }
        status = .playing
        enterCurrent(at: instant, &effects)
    }

    mutating func setRate(_ rate: Double, at instant: Instant, _ effects: inout [PlayerEffect]) {
        guard rate.isFinite, rate >= 0 else { return }
        // R067: writing 0.0 has the effect of Pause; the rate itself is never 0.
        if rate == 0 { return pause(at: instant, &effects) }
        let rate = rate.clamped(to: PlayerMachine.rates)
        guard rate != self.rate else { return }
        noteHeard(at: instant)
        self.rate = rate
        clock.setRate(rate, at: instant)
        effects.append(.settle)
    }

    /// The new current entry begins at 0, in whatever state the listener left the player.
    mutating func enterCurrent(at instant: Instant, _ effects: inout [PlayerEffect]) {
        isSeekable = true
        isLive = false
        heard = .zero
        dropEngineWork(&effects)
        clock.length = nil
        clock.anchor(at: .zero, instant: instant, isRunning: false)
        if status == .playing { problem = nil }
        if status == .stopped {
            activity = .steady
        } else {
            wantCurrent(from: .zero)
            activity = status == .playing ? .loading : .steady
        }
        effects.append(.settle)
    }

    /// The current entry stops being heard.
    mutating func leaveCurrent(isComplete: Bool, at instant: Instant, _ effects: inout [PlayerEffect]) {
        noteHeard(at: instant)
        if let id = queue.currentID, let entry = queue.entry(id), heard > .zero {
            effects.append(
                .recordHeard(
                    HeardTrack(entry: id, uri: entry.uri, heard: heard, length: clock.length, isComplete: isComplete)))
        }
        heard = .zero
    }

    /// Adds to ``heard`` what the clock ran since its anchor; call before every new anchor.
    mutating func noteHeard(at instant: Instant) {
        guard clock.isRunning else { return }
        let position = clock.position(at: instant)
        heard += max(position - clock.anchorPosition, .zero)
        if instant > clock.anchorInstant { clock.anchor(at: position, instant: instant, isRunning: true) }
    }

    /// Nothing that was planned for the engine holds any more.
    mutating func dropEngineWork(_ effects: inout [PlayerEffect]) {
        engine.wantedLoad = nil
        engine.wantedSeek = nil
        engine.landing = nil
        engine.owesSeeked = false
        dropAhead(&effects)
    }

    mutating func wantCurrent(from position: Duration) {
        guard let id = queue.currentID, let entry = queue.entry(id) else { return }
        engine.wantedLoad = Load(item: EngineItem(entry), position: position)
    }

    mutating func holdClock(at instant: Instant, _ effects: inout [PlayerEffect]) {
        noteHeard(at: instant)
        clock.hold(at: instant)
        holdEdges(at: instant, &effects)
    }

    /// Lets the clock run again where nothing has to be waited for.
    mutating func resumeClock(at instant: Instant, _ effects: inout [PlayerEffect]) {
        guard status == .playing, engine.hasStarted, engine.wantedLoad == nil, !isAwaitingLanding,
            activity == .steady
        else { return }
        clock.run(from: instant)
        releaseEdges(at: instant, &effects)
    }

    var isAwaitingLanding: Bool { engine.wantedSeek != nil || engine.landing != nil }
}

extension EngineItem {
    init(_ entry: QueueEntry) {
        self.init(entry: entry.id, uri: entry.uri, start: entry.start, end: entry.end)
    }
}
