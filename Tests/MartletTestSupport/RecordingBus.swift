// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
public import MartletDBus

/// An observer on the bus: records every message it gets, replies to its own calls included, in the order of arrival.
///
/// It reads on a thread of its own, so a service under test may run on the main actor of the same process. What
/// waits comes twice: the `async` form may be used anywhere, the blocking one must not be used on the main actor.
public final class RecordingBus: Sendable {
    /// The name the bus gave the observer.
    public let uniqueName: BusName

    private let recorder: Recorder

    /// What was waited for has not come; the description holds what has.
    public struct DeadlineMissed: Error, CustomStringConvertible {
        public let description: String
    }

    /// Connects and asks for messages: every signal, unless rules are given.
    public init(_ address: BusAddress, rules: [MatchRule] = [MatchRule()]) throws {
        let bus = try BlockingBus(to: address)
        for rule in rules { try bus.addMatch(rule) }
        uniqueName = bus.uniqueName
        recorder = try Recorder(bus)
        var thread = pthread_t()
        pthread_create(&thread, nil, readingThread, Unmanaged.passRetained(recorder).toOpaque())
        pthread_detach(thread)
    }

    deinit { stop() }

    /// Ends the reading and leaves the bus. What has been recorded stays.
    public func stop() { recorder.stop() }

    /// What has been recorded, in order of arrival.
    public var messages: [BusMessage] { recorder.lock.with { recorder.log } }

    /// The recorded signals that do not come from the bus daemon.
    public var signals: [BusMessage] { messages.filter { $0.kind == .signal && $0.sender != .bus } }

    /// Forgets what has been recorded.
    public func clear() { recorder.lock.with { recorder.log = [] } }

    // MARK: Waiting

    /// Waits until a recorded message satisfies a condition, and returns the first that does.
    public func waitForMessage(
        within deadline: Duration = .seconds(10), where isWanted: (BusMessage) -> Bool
    ) throws -> BusMessage {
        try wait(within: deadline) { $0.first(where: isWanted) }
    }

    /// Waits until what has been recorded yields a value.
    public func wait<Value>(
        within deadline: Duration = .seconds(10), for yield: ([BusMessage]) -> Value?
    ) throws -> Value {
        if let value = recorder.lock.wait(within: deadline, for: { yield(recorder.log) }) { return value }
        let list = messages.map { "  \($0.kind) \($0.interface?.string ?? "").\($0.member?.string ?? "") \($0.body)" }
        throw DeadlineMissed(description: "after \(deadline) there is only:\n" + list.joined(separator: "\n"))
    }

    /// Waits for a signal.
    public func waitForSignal(
        _ member: MemberName, of interface: InterfaceName? = nil, within deadline: Duration = .seconds(10)
    ) throws -> BusMessage {
        try waitForMessage(within: deadline) {
            $0.kind == .signal && $0.member == member && (interface == nil || $0.interface == interface)
        }
    }

    /// Waits without holding the caller's thread.
    public func message(
        within deadline: Duration = .seconds(10), where isWanted: @escaping @Sendable (BusMessage) -> Bool
    ) async throws -> BusMessage {
        try await onAnotherThread { try self.waitForMessage(within: deadline, where: isWanted) }
    }

    /// Waits for a signal without holding the caller's thread.
    public func signal(
        _ member: MemberName, of interface: InterfaceName? = nil, within deadline: Duration = .seconds(10)
    ) async throws -> BusMessage {
        try await onAnotherThread { try self.waitForSignal(member, of: interface, within: deadline) }
    }

    // MARK: Calling

    /// Sends a call; its answer is recorded among the other messages, with this serial as its `replySerial`.
    public func post(_ message: BusMessage) throws -> UInt32 { try perform { try $0.post(message) } }

    /// Sends a message; a call is marked as wanting no answer.
    public func send(_ message: BusMessage) throws { _ = try perform { try $0.send(message) } }

