// SPDX-License-Identifier: Apache-2.0

/// A step from one list to the next, for whoever keeps a copy: applied in order they lead from one version to another.
public enum QueueChange: Hashable, Sendable {
    /// These came in, the first of them now at the position.
    case inserted([EntryID], at: Int)
    case removed([EntryID])
    /// These were taken out and put back in this order, the first of them at a position of the list without them.
    case moved([EntryID], to: Int)
    /// Their places are the same, something about them is not: the priority.
    case updated([EntryID])

    var ids: [EntryID] {
        switch self {
        case .inserted(let ids, _), .removed(let ids), .moved(let ids, _), .updated(let ids): ids
        }
    }
}

/// The last changes of the list.
struct ChangeLog: Sendable {
    private var steps: [(version: UInt64, changes: [QueueChange])] = []
    /// The oldest version from which the way to the newest is known.
    private var oldest: UInt64 = 0
    private var idCount = 0

    /// A change in more pieces than this is told as "everything".
    static let mostRuns = 64
    private static let mostSteps = 1000
    private static let mostIDs = 20_000

    /// - Parameter changes: What led to the version; `nil` for what cannot be told in steps.
    mutating func add(_ changes: [QueueChange]?, version: UInt64) {
        let added = changes.map { $0.reduce(0) { $0 + $1.ids.count } } ?? 0
        guard let changes, added <= ChangeLog.mostIDs else {
            self = ChangeLog()
            oldest = version
            return
        }
        steps.append((version, changes))
        idCount += added
        // Halved at once, so that moving the rest down is rare.
        if steps.count > ChangeLog.mostSteps { forget(ChangeLog.mostSteps / 2) }
        while idCount > ChangeLog.mostIDs { forget(1) }
    }

    private mutating func forget(_ number: Int) {
        for step in steps[..<number] {
            idCount -= step.changes.reduce(0) { $0 + $1.ids.count }
            oldest = step.version
        }
        steps.removeFirst(number)
    }

    func changes(since version: UInt64, now: UInt64) -> [QueueChange]? {
        guard version >= oldest, version <= now else { return nil }
        var first = steps.endIndex
        while first > 0, steps[first - 1].version > version { first -= 1 }
        return steps[first...].flatMap(\.changes)
    }
}

extension PlayQueue {
    /// How the list came from an earlier version to this one, step by step; MPD's idea (`plchanges`).
    ///
    /// - Returns: `nil` when the steps are not known any more, or are so many that reading everything is less: take
    ///   ``list`` as it is. Empty when nothing changed.
    public func changes(since version: UInt64) -> [QueueChange]? {
        log.changes(since: version, now: self.version)
    }

    /// Counts a change of the list.
    mutating func noteChange(_ changes: [QueueChange]?) {
        version += 1
        log.add(changes, version: version)
    }
}
