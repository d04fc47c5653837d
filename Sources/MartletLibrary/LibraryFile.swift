// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletSQLite

/// The file of the library: opened, looked after, and rebuilt when it is beyond use.
///
/// Blocking; part of ``LibraryStore``, on its executor.
struct LibraryFile {
    /// Of `library.db`; its folder is there.
    let path: String

    /// How many backups are kept.
    static let backupCount = 3

    /// Opens the file, or a new one in the place of one that cannot be used.
    func open(now: UnixTime) throws(LibraryError) -> (database: Database, wasInUse: Bool, notices: [LibraryNotice]) {
        do throws(SchemaError) {
            let (database, wasInUse) = try openAsItIs()
            return (database, wasInUse, [])
        } catch {
            guard let reason = error.reasonToSetAside else { throw .database(error.cause) }
            let kept: String
            do throws(SQLiteError) {
                kept = try Database.setAside(path, because: reason.rawValue, unixTime: now.seconds)
            } catch {
                throw .database(error)
            }
            var notices = [LibraryNotice.setAside(path: kept, reason: reason)]
            if let backup = restoreNewestBackup() { notices.append(.restored(from: backup)) }
            do throws(SchemaError) {
                return (try openAsItIs().0, false, notices)
            } catch {
                throw .database(error.cause)
            }
        }
    }

    private func openAsItIs() throws(SchemaError) -> (Database, wasInUse: Bool) {
        let database: Database
        do throws(SQLiteError) {
            database = try Database(path: Array(path.utf8), configuration: LibraryFile.writing)
        } catch {
            throw .sqlite(error)
        }
        do throws(SchemaError) {
            try LibrarySchema.schema.apply(to: database)
            return (database, try LibraryFile.lookOver(database))
        } catch {
            database.close()
            throw error
        }
    }

    /// After an end that was none, looks for damage; and marks the file as in use.
    ///
    /// - Returns: Whether it was.
    private static func lookOver(_ database: Database) throws(SchemaError) -> Bool {
        do throws(SQLiteError) {
            let isInUse = try database.value("SELECT value FROM setting WHERE name = 'in use'", as: Int.self) == 1
            if isInUse {
                let problems = try database.integrityProblems(isQuick: true)
                if let problem = problems.first { throw SQLiteError(code: .corrupt, message: problem) }
            }
            try database.run("INSERT OR REPLACE INTO setting VALUES ('in use', 1)")
            return isInUse
        } catch {
            throw .sqlite(error)
        }
    }

    static var writing: Database.Configuration {
        var configuration = Database.Configuration()
        configuration.cacheSize = 8000
        configuration.statementCacheSize = 128
        return configuration
    }

    // MARK: Backups

    /// Names of the backups there are, newest first.
    var backups: [String] {
        (1...LibraryFile.backupCount).map { "\(path).backup-\($0)" }.filter { unsafe access($0, F_OK) == 0 }
    }

    /// Puts what the user made into a file of its own, as the newest backup.
    ///
    /// It is a library without files: opened in the place of the real one, and scanned, it is whole again. What the scan
    /// finds anyway is left out, so it stays small. Reads beside the writer, whom it does not hold up.
    func backUp() throws(SQLiteError) {
        var configuration = Database.Configuration()
        // What is left out is referred to by nothing but by what is set to NULL.
        configuration.enforcesForeignKeys = false
        let copy = try Database.inMemory(configuration: configuration)
        defer { copy.close() }
        do throws(SchemaError) { try LibrarySchema.schema.apply(to: copy) } catch { throw error.cause }
        try copy.run("ATTACH ? AS live", path)
        try copy.transaction(.deferred) { () throws(SQLiteError) in
            for statement in LibraryFile.backupStatements { try copy.run(statement) }
        }
        try copy.execute("DETACH live")
        let temporary = "\(path).backup-new"
        for suffix in ["", "-journal"] { _ = unsafe unlink(temporary + suffix) }
        configuration.usesWriteAheadLog = false
        configuration.synchronous = .full
        let target = try Database(path: Array(temporary.utf8), configuration: configuration)
        do throws(SQLiteError) {
            try copy.backUp(to: target)
            target.close()
        } catch {
            target.close()
            _ = unsafe unlink(temporary)
            throw error
        }
        for number in stride(from: LibraryFile.backupCount, to: 1, by: -1) {
            _ = unsafe rename("\(path).backup-\(number - 1)", "\(path).backup-\(number)")
        }
        guard unsafe rename(temporary, "\(path).backup-1") == 0 else {
            throw SQLiteError(code: .cannotOpen, message: "rename: \(unsafe String(cString: strerror(errno)))")
        }
    }

