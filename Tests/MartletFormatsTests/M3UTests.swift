// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletFormats
import Testing

@Suite("M3U")
struct M3UTests {
    @Test func `plain lines are paths below the list's folder`() throws {
        let list = try read("one.mp3\n./two.mp3\nsub//three.mp3\n/abs/four.mp3\n../five.mp3\n", as: .m3u)
        #expect(
            list.places == [
                "/music/lists/one.mp3", "/music/lists/two.mp3", "/music/lists/sub/three.mp3", "/abs/four.mp3",
                "/music/lists/../five.mp3",
            ])
    }

    @Test func `EXTINF gives length, artist and title`() throws {
        let list = try read(
            "#EXTM3U\n#EXTINF:215,Lee – x - Song - Live\na.mp3\n#EXTINF:12.5,Only\nb.mp3\n#EXTINF:-1,\nc.mp3\n",
            as: .m3u)
        #expect(list.entries[0].tags.artists == ["Lee – x"])
        #expect(list.entries[0].tags.title == "Song - Live")
        #expect(list.entries[0].tags.audio.length == .seconds(215))
        #expect(list.entries[1].tags.title == "Only")
        #expect(list.entries[1].tags.audio.length == .milliseconds(12_500))
        #expect(list.entries[2].tags == TrackTags())
    }

    @Test func `what one EXTINF says does not reach the next entry`() throws {
        let list = try read("#EXTINF:9,A - B\na.mp3\nb.mp3\n", as: .m3u)
        #expect(list.entries[1].tags == TrackTags())
    }

    @Test func `attributes are taken apart and a comma inside quotes is theirs`() throws {
        let list = try read(
            "#EXTM3U\n#EXTINF:-1 tvg-id=x1 tvg-logo=\"http://h/l.png\" group-title=\"a, b\",Radio - One\nhttp://h/s\n",
            as: .m3u)
        let entry = list.entries[0]
        #expect(entry.attributes == ["tvg-id": "x1", "tvg-logo": "http://h/l.png", "group-title": "a, b"])
        #expect(entry.image == MediaURI("http://h/l.png"))
        // A station is called what it is called.
        #expect(entry.tags.title == "Radio - One")
        #expect(entry.tags.artists.isEmpty)
    }

    @Test func `a quote that is never closed does not swallow the title`() throws {
        let list = try read("#EXTINF:5 x=\"y,A - B\na.mp3\n", as: .m3u)
        #expect(list.entries[0].tags.title == "B")
    }

    @Test func `an album named once holds for all tracks until it is replaced`() throws {
        let list = try read(
            "#EXTM3U\n#PLAYLIST:Mine\n#EXTALB:First\n#EXTART:Band\n#EXTGENRE:Folk\na\nb\n#EXTALB:Second\nc\n#EXTALB:\nd\n",
            as: .m3u)
        #expect(list.title == "Mine")
        #expect(list.entries.map(\.tags.album) == ["First", "First", "Second", nil])
        #expect(list.entries.map(\.tags.albumArtists) == Array(repeating: ["Band"], count: 4))
        #expect(list.entries[3].tags.genres == ["Folk"])
    }

    @Test func `a file URI is decoded and a plain path with percent signs is left alone (F276, F222)`() throws {
        let list = try read(
            "file:///m/a%20b.mp3\n/m/100%20.mp3\nfile://localhost/m/%25.mp3\nfile:/m/x.mp3\nFILE:///m/y.mp3\n", as: .m3u
        )
        #expect(
            list.entries.map(\.candidates) == [
                ["/m/a b.mp3"], ["/m/100%20.mp3"], ["/m/%.mp3"], ["/m/x.mp3"], ["/m/y.mp3"],
            ])
    }

    @Test func `a file URI on another host is rejected and counted`() throws {
        let list = try read("file://server/share/a.mp3\nb.mp3\n", as: .m3u)
        #expect(list.places == ["/music/lists/b.mp3"])
        #expect(list.rejectedCount == 1)
    }

    @Test func `a colon in a name makes no scheme of it`() throws {
        let list = try read("Symphony 5: Allegro.mp3\nmix:tape.mp3\n", as: .m3u)
        #expect(list.places == ["/music/lists/Symphony 5: Allegro.mp3", "/music/lists/mix:tape.mp3"])
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `every kind of line end is one`(end: String) throws {
        let list = try read(["\u{FEFF}#EXTM3U", "#EXTINF:1,T", "a.mp3", "", "b.mp3"].joined(separator: end), as: .m3u)
        #expect(list.places == ["/music/lists/a.mp3", "/music/lists/b.mp3"])
        #expect(list.entries[0].tags.title == "T")
    }

    @Test func `a list saved as UTF-16 is read`() throws {
        for isBig in [false, true] {
            var bytes: [UInt8] = isBig ? [0xFE, 0xFF] : [0xFF, 0xFE]
            for unit in "#EXTINF:3,가수 - 노래\r\n노래.mp3\r\n".utf16 {
                let pair = [UInt8(unit & 255), UInt8(unit >> 8)]
                bytes += isBig ? pair.reversed() : pair
            }
            #expect(PlaylistFormat.detect(name: "x.m3u".utf8, bytes: bytes) == .m3u)
            let list = try read(bytes, as: .m3u)
            #expect(list.places == ["/music/lists/노래.mp3"])
            #expect(list.entries[0].tags.artists == ["가수"])
        }
    }

    @Test func `in a list that is no UTF-8 the raw bytes are tried first and the decoded name next (F277)`() throws {
        let name = "Die Ärzte - Männer sind Schweine für große Köche.mp3"
        let raw = latin1(name)
        let list = try read(Array("#EXTINF:1,".utf8) + raw + [0x0A] + raw + [0x0A], as: .m3u)
        #expect(list.entries[0].tags.artists == ["Die Ärzte"])
        #expect(list.entries[0].location == .path(Array("/music/lists/".utf8) + raw))
        #expect(list.entries[0].alternatives == [Array("/music/lists/\(name)".utf8)])
    }

    @Test func `a Korean list of the nineties is read (F277)`() throws {
        // "#EXTINF:1,아이유 - 좋은날" in CP949
        let korean: [UInt8] = [
            0xBE, 0xC6, 0xC0, 0xCC, 0xC0, 0xAF, 0x20, 0x2D, 0x20, 0xC1, 0xC1, 0xC0, 0xBA, 0xB3, 0xAF,
        ]
        let list = try read(Array("#EXTINF:1,".utf8) + korean + [0x0A] + korean + Array(".mp3".utf8), as: .m3u)
        #expect(list.entries[0].tags.artists == ["아이유"])
        #expect(list.entries[0].tags.title == "좋은날")
        #expect(list.entries[0].candidates.last == "/music/lists/아이유 - 좋은날.mp3")
    }

    @Test func `bytes in a file URI that nobody encoded stay those bytes`() throws {
        let bytes = Array("file:///m/".utf8) + [0xE4] + Array(".mp3\n".utf8)
        let list = try PlaylistReader(base: nil, decode: allLatin1).read(bytes, as: .m3u)
        #expect(
            list.entries[0].candidatePaths == [
                Array("/m/".utf8) + [0xE4] + Array(".mp3".utf8), Array("/m/ä.mp3".utf8),
            ])
    }

    @Test func `the decoder gets the lines together, with what EXTENC claims`() throws {
        let seen = Seen()
        let reader = PlaylistReader(base: .folder(Array("/m".utf8))) { pieces, declared in
            seen.calls.append((pieces.count, declared))
            return pieces.map { _ in "decoded.mp3" }
        }
        let list = try reader.read(Array("#EXTENC: EUC-KR\n".utf8) + [0xB0, 0xA1, 0x0A, 0xB0, 0xA2, 0x0A], as: .m3u)
        #expect(seen.calls.count == 1)
        #expect(seen.calls.first?.0 == 2)
        #expect(seen.calls.first?.1 == "EUC-KR")
        #expect(list.entries.allSatisfy { $0.alternatives == [Array("/m/decoded.mp3".utf8)] })
    }

    // Used by one test on one thread.
    private final class Seen: @unchecked Sendable {
        var calls: [(Int, String?)] = []
    }

    @Test func `a Windows path without its drive is looked for below the list`() throws {
        let list = try read("C:\\Music\\Album\\song.mp3\nAlbum\\two.mp3\n\\\\nas\\share\\x\\three.mp3\n", as: .m3u)
        #expect(
            list.entries[0].candidates == [
                "/music/lists/Music/Album/song.mp3", "/music/lists/Album/song.mp3", "/music/lists/song.mp3",
            ])
        #expect(list.entries[1].candidates == ["/music/lists/Album/two.mp3", "/music/lists/Album\\two.mp3"])
        #expect(list.entries[2].candidates == ["/music/lists/x/three.mp3", "/music/lists/three.mp3"])
    }

    @Test func `a Windows path cannot climb out of the list's folder`() throws {
        let list = try read("C:\\..\\..\\etc\\passwd\n", as: .m3u)
        #expect(list.entries.isEmpty)
        #expect(list.rejectedCount == 1)
    }

    @Test func `VLC's options give the part that is meant`() throws {
        let list = try read("#EXTVLCOPT:start-time=1.5\n#EXTVLCOPT:stop-time=3\na\nb\n", as: .m3u)
        #expect(list.entries[0].start == .milliseconds(1500))
        #expect(list.entries[0].end == .seconds(3))
        #expect(list.entries[1].start == .zero)
        #expect(list.entries[1].end == nil)
    }

    @Test func `an HLS playlist is a stream and no list`() throws {
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:9,\na.ts\n"
        #expect(throws: PlaylistError.stream) { try read(text, as: .m3u) }
        #expect(PlaylistFormat.detect(name: "x.m3u8".utf8, bytes: text.utf8) == .hls)
    }

    @Test func `in a list from a server places begin at its URI`() throws {
        let base = PlaylistBase.uri(MediaURI("http://h:8000/a/b.m3u?x=1")!)
        let list = try read("c d.mp3\n../e.mp3\n/f.mp3\nhttp://o/g\n", as: .m3u, base: base)
        #expect(
            list.places == [
                "http://h:8000/a/c%20d.mp3", "http://h:8000/e.mp3", "http://h:8000/f.mp3", "http://o/g",
            ])
    }

    @Test func `without a place of its own a list's relative entries are rejected`() throws {
        let list = try read("a.mp3\n/b.mp3\nhttp://o/g\n", as: .m3u, base: nil)
        #expect(list.places == ["/b.mp3", "http://o/g"])
        #expect(list.rejectedCount == 1)
    }

    @Test func `text is fit for the bus`() throws {
        let list = try read("#EXTINF:1,A\u{0}B\u{1B}[31m - T\u{85}x\na.mp3\n", as: .m3u)
        #expect(list.entries[0].tags.artists == ["A B [31m"])
        #expect(list.entries[0].tags.title == "T x")
    }
}
