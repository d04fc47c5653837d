// SPDX-License-Identifier: Apache-2.0
internal import CMartletSQLite
internal import Glibc

/// A connection to a SQLite file. Blocking, and for one owner at a time: keep it in an actor on a
/// ``SerialQueueExecutor``.
@safe public final class Database {
    /// How a file is opened.
    public struct Configuration: Sendable {
        public enum Mode: Hashable, Sendable {
            /// Only reads; the file must be there.
            case read
            /// Reads and writes; the file must be there.
            case readWrite
            /// Makes the file, with mode 0600, if it is not there. The folder must be.
            case create
        }

        /// When a commit waits for the disk (https://sqlite.org/pragma.html#pragma_synchronous).
        public enum Synchronous: String, Sendable {
            case off = "OFF"
            /// With a write-ahead log a commit survives the process at once and a power cut soon; the file stays whole.
            case normal = "NORMAL"
            /// A commit survives a power cut.
            case full = "FULL"
        }

        public var mode = Mode.create
        public var synchronous = Synchronous.normal
        /// Whether to keep a write-ahead log, so that readers and a writer do not wait for each other.
        public var usesWriteAheadLog = true
        /// A file with content that carries another `application_id` keeps its kind of journal: opening it changes not a
        /// byte, and ``Schema/apply(to:)`` then refuses it. `nil` takes any file.
        public var applicationID: Int32?
        /// Whether to keep everybody else out, readers included, from the opening to the closing.
        public var isExclusive = false
        /// How long a lock of somebody else's is waited for (F270).
        public var busyTimeout = Duration.seconds(5)
        public var enforcesForeignKeys = true
        /// Memory for pages, in KiB; SQLite's default is 2,000.
        public var cacheSize = 2000
        /// Whether errors carry the values of the statement; for tests and debugging.
        public var tellsArguments = false
        /// Prepared statements kept.
        public var statementCacheSize = 64

        public init() {}
    }

    let handle: ConnectionHandle
    private let statementCacheSize: Int
    private var statements: [String: Statement] = [:]
    /// Texts in ``statements``, longest unused first.
    private var statementAges: [String] = []
    var savepointDepth = 0

