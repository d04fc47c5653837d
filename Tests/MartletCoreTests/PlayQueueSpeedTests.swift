// SPDX-License-Identifier: Apache-2.0
#if !DEBUG
    import Glibc
    import MartletCore
    import Testing

    /// A queue of 100,000: any edit within 5 ms, a shuffle within 20 ms. Only an optimised build can tell.
    @Suite("Play queue: 100,000 entries", .serialized)
    struct PlayQueueSpeedTests {
        static let count = 100_000

        static func large() -> PlayQueue {
            var queue = PlayQueue(seed: 1)
            queue.append((0..<count).map { .named("artist/album \($0 / 12)/\($0).flac", album: "album \($0 / 12)") })
            queue.go(to: count / 2)
            return queue
        }

        struct Operation: Sendable, CustomTestStringConvertible {
            var testDescription: String
            var limit = Duration.milliseconds(5)
            var shuffle = ShuffleMode.off
            var run: @Sendable (inout PlayQueue) -> Void
        }

        static let operations: [Operation] = [
            Operation(testDescription: "append one") { $0.append([.named("x")]) },
            Operation(testDescription: "insert one in the middle") { $0.insert([.named("x")], at: count / 3) },
            Operation(testDescription: "append one, shuffled", shuffle: .songs) { $0.append([.named("x")]) },
            Operation(testDescription: "append one, albums", shuffle: .albums) {
                $0.append([.named("x", album: "y")])
            },
            Operation(testDescription: "play next, shuffled", shuffle: .songs) { $0.playNext([.named("x")]) },
            Operation(testDescription: "remove one") { $0.remove([$0.list[count / 4]]) },
            Operation(testDescription: "remove one, shuffled", shuffle: .songs) { $0.remove([$0.list[count / 4]]) },
            Operation(testDescription: "remove the current one, shuffled", shuffle: .songs) {
                $0.remove([$0.currentID!])
            },
            Operation(testDescription: "remove a range of 1,000") { $0.removeSubrange(10_000..<11_000) },
            Operation(testDescription: "move the last to the start") { $0.move([$0.list.last!], after: nil) },
            Operation(testDescription: "move a range of 1,000") { $0.moveSubrange(10_000..<11_000, to: 90_000) },
            Operation(testDescription: "go to one, shuffled", shuffle: .songs) { $0.go(to: 77_000) },
            Operation(testDescription: "next, shuffled", shuffle: .songs) { _ = $0.advance(.userAsked) },
            Operation(testDescription: "previous") { _ = $0.stepBack() },
            Operation(testDescription: "set a priority, shuffled", shuffle: .songs) { $0.setPriority([$0.list[7]], 9) },
            Operation(testDescription: "remove one and undo, shuffled", shuffle: .songs) {
                $0.remove([$0.list[count / 4]])
                $0.undo()
            },
            Operation(testDescription: "clear") { $0.clear() },
            Operation(testDescription: "clear and undo", limit: .milliseconds(10)) {
                $0.clear()
                $0.undo()
            },
            Operation(testDescription: "remove every second", limit: .milliseconds(20)) {
                $0.remove($0.list.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element))
            },
            Operation(testDescription: "shuffle songs", limit: .milliseconds(20)) { $0.setShuffleMode(.songs) },
            Operation(testDescription: "shuffle albums", limit: .milliseconds(20)) { $0.setShuffleMode(.albums) },
            Operation(testDescription: "shuffle off", shuffle: .songs) { $0.setShuffleMode(.off) },
            Operation(testDescription: "hasNext, hasPrevious, peekNext, neighbours", shuffle: .songs) {
                _ = ($0.hasNext, $0.hasPrevious, $0.peekNext(.trackEnded), $0.neighbours(ahead: 3, behind: 1))
            },
            Operation(testDescription: "restore", limit: .milliseconds(100), shuffle: .songs) {
                $0 = PlayQueue(restoring: $0.snapshot)
            },
        ]

        @Test(arguments: operations)
        func `each operation is quick`(operation: Operation) {
            var queue = PlayQueueSpeedTests.large()
            queue.setShuffleMode(operation.shuffle)
            // The best of some runs: the machine has other things to do.
            let best = (0..<5).map { _ in
                var copy = queue
                return cpuTime { operation.run(&copy) }
            }.min()!
            print("queue of 100,000: \(operation.testDescription): \(best)")
            #expect(best < operation.limit)
        }

        @Test func `appending 100,000 at once takes 30 ms at most`() {
            let new = (0..<PlayQueueSpeedTests.count).map { NewEntry.named("\($0)") }
            let best = (0..<5).map { _ in
                var queue = PlayQueue(seed: 1)
                return cpuTime { queue.append(new) }
            }.min()!
            print("queue of 100,000: append all: \(best)")
            #expect(best < .milliseconds(30))
        }

        @Test func `the last of a round has the next round ready`() {
            var queue = PlayQueueSpeedTests.large()
            queue.setShuffleMode(.songs)
            while queue.hasNext { _ = queue.advance(.userAsked) }
            let first = cpuTime { queue.setLoopMode(.queue) }
            let peek = cpuTime { for _ in 0..<100 { _ = queue.peekNext(.trackEnded) } } / 100
            print("queue of 100,000: next round: \(first), peek: \(peek)")
            #expect(first < .milliseconds(20))
            #expect(peek < .microseconds(100))
        }
    }

    /// Time this thread worked; what others do on the machine does not count.
    private func cpuTime(_ body: () -> Void) -> Duration {
        func now() -> Duration {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
        let start = now()
        body()
        return now() - start
    }

    extension PlayQueue {
        fileprivate mutating func go(to position: Int) { _ = goTo(list[position]) }
    }
#endif
