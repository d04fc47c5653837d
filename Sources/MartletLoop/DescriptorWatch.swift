// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Glibc

/// Tells the main actor that a descriptor can be read or written.
///
/// Served by the program's ``MainLoop`` or, without one, by Dispatch. The two differ in one thing, see ``repeats``.
@MainActor
public final class DescriptorWatch {
    /// Whose turn it is with the descriptor.
    public enum Direction: Hashable, Sendable {
        case reading
        case writing
    }

    private let descriptor: CInt
    private let direction: Direction
    private let ready: @MainActor () -> Void
    private let onEnd: (@Sendable () -> Void)?
    private let source: (any DispatchSourceProtocol)?
    private var token: UInt64?
    private var isEnded = false

    /// Watches a descriptor from now on.
    ///
    /// - Parameters:
    ///   - descriptor: Must stay open until the watch has ended.
    ///   - isEnabled: Whether it is watched at once.
    ///   - onEnd: Runs after ``end()``, on whatever thread, when nothing looks at the descriptor any more: it can be closed then.
    ///   - ready: Runs on the main actor when the descriptor is ready, also when its other end has closed.
    public init(
        _ descriptor: CInt, _ direction: Direction, isEnabled: Bool = true, onEnd: (@Sendable () -> Void)? = nil,
        ready: @escaping @MainActor () -> Void
    ) {
        self.descriptor = descriptor
        self.direction = direction
        self.ready = ready
        self.onEnd = onEnd
        if MainLoop.current != nil {
            source = nil
        } else {
            let source: any DispatchSourceProtocol =
                direction == .reading
                ? DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
                : DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: .main)
            source.setEventHandler { MainActor.assumeIsolated(ready) }
            if let onEnd { source.setCancelHandler(handler: onEnd) }
            self.source = source
        }
        self.isEnabled = false
        if isEnabled { setEnabled(true) }
    }

    /// Whether the handler comes again while the descriptor stays ready.
    ///
    /// Dispatch's does as a rule, but takes a descriptor whose other end has closed (`EPOLLHUP`) out of its set and fires
    /// once more, also when bytes are left to be read. Where this is false, whoever handles an event goes on until nothing is left.
    public var repeats: Bool { source == nil }

    /// Whether the descriptor is watched now.
    public private(set) var isEnabled: Bool

    /// Begins to watch, or pauses. A descriptor to write to is ready without end: it is watched only while something waits.
    public func setEnabled(_ isEnabled: Bool) {
        guard isEnabled != self.isEnabled, !isEnded else { return }
        self.isEnabled = isEnabled
        if let source {
            if isEnabled { source.resume() } else { source.suspend() }
        } else if let loop = MainLoop.current {
            if isEnabled {
                token = loop.watch(descriptor, direction, ready)
            } else if let token {
                // Only asked for nothing, it would still be told of a hang-up, without end.
                loop.unwatch(descriptor, token)
                self.token = nil
            }
        }
    }

    /// Ends the watch; the handler does not run again. Ending it twice is harmless.
    public func end() {
        guard !isEnded else { return }
        if let source {
            source.cancel()
            // A suspended source never runs its cancel handler, and releasing one traps.
            if !isEnabled { source.resume() }
            isEnabled = true
            isEnded = true
        } else {
            setEnabled(false)
            isEnded = true
            onEnd?()
        }
    }

    isolated deinit { end() }
}
