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
    /// - Returns: Its `file:` URI, or `nil` for bytes that are no picture a desktop shows, that end before they told their
    ///   size, or that would unpack to more than ``ImageHeader/isModest`` allows.
    /// - Throws: The system call that failed, for instance for want of room.
    func store(_ bytes: [UInt8]) throws(SystemError) -> MediaURI? {
        guard bytes.count <= ArtworkCache.largestPicture, let header = ImageHeader(bytes), header.isModest else {
            return nil
        }
        return try keep(bytes, as: "\(ArtworkCache.hash(bytes)).\(header.format.rawValue)")
    }

    /// The first of an embedded picture and the folder's that a desktop can show.
    ///
    /// - Parameters:
    ///   - embedded: What the file carries.
    ///   - path: The file's.
    func store(embedded: [UInt8]?, beside path: [UInt8]) throws(SystemError) -> MediaURI? {
        if let embedded, let uri = try store(embedded) { return uri }
        guard let picture = FolderPicture.find(beside: path) else { return nil }
        return try store(picture)
    }

    /// A stored picture in a smaller size, made at the first request.
    ///
    /// - Parameters:
    ///   - picture: What ``store(_:)`` gave.
    ///   - side: Of the square it is to fit into, in pixels; 0 asks for the picture itself, as does more than it has.
    /// - Returns: `nil` if the picture is damaged or has left the cache.
    func thumbnail(of picture: MediaURI, side: Int, by scaler: any ImageScaler) throws(ThumbnailError) -> MediaURI? {
        guard side > 0, let path = picture.filePath,
            let name = path.split(separator: UInt8(ascii: "/")).last?.prefix(while: { $0 != UInt8(ascii: ".") })
        else { return picture }
        let bytes: [UInt8]
        do {
            bytes = try AtomicFile.read(path, limit: ArtworkCache.largestPicture)
        } catch {
            throw .file(error)
        }
        guard let header = ImageHeader(bytes), header.isModest else { return nil }
        let size = header.fitted(into: side)
        guard size != (header.width, header.height) else { return picture }
        // By the result's size: asked for 200 or 201 in a narrow picture, the same pixels are the same file.
        let small = "\(String(decoding: name, as: UTF8.self))-\(size.width)x\(size.height).png"
        if let uri = used(small) { return uri }
        let scaled: [UInt8]
        do {
            scaled = try scaler.scale(bytes, header, width: size.width, height: size.height)
        } catch {
            throw .scaling(error)
        }
        do {
            return try keep(scaled, as: small)
        } catch {
            throw .file(error)
        }
    }

    private func keep(_ bytes: [UInt8], as name: String) throws(SystemError) -> MediaURI? {
        if let uri = used(name, size: bytes.count) { return uri }
        try Folders.make(folder)
        try AtomicFile.write(CollectionOfOne(bytes), to: "\(folder)/\(name)")
        return MediaURI(filePath: "\(folder)/\(name)".utf8)
    }

    /// A file that is there, and is the youngest in use from now on: many mounts note no reading of a file by themselves.
    ///
    /// - Parameter size: In bytes; a file of another size was damaged and does not count.
    private func used(_ name: String, size: Int? = nil) -> MediaURI? {
        let path = "\(folder)/\(name)"
        var status = stat()
        guard unsafe stat(path, &status) == 0, size ?? Int(status.st_size) == Int(status.st_size), status.st_size > 0
        else { return nil }
        var now = timespec()
        if unsafe clock_gettime(CLOCK_REALTIME, &now) == 0 {
            _ = unsafe utimensat(AT_FDCWD, path, [now, status.st_mtim], 0)
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

    private static func hash(_ bytes: [UInt8]) -> String {
        let value = unsafe bytes.withUnsafeBytes { unsafe XXH3_128bits($0.baseAddress, $0.count) }
        func hexadecimal(_ number: UInt64) -> String {
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        return hexadecimal(value.high64) + hexadecimal(value.low64)
    }
}

/// Why there is no thumbnail.
enum ThumbnailError: Error {
    case file(SystemError)
    case scaling(ImageScalingError)
}
