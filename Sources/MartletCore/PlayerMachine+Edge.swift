// SPDX-License-Identifier: Apache-2.0

/// The seam between two tracks: the pipeline is ahead of the ear, and the ear is what is announced.
extension PlayerMachine {
    /// Whether something flows already that is still to be heard.
    var isBeforeEdge: Bool { engine.ahead.first?.edge != nil }

    func isAhead(_ entry: EntryID) -> Bool {
        engine.ahead.contains { $0.entry == entry }
    }

    /// Notes what the engine told of a taken entry; of one that repeats, every pass is the same file.
    mutating func noteAhead(_ entry: EntryID, _ change: (inout Ahead) -> Void) {
        for index in engine.ahead.indices where engine.ahead[index].entry == entry { change(&engine.ahead[index]) }
    }

    mutating func took(_ entry: EntryID, _ effects: inout [PlayerEffect]) {
        guard engine.loaded != nil, engine.wantedLoad == nil else { return }
        if let next = engine.next, next.entry == entry {
            engine.ahead.append(Ahead(entry: entry, item: next))
            engine.next = nil
        } else {
            // It was taken in the very moment in which another was prepared in its place.
            engine.ahead.append(Ahead(entry: entry, item: queue.entry(entry).map { EngineItem($0) }))
        }
        effects.append(.settle)
    }

    /// A taken entry's stream flows; what came before it is heard for a while yet.
    mutating func crossedEdge(
        _ entry: EntryID, _ remaining: Duration, at instant: Instant, _ effects: inout [PlayerEffect]
    ) {
        guard engine.wantedLoad == nil, status != .stopped,
            let index = engine.ahead.firstIndex(where: { $0.edge == nil }),
            let found = engine.ahead[index...].firstIndex(where: { $0.entry == entry })
        else { return }
        passOver(index..<found)
        guard status == .playing, activity == .steady else {
            engine.ahead[index].edge = .held(remaining: max(remaining, .zero))
            return
        }
        engine.ahead[index].edge = .due(instant + max(remaining, .zero))
        if index == 0 { passEdges(at: instant, &effects) }
    }

    /// These were taken and nothing of them flowed: damaged, and so passed over in the queue as well.
    mutating func passOver(_ range: Range<Int>) {
        for ahead in engine.ahead[range] { queue.setUnplayable(ahead.entry, true) }
        engine.ahead.removeSubrange(range)
    }

    /// Passes every edge whose moment has come, and sets the alarm for the next.
    mutating func passEdges(at instant: Instant, _ effects: inout [PlayerEffect]) {
        while case .due(let moment) = engine.ahead.first?.edge {
            guard moment <= instant else {
                effects.append(.schedule(.edge, at: moment))
                return
            }
            passEdge(at: instant, &effects)
        }
    }

    /// The last sample of the old track has been heard.
    mutating func passEdge(at instant: Instant, _ effects: inout [PlayerEffect]) {
        guard let ahead = engine.ahead.first else { return }
        var moment = instant
        if case .due(let due) = ahead.edge { moment = min(max(due, clock.anchorInstant), instant) }
        let old = queue.currentID
        let length = clock.length
        leaveCurrent(isComplete: true, at: moment, &effects)
        let expected = queue.peekNext(.trackEnded)
        guard let next = queue.advance(.trackEnded) else { return halt(at: instant, &effects) }
        guard next == ahead.entry, expected == ahead.entry, let item = ahead.item else {
            // The queue was edited after the hand-over: what flows is no longer what is wanted.
            return enterCurrent(at: instant, &effects)
        }
        engine.ahead.removeFirst()
        engine.loaded = item
        if engine.ahead.first?.edge == nil { effects.append(.cancel(.edge)) }
        isLive = false
        isSeekable = ahead.isSeekable ?? true
        clock.length = ahead.length ?? (next == old ? length : nil)
        heard = .zero
        clock.anchor(at: .zero, instant: moment, isRunning: status == .playing && activity == .steady)
        if next == old {
            // D14: repeat-one falls back to 0 under the same id.
            effects.append(.announceSeek(.zero))
        }
        effects.append(.settle)
    }

    /// What was taken will not be heard: something else is loaded.
    mutating func dropAhead(_ effects: inout [PlayerEffect]) {
        if isBeforeEdge { effects.append(.cancel(.edge)) }
        engine.ahead = []
    }

    /// Sound stands, and with it everything that waits to be heard.
    mutating func holdEdges(at instant: Instant, _ effects: inout [PlayerEffect]) {
        guard isBeforeEdge else { return }
        for index in engine.ahead.indices {
            guard case .due(let moment) = engine.ahead[index].edge else { continue }
            engine.ahead[index].edge = .held(remaining: max(moment - instant, .zero))
        }
        effects.append(.cancel(.edge))
    }

    mutating func releaseEdges(at instant: Instant, _ effects: inout [PlayerEffect]) {
        for index in engine.ahead.indices {
            guard case .held(let remaining) = engine.ahead[index].edge else { continue }
            engine.ahead[index].edge = .due(instant + remaining)
        }
        if case .due(let moment) = engine.ahead.first?.edge { effects.append(.schedule(.edge, at: moment)) }
    }
}
