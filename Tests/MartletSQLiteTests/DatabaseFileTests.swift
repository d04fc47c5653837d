// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletSQLite
import MartletTestSupport
import Testing

@Suite("SQLite: files")
struct DatabaseFileTests {
    let folder = try! ScratchDirectory()

    @Test func `a new file and its log are for their owner only`() throws {
        let database = try folder.database()
        try database.run("INSERT INTO t VALUES (1, 1)")
        for name in ["test.db", "test.db-wal", "test.db-shm"] {
            var status = stat()
            #expect(stat(folder.path + "/" + name, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
    }

    @Test func `a path is bytes`() throws {
        let name: [UInt8] = folder.file("a%20?b#c ") + [0xE9, 0xFF]
        try Database(path: name).execute("CREATE TABLE t(a)")
        #expect(try Database(path: name).count() == 0)
        #expect(sqliteError { _ = try Database(path: []) }?.code == .cannotOpen)
        #expect(sqliteError { _ = try Database(path: folder.file("a\u{0}b")) }?.code == .cannotOpen)
    }

    @Test func `only a file that may be made is made`() throws {
        for mode in [Database.Configuration.Mode.read, .readWrite] {
            #expect(sqliteError { _ = try folder.database { $0.mode = mode } }?.code.primary == .cannotOpen)
        }
        #expect(sqliteError { _ = try Database(path: folder.file("no/such/folder.db")) }?.code.primary == .cannotOpen)
        #expect(sqliteError { _ = try Database(path: Array(folder.path.utf8)) }?.code.primary == .cannotOpen)
    }

    @Test func `a connection that reads cannot write`() throws {
        _ = try folder.database()
        let reader = try folder.database { $0.mode = .read }
        let error = sqliteError { try reader.run("INSERT INTO t VALUES (1, 1)") }
        #expect(error?.code.primary == .readOnly)
        #expect(error?.code.isPassing == true)
    }

    @Test func `a file that is something else is refused and left as it was`() throws {
        let text = Array(String(repeating: "This is a letter to my aunt. ", count: 100).utf8)
        let path = folder.path + "/letter.txt"
        try ScratchDirectory.write(text, to: path)
        let error = sqliteError { _ = try Database(path: Array(path.utf8)) }
        #expect(error?.code == .notADatabase)
        #expect(error?.code.meansDamage == true)
        #expect(try ScratchDirectory.read(path) == text)
    }

    @Test func `damage is found and told`() throws {
        let database = try folder.database()
        try database.execute("CREATE INDEX i ON t(b)")
        for number in 0..<3000 { try database.run("INSERT INTO t VALUES (?, ?)", number, "text \(number)") }
        #expect(try database.integrityProblems().isEmpty)
        #expect(try database.integrityProblems(isQuick: true).isEmpty)
        try database.checkpoint()
        database.close()
        let path = folder.path + "/test.db"
        var bytes = try ScratchDirectory.read(path)
        for index in 8192..<20480 { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
        try ScratchDirectory.write(bytes, to: path)
        let damaged = try folder.database { $0.mode = .readWrite }
        do {
            #expect(try !damaged.integrityProblems().isEmpty)
        } catch {
            #expect(error.code.meansDamage)
        }
        let error = sqliteError { try damaged.run("SELECT sum(length(b)) FROM t NOT INDEXED") }
        #expect(error?.code.primary == .corrupt)
    }

    @Test func `a full file is an error that passes`() throws {
        let database = try folder.database()
        try database.execute("PRAGMA max_page_count = 10")
        let error = sqliteError {
            try database.transaction { () throws(SQLiteError) in
                for _ in 0..<100 { try database.run("INSERT INTO t VALUES (?, 1)", [UInt8](repeating: 1, count: 1000)) }
            }
        }
        #expect(error?.code == .full)
        #expect(error?.code.isPassing == true)
        #expect(!database.isInTransaction)
        #expect(try database.count() == 0)
    }

    @Test(.enabled(if: getuid() == 0, "mounting needs root"))
    func `a full disk is an error that passes, and nothing is damaged`() throws {
        let disk = folder.path + "/disk"
        mkdir(disk, 0o700)
        // In a container even root may not mount.
        guard (try? Tool.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk])) != nil else { return }
        defer { umount2(disk, Int32(MNT_DETACH)) }
        let database = try Database(path: Array((disk + "/full.db").utf8))
        try database.execute("CREATE TABLE t(a)")
        var error: SQLiteError?
        var kept = 0
        while error == nil, kept < 10_000 {
            do throws(SQLiteError) {
                try database.run("INSERT INTO t VALUES (?)", [UInt8](repeating: 7, count: 500))
                kept += 1
            } catch let full {
                error = full
            }
        }
        #expect(error?.code.primary == .full)
        #expect(try database.count() == kept)
        #expect(try database.integrityProblems().isEmpty)
        try Tool.run(["mount", "-o", "remount,size=4m", disk])
        try database.run("INSERT INTO t VALUES (1)")
        #expect(try database.count() == kept + 1)
    }

