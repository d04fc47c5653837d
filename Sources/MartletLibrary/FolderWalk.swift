// SPDX-License-Identifier: Apache-2.0
internal import MartletSQLite

/// One walk through a root, comparing what lies there with what the tables know.
///
/// Blocking, on a queue of its own: a mount that hangs holds up its own walk only. Reads through a connection of its own,
/// and where nothing changed nobody else hears of it. Every folder is visited once, whatever links lead to it
/// (F248, F249); links are followed last, so that a file is known by its real place.
actor FolderWalk {
    private nonisolated let executor = SerialQueueExecutor(label: "org.martlet.library.walk", isBackground: true)
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// What one step gives.
    struct Step: Sendable {
        var changes: [ScanChange] = []
        var problems: [ScanProblem] = []
        /// Files seen so far.
        var found = 0
        /// What is no longer there; with the last step of a walk that saw everything.
        var missing: [FileID] = []
        var missingFolders: [FolderID] = []
        /// The root cannot be reached: nothing is said of what is in it.
        var isOffline = false
        var isLast = false
    }

    private let root: RootID
    private let rootPath: [UInt8]
    /// Roots inside this one, which are walked by themselves.
    private let innerRoots: Set<[UInt8]>
    // Opened on this actor's queue and used there only.
    private let databasePath: String
    private var database: Database?

    private let startFolder: [UInt8]

    /// Folders still to be visited, below the root; the next one last.
    private var pending: [[UInt8]]
    private var links: [(folder: [UInt8], name: [UInt8])] = []
    private var fileLinks: [(folder: [UInt8], file: FolderContent.File)] = []
    private var visited: Set<FileNode> = []
    private var visitedFolders: Set<FolderID> = []
    /// Visited before they were in the tables.
    private var newFolders: Set<[UInt8]> = []
    /// Below these nobody could look.
    private var unseen: [[UInt8]] = []
    private var missing: [FileID] = []
    private var moved: Set<FileID> = []
    /// New files of several names.
    private var newNodes: Set<FileNode> = []
    private var found = 0
    private var step = Step()

    /// - Parameter start: A folder below the root to look at alone; empty for all of it.
    init(root: RootID, path: [UInt8], innerRoots: Set<[UInt8]>, databasePath: String, start: [UInt8] = []) {
        self.root = root
        rootPath = path
        self.innerRoots = innerRoots
        self.databasePath = databasePath
        pending = [start]
        startFolder = start
    }

    /// Goes on until there is something to write, or until the end.
    ///
    /// - Parameter most: Changes after which it is time to write them.
    func next(most: Int) throws(LibraryError) -> Step {
        step = Step()
        do throws(SQLiteError) {
            if database == nil {
                var configuration = Database.Configuration()
                configuration.mode = .read
                database = try Database(path: Array(databasePath.utf8), configuration: configuration)
            }
            guard let database else { throw SQLiteError(code: .misuse, message: "no connection") }
            try go(on: database, most: most)
        } catch {
            throw .database(error)
        }
        step.found = found
        if step.isLast || step.isOffline || Task.isCancelled { database = nil }
        return step
    }

    private func go(on database: Database, most: Int) throws(SQLiteError) {
        var visits = 0
        while step.changes.count < most, visits < 4096, !Task.isCancelled, !step.isOffline {
            // Some folders for each look at the tables, which costs as much for one as for many; and none of them read
            // during it: a mount that hangs would keep the log from being taken over.
            var batch: [(folder: [UInt8], content: FolderContent)] = []
            while batch.count < 32, !Task.isCancelled, let folder = nextFolder() {
                visits += 1
                if let content = look(into: folder) { batch.append((folder, content)) }
            }
            if !batch.isEmpty {
                try database.transaction(.deferred) { () throws(SQLiteError) in
                    for (folder, content) in batch { try compare(content, of: folder, database) }
                }
            } else if pending.isEmpty, links.isEmpty, !step.isOffline, !Task.isCancelled {
                guard !fileLinks.isEmpty else { return try finish(database) }
                // What was found so far has to be in the tables first.
                guard step.changes.isEmpty else { return }
                try followFiles(database)
            }
        }
    }

    private func nextFolder() -> [UInt8]? {
        if let folder = pending.popLast() { return folder }
        guard !links.isEmpty else { return nil }
        let link = links.removeFirst()
        return LibraryPath.below(link.folder, link.name)
    }

    // MARK: A folder

    /// Reads a folder, unless that was done by another way, and queues what is below it.
    private func look(into folder: [UInt8]) -> FolderContent? {
        let path = LibraryPath.join(rootPath, folder)
        let content: FolderContent
        do throws(FolderError) {
            content = try FolderContent(path: path)
        } catch {
            // What is gone is missed at the end; of what cannot be looked into nothing is known.
            guard folder.isEmpty || !error.isAbsence else { return nil }
            if folder.isEmpty { step.isOffline = true }
            unseen.append(folder)
            step.problems.append(ScanProblem(path: path, errno: error.code))
            return nil
        }
        guard visited.insert(content.node).inserted else { return nil }
        for next in content.folders.reversed() {
            let below = LibraryPath.below(folder, next.name)
            if innerRoots.contains(LibraryPath.join(rootPath, below)) { continue }
            if next.isLink { links.append((folder, next.name)) } else { pending.append(below) }
        }
        return content
    }

    private func compare(_ content: FolderContent, of folder: [UInt8], _ database: Database) throws(SQLiteError) {
        let known = try KnownFolder(root, folder, database)
        if content.isEmpty, try seemsUnmounted(folder, known, content.node, database) {
            unseen.append(folder)
            if folder.isEmpty { step.isOffline = true } else { step.changes.append(.offline(folder)) }
            return
        }
        if let known {
            visitedFolders.insert(known.id)
            if known.isOffline || known.node != content.node { step.changes.append(.folder(folder, content.node)) }
        } else if !content.isEmpty {
            newFolders.insert(folder)
            step.changes.append(.folder(folder, content.node))
        }
        try compare(content.files, in: folder, known, database)
    }

    /// A folder with nothing in it where music was is, more likely than not, a mount point without its mount (F250).
    private func seemsUnmounted(
        _ folder: [UInt8], _ known: KnownFolder?, _ node: FileNode, _ database: Database
    ) throws(SQLiteError) -> Bool {
        guard let known, folder.isEmpty || known.node != node || known.isOffline else { return false }
        return try database.value(
            """
            SELECT 1 FROM folder JOIN file ON file.folder = folder.id
            WHERE root = ? AND \(FolderWalk.isBelow) LIMIT 1
            """, root, folder, as: Int.self) != nil
    }

    /// `folder.path` is the second value or lies below it. `0` is what comes after `/`.
    static let isBelow = "(?2 = x'' OR folder.path = ?2 OR folder.path > ?2 || x'2F' AND folder.path < ?2 || x'30')"

    // MARK: Files

    private func compare(
        _ files: [FolderContent.File], in folder: [UInt8], _ known: KnownFolder?, _ database: Database
    ) throws(SQLiteError) {
        var rows: [KnownFile] = []
        if let known { rows = try KnownFile.all(in: known.id, database) }
        // Both in the order of their names' bytes.
        var next = 0
        var hasNewSheets = false
        func pass(_ row: KnownFile) {
            missing.append(row.id)
            hasNewSheets = hasNewSheets || row.kind == .sheet
        }
        for file in files {
            if file.kind == .audio { found += 1 }
            while next < rows.count, rows[next].name.lexicographicallyPrecedes(file.name) {
                pass(rows[next])
                next += 1
            }
            guard next < rows.count, rows[next].name == file.name else {
                if file.isLink {
                    fileLinks.append((folder, file))
                } else {
                    try take(new: file, in: folder, database)
                }
                hasNewSheets = hasNewSheets || file.kind == .sheet
                continue
            }
            let row = rows[next]
            next += 1
            if !row.stamp.isSameContent(as: file.stamp) || row.isRetried(folder: folder, rootPath) {
                step.changes.append(.changed(row.id, file.stamp))
                hasNewSheets = hasNewSheets || file.kind == .sheet
            } else if row.stamp.device != file.stamp.device {
                step.changes.append(.renumbered(row.id, file.stamp))
            }
        }
        rows[next...].forEach(pass)
        // Which file is whose changes for all that lie beside it.
        if hasNewSheets { step.changes.append(.sheets(folder)) }
    }

    private func take(new file: FolderContent.File, in folder: [UInt8], _ database: Database) throws(SQLiteError) {
        if file.mayHaveOtherNames, !newNodes.insert(file.stamp.node).inserted { return }
        if let former = try KnownFile.other(with: file.stamp.node, database), former.kind == file.kind {
            // The same file by another name (F265).
            if moved.contains(former.id) || FolderContent.stamp(of: former.path)?.node == file.stamp.node { return }
            if former.stamp.isSameContent(as: file.stamp) {
                // A new name for what was read already.
                moved.insert(former.id)
                step.changes.append(.moved(former.id, folder: folder, name: file.name))
                return
            }
        }
        step.changes.append(.found(folder: folder, name: file.name, kind: file.kind, file.stamp))
    }

    /// Files that are links, once all that are none are in the tables: those are not taken twice.
    private func followFiles(_ database: Database) throws(SQLiteError) {
        let links = fileLinks
        fileLinks = []
        for link in links { try take(new: link.file, in: link.folder, database) }
    }

    // MARK: The end

    private func finish(_ database: Database) throws(SQLiteError) {
        step.isLast = true
        let unseen = unseen
        func isHidden(_ folder: [UInt8]) -> Bool {
            unseen.contains { LibraryPath.contains($0, folder) }
        }
        try database.forEach(
            "SELECT id, path FROM folder WHERE root = ? AND \(FolderWalk.isBelow)", root, startFolder
        ) { row throws(SQLiteError) in
            let id: FolderID = try row.column(0)
            let path: [UInt8] = try row.column(1)
            if visitedFolders.contains(id) || newFolders.contains(path) || isHidden(path) { return }
            step.missingFolders.append(id)
        }
        for folder in step.missingFolders {
            try database.forEach("SELECT id FROM file WHERE folder = ?", folder) { row throws(SQLiteError) in
                missing.append(try row.column(0))
            }
        }
        step.missing = missing.filter { !moved.contains($0) }
    }
}

