// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletSQLite
import MartletTestSupport
import Testing

extension ScratchDirectory {
    func file(_ name: String) -> [UInt8] { Array((path + "/" + name).utf8) }

    /// A database with a table `t(a, b)`.
    func database(
        _ name: String = "test.db", _ change: (inout Database.Configuration) -> Void = { _ in }
    ) throws -> Database {
        var configuration = Database.Configuration()
        change(&configuration)
        let database = try Database(path: file(name), configuration: configuration)
        if configuration.mode == .create { try database.execute("CREATE TABLE IF NOT EXISTS t(a, b)") }
        return database
    }
}

extension Database {
    func count(_ table: String = "t") throws -> Int { try value("SELECT count(*) FROM \(table)") ?? -1 }
}

/// What `body` throws, which must be SQLite's.
func sqliteError(_ body: () throws -> Void) -> SQLiteError? {
    #expect(throws: SQLiteError.self) { try body() }
}

@Suite("SQLite: values and statements")
struct StatementTests {
    let folder = try! ScratchDirectory()

    @Test(arguments: [
        SQLiteValue.null, .integer(.min), .integer(.max), .real(0.1), .real(-.infinity), .text(""), .text("a\u{0}é🐦"),
        .blob([]),
        .blob([0, 255, 7]), .text(String(repeating: "x", count: 100_000)),
    ])
    func `a value comes back as it went in`(value: SQLiteValue) throws {
        for database in [try folder.database(), try .inMemory()] {
            try database.execute("CREATE TABLE v(a)")
            try database.run("INSERT INTO v VALUES (?)", value)
            #expect(try database.value("SELECT a FROM v", as: SQLiteValue.self) == value)
        }
    }

    @Test func `typed values come back typed, absent ones as nil`() throws {
        let database = try folder.database()
        try database.run("INSERT INTO t VALUES (?, ?)", UInt64.max, "x" as String?)
        try database.run("INSERT INTO t VALUES (?, ?)", true, nil as String?)
        var rows: [String] = []
        try database.forEach("SELECT a, b FROM t ORDER BY rowid") { row throws(SQLiteError) in
            let number: UInt64 = try row.column(0)
            rows.append("\(number) \(try row.column(1, as: String?.self) ?? "-")")
        }
        #expect(rows == ["\(UInt64.max) x", "1 -"])
        #expect(try database.value("SELECT 2.0", as: Double.self) == 2)
        #expect(try database.value("SELECT 2", as: Double.self) == 2)
        #expect(try database.value("SELECT x'0102'", as: [UInt8].self) == [1, 2])
        #expect(try database.value("SELECT 1 WHERE 0", as: Int.self) == nil)
    }

    @Test func `a column of another kind is an error, not a guess`() throws {
        let database = try folder.database()
        #expect(sqliteError { _ = try database.value("SELECT 'x' AS name", as: Int.self) }?.code == .mismatch)
        #expect(sqliteError { _ = try database.value("SELECT NULL", as: Int.self) }?.code == .mismatch)
        #expect(sqliteError { _ = try database.value("SELECT 300", as: UInt8.self) }?.code == .mismatch)
        let error = sqliteError { _ = try database.value("SELECT 5 AS title", as: String.self) }
        #expect(error?.message == "column title is integer, not text")
    }

    @Test func `the number of values must be the number of placeholders`() throws {
        let database = try folder.database()
        #expect(sqliteError { try database.run("INSERT INTO t VALUES (?, ?)", 1) }?.code == .range)
        #expect(sqliteError { try database.run("INSERT INTO t VALUES (1, 2)", 1) }?.code == .range)
        #expect(try database.count() == 0)
    }

    @Test func `one text is one statement`() throws {
        let database = try folder.database()
        #expect(sqliteError { try database.run("SELECT 1; SELECT 2") }?.code == .misuse)
        #expect(sqliteError { try database.run("") }?.code == .misuse)
        #expect(sqliteError { try database.run("SELEC 1") }?.code == .error)
        try database.execute("INSERT INTO t VALUES (1, 2); INSERT INTO t VALUES (3, 4);")
        #expect(try database.count() == 2)
    }

    @Test func `a statement is kept prepared and still works within its own rows`() throws {
        let database = try folder.database { $0.statementCacheSize = 2 }
        let sql = "SELECT value FROM json_each('[1,2,3]')"
        #expect(try database.prepare(sql) === database.prepare(sql))
        var pairs = 0
        try database.forEach(sql) { _ throws(SQLiteError) in
            try database.forEach(sql) { _ throws(SQLiteError) in pairs += 1 }
        }
        #expect(pairs == 9)
        let first = try database.prepare(sql)
        for number in 0..<3 { try database.run("SELECT \(number)") }
        #expect(try database.prepare(sql) !== first)
    }

    @Test func `bytes of a column can be looked at in place`() throws {
        let database = try folder.database()
        try database.run("INSERT INTO t VALUES (?, ?)", [1, 2, 3] as [UInt8], "abc")
        try database.forEach("SELECT a, b, NULL FROM t") { row throws(SQLiteError) in
            #expect(try row.withBytes(0) { Array($0) } == [1, 2, 3])
            #expect(try row.withBytes(1) { Array($0) } == Array("abc".utf8))
            #expect(try row.withBytes(2) { $0.count } == 0)
        }
    }

