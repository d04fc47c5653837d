// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletCharset
internal import MartletCore
internal import MartletFormats
internal import MartletProtocol
internal import MartletText

/// One walk through arguments, the folders and lists they name, and what lies in those.
///
/// Blocking; lives inside one call of ``ArgumentExpander/expand(_:in:)``.
struct ArgumentWalk {
    /// Who named a path.
    enum Origin {
        case argument
        /// Found in a folder, this deep below the one that was named.
        case folder(depth: Int)
        /// An entry of a list.
        case list(PlaylistEntry)
    }

    var expansion = Expansion()
    let reader: ListReading
    var finder = NameFinder()
    /// Files that a cue sheet stands for.
    var claimed: Set<FileIdentity> = []
    /// Lists that are being read, outermost first.
    var openLists: [FileIdentity] = []
    /// Entries of lists so far, and what the lists of the present argument weigh.
    var lookedAt = 0
    var listBytes = 0
    let limit: Int
    private let folder: [UInt8]
    private var visited: Set<FileIdentity> = []
    private var hasStopped = false

    private static let deepestFolder = 64

    init(folder: [UInt8], limit: Int, fallback: Charset?) {
        self.folder = folder
        self.limit = limit
        reader = ListReading(limit: limit, decode: PlaylistReader.decoding(fallback: fallback))
    }

    // MARK: - Arguments

    mutating func add(_ arguments: [[UInt8]]) {
        // A shell writes out `Album/*` as the sheet and its files.
        if arguments.count > 1 {
            for argument in arguments where MediaTypes.ending(of: argument) == "cue" {
                if let path = path(of: argument), let sheet = sheet(at: path) { claimed.formUnion(sheet.files) }
            }
        }
        for argument in arguments where !hasStopped {
            visited.removeAll()
            listBytes = 0
            add(argument)
        }
    }

    /// The path an argument means, if it means one.
    private func path(of argument: [UInt8]) -> [UInt8]? {
        if ArgumentWalk.isURI(argument) { return MediaURI(ArgumentWalk.encoded(argument))?.filePath }
        if argument.first == UInt8(ascii: "/") { return argument }
        return folder.isEmpty || argument.isEmpty ? nil : folder + [UInt8(ascii: "/")] + argument
    }

    private mutating func add(_ argument: [UInt8]) {
        if ArgumentWalk.isURI(argument) {
            guard let uri = MediaURI(ArgumentWalk.encoded(argument)) else {
                return fail(argument, .unsupported, tr("not the URI of a file on this machine"))
            }
            if let path = uri.filePath { return add(path: path, from: .argument) }
            return addRemote(uri, entry: nil)
        }
        guard !argument.isEmpty else { return fail(argument, .notFound, tr("an empty name")) }
        if let path = path(of: argument), argument.first == UInt8(ascii: "/") || FileStatus(path) != nil {
            return add(path: path, from: .argument)
        }
        // `spotify:track:…` is a URI as well, unless there is a file of that name.
        if let scheme = ArgumentWalk.scheme(argument) {
            let isFile = scheme == "file"
            return fail(
                argument, .unsupported, isFile ? tr("not the URI of a file on this machine") : unsupported(scheme))
        }
        guard let path = path(of: argument) else {
            return fail(argument, .unsupported, tr("neither an absolute path nor a URI"))
        }
        add(path: path, from: .argument)
    }

    /// Something on the network: taken as it is, if the scheme is one of ours.
    mutating func addRemote(_ uri: MediaURI, entry: PlaylistEntry?) {
        guard MediaTypes.schemes.contains(uri.scheme), uri.scheme != "file" else {
            return fail(Array(uri.description.utf8), .unsupported, unsupported(uri.scheme))
        }
        append(item(uri, entry: entry))
    }

    private func unsupported(_ scheme: String) -> String {
        tr("the scheme {0} is not supported; supported: {1}", scheme, MediaTypes.schemes.joined(separator: ", "))
    }

    private static func isURI(_ bytes: [UInt8]) -> Bool {
        guard let scheme = scheme(bytes) else { return false }
        return bytes.dropFirst(scheme.utf8.count).starts(with: scheme == "file" ? ":/".utf8 : "://".utf8)
    }

