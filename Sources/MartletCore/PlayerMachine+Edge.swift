// SPDX-License-Identifier: Apache-2.0

/// The seam between two tracks: the pipeline is ahead of the ear, and the ear is what is announced.
extension PlayerMachine {
    /// The taken entry's stream flows; its predecessor is heard for a while yet.
    mutating func crossedEdge(
        _ entry: EntryID, _ remaining: Duration, at instant: Instant, _ effects: inout [PlayerEffect]
    ) {
        guard entry == engine.taken, engine.wantedLoad == nil, status != .stopped else { return }
        if remaining <= .zero { return passEdge(at: instant, &effects) }
        if status == .playing, activity == .steady {
            engine.edge = .due(instant + remaining)
            effects.append(.schedule(.edge, at: instant + remaining))
        } else {
            engine.edge = .held(remaining: remaining)
        }
    }

    /// The last sample of the old track has been heard.
    mutating func passEdge(at instant: Instant, _ effects: inout [PlayerEffect]) {
        guard let taken = engine.taken else { return }
        if case .held = engine.edge { return }
        let old = queue.currentID
        let length = clock.length
        leaveCurrent(isComplete: true, at: instant, &effects)
        let expected = queue.peekNext(.trackEnded)
        guard let next = queue.advance(.trackEnded) else { return halt(at: instant, &effects) }
        guard next == taken, expected == taken else {
            // The queue was edited after the hand-over: what flows is no longer what is wanted.
            return enterCurrent(at: instant, &effects)
        }
        engine.loaded = engine.next
        engine.next = nil
        engine.taken = nil
        if engine.edge != nil {
            engine.edge = nil
            effects.append(.cancel(.edge))
        }
        isLive = false
        isSeekable = engine.takenIsSeekable ?? true
        clock.length = engine.takenLength ?? (next == old ? length : nil)
        engine.takenIsSeekable = nil
        engine.takenLength = nil
        heard = .zero
        clock.anchor(at: .zero, instant: instant, isRunning: status == .playing && activity == .steady)
        if next == old {
            // D14: repeat-one falls back to 0 under the same id.
            effects.append(.announceSeek(.zero))
        }
        effects.append(.settle)
    }
}
