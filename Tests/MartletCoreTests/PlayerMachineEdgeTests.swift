// SPDX-License-Identifier: Apache-2.0
import MartletCore
import Testing

@Suite("The player machine: ends and edges")
struct PlayerMachineEdgeTests {
    func playing(count: Int = 3, loop: LoopMode = .none) -> MachineWorld {
        var world = MachineWorld(count: count, loop: loop)
        world.send(.play)
        world.pass(.seconds(98))
        return world
    }

    @Test func `the next entry is prepared while one plays, and changes with the queue`() {
        var world = playing()
        #expect(world.next?.entry == world.ids[1])
        world.send(.edit(.remove([world.ids[1]])))
        #expect(world.next?.entry == world.ids[1], "the one that moved up")
        world.send(.setLoopMode(.track))
        #expect(world.next?.entry == world.ids[0])
    }

    @Test func `an edge is announced when it is heard, not when it flows (F042, F165)`() {
        var world = playing()
        world.crossEdge(remaining: .seconds(2))
        #expect(world.current == world.ids[0])
        world.pass(.seconds(1))
        #expect(world.position == .seconds(99) && world.current == world.ids[0])
        world.pass(.seconds(1))
        #expect(world.current == world.ids[1] && world.position == .zero)
        #expect(world.seeks.isEmpty && world.machine.status == .playing)
        world.pass(.seconds(3))
        #expect(world.position == .seconds(3))
        #expect(world.next?.entry == world.ids[2], "F177: and the one after is prepared")
        #expect(world.heard.map(\.entry) == [world.ids[0]] && world.heard[0].isComplete)
    }

    @Test func `tracks shorter than the device's buffer are all prepared, and each edge is heard in its time`() {
        var world = playing(count: 4)
        world.crossEdge(remaining: .seconds(2))
        #expect(world.next?.entry == world.ids[2], "the one after what was taken")
        world.crossEdge(remaining: .milliseconds(2_500))
        world.crossEdge(remaining: .seconds(3))
        #expect(world.current == world.ids[0] && world.next == nil)
        world.pass(.milliseconds(2_100))
        #expect(world.current == world.ids[1] && world.position == .milliseconds(100))
        world.send(.pause)
        world.pass(.seconds(60))
        #expect(world.current == world.ids[1] && world.position == .milliseconds(100))
        world.send(.play)
        world.pass(.milliseconds(400))
        #expect(world.current == world.ids[2] && world.position == .zero)
        world.pass(.milliseconds(500))
        #expect(world.current == world.ids[3] && world.heard.map(\.entry) == Array(world.ids[0..<3]))
        #expect(world.seeks.isEmpty && world.timers[.edge] == nil)
    }

    @Test func `the end of everything that flows passes the edges before it`() {
        var world = playing(count: 3)
        world.crossEdge(remaining: .seconds(2))
        world.crossEdge(remaining: .seconds(3))
        world.pass(.milliseconds(2_990))
        world.end()
        #expect(world.machine.status == .stopped && world.heard.map(\.entry) == [world.ids[0], world.ids[1]])
        #expect(world.current == world.ids[2])
    }

    @Test func `what was taken in the moment in which another was prepared is no surprise`() {
        var world = playing(count: 3)
        let taken = world.next!
        world.send(.edit(.move([world.ids[2]], after: world.ids[0])))
        world.tell(.tookNext(taken.entry))
        world.tell(.crossedEdge(taken.entry, remaining: .seconds(1)))
        world.pass(.seconds(1))
        #expect(world.current == world.ids[1] && world.current != taken.entry)
        #expect(world.loaded?.entry == world.current, "the queue's word holds, at the edge")
    }

    @Test func `a seek given before the engine told of the hand-over opens the track again (F245)`() {
        var world = playing()
        world.take(.command(.seek(by: .seconds(-50))))
        let taken = world.next!
        world.tell(.tookNext(taken.entry))
        #expect(world.current == world.ids[0] && world.position == .seconds(48) && world.seeks == [.seconds(48)])
        guard
            case .load(let item, let position, true)? = world.orders.last(where: {
                if case .load = $0 { true } else { false }
            })
        else {
            Issue.record("\(world.orders)")
            return
        }
        #expect(item.entry == world.ids[0] && position == .seconds(48))
        #expect(world.next?.entry == world.ids[1])
    }

