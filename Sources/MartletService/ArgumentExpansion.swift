// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletCore
internal import MartletFormats
internal import MartletProtocol
internal import MartletSQLite
internal import MartletText

/// One thing to queue, found behind an argument.
struct ExpandedItem: Hashable, Sendable {
    var uri: MediaURI
    var start = Duration.zero
    var end: Duration?
    /// What a playlist or a cue sheet tells of it.
    var tags: TrackTags?
    /// Entries of one folder are one album until tags say better.
    var albumKey: String?
}

/// An argument, or something behind it, that gave nothing.
struct ExpansionProblem: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case notFound
        case denied
        case unsupported
        case unreadable
        case tooMany
    }

    /// Fit to show.
    var what: String
    var kind: Kind
    /// One sentence.
    var reason: String
}

/// What arguments came to.
struct Expansion: Hashable, Sendable {
    var items: [ExpandedItem] = []
    var problems: [ExpansionProblem] = []
}

/// Turns arguments into entries, on a queue of its own: a folder on a mount that hangs hangs nothing else.
actor ArgumentExpander {
    private let executor = SerialQueueExecutor(label: "org.martlet.expansion")
    /// More than this nobody means.
    static let limit = 200_000

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Looks at each argument: a path or a URI, of a file or a folder.
    func expand(_ arguments: [[UInt8]], in folder: [UInt8]) -> Expansion {
        var walk = FolderWalk()
        for argument in arguments { walk.add(argument, in: folder) }
        return walk.expansion
    }
}

/// One walk through arguments, folders and what lies in them.
struct FolderWalk {
    var expansion = Expansion()
    private var visited: Set<FileIdentity> = []
    /// Files that are queued already, some of them cut up by a sheet.
    private var taken: Set<[UInt8]> = []

    private struct FileIdentity: Hashable {
        var device: UInt
        var inode: UInt
    }

    mutating func add(_ argument: [UInt8], in folder: [UInt8]) {
        let text = String(decoding: argument, as: UTF8.self)
        let scheme = text.prefix { $0 != ":" }
        let isURI =
            scheme.endIndex < text.endIndex && scheme.utf8.count > 1 && !scheme.contains("/")
            && MediaURI(text) != nil && text[scheme.endIndex...].dropFirst().first == "/"
        if isURI, let uri = MediaURI(text) {
            if let path = uri.filePath { return addPath(path, isNamed: true, depth: 0) }
            guard MediaTypes.schemes.contains(uri.scheme) else {
                return fail(
                    argument, .unsupported,
                    tr(
                        "the scheme {0} is not supported; supported: {1}", uri.scheme,
                        MediaTypes.schemes.joined(separator: ", ")))
            }
            expansion.items.append(ExpandedItem(uri: uri))
            return
        }
        if text.lowercased().hasPrefix("file:") {
            return fail(argument, .unsupported, tr("not a URI of a local file"))
        }
        guard let first = argument.first else { return fail(argument, .notFound, tr("an empty name")) }
        if first == UInt8(ascii: "/") { return addPath(argument, isNamed: true, depth: 0) }
        guard !folder.isEmpty else { return fail(argument, .notFound, tr("not an absolute path and not a URI")) }
        addPath(folder + [UInt8(ascii: "/")] + argument, isNamed: true, depth: 0)
    }

    private mutating func addPath(_ path: [UInt8], isNamed: Bool, depth: Int) {
        guard expansion.items.count < ArgumentExpander.limit else {
            if expansion.problems.last?.kind != .tooMany {
                fail(path, .tooMany, tr("more than {0} files; the rest is left out", "\(ArgumentExpander.limit)"))
            }
            return
        }
        var status = stat()
        let name = path.map { CChar(bitPattern: $0) } + [0]
        guard !path.contains(0), unsafe stat(name, &status) == 0 else {
            let code = path.contains(0) ? EINVAL : errno
            return fail(path, code == EACCES ? .denied : .notFound, unsafe String(cString: strerror(code)))
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR:
            addFolder(path, FileIdentity(device: UInt(status.st_dev), inode: UInt(status.st_ino)), depth: depth)
        case S_IFREG:
            guard isNamed || MediaTypes.isAudio(path) else { return }
            guard unsafe access(name, R_OK) == 0 else {
                return fail(path, .denied, unsafe String(cString: strerror(errno)))
            }
            if isNamed, !MediaTypes.isAudio(path), addList(path, depth: depth) { return }
            guard let uri = MediaURI(filePath: path), taken.insert(path).inserted || isNamed else { return }
            let folder = path.prefix(through: path.lastIndex(of: UInt8(ascii: "/")) ?? 0)
            expansion.items.append(ExpandedItem(uri: uri, albumKey: String(decoding: folder, as: UTF8.self)))
        default:
            if isNamed { fail(path, .unsupported, tr("neither a file nor a folder")) }
        }
    }

