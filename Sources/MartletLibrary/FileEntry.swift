// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletCore

/// What tells a file's content apart from what it was, without opening it.
struct FileStamp: Hashable, Sendable {
    var device: Int64
    var inode: Int64
    var size: Int64
    /// Modified, in nanoseconds since 1970.
    var modified: Int64

    init(device: Int64, inode: Int64, size: Int64, modified: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
    }

    init(_ status: stat) {
        device = Int64(bitPattern: UInt64(status.st_dev))
        inode = Int64(bitPattern: UInt64(status.st_ino))
        size = Int64(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }

    /// Devices are numbered anew with each mount: that alone changes nothing.
    func isSameContent(as other: FileStamp) -> Bool {
        inode == other.inode && size == other.size && modified == other.modified
    }

    var node: FileNode { FileNode(device: device, inode: inode) }
}

/// One file or folder whatever it is called.
struct FileNode: Hashable, Sendable {
    var device: Int64
    var inode: Int64
}

/// What a file is to the library.
enum FileKind: Int, Sendable {
    case audio = 0
    case sheet = 1

    /// By its name; `nil` for what is none of ours.
    init?(name: [UInt8]) {
        if MediaTypes.isAudio(name) {
            self = .audio
        } else if MediaTypes.ending(of: name) == "cue" {
            self = .sheet
        } else {
            return nil
        }
    }
}

/// What lies in a folder, as far as the library wants it.
struct FolderContent {
    struct File {
        var name: [UInt8]
        var kind: FileKind
        var stamp: FileStamp
        /// Known under more than one name, or by a link.
        var mayHaveOtherNames: Bool
        var isLink: Bool
    }

    struct Folder {
        var name: [UInt8]
        var isLink: Bool
    }

    var node: FileNode
    var files: [File] = []
    var folders: [Folder] = []
    /// Nothing is in it at all, hidden or not.
    var isEmpty = true

    /// Reads a folder.
    ///
    /// Names that begin with a dot are passed over, and what is neither a file nor a folder.
    /// - Throws: The `errno` of opening it.
    init(path: [UInt8]) throws(FolderError) {
        guard !path.contains(0), let directory = unsafe opendir(FolderContent.cString(path)) else {
            throw FolderError(code: errno)
        }
        defer { unsafe closedir(directory) }
        let descriptor = unsafe dirfd(directory)
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw FolderError(code: errno) }
        node = FileStamp(status).node
        while true {
            errno = 0
            guard let entry = unsafe readdir(directory) else { break }
            try unsafe take(entry, in: descriptor)
        }
        // A mount that went away in the middle must not look like a folder with less in it.
        guard errno == 0 else { throw FolderError(code: errno) }
        files.sort { $0.name.lexicographicallyPrecedes($1.name) }
        folders.sort { $0.name.lexicographicallyPrecedes($1.name) }
    }

    private mutating func take(_ entry: UnsafeMutablePointer<dirent>, in directory: Int32) throws(FolderError) {
        let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            unsafe Array(bytes.prefix { $0 != 0 })
        }
        guard name != [0x2E], name != [0x2E, 0x2E] else { return }
        isEmpty = false
        guard name.first != UInt8(ascii: ".") else { return }
        let type = unsafe Int(entry.pointee.d_type)
        let kind = FileKind(name: name)
        switch type {
        case DT_DIR:
            folders.append(Folder(name: name, isLink: false))
            return
        case DT_REG: if kind == nil { return }
        case DT_LNK, DT_UNKNOWN: break
        default: return
        }
        var status = stat()
        let code = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            unsafe pointer.withMemoryRebound(to: CChar.self, capacity: name.count + 1) { text in
                unsafe fstatat(directory, text, &status, 0)
            }
        }
        guard code == 0 else {
            // Gone since, or a link to nowhere; anything else is trouble with the folder.
            let code = errno
            if [ENOENT, ELOOP, EACCES, ENOTDIR].contains(code) { return }
            throw FolderError(code: code)
        }
        let isLink = type == DT_LNK
        switch status.st_mode & S_IFMT {
        case S_IFDIR: folders.append(Folder(name: name, isLink: isLink))
        case S_IFREG:
            guard let kind else { return }
            files.append(
                File(
                    name: name, kind: kind, stamp: FileStamp(status), mayHaveOtherNames: isLink || status.st_nlink > 1,
                    isLink: isLink))
        default: break
        }
    }

    /// The stamp of what lies there, links followed.
    static func stamp(of path: [UInt8]) -> FileStamp? {
        var status = stat()
        guard !path.contains(0), unsafe stat(cString(path), &status) == 0 else { return nil }
        return FileStamp(status)
    }

    static func isReadable(_ path: [UInt8]) -> Bool {
        unsafe access(cString(path), R_OK) == 0
    }

    static func cString(_ path: [UInt8]) -> [CChar] {
        var result: [CChar] = []
        result.reserveCapacity(path.count + 1)
        for byte in path { result.append(CChar(bitPattern: byte)) }
        result.append(0)
        return result
    }
}

/// Why a folder could not be looked into.
struct FolderError: Error, Hashable, Sendable {
    /// `errno` right after the call.
    var code: Int32

    /// It is not there: nothing else says that what was in it is gone.
    var isAbsence: Bool { code == ENOENT || code == ENOTDIR }
}
