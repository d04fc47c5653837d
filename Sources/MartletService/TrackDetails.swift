// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Glibc
public import MartletCore
internal import MartletLoop

/// What is known of an entry beyond its place: complete before anything of it is announced.
public struct TrackDetails: Hashable, Sendable {
    public var tags: TrackTags
    /// A `file:` URI in the artwork cache.
    public var artwork: MediaURI?

    public init(tags: TrackTags, artwork: MediaURI? = nil) {
        self.tags = tags
        self.artwork = artwork
    }
}

/// Reads the details of files, off the main actor, several at a time.
///
/// A file on a mount that hangs holds one of ``lanes`` threads for as long as it hangs; the others go on. When all
/// hang, further files are answered with what their names tell, at once: nothing waits for them.
final class DetailReader: Sendable {
    private let reader: any TagReader
    private let artwork: ArtworkCache
    private let log: Log
    private let queue: WorkQueue
    private let lanes: DispatchSemaphore

    init(reader: any TagReader, artwork: ArtworkCache, log: Log, lanes: Int = 4) {
        self.reader = reader
        self.artwork = artwork
        self.log = log
        self.lanes = DispatchSemaphore(value: lanes)
        // One more than can be held by files, for the artwork.
        queue = WorkQueue(label: "details", width: lanes + 1)
    }

    /// Reads one source's details.
    ///
    /// - Parameters:
    ///   - known: What a playlist or a cue sheet told; it wins over the file.
    ///   - completion: Called on the main actor.
    func read(_ uri: MediaURI, known: TrackTags?, completion: @escaping @MainActor (TrackDetails) -> Void) {
        guard let path = uri.filePath, lanes.wait(timeout: .now()) == .success else {
            let details = TrackDetails(tags: known ?? TrackTags())
            DispatchQueue.main.async { completion(details) }
            return
        }
        queue.async { [self] in
            let details = details(path: path, known: known)
            lanes.signal()
            DispatchQueue.main.async { completion(details) }
        }
    }

    /// Removes pictures that are over the limit, in bytes, but for these.
    func trimArtwork(to limit: Int, keeping kept: Set<MediaURI>) {
        queue.async { [artwork] in artwork.trim(to: limit, keeping: kept) }
    }

    private func details(path: [UInt8], known: TrackTags?) -> TrackDetails {
        let reading: TagReading
        do {
            reading = try reader.read(path: path, wanted: .picture)
        } catch {
            log.debug("no tags in \(String(decoding: path, as: UTF8.self)): \(error)")
            reading = TagReading(tags: TrackTags())
        }
        var details = TrackDetails(tags: reading.tags)
        if let known { details.tags.override(with: known) }
        do {
            details.artwork = try artwork.store(embedded: reading.picture?.bytes, beside: path)
        } catch {
            log.warning("cannot keep a cover picture: \(error)")
        }
        return details
    }
}

/// The picture an album's folder shows for all its files.
enum FolderPicture {
    /// Names people and rippers give it, best first; compared without case.
    static let stems = ["cover", "folder", "front", "album", "albumart", "albumartsmall", "artwork"]
    static let extensions = ["jpg", "jpeg", "png", "webp", "gif", "bmp"]

    /// The bytes of the best picture in the file's folder, if there is one.
    static func find(beside path: [UInt8]) -> [UInt8]? {
        let folder = FileStatus.folder(of: path)
        guard let names = try? FolderListing.read(folder) else { return nil }
        var best: (rank: Int, name: [UInt8])?
        for name in names {
            if let rank = rank(of: name.bytes), rank < best?.rank ?? .max { best = (rank, name.bytes) }
        }
        guard let best else { return nil }
        return try? AtomicFile.read(folder + [UInt8(ascii: "/")] + best.name, limit: ArtworkCache.largestPicture)
    }

    static func rank(of name: [UInt8]) -> Int? {
        let lowered = name.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
        guard let dot = lowered.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let stem = String(decoding: lowered[..<dot], as: UTF8.self)
        let kind = String(decoding: lowered[(dot + 1)...], as: UTF8.self)
        guard let first = stems.firstIndex(of: stem), let second = extensions.firstIndex(of: kind) else { return nil }
        return first * extensions.count + second
    }
}