/// A folder as the tables have it.
private struct KnownFolder {
    var id: FolderID
    var node: FileNode
    var isOffline: Bool

    init?(_ root: RootID, _ path: [UInt8], _ database: Database) throws(SQLiteError) {
        var found: (FolderID, FileNode, Bool)?
        try database.forEach(
            "SELECT id, device, inode, is_offline FROM folder WHERE root = ? AND path = ?", root, path
        ) { row throws(SQLiteError) in
            let node = FileNode(device: try row.column(1), inode: try row.column(2))
            found = (try row.column(0), node, try row.column(3))
        }
        guard let found else { return nil }
        (id, node, isOffline) = found
    }
}

/// A file as the tables have it.
private struct KnownFile {
    var id: FileID
    var kind: FileKind
    var stamp: FileStamp
    var isDenied: Bool
    /// Only from ``all(in:_:)``.
    var name: [UInt8] = []
    /// Only from ``other(with:_:)``.
    var path: [UInt8] = []

    /// What a folder holds, in the order of the names' bytes.
    static func all(in folder: FolderID, _ database: Database) throws(SQLiteError) -> [KnownFile] {
        var rows: [KnownFile] = []
        try database.forEach(
            """
            SELECT id, kind, device, inode, size, mtime_ns, failure = 'denied', name FROM file WHERE folder = ?
            ORDER BY name
            """, folder
        ) { row throws(SQLiteError) in
            var file = try KnownFile(row)
            file.name = try row.column(7)
            rows.append(file)
        }
        return rows
    }