    @Test func `changes and rows are counted`() throws {
        let database = try folder.database()
        try database.run("INSERT INTO t VALUES (1, 1), (2, 2)")
        #expect(database.changeCount == 2)
        #expect(database.lastInsertedRow == 2)
    }

    @Test func `an error tells the statement, and values only where it was asked to`() throws {
        for tells in [false, true] {
            let database = try folder.database { $0.tellsArguments = tells }
            try database.execute("CREATE TABLE IF NOT EXISTS u(name TEXT UNIQUE); DELETE FROM u")
            try database.run("INSERT INTO u VALUES (?)", "secret")
            let error = sqliteError { try database.run("INSERT INTO u VALUES (?)", "secret") }
            #expect(error?.code == .constraintUnique)
            #expect(error?.code.primary == .constraint)
            #expect(error?.sql == "INSERT INTO u VALUES (?)")
            #expect(error?.expandedSQL == (tells ? "INSERT INTO u VALUES ('secret')" : nil))
            #expect(error?.description.contains("secret") == false)
        }
    }

    @Test func `functions and collations of ours work in SQL, and their errors come through`() throws {
        struct Refusal: Error, CustomStringConvertible { var description: String { "not that one" } }
        let database = try folder.database()
        try database.addFunction("twice", argumentCount: 1) { values in
            guard case .text(let text) = values[0] else { throw Refusal() }
            return .text(text + text)
        }
        #expect(try database.value("SELECT twice('ab')", as: String.self) == "abab")
        #expect(sqliteError { try database.run("SELECT twice(1)") }?.message == "not that one")
        try database.addCollation("by_length") { left, right in left.count - right.count }
        try database.run("INSERT INTO t VALUES ('ccc', 1), ('a', 2), ('bb', 3)")
        var order = ""
        try database.forEach("SELECT a FROM t ORDER BY a COLLATE by_length") { row throws(SQLiteError) in
            order += try row.column(0, as: String.self)
        }
        #expect(order == "abbccc")
    }
}

@Suite("SQLite: transactions")
struct TransactionTests {
    struct Stop: Error {}
    let folder = try! ScratchDirectory()

    @Test func `what throws leaves nothing behind`() throws {
        let database = try folder.database()
        let error = sqliteError {
            try database.transaction { () throws(SQLiteError) in
                try database.run("INSERT INTO t VALUES (1, 1)")
                try database.run("INSERT INTO nowhere VALUES (1)")
            }
        }
        #expect(error?.code == .error)
        #expect(try database.count() == 0)
        #expect(!database.isInTransaction)
    }

    @Test func `an inner transaction takes back its own part only`() throws {
        let database = try folder.database()
        try database.transaction { () throws(SQLiteError) in
            try database.run("INSERT INTO t VALUES (1, 1)")
            try? database.transaction { () throws(SQLiteError) in
                try database.run("INSERT INTO t VALUES (2, 2)")
                try database.transaction { () throws(SQLiteError) in try database.run("INSERT INTO t VALUES (3, 3)") }
                try database.run("INSERT INTO nowhere VALUES (1)")
            }
            try database.transaction { () throws(SQLiteError) in try database.run("INSERT INTO t VALUES (4, 4)") }
        }
        #expect(try database.value("SELECT group_concat(a) FROM t", as: String.self) == "1,4")
    }

    @Test func `foreign keys hold, or not, as configured`() throws {
        for enforces in [true, false] {
            let database = try Database.inMemory(
                configuration: {
                    var configuration = Database.Configuration()
                    configuration.enforcesForeignKeys = enforces
                    return configuration
                }())
            try database.execute("CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(p REFERENCES p)")
            if enforces {
                let error = sqliteError { try database.run("INSERT INTO c VALUES (7)") }
                #expect(error?.code == .constraintForeignKey)
            } else {
                try database.run("INSERT INTO c VALUES (7)")
                #expect(try database.integrityProblems().count == 1)
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a lock of somebody else's is waited for, and then reported (F270)`() async throws {
        let writer = try folder.database()
        let other = try folder.database { $0.busyTimeout = .milliseconds(1) }
        try writer.run("BEGIN IMMEDIATE")
        #expect(sqliteError { try other.run("INSERT INTO t VALUES (1, 1)") }?.code.primary == .busy)
        // A reader does not wait for the writer.
        #expect(try other.count() == 0)
        let path = folder.file("test.db")
        async let waited: Void = Task.detached {
            let patient = try Database(path: path)
            try patient.run("INSERT INTO t VALUES (2, 2)")
        }.value
        try writer.run("INSERT INTO t VALUES (0, 0)")
        try writer.run("COMMIT")
        try await waited
        #expect(try writer.count() == 2)
    }

    @Test(.timeLimit(.minutes(1)))
    func `an interrupt ends a long statement and the connection lives on`() async throws {
        let database = try folder.database()
        let interrupter = database.interrupter
        try database.addFunction("stop", argumentCount: 0, isDeterministic: false) { _ in
            interrupter.interrupt()
            return .null
        }
        let error = sqliteError {
            try database.run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT stop(), i FROM n")
        }
        #expect(error?.code == .interrupted)
        #expect(try database.value("SELECT 1", as: Int.self) == 1)
        database.close()
        interrupter.interrupt()
    }
}
