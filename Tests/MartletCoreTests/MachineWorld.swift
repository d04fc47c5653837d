// SPDX-License-Identifier: Apache-2.0
import MartletCore

/// A machine with an engine that does what it is told and nothing else, and a clock that is turned by hand.
///
/// A value, so that a test can try every continuation of one past.
struct MachineWorld {
    var machine: PlayerMachine
    var now = Instant(sinceOrigin: .seconds(1000))
    var seeks: [Duration] = []
    var heard: [HeardTrack] = []
    var problems: [PlaybackProblem] = []
    var orders: [EngineOrder] = []
    var timers: [PlayerTimer: Instant] = [:]
    /// What the engine has.
    var loaded: EngineItem?
    var next: EngineItem?
    /// Taken, and not flowing yet.
    var took: [EngineItem] = []
    var isSounding = false
    /// Whether the engine answers by itself.
    var isObliging = true
    static let length = Duration.seconds(100)

    /// - Parameter count: Entries in the queue, each 100 s long.
    init(count: Int, loop: LoopMode = .none, shuffle: ShuffleMode = .off, seed: UInt64 = 1) {
        machine = PlayerMachine(queue: PlayQueue(seed: seed), at: now)
        if count > 0 { send(.edit(.append(MachineWorld.entries(count)))) }
        send(.setLoopMode(loop))
        send(.setShuffleMode(shuffle))
    }

    static func entries(_ count: Int, from first: Int = 0) -> [NewEntry] {
        (first..<first + count).map { NewEntry(uri: MediaURI("file:///music/\($0).flac")!) }
    }

    var ids: [EntryID] { Array(machine.queue.list) }
    var current: EntryID? { machine.queue.currentID }
    var position: Duration { machine.position(at: now) }

    mutating func send(_ command: PlayerCommand) {
        take(.command(command))
        settle()
    }

    mutating func tell(_ event: EngineEvent) {
        take(.engine(event))
        settle()
    }

    mutating func take(_ input: PlayerInput) {
        let before = current
        perform(machine.handle(input, at: now))
        if current != before, let current {
            perform(machine.handle(.lengthKnown(current, MachineWorld.length), at: now))
        }
    }

    mutating func settle() {
        var answers: [EngineEvent] = []
        let (orders, effects) = machine.settle(at: now)
        perform(effects)
        for order in orders {
            self.orders.append(order)
            carryOut(order, &answers)
        }
        guard isObliging else { return }
        for answer in answers { tell(answer) }
    }

    /// Lets time pass; timers ring at their moments.
    mutating func pass(_ duration: Duration) {
        let end = now + duration
        while let (timer, moment) = timers.filter({ $0.value <= end }).min(by: { $0.value < $1.value }) {
            now = max(now, moment)
            timers[timer] = nil
            take(.timer(timer))
            settle()
        }
        now = end
    }

    /// The end of what plays is near and what follows flows; it is heard after `remaining`.
    mutating func crossEdge(remaining: Duration = .zero) {
        if took.isEmpty { takeNext() }
        guard isSounding, !took.isEmpty else { return }
        let item = took.removeFirst()
        loaded = item
        tell(.crossedEdge(item.entry, remaining: remaining))
    }

    /// What was prepared can no longer be called back.
    mutating func takeNext() {
        guard isSounding, let item = next else { return }
        next = nil
        took.append(item)
        tell(.tookNext(item.entry))
    }

    /// What plays is over and nothing was prepared in time.
    mutating func end() {
        guard isSounding, let loaded else { return }
        isSounding = false
        if let taken = took.first {
            self.loaded = nil
            tell(.failed(taken.entry, EngineFailure(cause: .corrupt, message: "nothing in it")))
        } else {
            tell(.endOfStream(loaded.entry))
        }
    }

    private mutating func carryOut(_ order: EngineOrder, _ answers: inout [EngineEvent]) {
        switch order {
        case .start: answers.append(.ready)
        case .load(let item, let position, let playing):
            loaded = item
            next = nil
            took = []
            isSounding = playing
            answers.append(
                playing ? .started(item.entry, position: position) : .paused(item.entry, position: position))
        case .play:
            isSounding = true
            if let loaded { answers.append(.started(loaded.entry, position: machine.position(at: now))) }
        case .pause: isSounding = false
        case .stop:
            loaded = nil
            next = nil
            took = []
            isSounding = false
        case .seek(let position, let id): answers.append(.landed(id, position: position))
        case .prepareNext(let item): next = item
        case .setRate, .setVolume, .setMuted: break
        }
    }

    private mutating func perform(_ effects: [PlayerEffect]) {
        for effect in effects {
            switch effect {
            case .settle: break
            case .schedule(let timer, let moment): timers[timer] = moment
            case .cancel(let timer): timers[timer] = nil
            case .announceSeek(let position): seeks.append(position)
            case .recordHeard(let track): heard.append(track)
            case .report(let problem): problems.append(problem)
            }
        }
    }
}
