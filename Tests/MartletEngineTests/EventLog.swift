// SPDX-License-Identifier: Apache-2.0
import Dispatch
import MartletCore
import MartletEngine
import Testing

/// Everything an engine told, and a way to wait for more.
@MainActor
final class EventLog {
    private(set) var events: [EngineEvent] = []
    /// Called with each event before anybody who waits for it goes on.
    var onEvent: ((EngineEvent) -> Void)?
    private var cursor = 0
    private var waiter: (matches: (EngineEvent) -> Bool, continuation: CheckedContinuation<EngineEvent?, Never>)?
    private var waitCount = 0

    struct Missing: Error, CustomStringConvertible {
        let what: String
        let seen: [EngineEvent]
        var description: String { "no \(what) in time; seen: \(seen)" }
    }

    init(_ engine: any PlaybackEngine) {
        engine.eventHandler = { [weak self] in self?.append($0) }
    }

    /// The next event that matches, past those already waited for; what lies between is skipped.
    @discardableResult
    func next(
        _ what: String = "event", within deadline: Duration = .seconds(20), _ matches: @escaping (EngineEvent) -> Bool
    ) async throws -> EngineEvent {
        while cursor < events.count {
            defer { cursor += 1 }
            if matches(events[cursor]) { return events[cursor] }
        }
        waitCount += 1
        let turn = waitCount
        let event: EngineEvent? = await withCheckedContinuation { continuation in
            waiter = (matches, continuation)
            let nanoseconds =
                deadline.components.seconds * 1_000_000_000 + deadline.components.attoseconds / 1_000_000_000
            DispatchQueue.main.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) { [weak self] in
                MainActor.assumeIsolated {
                    guard let self, self.waitCount == turn, let waiter = self.waiter else { return }
                    self.waiter = nil
                    waiter.continuation.resume(returning: nil)
                }
            }
        }
        guard let event else { throw Missing(what: what, seen: events) }
        return event
    }

    private func append(_ event: EngineEvent) {
        events.append(event)
        onEvent?(event)
        guard let waiter else { return }
        cursor = events.count
        guard waiter.matches(event) else { return }
        self.waiter = nil
        waitCount += 1
        waiter.continuation.resume(returning: event)
    }
}

extension EngineEvent {
    var isStarted: Bool { if case .started = self { true } else { false } }
    var isPaused: Bool { if case .paused = self { true } else { false } }
    var isEndOfStream: Bool { if case .endOfStream = self { true } else { false } }
    var isCrossedEdge: Bool { if case .crossedEdge = self { true } else { false } }
    var failure: EngineFailure? { if case .failed(_, let failure) = self { failure } else { nil } }
    var landing: (SeekID, Duration)? { if case .landed(let id, let position) = self { (id, position) } else { nil } }
}

extension EventLog {
    func started() async throws { try await next("started") { $0.isStarted } }
    func paused() async throws { try await next("paused") { $0.isPaused } }
    func ended() async throws { try await next("endOfStream") { $0.isEndOfStream } }

    func failure(within deadline: Duration = .seconds(20)) async throws -> EngineFailure {
        try await next("failed", within: deadline) { $0.failure != nil }.failure!
    }

    func landing(_ id: SeekID) async throws -> Duration {
        try await next("landed") { $0.landing?.0 == id }.landing!.1
    }

    /// Looks every few milliseconds until something that no event tells has come about: a position, a mixer, a file.
    func poll(within deadline: Duration = .seconds(10), _ condition: () -> Bool) async -> Bool {
        let end = ContinuousClock.now + deadline
        while !condition() {
            guard ContinuousClock.now < end else { return false }
            await withCheckedContinuation { continuation in
                DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(5)) { continuation.resume() }
            }
        }
        return true
    }
}

/// An engine that has started, and its log.
@MainActor
func startedEngine(
    _ sink: SinkDescription = .null, _ options: EngineOptions = EngineOptions()
) async throws -> (GStreamerEngine, EventLog) {
    let engine = GStreamerEngine(sink: sink, options: options)
    let log = EventLog(engine)
    engine.start()
    try await log.next("ready") { $0 == .ready }
    return (engine, log)
}
