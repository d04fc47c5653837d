// SPDX-License-Identifier: Apache-2.0
public import MartletCore

/// An engine that plays nothing and tells what a test wants it to tell.
///
/// It records every order. By itself it answers the ones an honest engine always answers (``isObliging``): a load or a
/// play with `.started`, a pause with `.paused`, a seek with `.landed` where it was asked to land.
@MainActor
public final class FakeEngine: PlaybackEngine {
    public var eventHandler: (@MainActor (EngineEvent) -> Void)?
    /// Every order, oldest first.
    public private(set) var orders: [EngineOrder] = []
    /// Whether orders are answered by themselves; otherwise the test calls ``tell(_:)``.
    public var isObliging = true
    /// What the next loads tell as the item's length; `nil` tells nothing.
    public var lengths: [MediaURI: Duration] = [:]
    /// Sources that fail when loaded, and how.
    public var failures: [MediaURI: EngineFailure] = [:]

    public private(set) var loaded: EngineItem?
    public private(set) var next: EngineItem?
    private var position = Duration.zero
    private var waiting: [EngineEvent] = []

    public init() {}

    public func start() {
        orders.append(.start)
        answer(.ready)
    }

    public func load(_ item: EngineItem, at position: Duration, playing: Bool) {
        orders.append(.load(item, at: position, playing: playing))
        waiting.removeAll()
        loaded = item
        next = nil
        self.position = position
        if let failure = failures[item.uri] {
            answer(.failed(item.entry, failure))
            return
        }
        if let length = lengths[item.uri] { answer(.durationChanged(item.entry, length)) }
        answer(playing ? .started(item.entry, position: position) : .paused(item.entry, position: position))
    }

    public func play() {
        orders.append(.play)
        if let loaded { answer(.started(loaded.entry, position: position)) }
    }

    public func pause() {
        orders.append(.pause)
    }

    public func stop() {
        orders.append(.stop)
        waiting.removeAll()
        loaded = nil
        next = nil
    }

    public func seek(to position: Duration, id: SeekID) {
        orders.append(.seek(to: position, id: id))
        self.position = position
        answer(.landed(id, position: position))
    }

    public func setRate(_ rate: Double) { orders.append(.setRate(rate)) }
    public func setVolume(_ volume: Double) { orders.append(.setVolume(volume)) }
    public func setMuted(_ isMuted: Bool) { orders.append(.setMuted(isMuted)) }

    public func prepareNext(_ item: EngineItem?) {
        orders.append(.prepareNext(item))
        next = item
    }

    public func currentPosition() -> Duration? { loaded == nil ? nil : position }

    /// Tells an event now, as the pipeline would.
    public func tell(_ event: EngineEvent) {
        eventHandler?(event)
    }

    /// The gapless hand-over: takes what was prepared and lets it flow.
    public func crossEdge(remaining: Duration) {
        guard let item = next else { return }
        tell(.tookNext(item.entry))
        loaded = item
        next = nil
        tell(.crossedEdge(item.entry, remaining: remaining))
    }

    /// Tells the answers that are due; events never arrive from inside an order.
    public func deliver() {
        while !waiting.isEmpty { eventHandler?(waiting.removeFirst()) }
    }

    public func forgetOrders() {
        orders.removeAll()
    }

    private func answer(_ event: EngineEvent) {
        if isObliging { waiting.append(event) }
    }
}
