// SPDX-License-Identifier: Apache-2.0
internal import Glibc
public import MartletCore
public import MartletSQLite

/// The session on disk: `session.db` in the state folder.
///
/// An actor on a queue of its own, so that a slow disk holds up nobody. ``SessionRecorder`` is what the main actor talks
/// to. A saved state survives the process from the moment ``save(_:details:)`` returns, and a power cut soon after.
public actor SessionStore {
    private nonisolated let executor = SerialQueueExecutor(label: "org.martlet.session")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private let path: String
    private let unixTime: Int64
    private var database: Database?
    private var writer = SessionWriter()
    /// Ids below this may have been given out; in the file.
    private var ceiling: UInt64 = 0
    private var isInUse = false

    /// Ids set aside at once. A killed process leaves the rest of them unused: of 2^64 nobody will miss them.
    static let reserve: UInt64 = 1 << 24

    /// What opening a session gives.
    public struct Opened: Sendable {
        public var store: SessionStore
        /// `nil` for a new session.
        public var session: RestoredSession?
        /// Gives out ids that were never given out before.
        public var ids: EntryIDSource
        public var notices: [SessionNotice]
    }

    private init(path: String, unixTime: Int64) {
        self.path = path
        self.unixTime = unixTime
    }

    /// Opens the session, or begins one. Never fails: without a usable file the player plays, and the store tries again
    /// with each save.
    ///
    /// A file that is damaged, foreign or of a later version is renamed, kept, and named in a notice. Where no file can be
    /// had, ids start at the seconds since 1970 × 2^24, above those of any session before.
    ///
    /// - Parameters:
    ///   - path: Of the file; its folder is made if it is not there.
    ///   - unixTime: Seconds since 1970, for the names of files set aside and for ids of last resort.
    public static func open(path: String, unixTime: Int64) async -> Opened {
        let store = SessionStore(path: path, unixTime: unixTime)
        let (session, ids, notices) = await store.begin()
        return Opened(store: store, session: session, ids: ids, notices: notices)
    }

    private func begin() -> (RestoredSession?, EntryIDSource, [SessionNotice]) {
        var notices: [SessionNotice] = []
        do throws(SQLiteError) {
            let found = try connect(&notices)
            let stored = try counter()
            let first = max(stored, found?.state.queue.upcomingID ?? 1, 1)
            try reserveIDs(upTo: first + SessionStore.reserve)
            let ids = EntryIDSource(startingAt: first)
            guard let found, let database else { return (nil, ids, notices) }
            writer = SessionWriter(saved: found.state, chunkRows: found.chunkRows)
            // No one makes a million edits a second, so no version that a client holds from before comes again.
            let queue = PlayQueue(
                restoring: found.state.queue, ids: ids, firstVersion: UInt64(max(unixTime, 1)) << 20)
            var details: [EntryID: TrackDetails] = [:]
            for id in queue.neighbours(ahead: 8, behind: 3) {
                details[id] = try SessionDetails.read(id, from: database)
            }
            let session = RestoredSession(queue: queue, playback: found.state.playback, details: details)
            return (session, EntryIDSource(startingAt: queue.upcomingID), notices)
        } catch {
            disconnect()
            if error.code.primary == .busy {
                isInUse = true
                notices.append(.inUse)
            } else {
                notices.append(.unavailable(error))
            }
            return (nil, EntryIDSource(startingAt: UInt64(max(unixTime, 1)) << 24), notices)
        }
    }

    // MARK: Saving

    /// Writes what is different since the last save. Nothing different writes nothing.
    ///
    /// A file that turns out damaged is set aside like one that was found so, and written anew.
    ///
    /// - Parameter details: What became known of entries since.
    /// - Returns: What there is to tell.
    /// - Throws: What SQLite met; the file then holds the state before, and the next save writes what this one should
    ///   have. Nothing is thrown, and nothing written, while another process has the session.
    @discardableResult
    public func save(
        _ state: SessionState, details: [EntryID: TrackDetails] = [:]
    ) throws(SQLiteError) -> [SessionNotice] {
        guard !isInUse else { return [] }
        do throws(SQLiteError) {
            return try write(state, details)
        } catch {
            switch error.code.primary {
            case .full, .busy, .interrupted, .noMemory: throw error
            case .corrupt, .notADatabase: disconnect()
            default:
                // The file may have moved or become read-only: the next save opens it again.
                disconnect()
                throw error
            }
        }
        return try write(state, details)
    }

    private func write(
        _ state: SessionState, _ details: [EntryID: TrackDetails]
    ) throws(SQLiteError) -> [SessionNotice] {
        var notices: [SessionNotice] = []
        if database == nil {
            // What lies there is older than what is played now.
            _ = try connect(&notices)
            ceiling = try counter()
            writer = SessionWriter()
        }
        guard let database else { return notices }
        if state.queue.upcomingID + SessionStore.reserve / 2 > ceiling {
            try reserveIDs(upTo: state.queue.upcomingID + SessionStore.reserve)
        }
        try writer.write(state, to: database)
        guard !details.isEmpty else { return notices }
        try database.transaction { () throws(SQLiteError) in
            for (id, details) in details { try SessionDetails.write(details, for: id, to: database) }
        }
        return notices
    }

    /// What is known of entries; those of which nothing is are left out.
    public func details(of ids: [EntryID]) throws(SQLiteError) -> [EntryID: TrackDetails] {
        guard let database else { return [:] }
        var details: [EntryID: TrackDetails] = [:]
        for id in ids { details[id] = try SessionDetails.read(id, from: database) }
        return details
    }

    /// Saves for the last time, gives back ids that were set aside, and closes the file.
    public func close(saving state: SessionState? = nil, details: [EntryID: TrackDetails] = [:]) throws(SQLiteError) {
        defer { disconnect() }
        guard let state else { return }
        try save(state, details: details)
        try reserveIDs(upTo: state.queue.upcomingID)
    }

    // MARK: The file

    private func connect(
        _ notices: inout [SessionNotice]
    ) throws(SQLiteError) -> (state: SessionState, chunkRows: [ObjectIdentifier: Int64])? {
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            // What goes wrong shows when the file is opened.
            try? Folders.make(String(path[..<slash]))
        }
        do throws(SchemaError) {
            return try openFile()
        } catch {
            disconnect()
            guard error.meansUnusable else { throw error.cause }
            let kept = try Database.setAside(path, because: error.word, unixTime: unixTime)
            notices.append(.setAside(path: kept, reason: error))
        }
        do throws(SchemaError) {
            return try openFile()
        } catch {
            throw error.cause
        }
    }

    private func openFile() throws(SchemaError) -> (state: SessionState, chunkRows: [ObjectIdentifier: Int64])? {
        var configuration = Database.Configuration()
        configuration.isExclusive = true
        configuration.busyTimeout = .milliseconds(50)
        configuration.applicationID = SessionSchema.schema.applicationID
        do throws(SQLiteError) {
            database = try Database(path: Array(path.utf8), configuration: configuration)
        } catch {
            throw .sqlite(error)
        }
        guard let database else { return nil }
        try SessionSchema.schema.apply(to: database)
        do throws(SQLiteError) {
            return try SessionReader.read(database)
        } catch {
            throw .sqlite(error)
        }
    }

    private func disconnect() {
        database?.close()
        database = nil
    }

    // MARK: Ids

    private func counter() throws(SQLiteError) -> UInt64 {
        try database?.value("SELECT value FROM state WHERE name = 'ids'", as: UInt64.self) ?? 0
    }

    /// Has it on the disk, not only on its way there, that ids below a number may be in use.
    private func reserveIDs(upTo ceiling: UInt64) throws(SQLiteError) {
        guard let database else { return }
        try database.execute("PRAGMA synchronous = FULL")
        defer { try? database.execute("PRAGMA synchronous = NORMAL") }
        try database.run("INSERT OR REPLACE INTO state VALUES ('ids', ?)", ceiling)
        self.ceiling = ceiling
    }
}

extension SchemaError {
    /// Whether waiting will not help: the file has to make room.
    fileprivate var meansUnusable: Bool {
        switch self {
        case .newer, .foreign: true
        case .sqlite(let error):
            error.code.meansDamage || error.code.primary == .mismatch || error.code.primary == .error
        }
    }

    fileprivate var word: String {
        switch self {
        case .newer: "newer"
        case .foreign: "foreign"
        case .sqlite: "damaged"
        }
    }

    fileprivate var cause: SQLiteError {
        switch self {
        case .newer: SQLiteError(code: .error, message: "the file is of a later version")
        case .foreign: SQLiteError(code: .error, message: "the file is another program's")
        case .sqlite(let error): error
        }
    }
}
