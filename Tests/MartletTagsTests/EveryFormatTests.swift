// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletTags
import Testing

@Suite("Every format")
struct EveryFormatTests {
    let folder = TestFolder()
    let reader = TagLibReader()

    @Test(arguments: ToneAudio.allCases)
    func `the audio of a file without tags is described and nothing is invented`(tone: ToneAudio) throws {
        let path = folder.file("tone.\(tone.fileExtension)", tone.bytes)
        let tags = try reader.read(path: path, wanted: []).tags
        #expect(tags.audio.codec == tone.codec)
        #expect(tags.audio.sampleRate == tone.sampleRate)
        #expect(tags.audio.channels == 2)
        let length = try #require(tags.audio.length)
        #expect((0.9...1.2).contains(length / .seconds(1)))
        // One second of DSD in a file of 8 KiB.
        if tone != .dsf { #expect((1...3000).contains(try #require(tags.audio.bitrate))) }
        var bare = tags
        bare.audio = AudioProperties()
        #expect(bare == TrackTags())
    }

    @Test(arguments: ToneAudio.allCases)
    func `a wrong file extension does not matter`(tone: ToneAudio) throws {
        let wrong = tone == .mp3 ? "flac" : "mp3"
        let path = folder.file("tone.\(wrong)", tone.bytes)
        #expect(try reader.read(path: path, wanted: []).tags.audio.codec == tone.codec)
        let nameless = folder.file("tone", tone.bytes)
        #expect(try reader.read(path: nameless, wanted: []).tags.audio.codec == tone.codec)
    }

    @Test(arguments: [ToneAudio.flac, .vorbis, .opus, .oggFlac, .speex])
    func `Vorbis comments are read`(tone: ToneAudio) throws {
        let path = folder.file("tone", tone.bytes)
        Mutagen.tag(
            path, "TITLE=노래", "ARTIST=One", "ARTIST=Two", "ALBUM=Album", "ALBUMARTIST=Various", "TRACKNUMBER=03",
            "TRACKTOTAL=12", "DISCNUMBER=1/2", "DISCSUBTITLE=Live", "DATE=2021-03-04", "GENRE=Jazz", "GENRE=Folk",
            "COMPOSER=C. One", "LYRICIST=L. One", "BPM=119.6", "COMMENT=said", "LYRICS=first\r\nsecond",
            "GROUPING=Group", "COMPILATION=1", "ISRC=kr-a11-21-00001",
            "MUSICBRAINZ_TRACKID=0A1B2C3D-0000-4000-8000-000000000001",
            "MUSICBRAINZ_RELEASETRACKID=0a1b2c3d-0000-4000-8000-000000000002",
            "MUSICBRAINZ_ALBUMID=0a1b2c3d-0000-4000-8000-000000000003",
            "MUSICBRAINZ_RELEASEGROUPID=0a1b2c3d-0000-4000-8000-000000000004",
            "MUSICBRAINZ_ARTISTID=0a1b2c3d-0000-4000-8000-000000000005",
            "MUSICBRAINZ_ARTISTID=0a1b2c3d-0000-4000-8000-000000000006",
            "MUSICBRAINZ_ALBUMARTISTID=0a1b2c3d-0000-4000-8000-000000000007",
            "REPLAYGAIN_ALBUM_GAIN=-6.20 dB", "REPLAYGAIN_ALBUM_PEAK=0.987654")
        let tags = try reader.read(path: path, wanted: []).tags
        #expect(Expected.of(tags) == Expected.whole)
        #expect(tags.artists == ["One", "Two"])
        #expect(tags.genres == ["Jazz", "Folk"])
        #expect(tags.isrc == "KRA112100001")
        #expect(tags.musicBrainz.releaseGroup == "0a1b2c3d-0000-4000-8000-000000000004")
        #expect(tags.musicBrainz.artists.map { $0.suffix(1) } == ["5", "6"])
        #expect(tags.musicBrainz.albumArtists.map { $0.suffix(1) } == ["7"])
        #expect(tags.replayGain.albumGain == -6.2)
        #expect(tags.replayGain.albumPeak == 0.987654)
    }

    @Test(arguments: [ToneAudio.aac, .alac])
    func `MP4 atoms are read`(tone: ToneAudio) throws {
        let path = folder.file("tone", tone.bytes)
        let free = "----:com.apple.iTunes:"
        Mutagen.tag(
            path, "©nam=노래", "©ART=One", "©ART=Two", "©alb=Album", "aART=Various", "trkn=3/12", "disk=1/2",
            "\(free)DISCSUBTITLE=Live", "©day=2021-03-04", "©gen=Jazz", "©gen=Folk", "©wrt=C. One",
            "\(free)LYRICIST=L. One", "tmpo=120", "©cmt=said", "©lyr=first\rsecond", "©grp=Group", "cpil=1",
            "\(free)ISRC=KRA112100001", "\(free)MusicBrainz Track Id=0A1B2C3D-0000-4000-8000-000000000001",
            "\(free)MusicBrainz Release Track Id=0a1b2c3d-0000-4000-8000-000000000002",
            "\(free)MusicBrainz Album Id=0a1b2c3d-0000-4000-8000-000000000003",
            "\(free)replaygain_album_gain=-6,20 dB", "\(free)replaygain_album_peak=0.987654")
        let tags = try reader.read(path: path, wanted: []).tags
        #expect(Expected.of(tags) == Expected.whole)
        #expect(tags.artists == ["One", "Two"])
        #expect(tags.genres == ["Jazz", "Folk"])
        #expect(tags.replayGain.albumGain == -6.2)
    }

    @Test(arguments: [ToneAudio.ape, .wavpack, .musepack])
    func `APEv2 items are read`(tone: ToneAudio) throws {
        let path = folder.file("tone.\(tone.fileExtension)", tone.bytes)
        Mutagen.tag(
            path, "Title=노래", "Artist=One", "Artist=Two", "Album=Album", "Album Artist=Various", "Track=3/12",
            "Disc=1/2", "DiscSubtitle=Live", "Year=2021-03-04", "Genre=Jazz", "Genre=Folk", "Composer=C. One",
            "Lyricist=L. One", "BPM=120", "Comment=said", "Lyrics=first\nsecond", "Grouping=Group", "Compilation=1",
            "ISRC=KRA112100001", "MUSICBRAINZ_TRACKID=0a1b2c3d-0000-4000-8000-000000000001",
            "MUSICBRAINZ_RELEASETRACKID=0a1b2c3d-0000-4000-8000-000000000002",
            "MUSICBRAINZ_ALBUMID=0a1b2c3d-0000-4000-8000-000000000003", "replaygain_track_gain=+1.50 dB",
            "Cuesheet=TRACK 01 AUDIO")
        let reading = try reader.read(path: path, wanted: [.cueSheet])
        #expect(Expected.of(reading.tags) == Expected.whole)
        #expect(reading.tags.artists == ["One", "Two"])
        #expect(reading.tags.replayGain.trackGain == 1.5)
        #expect(reading.cueSheet == "TRACK 01 AUDIO")
    }

    @Test
    func `Windows Media attributes are read`() throws {
        let path = folder.file("tone", ToneAudio.wma.bytes)
        Mutagen.tag(
            path, "Title=노래", "Author=One", "WM/AlbumTitle=Album", "WM/AlbumArtist=Various", "WM/TrackNumber=3/12",
            "WM/PartOfSet=1/2", "WM/SetSubTitle=Live", "WM/Year=2021-03-04", "WM/Genre=Jazz", "WM/Genre=Folk",
            "WM/Composer=C. One", "WM/Writer=L. One", "WM/BeatsPerMinute=120", "Description=said",
            "WM/Lyrics=first\r\nsecond", "WM/ContentGroupDescription=Group", "WM/IsCompilation=1",
            "WM/ISRC=KRA112100001", "MusicBrainz/Track Id=0a1b2c3d-0000-4000-8000-000000000001",
            "MusicBrainz/Release Track Id=0a1b2c3d-0000-4000-8000-000000000002",
            "MusicBrainz/Album Id=0a1b2c3d-0000-4000-8000-000000000003", "replaygain_track_gain=-1.50 dB",
            "WM/ARTISTS=One", "WM/ARTISTS=Two")
        var tags = try reader.read(path: path, wanted: []).tags
        // ASF keeps repeated attributes in two objects, and mutagen writes the second object first.
        tags.artists.sort()
        tags.genres.sort { $0 > $1 }
        #expect(Expected.of(tags) == Expected.whole)
        #expect(tags.artists == ["One", "Two"])
        #expect(tags.replayGain.trackGain == -1.5)
    }

    @Test(arguments: [ToneAudio.mp3, .mp2, .tta, .wav, .aiff, .dsf, .adts])
    func `ID3v2 is read in every file that carries it`(tone: ToneAudio) throws {
        let tag = ID3Tag().text("TIT2", "노래").text("TPE1", "One", "Two").text("TALB", "Album")
            .text("TPE2", "Various").text("TRCK", "3/12").text("TPOS", "1/2").text("TSST", "Live")
            .text("TDRC", "2021-03-04").text("TCON", "8", "Folk").text("TCOM", "C. One").text("TEXT", "L. One")
            .text("TBPM", "120").frame("COMM", [3] + Array("eng".utf8) + [0] + Array("said".utf8))
            .frame("USLT", [3] + Array("eng".utf8) + [0] + Array("first\nsecond".utf8)).text("TIT1", "Group")
            .text("TCMP", "1").text("TSRC", "KRA112100001")
            .frame("UFID", Array("http://musicbrainz.org\u{0}0a1b2c3d-0000-4000-8000-000000000001".utf8))
            .user("MusicBrainz Release Track Id", "0a1b2c3d-0000-4000-8000-000000000002")
            .user("MusicBrainz Album Id", "0a1b2c3d-0000-4000-8000-000000000003")
            .user("replaygain_track_gain", "-7.52 dB").user("REPLAYGAIN_TRACK_PEAK", "1.012")
            .bytes()
        let path = folder.file("tone", ToneAudio.carrying(tag, in: tone))
        let tags = try reader.read(path: path, wanted: []).tags
        #expect(Expected.of(tags) == Expected.whole)
        #expect(tags.artists == ["One", "Two"])
        #expect(tags.genres == ["Jazz", "Folk"])
        #expect(tags.replayGain.trackGain == -7.52)
        #expect(tags.replayGain.trackPeak == 1.012)
    }

    @Test(arguments: [ToneAudio.flac, .vorbis, .opus, .oggFlac, .speex])
    func `a Vorbis comment in its ripper's own encoding is not lost`(tone: ToneAudio) throws {
        let plain = folder.file("tone", tone.bytes)
        Mutagen.tag(plain, "TITLE=titlabcdefgh", "ARTIST=사랑", "EMPTY=")
        // "사랑의 노래" in CP949 in the place of as many letters: lengths stay, and only Ogg's checksum, which nobody
        // checks before playing, is wrong.
        let korean: [UInt8] = [0xBB, 0xE7, 0xB6, 0xFB, 0xC0, 0xC7, 0x20, 0xB3, 0xEB, 0xB7, 0xA1, 0x21]
        var bytes = folder.bytes(of: "tone")
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("titlabcdefgh".utf8)) })
        bytes.replaceSubrange(place..<place + 12, with: korean)
        let tags = try reader.read(path: folder.file("old", bytes), wanted: []).tags
        #expect(tags.title == "사랑의 노래!")
        #expect(tags.artists == ["사랑"])
    }

    @Test
    func `the texts of a WAV file without ID3 are read, also in Korean of the time`() throws {
        // "사랑" as CP949.
        let title: [UInt8] = [0xBB, 0xE7, 0xB6, 0xFB, 0xC0, 0xC7, 0x20, 0xB3, 0xEB, 0xB7, 0xA1, 0]
        let list = Array("INFO".utf8) + chunk("INAM", title) + chunk("IART", Array("Singer\0".utf8))
        let path = folder.file("tone.wav", ToneAudio.appending(chunk("LIST", list), toRIFF: ToneAudio.wav.bytes))
        let tags = try reader.read(path: path, wanted: []).tags
        #expect(tags.title == "사랑의 노래")
        #expect(tags.artists == ["Singer"])
    }

    private func chunk(_ id: String, _ bytes: [UInt8]) -> [UInt8] {
        Array(id.utf8) + little(bytes.count, 4) + bytes + (bytes.count % 2 == 1 ? [0] : [])
    }
}

