// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletCore
import MartletSQLite
import MartletTestSupport
import Synchronization

@testable import MartletLibrary

/// A directory of one test with a folder of music and a library, gone with the value.
final class Shelf {
    /// Of everything.
    let path: String
    let tags = WrittenTags()
    private(set) var store: LibraryStore
    private(set) var reader: LibraryReader
    private(set) var notices: [LibraryNotice] = []
    var time = UnixTime(seconds: 1_700_000_000)

    var music: String { path + "/music" }
    var databasePath: String { path + "/data/library.db" }

    init() async throws {
        var name = Array("/tmp/martlet-library-XXXXXX".utf8CString)
        precondition(mkdtemp(&name) != nil, "no temporary directory")
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        mkdir(path + "/data", 0o700)
        mkdir(path + "/music", 0o700)
        let opened = try await LibraryStore.open(path: path + "/data/library.db", now: time)
        store = opened.store
        reader = try store.makeReader()
    }

    deinit {
        chmodAll()
        Shelf.run("rm", "-rf", path)
    }

    private func chmodAll() { Shelf.run("chmod", "-R", "u+rwX", path) }

    /// The library with its music folder, looked through once.
    static func scanned(_ files: [String: String]) async throws -> Shelf {
        let shelf = try await Shelf()
        for (name, content) in files { shelf.write(name, content) }
        _ = try await shelf.store.addRoot(Array(shelf.music.utf8), now: shelf.time)
        try await shelf.scan()
        return shelf
    }

    /// Closes the library, or just drops it as a killed process would, and opens it again.
    func reopen(cleanly: Bool = true) async throws {
        await reader.close()
        if cleanly { try await store.close() } else { await store.abandon() }
        try await reopenAfterClose()
    }

    func reopenAfterClose() async throws {
        let opened = try await LibraryStore.open(path: databasePath, now: time)
        store = opened.store
        notices = opened.notices
        reader = try store.makeReader()
    }

    @discardableResult
    func scan() async throws -> ScanReport {
        let now = time
        return try await LibraryScan(store: store, tags: tags, now: { now }).run()
    }

    // MARK: Files

    /// Writes a file below the music folder; folders are made. Its content is what ``WrittenTags`` reads.
    func write(_ name: String, _ content: String) {
        write(Array(name.utf8), content)
    }

    func write(_ name: [UInt8], _ content: String) {
        var folder = Array(music.utf8)
        for part in name.split(separator: 0x2F).dropLast() {
            folder += [0x2F] + part
            mkdir(FolderContent.cString(folder), 0o700)
        }
        let file = open(FolderContent.cString(Array(music.utf8) + [0x2F] + name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        precondition(file >= 0, "cannot write \(name)")
        let bytes = Array(content.utf8)
        precondition(Glibc.write(file, bytes, bytes.count) == bytes.count)
        // Two writes in one tick of the clock must not look like one.
        Shelf.ticks.withLock { $0 += 1 }
        var times = [timespec(tv_sec: 1_600_000_000 + Shelf.ticks.withLock { $0 }, tv_nsec: 0)]
        times.append(times[0])
        futimens(file, times)
        close(file)
    }

    private static let ticks = Mutex(0)

    func move(_ from: String, _ to: String) {
        let parts = to.split(separator: "/").dropLast()
        var folder = music
        for part in parts {
            folder += "/" + part
            mkdir(folder, 0o700)
        }
        precondition(rename(music + "/" + from, music + "/" + to) == 0, "cannot move \(from)")
    }

    func remove(_ name: String) {
        Shelf.run("rm", "-rf", music + "/" + name)
    }

    static func run(_ arguments: String...) {
        do { try Tool.run(arguments) } catch { preconditionFailure("\(error)") }
    }

    // MARK: What is in it

    func titles(_ selection: TrackSelection = .all, by order: TrackOrder = .title) async throws -> [String] {
        try await reader.tracks(selection, by: order, page: .all).map(\.title)
    }

    func track(_ title: String) async throws -> TrackSummary? {
        try await reader.tracks(.all, by: .title, page: .all).first { $0.title == title }
    }

    func albums() async throws -> [AlbumSummary] {
        try await reader.albums(.all, by: .title, page: .all)
    }

    /// Sound in every table; nothing refers to what is not there.
    func problems() async throws -> [String] {
        try await store.reading { database throws(SQLiteError) in try database.integrityProblems() }
    }
}

/// Reads files that say in plain lines what their tags are: `title=…`, `artist=…` as often as wanted, and so on.
///
/// `sound=…` is what the audio is known by; `fail=…` makes reading fail.
final class WrittenTags: TagReader {
    private let state = Mutex((count: 0, paths: [[UInt8]](), hook: nil as (@Sendable ([UInt8]) -> Void)?))

    /// Files read so far.
    var count: Int { state.withLock(\.count) }

    /// Called for each file before it is read, on the reader's thread.
    func whenReading(_ hook: (@Sendable ([UInt8]) -> Void)?) { state.withLock { $0.hook = hook } }

    func read(path: [UInt8], wanted: TagReadingOptions) throws(TagReadError) -> TagReading {
        let hook = state.withLock { state in
            state.count += 1
            return state.hook
        }
        hook?(path)
        let file = open(FolderContent.cString(path), O_RDONLY)
        guard file >= 0 else { throw errno == ENOENT ? .notFound : .accessDenied }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = Glibc.read(file, &bytes, bytes.count)
        guard count > 0 else { throw .empty }
        var tags = TrackTags()
        tags.audio.length = .seconds(180)
        tags.audio.codec = "flac"
        var reading = TagReading(tags: tags)
        for line in String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { continue }
            let value = parts[1]
            switch parts[0] {
            case "title": tags.title = value
            case "artist": tags.artists.append(value)
            case "album": tags.album = value
            case "albumartist": tags.albumArtists.append(value)
            case "genre": tags.genres.append(value)
            case "composer": tags.composers.append(value)
            case "date": tags.date = value
            case "number": tags.trackNumber = Int(value)
            case "disc": tags.discNumber = Int(value)
            case "subtitle": tags.discSubtitle = value
            case "compilation": tags.isCompilation = true
            case "recording": tags.musicBrainz.recording = value
            case "release": tags.musicBrainz.release = value
            case "length": tags.audio.length = .seconds(Int(value) ?? 0)
            case "sound": reading.audioSample = .md5(Array((value + String(repeating: "·", count: 16)).utf8.prefix(16)))
            case "cue": reading.cueSheet = value.split(separator: "|").joined(separator: "\n")
            case "fail":
                switch value {
                case "denied": throw .accessDenied
                case "unreadable": throw .unreadable(errno: EIO)
                default: throw .unsupported
                }
            default: break
            }
        }
        reading.tags = tags
        return reading
    }
}
