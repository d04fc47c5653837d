// SPDX-License-Identifier: Apache-2.0
internal import CMartletXXHash
internal import Glibc
internal import MartletCore

/// Cover pictures on disk, one file a picture, named by its content.
///
/// The same picture is stored once whoever brings it; another picture has another name, so a widget that caches by URL
/// never shows the wrong one. A file is complete before its URL is told. Blocking; safe from several threads at once:
/// the name is the content's hash and a file appears by `rename(2)`.
struct ArtworkCache: Sendable {
    /// The folder, made at the first store.
    let folder: String
    /// A larger picture is refused.
    static let largestPicture = 32 * 1024 * 1024

    /// Stores a picture unless it is there.
    ///
    /// - Returns: Its `file:` URI, or `nil` for bytes that are no picture a desktop shows.
    /// - Throws: The system call that failed, for instance for want of room.
    func store(_ bytes: [UInt8]) throws(SystemError) -> MediaURI? {
        guard bytes.count <= ArtworkCache.largestPicture, let kind = ArtworkCache.fileExtension(of: bytes) else {
            return nil
        }
        let path = "\(folder)/\(ArtworkCache.hash(bytes)).\(kind)"
        var status = stat()
        if unsafe stat(path, &status) != 0 || Int(status.st_size) != bytes.count {
            try Folders.make(folder)
            try AtomicFile.write(CollectionOfOne(bytes), to: path)
        }
        return MediaURI(filePath: path.utf8)
    }

    /// Removes the pictures longest unused until the rest fits.
    ///
    /// - Parameters:
    ///   - limit: Bytes that may stay.
    ///   - kept: Announced pictures; they stay whatever the limit says (DESIGN §8).
    func trim(to limit: Int, keeping kept: Set<MediaURI>) {
        guard let names = try? FolderListing.read(Array(folder.utf8)) else { return }
        var files: [(path: String, size: Int, used: timespec)] = []
        var total = 0
        for name in names {
            var status = stat()
            // Ours are named in ASCII; anything else is not ours to weigh or to remove.
            let path = "\(folder)/" + String(decoding: name.bytes, as: UTF8.self)
            guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            total += Int(status.st_size)
            files.append((path, Int(status.st_size), status.st_atim))
        }
        guard total > limit else { return }
        files.sort { ($0.used.tv_sec, $0.used.tv_nsec) < ($1.used.tv_sec, $1.used.tv_nsec) }
        for file in files where total > limit {
            guard let uri = MediaURI(filePath: file.path.utf8), !kept.contains(uri) else { continue }
            if unsafe unlink(file.path) == 0 { total -= file.size }
        }
    }

    /// The picture's kind by its first bytes; a tag's word for it is often wrong.
    static func fileExtension(of bytes: [UInt8]) -> String? {
        func starts(_ magic: [UInt8], at offset: Int = 0) -> Bool {
            bytes.count > 32 && bytes[offset...].starts(with: magic)
        }
        if starts([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "png" }
        if starts([0xFF, 0xD8, 0xFF]) { return "jpg" }
        if starts(Array("GIF8".utf8)) { return "gif" }
        if starts(Array("RIFF".utf8)), starts(Array("WEBP".utf8), at: 8) { return "webp" }
        if starts(Array("BM".utf8)) { return "bmp" }
        return nil
    }

    private static func hash(_ bytes: [UInt8]) -> String {
        let value = unsafe bytes.withUnsafeBytes { unsafe XXH3_128bits($0.baseAddress, $0.count) }
        func hexadecimal(_ number: UInt64) -> String {
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        return hexadecimal(value.high64) + hexadecimal(value.low64)
    }
}
