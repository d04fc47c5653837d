// SPDX-License-Identifier: Apache-2.0
import MartletCore
import Testing

/// Every queue of up to four entries, in every mode, through every sequence of operations: whatever can go wrong with a
/// few entries does.
@Suite("Play queue: every small world")
struct PlayQueueSmallWorldTests {
    #if DEBUG
        static let depth = 2
    #else
        static let depth = 5
    #endif

    static let operations: [@Sendable (inout PlayQueue) -> Void] = [
        { _ = $0.advance(.userAsked) },
        { _ = $0.advance(.trackEnded) },
        { _ = $0.stepBack() },
        { if let last = $0.list.last { _ = $0.goTo(last) } },
        { $0.playNext([.named("n", album: "first")]) },
        { $0.append([.named("z")]) },
        { if let current = $0.currentID ?? $0.list.first { $0.remove([current]) } },
        { if let first = $0.list.first { $0.move([first], after: $0.list.last) } },
        { $0.undo() },
        { $0.setShuffleMode($0.shuffleMode == .off ? .songs : .off) },
        { if let id = $0.currentID { $0.setUnplayable(id, true) } },
    ]

    struct World: Sendable, CustomTestStringConvertible {
        var count: Int
        var loop: LoopMode
        var shuffle: ShuffleMode
        var consumes: Bool
        var testDescription: String {
            "\(count) entries, loop \(loop), shuffle \(shuffle), \(consumes ? "consuming" : "")"
        }

        static let all: [World] = (0...4).flatMap { count in
            LoopMode.allCases.flatMap { loop in
                ShuffleMode.allCases.flatMap { shuffle in
                    [false, true].map { World(count: count, loop: loop, shuffle: shuffle, consumes: $0) }
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(20)), arguments: World.all)
    func `no sequence of operations breaks a queue`(world: World) {
        var queue = PlayQueue(seed: UInt64(world.count) + 7)
        queue.append("abcd".prefix(world.count).map { .named(String($0), album: "ab".contains($0) ? "first" : nil) })
        queue.setLoopMode(world.loop)
        queue.setShuffleMode(world.shuffle)
        queue.consumes = world.consumes
        var path: [Int] = []
        if let violation = explore(queue, PlayQueueSmallWorldTests.depth, &path) {
            Issue.record("after operations \(path): \(violation)")
        }
    }

    private func explore(_ queue: PlayQueue, _ depth: Int, _ path: inout [Int]) -> String? {
        if let violation = PlayQueueInvariants.violation(in: queue) { return violation }
        guard depth > 0 else { return nil }
        for (number, operation) in PlayQueueSmallWorldTests.operations.enumerated() {
            path.append(number)
            var next = queue
            operation(&next)
            if !PlayQueueInvariants.stepsLead(from: Array(queue.list), version: queue.version, to: next) {
                return "the steps mislead"
            }
            if let violation = explore(next, depth - 1, &path) { return violation }
            path.removeLast()
        }
        return nil
    }
}
