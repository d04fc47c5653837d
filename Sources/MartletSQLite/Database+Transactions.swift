// SPDX-License-Identifier: Apache-2.0
internal import CMartletSQLite

extension Database {
    /// When a transaction takes its lock.
    public enum TransactionKind: String, Sendable {
        /// With the first statement: right for reading only.
        case deferred = "DEFERRED"
        /// At once: right for everything that writes, since a reader that turns into a writer can be refused (F270).
        case immediate = "IMMEDIATE"
    }

    /// Whether a transaction is open.
    public var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle.pointer) == 0 }

    /// Runs `body` in a transaction: all of it happens, or nothing.
    ///
    /// Committed when `body` returns, rolled back when it throws. Inside another transaction it is a savepoint: what
    /// throws takes back its own part only.
    ///
    /// - Throws: What `body` throws; ``ResultCode/busy`` if the lock could not be had, and what a commit meets: the
    ///   transaction is rolled back then too.
    public func transaction<Result>(
        _ kind: TransactionKind = .immediate, _ body: () throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        guard !isInTransaction else { return try savepoint(body) }
        try run("BEGIN \(kind.rawValue)")
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // A full disk or a failed read has rolled back already (https://sqlite.org/lang_transaction.html, 3).
            if isInTransaction { try? run("ROLLBACK") }
            throw error
        }
    }

    private func savepoint<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        savepointDepth += 1
        defer { savepointDepth -= 1 }
        let name = "martlet_\(savepointDepth)"
        try run("SAVEPOINT \(name)")
        do {
            let result = try body()
            try run("RELEASE \(name)")
            return result
        } catch {
            if isInTransaction {
                try? run("ROLLBACK TO \(name)")
                try? run("RELEASE \(name)")
            }
            throw error
        }
    }
}
