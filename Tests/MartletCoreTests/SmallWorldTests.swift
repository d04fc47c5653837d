// SPDX-License-Identifier: Apache-2.0
import MartletCore
import Testing

/// Every sequence of five inputs in every small world, against what must always hold.
@Suite("The player machine: small worlds")
struct SmallWorldTests {
    static let steps: [@Sendable (inout MachineWorld) -> Void] = [
        { $0.send(.togglePlayPause) },
        { $0.send(.stop) },
        { $0.send(.next) },
        { $0.send(.previous) },
        { $0.send(.seek(by: .seconds(60))) },
        { $0.crossEdge(remaining: .seconds(1)) },
        { $0.takeNext() },
        { $0.end() },
    ]

    @Test(.timeLimit(.minutes(5)), arguments: [LoopMode.none, .track, .queue], [ShuffleMode.off, .songs])
    func `five steps anywhere keep every invariant`(loop: LoopMode, shuffle: ShuffleMode) {
        for count in 0...3 {
            explore(MachineWorld(count: count, loop: loop, shuffle: shuffle), depth: 5, path: "\(count)")
        }
    }

    func explore(_ world: MachineWorld, depth: Int, path: String) {
        guard depth > 0 else { return }
        for (index, step) in SmallWorldTests.steps.enumerated() {
            var next = world
            step(&next)
            next.pass(.milliseconds(700))
            let here = "\(path) \(index)"
            check(next, here)
            explore(next, depth: depth - 1, path: here)
        }
    }

    func check(_ world: MachineWorld, _ path: String) {
        let machine = world.machine
        let isInQueue = world.current.map { machine.queue.list.contains($0) } ?? true
        let position = world.position
        let isWithin = position >= .zero && position <= machine.length ?? position
        let isStoppedRight = machine.status != .stopped || (position == .zero && world.loaded == nil)
        let isPlayingRight = machine.status != .playing || (!machine.queue.isEmpty && world.isSounding)
        let isPausedRight = machine.status != .paused || !world.isSounding
        let isLoadedRight =
            world.loaded == nil || world.loaded?.entry == world.current || world.timers[.edge] != nil
            || machine.status == .paused
        guard isInQueue, isWithin, isStoppedRight, isPlayingRight, isPausedRight, isLoadedRight else {
            Issue.record(
                "after \(path): status \(machine.status), position \(position), current \(String(describing: world.current)), loaded \(String(describing: world.loaded?.entry)), sounding \(world.isSounding)"
            )
            return
        }
    }
}
