// SPDX-License-Identifier: Apache-2.0
import MartletCharset
import MartletCore
import MartletTags
import Testing

@Suite("ID3 as it is found")
struct ID3Tests {
    let folder = TestFolder()

    private func tags(_ tag: [UInt8], trailing: [UInt8] = [], fallback: Charset? = nil) throws -> TrackTags {
        try TagLibReader(fallbackCharset: fallback)
            .read(path: folder.file("tone.mp3", tag + ToneAudio.mp3.bytes + trailing), wanted: []).tags
    }

    // MARK: - Encodings

    @Test
    func `Korean stored as Latin-1 is read as Korean (F225)`() throws {
        let read = try tags(
            ID3Tag(version: 3).eightBit("TIT2", Charset.cp949.encode("사랑")!)
                .eightBit("TPE1", Charset.cp949.encode("김광석")!).eightBit("TALB", Charset.cp949.encode("봄날")!)
                .bytes())
        #expect(read.title == "사랑")
        #expect(read.artists == ["김광석"])
        #expect(read.album == "봄날")
    }

    @Test
    func `Cyrillic stored as Latin-1 is read as Cyrillic (F224)`() throws {
        let read = try tags(
            ID3Tag(version: 3).eightBit("TIT2", Charset.windows1251.encode("Группа крови")!)
                .eightBit("TPE1", Charset.windows1251.encode("Кино")!).bytes())
        #expect(read.title == "Группа крови")
        #expect(read.artists == ["Кино"])
    }

    @Test
    func `Latin-1 that is Latin-1 stays it`() throws {
        let read = try tags(ID3Tag(version: 3).text("TIT2", "Déjà vu", encoding: .latin1).bytes())
        #expect(read.title == "Déjà vu")
    }

    @Test
    func `UTF-8 stored as Latin-1 is read as UTF-8`() throws {
        #expect(try tags(ID3Tag().eightBit("TIT2", Array("서른".utf8)).bytes()).title == "서른")
    }

    @Test
    func `the configured charset decides where the bytes leave it open (W14)`() throws {
        let greek = try #require(Charset(named: "windows-1253"))
        let tag = ID3Tag(version: 3).eightBit("TIT2", greek.encode("Μάλιστα κύριε")!).bytes()
        #expect(try tags(tag, fallback: greek).title == "Μάλιστα κύριε")
    }

    @Test
    func `an ID3v1 tag in CP949, cut through a character, is read`() throws {
        let title = Charset.cp949.encode("아주 오래된 연인들에게 바치는 노래")!
        let read = try tags(
            [],
            trailing: ID3Tag.version1(title: Array(title.prefix(29)), artist: Charset.cp949.encode("공일오비")!, track: 4))
        #expect(read.title == "아주 오래된 연인들에게 바치는")
        #expect(read.artists == ["공일오비"])
        #expect(read.trackNumber == 4)
        #expect(read.date == "1998")
    }

    @Test
    func `ID3v1 only fills what ID3v2 leaves open`() throws {
        let read = try tags(
            ID3Tag().text("TIT2", "The whole title, which is long").bytes(),
            trailing: ID3Tag.version1(title: Array("The whole tit".utf8), artist: Array("Singer".utf8)))
        #expect(read.title == "The whole title, which is long")
        #expect(read.artists == ["Singer"])
    }

    @Test(arguments: [ID3Tag.Encoding.utf16, .utf16BigEndian])
    func `UTF-16 is read, a lone surrogate becomes a replacement character`(encoding: ID3Tag.Encoding) throws {
        #expect(try tags(ID3Tag().text("TIT2", "노래 🎵", encoding: encoding).bytes()).title == "노래 🎵")
        let lone: [UInt8] = [2, 0xD8, 0x00, 0x00, 0x41]
        #expect(try tags(ID3Tag().frame("TIT2", lone).bytes()).title == "\u{FFFD}A")
    }

    // F107: a NUL inside a tag crashed a player at every start.
    @Test
    func `no text holds a NUL or a control character, whatever the tag holds (F107)`() throws {
        let read = try tags(
            ID3Tag().frame("COMM", [3] + Array("eng\0a\0b\u{1}c\u{7F}".utf8))
                .user("BARCODE", "x").frame("USLT", [3] + Array("eng\0one\0two".utf8)).bytes())
        for text in read.comments + [read.lyrics ?? ""] {
            #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
        }
    }

    // MARK: - Several values

    @Test
    func `a slash is part of a name in ID3v2.3 and in 2.4 (F262)`() throws {
        for version in [UInt8(3), 4] {
            let read = try tags(ID3Tag(version: version).text("TPE1", "AC/DC", encoding: .latin1).bytes())
            #expect(read.artists == ["AC/DC"])
        }
    }

    @Test
    func `a comma or a semicolon is part of a name (F263)`() throws {
        #expect(try tags(ID3Tag().text("TPE1", "10,000 Maniacs; live").bytes()).artists == ["10,000 Maniacs; live"])
    }