    @Test func `a change of rate between hand-over and edge keeps the track and its place`() {
        var world = playing()
        world.crossEdge(remaining: .seconds(2))
        world.pass(.seconds(1))
        world.send(.setRate(2))
        #expect(world.current == world.ids[0] && world.position == .seconds(99) && world.seeks.isEmpty)
        world.pass(.milliseconds(250))
        #expect(world.position == .milliseconds(99_500))
    }

    @Test func `a taken entry that fails is told of after what came before was heard`() {
        var world = playing()
        world.crossEdge(remaining: .seconds(2))
        world.takeNext()
        world.pass(.milliseconds(1_990))
        world.tell(.failed(world.ids[2], EngineFailure(cause: .corrupt, message: "broken")))
        #expect(world.machine.queue.entry(world.ids[2])?.isUnplayable == true)
        #expect(world.heard.map(\.entry) == [world.ids[0], world.ids[1]] || world.heard.map(\.entry) == [world.ids[0]])
        #expect(world.machine.status == .stopped)
    }

    @Test func `a pause before the edge holds it`() {
        var world = playing()
        world.crossEdge(remaining: .seconds(2))
        world.pass(.seconds(1))
        world.send(.pause)
        world.pass(.seconds(60))
        #expect(world.current == world.ids[0] && world.position == .seconds(99))
        world.send(.play)
        world.pass(.milliseconds(900))
        #expect(world.current == world.ids[0])
        world.pass(.milliseconds(200))
        #expect(world.current == world.ids[1])
    }

    @Test func `a seek before the edge goes back into the old track`() {
        var world = playing()
        world.crossEdge(remaining: .seconds(2))
        world.send(.seek(by: .seconds(-50)))
        #expect(world.current == world.ids[0] && world.position == .seconds(48) && world.seeks == [.seconds(48)])
        #expect(world.loaded?.entry == world.ids[0])
        world.pass(.seconds(5))
        #expect(world.current == world.ids[0] && world.position == .seconds(53))
    }

    @Test func `an edit after the hand-over is obeyed at the edge`() {
        var world = playing()
        let taken = world.ids[1]
        world.crossEdge(remaining: .seconds(2))
        world.send(.edit(.remove([taken])))
        world.pass(.seconds(2))
        #expect(world.current == world.ids[1] && world.current != taken)
        #expect(world.loaded?.entry == world.current)
    }

    @Test func `removing everything behind after the hand-over stops at the edge`() {
        var world = playing(count: 2)
        world.crossEdge(remaining: .seconds(2))
        world.send(.edit(.remove([world.ids[1]])))
        world.pass(.seconds(2))
        #expect(world.machine.status == .stopped && world.loaded == nil)
    }

    @Test func `a repeated track falls back to 0 and says so (R081, D14, F131, F168)`() {
        var world = playing(count: 1, loop: .track)
        world.crossEdge()
        #expect(world.current == world.ids[0] && world.position == .zero && world.seeks == [.zero])
        #expect(world.heard.count == 1, "every pass counts")
        world.pass(.seconds(99))
        world.end()
        #expect(world.seeks == [.zero, .zero] && world.machine.status == .playing && world.heard.count == 2)
    }

    @Test func `the end of the list stops at 0 (R029, F054)`() {
        var world = playing(count: 1)
        world.end()
        #expect(world.machine.status == .stopped && world.position == .zero && world.current == world.ids[0])
    }

    @Test func `repeat-all goes round (F066)`() {
        var world = playing(count: 2, loop: .queue)
        world.crossEdge()
        #expect(world.current == world.ids[1] && world.machine.canGoNext)
        world.pass(.seconds(99))
        world.crossEdge()
        #expect(world.current == world.ids[0])
    }

    @Test func `something queued in the last second is played`() {
        var world = playing(count: 1)
        world.isObliging = true
        world.send(.edit(.append(MachineWorld.entries(1, from: 7))))
        world.end()
        #expect(world.current == world.ids[1] && world.machine.status == .playing && world.isSounding)
    }

    @Test func `an entry that fails is passed over, and a full round of failures stops`() {
        var world = MachineWorld(count: 3, loop: .queue)
        world.isObliging = false
        world.send(.play)
        world.tell(.ready)
        for index in 0..<3 {
            #expect(world.current == world.ids[index])
            world.tell(.failed(world.ids[index], EngineFailure(cause: .corrupt, message: "broken")))
            world.pass(.milliseconds(100))
        }
        #expect(world.machine.status == .stopped && world.problems.count == 3)
        #expect(world.machine.problem?.failure.cause == .corrupt)
    }

