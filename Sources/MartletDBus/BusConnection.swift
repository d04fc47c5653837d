// SPDX-License-Identifier: Apache-2.0
internal import CMartletDBus
internal import Dispatch

/// A connection to a message bus on the main queue.
///
/// Messages are handled strictly in the order they arrive, each to its end before the next; what is sent leaves in the order
/// it was sent. Sending never waits: what the socket does not take is kept and written when it can be. An idle connection
/// wakes nobody.
@MainActor
@safe
public final class BusConnection {
    /// What the bus calls this connection.
    public let uniqueName: BusName
    /// What is called on this connection.
    public let objects: ObjectTree
    /// Called once when the bus is gone. Sending afterwards does nothing, calls fail.
    public var onDisconnect: (@MainActor () -> Void)?
    public private(set) var isConnected = true

    private let raw: OpaquePointer
    private let sources: BusEventSources
    private var pending: [UInt32: PendingCall] = [:]
    private var matches: [ObjectIdentifier: WeakMatch] = [:]
    private var ruleCounts: [String: Int] = [:]
    private var isDraining = false
    private var isDrainScheduled = false

    private struct PendingCall {
        var timer: any DispatchSourceTimer
        var completion: @MainActor (Result<BusMessage, BusError>) -> Void
    }

    private struct WeakMatch {
        weak var match: BusMatch?
    }

    /// Messages handled in one turn; then timers and other sources have theirs.
    private static let burst = 256

    /// Connects and says hello. Waits for the bus, usually well under a millisecond.
    ///
    /// - Throws: `NoServer` or whatever keeps the address from being reached.
    public static func connect(to address: BusAddress = .session) throws(BusError) -> BusConnection {
        let text = try address.resolved()
        guard let raw = unsafe try BusError.catching({ unsafe dbus_connection_open_private(text, $0) }) else {
            throw BusError(name: .noServer, message: "cannot connect to \(text)")
        }
        unsafe dbus_connection_set_exit_on_disconnect(raw, 0)
        do throws(BusError) {
            _ = unsafe try BusError.catching { unsafe dbus_bus_register(raw, $0) }
        } catch {
            unsafe dbus_connection_close(raw)
            unsafe dbus_connection_unref(raw)
            throw error
        }
        guard let name = unsafe dbus_bus_get_unique_name(raw).flatMap({ unsafe BusName(String(cString: $0)) }) else {
            unsafe dbus_connection_close(raw)
            unsafe dbus_connection_unref(raw)
            throw BusError(name: .failed, message: "the bus gave no name")
        }
        return unsafe BusConnection(raw, uniqueName: name)
    }

    private init(_ raw: OpaquePointer, uniqueName: BusName) {
        unsafe self.raw = raw
        self.uniqueName = uniqueName
        objects = ObjectTree()
        weak var connection: BusConnection?
        sources = BusEventSources { connection?.drain() }
        connection = self
        let data = unsafe Unmanaged.passUnretained(sources).toOpaque()
        unsafe dbus_connection_set_watch_functions(
            raw, busAddWatch, busRemoveWatch, busToggleWatch, data, nil)
        unsafe dbus_connection_set_timeout_functions(
            raw, busAddTimeout, busRemoveTimeout, busToggleTimeout, data, nil)
        unsafe dbus_connection_set_wakeup_main_function(raw, busWakeUp, data, nil)
        // What arrived behind the hello is in libdbus' queue already; no source will tell of it.
        scheduleDrain()
    }

    isolated deinit {
        close()
        unsafe dbus_connection_unref(raw)
    }

    /// Leaves the bus: its names are free, pending calls fail. Calling again does nothing.
    public func close() {
        guard isConnected else { return }
        isConnected = false
        unsafe dbus_connection_flush(raw)
        unsafe dbus_connection_set_wakeup_main_function(raw, nil, nil, nil)
        unsafe dbus_connection_close(raw)
        unsafe dbus_connection_set_watch_functions(raw, nil, nil, nil, nil, nil)
        unsafe dbus_connection_set_timeout_functions(raw, nil, nil, nil, nil, nil)
        sources.cancelAll()
        failPending()
    }