    @Test
    func `NUL separates values in ID3v2.4, and a value that repeats is one`() throws {
        let read = try tags(ID3Tag().text("TPE1", "One", "Two", "One", "").text("TCOM", "A", "B").bytes())
        #expect(read.artists == ["One", "Two"])
        #expect(read.composers == ["A", "B"])
    }

    @Test
    func `the list of artists wins over the line for show`() throws {
        let read = try tags(
            ID3Tag().text("TPE1", "One feat. Two").user("ARTISTS", "One\u{0}Two").bytes())
        #expect(read.artists == ["One", "Two"])
    }

    // MARK: - Frames

    @Test(
        arguments: [
            (["(17)"], ["Rock"]), (["17"], ["Rock"]), (["(4)(17)"], ["Disco", "Rock"]),
            (["(17)Hard"], ["Rock", "Hard"]),
            (["Rock"], ["Rock"]), (["(RX)"], ["Remix"]), (["8", "Neo"], ["Jazz", "Neo"]), (["(999)"], []),
        ] as [([String], [String])])
    func `genre numbers are named`(values: [String], genres: [String]) throws {
        let payload = [3] + Array(values.joined(separator: "\0").utf8)
        let read = try tags(ID3Tag().frame("TCON", payload).bytes()).genres
        #expect(read == genres)
    }

    @Test
    func `a year with a day and month of ID3v2.3 is one date`() throws {
        let tag = ID3Tag(version: 3).text("TYER", "2009", encoding: .latin1).text("TDAT", "2909", encoding: .latin1)
        #expect(try tags(tag.bytes()).date == "2009-09-29")
    }

    @Test
    func `ID3v2.2 frames are read`() throws {
        let tag = ID3Tag(version: 2).text("TT2", "Old", encoding: .latin1).text("TP1", "Singer", encoding: .latin1)
            .text("TRK", "2/9", encoding: .latin1)
        let read = try tags(tag.bytes())
        #expect(read.title == "Old")
        #expect(read.artists == ["Singer"])
        #expect(read.trackTotal == 9)
    }

    @Test
    func `the numbers iTunes keeps in comments are no comments`() throws {
        let tag = ID3Tag().frame("COMM", [3] + Array("engiTunNORM\0 0000 0000".utf8))
            .frame("COMM", [3] + Array("eng\0said".utf8))
        #expect(try tags(tag.bytes()).comments == ["said"])
    }

    @Test
    func `synchronised lyrics become LRC and win over plain ones`() throws {
        func line(_ text: String, _ milliseconds: Int) -> [UInt8] { Array(text.utf8) + [0] + big(milliseconds, 4) }
        let lyrics = [3] + Array("eng".utf8) + [2, 1, 0] + line("first", 1230) + line("second", 61_500)
        let tag = ID3Tag().frame("USLT", [3] + Array("eng\0plain".utf8)).frame("SYLT", lyrics)
        #expect(try tags(tag.bytes()).lyrics == "[00:01.23]first\n[01:01.50]second")
    }

    @Test
    func `lyrics timed by the syllable become lines`() throws {
        func part(_ text: String, _ milliseconds: Int) -> [UInt8] { Array(text.utf8) + [0] + big(milliseconds, 4) }
        let lyrics =
            [3] + Array("eng".utf8) + [2, 1, 0] + part("\nRow ", 0) + part("your ", 300) + part("boat", 600)
            + part("\ngen", 2000) + part("tly", 2400)
        #expect(try tags(ID3Tag().frame("SYLT", lyrics).bytes()).lyrics == "[00:00.00]Row your boat\n[00:02.00]gently")
    }

    @Test
    func `a relative volume frame is a gain where there is no better one`() throws {
        // -3.5 dB in 1/512, master volume, no peak.
        let volume = Array("track\0".utf8) + [1] + big(-1792, 2) + [0]
        #expect(try tags(ID3Tag().frame("RVA2", volume).bytes()).replayGain.trackGain == -3.5)
        let both = ID3Tag().frame("RVA2", volume).user("REPLAYGAIN_TRACK_GAIN", "-4 dB")
        #expect(try tags(both.bytes()).replayGain.trackGain == -4)
    }

    @Test
    func `a second tag in front does not hide the audio`() throws {
        let read = try tags(ID3Tag().text("TIT2", "First").bytes() + ID3Tag().text("TIT2", "Second").bytes())
        #expect(read.title != nil)
        #expect(read.audio.codec == "mp3")
    }

    @Test
    func `an ID3 tag in front of a FLAC file yields to its own comments`() throws {
        let path = folder.file("tone.flac", ToneAudio.flac.bytes)
        Mutagen.tag(path, "TITLE=Own")
        let own = folder.bytes(of: "tone.flac")
        let both = folder.file("both.flac", ID3Tag().text("TIT2", "Stuck on").text("TPE1", "Singer").bytes() + own)
        let read = try TagLibReader().read(path: both, wanted: []).tags
        #expect(read.title == "Own")
        #expect(read.artists == ["Singer"])
        #expect(read.audio.codec == "flac")
    }
}
