// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// A value that threads share, each for a moment.
///
/// As `Synchronization.Mutex`, on the system's lock: ThreadSanitizer sees who waited for whom. Of a contended `Mutex`, whose
/// futex the kernel hands over, it sees nothing, and takes every second holder for a race (Swift 6.3).
@safe
public final class Guarded<Value: Sendable>: @unchecked Sendable {
    // Invariant: `value` is touched with the lock held.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var value: Value

    public init(_ value: Value) {
        self.value = value
        unsafe pthread_mutex_init(lock, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(lock)
        unsafe lock.deallocate()
    }

    /// Does something with the value while nobody else does. Not again from within: the lock is not recursive.
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        return try body(&value)
    }
}
