// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletFormats
import Testing

@Suite("Cue sheets")
struct CueSheetTests {
    private static let album = """
        REM GENRE "Hard Rock"
        REM DATE 1979
        REM DISCID 860B640B
        REM COMMENT "ExactAudioCopy v0.95b4"
        REM DISCNUMBER 1
        REM TOTALDISCS 2
        REM REPLAYGAIN_ALBUM_GAIN -7.50 dB
        REM REPLAYGAIN_ALBUM_PEAK 0.987654
        CATALOG 4988001234567
        PERFORMER "The Band"
        TITLE "The Album"
        FILE "The Album.wav" WAVE
          TRACK 01 AUDIO
            TITLE "First "quoted" one"
            FLAGS DCP
            ISRC KRA301200001
            REM REPLAYGAIN_TRACK_GAIN -6.20 dB
            REM REPLAYGAIN_TRACK_PEAK 0.9
            INDEX 00 00:00:00
            INDEX 01 00:00:33
        \tTRACK 02 AUDIO
        \t\tTITLE\t"Second"
        \t\tPERFORMER\t"Guest"
        \t\tSONGWRITER Writer
        \t\tPREGAP 00:02:00
        \t\tINDEX 00 03:10:01
        \t\tINDEX 01 03:12:02
        \t\tINDEX 02 04:00:00
        \t\tPOSTGAP 00:01:00
          TRACK 03 AUDIO
            TITLE Third without quotes
            INDEX 01 72:59:74
        """

    @Test func `a whole sheet comes out`() throws {
        let sheet = try CueSheet(Array(CueSheetTests.album.utf8))
        #expect(sheet.title == "The Album")
        #expect(sheet.performer == "The Band")
        #expect(sheet.catalog == "4988001234567")
        #expect(sheet.genre == "Hard Rock")
        #expect(sheet.date == "1979")
        #expect(sheet.comment == "ExactAudioCopy v0.95b4")
        #expect(sheet.discNumber == 1)
        #expect(sheet.discTotal == 2)
        #expect(sheet.albumGain == -7.5)
        #expect(sheet.albumPeak == 0.987654)
        #expect(sheet.files == [CueFile(name: Array("The Album.wav".utf8), text: "The Album.wav", kind: "WAVE")])
        #expect(sheet.tracks.count == 3)
        #expect(sheet.tracks[0].title == "First \"quoted\" one")
        #expect(sheet.tracks[0].isrc == "KRA301200001")
        #expect(sheet.tracks[0].gain == -6.2)
        #expect(sheet.tracks[0].peak == 0.9)
        #expect(sheet.tracks[1].title == "Second")
        #expect(sheet.tracks[1].songwriter == "Writer")
        #expect(sheet.tracks[1].pregap == CueTime(frames: 150))
        #expect(sheet.tracks[1].postgap == CueTime(frames: 75))
        #expect(sheet.tracks[1].indices.map(\.number) == [0, 1, 2])
        #expect(sheet.tracks[2].title == "Third without quotes")
    }

    @Test func `a track begins at INDEX 01 and adjacent tracks meet exactly (F227, F228)`() throws {
        let entries = try read(CueSheetTests.album, as: .cue).entries
        #expect(entries[0].start == CueTime(frames: 33).duration)
        #expect(entries[0].end == entries[1].start)
        #expect(entries[1].start == CueTime(frames: (3 * 60 + 12) * 75 + 2).duration)
        #expect(entries[1].end == entries[2].start)
        #expect(entries[2].end == nil)
        #expect(entries[0].tags.audio.length == entries[1].start - entries[0].start)
        #expect(entries[2].tags.audio.length == nil)
    }

    @Test func `frames give the same sample at any usual rate`() {
        for frames in [0, 1, 2, 33, 74, 75, 76, 337_499, 1_000_001] {
            let (seconds, attoseconds) = CueTime(frames: frames).duration.components
            let samples = Double(seconds) * 44_100 + Double(attoseconds) * 44_100 / 1e18
            #expect(abs(samples - Double(frames) * 588) < 1e-6)
        }
        #expect(CueTime("72:59:74")?.frames == (72 * 60 + 59) * 75 + 74)
        for text in ["", "1:2", "00:60:00", "00:00:75", "-1:00:00", "a:b:c", "1:2:3:4", "9999999999999999999:00:00"] {
            #expect(CueTime(text) == nil, "\(text)")
        }
    }

    @Test func `the sheet's tags are the track's, the disc's where it has none (F229)`() throws {
        let tags = try read(CueSheetTests.album, as: .cue).entries[1].tags
        #expect(tags.title == "Second")
        #expect(tags.artists == ["Guest"])
        #expect(tags.albumArtists == ["The Band"])
        #expect(tags.album == "The Album")
        #expect(tags.trackNumber == 2)
        #expect(tags.trackTotal == 3)
        #expect(tags.discNumber == 1)
        #expect(tags.discTotal == 2)
        #expect(tags.date == "1979")
        #expect(tags.genres == ["Hard Rock"])
        #expect(tags.composers == ["Writer"])
        #expect(tags.replayGain.albumGain == -7.5)
        #expect(tags.replayGain.trackGain == nil)
    }

