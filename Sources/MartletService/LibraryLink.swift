// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletCore
internal import MartletLibrary
internal import MartletProtocol
internal import MartletSQLite

/// The library and the service: opened when the names are on the bus, its folders those of the configuration and those
/// added since, kept up to date, and closed.
///
/// All that is slow happens on the library's own queues. A library that cannot be had stops nothing else: who asks for it
/// gets an error, and each question tries to open it again.
@MainActor
final class LibraryLink {
    /// Words of `Library1.State`.
    enum State: String, CaseIterable {
        case opening
        case ready
        /// Another process writes to it, or this one is a second player.
        case readOnly = "read-only"
        case unavailable
    }

    /// What happened, for those who show something of the library.
    enum Change {
        case state
        /// A scan goes on, begins or ends.
        case scan
        /// Tracks came, went or changed.
        case content
        case roots
        /// What the listener made of these.
        case tracks([TrackID])
        case playlists
    }

    let timekeeper: any Timekeeper
    /// The calendar's time.
    let now: @Sendable () -> UnixTime
    private let log: Log
    private let folder: String
    private let home: String
    private let isWriter: Bool
    private let tags: any TagReader
    private var configuration: Configuration

    private(set) var state = State.opening
    /// Why it cannot be had, for people; empty while all is well.
    private(set) var problem = ""
    private var store: LibraryStore?
    private var lists: LibraryReader?
    private var searches: LibraryReader?
    private(set) var scans: ScanDesk?
    private let door = LibraryDoor()
    private var opening: Task<Void, Never>?
    private var lastNote: Task<Void, Never>?
    private var isEnded = false
    private var observers: [@MainActor (Change) -> Void] = []
    private var tidying: (any Alarm)?
    private var retry: (any Alarm)?

    /// How long a library that another process has is waited for: usually that one is about to end.
    private static let patience: Duration = .seconds(3)

    /// - Parameters:
    ///   - folder: The data folder; made when there is something to put into it.
    ///   - home: What `~` stands for.
    ///   - isWriter: Otherwise the library is read, if there is one, and nothing else.
    init(
        folder: String, home: String, isWriter: Bool, configuration: Configuration, tags: any TagReader,
        timekeeper: any Timekeeper, log: Log, now: @escaping @Sendable () -> UnixTime = { .now }
    ) {
        self.folder = folder
        self.home = home
        self.isWriter = isWriter
        self.configuration = configuration
        self.tags = tags
        self.timekeeper = timekeeper
        self.log = log
        self.now = now
    }

    /// Told after every change, in the order they were added.
    func observe(_ observer: @escaping @MainActor (Change) -> Void) {
        observers.append(observer)
    }

    /// Tells of a change that somebody made with what ``writer()`` gave.
    func note(_ change: Change) {
        switch change {
        case .playlists: tidySoon()
        default: break
        }
        for observer in observers { observer(change) }
    }

    // MARK: For those who ask

    /// Whether it can be asked, at once.
    var isThere: Bool { lists != nil }

    /// The library to read from, once it is open.
    func reader() async throws(LibraryError) -> LibraryReader {
        await open()
        guard let lists else { throw failure ?? .closed }
        return lists
    }

    /// The library for searches, which are to wait for nobody else's lists.
    func searcher() async throws(LibraryError) -> LibraryReader {
        await open()
        guard lists != nil else { throw failure ?? .closed }
        if let searches { return searches }
        let opened = try await door.openReading(folder + "/library.db")
        guard let searches else {
            guard lists != nil, !isEnded else {
                await opened.close()
                throw .closed
            }
            searches = opened
            return opened
        }
        // Somebody else came first.
        await opened.close()
        return searches
    }

    /// The library to write to, once it is open.
    ///
    /// - Throws: ``LibraryError/inUse`` where it is only read.
    func writer() async throws(LibraryError) -> LibraryStore {
        await open()
        guard let store else { throw state == .readOnly ? .inUse : failure ?? .closed }
        return store
    }

    /// Writes something nobody waits for, in the order it was given; a failure is logged.
    ///
    /// - Parameter done: Called when it is written.
    func write(
        _ body: @escaping @Sendable (LibraryStore) async throws -> Void, done: @escaping @MainActor () -> Void = {}
    ) {
        let before = lastNote
        lastNote = Task { [self] in
            await before?.value
            guard let store else { return }
            do {
                try await body(store)
                done()
            } catch {
                log.warning(tr("the library did not take what was heard: {0}", LibraryError.words(for: error)))
            }
        }
    }

    /// Waits until what was given to ``write(_:done:)`` is written.
    func settle() async { await lastNote?.value }

    // MARK: Opening

    private var failure: LibraryError?

    /// Begins to open the library, off the main actor; calling again waits for it, or tries again where it failed.
    func open() async {
        if opening == nil || (state == .unavailable && !isEnded) {
            set(.opening)
            opening = Task { await self.reallyOpen() }
        }
        await opening?.value
    }

    private func reallyOpen() async {
        guard !isEnded else { return }
        let path = folder + "/library.db"
        do throws(LibraryError) {
            if isWriter, let opened = try await openForWriting(path) {
                store = opened.store
                lists = opened.reader
                for notice in opened.notices { tell(notice) }
                try await begin(opened.store)
                set(.ready)
            } else {
                lists = try await door.openReading(path)
                set(.readOnly)
            }
        } catch {
            fail(error)
        }
    }