    private mutating func addFolder(_ path: [UInt8], _ identity: FileIdentity, depth: Int) {
        // A link to a folder above would go round for ever.
        guard visited.insert(identity).inserted, depth < 64 else { return }
        guard let directory = unsafe opendir(path.map { CChar(bitPattern: $0) } + [0]) else {
            return fail(path, errno == EACCES ? .denied : .unreadable, unsafe String(cString: strerror(errno)))
        }
        var names: [[UInt8]] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe Array(bytes.prefix { $0 != 0 })
            }
            if name.first != UInt8(ascii: ".") { names.append(name) }
        }
        unsafe closedir(directory)
        let base = path.last == UInt8(ascii: "/") ? path : path + [UInt8(ascii: "/")]
        let sorted = names.map { (NaturalOrder($0), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
        // A sheet goes before the files it cuts up, so that each song comes once.
        for name in sorted where MediaTypes.ending(of: name) == "cue" { _ = addList(base + name, depth: depth + 1) }
        for name in sorted { addPath(base + name, isNamed: false, depth: depth + 1) }
    }

    // MARK: Lists

    /// Adds what a playlist or a cue sheet names.
    ///
    /// - Returns: Whether the file is a list; one that cannot be read is a problem and still a list.
    private mutating func addList(_ path: [UInt8], depth: Int) -> Bool {
        let isByName = MediaTypes.isPlaylist(path)
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try AtomicFile.read(path, limit: FolderWalk.largestList)
        } catch {
            if isByName { fail(path, error.code == EACCES ? .denied : .unreadable, error.reason) }
            return isByName
        }
        guard let format = PlaylistFormat.detect(name: path, bytes: bytes), format != .hls else { return false }
        guard depth < FolderWalk.deepestList else {
            fail(path, .unsupported, tr("lists within lists within lists"))
            return true
        }
        let folder = Array(path[..<(path.lastIndex(of: UInt8(ascii: "/")) ?? 0)])
        let reader = PlaylistReader(base: .folder(folder.isEmpty ? [UInt8(ascii: "/")] : folder))
        do throws(PlaylistError) {
            let list = try reader.read(bytes, as: format)
            if list.rejectedCount > 0 {
                fail(path, .unreadable, tr("{0} places in the list cannot be meant", "\(list.rejectedCount)"))
            }
            let key = format == .cue ? String(decoding: path, as: UTF8.self) : nil
            for entry in list.entries { add(entry, albumKey: key, depth: depth) }
        } catch {
            fail(path, .unreadable, FolderWalk.reason(error))
        }
        return true
    }

    private static let largestList = 16 * 1024 * 1024
    private static let deepestList = 5

    private mutating func add(_ entry: PlaylistEntry, albumKey: String?, depth: Int) {
        let paths = entry.candidatePaths
        guard !paths.isEmpty else {
            guard let uri = entry.uri, MediaTypes.schemes.contains(uri.scheme) else {
                return fail(Array((entry.uri?.description ?? "").utf8), .unsupported, tr("the scheme is not supported"))
            }
            expansion.items.append(
                ExpandedItem(uri: uri, start: entry.start, end: entry.end, tags: entry.tags, albumKey: albumKey))
            return
        }
        guard let path = paths.first(where: FolderWalk.exists) else {
            return fail(paths[0], .notFound, tr("a list names it, and it is not there"))
        }
        // A list may name folders and other lists.
        guard FolderWalk.isFile(path), !MediaTypes.isPlaylist(path) else {
            return addPath(path, isNamed: true, depth: depth + 1)
        }
        guard let uri = MediaURI(filePath: path) else { return }
        taken.insert(path)
        expansion.items.append(
            ExpandedItem(uri: uri, start: entry.start, end: entry.end, tags: entry.tags, albumKey: albumKey))
    }

    private static func exists(_ path: [UInt8]) -> Bool {
        unsafe !path.contains(0) && access(path.map { CChar(bitPattern: $0) } + [0], F_OK) == 0
    }

    private static func isFile(_ path: [UInt8]) -> Bool {
        var status = stat()
        return unsafe stat(path.map { CChar(bitPattern: $0) } + [0], &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private static func reason(_ error: PlaylistError) -> String {
        switch error {
        case .stream: tr("a stream, not a list")
        case .unsupported(let format): tr("lists of the kind {0} are not read", format.rawValue)
        case .malformed(let text, let line?): tr("line {0}: {1}", "\(line)", text)
        case .malformed(let text, nil): text
        case .tooLarge(let limit): tr("longer than {0} bytes", "\(limit)")
        }
    }

    private mutating func fail(_ what: [UInt8], _ kind: ExpansionProblem.Kind, _ reason: String) {
        let text = String(decoding: what.prefix(300), as: UTF8.self) + (what.count > 300 ? "…" : "")
        expansion.problems.append(ExpansionProblem(what: text, kind: kind, reason: reason))
    }
}