    private static func scheme(_ bytes: [UInt8]) -> String? {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), (2...32).contains(colon) else { return nil }
        let scheme = bytes[..<colon].map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
        let isScheme = scheme.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
        }
        guard isScheme, (0x61...0x7A).contains(scheme[0]) else { return nil }
        return String(decoding: scheme, as: UTF8.self)
    }

    /// A URI with bytes that are no UTF-8 encoded, so that they stay those bytes.
    private static func encoded(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = ""
        for byte in bytes {
            text += byte < 0x80 ? String(Unicode.Scalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
        }
        return text
    }

    // MARK: - Paths

    mutating func add(path: [UInt8], from origin: Origin) {
        guard mayGoOn(), let status = status(of: path, from: origin) else { return }
        switch status.kind {
        case .folder:
            add(folder: FileStatus.tidied(path), status, depth: origin.depth)
        case .file:
            switch origin {
            case .folder:
                guard MediaTypes.isAudio(path), !claimed.contains(status.identity) else { return }
                addFile(path, status, entry: nil)
            case .argument:
                guard !claimed.contains(status.identity) || MediaTypes.ending(of: path) == "cue" else { return }
                addNamed(FileStatus.tidied(path), status, entry: nil)
            case .list(let entry):
                addNamed(path, status, entry: entry)
            }
        case .other:
            if case .folder = origin { return }
            fail(path, .unsupported, tr("neither a file nor a folder"))
        }
    }

    private mutating func status(of path: [UInt8], from origin: Origin) -> FileStatus? {
        guard !path.contains(0) else {
            fail(path, .notFound, tr("a name with a NUL"))
            return nil
        }
        do throws(SystemError) {
            return try FileStatus(of: path)
        } catch {
            // Gone since the folder was read: nobody asked for this one.
            if case .folder = origin, error.code == ENOENT { return nil }
            fail(path, error.code == EACCES ? .denied : .notFound, error.reason)
            return nil
        }
    }

    /// A file somebody named: a list, or whatever the engine makes of it.
    private mutating func addNamed(_ path: [UInt8], _ status: FileStatus, entry: PlaylistEntry?) {
        if !MediaTypes.isAudio(path), status.size > 0 {
            do throws(SystemError) {
                let head = try FileHead.read(path, count: 16_384)
                if let format = PlaylistFormat.detect(name: path, bytes: head) {
                    return add(list: path, format, status)
                }
                guard !FileHead.isCertainlyNoAudio(head) else {
                    return fail(path, .notAudio, tr("this is no audio file"))
                }
            } catch {
                return fail(path, error.code == EACCES ? .denied : .unreadable, error.reason)
            }
        }
        addFile(path, status, entry: entry)
    }

    private mutating func addFile(_ path: [UInt8], _ status: FileStatus, entry: PlaylistEntry?) {
        // An empty file never gets further than here (F233).
        guard status.size > 0 else { return fail(path, .notAudio, tr("the file is empty")) }
        guard FileStatus.isReadable(path) else { return fail(path, .denied, SystemError.text(EACCES)) }
        guard let uri = MediaURI(filePath: path) else { return }
        var item = item(uri, entry: entry)
        item.albumKey = MediaURI(filePath: FileStatus.folder(of: path))?.description
        append(item)
    }

    private mutating func add(folder path: [UInt8], _ status: FileStatus, depth: Int) {
        // A link to a folder above would go round for ever (F249).
        guard visited.insert(status.identity).inserted else { return }
        guard depth < ArgumentWalk.deepestFolder else {
            return fail(path, .tooDeep, tr("folders are nested more than {0} deep", "\(ArgumentWalk.deepestFolder)"))
        }
        let names: [FolderListing.Name]
        do throws(SystemError) {
            names = try FolderListing.read(path)
        } catch {
            return fail(path, error.code == EACCES ? .denied : .unreadable, error.reason)
        }
        let base = path.last == UInt8(ascii: "/") ? path : path + [UInt8(ascii: "/")]
        let wanted = names.filter { $0.bytes.first != UInt8(ascii: ".") && $0.mayMatter }
            .map { (key: NaturalOrder($0.bytes), name: $0) }
            .sorted { $0.key < $1.key }
        // All sheets first: one may name a file that comes before it.
        var sheets: [[UInt8]: FoundSheet] = [:]
        for (_, name) in wanted where name.isSheet {
            guard let sheet = sheet(at: base + name.bytes), sheet.isComplete, claimed.isDisjoint(with: sheet.files)
            else {
                continue
            }
            sheets[name.bytes] = sheet
            claimed.formUnion(sheet.files)
        }
        for (_, name) in wanted {
            guard !hasStopped else { return }
            if name.isSheet {
                if let sheet = sheets[name.bytes] { add(sheet) }
            } else {
                add(path: base + name.bytes, from: .folder(depth: depth + 1))
            }
        }
    }

    // MARK: - What comes of it

    /// - Parameter entry: What a list says of it.
    func item(_ uri: MediaURI, entry: PlaylistEntry?) -> ExpandedItem {
        var item = ExpandedItem(uri: uri)
        guard let entry else { return item }
        item.start = entry.start
        item.end = entry.end
        item.tags = entry.tags == TrackTags() ? nil : entry.tags
        return item
    }

    mutating func append(_ item: ExpandedItem) {
        guard expansion.items.count < limit else { return stop(Array(item.uri.description.utf8)) }
        expansion.items.append(item)
    }

    /// Looks no further, and says so once.
    mutating func stop(_ what: [UInt8], _ reason: String? = nil) {
        guard !hasStopped else { return }
        hasStopped = true
        let reason = reason ?? tr("more than {0} entries; the rest is left out", "\(limit)")
        expansion.problems.append(ExpansionProblem(what: ArgumentWalk.shown(what), kind: .tooMany, reason: reason))
    }

    /// Whether there is any use in looking further.
    mutating func mayGoOn() -> Bool {
        guard !hasStopped else { return false }
        guard Task.isCancelled else { return true }
        hasStopped = true
        expansion.problems.append(ExpansionProblem(what: "", kind: .cancelled, reason: tr("stopped before the end")))
        return false
    }

    mutating func fail(_ what: [UInt8], _ kind: ExpansionProblem.Kind, _ reason: String) {
        switch expansion.problems.count {
        case ..<ArgumentExpander.mostProblems:
            expansion.problems.append(ExpansionProblem(what: ArgumentWalk.shown(what), kind: kind, reason: reason))
        case ArgumentExpander.mostProblems:
            expansion.problems.append(
                ExpansionProblem(what: "…", kind: kind, reason: tr("there are more, which are not listed")))
        default: break
        }
    }

    private static func shown(_ bytes: some Collection<UInt8>) -> String {
        TextRepair.repair(bytes.prefix(300)) + (bytes.count > 300 ? "…" : "")
    }
}

extension ArgumentWalk.Origin {
    fileprivate var depth: Int {
        if case .folder(let depth) = self { depth } else { 0 }
    }
}