    /// - Returns: `nil` where another process does not let go of it.
    private func openForWriting(_ path: String) async throws(LibraryError) -> LibraryDoor.Opened? {
        let end = timekeeper.now + LibraryLink.patience
        while true {
            do throws(LibraryError) {
                return try await door.open(path, now: now())
            } catch {
                guard error == .inUse else { throw error }
                guard timekeeper.now < end, !isEnded else {
                    log.warning(tr("another process has the library; this one only reads it"))
                    return nil
                }
            }
            await withCheckedContinuation { continuation in
                // Kept: an alarm that nobody holds does not ring.
                retry = timekeeper.alarm(at: timekeeper.now + .milliseconds(200)) { continuation.resume() }
            }
        }
    }

    private func begin(_ store: LibraryStore) async throws(LibraryError) {
        let scans = ScanDesk(
            scan: LibraryScan(store: store, tags: tags, now: now), timekeeper: timekeeper, log: log)
        scans.onProgress = { [weak self] in self?.note(.scan) }
        scans.onEnd = { [weak self] in self?.scanEnded($0) }
        self.scans = scans
        try await followConfiguration(store)
        scans.scan()
    }

    private func fail(_ error: LibraryError) {
        (store, lists, scans) = (nil, nil, nil)
        failure = error
        let words = LibraryError.words(for: error)
        if problem != words { log.error(tr("the library cannot be used: {0}", words)) }
        problem = words
        set(.unavailable)
    }

    private func set(_ state: State) {
        if state == .ready || state == .readOnly { (problem, failure) = ("", nil) }
        guard self.state != state else { return }
        self.state = state
        note(.state)
    }

    private func tell(_ notice: LibraryNotice) {
        switch notice {
        case .setAside(let path, let reason):
            let words =
                switch reason {
                case .damaged: tr("it is damaged")
                case .newer: tr("it was written by a later version of Martlet")
                case .foreign: tr("it is another program's file")
                }
            log.warning(tr("the library cannot be used and a new one begins: {0}", words))
            log.notice(tr("the old file is kept as {0}", path))
        case .restored: log.notice(tr("playlists, likes and counts came back from the last backup"))
        }
    }

    // MARK: Folders

    /// Takes new settings in.
    func apply(_ configuration: Configuration) {
        guard configuration.libraryFolders != self.configuration.libraryFolders else { return }
        self.configuration = configuration
        Task {
            do {
                let store = try await writer()
                try await followConfiguration(store)
                scans?.scan()
            } catch {
                log.warning(tr("the folders of the library stay as they are: {0}", LibraryError.words(for: error)))
            }
        }
    }

    private func followConfiguration(_ store: LibraryStore) async throws(LibraryError) {
        let known = try await store.roots().map(\.path)
        var folders: [[UInt8]] = []
        for name in configuration.libraryFolders {
            let path = Array((name.hasPrefix("~") ? home + name.dropFirst() : name).utf8)
            let isUsual = configuration.libraryFolders == Configuration.usualLibraryFolders
            // What nobody asked for is no folder that is missing; once taken in, it may be away like any other.
            if isUsual, !known.contains(path), await !door.isFolder(path) { continue }
            folders.append(path)
        }
        try await store.follow(configured: folders, now: now())
        try await rootsChanged(store)
    }

    /// Whether there is a folder.
    func isFolder(_ path: [UInt8]) async -> Bool { await door.isFolder(path) }

    /// Roots were added or removed: they are watched, and shown.
    func rootsChanged(_ store: LibraryStore) async throws(LibraryError) {
        scans?.watch(try await store.roots())
        note(.roots)
    }

    private func scanEnded(_ report: ScanReport) {
        note(.scan)
        let progress = report.progress
        guard progress.read > 0 || report.missing > 0 || report.moved > 0 || !report.offline.isEmpty else { return }
        note(.content)
    }

    // MARK: Keeping

    /// Copies of playlists and the backup follow a burst of changes, not each of them.
    private func tidySoon() {
        tidying?.cancel()
        tidying = timekeeper.alarm(at: timekeeper.now + .seconds(2)) { [weak self] in self?.tidy() }
    }

    private func tidy() {
        tidying = nil
        let mirrors = Array((folder + "/playlists").utf8)
        write { store in
            try await store.mirrorPlaylists(into: mirrors)
            try await store.backUpIfChanged()
        }
    }

    /// Stops what goes on, writes what is to be written, and lets go of the file.
    func close() async {
        isEnded = true
        await opening?.value
        await scans?.stop()
        if tidying != nil {
            tidying?.cancel()
            tidy()
        }
        await lastNote?.value
        await lists?.close()
        await searches?.close()
        do throws(LibraryError) {
            try await store?.close()
        } catch {
            log.warning(tr("the library was closed without a new backup: {0}", LibraryError.words(for: error)))
        }
        (store, lists, searches) = (nil, nil, nil)
    }
}

/// Opens what may hang or take a while to open, off the main actor.
actor LibraryDoor {
    private let executor = SerialQueueExecutor(label: "org.martlet.library.door")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    struct Opened: Sendable {
        var store: LibraryStore
        var reader: LibraryReader
        var notices: [LibraryNotice]
    }

    func open(_ path: String, now: UnixTime) async throws(LibraryError) -> Opened {
        do throws(SystemError) {
            try Folders.make(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
        } catch {
            let code: ResultCode = error.code == ENOSPC || error.code == EDQUOT ? .full : .cannotOpen
            throw .database(SQLiteError(code: code, message: error.description))
        }
        let opened = try await LibraryStore.open(path: path, now: now)
        return Opened(store: opened.store, reader: try opened.store.makeReader(), notices: opened.notices)
    }

    /// Only reads; there has to be something.
    func openReading(_ path: String) throws(LibraryError) -> LibraryReader { try LibraryReader(path: path) }

    func isFolder(_ path: [UInt8]) -> Bool {
        (try? FileStatus(of: path))?.kind == .folder
    }
}
