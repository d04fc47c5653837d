// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletFormats
import Testing

@Suite("Writing lists")
struct WriterTests {
    private static let folder = Array("/music/lists".utf8)

    /// Names that a careless writer loses, below the list's folder and beside it.
    private static let names: [[UInt8]] =
        [
            "plain.mp3", "with space.mp3", " leading", "trailing ", "\u{3000}wide\u{3000}", "#hash.mp3",
            "per%20cent%.mp3",
            "a&b<c>\"d'.mp3", "colon: x.mp3", "http://odd/x", "http:x", "C:\\x.mp3", "back\\slash.mp3",
            "line\nfeed.mp3",
            "tab\t.mp3", "노래.mp3", "e\u{301}.mp3", "é.mp3", "file:x", "[playlist]", "..dots", "...", "?query#frag;p=1",
            "sub/노래/deep.mp3", "=eq=", "\u{1B}esc", "\u{FEFF}mark", "-", "~x", "\u{85}next",
        ].map { folder + Array("/\($0)".utf8) } + [
            folder + [0x2F, 0xE4, 0xFF, 0x2E], Array("/music/beside/x.mp3".utf8), Array("/elsewhere/y.mp3".utf8),
            Array("/music/lists2/z.mp3".utf8),
        ]

    @Test(arguments: [PlaylistFormat.m3u, .pls, .xspf], [PlaylistWriter.Style.absolute, .relative(toFolder: folder)])
    func `every name comes back as the same bytes (F220, F222, F223)`(
        format: PlaylistFormat, style: PlaylistWriter.Style
    ) throws {
        let list = Playlist(entries: WriterTests.names.map { PlaylistEntry(.path($0)) })
        let bytes = try #require(PlaylistWriter(style: style).write(list, as: format))
        #expect(String(validating: bytes, as: UTF8.self) != nil)
        let back = try read(bytes, as: format)
        #expect(back.rejectedCount == 0)
        #expect(back.entries.count == list.entries.count)
        for (name, entry) in zip(WriterTests.names, back.entries) {
            // ".." is kept in plain paths and means what it says as long as there are no links; "//" is "/".
            let first = entry.candidatePaths.first.map { WriterTests.withoutDots($0) }
            #expect(first == WriterTests.withoutDots(name), "\(String(decoding: name, as: UTF8.self))")
        }
    }

    private static func withoutDots(_ path: [UInt8]) -> [UInt8] {
        var kept: [ArraySlice<UInt8>] = []
        for part in path.split(separator: 0x2F) {
            if part == ArraySlice("..".utf8) { kept.removeLast() } else { kept.append(part) }
        }
        return kept.flatMap { [0x2F] + $0 }
    }

    private static var tagged: Playlist {
        var one = PlaylistEntry(.uri(MediaURI("https://h/a?b=c&d=e#f")!))
        one.tags.title = "Radio - One"
        var two = PlaylistEntry(.path(folder + Array("/two.mp3".utf8)))
        two.tags.title = "T - <&> \"x\""
        two.tags.artists = ["Lee"]
        two.tags.album = "Al ]]> bum"
        two.tags.audio.length = .seconds(61)
        two.start = .milliseconds(1500)
        two.end = .milliseconds(62_500)
        var three = PlaylistEntry(.path(folder + Array("/three.mp3".utf8)))
        three.tags.title = "No artist - only a dash"
        var playlist = Playlist(title: "Mine & yours", entries: [one, two, three])
        playlist.creator = "Me"
        return playlist
    }

    @Test func `XSPF gives back all it was given`() throws {
        var list = WriterTests.tagged
        list.image = MediaURI("http://h/list.png")
        list.entries[1].image = MediaURI("http://h/two.png")
        list.entries[1].tags.trackNumber = 7
        list.entries[1].tags.comments = ["Note"]
        list.entries[1].tags.audio.length = .milliseconds(61_234)
        for style in [PlaylistWriter.Style.absolute, .relative(toFolder: WriterTests.folder)] {
            let bytes = try #require(PlaylistWriter(style: style).write(list, as: .xspf))
            var back = try read(bytes, as: .xspf)
            for index in back.entries.indices {
                back.entries[index].location = back.entries[index].uri.map { .uri($0) } ?? back.entries[index].location
            }
            var expected = list
            for index in expected.entries.indices { expected.entries[index].location = .uri(list.entries[index].uri!) }
            #expect(back == expected)
        }
    }

    @Test func `M3U gives back all it was given`() throws {
        var list = WriterTests.tagged
        list.creator = nil
        list.entries[1].tags.albumArtists = ["Band"]
        let bytes = try #require(PlaylistWriter(style: .relative(toFolder: WriterTests.folder)).write(list, as: .m3u))
        #expect(try read(bytes, as: .m3u) == list)
        #expect(String(decoding: bytes, as: UTF8.self).contains("\ntwo.mp3\n"))
    }

    @Test func `PLS gives back places, titles and lengths`() throws {
        let list = WriterTests.tagged
        let back = try read(PlaylistWriter().write(list, as: .pls)!, as: .pls)
        #expect(back.title == list.title)
        #expect(back.entries.map(\.location) == list.entries.map(\.location))
        #expect(back.entries.map(\.tags.title) == list.entries.map(\.tags.title))
        #expect(back.entries.map(\.tags.artists) == list.entries.map(\.tags.artists))
        #expect(back.entries.map(\.tags.audio.length) == list.entries.map(\.tags.audio.length))
    }

    @Test func `a title with a line feed cannot add a line`() throws {
        var entry = PlaylistEntry(.path(Array("/a.mp3".utf8)))
        entry.tags.title = "x\n/etc/passwd\r\nFile2=/etc/shadow"
        entry.tags.album = "y\n/b"
        let list = Playlist(title: "z\n/c", entries: [entry])
        for format in [PlaylistFormat.m3u, .pls] {
            let back = try read(PlaylistWriter().write(list, as: format)!, as: format)
            #expect(back.places == ["/a.mp3"])
        }
    }

    @Test func `characters XML cannot hold do not spoil the document`() throws {
        var entry = PlaylistEntry(.path(Array("/a.mp3".utf8)))
        entry.tags.title = "a\u{0}b\u{1B}c\u{FFFF}d"
        let back = try read(PlaylistWriter().write(Playlist(entries: [entry]), as: .xspf)!, as: .xspf)
        #expect(back.entries[0].tags.title == "abcd")
    }

    @Test func `formats that are not written give nothing`() {
        for format in [PlaylistFormat.cue, .hls, .asx, .wpl] {
            #expect(PlaylistWriter().write(Playlist(), as: format) == nil)
        }
    }
}
