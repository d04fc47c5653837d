// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletCore
internal import MartletText

/// One file whatever it is called: links and second names are the same one.
struct FileIdentity: Hashable {
    var device: UInt
    var inode: UInt
}

/// What `stat(2)` says of a path.
struct FileStatus {
    enum Kind {
        case file
        case folder
        /// A pipe, a socket, a device: opening one may wait for ever, so nobody does.
        case other
    }

    var kind: Kind
    var size: Int
    var identity: FileIdentity

    /// - Parameter path: Links in it are followed.
    init(of path: [UInt8]) throws(SystemError) {
        var status = stat()
        guard unsafe stat(cPath(path), &status) == 0 else { throw SystemError(code: errno, operation: "stat") }
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            default: .other
            }
        size = Int(status.st_size)
        identity = FileIdentity(device: UInt(status.st_dev), inode: UInt(status.st_ino))
    }

    /// `nil` for what is not there, or cannot be.
    init?(_ path: [UInt8]) {
        guard !path.contains(0), let status = try? FileStatus(of: path) else { return nil }
        self = status
    }

    static func isReadable(_ path: [UInt8]) -> Bool {
        unsafe access(cPath(path), R_OK) == 0
    }

    /// The folder a path lies in, without a slash at its end unless it is the root.
    static func folder(of path: [UInt8]) -> [UInt8] {
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")), slash > 0 else { return [UInt8(ascii: "/")] }
        return Array(path[..<slash])
    }

    /// A path without `.`, `//` and, if it has any, without `..`: then as the file system resolves it, since what is
    /// above a link is known to nobody else.
    static func tidied(_ path: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        let parts = path.split(separator: slash).filter { $0 != [UInt8(ascii: ".")] }
        if parts.contains(where: { $0 == ArraySlice("..".utf8) }), let real = unsafe realpath(cPath(path), nil) {
            defer { unsafe free(real) }
            return unsafe Array(UnsafeRawBufferPointer(start: real, count: strlen(real)))
        }
        return parts.isEmpty ? [slash] : parts.flatMap { [slash] + $0 }
    }
}

/// A path as C takes it.
func cPath(_ path: [UInt8]) -> [CChar] {
    var result = [CChar]()
    result.reserveCapacity(path.count + 1)
    for byte in path { result.append(CChar(bitPattern: byte)) }
    result.append(0)
    return result
}

extension SystemError {
    /// The system's words for a code.
    static func text(_ code: Int32) -> String {
        SystemError(code: code, operation: "").reason
    }
}

/// What lies in a folder.
enum FolderListing {
    struct Name {
        var bytes: [UInt8]
        /// Known to be neither a folder nor a link.
        var isPlainFile: Bool

        var isSheet: Bool { MediaTypes.ending(of: bytes) == "cue" }
        /// Whether there is any use in looking closer.
        var mayMatter: Bool { !isPlainFile || isSheet || MediaTypes.isAudio(bytes) }
    }

    /// Every name but `.` and `..`, in the folder's own order.
    static func read(_ path: [UInt8]) throws(SystemError) -> [Name] {
        guard let directory = unsafe opendir(cPath(path)) else {
            throw SystemError(code: errno, operation: "opendir")
        }
        defer { unsafe closedir(directory) }
        var names: [Name] = []
        while let entry = unsafe readdir(directory) {
            let bytes = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
            guard bytes != [0x2E], bytes != [0x2E, 0x2E] else { continue }
            let kind = unsafe Int(entry.pointee.d_type)
            names.append(Name(bytes: bytes, isPlainFile: kind == DT_REG))
        }
        return names
    }
}

/// The beginning of a file, as far as a decision needs it.
enum FileHead {
    /// Reads up to so many bytes of a regular file; never waits for a pipe.
    static func read(_ path: [UInt8], count: Int) throws(SystemError) -> [UInt8] {
        let descriptor = unsafe open(cPath(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw SystemError(code: errno, operation: "open") }
        defer { _ = close(descriptor) }
        // It may have become something else since it was looked at.
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw SystemError(code: EINVAL, operation: "read")
        }
        return try Descriptor.read(count, from: descriptor)
    }

    /// Whether this is one of the things that lie about in album folders, or a document or program somebody named by
    /// mistake. Everything else is left to the engine, which knows more formats than any table here.
    static func isCertainlyNoAudio(_ head: [UInt8]) -> Bool {
        if ImageHeader.format(of: head) != nil { return true }
        let magics: [[UInt8]] = [
            Array("%PDF-".utf8), Array("PK\u{3}\u{4}".utf8), [0x7F] + Array("ELF".utf8), Array("#!/".utf8),
            [0x1F, 0x8B], Array("7z".utf8) + [0xBC, 0xAF], Array("Rar!".utf8), Array("SQLite format 3".utf8),
        ]
        if magics.contains(where: head.starts) { return true }
        // Text: no sound is without a control character in its first kilobytes.
        return String(validating: head.dropLast(min(3, head.count / 2)), as: UTF8.self) != nil
            && head.allSatisfy { $0 >= 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }
}

/// Finds files whose names differ from what a list says only in normal form or case (F264).
struct NameFinder {
    /// Folded names of folders looked at so far.
    private var folders: [[UInt8]: [String: [UInt8]]] = [:]

    /// The first path at which something acceptable is.
    ///
    /// - Parameters:
    ///   - candidates: Absolute paths, likeliest first.
    ///   - accepts: What to pass over.
    mutating func find(
        _ candidates: [[UInt8]], accepts: (FileStatus, [UInt8]) -> Bool = { _, _ in true }
    ) -> [UInt8]? {
        for path in candidates {
            if let status = FileStatus(path), accepts(status, path) { return path }
        }
        for path in candidates {
            if let other = alike(path), let status = FileStatus(other), accepts(status, other) { return other }
        }
        return nil
    }

    private mutating func alike(_ path: [UInt8]) -> [UInt8]? {
        var found: [UInt8] = []
        for part in path.split(separator: UInt8(ascii: "/")) {
            let next = found + [UInt8(ascii: "/")] + part
            if FileStatus(next) != nil {
                found = next
                continue
            }
            guard let key = NameFinder.folded(part), let name = names(in: found)[key] else { return nil }
            found += [UInt8(ascii: "/")] + name
        }
        return found
    }

    private mutating func names(in folder: [UInt8]) -> [String: [UInt8]] {
        if let names = folders[folder] { return names }
        if folders.count > 256 { folders.removeAll() }
        var names: [String: [UInt8]] = [:]
        for name in (try? FolderListing.read(folder.isEmpty ? [UInt8(ascii: "/")] : folder)) ?? [] {
            guard let key = NameFinder.folded(name.bytes[...]) else { continue }
            // Two that fold to one: the same one each time, whatever order the folder has.
            if let other = names[key], other.lexicographicallyPrecedes(name.bytes) { continue }
            names[key] = name.bytes
        }
        folders[folder] = names
        return names
    }

    private static func folded(_ name: ArraySlice<UInt8>) -> String? {
        String(validating: name, as: UTF8.self).map { $0.nfc.lowercased() }
    }
}
