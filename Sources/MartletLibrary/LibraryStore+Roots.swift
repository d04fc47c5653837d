// SPDX-License-Identifier: Apache-2.0
internal import MartletSQLite

/// A folder of music, with all below it.
public struct LibraryRoot: Hashable, Sendable, Identifiable {
    public var id: RootID
    /// The bytes of its absolute path.
    public var path: [UInt8]
    public var added: UnixTime
    /// When it was last looked through to the end.
    public var scanned: UnixTime?
    /// It could not be reached then; what is known of it is kept.
    public var isOffline: Bool
    /// It stands in the configuration: ``LibraryStore/follow(configured:now:)``.
    public var isConfigured: Bool
}

extension LibraryStore {
    /// Takes a folder in; the next scan looks into it.
    ///
    /// A root may lie inside another one: it then has what is below it, and the outer one the rest.
    ///
    /// - Parameter path: Absolute; need not be there now.
    /// - Throws: ``LibraryError/conflict`` if it is a root already.
    public func addRoot(_ path: [UInt8], now: UnixTime) throws(LibraryError) -> RootID {
        guard path.first == LibraryPath.slash, !path.contains(0) else {
            throw .invalid("A folder of the library has an absolute path.")
        }
        let path = LibraryPath.tidied(path)
        let roots = try roots()
        if roots.contains(where: { $0.path == path }) { throw .conflict }
        return try writingPersonal { database throws(SQLiteError) in
            try database.run("INSERT INTO root(path, added) VALUES (?, ?)", path, now)
            let id = RootID(rawValue: database.lastInsertedRow)
            if let outer = LibraryStore.innermost(of: roots, around: path) {
                try LibraryStore.move(from: outer, to: id, path, database)
            }
            return id
        }
    }

    /// Lets a folder go. Its tracks lose their files; what the user made of them stays, and is theirs again if the
    /// files come back under whatever root.
    public func removeRoot(_ id: RootID, now: UnixTime) throws(LibraryError) {
        let roots = try roots()
        guard let root = roots.first(where: { $0.id == id }) else { throw .notFound }
        let outer = LibraryStore.innermost(of: roots.filter { $0.id != id }, around: root.path)
        var writer = trackWriter
        try writingPersonal { database throws(SQLiteError) in
            if let outer {
                try LibraryStore.moveUp(from: root, to: outer, database)
            } else {
                var files: [FileID] = []
                try database.forEach(
                    "SELECT file.id FROM file JOIN folder ON folder.id = file.folder WHERE folder.root = ?", id
                ) { row throws(SQLiteError) in files.append(try row.column(0)) }
                for file in files { try writer.detach(tracksOf: file, now: now, database) }
                try writer.countTouchedAlbums(in: database)
                try SearchIndex.dropArtistsWithoutTracks(database)
            }
            try database.run("DELETE FROM root WHERE id = ?", id)
            try database.run("DELETE FROM setting WHERE name = ? || ?", LibraryRoot.configuredMark, id)
        }
        trackWriter = writer
    }

    /// Makes the configuration's folders roots: new ones are taken in, and those that stand there no longer are let go.
    /// A root that somebody added otherwise stays, whatever the configuration says.
    ///
    /// - Parameter paths: Absolute; need not be there now.
    public func follow(configured paths: [[UInt8]], now: UnixTime) throws(LibraryError) {
        let wanted = paths.map(LibraryPath.tidied)
        let known = try roots()
        for root in known where root.isConfigured && !wanted.contains(root.path) { try removeRoot(root.id, now: now) }
        for path in wanted where !known.contains(where: { $0.path == path }) {
            let id: RootID
            do throws(LibraryError) {
                id = try addRoot(path, now: now)
            } catch {
                // It stands there twice.
                guard error == .conflict else { throw error }
                continue
            }
            try writingPersonal { database throws(SQLiteError) in
                try database.run("INSERT OR REPLACE INTO setting VALUES (? || ?, 1)", LibraryRoot.configuredMark, id)
            }
        }
    }

    /// In the order they were added.
    public func roots() throws(LibraryError) -> [LibraryRoot] {
        try reading { database throws(SQLiteError) in try LibraryRoot.all(database) }
    }

    private static func innermost(of roots: [LibraryRoot], around path: [UInt8]) -> LibraryRoot? {
        roots.filter { LibraryPath.contains($0.path, path) }.max { $0.path.count < $1.path.count }
    }

    /// Gives an inner root what an outer one had of it.
    private static func move(
        from outer: LibraryRoot, to inner: RootID, _ path: [UInt8], _ database: Database
    ) throws(SQLiteError) {
        let base = Array(path.dropFirst(outer.path.count).drop { $0 == LibraryPath.slash })
        for (id, folder) in try folders(of: outer.id, database) where LibraryPath.contains(base, folder) {
            let rest = Array(folder.dropFirst(base.count).drop { $0 == LibraryPath.slash })
            try database.run("UPDATE folder SET root = ?, path = ? WHERE id = ?", inner, rest, id)
        }
    }

    private static func moveUp(
        from inner: LibraryRoot, to outer: LibraryRoot, _ database: Database
    ) throws(SQLiteError) {
        let base = Array(inner.path.dropFirst(outer.path.count).drop { $0 == LibraryPath.slash })
        for (id, folder) in try folders(of: inner.id, database) {
            let path = folder.isEmpty ? base : LibraryPath.below(base, folder)
            // The outer root may have had an empty row for it.
            try database.run("UPDATE OR IGNORE folder SET root = ?, path = ? WHERE id = ?", outer.id, path, id)
        }
    }

    private static func folders(
        of root: RootID, _ database: Database
    ) throws(SQLiteError) -> [(id: FolderID, path: [UInt8])] {
        var folders: [(FolderID, [UInt8])] = []
        try database.forEach("SELECT id, path FROM folder WHERE root = ?", root) { row throws(SQLiteError) in
            folders.append((try row.column(0), try row.column(1)))
        }
        return folders
    }
}

extension LibraryReader {
    /// In the order they were added.
    public func roots() throws(LibraryError) -> [LibraryRoot] {
        try reading { database throws(SQLiteError) in try LibraryRoot.all(database) }
    }
}

extension LibraryRoot {
    /// What the name of a setting begins with that marks a root as the configuration's; its number follows.
    fileprivate static let configuredMark = "configured root "

    static func all(_ database: Database) throws(SQLiteError) -> [LibraryRoot] {
        var roots: [LibraryRoot] = []
        try database.forEach(
            """
            SELECT id, path, added, scanned, is_offline,
                EXISTS (SELECT 1 FROM setting WHERE name = ? || root.id) FROM root ORDER BY id
            """, configuredMark
        ) { row throws(SQLiteError) in
            roots.append(
                LibraryRoot(
                    id: try row.column(0), path: try row.column(1), added: try row.column(2),
                    scanned: try row.column(3), isOffline: try row.column(4),
                    isConfigured: try row.column(5)))
        }
        return roots
    }
}
