// SPDX-License-Identifier: Apache-2.0
import MartletCore
import Testing

@Suite("The player machine: transport")
struct PlayerMachineTests {
    @Test func `play on an empty queue has no effect (R043)`() {
        var world = MachineWorld(count: 0)
        world.send(.play)
        world.send(.togglePlayPause)
        #expect(world.machine.status == .stopped)
        #expect(world.orders.isEmpty, "the engine is not even started")
    }

    @Test func `the engine is started by the first sound, not before`() {
        var world = MachineWorld(count: 2)
        world.send(.setVolume(0.5))
        #expect(world.orders.isEmpty)
        world.send(.play)
        #expect(world.orders.first == .start)
        #expect(world.isSounding)
    }

    @Test func `pause is no toggle and a second one changes nothing (R033, F047)`() {
        var world = MachineWorld(count: 1)
        world.send(.play)
        world.pass(.seconds(5))
        world.send(.pause)
        let orders = world.orders.count
        world.send(.pause)
        #expect(world.machine.status == .paused)
        #expect(world.orders.count == orders)
        world.pass(.seconds(9))
        #expect(world.position == .seconds(5))
    }

    @Test func `play resumes where it paused and does not restart (R034, R041, F049)`() {
        var world = MachineWorld(count: 2)
        world.send(.play)
        world.pass(.seconds(5))
        world.send(.play)
        #expect(world.position == .seconds(5))
        world.send(.pause)
        world.pass(.seconds(60))
        world.send(.play)
        #expect(world.current == world.ids[0])
        world.pass(.seconds(1))
        #expect(world.position == .seconds(6))
    }

    @Test func `toggle works in three states and exactly at 0 (R036, F048, F051)`() {
        var world = MachineWorld(count: 1)
        world.send(.togglePlayPause)
        #expect(world.machine.status == .playing)
        world.send(.togglePlayPause)
        #expect(world.machine.status == .paused && world.position == .zero)
        world.send(.togglePlayPause)
        #expect(world.machine.status == .playing)
    }

    @Test func `stop goes to 0 and play afterwards begins the track there (R038, R039, F030, F053)`() {
        var world = MachineWorld(count: 2)
        world.send(.play)
        world.pass(.seconds(30))
        world.send(.stop)
        #expect(world.machine.status == .stopped && world.position == .zero)
        #expect(world.current == world.ids[0], "D06: the current entry stays")
        #expect(world.loaded == nil)
        world.send(.play)
        world.pass(.seconds(2))
        #expect(world.position == .seconds(2) && world.current == world.ids[0])
    }

    @Test(arguments: [PlayerCommand.next, .previous])
    func `next and previous keep paused paused and stopped stopped (R030, R032, F056, F058)`(command: PlayerCommand) {
        var world = MachineWorld(count: 3)
        world.send(.goTo(world.ids[1]))
        world.pass(.seconds(10))
        world.send(.pause)
        world.send(command)
        #expect(world.machine.status == .paused && world.position == .zero)
        #expect(!world.isSounding)
        world.send(.stop)
        world.send(.goTo(world.ids[1]))
        world.send(.stop)
        world.send(command)
        #expect(world.machine.status == .stopped)
        #expect(world.current != world.ids[1])
        #expect(world.loaded == nil)
    }

    @Test func `next on the last entry without repeat has no effect (R031, D02)`() {
        var world = MachineWorld(count: 2)
        world.send(.goTo(world.ids[1]))
        world.pass(.seconds(10))
        #expect(!world.machine.canGoNext)
        world.send(.next)
        #expect(world.machine.status == .playing && world.current == world.ids[1])
        #expect(world.position == .seconds(10))
    }

    @Test func `an explicit next leaves a repeated track (D04)`() {
        var world = MachineWorld(count: 2, loop: .track)
        world.send(.play)
        world.send(.next)
        #expect(world.current == world.ids[1])
        #expect(world.machine.canGoNext)
        world.pass(.seconds(1))
        world.send(.next)
        #expect(world.current == world.ids[0])
    }

    @Test func `previous is literal unless the setting says restart (D05, F059)`() {
        var world = MachineWorld(count: 2)
        world.send(.goTo(world.ids[1]))
        world.pass(.seconds(30))
        var literal = world
        literal.send(.previous)
        #expect(literal.current == world.ids[0])
        world.machine.previousRestarts = true
        var late = world
        late.send(.previous)
        #expect(late.current == world.ids[1] && late.position == .zero && late.seeks == [.zero])
        world.send(.setPosition(world.ids[1], .seconds(2)))
        world.send(.previous)
        #expect(world.current == world.ids[0])
        world.pass(.seconds(1))
        #expect(world.machine.canGoPrevious, "on the first entry it restarts")
        world.send(.previousEntry)
        #expect(world.current == world.ids[0], "the forced form finds nothing before")
    }

