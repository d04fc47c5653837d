// SPDX-License-Identifier: Apache-2.0

extension PlayQueue {
    /// A whole round from here: the current entry first (by albums: its album), then the rest in some order.
    func firstRound(using generator: inout SplitMix64) -> [EntryID] {
        switch shuffleMode {
        case .off:
            return list
        case .songs:
            var rest = list.filter { $0 != currentID }
            rest.shuffle(using: &generator)
            return (currentID.map { [$0] } ?? []) + rest
        case .albums:
            var albums = albums
            albums.shuffle(using: &generator)
            if let currentID, let index = albums.firstIndex(where: { $0.contains(currentID) }) {
                albums.swapAt(0, index)
            }
            return Array(albums.joined())
        }
    }

    /// Another round, which does not begin with what was just heard.
    func newRound(after last: EntryID, using generator: inout SplitMix64) -> [EntryID] {
        if shuffleMode == .albums {
            var albums = albums
            albums.shuffle(using: &generator)
            if albums.count > 1, albums[0].contains(last) { albums.swapAt(0, albums.count - 1) }
            return Array(albums.joined())
        }
        var round = list
        round.shuffle(using: &generator)
        if round.count > 1, round[0] == last { round.swapAt(0, Int.random(in: 1..<round.count, using: &generator)) }
        return round
    }

    /// Entries of one album together, each album in the list's order.
    private var albums: [[EntryID]] {
        var groups: [[EntryID]] = []
        var index: [String: Int] = [:]
        for id in list {
            guard let key = entries[id]?.albumKey else {
                groups.append([id])
                continue
            }
            if let place = index[key] {
                groups[place].append(id)
            } else {
                index[key] = groups.count
                groups.append([id])
            }
        }
        return groups
    }

    /// New entries find their place among what has not been heard; what was in a row stays in that order.
    mutating func scatter(_ ids: [EntryID]) {
        let start = (currentID.flatMap { order.firstIndex(of: $0) } ?? -1) + 1
        guard shuffleMode == .songs else {
            order += ids
            return
        }
        var new = ids.shuffled(using: &random)[...]
        var rest = order[start...]
        var merged: [EntryID] = []
        merged.reserveCapacity(new.count + rest.count)
        while !new.isEmpty || !rest.isEmpty {
            let takesNew = Int.random(in: 0..<(new.count + rest.count), using: &random) < new.count
            merged.append(takesNew ? new.removeFirst() : rest.removeFirst())
        }
        order.replaceSubrange(start..., with: merged)
    }
}
