// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletLibrary
internal import MartletProtocol

/// Looks through the library's folders: one scan at a time, when asked and when something changed in them.
///
/// While nothing happens it waits for the system to say so; nothing ticks.
@MainActor
final class ScanDesk {
    private let scan: LibraryScan
    private let timekeeper: any Timekeeper
    private let log: Log

    /// Told while a scan goes on, twice a second at most, and when one begins.
    var onProgress: (@MainActor () -> Void)?
    /// Told at the end of a scan that was not refused.
    var onEnd: (@MainActor (ScanReport) -> Void)?

    /// Of the scan that goes on, or of the last one.
    private(set) var progress = ScanProgress()
    private(set) var isScanning = false
    private var running: LibraryScan.Running?
    private var work: Task<Void, Never>?
    private var wantsEverything = false
    private var wanted: [LibraryScan.Place] = []
    private var lastTold: Instant?
    private var offline: Set<RootID> = []
    private var watches: [RootID: FolderWatch] = [:]
    private var isStopped = false

    private static let interval: Duration = .milliseconds(500)

    init(scan: LibraryScan, timekeeper: any Timekeeper, log: Log) {
        self.scan = scan
        self.timekeeper = timekeeper
        self.log = log
    }

    /// Looks through everything, or through these places, after what goes on now.
    func scan(_ places: [LibraryScan.Place]? = nil) {
        if let places { wanted += places } else { wantsEverything = true }
        startNext()
    }

    /// Stops the scan that goes on and forgets those that wait. What was read is kept.
    func cancel() {
        (wantsEverything, wanted) = (false, [])
        running?.cancel()
    }

    /// Stops for good.
    func stop() async {
        isStopped = true
        for watch in watches.values { watch.stop() }
        watches = [:]
        cancel()
        await work?.value
    }

    private func startNext() {
        guard !isScanning, !isStopped, wantsEverything || !wanted.isEmpty else { return }
        let running = scan.start(wantsEverything ? nil : wanted)
        (wantsEverything, wanted) = (false, [])
        self.running = running
        isScanning = true
        progress = ScanProgress()
        lastTold = nil
        work = Task { [weak self] in
            for await progress in running.progress { self?.take(progress) }
            do throws(LibraryError) {
                self?.ended(try await running.report)
            } catch {
                self?.failed(error)
            }
            self?.startNext()
        }
    }

    private func take(_ progress: ScanProgress) {
        self.progress = progress
        if progress.phase == .finished { return }
        let now = timekeeper.now
        if let lastTold, now - lastTold < ScanDesk.interval { return }
        lastTold = now
        onProgress?()
    }

    private func ended(_ report: ScanReport) {
        progress = report.progress
        (isScanning, running) = (false, nil)
        let away = Set(report.offline)
        if !away.subtracting(offline).isEmpty {
            log.notice(tr("a folder of the library cannot be reached; what is known of it is kept"))
        }
        offline = away
        let words = tr(
            "looked through the library: {0} files, {1} read, {2} of them without use", String(progress.found),
            String(progress.read), String(progress.failed))
        log.info(words)
        onEnd?(report)
    }

    private func failed(_ error: LibraryError) {
        (isScanning, running) = (false, nil)
        log.warning(tr("the library could not be looked through: {0}", LibraryError.words(for: error)))
        onProgress?()
    }

    // MARK: Watching

    /// Hears of changes in these from now on, and in no others.
    func watch(_ roots: [LibraryRoot]) {
        guard !isStopped else { return }
        let ids = Set(roots.map(\.id))
        for (id, watch) in watches where !ids.contains(id) {
            watch.stop()
            watches[id] = nil
        }
        for root in roots where watches[root.id] == nil {
            let watch = FolderWatch(root: root.path)
            watches[root.id] = watch
            watch.start()
            Task { [weak self] in
                for await event in watch.events { self?.take(event, of: root.id) }
            }
        }
    }

    private func take(_ event: FolderWatch.Event, of root: RootID) {
        switch event {
        case .changed(let folder): scan([LibraryScan.Place(root: root, folder: folder)])
        case .limited(let count):
            log.notice(
                tr(
                    "the system lets {0} folders be watched and there are more: they are looked at now and then",
                    "\(count)"))
        case .away(let code): log.debug("a root is not watched: errno \(code)")
        case .complete(let count): log.debug("a root is watched: \(count) folders")
        }
    }
}
