// SPDX-License-Identifier: Apache-2.0

/// What the player is: every command, engine event and timer in; state and effects out. No I/O, no clock, no thread.
///
/// A command changes the *intent* at once (status, entry, position) and never waits for the engine. What the engine must
/// do to follow is worked out by ``settle(at:)`` when the commands at hand are through: it compares the intent with what
/// was last ordered and gives the fewest orders that lead there. Ten `Next` in a row are one load; a pause and a play
/// are nothing.
///
/// The files beside this one hold the transitions by theme: commands, seeking, engine events, edges, orders.
public struct PlayerMachine: Sendable {
    public internal(set) var queue: PlayQueue
    public internal(set) var status = PlaybackStatus.stopped
    public internal(set) var activity = PlaybackActivity.steady
    public internal(set) var problem: PlaybackProblem?
    public internal(set) var clock: PlaybackClock
    /// Whether the current entry can be sought in; true until the source says otherwise.
    public internal(set) var isSeekable = true
    /// Whether the current entry is a stream without an end.
    public internal(set) var isLive = false
    public internal(set) var rate = 1.0
    /// The cubic slider, 0…1.
    public internal(set) var volume = 1.0
    public internal(set) var isMuted = false
    /// What ``PlayerCommand/previous`` does late in a track.
    public var previousRestarts = false

    /// Rates that may be asked for; others are clamped (DESIGN §8).
    public static let rates = 0.5...2.0
    /// Within this of the start `previous` means the entry before, where it may mean the start.
    public static let restartThreshold = Duration.seconds(3)
    /// Loads in quick succession are this far apart, so that skipping fast loads what is landed on.
    static let loadSpacing = Duration.milliseconds(60)
    /// A length that differs less from the announced one is not worth an announcement.
    static let lengthTolerance = Duration.milliseconds(100)

    /// How far the engine has been brought, and what it still owes.
    var engine = EngineSide()
    /// Track time of the current entry that was heard up to the clock's anchor.
    var heard = Duration.zero
    var lastSeek: UInt64 = 0

    public init(queue: PlayQueue, at instant: Instant) {
        self.queue = queue
        clock = PlaybackClock(at: instant)
    }

    /// What was ordered of the engine and what it told: the other half of every comparison.
    struct EngineSide: Hashable, Sendable {
        enum Readiness: Hashable, Sendable {
            case untouched
            case starting
            case ready
            case unavailable
        }

        var readiness = Readiness.untouched
        /// What is loaded, or being loaded.
        var loaded: EngineItem?
        /// What must be loaded instead, from where.
        var wantedLoad: Load?
        /// Whether playing was the last order.
        var isPlaying = false
        /// Whether the load has led to sound or to a preroll.
        var hasStarted = false
        /// What was prepared and is not taken yet.
        var next: EngineItem?
        /// What was taken beyond the current entry and cannot be called back, nearest first: short tracks fit into
        /// the device's buffer by the dozen.
        var ahead: [Ahead] = []
        /// What the engine told of a load before it began to sound; holds from then on.
        var earlyLive: Bool?
        var earlySeekable: Bool?
        var wantedSeek: Duration?
        var landing: SeekID?
        var rate = 1.0
        var volume = 1.0
        var isMuted = false
        var lastLoad: Instant?
        /// A landed position is still owed to those who extrapolate.
        var owesSeeked = false

        /// The engine has nothing any more.
        mutating func unload() {
            loaded = nil
            next = nil
            hasStarted = false
            isPlaying = false
        }
    }

    /// An entry that the engine will play, whatever happens to the queue.
    struct Ahead: Hashable, Sendable {
        var entry: EntryID
        /// As it was prepared; `nil` when the queue had let go of it by the time it was taken.
        var item: EngineItem?
        /// What the engine already told about it.
        var length: Duration?
        var isSeekable: Bool?
        /// It flows already; it is heard from this moment on, or, paused, after this time.
        var edge: Edge?
    }

    struct Load: Hashable, Sendable {
        var item: EngineItem
        var position: Duration
    }

    enum Edge: Hashable, Sendable {
        case due(Instant)
        case held(remaining: Duration)
    }

    /// Takes one input and answers what must be done about it.
    ///
    /// - Parameter instant: Now. Never earlier than at the call before.
    public mutating func handle(_ input: PlayerInput, at instant: Instant) -> [PlayerEffect] {
        var effects: [PlayerEffect] = []
        switch input {
        case .command(let command): handle(command, at: instant, &effects)
        case .engine(let event): handle(event, at: instant, &effects)
        case .timer(.edge): passEdges(at: instant, &effects)
        case .timer(.settle): effects.append(.settle)
        case .lengthKnown(let entry, let length): lengthBecameKnown(entry, length, at: instant)
        case .resumedFromSuspend(let position): reanchor(after: position, at: instant, &effects)
        }
        return effects
    }

    /// Begins from what a session held, silent, the engine untouched: what played is paused.
    public mutating func restore(
        queue: PlayQueue, status: PlaybackStatus, position: Duration, length: Duration?, rate: Double, volume: Double,
        isMuted: Bool = false, at instant: Instant
    ) {
        self.queue = queue
        self.isMuted = isMuted
        self.rate = rate.clamped(to: PlayerMachine.rates)
        self.volume = volume.clamped(to: 0...1)
        self.status = queue.currentID == nil || status == .stopped ? .stopped : .paused
        clock = PlaybackClock(at: instant, rate: self.rate, length: length)
        // Within the last second pressing play would end at once (F188).
        let isAtEnd = length.map { position > $0 - .seconds(1) } ?? false
        let start = self.status == .stopped || isAtEnd ? Duration.zero : max(position, .zero)
        clock.anchor(at: start, instant: instant, isRunning: false)
    }

    /// Another engine has taken over: what was loaded is to be loaded there, from where it was.
    public mutating func replaceEngine(at instant: Instant) -> [PlayerEffect] {
        var effects: [PlayerEffect] = []
        let position = clock.position(at: instant)
        dropEngineWork(&effects)
        engine = EngineSide()
        if status != .stopped {
            clock.anchor(at: position, instant: instant, isRunning: false)
            wantCurrent(from: position)
        }
        return effects + [.settle]
    }

    /// The position at a moment, 0…length.
    public func position(at instant: Instant) -> Duration { clock.position(at: instant) }

    public var length: Duration? { clock.length }

    /// What a remote control may offer: MPRIS' `Can…`.
    public var canGoNext: Bool { queue.hasNext }
    public var canGoPrevious: Bool {
        queue.hasPrevious || (previousRestarts && queue.currentID != nil)
    }
    public var canPlay: Bool { !queue.isEmpty }
    public var canPause: Bool { !queue.isEmpty }
    public var canSeek: Bool { queue.currentID != nil && isSeekable && !isLive }
}

extension Double {
    func clamped(to range: ClosedRange<Double>) -> Double {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
