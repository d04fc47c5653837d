// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletCore
import MartletTestSupport
import Testing

@testable import MartletService

@Suite("Expanding arguments", .timeLimit(.minutes(2)))
struct ArgumentExpansionTests {
    /// Files in a fresh folder.
    private struct Tree {
        let directory: ScratchDirectory
        var root: [UInt8] { Array(directory.path.utf8) }

        init(_ names: [String] = []) throws {
            directory = try ScratchDirectory()
            for name in names { try add(name) }
        }

        /// A file that could be sound, or this text.
        func add(_ name: String, _ text: String? = nil) throws {
            try add(Array(name.utf8), text.map { Array($0.utf8) } ?? [0x66, 0x4C, 0x61, 0x43, 0, 0, 0, 34])
        }

        func add(_ name: [UInt8], _ bytes: [UInt8]) throws {
            let path = root + [0x2F] + name
            for index in path.indices where path[index] == 0x2F && index > root.count {
                mkdir(Array(path[..<index]).map { CChar(bitPattern: $0) } + [0], 0o700)
            }
            let descriptor = open(path.map { CChar(bitPattern: $0) } + [0], O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            try #require(write(descriptor, bytes, bytes.count) == bytes.count)
        }

        func link(_ target: String, _ name: String) throws {
            try #require(symlink(target, directory.path + "/" + name) == 0)
        }

        func expand(
            _ arguments: String..., limit: Int = ArgumentExpander.limit, in folder: [UInt8]? = nil
        ) async -> Expansion {
            await ArgumentExpander(limit: limit).expand(arguments.map { Array($0.utf8) }, in: folder ?? root)
        }

        /// Places of items below the folder, decoded.
        func names(_ expansion: Expansion) -> [String] {
            expansion.items.map { item in
                guard let path = item.uri.filePath else { return item.uri.description }
                let isBelow = path.starts(with: root + [0x2F])
                return String(decoding: isBelow ? path.dropFirst(root.count + 1) : path[...], as: UTF8.self)
            }
        }
    }

    // MARK: - Names

    @Test func `relative paths begin at the working directory and absolute ones do not`() async throws {
        let tree = try Tree(["a.flac", "sub/b.mp3"])
        let found = await tree.expand("a.flac", "./sub//b.mp3", tree.directory.path + "/sub/../a.flac")
        #expect(tree.names(found) == ["a.flac", "sub/b.mp3", "a.flac"])
        #expect(found.problems.isEmpty)
    }

    @Test func `a path with percent signs is a path and a file URI is decoded (F222, F276)`() async throws {
        let tree = try Tree(["100%20.mp3", "a b.mp3"])
        let found = await tree.expand(
            "100%20.mp3", "file://\(tree.directory.path)/a%20b.mp3",
            "file://localhost\(tree.directory.path)/100%2520.mp3")
        #expect(tree.names(found) == ["100%20.mp3", "a b.mp3", "100%20.mp3"])
    }

    @Test func `a name that is no UTF-8 is opened as its bytes and shown repaired`() async throws {
        let tree = try Tree()
        let name: [UInt8] = [0xE4, 0xFF] + Array(".mp3".utf8)
        try tree.add(name, [1, 0, 2])
        let found = await ArgumentExpander().expand(
            [name, [0xFE], Array("file://".utf8) + tree.root + [0x2F] + name], in: tree.root)
        #expect(found.items.map(\.uri.filePath) == [tree.root + [0x2F] + name, tree.root + [0x2F] + name])
        #expect(found.problems.count == 1)
        #expect(found.problems[0].what.hasSuffix("/\u{FFFD}"))
    }

    @Test func `a name of 100 kB is refused in few words`() async throws {
        let tree = try Tree()
        let found = await tree.expand(String(repeating: "x", count: 100_000), "a\u{0}b", "")
        #expect(found.problems.map(\.kind) == [.notFound, .notFound, .notFound])
        #expect(found.problems.allSatisfy { $0.what.utf8.count < 400 && !$0.reason.isEmpty })
    }

