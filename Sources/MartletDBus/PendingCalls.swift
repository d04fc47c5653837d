// SPDX-License-Identifier: Apache-2.0
internal import MartletLoop

/// The calls that wait for an answer, and the one timer that ends those that wait too long.
///
/// One timer for all of them: ten thousand calls in flight are ten thousand entries of a dictionary. The timer is
/// armed for the earliest deadline it knew of when it was armed, and is not moved back when that call is answered:
/// it fires at most once after the last answer, finds nothing, and stays off. So an idle connection is idle.
@MainActor
final class PendingCalls {
    typealias Completion = @MainActor (Result<BusMessage, BusError>) -> Void

    private struct Entry {
        let deadline: UInt64
        let completion: Completion
    }

    private var entries: [UInt32: Entry] = [:]
    private let timer = MainTimer()
    private var armedFor = UInt64.max

    var isEmpty: Bool { entries.isEmpty }

    func add(_ serial: UInt32, timeout: Duration?, completion: @escaping Completion) {
        let deadline = timeout.map { MainTimer.now + $0.nanoseconds } ?? .max
        entries[serial] = Entry(deadline: deadline, completion: completion)
        arm(for: deadline)
    }

    /// Completes a call. `false` when nobody waits for it (any more).
    @discardableResult
    func complete(_ serial: UInt32, _ result: Result<BusMessage, BusError>) -> Bool {
        guard let entry = entries.removeValue(forKey: serial) else { return false }
        entry.completion(result)
        return true
    }

    /// Completes all of them, in the order they were sent.
    func failAll(_ error: BusError) {
        timer.disarm()
        armedFor = .max
        let failed = entries.sorted { $0.key < $1.key }
        entries = [:]
        for (_, entry) in failed { entry.completion(.failure(error)) }
    }

    private func arm(for deadline: UInt64) {
        guard deadline < armedFor else { return }
        armedFor = deadline
        timer.arm(at: deadline) { [weak self] in self?.expire() }
    }

    private func expire() {
        armedFor = .max
        let now = MainTimer.now
        let late = entries.filter { $0.value.deadline <= now }
            .sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        for (serial, _) in late { complete(serial, .failure(.timedOut)) }
        if let next = entries.values.map(\.deadline).min(), next < .max { arm(for: next) }
    }
}
