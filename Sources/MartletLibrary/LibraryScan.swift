// SPDX-License-Identifier: Apache-2.0
public import MartletCore

/// Looks through the roots and brings the library up to date.
///
/// Each root is walked, and what is new or changed in it read by two readers at a time while the store writes: parsing
/// tags is nine tenths of the work, and two cores are common. Nothing is held in memory for each file of the library;
/// what waits to be read waits in the tables, so that a scan that was stopped goes on where it was. Roots are looked
/// through side by side: one on a mount that hangs holds up no other.
public struct LibraryScan: Sendable {
    private let store: LibraryStore
    private let tags: any TagReader
    private let now: @Sendable () -> UnixTime
    private let clock: any Clock<Duration>

    /// Files read before they are written together, for each of the readers.
    static let batch = 250
    static let readers = 2

    /// - Parameters:
    ///   - now: The calendar's time, for when a track was added.
    ///   - clock: For the rate.
    public init(
        store: LibraryStore, tags: any TagReader, now: @escaping @Sendable () -> UnixTime,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.store = store
        self.tags = tags
        self.now = now
        self.clock = clock
    }

    /// A scan that is under way.
    public struct Running: Sendable {
        /// The latest state whenever it is asked for; ends with the scan. For one listener.
        public let progress: AsyncStream<ScanProgress>
        private let task: Task<Result<ScanReport, LibraryError>, Never>

        init(progress: AsyncStream<ScanProgress>, task: Task<Result<ScanReport, LibraryError>, Never>) {
            self.progress = progress
            self.task = task
        }

        /// What came of it, once it has ended.
        public var report: ScanReport {
            get async throws(LibraryError) { try await task.value.get() }
        }

        /// Stops it soon. What was read is kept.
        public func cancel() { task.cancel() }
    }

    /// Where to look.
    public struct Place: Hashable, Sendable {
        public var root: RootID
        /// Below the root; empty for all of it.
        public var folder: [UInt8]

        public init(root: RootID, folder: [UInt8] = []) {
            self.root = root
            self.folder = folder
        }
    }

    /// Begins a scan.
    ///
    /// - Parameter places: At most one a root; `nil` for everything.
    public func start(_ places: [Place]? = nil) -> Running {
        let (stream, continuation) = AsyncStream.makeStream(of: ScanProgress.self, bufferingPolicy: .bufferingNewest(1))
        let scan = self
        let task = Task<Result<ScanReport, LibraryError>, Never> {
            defer { continuation.finish() }
            do throws(LibraryError) {
                return .success(try await scan.run(places, progress: { continuation.yield($0) }))
            } catch {
                return .failure(error)
            }
        }
        return Running(progress: stream, task: task)
    }

    /// Scans and waits for the end. Cancelling the task stops it soon; what was read is kept.
    ///
    /// - Parameters:
    ///   - places: At most one a root; `nil` for everything. Roots that are gone are passed over.
    ///   - progress: Called on any thread, for each few hundred files.
    public func run(
        _ places: [Place]? = nil, progress: @escaping @Sendable (ScanProgress) -> Void = { _ in }
    ) async throws(LibraryError) -> ScanReport {
        let all = try await store.roots()
        let folders = places.map { Dictionary($0.map { ($0.root, $0.folder) }) { LibraryPath.common($0, $1) } }
        let tally = ScanTally(clock: clock, report: progress)
        let began = now()
        let wanted = all.compactMap { root in
            (folders == nil ? [] : folders?[root.id]).map { (root: root, folder: $0) }
        }
        try await LibraryScan.forEach(wanted) { place async throws(LibraryError) in
            try await scan(place.root, among: all, place.folder, tally, began)
        }
        return tally.finish(wasCancelled: Task.isCancelled)
    }

    private func scan(
        _ root: LibraryRoot, among all: [LibraryRoot], _ folder: [UInt8], _ tally: ScanTally, _ began: UnixTime
    ) async throws(LibraryError) {
        let inner = all.map(\.path).filter { $0 != root.path && LibraryPath.contains(root.path, $0) }
        let walk = FolderWalk(
            root: root.id, path: root.path, innerRoots: Set(inner), databasePath: store.path, start: folder)
        var isOffline = false
        var isComplete = false
        while !Task.isCancelled, !isComplete, !isOffline {
            let step = try await walk.next(most: 1000)
            try await store.apply(step.changes, in: root.id)
            tally.take(step, of: root.id)
            isOffline = step.isOffline
            if step.isLast {
                isComplete = true
                try await store.remove(step.missing, step.missingFolders, now: now())
            }
        }
        if isOffline || root.isOffline { try await store.setOffline(isOffline, root: root.id) }
        if !isOffline { try await read(root, tally) }
        try await store.finishScan(
            of: root.id, since: began, now: now(),
            isComplete: isComplete && folder.isEmpty && !Task.isCancelled)
    }

    private func read(_ root: LibraryRoot, _ tally: ScanTally) async throws(LibraryError) {
        let waiting = try await store.waitingCount(in: root.id)
        guard waiting > 0 else { return }
        tally.begin(reading: waiting)
        let feed = WaitingFeed(store: store, root: root.id)
        let readings = (0..<min(LibraryScan.readers, waiting)).map { _ in FileReading(tags: tags, root: root.path) }
        try await LibraryScan.forEach(readings) { reading async throws(LibraryError) in
            while !Task.isCancelled, let part = try await feed.next() {
                let (files, gone) = await reading.read(part)
                try await store.write(files, now: now())
                try await store.remove(gone, [], now: now())
                tally.take(files, gone: gone.count)
            }
        }
    }

    /// Does something for each of some, beside one another, and waits for all.
    ///
    /// - Throws: The failure that came first; the others are not disturbed by it.
    private static func forEach<Element: Sendable>(
        _ elements: [Element], _ job: @escaping @Sendable (Element) async throws(LibraryError) -> Void
    ) async throws(LibraryError) {
        let failure = await withTaskGroup(of: LibraryError?.self) { group in
            for element in elements {
                group.addTask {
                    do throws(LibraryError) {
                        try await job(element)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            var first: LibraryError?
            for await failure in group { first = first ?? failure }
            return first
        }
        if let failure { throw failure }
    }
}

/// Hands out what waits to be read, each file once.
private actor WaitingFeed {
    private let store: LibraryStore
    private let root: RootID
    private var last: WaitingFile?
    private var isBusy = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    init(store: LibraryStore, root: RootID) {
        self.store = store
        self.root = root
    }

    func next() async throws(LibraryError) -> [WaitingFolder]? {
        // One at a time: the second reader's question begins where the first one's answer ends.
        while isBusy { await withCheckedContinuation { waiters.append($0) } }
        isBusy = true
        defer {
            isBusy = false
            let waiting = waiters
            waiters = []
            for waiter in waiting { waiter.resume() }
        }
        let part = try await store.waitingFiles(in: root, after: last, most: LibraryScan.batch)
        guard let file = part.last?.files.last else { return nil }
        last = file
        return part
    }
}