    // MARK: Sending

    /// Sends a message; it has left, or waits for the socket, when this returns.
    ///
    /// - Returns: Its serial; 0 when the bus is gone.
    /// - Throws: For a body D-Bus cannot carry. Nothing was sent.
    @discardableResult
    public func send(_ message: BusMessage) throws(BusError) -> UInt32 {
        let encoded = unsafe try MessageCodec.encode(message)
        defer { unsafe dbus_message_unref(encoded) }
        return unsafe send(encoded)
    }

    private func send(_ encoded: OpaquePointer) -> UInt32 {
        guard isConnected else { return 0 }
        var serial: UInt32 = 0
        unsafe dbus_connection_send(raw, encoded, &serial)
        if !isDraining { sources.arm() }
        return serial
    }

    /// Broadcasts a signal. A body that cannot be carried is a mistake of ours and is dropped.
    public func emit(_ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ body: [BusValue] = []) {
        _ = try? send(.signal(path: path, interface: interface, member: member, body))
    }

    /// Calls a method; the completion comes exactly once, on the main actor, never from inside this call.
    ///
    /// - Parameter timeout: Then the completion gets `Timeout`; a later answer is dropped.
    public func call(
        _ message: BusMessage, timeout: Duration = .seconds(25),
        completion: @escaping @MainActor (Result<BusMessage, BusError>) -> Void
    ) {
        let serial: UInt32
        do throws(BusError) {
            serial = try send(message)
            if serial == 0 { throw BusError.disconnected() }
        } catch {
            DispatchQueue.main.async { completion(.failure(error)) }
            return
        }
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .now() + .milliseconds(Int(timeout / .milliseconds(1))))
        timer.setEventHandler { [weak self] in
            MainActor.assumeIsolated {
                self?.finish(serial, .failure(BusError(name: .timedOut, message: "no answer in time")))
            }
        }
        timer.activate()
        pending[serial] = PendingCall(timer: timer, completion: completion)
    }

    /// Calls a method and waits for its answer's body.
    ///
    /// - Throws: The error the peer answered, `Timeout`, or `Disconnected`.
    public func call(_ message: BusMessage, timeout: Duration = .seconds(25)) async throws(BusError) -> [BusValue] {
        let result = await withCheckedContinuation { continuation in
            call(message, timeout: timeout) { continuation.resume(returning: $0) }
        }
        return try result.get().body
    }

    /// Waits until everything sent has been written. Blocks the main actor; for the last moment before an exit.
    public func flush() {
        if isConnected { unsafe dbus_connection_flush(raw) }
    }

    // MARK: Names

    /// What came of a wish for a name.
    public enum NameRequestReply: Hashable, Sendable {
        case primaryOwner
        /// Somebody else has it; we are next in line.
        case inQueue
        /// Somebody else has it, and we do not wait (`doNotQueue`).
        case exists
        case alreadyOwner
    }

    /// How a name is asked for.
    public struct NameFlags: OptionSet, Sendable {
        public let rawValue: UInt32

        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        public static let allowReplacement = NameFlags(rawValue: 1)
        public static let replaceExisting = NameFlags(rawValue: 2)
        public static let doNotQueue = NameFlags(rawValue: 4)
    }

    /// Asks the bus for a name and waits for its answer: a round trip.
    ///
    /// - Throws: `AccessDenied` where a policy forbids it, `Disconnected`.
    public func requestName(_ name: BusName, flags: NameFlags = .doNotQueue) throws(BusError) -> NameRequestReply {
        guard isConnected else { throw BusError.disconnected() }
        let reply = unsafe try BusError.catching {
            unsafe dbus_bus_request_name(raw, name.description, flags.rawValue, $0)
        }
        scheduleDrain()
        switch reply {
        case 1: return .primaryOwner
        case 2: return .inQueue
        case 3: return .exists
        default: return .alreadyOwner
        }
    }

    /// Gives a name back; one that is not ours is no error.
    public func releaseName(_ name: BusName) throws(BusError) {
        guard isConnected else { throw BusError.disconnected() }
        _ = unsafe try BusError.catching { unsafe dbus_bus_release_name(raw, name.description, $0) }
        scheduleDrain()
    }

    // MARK: Signals

    /// Listens for signals that fit a rule, until the match is cancelled or let go of.
    public func listen(
        to rule: BusMatchRule, _ handler: @escaping @MainActor (BusMessage) -> Void
    ) -> BusMatch {
        let match = BusMatch(rule: rule, connection: self, handler: handler)
        matches[ObjectIdentifier(match)] = WeakMatch(match: match)
        let text = rule.description
        ruleCounts[text, default: 0] += 1
        if ruleCounts[text] == 1 { changeRule("AddMatch", text) }
        return match
    }

    /// Tells who owns a name: now, and whenever that changes. The owner is `nil` while there is none.
    public func watchName(_ name: BusName, _ handler: @escaping @MainActor (BusName?) -> Void) -> BusMatch {
        let rule = BusMatchRule(
            sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
            firstArgument: name.description)
        let match = listen(to: rule) { message in
            handler(message.body.count == 3 ? message.body[2].string.flatMap { BusName($0) } : nil)
        }
        let question = BusMessage.methodCall(
            to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
            member: "GetNameOwner", [.string(name.description)])
        call(question) { [weak match] result in
            guard match?.isCancelled == false else { return }
            handler((try? result.get())?.body.first?.string.flatMap { BusName($0) })
        }
        return match
    }

    func cancel(_ match: ObjectIdentifier, rule: BusMatchRule) {
        matches.removeValue(forKey: match)
        let text = rule.description
        ruleCounts[text, default: 1] -= 1
        if ruleCounts[text] == 0 {
            ruleCounts.removeValue(forKey: text)
            changeRule("RemoveMatch", text)
        }
    }

    private func changeRule(_ member: MemberName, _ text: String) {
        var message = BusMessage.methodCall(
            to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
            member: member, [.string(text)])
        message.isReplyUnwanted = true
        _ = try? send(message)
    }

    // MARK: Receiving

    private func scheduleDrain() {
        guard !isDrainScheduled else { return }
        isDrainScheduled = true
        DispatchQueue.main.async { [weak self] in
            self?.isDrainScheduled = false
            self?.drain()
        }
    }

    /// Handles what has arrived, in order.
    private func drain() {
        guard isConnected, !isDraining else { return }
        isDraining = true
        var count = 0
        while isConnected, count < BusConnection.burst, let message = unsafe dbus_connection_pop_message(raw) {
            unsafe receive(message)
            unsafe dbus_message_unref(message)
            count += 1
        }
        isDraining = false
        guard isConnected else { return }
        sources.arm()
        if count == BusConnection.burst { scheduleDrain() }
    }

    private func receive(_ encoded: OpaquePointer) {
        guard let message = unsafe MessageCodec.decode(encoded) else { return }
        switch message.kind {
        case .methodCall:
            objects.dispatch(message, on: self)
        case .methodReturn:
            if let serial = message.replySerial { finish(serial, .success(message)) }
        case .error:
            guard let serial = message.replySerial else { return }
            let error = BusError(name: message.errorName ?? .failed, message: message.body.first?.string ?? "")
            finish(serial, .failure(error))
        case .signal:
            if message.interface == "org.freedesktop.DBus.Local", message.member == "Disconnected" {
                return lost()
            }
            for entry in matches.values {
                if let match = entry.match, match.rule.fits(message) { match.handler(message) }
            }
        }
    }

    private func finish(_ serial: UInt32, _ result: Result<BusMessage, BusError>) {
        guard let call = pending.removeValue(forKey: serial) else { return }
        call.timer.cancel()
        call.completion(result)
    }

    private func failPending() {
        let calls = pending
        pending.removeAll()
        for call in calls.values {
            call.timer.cancel()
            DispatchQueue.main.async { call.completion(.failure(.disconnected())) }
        }
    }

    private func lost() {
        close()
        let told = onDisconnect
        onDisconnect = nil
        told?()
    }
}