    /// The file that has this number, wherever it is thought to be.
    static func other(with node: FileNode, _ database: Database) throws(SQLiteError) -> KnownFile? {
        var file: KnownFile?
        try database.forEach(
            """
            SELECT file.id, kind, file.device, file.inode, size, mtime_ns, 0, root.path, folder.path, name
            FROM file JOIN folder ON folder.id = file.folder JOIN root ON root.id = folder.root
            WHERE file.inode = ? AND file.device = ? LIMIT 1
            """, node.inode, node.device
        ) { row throws(SQLiteError) in
            file = try KnownFile(row)
            file?.path = LibraryPath.join(try row.column(7), try row.column(8), name: try row.column(9))
        }
        return file
    }

    private init(_ row: Statement) throws(SQLiteError) {
        id = try row.column(0)
        let kind: Int = try row.column(1)
        self.kind = FileKind(rawValue: kind) ?? .audio
        stamp = FileStamp(
            device: try row.column(2), inode: try row.column(3), size: try row.column(4), modified: try row.column(5))
        let isDenied = try row.column(6, as: Bool?.self)
        self.isDenied = isDenied ?? false
    }

    /// Permissions change no stamp.
    func isRetried(folder: [UInt8], _ root: [UInt8]) -> Bool {
        isDenied && FolderContent.isReadable(LibraryPath.join(root, folder, name: name))
    }
}
