// SPDX-License-Identifier: Apache-2.0
internal import MartletCore

/// The part of the queue that MPRIS shows: all of it, or a window that follows the current entry (DESIGN §8).
struct QueueWindow: Hashable, Sendable {
    /// The most entries shown.
    static let size = 500
    /// The window moves when the current entry comes this near to its edge.
    static let margin = 50

    /// Shown ids, in the list's order.
    private(set) var ids: [EntryID] = []
    private var start = 0

    /// What has to be told for the window to be right again.
    enum Change: Hashable, Sendable {
        case none
        /// Another list, or too much to tell one by one.
        case replaced
        case edited(removed: [EntryID], added: [EntryID])
    }

    /// More single announcements than this are worse than a replacement.
    static let fewEdits = 32

    /// Brings the window in line with the queue.
    mutating func follow(_ queue: PlayQueue) -> Change {
        let old = ids
        let count = queue.count
        if count <= QueueWindow.size {
            start = 0
        } else {
            let current = queue.currentID.flatMap { queue.position(of: $0) } ?? 0
            let isNearEdge =
                current < start + (start == 0 ? 0 : QueueWindow.margin)
                || current >= start + QueueWindow.size - (start + QueueWindow.size >= count ? 0 : QueueWindow.margin)
            if isNearEdge { start = min(max(current - QueueWindow.size / 2, 0), count - QueueWindow.size) }
            start = min(start, count - QueueWindow.size)
        }
        let end = min(start + QueueWindow.size, count)
        ids = Array(queue.list[queue.list.startIndex + start..<queue.list.startIndex + end])
        return QueueWindow.difference(from: old, to: ids)
    }

    /// The id shown before another, or `nil` for the first.
    func predecessor(of id: EntryID) -> EntryID? {
        guard let index = ids.firstIndex(of: id), index > 0 else { return nil }
        return ids[index - 1]
    }

    static func difference(from old: [EntryID], to new: [EntryID]) -> Change {
        if old == new { return .none }
        let (before, after) = (Set(old), Set(new))
        let removed = old.filter { !after.contains($0) }
        let added = new.filter { !before.contains($0) }
        guard removed.count + added.count <= fewEdits, !(removed.count == old.count && !old.isEmpty),
            old.filter(after.contains) == new.filter(before.contains)
        else { return .replaced }
        return .edited(removed: removed, added: added)
    }
}
