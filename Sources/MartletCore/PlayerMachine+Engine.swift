// SPDX-License-Identifier: Apache-2.0

extension PlayerMachine {
    mutating func handle(_ event: EngineEvent, at instant: Instant, _ effects: inout [PlayerEffect]) {
        switch event {
        case .ready:
            engine.readiness = .ready
            effects.append(.settle)
        case .unavailable(let failure):
            engine.readiness = .unavailable
            engine.wantedLoad = nil
            reportProblem(PlaybackProblem(entry: nil, failure: failure), &effects)
            if status == .playing { halt(at: instant, &effects) }
        case .started(let entry, let position): started(entry, position, at: instant, &effects)
        case .paused(let entry, let position): paused(entry, position, at: instant, &effects)
        case .landed(let id, let position): landed(id, at: position, instant: instant, &effects)
        case .durationChanged(let entry, let length): durationChanged(entry, length, at: instant)
        case .seekableChanged(let entry, let isSeekable):
            if isAhead(entry) {
                noteAhead(entry) { $0.isSeekable = isSeekable }
            } else if entry == queue.currentID {
                if engine.hasStarted { self.isSeekable = isSeekable } else { engine.earlySeekable = isSeekable }
            }
        case .tookNext(let entry):
            took(entry, &effects)
        case .crossedEdge(let entry, let remaining): crossedEdge(entry, remaining, at: instant, &effects)
        case .endOfStream(let entry): ended(entry, at: instant, &effects)
        case .buffering(let entry, let percent): buffering(entry, percent, at: instant, &effects)
        case .tagsChanged: break
        case .volumeChanged(let volume, let isMuted):
            // The mixer's word is the new truth; ordering it again would fight the mixer.
            self.volume = volume.clamped(to: 0...1)
            self.isMuted = isMuted
            engine.volume = self.volume
            engine.isMuted = isMuted
        case .failed(let entry, let failure): failed(entry, failure, at: instant, &effects)
        }
    }

    private func isLoaded(_ entry: EntryID) -> Bool {
        engine.loaded?.entry == entry && engine.wantedLoad == nil
    }

    private mutating func started(
        _ entry: EntryID, _ position: Duration, at instant: Instant, _ effects: inout [PlayerEffect]
    ) {
        guard isLoaded(entry) || isAhead(entry) else { return }
        if case .buffering = activity {} else { activity = .steady }
        problem = nil
        settleIn(position, at: instant, &effects)
    }

    private mutating func paused(
        _ entry: EntryID, _ position: Duration, at instant: Instant, _ effects: inout [PlayerEffect]
    ) {
        guard isLoaded(entry) || isAhead(entry) else { return }
        if status == .paused { activity = .steady }
        settleIn(position, at: instant, &effects)
    }

    /// The engine stands or runs where it says; what it says about a track that is still to be heard is not for now.
    private mutating func settleIn(_ position: Duration, at instant: Instant, _ effects: inout [PlayerEffect]) {
        let isFirst = !engine.hasStarted
        engine.hasStarted = true
        if isFirst, !isBeforeEdge {
            if engine.earlyLive == true {
                isLive = true
                clock.length = nil
            }
            if let early = engine.earlySeekable { isSeekable = early }
            engine.earlyLive = nil
            engine.earlySeekable = nil
        }
        if isBeforeEdge || isAwaitingLanding {
            resumeClock(at: instant, &effects)
            effects.append(.settle)
            return
        }
        let expected = clock.position(at: instant)
        noteHeard(at: instant)
        anchor(at: position, instant: instant)
        if isFirst, !engine.owesSeeked, abs(position - expected) > .milliseconds(250) {
            // R098: a start somewhere else than announced, such as a source that cannot seek.
            engine.owesSeeked = true
        }
        paySeeked(position, &effects)
        effects.append(.settle)
    }

    private mutating func durationChanged(_ entry: EntryID, _ length: Duration?, at instant: Instant) {
        if isAhead(entry) { return noteAhead(entry) { $0.length = length } }
        guard entry == queue.currentID else { return }
        if let length {
            isLive = false
            engine.earlyLive = nil
            setLength(length, at: instant)
        } else if engine.hasStarted {
            isLive = true
            clock.length = nil
        } else {
            // Before the preroll nobody knows a length; that it has none is true only if it is still so afterwards.
            engine.earlyLive = true
        }
    }

