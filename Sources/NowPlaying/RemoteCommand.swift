// SPDX-License-Identifier: Apache-2.0

/// One command the desktop may send: a media key, a widget's button, a headset's click.
///
/// A command without a handler counts as disabled. What a disabled command does is MPRIS' matter and decided here once:
/// almost all have no effect, `PlayPause` answers an error.
@MainActor
public final class RemoteCommand<Event: Sendable> {
    /// Takes the command. The state it leads to is best set before it returns: then callers have it before their reply.
    public typealias Handler = @MainActor (Event) -> RemoteCommandStatus
    /// Takes the command and answers later, exactly once, on the main actor.
    public typealias DeferredHandler = @MainActor (Event, @escaping @MainActor (RemoteCommandStatus) -> Void) -> Void

    /// Whether the command can be used now. Shown to clients, where MPRIS has a word for it (`CanGoNext` and so on).
    public var isEnabled = true {
        didSet { if isEnabled != oldValue { changed?() } }
    }

    var changed: (@MainActor () -> Void)?
    private var handler: DeferredHandler?

    init() {}

    /// Sets what takes the command, in place of what did.
    public func setHandler(_ handler: @escaping Handler) {
        self.handler = { event, reply in reply(handler(event)) }
        changed?()
    }

    /// Sets what takes the command and answers when it is done.
    public func setDeferredHandler(_ handler: @escaping DeferredHandler) {
        self.handler = handler
        changed?()
    }

    /// Nobody takes the command any more.
    public func removeHandler() {
        handler = nil
        changed?()
    }

    /// Whether sending it would do anything.
    var isOffered: Bool { isEnabled && handler != nil }
    var hasHandler: Bool { handler != nil }

    /// Hands the command on; the reply may come at once or later.
    func send(_ event: Event, _ reply: @escaping @MainActor (RemoteCommandStatus) -> Void) {
        guard isEnabled, let handler else { return reply(.success) }
        handler(event, reply)
    }
}
