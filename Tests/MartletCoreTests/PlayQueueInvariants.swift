// SPDX-License-Identifier: Apache-2.0
import MartletCore
import Testing

/// What holds of every queue at every moment.
struct PlayQueueInvariants {
    /// The first of them that does not hold, in words.
    static func violation(in queue: PlayQueue) -> String? {
        let list = Array(queue.list)
        let snapshot = queue.snapshot
        if Set(list).count != list.count { return "an entry stands in the list twice" }
        if queue.snapshot.entries.count != list.count { return "entries and list differ" }
        if list.contains(where: { queue.entry($0)?.id != $0 }) { return "an entry of the list is unknown" }
        if let current = queue.currentID {
            if !list.contains(current) { return "the current entry is not in the list" }
            if queue.position(of: current) != list.firstIndex(of: current) { return "position of the current entry" }
        }
        if let stop = queue.stopAfter, !list.contains(stop) { return "stops after an entry that is not there" }
        if queue.shuffleMode == .off {
            if !snapshot.order.isEmpty { return "an order though not shuffled" }
        } else {
            if snapshot.order.sorted() != list.sorted() { return "the order is no permutation" }
            if !(0...list.count).contains(snapshot.heardCount) { return "heard more than there is" }
        }
        return violationOfMoves(in: queue)
    }

    private static func violationOfMoves(in queue: PlayQueue) -> String? {
        if queue.hasNext != (queue.peekNext(.userAsked) != nil) { return "hasNext differs from peekNext" }
        for reason in AdvanceReason.allCases {
            var copy = queue
            let next = copy.advance(reason)
            if next != queue.peekNext(reason) { return "peekNext(\(reason)) lies" }
            if let next {
                if copy.currentID != next { return "advance(\(reason)) went elsewhere" }
                if copy.entry(next)?.isUnplayable != false {
                    return "advance(\(reason)) leads to what cannot be played"
                }
            }
            if reason == .userAsked, next != nil, next == queue.currentID { return "next is the same" }
        }
        var back = queue
        let previous = back.stepBack()
        if queue.hasPrevious != (previous != nil) { return "hasPrevious lies" }
        if let previous, let current = queue.currentID {
            if previous == current { return "previous is the same" }
            if queue.entry(current)?.isUnplayable == false {
                if back.advance(.userAsked) != current { return "previous and next do not lead back" }
            }
        }
        return violationOfRound(in: queue)
    }

    /// Played on without a loop, everything that was not heard in this round comes, and nothing twice.
    private static func violationOfRound(in queue: PlayQueue) -> String? {
        guard queue.shuffleMode != .off else { return nil }
        let snapshot = queue.snapshot
        let unheard = snapshot.order[snapshot.heardCount...].filter {
            $0 != queue.currentID && queue.entry($0)?.isUnplayable == false
        }
        var walker = queue
        walker.setLoopMode(.none)
        walker.consumes = false
        var heard: [EntryID] = []
        var isRevisit = true
        while let next = walker.advance(.userAsked) {
            // What was walked back from comes first and may belong to the round before.
            isRevisit = isRevisit && snapshot.ahead.contains { $0.id == next && $0.isRevisit }
            if !isRevisit { heard.append(next) }
            if heard.count > snapshot.order.count * 2 { return "the round does not end" }
        }
        let revisits = Set(snapshot.ahead.filter(\.isRevisit).map(\.id))
        if !Set(unheard).isSubset(of: Set(heard).union(revisits)) { return "the round leaves entries out" }
        let fresh = heard.filter { !revisits.contains($0) }
        if Set(fresh).count != fresh.count { return "an entry comes twice in a round" }
        return nil
    }

    /// Whether the steps the queue tells lead from an old list to its list.
    static func stepsLead(from old: [EntryID], version: UInt64, to queue: PlayQueue) -> Bool {
        guard let changes = queue.changes(since: version) else { return true }
        var mirror = old
        for change in changes {
            switch change {
            case .inserted(let ids, let position):
                guard position <= mirror.count else { return false }
                mirror.insert(contentsOf: ids, at: position)
            case .removed(let ids):
                guard Set(ids).isSubset(of: mirror) else { return false }
                mirror.removeAll { ids.contains($0) }
            case .moved(let ids, let position):
                mirror.removeAll { ids.contains($0) }
                guard position <= mirror.count else { return false }
                mirror.insert(contentsOf: ids, at: position)
            case .updated: break
            }
        }
        return mirror.elementsEqual(queue.list)
    }
}
