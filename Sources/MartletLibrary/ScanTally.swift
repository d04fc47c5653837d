// SPDX-License-Identifier: Apache-2.0
internal import MartletLoop

/// Adds up what the walks and readers of one scan did.
///
/// Behind a lock, since they are on threads of their own; held for additions only.
final class ScanTally: Sendable {
    private struct State {
        var report = ScanReport()
        /// Files found, by root: a walk tells its own sum.
        var found: [RootID: Int] = [:]
        var readingSince: Duration?
    }

    private let state = Guarded(State())
    private let report: @Sendable (ScanProgress) -> Void
    /// Since the scan began.
    private let elapsed: @Sendable () -> Duration

    init(clock: any Clock<Duration>, report: @escaping @Sendable (ScanProgress) -> Void) {
        self.report = report
        elapsed = ScanTally.stopwatch(clock)
    }

    private static func stopwatch(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    func take(_ step: FolderWalk.Step, of root: RootID) {
        change { state in
            state.found[root] = step.found
            state.report.progress.found = state.found.values.reduce(0, +)
            state.report.missing += step.missing.count
            for case .moved in step.changes { state.report.moved += 1 }
            if step.isOffline { state.report.offline.append(root) }
            let room = ScanReport.mostProblems - state.report.problems.count
            state.report.problems += step.problems.prefix(max(0, room))
        }
    }

    func begin(reading count: Int) {
        let moment = elapsed()
        change { state in
            state.report.progress.phase = .reading
            state.report.progress.wanted += count
            if state.readingSince == nil { state.readingSince = moment }
        }
    }

    func take(_ files: [ScannedFile], gone: Int) {
        let moment = elapsed()
        change { state in
            state.report.progress.read += files.count + gone
            for file in files { if case .failed = file.outcome { state.report.progress.failed += 1 } }
            state.report.missing += gone
            let seconds = state.readingSince.map { ScanTally.seconds(moment - $0) } ?? 0
            guard seconds > 0 else { return }
            let progress = state.report.progress
            state.report.progress.rate = Double(progress.read) / seconds
            let left = Double(max(0, progress.wanted - progress.read))
            state.report.progress.remaining = .seconds(left * seconds / Double(max(1, progress.read)))
        }
    }

    func finish(wasCancelled: Bool) -> ScanReport {
        change { state in
            state.report.progress.phase = .finished
            state.report.progress.remaining = wasCancelled ? nil : .zero
            state.report.wasCancelled = wasCancelled
        }
        return state.withLock(\.report)
    }

    private func change(_ body: (inout State) -> Void) {
        let progress = state.withLock { state in
            body(&state)
            return state.report.progress
        }
        report(progress)
    }

    private static func seconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
