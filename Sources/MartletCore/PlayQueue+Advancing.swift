// SPDX-License-Identifier: Apache-2.0

extension PlayQueue {
    /// A way on, and where it was found.
    struct Step {
        enum Place {
            case here
            case ahead(Int)
            case list(Int)
            case order(Int)
            case nextRound(Int)
        }

        var id: EntryID
        var place: Place
    }

    // MARK: Moving on

    /// What follows the current entry, without going there; `nil` is the end.
    public func peekNext(_ reason: AdvanceReason) -> EntryID? {
        if reason == .trackEnded, let currentID, stopAfter == currentID { return nil }
        return following(reason)?.id
    }

    /// Whether somebody who asks for the next entry gets another one.
    public var hasNext: Bool { following(.userAsked) != nil }

    /// Goes on to what follows.
    ///
    /// - Returns: The new current entry, or `nil` at the end. There the current one stays what it is, with two
    ///   exceptions: after ``stopAfter`` the one that would have followed waits to be played, and where the queue
    ///   ``consumes`` the first of what is left does.
    public mutating func advance(_ reason: AdvanceReason) -> EntryID? {
        let old = currentID
        let isStop = reason == .trackEnded && old != nil && stopAfter == old
        if isStop { stopAfter = nil }
        guard let step = following(reason) else {
            if reason == .trackEnded, consumes, let old, isPlayable(old) { consumeLast(old) }
            return nil
        }
        take(step)
        if let old, old != step.id {
            if consumes, isPlayable(old) { consume(old) } else { remember(old) }
        }
        prepareRound()
        return isStop ? nil : step.id
    }

    func following(_ reason: AdvanceReason) -> Step? {
        if reason == .trackEnded, loopMode == .track, let currentID, isPlayable(currentID) {
            return Step(id: currentID, place: .here)
        }
        if let step = nextInRound { return step }
        // D04: an explicit Next leaves a repeated track, and on the last entry goes to the first.
        guard loopMode == .queue || (loopMode == .track && reason == .userAsked), !isAllUnplayable else { return nil }
        let isOther = { (id: EntryID) in id != self.currentID && !self.unplayable.contains(id) }
        if shuffleMode == .off {
            if let (position, id) = list.first(from: 0, where: isOther) { return Step(id: id, place: .list(position)) }
        } else if let (index, id) = nextRound?.first(from: 0, where: isOther) {
            return Step(id: id, place: .nextRound(index))
        }
        // Alone, the end leads to the start, but there is no other entry to ask for.
        guard reason == .trackEnded, let currentID, isPlayable(currentID) else { return nil }
        return Step(id: currentID, place: .here)
    }

    private var isAllUnplayable: Bool { unplayable.count == list.count }

    /// What follows without starting over.
    private var nextInRound: Step? {
        guard !isAllUnplayable else { return nil }
        if shuffleMode == .off {
            let found = list.first(from: currentPosition.map { $0 + 1 } ?? 0) { !unplayable.contains($0) }
            return found.map { Step(id: $0.id, place: .list($0.position)) }
        }
        if let index = play.ahead.firstIndex(where: { $0.id != currentID && isPlayable($0.id) }) {
            return Step(id: play.ahead[index].id, place: .ahead(index))
        }
        let found = play.order.first(from: play.heardCount) { $0 != currentID && !unplayable.contains($0) }
        return found.map { Step(id: $0.id, place: .order($0.position)) }
    }

    private mutating func take(_ step: Step) {
        switch step.place {
        case .here: return
        case .ahead(let index):
            let isRevisit = play.ahead[index].isRevisit
            play.ahead.removeSubrange(...index)
            if !isRevisit { hear(step.id) }
            currentID = step.id
            currentPosition = list.position(of: step.id)
            touch()
        case .order(let index):
            hear(step.id, at: index)
            currentID = step.id
            currentPosition = list.position(of: step.id)
            touch()
        case .nextRound(let index):
            guard let round = nextRound else { return }
            play.order = round
            play.heardCount = 0
            play.ahead = []
            hear(step.id, at: index)
            currentID = step.id
            currentPosition = list.position(of: step.id)
            touch()
        case .list: land(on: step.id)
        }
    }

    /// Has the next round ready as soon as nothing of this one is left.
    mutating func prepareRound() {
        guard shuffleMode != .off, loopMode != .none, !list.isEmpty, nextInRound == nil else {
            nextRound = nil
            return
        }
        if nextRound == nil || nextRoundVersion != version {
            nextRound = makeRound(notStartingWith: currentID)
            nextRoundVersion = version
        }
    }

