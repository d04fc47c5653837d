// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
public import MartletSQLite

/// The library for those who only look: a read-only connection on a queue of its own.
///
/// What was written before a call began is seen by it. Close it before ``LibraryStore/close()``, or the log stays beside
/// the file, to be taken over at the next opening.
public actor LibraryReader {
    private nonisolated let executor = SerialQueueExecutor(label: "org.martlet.library.reader")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    // Handed over once, from the one who opens it to this actor's queue.
    private nonisolated(unsafe) let connection: Database
    /// Stops what the reader is doing, from any thread: the call fails with ``ResultCode/interrupted``.
    public nonisolated let interrupter: Database.Interrupter

    /// - Parameter path: Of a `library.db` that a ``LibraryStore`` has opened.
    public init(path: String) throws(LibraryError) {
        var configuration = Database.Configuration()
        configuration.mode = .read
        do throws(SQLiteError) {
            let connection = try Database(path: Array(path.utf8), configuration: configuration)
            unsafe self.connection = connection
            interrupter = connection.interrupter
        } catch {
            throw .database(error)
        }
    }

    public func close() {
        unsafe connection.close()
    }

    /// Runs something that only reads, all of it on the library as it is at one moment.
    func reading<Result>(_ body: (Database) throws(SQLiteError) -> Result) throws(LibraryError) -> Result {
        let connection = unsafe connection
        do throws(SQLiteError) {
            return try connection.transaction(.deferred) { () throws(SQLiteError) in try body(connection) }
        } catch {
            throw .database(error)
        }
    }
}

/// Part of a long list.
public struct LibraryPage: Hashable, Sendable {
    /// Rows passed over.
    public var offset: Int
    /// Rows at most.
    public var limit: Int

    public init(offset: Int = 0, limit: Int) {
        self.offset = max(0, offset)
        self.limit = max(0, limit)
    }

    /// Everything; for what is known to be short.
    public static let all = LibraryPage(limit: .max)
}