    @Test func `a network URI is taken as it is and another scheme is refused with what is supported`() async throws {
        let tree = try Tree(["mix:tape.mp3", "data:x", "file:.flac"])
        let found = await tree.expand(
            "http://h/a b.mp3", "HTTPS://h/x", "smb://h/x", "spotify:track:1", "file://server/x", "mix:tape.mp3",
            "data:x", "file:.flac", "file:none.flac")
        #expect(tree.names(found) == ["http://h/a%20b.mp3", "https://h/x", "mix:tape.mp3", "data:x", "file:.flac"])
        #expect(found.problems.map(\.kind) == [.unsupported, .unsupported, .unsupported, .unsupported])
        #expect(found.problems[0].reason.contains("smb"))
        #expect(found.problems[0].reason.contains("http"))
    }

    @Test func `without a working directory relative paths are refused`() async throws {
        let tree = try Tree(["a.mp3"])
        let found = await tree.expand("a.mp3", "spotify:track:1", in: [])
        #expect(found.items.isEmpty)
        #expect(found.problems.map(\.kind) == [.unsupported, .unsupported])
    }

    // MARK: - Folders

    @Test func `a folder gives its audio files below it in natural order without hidden ones`() async throws {
        let tree = try Tree([
            "10.mp3", "2.mp3", "1.FLAC", "cover.jpg", ".hidden.mp3", ".git/x.mp3", "b/2.ogg", "b/10.ogg",
            "B side/1.opus",
            "list.m3u", "notes.txt",
        ])
        #expect(
            tree.names(await tree.expand(".")) == [
                "1.FLAC", "2.mp3", "10.mp3", "b/2.ogg", "b/10.ogg", "B side/1.opus",
            ])
    }

    @Test func `an empty folder is no problem`() async throws {
        let tree = try Tree(["x/y.txt"])
        #expect(await tree.expand("x") == Expansion())
    }

    @Test func `links to folders are followed and a loop of them ends (F248, F249)`() async throws {
        let tree = try Tree(["a/1.mp3", "elsewhere/2.mp3"])
        try tree.link("..", "a/up")
        try tree.link(tree.directory.path + "/elsewhere", "a/more")
        try tree.link("self", "a/self")
        let found = await tree.expand("a")
        #expect(Set(tree.names(found)) == ["a/1.mp3", "a/more/2.mp3"])
    }

    @Test func `folders nested without end are cut and said to be`() async throws {
        let tree = try Tree([String(repeating: "d/", count: 80) + "x.mp3"])
        let found = await tree.expand("d")
        #expect(found.items.isEmpty)
        #expect(found.problems.map(\.kind) == [.tooDeep])
    }

    @Test(.enabled(if: geteuid() != 0, "the superuser is denied nothing"))
    func `what may not be read is reported and the rest goes on`() async throws {
        let tree = try Tree(["a/1.mp3", "b/2.mp3", "c.mp3"])
        chmod(tree.directory.path + "/a", 0)
        chmod(tree.directory.path + "/c.mp3", 0)
        let found = await tree.expand(".")
        chmod(tree.directory.path + "/a", 0o700)
        #expect(tree.names(found) == ["b/2.mp3"])
        #expect(found.problems.map(\.kind) == [.denied, .denied])
    }

    @Test func `a pipe is never opened`() async throws {
        let tree = try Tree(["a/1.mp3"])
        try #require(mkfifo(tree.directory.path + "/a/pipe.mp3", 0o600) == 0)
        try tree.add("l.m3u", "a/pipe.mp3\na/1.mp3\n")
        let found = await tree.expand("a/pipe.mp3", "/dev/null", "a", "l.m3u")
        #expect(tree.names(found) == ["a/1.mp3", "a/1.mp3"])
        #expect(found.problems.map(\.kind) == [.unsupported, .unsupported, .unsupported])
    }

