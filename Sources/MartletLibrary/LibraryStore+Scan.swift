// SPDX-License-Identifier: Apache-2.0
internal import MartletSQLite

/// What a scan has the store write, and asks it for.
extension LibraryStore {
    // MARK: The walk

    /// Writes what a walk found; files that are new or changed wait to be read from then on.
    func apply(_ changes: [ScanChange], in root: RootID) throws(LibraryError) {
        guard !changes.isEmpty else { return }
        var dirty: Set<FolderID> = []
        var folders = FolderTable(root: root)
        try writing { database throws(SQLiteError) in
            for change in changes { try LibraryStore.apply(change, root, &folders, &dirty, database) }
        }
        ungroupedFolders.formUnion(dirty)
    }

    private static func apply(
        _ change: ScanChange, _ root: RootID, _ folders: inout FolderTable, _ dirty: inout Set<FolderID>,
        _ database: Database
    ) throws(SQLiteError) {
        switch change {
        case .folder(let path, let node):
            try database.run(
                """
                INSERT INTO folder(root, path, device, inode) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET device = excluded.device, inode = excluded.inode, is_offline = 0
                """, root, path, node.device, node.inode)
        case .offline(let path):
            try database.run("UPDATE folder SET is_offline = 1 WHERE root = ?1 AND \(FolderWalk.isBelow)", root, path)
        case .found(let folder, let name, let kind, let stamp):
            let folder = try folders.id(of: folder, database)
            try database.run(
                """
                INSERT INTO file(folder, name, kind, device, inode, size, mtime_ns) VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET kind = excluded.kind, device = excluded.device, inode = excluded.inode,
                    size = excluded.size, mtime_ns = excluded.mtime_ns, state = 0
                """, folder, name, kind.rawValue, stamp.device, stamp.inode, stamp.size, stamp.modified)
        case .changed(let file, let stamp):
            try database.run(
                "UPDATE file SET device = ?, inode = ?, size = ?, mtime_ns = ?, state = 0 WHERE id = ?", stamp.device,
                stamp.inode, stamp.size, stamp.modified, file)
        case .moved(let file, let folder, let name):
            try move(file, to: try folders.id(of: folder, database), name, &dirty, database)
        case .renumbered(let file, let stamp):
            try database.run("UPDATE file SET device = ? WHERE id = ?", stamp.device, file)
        case .sheets(let folder):
            let id = try folders.id(of: folder, database)
            try database.run("UPDATE file SET state = 0 WHERE folder = ? AND kind = 0", id)
            dirty.insert(id)
        }
    }

    private static func move(
        _ file: FileID, to target: FolderID, _ name: [UInt8], _ dirty: inout Set<FolderID>, _ database: Database
    ) throws(SQLiteError) {
        var former: (folder: FolderID, name: [UInt8])?
        try database.forEach("SELECT folder, name FROM file WHERE id = ?", file) { row throws(SQLiteError) in
            former = (try row.column(0), try row.column(1))
        }
        guard let former else { return }
        // Whoever had the name has lost it, and is missed by the walk or moved as well.
        try database.run(
            "UPDATE file SET name = CAST(name || '/' || id AS BLOB) WHERE folder = ? AND name = ? AND id <> ?", target,
            name, file)
        try database.run("UPDATE file SET folder = ?, name = ? WHERE id = ?", target, name, file)
        // Its title may be its name, and a sheet may name it, here or where it was.
        try database.run(
            """
            UPDATE file SET state = 0 WHERE id = ?1 AND kind = 0 AND (
                EXISTS (SELECT 1 FROM track WHERE file = ?1 AND (title = ?2 OR sheet IS NOT NULL))
                OR EXISTS (SELECT 1 FROM file AS other WHERE other.folder = ?3 AND other.kind = 1))
            """, file, ScannedTrack.stem(of: former.name), target)
        try TrackWriter.noteInPlaylists(file, database)
        dirty.formUnion([former.folder, target])
    }

    /// Lets go of files and folders that are no longer there.
    func remove(_ files: [FileID], _ folders: [FolderID], now: UnixTime) throws(LibraryError) {
        var writer = trackWriter
        var dirty: Set<FolderID> = []
        for start in stride(from: 0, to: files.count, by: 500) {
            let part = files[start..<min(start + 500, files.count)]
            try writing { database throws(SQLiteError) in
                for file in part {
                    if let folder = try database.value("SELECT folder FROM file WHERE id = ?", file, as: FolderID.self)
                    {
                        dirty.insert(folder)
                    }
                    try writer.detach(tracksOf: file, now: now, database)
                    try database.run("DELETE FROM file WHERE id = ?", file)
                }
            }
        }
        try writing { database throws(SQLiteError) in
            for folder in folders {
                try database.run(
                    "DELETE FROM folder WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM file WHERE folder = ?1)", folder)
            }
        }
        trackWriter.touchedAlbums.formUnion(writer.touchedAlbums)
        trackWriter.hasGoneTracks = trackWriter.hasGoneTracks || writer.hasGoneTracks
        trackWriter.mayHaveLostArtists = trackWriter.mayHaveLostArtists || writer.mayHaveLostArtists
        ungroupedFolders.formUnion(dirty)
    }