    @Test func `a FILE line between TRACK and INDEX 01 moves the track and not its gap (F230)`() throws {
        let sheet = """
            FILE "01.wav" WAVE
              TRACK 01 AUDIO
                TITLE "A"
                INDEX 01 00:00:00
              TRACK 02 AUDIO
                TITLE "B"
                INDEX 00 04:30:00
            FILE "02.wav" WAVE
                INDEX 01 00:00:00
              TRACK 03 AUDIO
                TITLE "C"
                INDEX 00 03:00:10
            FILE "03.wav" WAVE
                INDEX 01 00:00:00
            """
        let entries = try read(sheet, as: .cue).entries
        #expect(
            entries.map { $0.candidates[0] } == ["/music/lists/01.wav", "/music/lists/02.wav", "/music/lists/03.wav"])
        #expect(entries.map(\.tags.title) == ["A", "B", "C"])
        // The gap is the end of the file before, so each file is played whole.
        #expect(entries.allSatisfy { $0.start == .zero && $0.end == nil })
    }

    @Test func `several files each end by themselves`() throws {
        let entries = try read(
            "FILE a.wav WAVE\nTRACK 1 AUDIO\nINDEX 01 0:0:0\nTRACK 2 AUDIO\nINDEX 01 1:0:0\nFILE b c.mp3 MP3\nTRACK 3 AUDIO\nINDEX 01 0:5:0\n",
            as: .cue
        ).entries
        #expect(entries.map(\.end) == [.seconds(60), nil, nil])
        #expect(entries[2].candidates[0] == "/music/lists/b c.mp3")
    }

    @Test func `a data track gives no entry and ends the one before`() throws {
        let entries = try read(
            "FILE a.bin BINARY\nTRACK 01 AUDIO\nINDEX 01 00:00:00\nTRACK 02 MODE1/2352\nINDEX 01 05:00:00\n", as: .cue
        ).entries
        #expect(entries.count == 1)
        #expect(entries[0].end == .seconds(300))
        #expect(entries[0].tags.trackTotal == 1)
    }

    @Test func `a sheet that names a wav has the flac among its candidates`() throws {
        let candidates = try read(CueSheetTests.album, as: .cue).entries[0].candidates
        #expect(candidates.prefix(2) == ["/music/lists/The Album.wav", "/music/lists/The Album.flac"])
        #expect(candidates.contains("/music/lists/The Album.ape"))
        #expect(Set(candidates).count == candidates.count)
    }

    @Test func `a file name with a Windows path is looked for beside the sheet`() throws {
        let entries = try read(
            "FILE \"D:\\rips\\x\\a.wav\" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\n", as: .cue
        ).entries
        #expect(entries[0].candidates.contains("/music/lists/a.wav"))
        #expect(entries[0].candidates.contains("/music/lists/a.flac"))
    }

    @Test func `a sheet in another encoding keeps the file's bytes as first candidate`() throws {
        let sheet =
            Array("FILE \"".utf8) + [0xE4] + Array(".wav\" WAVE\nTRACK 01 AUDIO\nTITLE \"".utf8) + [0xFC]
            + Array("\"\nINDEX 01 00:00:00\n".utf8)
        let reader = PlaylistReader(base: .folder(Array("/music/lists".utf8)), decode: allLatin1)
        let entry = try reader.read(sheet, as: .cue).entries[0]
        #expect(entry.candidatePaths[0] == Array("/music/lists/".utf8) + [0xE4] + Array(".wav".utf8))
        #expect(entry.candidates.contains("/music/lists/ä.wav"))
        #expect(entry.tags.title == "ü")
    }

    @Test func `a sheet inside a file means that file`() throws {
        let sheet = try CueSheet(Array(CueSheetTests.album.utf8))
        let entries = sheet.entries(insideFile: Array("/x/y.flac".utf8))
        #expect(entries.count == 3)
        #expect(entries.allSatisfy { $0.candidates == ["/x/y.flac"] })
        #expect(entries[0].end == entries[1].start)
    }

    @Test func `times out of order leave every track something to play`() throws {
        let entries = try read(
            "FILE a WAVE\nTRACK 1 AUDIO\nINDEX 01 2:0:0\nTRACK 2 AUDIO\nINDEX 01 1:0:0\nTRACK 3 AUDIO\nINDEX 01 1:0:0\n",
            as: .cue
        ).entries
        #expect(entries.allSatisfy { $0.end.map { end in end > .seconds(60) } ?? true })
        #expect(entries.map(\.end) == [nil, .seconds(120), .seconds(120)])
    }

    @Test func `a track without INDEX 01 begins at the index it has and one without any is left out`() throws {
        let list = try read(
            "FILE a WAVE\nTRACK 1 AUDIO\nINDEX 00 0:1:0\nTRACK 2 AUDIO\nTITLE x\n", as: .cue)
        #expect(list.entries.map(\.start) == [.seconds(1)])
        #expect(list.rejectedCount == 1)
    }

    @Test(arguments: ["\r\n", "\r", "\n"])
    func `line ends and a byte order mark do not matter`(end: String) throws {
        let text = "\u{FEFF}" + CueSheetTests.album.split(separator: "\n").joined(separator: end)
        #expect(try CueSheet(Array(text.utf8)) == CueSheet(Array(CueSheetTests.album.utf8)))
    }

    @Test func `what has no track is no sheet`() {
        #expect(throws: PlaylistError.self) { try CueSheet(Array("TITLE \"x\"\nFILE \"a\" WAVE\n".utf8)) }
    }
}
