// SPDX-License-Identifier: Apache-2.0

/// The tables of a file, as the numbered steps that lead to them from an empty one.
///
/// A step that was shipped is never changed; a change of the tables is another step.
public struct Schema: Sendable {
    /// What leads from one version to the next.
    public enum Step: Sendable {
        /// SQL statements, separated by semicolons.
        case script(String)
        /// What SQL cannot do alone. An error of another kind than SQLite's is told in its words.
        case function(@Sendable (Database) throws -> Void)

        func run(on database: Database) throws(SQLiteError) {
            switch self {
            case .script(let script): try database.execute(script)
            case .function(let function):
                do {
                    try function(database)
                } catch let error as SQLiteError {
                    throw error
                } catch {
                    throw SQLiteError(code: .error, message: "\(error)")
                }
            }
        }
    }

    /// Marks the file as ours (https://sqlite.org/pragma.html#pragma_application_id).
    public let applicationID: Int32
    private let steps: [Step]

    /// - Parameter steps: From version 0 to 1, from 1 to 2, and so on.
    public init(applicationID: Int32, steps: [Step]) {
        self.applicationID = applicationID
        self.steps = steps
    }

    /// The version this program knows.
    public var version: Int32 { Int32(steps.count) }

    /// Brings a file up to date, each step in a transaction of its own: a cut in the middle leaves the version before.
    ///
    /// - Parameter willMigrate: Called once before the first step on a file that has tables already; the moment for a
    ///   backup.
    public func apply(
        to database: Database, willMigrate: (Int32) throws(SQLiteError) -> Void = { _ in }
    ) throws(SchemaError) {
        do {
            let found = try database.userVersion
            let owner = try database.applicationID
            let isNew =
                try found == 0 && owner == 0 && database.value("SELECT count(*) FROM sqlite_schema", as: Int.self) == 0
            guard isNew || owner == applicationID else { throw SchemaError.foreign(applicationID: owner) }
            guard found <= version else { throw SchemaError.newer(found: found, known: version) }
            if !isNew, found < version { try willMigrate(found) }
            for number in found..<version {
                try database.transaction { () throws(SQLiteError) in
                    // Somebody else may have come first.
                    guard try database.userVersion == number else { return }
                    try steps[Int(number)].run(on: database)
                    try database.setApplicationID(applicationID)
                    try database.setUserVersion(number + 1)
                }
            }
        } catch let error as SQLiteError {
            throw .sqlite(error)
        } catch let error as SchemaError {
            throw error
        } catch {
            preconditionFailure("an error of another kind: \(error)")
        }
    }
}

/// Why a file's tables cannot be used.
public enum SchemaError: Error, Hashable, Sendable {
    /// A later version of the program made it. It is left as it is.
    case newer(found: Int32, known: Int32)
    /// Another program's file.
    case foreign(applicationID: Int32)
    case sqlite(SQLiteError)
}
