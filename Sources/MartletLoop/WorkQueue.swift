// SPDX-License-Identifier: Apache-2.0
internal import CMartletLoop
internal import Glibc

/// Work that may block, in order, off the main actor, on threads of its own.
///
/// As a Dispatch queue, with two differences: a thread that blocks takes nothing from anybody else's pool, and a queue with
/// nothing to do leaves nothing behind. Dispatch looks at its pool once a second for as long as the process lives.
///
/// Threads are made when there is work, up to the width, and end when they have had none for five seconds.
public final class WorkQueue: Sendable {
    private let state: WorkState

    /// - Parameters:
    ///   - label: Shown by debuggers and `top`; its first fifteen bytes count.
    ///   - width: How much runs at once. One, the default, runs each after the one before has returned; more only begin in order.
    ///   - niceness: Of its threads (`setpriority(2)`, 0 to 19); zero leaves them as they are.
    public init(label: String, width: Int = 1, niceness: CInt = 0) {
        state = WorkState(label: label, width: width, niceness: niceness)
    }

    /// What was given still runs.
    deinit { state.close() }

    /// Has work done, later, by another thread.
    public func async(_ work: @escaping @Sendable () -> Void) {
        state.add(work)
    }

    /// Has work done and waits for what it gives.
    public func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in async { continuation.resume(returning: work()) } }
    }
}

/// What the threads share with their queue.
@safe
private final class WorkState: @unchecked Sendable {
    // Invariant: all that varies is touched with the lock held.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let arrival = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let label: String
    private let width: Int
    private let niceness: CInt
    private var waiting: [@Sendable () -> Void] = []
    /// Those before it have been taken.
    private var first = 0
    private var threads = 0
    private var idle = 0
    private var isClosed = false

    init(label: String, width: Int, niceness: CInt) {
        self.label = label
        self.width = max(width, 1)
        self.niceness = niceness
        unsafe pthread_mutex_init(lock, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(arrival, &attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(arrival)
        unsafe pthread_mutex_destroy(lock)
        unsafe arrival.deallocate()
        unsafe lock.deallocate()
    }

    func add(_ work: @escaping @Sendable () -> Void) {
        unsafe pthread_mutex_lock(lock)
        waiting.append(work)
        if idle >= waiting.count - first {
            unsafe pthread_cond_signal(arrival)
        } else if threads < width, startThread() {
            threads += 1
        } else if threads == 0 {
            // The system gives no thread. Late is better than never, and here better than late. The caller's thread keeps
            // its own priority: it may be the main one.
            let inherited = take()
            unsafe pthread_mutex_unlock(lock)
            inherited?()
            return
        }
        unsafe pthread_mutex_unlock(lock)
    }

    func close() {
        unsafe pthread_mutex_lock(lock)
        isClosed = true
        unsafe pthread_cond_broadcast(arrival)
        unsafe pthread_mutex_unlock(lock)
    }

    private func startThread() -> Bool {
        var thread = pthread_t()
        let state = unsafe Unmanaged.passRetained(self)
        guard unsafe pthread_create(&thread, nil, workThreadStarted, state.toOpaque()) == 0 else {
            unsafe state.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private func take() -> (@Sendable () -> Void)? {
        guard first < waiting.count else { return nil }
        let work = waiting[first]
        first += 1
        if first == waiting.count {
            waiting.removeAll(keepingCapacity: first < 64)
            first = 0
        } else if first > 1024 {
            waiting.removeSubrange(..<first)
            first = 0
        }
        return work
    }

    /// The life of a thread.
    func serve() {
        _ = unsafe label.withCString { unsafe pthread_setname_np(pthread_self(), $0) }
        // Of the calling thread alone, on Linux. Where it is refused the work is done all the same.
        if niceness != 0 { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
        unsafe pthread_mutex_lock(lock)
        while true {
            if let work = take() {
                unsafe pthread_mutex_unlock(lock)
                work()
                unsafe pthread_mutex_lock(lock)
                continue
            }
            if isClosed { break }
            idle += 1
            let isOver = !waitForWork()
            idle -= 1
            if isOver, first == waiting.count { break }
        }
        threads -= 1
        unsafe pthread_mutex_unlock(lock)
    }

    private func waitForWork() -> Bool {
        var end = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &end)
        end.tv_sec += 5
        return unsafe pthread_cond_timedwait(arrival, lock, &end) != ETIMEDOUT
    }
}

private func workThreadStarted(_ state: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let state = unsafe state { unsafe Unmanaged<WorkState>.fromOpaque(state).takeRetainedValue().serve() }
    return nil
}