    @Test func `next works out of a failed entry, and play tries it again`() {
        var world = MachineWorld(count: 2)
        world.isObliging = false
        world.send(.play)
        world.tell(.ready)
        world.send(.pause)
        world.tell(.failed(world.ids[0], EngineFailure(cause: .notFound, message: "gone")))
        #expect(world.machine.status == .paused && world.current == world.ids[0])
        var again = world
        again.orders = []
        again.send(.play)
        again.pass(.milliseconds(100))
        #expect(
            again.orders.contains { if case .load(let item, _, _) = $0 { item.entry == again.ids[0] } else { false } })
        world.send(.next)
        #expect(world.current == world.ids[1])
    }

    @Test func `an output that fails is not the entry's fault (F213, F219)`() {
        var world = playing()
        world.tell(.failed(world.ids[0], EngineFailure(cause: .output, message: "no device")))
        #expect(world.machine.status == .paused && world.position == .seconds(98))
        #expect(world.machine.queue.entry(world.ids[0])?.isUnplayable == false)
        world.send(.play)
        world.pass(.milliseconds(100))
        #expect(world.isSounding && world.machine.problem == nil)
    }

    @Test func `devices that go and come back start nothing that is paused (F216)`() {
        var world = playing()
        world.send(.pause)
        let before = world.orders.count
        world.tell(.failed(world.ids[0], EngineFailure(cause: .output, message: "no device")))
        world.tell(.volumeChanged(volume: 0.5, isMuted: false))
        world.pass(.seconds(60))
        #expect(world.machine.status == .paused && !world.isSounding)
        let asked = world.orders[before...]
        #expect(
            !asked.contains {
                switch $0 {
                case .play, .load(_, at: _, playing: true): true
                default: false
                }
            })
    }

    @Test(arguments: [Duration.seconds(40), nil])
    func `what was paused before a suspend is paused after it, at its place (F218)`(engineKnows: Duration?) {
        var world = playing()
        world.send(.pause)
        let (position, orders) = (world.position, world.orders.count)
        world.take(.resumedFromSuspend(position: engineKnows.map { _ in position }))
        world.settle()
        world.pass(.seconds(8 * 3600))
        #expect(world.machine.status == .paused && !world.isSounding)
        #expect(world.position == position && world.orders.count == orders)
    }

    @Test func `a length that is known beforehand is there from the first moment and corrected once (F085)`() {
        var world = MachineWorld(count: 1)
        world.isObliging = false
        world.send(.play)
        #expect(world.machine.length == MachineWorld.length)
        world.tell(.durationChanged(world.ids[0], nil))
        #expect(world.machine.length == MachineWorld.length, "the engine does not know it yet")
        world.tell(.durationChanged(world.ids[0], .seconds(104)))
        #expect(world.machine.length == .seconds(104))
        world.tell(.durationChanged(world.ids[0], .seconds(104)))
        #expect(world.machine.length == .seconds(104))
    }

    @Test func `an engine that cannot start stops the wish to play`() {
        var world = MachineWorld(count: 1)
        world.isObliging = false
        world.send(.play)
        world.tell(.unavailable(EngineFailure(cause: .missingPlugin("playbin"), message: "no playbin")))
        #expect(world.machine.status == .stopped && world.problems.count == 1)
    }

    @Test func `what was heard is track time, jumps not counted`() {
        var world = MachineWorld(count: 2)
        world.send(.setRate(2))
        world.send(.play)
        world.pass(.seconds(10))
        world.send(.seek(by: .seconds(30)))
        world.pass(.seconds(5))
        world.send(.next)
        #expect(world.heard.count == 1 && world.heard[0].heard == .seconds(30) && !world.heard[0].isComplete)
    }

    @Test func `opening puts a track behind the current one and plays it (R056, R061, F060)`() {
        var world = playing()
        world.send(.pause)
        world.send(.edit(.open(MachineWorld.entries(1, from: 9))))
        #expect(world.current == world.ids[1] && world.ids.count == 4 && world.machine.status == .playing)
        let first = world.current
        world.pass(.milliseconds(100))
        world.send(.edit(.open(MachineWorld.entries(1, from: 9))))
        #expect(world.current != first, "R060, F006: the same URI again is another entry")
    }

    @Test func `removing the current entry plays what took its place (RemoveTrack)`() {
        var world = playing()
        let next = world.ids[1]
        world.send(.edit(.remove([world.ids[0]])))
        world.pass(.milliseconds(100))
        #expect(world.current == next && world.machine.status == .playing && world.loaded?.entry == next)
        world.send(.edit(.undo))
        #expect(world.ids.count == 3 && world.current == next)
    }
}