    // MARK: Consuming

    private mutating func consume(_ id: EntryID) {
        let selection = EntryIDSelection([id])
        drop(selection)
        history.removeAll { $0 == id }
        noteChange([.removed([id])])
        currentPosition = currentID.flatMap { list.position(of: $0) }
        touch()
    }

    /// The end was reached: what is left waits at its beginning.
    private mutating func consumeLast(_ id: EntryID) {
        consume(id)
        currentID = nil
        currentPosition = nil
        if let first = list.first(from: 0, where: { !unplayable.contains($0) })?.id ?? list.first {
            // Whatever is left was heard or cannot be played, so that a round begins.
            if shuffleMode != .off { play.heardCount = 0 }
            land(on: first)
        }
        prepareRound()
    }

    // MARK: Going back

    /// Whether there is an entry to go back to.
    public var hasPrevious: Bool { preceding != nil }

    /// Goes back: while shuffled through what was really heard (F279), up the list otherwise; from the first of a
    /// repeated list to its last.
    ///
    /// What was gone back from is what ``advance(_:)`` leads to next.
    public mutating func stepBack() -> EntryID? {
        guard let (id, depth) = preceding else { return nil }
        let old = currentID
        if shuffleMode == .off {
            if history.last == id { history.removeLast() } else if let old { remember(old) }
            land(on: id)
        } else {
            history.removeLast(depth)
            if let old { play.ahead.insert(Ahead(id: old, isRevisit: true), at: 0) }
            currentID = id
            currentPosition = list.position(of: id)
            touch()
        }
        prepareRound()
        return id
    }

    private var preceding: (id: EntryID, depth: Int)? {
        guard let currentID else { return nil }
        if shuffleMode != .off {
            for (depth, id) in history.reversed().enumerated() where id != currentID && isPlayable(id) {
                return (id, depth + 1)
            }
            return nil
        }
        guard let currentPosition, !isAllUnplayable else { return nil }
        if let id = list.last(before: currentPosition, where: { !unplayable.contains($0) }) { return (id, 0) }
        guard loopMode == .queue,
            let id = list.last(before: list.count, where: { $0 != currentID && !unplayable.contains($0) })
        else { return nil }
        return (id, 0)
    }

    // MARK: Looking around

    /// What will be heard next, nearest first, as things stand; the end of the list or of the round ends it.
    ///
    /// - Parameter limit: At most so many.
    public func upcoming(limit: Int) -> [EntryID] {
        var result: [EntryID] = []
        var seen: Set<EntryID> = []
        func add(_ id: EntryID) {
            if id != currentID, isPlayable(id), seen.insert(id).inserted { result.append(id) }
        }
        if shuffleMode == .off {
            var position = currentPosition.map { $0 + 1 } ?? 0
            while result.count < limit, position < list.count {
                add(list[position])
                position += 1
            }
            return result
        }
        for ahead in play.ahead where result.count < limit { add(ahead.id) }
        var index = play.heardCount
        while result.count < limit, index < play.order.count {
            add(play.order[index])
            index += 1
        }
        return result
    }

    /// What was heard before the current entry and is still in the list, latest first.
    ///
    /// - Parameter limit: At most so many.
    public func heard(limit: Int) -> [EntryID] {
        Array(history.reversed().lazy.filter(contains).prefix(limit))
    }

    /// The current entry, the next ones in playing order and the ones before: what is worth reading ahead.
    public func neighbours(ahead: Int, behind: Int) -> [EntryID] {
        var result = (currentID.map { [$0] } ?? []) + upcoming(limit: ahead)
        if let next = peekNext(.trackEnded), !result.contains(next) { result.append(next) }
        if shuffleMode != .off {
            result += history.suffix(behind).filter { contains($0) && !result.contains($0) }
        } else if let currentPosition {
            result += list[max(currentPosition - behind, 0)..<currentPosition].filter { !result.contains($0) }
        }
        return result
    }
}

extension EntryIDSequence {
    /// The first id from a position on that fits.
    func first(from start: Int, where fits: (EntryID) -> Bool) -> (position: Int, id: EntryID)? {
        var position = start
        while position < count {
            let id = self[position]
            if fits(id) { return (position, id) }
            position += 1
        }
        return nil
    }

    /// The last id before a position that fits.
    func last(before end: Int, where fits: (EntryID) -> Bool) -> EntryID? {
        var position = end - 1
        while position >= 0 {
            let id = self[position]
            if fits(id) { return id }
            position -= 1
        }
        return nil
    }
}
