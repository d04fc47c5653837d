// SPDX-License-Identifier: Apache-2.0

/// Shuffling: a round is an order over the list in which every entry comes once before any comes again.
extension PlayQueue {
    /// Starts a round here: what is current counts as heard, what `playNext` put in comes next, then the rest.
    mutating func beginRound() {
        let waiting = play.ahead.filter { !$0.isRevisit && $0.id != currentID && contains($0.id) }
        play = PlayOrder(ahead: waiting, stamp: play.stamp)
        guard shuffleMode != .off, !list.isEmpty else { return }
        play.order = makeRound(notStartingWith: nil)
        if let currentID { hearAlbum(of: currentID) }
        // Backwards, each to the front.
        for ahead in waiting.reversed() { bringForward(ahead.id, to: play.heardCount) }
    }

    private mutating func bringForward(_ id: EntryID, to index: Int) {
        if let found = play.order.position(of: id, from: index) { play.order.move(from: found, to: index) }
    }

    /// A fresh permutation of the list, in descending priority.
    ///
    /// - Parameter last: What was just heard: it does not come first, nor does its album, unless there is nothing else.
    mutating func makeRound(notStartingWith last: EntryID?) -> EntryIDSequence {
        if shuffleMode == .albums { return makeAlbumRound(notStartingWith: last) }
        var round = Array(list)
        round.shuffle(using: &random)
        round = sortedByPriority(round)
        if let last, round.count > 1, round[0] == last || unplayable.contains(round[0]) {
            let others = round.indices.filter { round[$0] != last && !unplayable.contains(round[$0]) }
            let highest = others.first.map { priorities[round[$0]] ?? 0 }
            if let other = others.filter({ priorities[round[$0]] ?? 0 == highest }).randomElement(using: &random) {
                round.swapAt(0, other)
            }
        }
        return EntryIDSequence(round)
    }

    private mutating func makeAlbumRound(notStartingWith last: EntryID?) -> EntryIDSequence {
        var albums = albums
        albums.shuffle(using: &random)
        if !priorities.isEmpty {
            let keyed = albums.enumerated().map {
                (rank: $0.offset, priority: priority(of: $0.element), ids: $0.element)
            }
            albums = keyed.sorted { ($1.priority, $0.rank) < ($0.priority, $1.rank) }.map(\.ids)
        }
        if let last, albums.count > 1, albums[0].contains(last) {
            let top = priority(of: albums[1])
            let end = albums.dropFirst().prefix { priorities.isEmpty || priority(of: $0) == top }.endIndex
            albums.swapAt(0, Int.random(in: 1..<end, using: &random))
        }
        return EntryIDSequence(albums.joined())
    }

    private func priority(of album: [EntryID]) -> UInt8 { album.lazy.map { priorities[$0] ?? 0 }.max() ?? 0 }

    /// Highest priority first, otherwise in the order given.
    private func sortedByPriority(_ ids: [EntryID]) -> [EntryID] {
        guard !priorities.isEmpty else { return ids }
        var groups: [UInt8: [EntryID]] = [:]
        for id in ids { groups[priorities[id] ?? 0, default: []].append(id) }
        return groups.sorted { $0.key > $1.key }.flatMap(\.value)
    }

    /// Entries of one album together, each album in the list's order.
    private var albums: [[EntryID]] {
        var groups: [[EntryID]] = []
        var index: [String: Int] = [:]
        // Albums mostly lie in one piece, so that the key before is nearly always the key again.
        var lastKey: String?
        var lastGroup = 0
        var reader = QueueEntryTable.AlbumReader(entries)
        for id in list {
            guard let key = reader.albumKey(of: id) else {
                groups.append([id])
                continue
            }
            if key != lastKey {
                lastKey = key
                lastGroup = index[key] ?? groups.count
                if lastGroup == groups.count {
                    index[key] = lastGroup
                    groups.append([])
                }
            }
            groups[lastGroup].append(id)
        }
        return groups
    }

    // MARK: Hearing

    /// Counts an entry as heard in this round.
    ///
    /// - Parameter index: Where it stands in the order, if known.
    mutating func hear(_ id: EntryID, at index: Int? = nil) {
        guard let index = index ?? play.order.position(of: id, from: play.heardCount) else { return }
        play.order.move(from: index, to: play.heardCount)
        play.heardCount += 1
    }

    /// Counts an entry that was jumped to as heard; by albums, what follows it on its album comes next.
    ///
    /// What lies before it on the album counts as heard too, or the round would end with half an album.
    mutating func hearAlbum(of id: EntryID) {
        let start = firstFreeIndex
        guard shuffleMode == .albums, let key = entries[id]?.albumKey,
            let index = play.order.position(of: id, from: start)
        else { return hear(id) }
        var first = index
        while first > start, entries[play.order[first - 1]]?.albumKey == key { first -= 1 }
        var end = index + 1
        while end < play.order.count, entries[play.order[end]]?.albumKey == key { end += 1 }
        let heard = play.heardCount
        if first > heard {
            let album = Array(play.order[first..<end])
            play.order.replaceSubrange(first..<end, with: [])
            play.order.insert(album, at: heard)
        }
        play.heardCount = heard + index - first + 1
    }

    // MARK: New entries

