// SPDX-License-Identifier: Apache-2.0
import MartletCore
import Testing

@Suite("The player machine: positions")
struct PlayerMachineSeekTests {
    func playing(at position: Duration = .seconds(20), count: Int = 2, loop: LoopMode = .none) -> MachineWorld {
        var world = MachineWorld(count: count, loop: loop)
        world.send(.play)
        world.pass(position)
        return world
    }

    @Test func `a seek is relative (R045, F014)`() {
        var world = playing()
        world.send(.seek(by: .seconds(10)))
        #expect(world.position == .seconds(30) && world.seeks == [.seconds(30)])
        world.send(.seek(by: .seconds(-25)))
        #expect(world.position == .seconds(5) && world.seeks == [.seconds(30), .seconds(5)])
    }

    @Test func `before the beginning is the beginning (R046, F015)`() {
        var world = playing()
        world.send(.seek(by: .seconds(-1_000_000)))
        #expect(world.position == .zero && world.seeks == [.zero] && world.current == world.ids[0])
    }

    @Test func `past the end acts as next (R047, F016, F032, F143)`() {
        var world = playing(at: .seconds(70))
        world.send(.seek(by: .seconds(45)))
        #expect(world.current == world.ids[1] && world.position == .zero && world.machine.status == .playing)
        #expect(world.seeks.isEmpty, "a track change is no jump")
        var paused = playing(at: .seconds(70))
        paused.send(.pause)
        paused.send(.seek(by: .seconds(45)))
        #expect(paused.current == paused.ids[1] && paused.machine.status == .paused)
    }

    @Test func `past the end of the last entry ends it (D03)`() {
        var world = playing(count: 1)
        world.send(.seek(by: .seconds(1000)))
        #expect(world.machine.status == .stopped && world.position == .zero && world.current == world.ids[0])
    }

    @Test func `past the end of a repeated single track stops like next would (D03)`() {
        var world = playing(count: 1, loop: .track)
        world.send(.seek(by: .seconds(1000)))
        #expect(world.machine.status == .stopped)
    }

    @Test(arguments: [Duration.seconds(-1), .seconds(100) + .microseconds(1)])
    func `a position outside the track is ignored (R052, R053)`(position: Duration) {
        var world = playing()
        world.send(.setPosition(world.ids[0], position))
        #expect(world.position == .seconds(20) && world.seeks.isEmpty)
    }

    @Test(arguments: [Duration.zero, .seconds(50), .seconds(100)])
    func `a position inside, ends included, is taken (R049, R054, F011)`(position: Duration) {
        var world = playing()
        world.send(.setPosition(world.ids[0], position))
        #expect(world.position == position && world.seeks == [position])
    }

    @Test func `another entry's id is out of date (R050)`() {
        var world = playing()
        world.send(.setPosition(world.ids[1], .seconds(50)))
        world.send(.setPosition(EntryID(999), .seconds(50)))
        #expect(world.position == .seconds(20) && world.seeks.isEmpty)
    }

    @Test func `stopped, a seek has no effect (D15)`() {
        var world = playing()
        world.send(.stop)
        world.send(.seek(by: .seconds(5)))
        world.send(.setPosition(world.ids[0], .seconds(5)))
        #expect(world.position == .zero && world.seeks.isEmpty && world.machine.status == .stopped)
    }

    @Test func `paused, it works and stays paused (D16)`() {
        var world = playing()
        world.send(.pause)
        world.send(.seek(by: .seconds(5)))
        #expect(world.position == .seconds(25) && world.seeks == [.seconds(25)] && world.machine.status == .paused)
        #expect(!world.isSounding)
    }

    @Test func `until it lands the position stands at the target, and one jump is told (DESIGN 8, F020)`() {
        var world = playing()
        world.isObliging = false
        world.send(.seek(by: .seconds(10)))
        world.pass(.seconds(3))
        #expect(world.position == .seconds(30) && world.seeks.isEmpty)
        world.tell(.landed(SeekID(1), position: .seconds(30) + .milliseconds(1)))
        #expect(world.seeks == [.seconds(30) + .milliseconds(1)])
        world.pass(.seconds(1))
        #expect(world.position == .seconds(31) + .milliseconds(1))
    }

    @Test func `a seek that overtakes another replaces it: one jump for both`() {
        var world = playing()
        world.isObliging = false
        world.send(.seek(by: .seconds(10)))
        world.send(.seek(by: .seconds(10)))
        #expect(world.position == .seconds(40))
        world.tell(.landed(SeekID(1), position: .seconds(30)))
        #expect(world.seeks.isEmpty && world.position == .seconds(40))
        world.tell(.landed(SeekID(2), position: .seconds(40)))
        #expect(world.seeks == [.seconds(40)])
    }

    @Test func `a late landing of a track that was left is nothing`() {
        var world = playing()
        world.isObliging = false
        world.send(.seek(by: .seconds(10)))
        world.send(.next)
        world.tell(.landed(SeekID(1), position: .seconds(30)))
        #expect(world.seeks.isEmpty && world.position == .zero)
    }

    @Test func `a seek before the source is open becomes its beginning (F183, F186)`() {
        var world = MachineWorld(count: 1)
        world.isObliging = false
        world.send(.play)
        world.send(.seek(by: .seconds(30)))
        world.tell(.ready)
        #expect(
            world.orders.last { if case .load = $0 { true } else { false } }
                == .load(world.loaded!, at: .seconds(30), playing: true))
        world.tell(.started(world.ids[0], position: .seconds(30)))
        #expect(world.seeks == [.seconds(30)])
    }

    @Test func `a source that cannot seek says where it really began (R098)`() {
        var world = MachineWorld(count: 1)
        world.isObliging = false
        world.send(.play)
        world.send(.stop)
        world.machine.restore(
            queue: world.machine.queue, status: .paused, position: .seconds(40), length: nil, rate: 1, volume: 1,
            at: world.now)
        world.send(.play)
        world.tell(.ready)
        world.tell(.started(world.ids[0], position: .zero))
        #expect(world.seeks == [.zero])
    }

    @Test func `a live stream cannot be sought in (R048, F084, F202)`() {
        var world = playing(at: .seconds(1))
        world.tell(.durationChanged(world.ids[0], nil))
        #expect(!world.machine.canSeek && world.machine.length == nil)
        world.send(.seek(by: .seconds(5)))
        #expect(world.seeks.isEmpty)
        world.send(.next)
        #expect(world.machine.canSeek, "R090: true again on the next file")
    }

    @Test func `a length that is hardly better is not worth a word`() {
        var world = playing(at: .seconds(1))
        world.tell(.durationChanged(world.ids[0], .seconds(100) + .milliseconds(40)))
        #expect(world.machine.length == .seconds(100))
        world.tell(.durationChanged(world.ids[0], .seconds(104)))
        #expect(world.machine.length == .seconds(104))
    }

    @Test func `buffering stops the clock and keeps the status (F198, F201, D09)`() {
        var world = playing(at: .seconds(5))
        world.tell(.buffering(world.ids[0], percent: 30))
        world.pass(.seconds(10))
        #expect(world.machine.status == .playing && world.position == .seconds(5))
        #expect(world.machine.activity == .buffering(percent: 30))
        world.tell(.buffering(world.ids[0], percent: 100))
        world.pass(.seconds(2))
        #expect(world.position == .seconds(7) && world.machine.activity == .steady)
    }

    @Test func `buffering of an old source is nothing (F199)`() {
        var world = playing(at: .seconds(5))
        let old = world.ids[0]
        world.send(.next)
        world.tell(.buffering(old, percent: 10))
        #expect(world.machine.activity == .steady)
    }
}
