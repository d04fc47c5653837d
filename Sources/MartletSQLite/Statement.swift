// SPDX-License-Identifier: Apache-2.0
internal import CMartletSQLite

/// A prepared statement. Not `Sendable`: it belongs to its connection and to whoever has that.
///
/// Got from ``Database/prepare(_:)``; the connection keeps it prepared for the next time.
@safe public final class Statement {
    // SQLite's own handle; finalised in deinit, before the connection can be closed for good (sqlite3_close_v2).
    private let handle: OpaquePointer
    private let connection: ConnectionHandle
    public let sql: String
    /// Between the first step and the reset: another use of the same text needs a statement of its own.
    private(set) var isRunning = false

    init(_ sql: String, isPersistent: Bool, on connection: ConnectionHandle) throws(SQLiteError) {
        var handle: OpaquePointer?
        let flags = isPersistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        var sql = sql
        let (code, isAll) = sql.withUTF8 { text in
            unsafe text.withMemoryRebound(to: CChar.self) { text in
                var tail: UnsafePointer<CChar>?
                let code = unsafe sqlite3_prepare_v3(
                    connection.pointer, text.baseAddress, Int32(text.count), flags, &handle, &tail)
                let rest = unsafe tail.map { unsafe text.baseAddress.map { unsafe $0 + text.count }! - $0 } ?? 0
                return (code, rest == 0)
            }
        }
        guard code == SQLITE_OK else { throw unsafe connection.error(code, sql: sql) }
        guard let handle = unsafe handle, isAll else {
            unsafe sqlite3_finalize(handle)
            throw SQLiteError(code: .misuse, message: "not exactly one statement", sql: sql)
        }
        unsafe self.handle = handle
        self.connection = connection
        self.sql = sql
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    // MARK: Running

    /// Binds all values, from the first placeholder on.
    ///
    /// - Throws: ``ResultCode/range`` if there are more or fewer placeholders.
    public func bind<each Value: DatabaseValue>(_ values: repeat each Value) throws(SQLiteError) {
        reset()
        var index = 0
        for value in repeat each values {
            index += 1
            try value.bind(to: self, at: index)
        }
        let placeholders = unsafe Int(sqlite3_bind_parameter_count(handle))
        guard index == placeholders else {
            throw SQLiteError(code: .range, message: "\(index) values for \(placeholders) placeholders", sql: sql)
        }
    }

    /// Goes to the next row.
    ///
    /// - Returns: `false` when there is none; the statement is then ready for the next use.
    public func step() throws(SQLiteError) -> Bool {
        isRunning = true
        let code = unsafe sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            reset()
            return false
        default:
            let error = unsafe connection.error(code, sql: sql, statement: handle)
            reset()
            throw error
        }
    }

    /// Lets go of the row, of locks and of the values that were bound.
    public func reset() {
        // The code repeats what step() threw already.
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
        isRunning = false
    }

    /// Runs to the end with these values; rows are passed over.
    public func run<each Value: DatabaseValue>(_ values: repeat each Value) throws(SQLiteError) {
        try bind(repeat each values)
        while try step() {}
    }

    /// Runs with these values and calls `body` for each row.
    public func forEach<each Value: DatabaseValue>(
        _ values: repeat each Value, body: (Statement) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        try bind(repeat each values)
        defer { reset() }
        while try step() { try body(self) }
    }

    // MARK: Columns of the row

    /// The value of a column, counted from 0, of the row ``step()`` went to.
    ///
    /// - Throws: ``ResultCode/mismatch`` if it holds something else; a damaged file must not become a crash.
    public func column<Value: DatabaseValue>(
        _ column: Int, as type: Value.Type = Value.self
    ) throws(SQLiteError) -> Value {
        try Value.read(self, column)
    }

    /// Gives a column's bytes, of a text or a blob, without a copy; they are gone with the row.
    public func withBytes<Result>(
        _ column: Int, _ body: (UnsafeRawBufferPointer) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        // The pointer first: the count is of the form the pointer was asked in (sqlite.org/c3ref/column_blob.html).
        let start = unsafe sqlite3_column_blob(handle, Int32(column))
        let count = unsafe Int(sqlite3_column_bytes(handle, Int32(column)))
        return unsafe try body(UnsafeRawBufferPointer(start: start, count: count))
    }

    public var columnCount: Int { unsafe Int(sqlite3_column_count(handle)) }

    /// The name the statement gives a column.
    public func columnName(_ column: Int) -> String {
        unsafe sqlite3_column_name(handle, Int32(column)).map { unsafe String(cString: $0) } ?? ""
    }

    /// What SQLite keeps in a column.
    enum Kind {
        case null
        case integer
        case real
        case text
        case blob
    }

    func kind(of column: Int) -> Kind {
        switch unsafe sqlite3_column_type(handle, Int32(column)) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    func expect(_ kind: Kind, in column: Int) throws(SQLiteError) {
        if self.kind(of: column) != kind { throw mismatch(in: column, wanted: "\(kind)") }
    }

    func mismatch(in column: Int, wanted: String) -> SQLiteError {
        SQLiteError(
            code: .mismatch, message: "column \(columnName(column)) is \(kind(of: column)), not \(wanted)", sql: sql)
    }

    func integer(_ column: Int) -> Int64 { unsafe sqlite3_column_int64(handle, Int32(column)) }

    func real(_ column: Int) -> Double { unsafe sqlite3_column_double(handle, Int32(column)) }

    func text(_ column: Int) -> String {
        let start = unsafe sqlite3_column_text(handle, Int32(column))
        let count = unsafe Int(sqlite3_column_bytes(handle, Int32(column)))
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func blob(_ column: Int) -> [UInt8] {
        let start = unsafe sqlite3_column_blob(handle, Int32(column))
        let count = unsafe Int(sqlite3_column_bytes(handle, Int32(column)))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    // MARK: Binding

    func bindNull(at index: Int) throws(SQLiteError) {
        try check(unsafe sqlite3_bind_null(handle, Int32(index)))
    }

    func bindInteger(_ value: Int64, at index: Int) throws(SQLiteError) {
        try check(unsafe sqlite3_bind_int64(handle, Int32(index), value))
    }

    func bindReal(_ value: Double, at index: Int) throws(SQLiteError) {
        try check(unsafe sqlite3_bind_double(handle, Int32(index), value))
    }

    func bindText(_ value: String, at index: Int) throws(SQLiteError) {
        guard !value.isEmpty else {
            // An empty buffer may have no address, which SQLite would take for NULL.
            return try check(unsafe sqlite3_bind_text(handle, Int32(index), "", 0, martlet_sqlite_transient()))
        }
        var value = value
        let code = value.withUTF8 { text in
            unsafe text.withMemoryRebound(to: CChar.self) { text in
                unsafe sqlite3_bind_text64(
                    handle, Int32(index), text.baseAddress, UInt64(text.count), martlet_sqlite_transient(),
                    UInt8(SQLITE_UTF8))
            }
        }
        try check(code)
    }

    func bindBytes(_ value: [UInt8], at index: Int) throws(SQLiteError) {
        guard !value.isEmpty else { return try check(unsafe sqlite3_bind_zeroblob(handle, Int32(index), 0)) }
        let code = unsafe value.withUnsafeBytes { bytes in
            unsafe sqlite3_bind_blob64(
                handle, Int32(index), bytes.baseAddress, UInt64(bytes.count), martlet_sqlite_transient())
        }
        try check(code)
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw unsafe connection.error(code, sql: sql) }
    }
}
