// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletCore
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
            guard let uri = MediaURI(filePath: path) else { return }
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
        for (_, name) in names.map({ (NaturalOrder($0), $0) }).sorted(by: { $0.0 < $1.0 }) {
            addPath(base + name, isNamed: false, depth: depth + 1)
        }
    }

    private mutating func fail(_ what: [UInt8], _ kind: ExpansionProblem.Kind, _ reason: String) {
        let text = String(decoding: what.prefix(300), as: UTF8.self) + (what.count > 300 ? "…" : "")
        expansion.problems.append(ExpansionProblem(what: text, kind: kind, reason: reason))
    }
}
