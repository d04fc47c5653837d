// SPDX-License-Identifier: Apache-2.0

extension PlayerMachine {
    /// The fewest orders that bring the engine to where the intent is, and what else must be done.
    ///
    /// Call once after the inputs at hand, and whenever a ``PlayerEffect/settle`` or its timer asks for it. Calling it
    /// with nothing to do gives nothing.
    public mutating func settle(at instant: Instant) -> (orders: [EngineOrder], effects: [PlayerEffect]) {
        var orders: [EngineOrder] = []
        var effects: [PlayerEffect] = []
        switch engine.readiness {
        case .untouched:
            // The library behind the engine is loaded for the first sound, not before.
            if engine.wantedLoad != nil {
                engine.readiness = .starting
                orders.append(.start)
            }
            return (orders, effects)
        case .starting, .unavailable:
            return (orders, effects)
        case .ready:
            break
        }
        let isRateNew = engine.rate != rate
        orderParameters(&orders)
        if status == .stopped {
            if engine.loaded != nil {
                orders.append(.stop)
                engine.unload()
            }
            engine.wantedLoad = nil
            return (orders, effects)
        }
        if !engine.ahead.isEmpty, engine.wantedLoad == nil, isRateNew || engine.wantedSeek != nil {
            openAgain(at: instant, &effects)
        }
        if let load = engine.wantedLoad {
            if let last = engine.lastLoad, instant < last + PlayerMachine.loadSpacing {
                if status == .paused, engine.isPlaying, engine.loaded != nil { order(.pause, &orders) }
                effects.append(.schedule(.settle, at: last + PlayerMachine.loadSpacing))
                return (orders, effects)
            }
            orders.append(.load(load.item, at: load.position, playing: status == .playing))
            engine.wantedLoad = nil
            engine.loaded = load.item
            engine.lastLoad = instant
            engine.hasStarted = false
            engine.earlyLive = nil
            engine.earlySeekable = nil
            engine.isPlaying = status == .playing
            engine.next = nil
            engine.wantedSeek = nil
            engine.landing = nil
        }
        guard engine.loaded != nil else { return (orders, effects) }
        if let target = engine.wantedSeek, engine.landing == nil {
            lastSeek += 1
            let id = SeekID(lastSeek)
            engine.wantedSeek = nil
            engine.landing = id
            orders.append(.seek(to: target, id: id))
        }
        if engine.isPlaying != (status == .playing) {
            order(status == .playing ? .play : .pause, &orders)
        } else if status == .playing, !clock.isRunning {
            // Paused and resumed within one breath: the engine never knew.
            resumeClock(at: instant, &effects)
        }
        let next = toPrepare
        if next != engine.next {
            engine.next = next
            orders.append(.prepareNext(next))
        }
        return (orders, effects)
    }

    /// The pipeline has let go of the current entry's source: a flush would act on what it took.
    private mutating func openAgain(at instant: Instant, _ effects: inout [PlayerEffect]) {
        let position = engine.wantedSeek ?? clock.position(at: instant)
        noteHeard(at: instant)
        clock.anchor(at: position, instant: instant, isRunning: false)
        let owesSeeked = engine.owesSeeked
        dropEngineWork(&effects)
        engine.owesSeeked = owesSeeked
        wantCurrent(from: position)
    }

    /// What is to follow all that was taken, as the queue stands now.
    private var toPrepare: EngineItem? {
        var future = queue
        for ahead in engine.ahead {
            // Another is wanted there: it will be loaded at that edge, and what follows it then prepared.
            guard future.advance(.trackEnded) == ahead.entry else { return nil }
        }
        return future.peekNext(.trackEnded).flatMap { future.entry($0) }.map { EngineItem($0) }
    }

    private mutating func order(_ order: EngineOrder, _ orders: inout [EngineOrder]) {
        engine.isPlaying = order == .play
        orders.append(order)
    }

    private mutating func orderParameters(_ orders: inout [EngineOrder]) {
        if engine.volume != volume {
            engine.volume = volume
            orders.append(.setVolume(volume))
        }
        if engine.isMuted != isMuted {
            engine.isMuted = isMuted
            orders.append(.setMuted(isMuted))
        }
        if engine.rate != rate {
            engine.rate = rate
            orders.append(.setRate(rate))
        }
    }
}
