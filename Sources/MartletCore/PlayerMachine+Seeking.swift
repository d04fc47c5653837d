// SPDX-License-Identifier: Apache-2.0

extension PlayerMachine {
    mutating func seek(by offset: Duration, at instant: Instant, _ effects: inout [PlayerEffect]) {
        guard status != .stopped, canSeek else { return }
        let target = clock.position(at: instant) + offset
        // R047: beyond the end it behaves as Next.
        if let length = clock.length, target > length { return seekPastEnd(at: instant, &effects) }
        jump(to: max(target, .zero), at: instant, &effects)
    }

    mutating func setPosition(
        _ entry: EntryID, _ position: Duration, at instant: Instant, _ effects: inout [PlayerEffect]
    ) {
        // R050, R052, R053 and D15: out of date, out of range or stopped means nothing happens.
        guard status != .stopped, canSeek, entry == queue.currentID, position >= .zero,
            position <= clock.length ?? position
        else { return }
        jump(to: position, at: instant, &effects)
    }

    /// D03: with no entry to go to the track ends as if it had been heard out.
    private mutating func seekPastEnd(at instant: Instant, _ effects: inout [PlayerEffect]) {
        if queue.hasNext { return goNext(at: instant, &effects) }
        leaveCurrent(isComplete: false, at: instant, &effects)
        halt(at: instant, &effects)
    }

    /// The position reads the target and stands there until the engine has landed.
    private mutating func jump(to target: Duration, at instant: Instant, _ effects: inout [PlayerEffect]) {
        noteHeard(at: instant)
        clock.anchor(at: target, instant: instant, isRunning: false)
        if engine.wantedLoad != nil {
            engine.wantedLoad?.position = target
            engine.owesSeeked = true
        } else if engine.loaded == nil {
            effects.append(.announceSeek(target))
        } else {
            engine.wantedSeek = target
            engine.owesSeeked = true
        }
        effects.append(.settle)
    }

    mutating func landed(
        _ id: SeekID, at position: Duration, instant: Instant, _ effects: inout [PlayerEffect]
    ) {
        guard id == engine.landing else { return }
        engine.landing = nil
        guard engine.wantedSeek == nil, engine.wantedLoad == nil else {
            effects.append(.settle)
            return
        }
        anchor(at: position, instant: instant)
        paySeeked(position, &effects)
        effects.append(.settle)
    }

    /// Tells of the jump that was made, once.
    mutating func paySeeked(_ position: Duration, _ effects: inout [PlayerEffect]) {
        guard engine.owesSeeked else { return }
        engine.owesSeeked = false
        effects.append(.announceSeek(clock.length.map { min(position, $0) } ?? position))
    }

    /// Puts the clock on a position the engine vouches for, running if sound does.
    mutating func anchor(at position: Duration, instant: Instant) {
        let runs = status == .playing && engine.hasStarted && activity == .steady
        clock.anchor(at: max(position, .zero), instant: instant, isRunning: runs)
    }

    /// After a suspend the clock's idea is stale; the engine's, where it has one, is not.
    mutating func reanchor(after position: Duration?, at instant: Instant, _ effects: inout [PlayerEffect]) {
        guard let position, !isBeforeEdge, !isAwaitingLanding, engine.wantedLoad == nil else { return }
        let expected = clock.position(at: instant)
        anchor(at: position, instant: instant)
        let difference = clock.position(at: instant) - expected
        if difference > .milliseconds(250) || difference < .milliseconds(-250) {
            effects.append(.announceSeek(clock.position(at: instant)))
        }
    }
}