    @Test func `rapid skips are one load, of what was landed on (F196, F197)`() {
        var world = MachineWorld(count: 10)
        world.send(.play)
        world.pass(.milliseconds(500))
        world.orders = []
        for _ in 0..<6 { world.send(.next) }
        #expect(world.current == world.ids[6])
        world.pass(.seconds(1))
        let loads = world.orders.compactMap { if case .load(let item, _, _) = $0 { item.entry } else { nil } }
        #expect(loads == [world.ids[1], world.ids[6]])
        #expect(world.isSounding)
    }

    @Test func `pause and play within one breath are nothing to the engine`() {
        var world = MachineWorld(count: 1)
        world.send(.play)
        world.pass(.seconds(3))
        world.orders = []
        world.take(.command(.pause))
        world.take(.command(.play))
        world.settle()
        #expect(world.orders.isEmpty)
        world.pass(.seconds(2))
        #expect(world.position == .seconds(5))
    }

    @Test func `a rate of 0 pauses and keeps the rate (R067)`() {
        var world = MachineWorld(count: 1)
        world.send(.setRate(1.5))
        world.send(.play)
        world.send(.setRate(0))
        #expect(world.machine.status == .paused && world.machine.rate == 1.5)
    }

    @Test(arguments: [(0.25, 0.5), (3.0, 2.0), (1.25, 1.25)])
    func `a rate outside is clamped (D07)`(asked: Double, taken: Double) {
        var world = MachineWorld(count: 1)
        world.send(.setRate(asked))
        #expect(world.machine.rate == taken)
    }

    @Test(arguments: [-1.0, .nan, .infinity])
    func `a rate that is none changes nothing`(rate: Double) {
        var world = MachineWorld(count: 1)
        world.send(.play)
        world.send(.setRate(rate))
        #expect(world.machine.rate == 1 && world.machine.status == .playing)
    }

    @Test(arguments: [(-1.0, 0.0), (0.3, 0.3), (7.0, 1.0)])
    func `a volume is clamped (R076, F073)`(asked: Double, taken: Double) {
        var world = MachineWorld(count: 1)
        world.send(.setVolume(asked))
        #expect(world.machine.volume == taken)
    }

    @Test func `a mixer's change is not fought (F074)`() {
        var world = MachineWorld(count: 1)
        world.send(.play)
        world.orders = []
        world.tell(.volumeChanged(volume: 0.4, isMuted: true))
        world.send(.pause)
        #expect(world.machine.volume == 0.4 && world.machine.isMuted)
        #expect(world.orders == [.pause])
    }

    @Test func `can-play and can-pause are qualities of the queue, not of the state (R088, R089, F063, F064)`() {
        var world = MachineWorld(count: 1)
        for command in [PlayerCommand.play, .pause, .stop] {
            world.send(command)
            #expect(world.machine.canPlay && world.machine.canPause)
        }
        world.send(.edit(.clear))
        #expect(!world.machine.canPlay && !world.machine.canPause && !world.machine.canSeek)
        #expect(world.machine.status == .stopped && world.current == nil)
    }

    @Test func `a restored session stands, silent, where it was (F031, F186)`() {
        var world = MachineWorld(count: 3)
        world.send(.goTo(world.ids[1]))
        world.send(.stop)
        world.orders = []
        world.machine.restore(
            queue: world.machine.queue, status: .paused, position: .seconds(61), length: MachineWorld.length, rate: 1,
            volume: 0.7, at: world.now)
        #expect(world.position == .seconds(61) && world.machine.status == .paused)
        world.pass(.seconds(1))
        world.settle()
        #expect(world.orders == [.setVolume(0.7)], "nothing is loaded")
        world.send(.play)
        #expect(
            world.orders.contains(
                .load(EngineItem(entry: world.ids[1], uri: world.loaded!.uri), at: .seconds(61), playing: true)))
    }

    @Test func `a saved position at the end begins at the start (F188)`() {
        var world = MachineWorld(count: 1)
        world.send(.play)
        world.send(.stop)
        world.machine.restore(
            queue: world.machine.queue, status: .paused, position: .seconds(99.5), length: MachineWorld.length, rate: 1,
            volume: 1, at: world.now)
        #expect(world.position == .zero)
    }
}