/// What all formats can say; the tests above write the same into each.
struct Expected: Equatable {
    var fields: [String?]

    static func of(_ tags: TrackTags) -> Expected {
        Expected(fields: [
            tags.title, tags.artists.first, tags.album, tags.albumArtists.joined(separator: "|"), tags.trackNumber.text,
            tags.trackTotal.text, tags.discNumber.text, tags.discTotal.text, tags.discSubtitle, tags.date,
            tags.genres.joined(separator: "|"), tags.composers.joined(separator: "|"),
            tags.lyricists.joined(separator: "|"), tags.beatsPerMinute.text, tags.comments.joined(separator: "|"),
            tags.lyrics, tags.grouping, String(tags.isCompilation), tags.isrc, tags.musicBrainz.recording,
            tags.musicBrainz.track, tags.musicBrainz.release,
        ])
    }

    static let whole = Expected(fields: [
        "노래", "One", "Album", "Various", "3", "12", "1", "2", "Live", "2021-03-04", "Jazz|Folk", "C. One", "L. One",
        "120", "said", "first\nsecond", "Group", "true", "KRA112100001", "0a1b2c3d-0000-4000-8000-000000000001",
        "0a1b2c3d-0000-4000-8000-000000000002", "0a1b2c3d-0000-4000-8000-000000000003",
    ])
}

extension Optional<Int> {
    fileprivate var text: String? { map(String.init) }
}

extension ToneAudio {
    /// A file with an ID3v2 tag where its kind has it: in front, in a chunk, or behind.
    static func carrying(_ tag: [UInt8], in tone: ToneAudio) -> [UInt8] {
        let padded = tag + (tag.count % 2 == 1 ? [0] : [])
        switch tone {
        case .wav: return appending(Array("id3 ".utf8) + little(tag.count, 4) + padded, toRIFF: tone.bytes)
        case .aiff:
            var bytes = tone.bytes + Array("ID3 ".utf8) + big(tag.count, 4) + padded
            bytes.replaceSubrange(4..<8, with: big(bytes.count - 8, 4))
            return bytes
        case .dsf:
            let plain = tone.bytes
            return dsf(metadataAt: plain.count) + tag
        default: return tag + tone.bytes
        }
    }

    static func appending(_ chunk: [UInt8], toRIFF bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes + chunk
        bytes.replaceSubrange(4..<8, with: little(bytes.count - 8, 4))
        return bytes
    }
}
