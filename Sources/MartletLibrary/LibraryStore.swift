// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletSQLite

/// The library on disk, as the one who writes to it: `library.db` in the data folder.
///
/// An actor on a queue of its own, so that a slow disk holds up nobody. What is read for show is read through
/// ``LibraryReader``s, which neither wait for the writer nor make it wait (F270). Everything written is there for every
/// reader when the call returns, survives the process from then on, and a power cut soon after.
public actor LibraryStore {
    private nonisolated let executor = SerialQueueExecutor(label: "org.martlet.library")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Of `library.db`.
    public nonisolated let path: String
    private let lock: LibraryLock
    private let file: LibraryFile
    private var connection: Database?
    /// Keeps what it knows of artists and genres from track to track.
    var trackWriter = TrackWriter()
    /// Folders whose albums have to be told apart anew.
    var ungroupedFolders: Set<FolderID> = []
    /// Whether there may be more of them, left by a process that was killed.
    var mayHaveUngrouped = false
    /// Whether something came that no scan finds again, since the last backup.
    private var hasPersonalChanges = false

    /// What opening the library gives.
    public struct Opened: Sendable {
        public var store: LibraryStore
        public var notices: [LibraryNotice]
    }

    private init(path: String, lock: LibraryLock) {
        self.path = path
        self.lock = lock
        file = LibraryFile(path: path)
    }

    /// Opens the library, or begins one.
    ///
    /// A file that is damaged, foreign or of a later version is renamed, kept and named in a notice; what the user made
    /// then comes back from the newest backup. After a process that ended without ``close()`` the file is looked
    /// through, which takes some seconds a gigabyte.
    ///
    /// - Parameters:
    ///   - path: Of the file; its folder has to be there.
    ///   - now: For the name of a file set aside.
    /// - Throws: ``LibraryError/inUse`` when another process has it; ``LibraryError/database(_:)`` when the folder cannot
    ///   be written or the disk is full: nothing was changed then.
    public static func open(path: String, now: UnixTime) async throws(LibraryError) -> Opened {
        let store = LibraryStore(path: path, lock: try LibraryLock(path: path + ".lock"))
        return Opened(store: store, notices: try await store.begin(now))
    }

    private func begin(_ now: UnixTime) throws(LibraryError) -> [LibraryNotice] {
        let (database, wasInUse, notices) = try file.open(now: now)
        connection = database
        mayHaveUngrouped = wasInUse
        letGoOfMemory()
        return notices
    }

    /// Gives pages back that were read or written on the way: most of them nobody asks for again soon.
    func letGoOfMemory() {
        _ = try? reading { database throws(SQLiteError) in try database.execute("PRAGMA shrink_memory") }
    }

    /// Takes what the log holds over into the file, makes a backup if there is something new to keep, and closes.
    ///
    /// - Throws: What kept the backup from being made; the library is closed all the same.
    public func close() throws(LibraryError) {
        guard let database = connection else { return }
        defer {
            connection = nil
            database.close()
            lock.release()
        }
        try backUpIfChanged()
        try wrapped { () throws(SQLiteError) in
            try database.run("INSERT OR REPLACE INTO setting VALUES ('in use', 0)")
            try database.checkpoint()
        }
    }

    /// Lets go of the file as it is: what a process that is killed does.
    func abandon() {
        connection?.close()
        connection = nil
        lock.release()
    }

    /// Makes a backup if the user liked, rated, played or put together anything since the last one.
    public func backUpIfChanged() throws(LibraryError) {
        guard hasPersonalChanges, connection != nil else { return }
        let file = file
        try wrapped { () throws(SQLiteError) in try file.backUp() }
        hasPersonalChanges = false
    }

    /// A connection that only reads; as many as there are people who read at the same time.
    public nonisolated func makeReader() throws(LibraryError) -> LibraryReader {
        try LibraryReader(path: path)
    }

    // MARK: For the rest of the room

    /// Runs something that only reads, on the writer's connection.
    func reading<Result>(_ body: (Database) throws(SQLiteError) -> Result) throws(LibraryError) -> Result {
        guard let connection else { throw .closed }
        return try wrapped { () throws(SQLiteError) in try body(connection) }
    }

    /// Runs something as a whole: all of it happens, or nothing.
    func writing<Result>(_ body: (Database) throws(SQLiteError) -> Result) throws(LibraryError) -> Result {
        guard let connection else { throw .closed }
        do throws(SQLiteError) {
            return try connection.transaction { () throws(SQLiteError) in try body(connection) }
        } catch {
            // Rows it knew may never have come to be.
            trackWriter.forget()
            throw .database(error)
        }
    }

    /// As ``writing(_:)``, for what no scan finds again.
    func writingPersonal<Result>(_ body: (Database) throws(SQLiteError) -> Result) throws(LibraryError) -> Result {
        let result = try writing(body)
        hasPersonalChanges = true
        return result
    }

    private func wrapped<Result>(_ body: () throws(SQLiteError) -> Result) throws(LibraryError) -> Result {
        do throws(SQLiteError) { return try body() } catch { throw .database(error) }
    }
}

/// Keeps a second process from writing: an advisory lock (`flock(2)`) that ends with the process, however it ends.
final class LibraryLock: Sendable {
    private let descriptor: Int32

    init(path: String) throws(LibraryError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o600)
        guard descriptor >= 0 else {
            let words = unsafe String(cString: strerror(errno))
            throw .database(SQLiteError(code: .cannotOpen, message: "open: \(words)"))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            Glibc.close(descriptor)
            throw .inUse
        }
        self.descriptor = descriptor
    }

    /// Lets others in at once; otherwise it is let go with the last reference.
    func release() {
        flock(descriptor, LOCK_UN)
    }

    deinit { Glibc.close(descriptor) }
}
