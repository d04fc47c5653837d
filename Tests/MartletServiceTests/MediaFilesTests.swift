// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletCore
import MartletTestSupport
import Testing

@testable import MartletService

@Suite("Files: artwork, arguments, types")
struct MediaFilesTests {
    let folder: ScratchDirectory
    init() throws { folder = try ScratchDirectory() }

    func write(_ name: String, _ text: String = "x") throws {
        let path = folder.path + "/" + name
        if let slash = path.lastIndex(of: "/") { try Folders.make(String(path[..<slash])) }
        try AtomicFile.write(CollectionOfOne(Array(text.utf8)), to: path)
    }

    func expand(_ arguments: [String]) async -> Expansion {
        await ArgumentExpander().expand(arguments.map { Array($0.utf8) }, in: Array(folder.path.utf8))
    }

    func names(_ expansion: Expansion) -> [String] { expansion.items.map { $0.uri.displayName } }

    @Test func `a folder comes in natural order, hidden and foreign files left out`() async throws {
        for name in ["10.mp3", "2.mp3", "1.flac", ".hidden.mp3", "notes.txt", "sub/a.ogg", "cover.jpg"] {
            try write(name)
        }
        let expansion = await expand(["."])
        #expect(names(expansion) == ["1.flac", "2.mp3", "10.mp3", "a.ogg"])
        #expect(expansion.problems.isEmpty)
    }

    @Test func `links that go round end (F248, F249)`() async throws {
        try write("a/1.mp3")
        #expect(symlink(folder.path, folder.path + "/a/loop") == 0)
        #expect(names(await expand(["."])) == ["1.mp3"])
    }

    @Test func `what gives nothing says why, and the rest goes on`() async throws {
        try write("ok.mp3")
        mkfifo(folder.path + "/pipe", 0o600)
        let expansion = await expand(["ok.mp3", "gone.mp3", "pipe", "nosuch://x/y", "/dev/zero", ""])
        #expect(names(expansion) == ["ok.mp3"])
        #expect(expansion.problems.map(\.kind) == [.notFound, .unsupported, .unsupported, .unsupported, .notFound])
    }

    @Test func `a name of 100 kB is a name that is not there`() async {
        let expansion = await expand([String(repeating: "x", count: 100_000)])
        #expect(expansion.items.isEmpty && expansion.problems.count == 1)
        #expect(expansion.problems[0].what.utf8.count < 400)
    }

    @Test func `a list names files, folders and streams, in its order`() async throws {
        for name in ["b.mp3", "a.mp3", "sub/c.mp3"] { try write(name) }
        try write("list.m3u", "#EXTM3U\n#EXTINF:7,Artist - Song\nb.mp3\nsub\nhttp://radio.example/x\na.mp3\ngone.mp3\n")
        let expansion = await expand(["list.m3u"])
        #expect(names(expansion) == ["b.mp3", "c.mp3", "x", "a.mp3"])
        #expect(expansion.items[0].tags?.title == "Song" && expansion.items[0].tags?.artists == ["Artist"])
        #expect(expansion.problems.map(\.kind) == [.notFound])
    }

    @Test func `a list that names itself ends`() async throws {
        try write("me.m3u", "me.m3u\nme.m3u\n")
        let expansion = await expand(["me.m3u"])
        #expect(expansion.items.isEmpty && !expansion.problems.isEmpty)
    }

    @Test func `a folder with a sheet and its file has each song once (F228, F229)`() async throws {
        try write("album.flac")
        try write("extra.flac")
        try write(
            "album.cue",
            """
            PERFORMER "Band"
            TITLE "Live"
            FILE "album.wav" WAVE
              TRACK 01 AUDIO
                TITLE "One"
                INDEX 01 00:00:00
              TRACK 02 AUDIO
                TITLE "Two"
                INDEX 01 03:00:37
            """)
        let expansion = await expand(["."])
        #expect(names(expansion) == ["album.flac", "album.flac", "extra.flac"])
        #expect(expansion.items[0].end == expansion.items[1].start && expansion.items[1].start > .seconds(180))
        #expect(expansion.items[1].tags?.title == "Two" && expansion.items[1].tags?.album == "Live")
    }