    /// Opens a file.
    ///
    /// - Parameter path: Bytes, as `open(2)` takes them; no NUL.
    /// - Throws: ``ResultCode/cannotOpen``, ``ResultCode/notADatabase``, ``ResultCode/busy`` and what else the first read
    ///   of a file meets: opening reads the header, so that a file that is no database is found here.
    public convenience init(path: [UInt8], configuration: Configuration = Configuration()) throws(SQLiteError) {
        guard !path.isEmpty, !path.contains(0) else {
            throw SQLiteError(code: .cannotOpen, message: "a path is not empty and holds no NUL")
        }
        let path = path.map { CChar(bitPattern: $0) } + [0]
        if configuration.mode == .create {
            // SQLite would make it readable by everybody; its log takes the file's mode over.
            let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o600)
            if descriptor >= 0 { Glibc.close(descriptor) }
        }
        try self.init(cPath: path, configuration)
    }

    /// A database in memory, gone with the connection.
    public static func inMemory(configuration: Configuration = Configuration()) throws(SQLiteError) -> Database {
        var configuration = configuration
        configuration.mode = .create
        configuration.usesWriteAheadLog = false
        return try Database(cPath: Array(":memory:".utf8CString), configuration)
    }

    private init(cPath: [CChar], _ configuration: Configuration) throws(SQLiteError) {
        var pointer: OpaquePointer?
        let access =
            switch configuration.mode {
            case .read: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        let code = unsafe sqlite3_open_v2(
            cPath, &pointer, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard let pointer = unsafe pointer else {
            throw SQLiteError(code: .noMemory, message: "no memory for a connection")
        }
        handle = unsafe ConnectionHandle(pointer, tellsArguments: configuration.tellsArguments)
        statementCacheSize = configuration.statementCacheSize
        try handle.check(code)
        try configure(configuration)
    }

    private func configure(_ configuration: Configuration) throws(SQLiteError) {
        let (seconds, attoseconds) = configuration.busyTimeout.components
        let milliseconds = Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
        unsafe sqlite3_busy_timeout(handle.pointer, milliseconds)
        // A file may have been written by anybody: what is in it must not run as code, and a misspelt column name in
        // double quotes must not pass as a string.
        for (option, value) in [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_DQS_DML, 0),
            (SQLITE_DBCONFIG_DQS_DDL, 0),
        ] as [(Int32, Int32)] {
            try handle.check(unsafe martlet_sqlite_set(handle.pointer, option, value))
        }
        try execute("PRAGMA foreign_keys = \(configuration.enforcesForeignKeys ? "ON" : "OFF")")
        try execute("PRAGMA cache_size = -\(configuration.cacheSize)")
        try execute("PRAGMA temp_store = MEMORY")
        if configuration.mode != .read {
            // Before the log is touched: then it needs no shared memory.
            if configuration.isExclusive { try execute("PRAGMA locking_mode = EXCLUSIVE") }
            if configuration.usesWriteAheadLog, try isExpected(configuration.applicationID) {
                try execute("PRAGMA journal_mode = WAL")
            }
            try execute("PRAGMA synchronous = \(configuration.synchronous.rawValue)")
        }
        _ = try userVersion
        if configuration.isExclusive, configuration.mode != .read { try execute("BEGIN IMMEDIATE; COMMIT") }
    }

    private func isExpected(_ applicationID: Int32?) throws(SQLiteError) -> Bool {
        guard let applicationID, try value("PRAGMA page_count", as: Int.self) ?? 0 > 0 else { return true }
        return try self.applicationID == applicationID
    }

    /// Closes the file; statements must not be used afterwards. Otherwise it is closed with the last reference.
    public func close() {
        statements = [:]
        statementAges = []
        handle.close()
    }

    deinit {
        close()
    }

    /// Stops a long statement of this connection from another thread.
    public var interrupter: Interrupter { handle.interrupter }

    // MARK: Statements

    /// A statement of this text, prepared now or earlier.
    ///
    /// Texts are few and constant: never build one around a value, use placeholders.
    public func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        if let statement = statements[sql] {
            // A statement that is used from inside its own rows must not be reset under them.
            if statement.isRunning { return try Statement(sql, isPersistent: false, on: handle) }
            if statementAges.last != sql, let index = statementAges.firstIndex(of: sql) {
                statementAges.append(statementAges.remove(at: index))
            }
            return statement
        }
        let statement = try Statement(sql, isPersistent: true, on: handle)
        statements[sql] = statement
        statementAges.append(sql)
        if statementAges.count > statementCacheSize { statements[statementAges.removeFirst()] = nil }
        return statement
    }

    /// Runs one statement with these values.
    public func run<each Value: DatabaseValue>(_ sql: String, _ values: repeat each Value) throws(SQLiteError) {
        try prepare(sql).run(repeat each values)
    }

    /// Runs one statement with these values and calls `body` for each row.
    public func forEach<each Value: DatabaseValue>(
        _ sql: String, _ values: repeat each Value, body: (Statement) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        try prepare(sql).forEach(repeat each values, body: body)
    }

    /// The first column of the first row, if there is a row.
    public func value<Result: DatabaseValue, each Value: DatabaseValue>(
        _ sql: String, _ values: repeat each Value, as type: Result.Type = Result.self
    ) throws(SQLiteError) -> Result? {
        let statement = try prepare(sql)
        try statement.bind(repeat each values)
        defer { statement.reset() }
        // Spelt out: asked for an optional, a NULL would pass for a row that is not there.
        return try statement.step() ? statement.column(0, as: Result.self) : nil
    }

    /// Runs statements separated by semicolons, without values and without keeping them prepared.
    public func execute(_ script: String) throws(SQLiteError) {
        try handle.check(unsafe sqlite3_exec(handle.pointer, script, nil, nil, nil), sql: script)
    }

    /// Rows the last INSERT, UPDATE or DELETE changed.
    public var changeCount: Int { unsafe Int(sqlite3_changes64(handle.pointer)) }

    /// The rowid of the last INSERT.
    public var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(handle.pointer) }
}
