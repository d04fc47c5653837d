// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletTags
import Testing

@Suite("What audio is known by")
struct AudioSampleTests {
    let folder = TestFolder()

    private func sample(_ path: [UInt8]) throws -> AudioSample {
        try #require(try TagLibReader().read(path: path, wanted: [.audioSample]).audioSample)
    }

    // F256: a file moved and retagged at once counted as new.
    @Test(arguments: ToneAudio.allCases)
    func `writing tags, also long ones, does not change it (F256)`(tone: ToneAudio) throws {
        let plain = try sample(folder.file("plain", tone.bytes))
        let path = folder.file("tagged.\(tone.fileExtension)", tone.bytes)
        let long = String(repeating: "long ", count: 40_000)
        switch tone {
        case .flac, .vorbis, .opus, .oggFlac, .speex: Mutagen.tag(path, "TITLE=T", "COMMENT=\(long.prefix(100_000))")
        case .aac, .alac: Mutagen.tag(path, "©nam=T", "©cmt=\(long.prefix(100_000))")
        case .ape, .wavpack, .musepack: Mutagen.tag(path, "Title=T", "Comment=\(long.prefix(100_000))")
        case .wma: Mutagen.tag(path, "Title=T", "WM/Lyrics=\(long.prefix(20_000))")
        case .mp3, .mp2, .tta, .wav, .aiff, .dsf, .adts:
            let tag = ID3Tag().text("TIT2", "T").text("TALB", long)
            let end = tone == .mp3 ? ID3Tag.version1(title: [0x54]) : []
            _ = folder.file("tagged.\(tone.fileExtension)", ToneAudio.carrying(tag.bytes(), in: tone) + end)
        }
        #expect(try TagLibReader().read(path: path, wanted: []).tags.title == "T")
        #expect(try sample(path) == plain)
    }

    @Test(arguments: ToneAudio.allCases)
    func `other audio has another one, be it a part of the same`(tone: ToneAudio) throws {
        var changed = tone.bytes
        // A byte of audio within the head; FLAC's sum is in its header, at 26, and half of a short Vorbis is its books.
        let place =
            switch tone {
            case .flac: 30
            case .vorbis: changed.count - 200
            default: min(changed.count / 2, 30_000)
            }
        changed[place] ^= 0x10
        let one = try sample(folder.file("one", tone.bytes))
        #expect(try sample(folder.file("other", changed)) != one)
    }

    @Test
    func `FLAC is known by the sum of its samples, others by at most 64 KiB`() throws {
        guard case .md5(let sum) = try sample(folder.file("tone.flac", ToneAudio.flac.bytes)) else {
            Issue.record("no sum")
            return
        }
        #expect(sum.count == 16)
        guard case .head(let head, let extent) = try sample(folder.file("tone.wav", ToneAudio.wav.bytes)) else {
            Issue.record("no head")
            return
        }
        #expect(head.count == 65_536)
        #expect(extent == 44_100 * 4)
    }

    @Test
    func `nobody pays for it who did not ask`() throws {
        let reading = try TagLibReader().read(path: folder.file("tone.wav", ToneAudio.wav.bytes), wanted: [])
        #expect(reading.audioSample == nil)
    }
}
