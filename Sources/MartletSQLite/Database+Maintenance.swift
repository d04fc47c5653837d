// SPDX-License-Identifier: Apache-2.0
internal import CMartletSQLite

extension Database {
    /// The number of the schema; 0 on a new file.
    public var userVersion: Int32 {
        get throws(SQLiteError) { try value("PRAGMA user_version", as: Int32.self) ?? 0 }
    }

    /// Part of the transaction, if one is open.
    public func setUserVersion(_ version: Int32) throws(SQLiteError) {
        try execute("PRAGMA user_version = \(version)")
    }

    /// Whose file this is; 0 where nobody said.
    public var applicationID: Int32 {
        get throws(SQLiteError) { try value("PRAGMA application_id", as: Int32.self) ?? 0 }
    }

    public func setApplicationID(_ id: Int32) throws(SQLiteError) {
        try execute("PRAGMA application_id = \(id)")
    }

    /// Looks the file through for damage.
    ///
    /// - Parameter isQuick: Leaves out the comparison of indexes with their tables; some seconds a gigabyte instead of a
    ///   minute.
    /// - Returns: What was found, in SQLite's words, at most 100; empty for a sound file. Damage that keeps the check from
    ///   running is thrown.
    public func integrityProblems(isQuick: Bool = false) throws(SQLiteError) -> [String] {
        var problems: [String] = []
        try forEach("PRAGMA \(isQuick ? "quick_check" : "integrity_check")") { row throws(SQLiteError) in
            problems.append(try row.column(0))
        }
        if !isQuick {
            try forEach("PRAGMA foreign_key_check") { row throws(SQLiteError) in
                problems.append("a row of \(try row.column(0, as: String.self)) refers to a row that is not there")
            }
        }
        return problems == ["ok"] ? [] : problems.filter { $0 != "ok" }
    }

    /// Takes the write-ahead log over into the file and empties it.
    ///
    /// - Returns: `false` if readers kept some of it from being taken over.
    @discardableResult
    public func checkpoint() throws(SQLiteError) -> Bool {
        try value("PRAGMA wal_checkpoint(TRUNCATE)", as: Int.self) == 0
    }

    /// Copies the whole database over another one, a piece at a time; both can be used in between by others.
    ///
    /// - Parameters:
    ///   - pages: Copied in one piece.
    ///   - progress: Called after each piece with the pages left and all pages; `false` gives up, with
    ///     ``ResultCode/interrupted``.
    public func backUp(
        to destination: Database, pages: Int32 = 1024,
        progress: (_ remaining: Int, _ all: Int) -> Bool = { _, _ in true }
    ) throws(SQLiteError) {
        guard
            let backup = unsafe sqlite3_backup_init(destination.handle.pointer, "main", handle.pointer, "main")
        else {
            throw unsafe destination.handle.error(sqlite3_extended_errcode(destination.handle.pointer), sql: nil)
        }
        var code = SQLITE_OK
        var isWanted = true
        var waits = 0
        while code == SQLITE_OK || ((code == SQLITE_BUSY || code == SQLITE_LOCKED) && waits < 100), isWanted {
            code = unsafe sqlite3_backup_step(backup, pages)
            if code == SQLITE_BUSY || code == SQLITE_LOCKED {
                // A writer holds the source; its commit is short.
                waits += 1
                sqlite3_sleep(20)
            } else if code == SQLITE_OK {
                isWanted = unsafe progress(
                    Int(sqlite3_backup_remaining(backup)), Int(sqlite3_backup_pagecount(backup)))
            }
        }
        let end = unsafe sqlite3_backup_finish(backup)
        guard isWanted else { throw SQLiteError(code: .interrupted, message: "the copy was given up") }
        if code != SQLITE_DONE { try destination.handle.check(end == SQLITE_OK ? code : end) }
    }
}
