// SPDX-License-Identifier: Apache-2.0
internal import CMartletSQLite
internal import MartletLoop

/// SQLite's connection, owned: closed when the last who uses it is gone.
///
/// Everything but ``interrupt()`` is for one thread at a time: SQLite is opened without its own lock.
@safe final class ConnectionHandle {
    /// Valid until ``close()``.
    private(set) var pointer: OpaquePointer
    private(set) var isOpen = true
    let tellsArguments: Bool
    let interrupter: Database.Interrupter

    init(_ pointer: OpaquePointer, tellsArguments: Bool) {
        unsafe self.pointer = pointer
        self.tellsArguments = tellsArguments
        interrupter = unsafe Database.Interrupter(pointer)
    }

    deinit {
        close()
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        interrupter.disarm()
        // Statements that are still about keep the connection half open until they are gone.
        unsafe sqlite3_close_v2(pointer)
    }

    /// The error of the call that just failed.
    func error(_ code: Int32, sql: String?, statement: OpaquePointer? = nil) -> SQLiteError {
        let message = unsafe sqlite3_errmsg(pointer).map { unsafe String(cString: $0) }
        var error = SQLiteError(code: ResultCode(rawValue: code), message: message ?? "unknown", sql: sql)
        if tellsArguments, let statement = unsafe statement, let text = unsafe sqlite3_expanded_sql(statement) {
            error.expandedSQL = unsafe String(cString: text)
            unsafe sqlite3_free(text)
        }
        return error
    }

    /// Takes the code of a call without a statement.
    func check(_ code: Int32, sql: String? = nil) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw unsafe error(code, sql: sql) }
    }
}

extension Database {
    /// Stops what a connection is doing, from any thread.
    public final class Interrupter: Sendable {
        // The lock holds off closing while an interrupt is under way: SQLite forbids interrupting a closed connection.
        private let target: Guarded<Target>

        @safe private struct Target: @unchecked Sendable {
            // Only passed to sqlite3_interrupt, which may be called from any thread while the connection is open.
            var pointer: OpaquePointer?
        }

        init(_ pointer: OpaquePointer) {
            target = unsafe Guarded(Target(pointer: pointer))
        }

        /// Lets the statement that runs fail with ``ResultCode/interrupted``; one that starts later is not touched.
        public func interrupt() {
            target.withLock { target in
                if let pointer = unsafe target.pointer { unsafe sqlite3_interrupt(pointer) }
            }
        }

        func disarm() {
            target.withLock { target in unsafe target.pointer = nil }
        }
    }
}
