// SPDX-License-Identifier: Apache-2.0
internal import CMartletSQLite

/// What SQLite answered when something did not work.
public struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The extended code.
    public var code: ResultCode
    /// SQLite's words for it; may name tables and columns, never values.
    public var message: String
    /// The statement that failed, its values as question marks; `nil` where there was none.
    public var sql: String?
    /// The statement with its values, only from a connection that was asked to tell them
    /// (``Database/Configuration/tellsArguments``): values are people's data and do not belong in a log.
    public var expandedSQL: String?

    public init(code: ResultCode, message: String, sql: String? = nil, expandedSQL: String? = nil) {
        self.code = code
        self.message = message
        self.sql = sql
        self.expandedSQL = expandedSQL
    }

    /// Code and message; never the statement or its values.
    public var description: String { "SQLite \(code.rawValue): \(message)" }
}

/// A result code; an open set, since SQLite adds to it. The names are SQLite's (https://sqlite.org/rescode.html).
///
/// In a `catch`, `error.code.primary` compares the family and `error.code` the member of it.
public struct ResultCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int32

    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The family an extended code belongs to: its low byte.
    public var primary: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

    public static let error = ResultCode(rawValue: SQLITE_ERROR)
    /// Somebody else has the lock, also after the busy timeout.
    public static let busy = ResultCode(rawValue: SQLITE_BUSY)
    public static let locked = ResultCode(rawValue: SQLITE_LOCKED)
    public static let noMemory = ResultCode(rawValue: SQLITE_NOMEM)
    /// The file, its folder or the connection only reads.
    public static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
    /// ``Database/Interrupter/interrupt()`` was called.
    public static let interrupted = ResultCode(rawValue: SQLITE_INTERRUPT)
    /// The system failed to read or write.
    public static let inputOutput = ResultCode(rawValue: SQLITE_IOERR)
    /// The file is damaged.
    public static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
    /// The disk is full.
    public static let full = ResultCode(rawValue: SQLITE_FULL)
    /// There is no such file, or it may not be opened.
    public static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
    public static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
    /// A column does not hold what was asked for.
    public static let mismatch = ResultCode(rawValue: SQLITE_MISMATCH)
    public static let misuse = ResultCode(rawValue: SQLITE_MISUSE)
    public static let range = ResultCode(rawValue: SQLITE_RANGE)
    /// The file is something else.
    public static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)
    public static let tooBig = ResultCode(rawValue: SQLITE_TOOBIG)
    public static let constraintUnique = ResultCode(rawValue: SQLITE_CONSTRAINT | 8 << 8)
    public static let constraintPrimaryKey = ResultCode(rawValue: SQLITE_CONSTRAINT | 6 << 8)
    public static let constraintForeignKey = ResultCode(rawValue: SQLITE_CONSTRAINT | 3 << 8)

    /// Whether the file itself is beyond use: damaged, or no database at all.
    public var meansDamage: Bool { primary == .corrupt || primary == .notADatabase }

    /// Whether the same may work later: a full disk, a lock, a folder that cannot be written now.
    public var isPassing: Bool {
        switch primary {
        case .busy, .locked, .full, .readOnly, .inputOutput, .cannotOpen, .noMemory, .interrupted: true
        default: false
        }
    }
}