    private func perform(_ job: @escaping (BlockingBus) throws -> UInt32) throws -> UInt32 {
        let box = Box()
        // The reading thread is the only user of the connection.
        recorder.perform { [lock = recorder.lock] bus in
            let result = Result { try job(bus) }
            lock.with { box.result = result }
        }
        guard let result = recorder.lock.wait(within: .seconds(10), for: { box.result }) else {
            throw DeadlineMissed(description: "the observer is busy, or has left the bus")
        }
        return try result.get()
    }

    /// Calls a method and waits for the answer. An error reply is thrown as a ``BusError``.
    public func call(_ message: BusMessage, within deadline: Duration = .seconds(10)) throws -> BusMessage {
        let serial = try post(message)
        let reply = try waitForMessage(within: deadline) {
            $0.replySerial == serial && ($0.kind == .methodReturn || $0.kind == .error)
        }
        if let error = reply.error { throw error }
        return reply
    }

    /// Calls a method without holding the caller's thread.
    public func reply(to message: BusMessage, within deadline: Duration = .seconds(10)) async throws -> BusMessage {
        try await onAnotherThread { try self.call(message, within: deadline) }
    }

    private final class Box: @unchecked Sendable {
        // Invariant: only with the lock of the recorder held.
        var result: Result<UInt32, any Error>?
    }
}

/// Runs what blocks on a thread of Dispatch's: Swift's own pool has as many threads as the machine has cores, and two
/// waiting tests would hold them all.
func onAnotherThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result(catching: body)) }
    }
}

/// The connection and what has come over it; held by the reading thread as long as it reads.
private final class Recorder: @unchecked Sendable {
    // Invariant: `log`, `jobs`, `isEnded` only with `lock` held; `bus` on the reading thread only.
    let lock = Condition()
    var log: [BusMessage] = []
    private var jobs: [(BlockingBus) -> Void] = []
    private var isEnded = false
    private let bus: BlockingBus
    /// A byte in one end wakes the thread that polls the other.
    private let wake: [CInt]

    init(_ bus: BlockingBus) throws {
        self.bus = bus
        var ends: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw PrivateBus.Failure(description: "no descriptors left")
        }
        wake = ends
    }

    deinit { wake.forEach { close($0) } }

    func stop() {
        lock.with { isEnded = true }
        wakeUp()
    }

    func perform(_ job: @escaping (BlockingBus) -> Void) {
        lock.with { jobs.append(job) }
        wakeUp()
    }

    private func wakeUp() {
        var byte: UInt8 = 1
        write(wake[0], &byte, 1)
    }

    func run() {
        while true {
            do {
                while let message = try bus.nextMessage(timeout: .zero) { lock.with { log.append(message) } }
            } catch {
                return
            }
            let (ready, hasEnded) = lock.with { () -> ([(BlockingBus) -> Void], Bool) in
                defer { jobs = [] }
                return (jobs, isEnded)
            }
            if hasEnded { return bus.close() }
            ready.forEach { $0(bus) }
            if !ready.isEmpty { continue }
            var pollers = [bus.fileDescriptor, wake[1]].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            poll(&pollers, 2, -1)
            var bytes = [UInt8](repeating: 0, count: 64)
            if pollers[1].revents != 0 { _ = read(wake[1], &bytes, bytes.count) }
        }
    }
}

private func readingThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    Unmanaged<Recorder>.fromOpaque(argument!).takeRetainedValue().run()
    return nil
}

/// A lock with a condition to wait for; POSIX's, for the standard library has none to wait on.
private final class Condition: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Runs with the lock held and tells everybody who waits.
    func with<Value>(_ body: () -> Value) -> Value {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }
        return body()
    }

    /// Waits until the body, run with the lock held, yields something; `nil` when the time is over.
    func wait<Value>(within timeout: Duration, for body: () -> Value?) -> Value? {
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        let (seconds, attoseconds) = timeout.components
        let nanoseconds = end.tv_nsec + Int(attoseconds / 1_000_000_000)
        end.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
        end.tv_nsec = nanoseconds % 1_000_000_000
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let value = body() { return value }
            if pthread_cond_timedwait(condition, mutex, &end) == ETIMEDOUT { return body() }
        }
    }
}