    @Test func `a walk stops at the limit and says so once`() async throws {
        let tree = try Tree((1...20).map { "\($0).mp3" })
        let found = await tree.expand(".", "1.mp3", limit: 7)
        #expect(tree.names(found) == (1...7).map { "\($0).mp3" })
        #expect(found.problems.map(\.kind) == [.tooMany])
        #expect(await tree.expand(".", limit: 20).problems.isEmpty)
    }

    @Test func `a cancelled request ends with what it has`() async throws {
        let tree = try Tree(["1.mp3"])
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await tree.expand(".")
        }
        let found = await task.value
        #expect(found.items.isEmpty)
        #expect(found.problems.map(\.kind) == [.cancelled])
    }

    // MARK: - Files

    @Test func `an unknown ending is accepted when it is named and certain other things are not`() async throws {
        let tree = try Tree(["song.xyz", "noending"])
        try tree.add(Array("cover.jpg".utf8), [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 0, count: 60))
        try tree.add("notes.txt", "Ripped with care.\n")
        try tree.add("doc.pdf", "%PDF-1.4 \u{1}")
        let found = await tree.expand("song.xyz", "noending", "cover.jpg", "notes.txt", "doc.pdf", "missing.mp3")
        #expect(tree.names(found) == ["song.xyz", "noending"])
        #expect(found.problems.map(\.kind) == [.notAudio, .notAudio, .notAudio, .notFound])
    }

    @Test func `an empty file is skipped with a word (F233)`() async throws {
        let tree = try Tree(["2.mp3"])
        try tree.add("1.mp3", "")
        let found = await tree.expand(".")
        #expect(tree.names(found) == ["2.mp3"])
        #expect(found.problems.map(\.kind) == [.notAudio])
    }

    // MARK: - Lists

    @Test func `a list gives its entries with what it tells of them`() async throws {
        let tree = try Tree(["l/a b.mp3", "l/100%20.mp3"])
        try tree.add(
            "l/x.m3u8",
            "#EXTM3U\n#EXTINF:61,Lee - Song\na b.mp3\n100%20.mp3\nhttp://h/s\nmissing.mp3\nsmb://h/x\nfile://host/y\n")
        let found = await tree.expand("l/x.m3u8")
        #expect(tree.names(found) == ["l/a b.mp3", "l/100%20.mp3", "http://h/s"])
        #expect(found.items[0].tags?.title == "Song")
        #expect(found.items[0].tags?.artists == ["Lee"])
        #expect(found.items[0].tags?.audio.length == .seconds(61))
        #expect(found.items[1].tags == nil)
        #expect(Set(found.problems.map(\.kind)) == [.notFound, .unsupported])
        #expect(found.problems.count == 3)
    }

    @Test func `a list is known by its content whatever it is called`() async throws {
        let tree = try Tree(["a.mp3"])
        try tree.add("list.txt", "[playlist]\nFile1=a.mp3\n")
        try tree.add(
            "list",
            "<playlist xmlns=\"http://xspf.org/ns/0/\"><trackList><track><location>a.mp3</location></track></trackList></playlist>"
        )
        #expect(tree.names(await tree.expand("list.txt", "list")) == ["a.mp3", "a.mp3"])
    }

    @Test func `a list may name folders and lists, five deep, and not itself`() async throws {
        let tree = try Tree(["f/1.mp3", "f/2.mp3"])
        for level in 1...7 { try tree.add("\(level).m3u", "\(level + 1).m3u\nf/\(level % 2 + 1).mp3\n") }
        try tree.add("loop.m3u", "f\nloop.m3u\n")
        try tree.link("loop.m3u", "alias.m3u")
        let deep = await tree.expand("1.m3u")
        #expect(deep.items.count == 5)
        #expect(deep.problems.map(\.kind) == [.tooDeep])
        let loop = await tree.expand("alias.m3u")
        #expect(tree.names(loop) == ["f/1.mp3", "f/2.mp3"])
        #expect(loop.problems.map(\.kind) == [.tooDeep])
    }

    @Test func `the same list twice, one after the other, is no loop`() async throws {
        let tree = try Tree(["1.mp3"])
        try tree.add("a.m3u", "b.m3u\nb.m3u\n")
        try tree.add("b.m3u", "1.mp3\n")
        let found = await tree.expand("a.m3u")
        #expect(tree.names(found) == ["1.mp3", "1.mp3"])
        #expect(found.problems.isEmpty)
    }

    @Test func `lists that name each other forty times come to an end`() async throws {
        let tree = try Tree(["1.mp3"])
        for level in 1...4 { try tree.add("\(level).m3u", String(repeating: "\(level + 1).m3u\n", count: 40)) }
        try tree.add("5.m3u", "1.mp3\n")
        let found = await tree.expand("1.m3u")
        #expect(!found.items.isEmpty && found.items.count < 5000)
        #expect(found.problems.map(\.kind) == [.tooMany])
    }

    @Test func `entries of a list that give nothing count against the limit too`() async throws {
        let tree = try Tree(["1.mp3"])
        try tree.add("l.m3u", "gone.mp3\ngone.mp3\ngone.mp3\n1.mp3\n1.mp3\n")
        #expect(tree.names(await tree.expand("l.m3u", limit: 5)) == ["1.mp3", "1.mp3"])
        let found = await tree.expand("l.m3u", "1.mp3", limit: 4)
        #expect(tree.names(found) == ["1.mp3"])
        #expect(found.problems.map(\.kind) == [.notFound, .notFound, .notFound, .tooMany])
    }

    @Test func `a Mac's list finds files by normal form and a Windows list by any case (F264)`() async throws {
        let tree = try Tree(["Musik/e\u{301}t\u{E9}/Song.MP3"])
        try tree.add("l.m3u", "musik/\u{E9}te\u{301}/song.mp3\nMUSIK\\\u{E9}t\u{E9}\\SONG.mp3\n")
        let found = await tree.expand("l.m3u")
        #expect(tree.names(found) == Array(repeating: "Musik/e\u{301}t\u{E9}/Song.MP3", count: 2))
        #expect(
            found.items.allSatisfy {
                $0.uri == MediaURI(filePath: tree.root + Array("/Musik/e\u{301}t\u{E9}/Song.MP3".utf8))
            })
    }

    @Test func `in an old list the raw name wins over the decoded one when it is there (F277)`() async throws {
        let tree = try Tree()
        let raw =
            Array("M".utf8) + [0xE4] + Array("nner gr".utf8) + [0xFC, 0xDF] + Array("en sch".utf8) + [0xF6]
            + Array("n.mp3".utf8)
        try tree.add(Array("l.m3u".utf8), raw + [0x0A])
        try tree.add("Männer grüßen schön.mp3")
        #expect(tree.names(await tree.expand("l.m3u")) == ["Männer grüßen schön.mp3"])
        try tree.add(raw, [1, 0, 2])
        #expect(await tree.expand("l.m3u").items.map(\.uri.filePath) == [tree.root + [0x2F] + raw])
    }

    @Test func `an HLS playlist is one item and foreign lists are refused by name`() async throws {
        let tree = try Tree()
        try tree.add("s.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\na.ts\n")
        try tree.add("x.asx", "<ASX version=\"3.0\"><entry/></ASX>")
        try tree.add("broken.xspf", "<playlist><trackList>\n</playlist>")
        let found = await tree.expand("s.m3u8", "x.asx", "broken.xspf")
        #expect(tree.names(found) == ["s.m3u8"])
        #expect(found.problems.map(\.kind) == [.unsupported, .unreadable])
        #expect(found.problems[0].reason.contains("asx"))
        #expect(found.problems[1].reason.contains("2"))
    }

    @Test func `ten thousand missing files are a thousand complaints and one more`() async throws {
        let tree = try Tree()
        try tree.add("l.m3u", (1...10_000).map { "gone/\($0).mp3\n" }.joined())
        #expect(await tree.expand("l.m3u").problems.count == ArgumentExpander.mostProblems + 1)
    }

    // MARK: - Cue sheets

    private static let sheet = """
        PERFORMER "Band"
        TITLE "Disc"
        FILE "Disc.wav" WAVE
          TRACK 01 AUDIO
            TITLE "One"
            INDEX 01 00:00:00
          TRACK 02 AUDIO
            TITLE "Two"
            INDEX 01 03:00:00
        """

    @Test func `a sheet gives its tracks out of the file that is there now`() async throws {
        let tree = try Tree(["Disc.flac"])
        try tree.add("Disc.cue", ArgumentExpansionTests.sheet)
        let found = await tree.expand("Disc.cue")
        #expect(tree.names(found) == ["Disc.flac", "Disc.flac"])
        #expect(found.items.map(\.start) == [.zero, .seconds(180)])
        #expect(found.items.map(\.end) == [.seconds(180), nil])
        #expect(found.items.map(\.tags?.title) == ["One", "Two"])
        #expect(found.items.allSatisfy { $0.tags?.album == "Disc" && $0.albumKey == found.items[0].albumKey })
        #expect(found.problems.isEmpty)
    }

    @Test func `a folder with a sheet and its file gives each song once`() async throws {
        let tree = try Tree(["x/Disc.flac", "x/bonus.mp3"])
        try tree.add("x/Disc.cue", ArgumentExpansionTests.sheet)
        try tree.add("x/Disc (2).cue", ArgumentExpansionTests.sheet)
        try tree.add("x/other.cue", "FILE \"gone.wav\" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\n")
        let found = await tree.expand("x")
        #expect(tree.names(found) == ["x/bonus.mp3", "x/Disc.flac", "x/Disc.flac"])
        #expect(found.items.map(\.tags?.title) == [nil, "One", "Two"])
        #expect(found.problems.isEmpty)
    }

    @Test func `a folder's files named one by one with their sheet give each song once`() async throws {
        let tree = try Tree(["Disc.flac"])
        try tree.add("Disc.cue", ArgumentExpansionTests.sheet)
        let found = await tree.expand("Disc.flac", "Disc.cue")
        #expect(found.items.map(\.tags?.title) == ["One", "Two"])
        // But a file named without its sheet is the whole file.
        #expect(await tree.expand("Disc.flac").items.map(\.tags) == [nil])
    }

    @Test func `a sheet whose file is gone complains once and names it`() async throws {
        let tree = try Tree()
        try tree.add("Disc.cue", ArgumentExpansionTests.sheet)
        let found = await tree.expand("Disc.cue")
        #expect(found.items.isEmpty)
        #expect(found.problems.map(\.kind) == [.notFound])
        #expect(found.problems[0].what.hasSuffix("Disc.wav"))
    }

    @Test func `a sheet that names itself is no loop`() async throws {
        let tree = try Tree()
        try tree.add("x.cue", "FILE \"x.cue\" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\n")
        let found = await tree.expand("x.cue", ".")
        #expect(found.items.isEmpty)
    }

    // MARK: - The table

    @Test func `every type and scheme has its usual form (R025, R026)`() {
        #expect(MediaTypes.schemes.allSatisfy { $0 == $0.lowercased() })
        #expect(MediaTypes.mimeTypes.allSatisfy { $0.split(separator: "/").count == 2 && $0 == $0.lowercased() })
        #expect(Set(MediaTypes.mimeTypes).count == MediaTypes.mimeTypes.count)
        #expect(
            Set((MediaTypes.audio + MediaTypes.playlists).map(\.ending)).count
                == MediaTypes.audio.count + MediaTypes.playlists.count)
    }
}
