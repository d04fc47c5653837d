// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletFormats
import Testing

@Suite("Hostile lists", .timeLimit(.minutes(2)))
struct HostileListTests {
    @Test func `a line of megabytes is passed over and the next one is read`() throws {
        let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000) + Array("\nb.mp3\n".utf8)
        for format in [PlaylistFormat.m3u, .pls] {
            let text = format == .pls ? Array("[playlist]\nFile1=".utf8) + bytes + Array("File2=b.mp3".utf8) : bytes
            let list = try read(text, as: format)
            #expect(list.places == ["/music/lists/b.mp3"])
            #expect(list.rejectedCount == 1)
        }
    }

    @Test(arguments: [PlaylistFormat.m3u, .pls, .xspf, .cue])
    func `input above the limit is refused before it is looked at`(format: PlaylistFormat) {
        var reader = PlaylistReader(base: nil)
        reader.maximumBytes = 10
        #expect(throws: PlaylistError.tooLarge(limit: 10)) {
            try reader.read([UInt8](repeating: 0x41, count: 11), as: format)
        }
    }

    @Test func `a list stops at the limit of entries and says so`() throws {
        var reader = PlaylistReader(base: .folder(Array("/m".utf8)))
        reader.maximumEntries = 3
        let entries = (1...9).map { PlaylistEntry(.path(Array("/m/\($0).mp3".utf8))) }
        for format in [PlaylistFormat.m3u, .pls, .xspf] {
            let bytes = try #require(PlaylistWriter().write(Playlist(entries: entries), as: format))
            let list = try reader.read(bytes, as: format)
            #expect(list.entries.map(\.uri) == entries.prefix(3).map(\.uri))
            #expect(list.isTruncated)
        }
    }

    @Test(arguments: [PlaylistFormat.m3u, .pls, .xspf])
    func `time grows with the number of entries and not with its square`(format: PlaylistFormat) throws {
        func seconds(_ count: Int) throws -> Double {
            let entries = (0..<count).map { index in
                var entry = PlaylistEntry(.path(Array("/music/artist/album/track \(index).mp3".utf8)))
                entry.tags.title = "Title \(index)"
                return entry
            }
            let bytes = try #require(PlaylistWriter().write(Playlist(entries: entries), as: format))
            let begin = ContinuousClock.now
            #expect(try read(bytes, as: format).entries.count == count)
            return (ContinuousClock.now - begin) / .seconds(1)
        }
        _ = try seconds(1000)
        let (small, large) = (try seconds(2000), try seconds(20_000))
        // Ten times the work; a square law would take a hundred times as long.
        #expect(large < small * 40)
    }

    @Test func `a sheet of a million tracks ends`() throws {
        var text = "FILE a WAVE\n"
        for index in 0..<20_000 { text += "TRACK 01 AUDIO\nINDEX 01 \(index):00:00\n" }
        #expect(try CueSheet(Array(text.utf8)).tracks.count == 10_000)
    }

    @Test(arguments: [UInt64](1...8))
    func `damaged lists give values or errors and nothing else`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let reader = {
            var reader = PlaylistReader(base: .folder(Array("/m".utf8)))
            reader.maximumEntries = 50
            return reader
        }()
        for _ in 0..<100 {
            let (format, sample) = HostileListTests.samples.randomElement(using: &random)!
            var bytes = Array(sample.utf8)
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.insert("\"=:\\/<>&#%[]\r\n\0\u{FE}".utf8.randomElement(using: &random)!, at: at)
                case 2: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...20, using: &random)))
                case 3: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + 30)], at: 0)
                default: bytes.swapAt(at, Int.random(in: 0..<bytes.count, using: &random))
                }
                if bytes.isEmpty { bytes = [0x0A] }
            }
            _ = PlaylistFormat.detect(name: "x".utf8, bytes: bytes)
            guard let list = try? reader.read(bytes, as: format) else { continue }
            #expect(list.entries.count <= 50)
            for entry in list.entries {
                #expect(entry.uri != nil, "seed \(seed)")
                #expect(entry.candidatePaths.allSatisfy { $0.first == 0x2F && !$0.contains(0) }, "seed \(seed)")
                #expect(entry.end.map { $0 > entry.start } ?? true, "seed \(seed)")
                #expect(entry.tags.title?.utf8.contains { $0 < 0x20 } != true, "seed \(seed)")
                #expect(entry.tags.title?.isEmpty != true, "seed \(seed)")
            }
        }
    }

    private static let samples: [(PlaylistFormat, String)] = [
        (
            .m3u,
            "#EXTM3U\n#PLAYLIST:x\n#EXTINF:3 a=\"b\",A - B\nC:\\x\\y.mp3\n#EXTVLCOPT:start-time=1\nfile:///a%20b\nc\\d\n"
        ),
        (.pls, "[playlist]\nFile1=a\nTitle1=A - B\nLength1=3\nFile2=http://h/x\nNumberOfEntries=2\n"),
        (
            .xspf,
            """
            <?xml version="1.0"?><playlist xmlns="http://xspf.org/ns/0/" xml:base="/b/"><title>x</title><trackList><track>
            <location>a%20b</location><title>&lt;x&gt;</title><duration>3</duration></track></trackList></playlist>
            """
        ),
        (
            .cue,
            "REM DATE 1999\nTITLE \"x\"\nFILE \"a.wav\" WAVE\nTRACK 01 AUDIO\nTITLE \"y\"\nINDEX 01 00:00:00\nTRACK 02 AUDIO\nINDEX 01 00:01:00\n"
        ),
    ]
}