    @Test func `a copy made while somebody writes is whole`() throws {
        let source = try folder.database()
        for number in 0..<5000 { try source.run("INSERT INTO t VALUES (?, ?)", number, "text") }
        let copy = try Database(path: folder.file("copy.db"))
        var pieces = 0
        try source.backUp(to: copy, pages: 4) { remaining, all in
            pieces += 1
            if pieces == 3 { try? source.run("INSERT INTO t VALUES (-1, 'late')") }
            #expect(remaining < all)
            return true
        }
        #expect(pieces > 3)
        #expect(try copy.integrityProblems().isEmpty)
        #expect(try copy.count() >= 5000)
        let given = sqliteError { try source.backUp(to: copy, pages: 1) { _, _ in false } }
        #expect(given?.code == .interrupted)
    }

    @Test func `a commit is there for the next process at once`() throws {
        let database = try folder.database()
        try database.run("INSERT INTO t VALUES (1, 1)")
        // The first connection is still open, as after a kill: the log has not been taken over.
        #expect(try folder.database { $0.mode = .read }.count() == 1)
    }
}

@Suite("SQLite: schemas")
struct SchemaTests {
    let folder = try! ScratchDirectory()
    static let id: Int32 = 0x4D52_5430

    static let makeA = Schema.Step.script("CREATE TABLE a(x)")
    static let makeB = Schema.Step.function { database in
        try database.execute("CREATE TABLE b(x)")
        try database.execute("CREATE TABLE a(x)")
    }
    static let widenA = Schema.Step.script("ALTER TABLE a ADD COLUMN y DEFAULT 5")

    static let first = Schema(applicationID: id, steps: [makeA])
    static let second = Schema(applicationID: id, steps: [makeA, widenA])

    @Test func `steps run once, and later ones on files of before`() throws {
        let database = try Database(path: folder.file("s.db"))
        try SchemaTests.first.apply(to: database)
        try SchemaTests.first.apply(to: database)
        try database.run("INSERT INTO a VALUES (1)")
        var olds: [Int32] = []
        try SchemaTests.second.apply(to: database) { old throws(SQLiteError) in olds.append(old) }
        try SchemaTests.second.apply(to: database) { old throws(SQLiteError) in olds.append(old) }
        #expect(olds == [1])
        #expect(try database.value("SELECT y FROM a", as: Int.self) == 5)
        #expect(try database.userVersion == 2)
        #expect(try database.applicationID == SchemaTests.id)
    }

    @Test func `a file of a later version is refused and left as it is`() throws {
        let database = try Database(path: folder.file("s.db"))
        try SchemaTests.second.apply(to: database)
        #expect(throws: SchemaError.newer(found: 2, known: 1)) { try SchemaTests.first.apply(to: database) }
        #expect(try database.userVersion == 2)
    }

    @Test func `another program's file is refused`() throws {
        let database = try folder.database()
        #expect(throws: SchemaError.foreign(applicationID: 0)) { try SchemaTests.first.apply(to: database) }
        try database.setApplicationID(77)
        #expect(throws: SchemaError.foreign(applicationID: 77)) { try SchemaTests.first.apply(to: database) }
    }

    @Test func `a step that fails leaves the version before`() throws {
        let broken = Schema(applicationID: SchemaTests.id, steps: [SchemaTests.makeA, SchemaTests.makeB])
        let database = try Database(path: folder.file("s.db"))
        do {
            try broken.apply(to: database)
            Issue.record("the step went through")
        } catch {
            guard case .sqlite(let cause) = error else { throw error }
            #expect(cause.code == .error)
        }
        #expect(try database.userVersion == 1)
        #expect(try database.value("SELECT count(*) FROM sqlite_schema WHERE name = 'b'", as: Int.self) == 0)
        try SchemaTests.second.apply(to: database)
    }
}

@Suite("SQLite: the executor")
struct SerialQueueExecutorTests {
    private actor Store {
        let executor = SerialQueueExecutor(label: "org.martlet.test")
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
        var order: [Int] = []

        func block(until semaphore: Semaphore) { semaphore.wait() }
        func note(_ number: Int) { order.append(number) }
    }

    /// POSIX's, since a Dispatch semaphore may not be waited for in async code.
    private final class Semaphore: @unchecked Sendable {
        // Initialised once and only touched by sem_wait and sem_post, which are thread-safe.
        private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        init() { sem_init(semaphore, 0, 0) }
        deinit {
            sem_destroy(semaphore)
            semaphore.deallocate()
        }
        func wait() { sem_wait(semaphore) }
        func signal() { sem_post(semaphore) }
    }

    @Test(.timeLimit(.minutes(1)))
    func `blocking many of them leaves the cooperative pool free`() async {
        let semaphore = Semaphore()
        let stores = (0..<16).map { _ in Store() }
        await withTaskGroup(of: Void.self) { group in
            for store in stores { group.addTask { await store.block(until: semaphore) } }
            // More blocked actors than the pool has threads, and this still runs.
            group.addTask { for _ in stores { semaphore.signal() } }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `calls of one task keep their order`() async {
        let store = Store()
        for number in 0..<100 { await store.note(number) }
        #expect(await store.order == Array(0..<100))
    }
}