    /// Says whether a root can be reached.
    func setOffline(_ isOffline: Bool, root: RootID) throws(LibraryError) {
        try writing { database throws(SQLiteError) in
            try database.run(
                "UPDATE root SET is_offline = ?1 WHERE id = ?2 AND is_offline <> ?1", isOffline, root)
        }
    }

    // MARK: Reading files

    /// How many files of a root wait to be read.
    func waitingCount(in root: RootID) throws(LibraryError) -> Int {
        trackWriter.hasChangedFiles = try reading { database throws(SQLiteError) in
            try database.value(
                "SELECT 1 FROM file WHERE state = 0 AND id IN (SELECT file FROM track) LIMIT 1",
                as: Int.self) != nil
        }
        trackWriter.hasGoneTracks = try reading { database throws(SQLiteError) in
            try database.value("SELECT 1 FROM track WHERE file IS NULL LIMIT 1", as: Int.self) != nil
        }
        return try reading { database throws(SQLiteError) in
            try database.value(
                """
                SELECT count(*) FROM file CROSS JOIN folder ON folder.id = file.folder
                WHERE file.state = 0 AND folder.root = ?
                """, root, as: Int.self) ?? 0
        }
    }

    /// The next files to read, folder by folder.
    ///
    /// - Parameter last: The file the part before ended with.
    func waitingFiles(
        in root: RootID, after last: WaitingFile?, most: Int
    ) throws(LibraryError) -> [WaitingFolder] {
        try reading { database throws(SQLiteError) in
            let folder = last?.folder.rawValue ?? -1
            let file = last?.id.rawValue ?? -1
            var result: [WaitingFolder] = []
            try database.forEach(
                """
                SELECT file.id, file.folder, file.name, file.kind, folder.path
                FROM file CROSS JOIN folder ON folder.id = file.folder
                WHERE file.state = 0 AND file.folder >= ?1 AND (file.folder > ?1 OR file.id > ?2) AND folder.root = ?3
                ORDER BY file.folder, file.id LIMIT ?4
                """, folder, file, root, most
            ) { row throws(SQLiteError) in
                let file = WaitingFile(
                    id: try row.column(0), folder: try row.column(1), name: try row.column(2),
                    kind: FileKind(rawValue: try row.column(3)) ?? .audio)
                if result.last?.id != file.folder {
                    result.append(WaitingFolder(id: file.folder, path: try row.column(4)))
                }
                result[result.count - 1].files.append(file)
            }
            for index in result.indices {
                try database.forEach(
                    "SELECT id, folder, name FROM file WHERE folder = ? AND kind = 1 ORDER BY name", result[index].id
                ) { row throws(SQLiteError) in
                    result[index].sheets.append(
                        WaitingFile(
                            id: try row.column(0), folder: try row.column(1), name: try row.column(2), kind: .sheet))
                }
            }
            return result
        }
    }

    /// Writes what files said, as a whole, and groups the folders that are read to the end.
    func write(_ files: [ScannedFile], now: UnixTime) throws(LibraryError) {
        var writer = trackWriter
        var ungrouped = ungroupedFolders
        try writing { database throws(SQLiteError) in
            for file in files {
                try writer.write(file, now: now, to: database)
                ungrouped.insert(file.folder)
            }
            for folder in Set(files.map(\.folder)) {
                let isUnread = try database.value(
                    "SELECT 1 FROM file WHERE folder = ? AND state = 0 LIMIT 1", folder, as: Int.self)
                guard isUnread == nil else { continue }
                try writer.group(folder, in: database)
                ungrouped.remove(folder)
            }
            if ungrouped.isEmpty { try writer.countTouchedAlbums(in: database) }
        }
        trackWriter = writer
        ungroupedFolders = ungrouped
    }

    // MARK: The end

    /// How long a track nobody did anything with is remembered after its file is gone.
    static let memory = Duration.seconds(90 * 24 * 3600)