    mutating func lengthBecameKnown(_ entry: EntryID, _ length: Duration, at instant: Instant) {
        guard entry == queue.currentID, clock.length == nil, !isLive else { return }
        setLength(length, at: instant)
    }

    private mutating func setLength(_ length: Duration, at instant: Instant) {
        guard length > .zero else { return }
        if let known = clock.length, abs(known - length) <= PlayerMachine.lengthTolerance { return }
        noteHeard(at: instant)
        clock.length = length
    }

    private mutating func buffering(
        _ entry: EntryID, _ percent: Int, at instant: Instant, _ effects: inout [PlayerEffect]
    ) {
        guard isLoaded(entry) else { return }
        if percent < 100 {
            activity = .buffering(percent: max(percent, 0))
            holdClock(at: instant, &effects)
        } else if case .buffering = activity {
            activity = engine.hasStarted ? .steady : .loading
            resumeClock(at: instant, &effects)
        }
    }

    private mutating func ended(_ entry: EntryID, at instant: Instant, _ effects: inout [PlayerEffect]) {
        // All that flows has been heard, whatever the timers say.
        while isBeforeEdge { passEdge(at: instant, &effects) }
        guard engine.loaded != nil, engine.wantedLoad == nil, status != .stopped, let current = queue.currentID else {
            return
        }
        // Whichever entry it named: the engine has nothing left to play, and what did not flow never will.
        passOver(engine.ahead.indices)
        leaveCurrent(isComplete: true, at: instant, &effects)
        advanceAfterEnd(of: current, at: instant, &effects)
    }

    /// The track is over: on to what follows, or to a stop.
    private mutating func advanceAfterEnd(
        of entry: EntryID, at instant: Instant, _ effects: inout [PlayerEffect]
    ) {
        guard let next = queue.advance(.trackEnded) else {
            if queue.currentID != entry { clock.length = nil }
            return halt(at: instant, &effects)
        }
        let length = clock.length
        enterCurrent(at: instant, &effects)
        if next == entry {
            // D14: the same track from the start is a jump nobody expects.
            clock.length = length
            engine.owesSeeked = true
        }
    }

    private mutating func failed(
        _ entry: EntryID, _ failure: EngineFailure, at instant: Instant, _ effects: inout [PlayerEffect]
    ) {
        guard engine.loaded != nil else { return }
        // A taken entry's failure is told when what came before it has been heard out.
        while failure.cause != .output, isBeforeEdge, engine.ahead.first?.entry != entry {
            passEdge(at: instant, &effects)
        }
        reportProblem(PlaybackProblem(entry: entry, failure: failure), &effects)
        let isOutput = failure.cause == .output
        if !isOutput { queue.setUnplayable(entry, true) }
        let position = clock.position(at: instant)
        let failedTaken = isAhead(entry)
        engine.unload()
        guard engine.wantedLoad == nil else {
            effects.append(.settle)
            return
        }
        let wasPlaying = status == .playing
        if isOutput {
            // Not the entry's fault: stand where we are, so that Play tries again there.
            noteHeard(at: instant)
            dropEngineWork(&effects)
            if wasPlaying { status = .paused }
            activity = .steady
            clock.anchor(at: position, instant: instant, isRunning: false)
            paySeeked(position, &effects)
            effects.append(.settle)
        } else if wasPlaying {
            leaveCurrent(isComplete: failedTaken, at: instant, &effects)
            let problem = problem
            advanceAfterEnd(of: entry, at: instant, &effects)
            self.problem = problem
        } else {
            dropEngineWork(&effects)
            activity = .steady
            effects.append(.settle)
        }
    }

    private mutating func reportProblem(_ problem: PlaybackProblem, _ effects: inout [PlayerEffect]) {
        self.problem = problem
        effects.append(.report(problem))
    }
}

func abs(_ duration: Duration) -> Duration {
    duration < .zero ? .zero - duration : duration
}