    @Test func `the desktop entry lists the types that can be opened, and no others`() throws {
        let path = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let bytes = try AtomicFile.read(Array("/\(path)/desktop/martlet.desktop".utf8), limit: 1 << 20)
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("MimeType=") }
        let types = try #require(line).dropFirst("MimeType=".count).split(separator: ";").map(String.init)
        #expect(Set(types) == Set(MediaTypes.mimeTypes))
    }

    // MARK: Artwork

    static let png = PictureFile.png(width: 30, height: 20)

    @Test func `the same picture is one file, another has another name (F095)`() throws {
        let cache = ArtworkCache(folder: folder.path + "/art")
        let first = try #require(try cache.store(MediaFilesTests.png))
        #expect(try cache.store(MediaFilesTests.png) == first)
        let other = try #require(try cache.store(MediaFilesTests.png + [1]))
        #expect(other != first)
        let path = try #require(first.filePath)
        #expect(try AtomicFile.read(path, limit: 1 << 20) == MediaFilesTests.png, "F102: it is there when it is told")
        #expect(first.description.hasSuffix(".png"))
    }

    @Test func `bytes that are no picture are refused`() throws {
        let cache = ArtworkCache(folder: folder.path + "/art")
        #expect(try cache.store(Array("<html>no picture at all, whatever the tag says</html>".utf8)) == nil)
        #expect(try cache.store([]) == nil)
    }

    @Test func `an announced picture is never evicted (DESIGN 8)`() throws {
        let cache = ArtworkCache(folder: folder.path + "/art")
        let kept = try #require(try cache.store(MediaFilesTests.png))
        for index in 0..<20 { _ = try cache.store(MediaFilesTests.png + [UInt8(index), 9]) }
        cache.trim(to: 100, keeping: [kept])
        #expect(access(String(decoding: kept.filePath!, as: UTF8.self), R_OK) == 0)
        let files = try #require(opendir(folder.path + "/art"))
        defer { closedir(files) }
        var count = 0
        while readdir(files) != nil { count += 1 }
        #expect(count == 3, "the two dots and the one that is announced")
    }

    @Test func `a picture that would unpack to gibibytes is refused unopened`() throws {
        let cache = ArtworkCache(folder: folder.path + "/art")
        #expect(try cache.store(PictureFile.png(width: 65_535, height: 65_535)) == nil)
        #expect(try cache.store(PictureFile.png(width: 0, height: 10)) == nil)
        #expect(try cache.store(PictureFile.png(width: 20_001, height: 1)) == nil)
        #expect(access(folder.path + "/art", F_OK) != 0, "nothing was written")
    }

    @Test func `a thumbnail is made once and never larger than its picture`() throws {
        let cache = ArtworkCache(folder: folder.path + "/art")
        let picture = try #require(try cache.store(PictureFile.png(width: 600, height: 300)))
        let small = try #require(try cache.thumbnail(of: picture, side: 100, by: FixedScaler()))
        let header = ImageHeader(try AtomicFile.read(small.filePath!, limit: 1 << 20))
        #expect(header?.width == 100 && header?.height == 50)
        #expect(try cache.thumbnail(of: picture, side: 100, by: NoScaler()) == small)
        #expect(try cache.thumbnail(of: picture, side: 600, by: NoScaler()) == picture)
        #expect(try cache.thumbnail(of: picture, side: 0, by: NoScaler()) == picture)
        #expect(throws: ThumbnailError.self) { try cache.thumbnail(of: picture, side: 98, by: NoScaler()) }
    }

    @Test func `the longest unused leave until the rest fits`() throws {
        let cache = ArtworkCache(folder: folder.path + "/art")
        let bytes = (0..<4).map { MediaFilesTests.png + [UInt8](repeating: UInt8($0), count: 900) }
        let paths = try bytes.map { String(decoding: try #require(try cache.store($0)).filePath!, as: UTF8.self) }
        for (age, path) in paths.enumerated() {
            let times = [timespec(tv_sec: 1_000_000 + age, tv_nsec: 0), timespec(tv_sec: 1_000_000, tv_nsec: 0)]
            #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
        }
        // Used again, so the youngest, also on a mount that notes no reading.
        _ = try cache.store(bytes[0])
        cache.trim(to: 2000, keeping: [])
        #expect(paths.map { access($0, F_OK) == 0 } == [true, false, false, true])
    }

    @Test(arguments: [("cover.jpg", "folder.jpg"), ("Folder.JPG", "album.png"), ("front.png", "artwork.jpg")])
    func `the better name wins among a folder's pictures`(better: String, worse: String) throws {
        let first = try #require(FolderPicture.rank(of: Array(better.utf8)))
        let second = try #require(FolderPicture.rank(of: Array(worse.utf8)))
        #expect(first < second)
        #expect(FolderPicture.rank(of: Array("holiday.jpg".utf8)) == nil)
    }

    @Test(arguments: [
        ("http://user:secret@host/path?token=1#x", "http://host/path"), ("https://h/a?u=b&p=c", "https://h/a"),
        ("file:///a/b%3Fc", "file:///a/b%3Fc"),
    ])
    func `no credential reaches the bus (F103, F104)`(uri: String, shown: String) throws {
        #expect(try #require(MediaURI(uri)).withoutSecrets == shown)
    }
}

/// Where nobody is to be asked.
private struct NoScaler: ImageScaler {
    func scale(
        _ bytes: [UInt8], _ header: ImageHeader, width: Int, height: Int
    ) throws(ImageScalingError) -> [UInt8] {
        throw ImageScalingError(message: "asked")
    }
}

/// Beginnings of picture files.
enum PictureFile {
    /// A PNG's first chunk, and something behind it.
    static func png(width: Int, height: Int) -> [UInt8] {
        func big(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + big(13) + Array("IHDR".utf8) + big(width)
            + big(height) + [8, 2, 0, 0, 0] + [UInt8](repeating: 7, count: 40)
    }
}
