// SPDX-License-Identifier: Apache-2.0
internal import MartletLoop

/// An actor's executor that is a serial queue of its own.
///
/// Blocking work (SQLite, tags, folders) must not sit on the cooperative pool, which has as many threads as the machine
/// has cores: an actor with this executor blocks its own thread only.
public final class SerialQueueExecutor: SerialExecutor {
    private let queue: WorkQueue

    /// How far its threads step back: a disk's queue counts a nice thread's requests last as well (`ioprio_set(2)`).
    static let niceness: CInt = 15

    /// - Parameters:
    ///   - label: Shown by debuggers.
    ///   - isBackground: Whether everything else on the machine goes first: sound, above all.
    public init(label: String, isBackground: Bool = false) {
        queue = WorkQueue(label: label, niceness: isBackground ? SerialQueueExecutor.niceness : 0)
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in
            unsafe job.runSynchronously(on: self.asUnownedSerialExecutor())
        }
    }
}