    /// Columns of `track` that a later scan or the user knows a song by.
    private static let remembered = """
        id, title, sort, artist, album_title, disc, number, date, year, length, identity, musicbrainz_recording, \
        musicbrainz_track, added, rank, start, end
        """

    private static let backupStatements = [
        "INSERT INTO root SELECT * FROM live.root",
        """
        INSERT INTO track(\(remembered), gone) SELECT \(remembered), coalesce(gone, added) FROM live.track WHERE id IN (
            SELECT track FROM live.personal UNION SELECT track FROM live.play UNION SELECT track FROM live.bookmark
            UNION SELECT track FROM live.playlist_entry)
        """,
        "INSERT INTO personal SELECT * FROM live.personal", "INSERT INTO play SELECT * FROM live.play",
        "INSERT INTO bookmark SELECT * FROM live.bookmark",
        "INSERT INTO recent_search SELECT * FROM live.recent_search",
        "INSERT INTO setting SELECT * FROM live.setting WHERE name <> 'in use'",
        "DELETE FROM playlist", "INSERT INTO playlist SELECT * FROM live.playlist",
        "UPDATE playlist SET artwork = NULL",
        "INSERT INTO playlist_entry SELECT * FROM live.playlist_entry",
        // Numbers that were given out must not be given out again.
        """
        UPDATE sqlite_sequence SET seq = (SELECT seq FROM live.sqlite_sequence AS old WHERE old.name = sqlite_sequence.name)
            WHERE name IN (SELECT name FROM live.sqlite_sequence)
        """,
        """
        INSERT INTO sqlite_sequence SELECT name, seq FROM live.sqlite_sequence
            WHERE name NOT IN (SELECT name FROM main.sqlite_sequence)
        """,
    ]

    /// Makes the library anew from the newest backup that is sound.
    ///
    /// - Returns: The backup's name; `nil` if there is none that can be used.
    private func restoreNewestBackup() -> String? {
        for backup in backups {
            do {
                var configuration = Database.Configuration()
                configuration.mode = .read
                let source = try Database(path: Array(backup.utf8), configuration: configuration)
                defer { source.close() }
                guard try source.integrityProblems() == [], try source.applicationID == LibrarySchema.applicationID,
                    try source.userVersion <= LibrarySchema.schema.version
                else { continue }
                var target = LibraryFile.writing
                target.usesWriteAheadLog = false
                let database = try Database(path: Array(path.utf8), configuration: target)
                defer { database.close() }
                try source.backUp(to: database)
                return backup
            } catch {
                for suffix in ["-journal", ""] { _ = unsafe unlink(path + suffix) }
            }
        }
        return nil
    }
}

extension SchemaError {
    /// Why the file has to make room; `nil` where waiting may help.
    fileprivate var reasonToSetAside: LibraryNotice.Reason? {
        switch self {
        case .newer: .newer
        case .foreign: .foreign
        case .sqlite(let error): error.code.meansDamage ? .damaged : nil
        }
    }

    var cause: SQLiteError {
        switch self {
        case .newer(let found, let known):
            SQLiteError(code: .error, message: "the file is of version \(found), later than \(known)")
        case .foreign: SQLiteError(code: .error, message: "the file is another program's")
        case .sqlite(let error): error
        }
    }
}