    /// Brings together what belongs together, once the files of a scan are read.
    ///
    /// - Parameters:
    ///   - since: When the scan began.
    ///   - isComplete: Every root was seen to the end.
    func finishScan(of root: RootID, since: UnixTime, now: UnixTime, isComplete: Bool) throws(LibraryError) {
        try adopt(since: since)
        try groupRest()
        var writer = trackWriter
        try writing { database throws(SQLiteError) in
            if isComplete { try database.run("UPDATE root SET scanned = ?, is_offline = 0 WHERE id = ?", now, root) }
            try database.run(
                """
                DELETE FROM track WHERE file IS NULL AND gone < ?
                    AND id NOT IN (SELECT track FROM personal UNION SELECT track FROM play UNION SELECT track FROM bookmark
                        UNION SELECT track FROM playlist_entry WHERE track IS NOT NULL)
                """, now - LibraryStore.memory)
            if writer.mayHaveLostArtists { try SearchIndex.dropArtistsWithoutTracks(database) }
            writer.mayHaveLostArtists = false
            writer.forget()
        }
        trackWriter = writer
        letGoOfMemory()
    }

    /// Between looking at the root a file came to and at the one it left.
    static let moveWindow = Duration.seconds(600)

    /// A file that came in one root before it was missed in another is the track that was missed.
    private func adopt(since: UnixTime) throws(LibraryError) {
        var writer = trackWriter
        try writing { database throws(SQLiteError) in
            var pairs: [(former: TrackID, new: TrackID)] = []
            try database.forEach(
                """
                SELECT former.id, min(new.id) FROM track AS former JOIN track AS new ON new.identity = former.identity
                WHERE former.file IS NULL AND former.gone >= ?1 AND new.file IS NOT NULL AND new.added >= ?2
                    AND new.id > former.id AND NOT EXISTS (SELECT 1 FROM personal WHERE track = new.id)
                    AND NOT EXISTS (SELECT 1 FROM play WHERE track = new.id)
                    AND NOT EXISTS (SELECT 1 FROM bookmark WHERE track = new.id)
                    AND NOT EXISTS (SELECT 1 FROM playlist_entry WHERE track = new.id)
                GROUP BY former.id
                """, since, since - LibraryStore.moveWindow
            ) { row throws(SQLiteError) in pairs.append((try row.column(0), try row.column(1))) }
            var taken: Set<TrackID> = []
            for (former, new) in pairs where taken.insert(new).inserted {
                try writer.merge(new, into: former, database)
            }
        }
        trackWriter = writer
    }

    private func groupRest() throws(LibraryError) {
        let unfinished = try reading { database throws(SQLiteError) in
            var folders: Set<FolderID> = []
            guard mayHaveUngrouped else { return folders }
            try database.forEach(
                """
                SELECT DISTINCT file.folder FROM track JOIN file ON file.id = track.file
                WHERE track.album IS NULL AND track.album_title IS NOT NULL
                """
            ) { row throws(SQLiteError) in folders.insert(try row.column(0)) }
            return folders
        }
        let folders = ungroupedFolders.union(unfinished).sorted()
        for start in stride(from: 0, to: folders.count, by: 100) {
            var writer = trackWriter
            try writing { database throws(SQLiteError) in
                for folder in folders[start..<min(start + 100, folders.count)] {
                    try writer.group(folder, in: database)
                }
                if start + 100 >= folders.count { try writer.countTouchedAlbums(in: database) }
            }
            trackWriter = writer
        }
        ungroupedFolders = []
        mayHaveUngrouped = false
        if folders.isEmpty, !trackWriter.touchedAlbums.isEmpty {
            var writer = trackWriter
            try writing { database throws(SQLiteError) in try writer.countTouchedAlbums(in: database) }
            trackWriter = writer
        }
    }
}

/// Numbers of a root's folders; made where there are none.
private struct FolderTable {
    let root: RootID
    private var known: [[UInt8]: FolderID] = [:]

    init(root: RootID) {
        self.root = root
    }

    mutating func id(of path: [UInt8], _ database: Database) throws(SQLiteError) -> FolderID {
        if let id = known[path] { return id }
        var id = try database.value("SELECT id FROM folder WHERE root = ? AND path = ?", root, path, as: FolderID.self)
        if id == nil {
            try database.run("INSERT INTO folder(root, path, device, inode) VALUES (?, ?, 0, 0)", root, path)
            id = FolderID(rawValue: database.lastInsertedRow)
        }
        known[path] = id
        return id ?? FolderID(rawValue: 0)
    }
}

/// A file that is to be read.
struct WaitingFile: Sendable {
    var id: FileID
    var folder: FolderID
    var name: [UInt8]
    var kind: FileKind
}

/// Files of one folder that are to be read.
struct WaitingFolder: Sendable {
    var id: FolderID
    /// Below the root.
    var path: [UInt8]
    var files: [WaitingFile] = []
    /// Every sheet that lies there.
    var sheets: [WaitingFile] = []

    init(id: FolderID, path: [UInt8]) {
        self.id = id
        self.path = path
    }
}