    /// New entries, already in the list, find their place among what has not been heard.
    mutating func scatter(_ ids: [EntryID]) {
        let start = firstFreeIndex
        if shuffleMode == .albums {
            scatterAlbums(ids, from: start)
        } else if ids.count <= 32 {
            for id in ids {
                let range = priorityRange(priorities[id] ?? 0, from: start)
                let index = Int.random(in: range.lowerBound...range.upperBound, using: &random)
                play.order.insert([id], at: index)
            }
        } else {
            var rest = play.order.walk(start..<play.order.count)
            var restCount = play.order.count - start
            var new = ids.shuffled(using: &random).makeIterator()
            var newCount = ids.count
            var merged: [EntryID] = []
            merged.reserveCapacity(restCount + newCount)
            while newCount + restCount > 0 {
                let takesNew = Int.random(in: 0..<(newCount + restCount), using: &random) < newCount
                if let id = takesNew ? new.next() : rest.next() { merged.append(id) }
                if takesNew { newCount -= 1 } else { restCount -= 1 }
            }
            play.order.replaceSubrange(start..<play.order.count, with: sortedByPriority(merged))
        }
    }

    /// Behind what was heard and what `playNext` put in.
    private var firstFreeIndex: Int {
        let last = play.ahead.last { !$0.isRevisit && contains($0.id) }
        let index = last.flatMap { play.order.position(of: $0.id, from: play.heardCount) }
        return index.map { $0 + 1 } ?? play.heardCount
    }

    /// Where in the unheard part, which is in descending priority, an entry of this priority may stand.
    private func priorityRange(_ priority: UInt8, from start: Int) -> Range<Int> {
        guard !priorities.isEmpty else { return start..<play.order.count }
        let lower = play.order.first(from: start) { priorities[$0] ?? 0 <= priority }?.position ?? play.order.count
        let upper = priority == 0 ? nil : play.order.first(from: lower) { priorities[$0] ?? 0 < priority }?.position
        return lower..<(upper ?? play.order.count)
    }

    /// To the rest of their album if there is one ahead, between two albums if not.
    private mutating func scatterAlbums(_ ids: [EntryID], from start: Int) {
        var groups: [(key: String?, ids: [EntryID])] = []
        var numbers: [String: Int] = [:]
        for id in ids {
            let key = entries[id]?.albumKey
            if let key, let number = numbers[key] {
                groups[number].ids.append(id)
            } else {
                if let key { numbers[key] = groups.count }
                groups.append((key, [id]))
            }
        }
        // The album that plays is one of those that can be added to.
        let floor = start == play.heardCount && start > 0 && currentID != nil ? start - 1 : start
        // The table first, page by page, and then the order by number: the other way about every entry of a shuffled
        // queue would be looked up where it lies.
        let members = entries.members(ofAlbums: numbers)
        let selection = EntryIDSelection(Array(members.keys))
        var ends: [Int: Int] = [:]
        for (offset, id) in play.order.walk(floor..<play.order.count).enumerated() where selection.contains(id) {
            if let number = members[id] { ends[number] = floor + offset + 1 }
        }
        let places = groups.indices.map { ends[$0] ?? randomAlbumEdge(from: start) }
        // From behind, so that the places before stay right; at one place a new album comes behind the rest of an old one.
        let isOld = { ends[$0] == nil ? 0 : 1 }
        for number in groups.indices.sorted(by: { (places[$1], isOld($0)) < (places[$0], isOld($1)) }) {
            play.order.insert(groups[number].ids, at: places[number])
        }
    }

    /// Somewhere in the order where no album is cut in two.
    private mutating func randomAlbumEdge(from start: Int) -> Int {
        var index = Int.random(in: start...play.order.count, using: &random)
        while index > 0, index < play.order.count, let key = entries[play.order[index]]?.albumKey,
            entries[play.order[index - 1]]?.albumKey == key
        {
            index += 1
        }
        return index
    }

    // MARK: Priorities

    /// Sets how early entries come while shuffled; a change that can be undone.
    ///
    /// MPD's rules: of what has not been heard in this round, the highest priority comes first, and one that was heard
    /// comes again if it is raised above what plays now. What `playNext` put in goes before any priority. By albums,
    /// and while not shuffled, only the next round takes notice.
    public mutating func setPriority(_ ids: [EntryID], _ priority: UInt8) {
        let changed = ids.filter { contains($0) && priorities[$0] ?? 0 != priority }
        guard !changed.isEmpty else { return }
        let record = begin()
        for id in changed {
            let old = priorities[id] ?? 0
            priorities[id] = priority == 0 ? nil : priority
            if shuffleMode == .songs { reorder(id, was: old, now: priority) }
        }
        commit(record, forward: [.updated(changed)], backward: [.updated(changed)])
    }

    private mutating func reorder(_ id: EntryID, was old: UInt8, now priority: UInt8) {
        guard id != currentID, !play.ahead.contains(where: { $0.id == id }),
            let index = play.order.position(of: id)
        else { return }
        if index < play.heardCount {
            let playing = currentID.flatMap { priorities[$0] } ?? 0
            guard priority > old, priority > playing else { return }
            play.order.remove(at: index)
            play.heardCount -= 1
        } else {
            play.order.remove(at: index)
        }
        play.order.insert([id], at: priorityRange(priority, from: firstFreeIndex).lowerBound)
    }
}
