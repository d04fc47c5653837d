// SPDX-License-Identifier: Apache-2.0
internal import CMartletSQLite

/// What a statement can take and a column can give.
///
/// Whole numbers of any width, `Bool`, `Double`, `String`, bytes as `[UInt8]`, an optional of each, and ``SQLiteValue``
/// for what is not known beforehand.
public protocol DatabaseValue {
    func bind(to statement: Statement, at index: Int) throws(SQLiteError)

    /// - Parameter column: From 0.
    /// - Throws: ``ResultCode/mismatch`` if the column holds something else; nothing is converted silently.
    static func read(_ statement: Statement, _ column: Int) throws(SQLiteError) -> Self
}

/// Any value of SQLite's.
public enum SQLiteValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}

extension SQLiteValue: DatabaseValue {
    public func bind(to statement: Statement, at index: Int) throws(SQLiteError) {
        switch self {
        case .null: try statement.bindNull(at: index)
        case .integer(let value): try statement.bindInteger(value, at: index)
        case .real(let value): try statement.bindReal(value, at: index)
        case .text(let value): try statement.bindText(value, at: index)
        case .blob(let value): try statement.bindBytes(value, at: index)
        }
    }

    public static func read(_ statement: Statement, _ column: Int) throws(SQLiteError) -> SQLiteValue {
        switch statement.kind(of: column) {
        case .null: .null
        case .integer: .integer(statement.integer(column))
        case .real: .real(statement.real(column))
        case .text: .text(statement.text(column))
        case .blob: .blob(statement.blob(column))
        }
    }
}

extension Optional: DatabaseValue where Wrapped: DatabaseValue {
    public func bind(to statement: Statement, at index: Int) throws(SQLiteError) {
        guard let self else { return try statement.bindNull(at: index) }
        try self.bind(to: statement, at: index)
    }

    public static func read(_ statement: Statement, _ column: Int) throws(SQLiteError) -> Wrapped? {
        statement.kind(of: column) == .null ? nil : try Wrapped.read(statement, column)
    }
}

extension FixedWidthInteger where Self: DatabaseValue {
    /// An unsigned 64-bit number beyond `Int64.max` is kept as the negative number with the same bits.
    public func bind(to statement: Statement, at index: Int) throws(SQLiteError) {
        try statement.bindInteger(Int64(truncatingIfNeeded: self), at: index)
    }

    public static func read(_ statement: Statement, _ column: Int) throws(SQLiteError) -> Self {
        try statement.expect(.integer, in: column)
        let value = statement.integer(column)
        if Self.bitWidth == 64 { return Self(truncatingIfNeeded: value) }
        guard let value = Self(exactly: value) else { throw statement.mismatch(in: column, wanted: "\(Self.self)") }
        return value
    }
}

extension Int: DatabaseValue {}
extension Int64: DatabaseValue {}
extension Int32: DatabaseValue {}
extension UInt64: DatabaseValue {}
extension UInt32: DatabaseValue {}
extension UInt8: DatabaseValue {}

extension Bool: DatabaseValue {
    public func bind(to statement: Statement, at index: Int) throws(SQLiteError) {
        try statement.bindInteger(self ? 1 : 0, at: index)
    }

    public static func read(_ statement: Statement, _ column: Int) throws(SQLiteError) -> Bool {
        try statement.expect(.integer, in: column)
        return statement.integer(column) != 0
    }
}

extension Double: DatabaseValue {
    public func bind(to statement: Statement, at index: Int) throws(SQLiteError) {
        try statement.bindReal(self, at: index)
    }

    /// Takes a whole number as well: SQLite keeps 1.0 as 1 in a column of type REAL.
    public static func read(_ statement: Statement, _ column: Int) throws(SQLiteError) -> Double {
        if statement.kind(of: column) != .integer { try statement.expect(.real, in: column) }
        return statement.real(column)
    }
}

extension String: DatabaseValue {
    public func bind(to statement: Statement, at index: Int) throws(SQLiteError) {
        try statement.bindText(self, at: index)
    }

    /// Bytes that are no valid UTF-8 come as U+FFFD.
    public static func read(_ statement: Statement, _ column: Int) throws(SQLiteError) -> String {
        try statement.expect(.text, in: column)
        return statement.text(column)
    }
}

extension Array: DatabaseValue where Element == UInt8 {
    public func bind(to statement: Statement, at index: Int) throws(SQLiteError) {
        try statement.bindBytes(self, at: index)
    }

    public static func read(_ statement: Statement, _ column: Int) throws(SQLiteError) -> [UInt8] {
        try statement.expect(.blob, in: column)
        return statement.blob(column)
    }
}
