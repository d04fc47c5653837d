// SPDX-License-Identifier: Apache-2.0

extension PlayerMachine {
    mutating func perform(_ edit: QueueEdit, at instant: Instant, _ effects: inout [PlayerEffect]) {
        switch edit {
        case .replace(let entries, let index):
            leaveCurrent(isComplete: false, at: instant, &effects)
            queue.replace(with: entries, startingAt: index)
            guard queue.currentID != nil else { return emptied(at: instant, &effects) }
            status = .playing
            return enterCurrent(at: instant, &effects)
        case .open(let entries):
            let placed = queue.insert(entries, after: queue.currentID)
            guard let first = placed.first else { return }
            return goTo(first, at: instant, &effects)
        case .append(let entries): queue.append(entries)
        case .playNext(let entries): queue.playNext(entries)
        case .insert(let entries, let after): queue.insert(entries, after: after)
        case .insertAt(let entries, let position): queue.insert(entries, at: position)
        case .move(let ids, let after): queue.move(ids, after: after)
        case .moveRange(let range, let target): queue.moveSubrange(range, to: target)
        case .setPriority(let ids, let priority): queue.setPriority(ids, priority)
        case .remove(let ids): follow(queue.remove(ids), at: instant, &effects)
        case .removeRange(let range): follow(queue.removeSubrange(range), at: instant, &effects)
        case .clear: follow(queue.clear(), at: instant, &effects)
        case .undo: follow(queue.undo(), at: instant, &effects)
        case .redo: follow(queue.redo(), at: instant, &effects)
        }
        effects.append(.settle)
    }

    /// The current entry may have left the queue: what took its place begins, in the state the listener left the player.
    private mutating func follow(
        _ fate: PlayQueue.CurrentFate, at instant: Instant, _ effects: inout [PlayerEffect]
    ) {
        guard fate != .kept else { return }
        heard = .zero
        switch fate {
        case .kept: break
        case .replaced: enterCurrent(at: instant, &effects)
        case .endReached:
            halt(at: instant, &effects)
            clock.length = nil
        case .emptied: emptied(at: instant, &effects)
        }
    }

    private mutating func emptied(at instant: Instant, _ effects: inout [PlayerEffect]) {
        halt(at: instant, &effects)
        clock.length = nil
        problem = nil
        isSeekable = true
        isLive = false
    }
}
