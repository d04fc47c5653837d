// SPDX-License-Identifier: Apache-2.0
internal import MartletLoop

/// An actor's executor that is a serial queue of its own.
///
/// Blocking work (SQLite, tags, folders) must not sit on the cooperative pool, which has as many threads as the machine
/// has cores: an actor with this executor blocks its own thread only.
public final class SerialQueueExecutor: SerialExecutor {
    private let queue: WorkQueue

    /// - Parameter label: Shown by debuggers.
    public init(label: String) {
        queue = WorkQueue(label: label)
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
