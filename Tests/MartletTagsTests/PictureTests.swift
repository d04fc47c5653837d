// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletTags
import Testing

@Suite("Pictures in tags")
struct PictureTests {
    let folder = TestFolder()

    private func picture(_ path: [UInt8]) throws -> EmbeddedPicture? {
        try TagLibReader().read(path: path, wanted: [.picture]).picture
    }

    @Test
    func `the front cover wins over a picture that stands before it`() throws {
        let tag = ID3Tag().picture(4, Picture.back).picture(3, Picture.front)
        let found = try picture(folder.file("tone.mp3", tag.bytes() + ToneAudio.mp3.bytes))
        #expect(found == EmbeddedPicture(mimeType: "image/png", bytes: Picture.front, isFrontCover: true))
    }

    @Test
    func `another picture stands in for a missing cover, an icon only for want of any`() throws {
        let tag = ID3Tag().picture(1, [1]).picture(4, Picture.back)
        let found = try #require(try picture(folder.file("tone.mp3", tag.bytes() + ToneAudio.mp3.bytes)))
        #expect(found.bytes == Picture.back)
        #expect(!found.isFrontCover)
    }

    @Test
    func `the address of a picture is no picture`() throws {
        let tag = ID3Tag().picture(3, Array("http://example.org/a.png".utf8), mime: "-->")
        #expect(try picture(folder.file("tone.mp3", tag.bytes() + ToneAudio.mp3.bytes)) == nil)
    }

    @Test
    func `nobody gets a picture who did not ask`() throws {
        let path = folder.file("tone.mp3", ID3Tag().picture(3, Picture.front).bytes() + ToneAudio.mp3.bytes)
        #expect(try TagLibReader().read(path: path, wanted: []).picture == nil)
    }

    @Test(arguments: [ToneAudio.flac, .vorbis, .opus])
    func `a picture block is read from a comment`(tone: ToneAudio) throws {
        let block =
            big(3, 4) + big(9, 4) + Array("image/png".utf8) + big(0, 4) + big(1, 4) + big(1, 4) + big(24, 4) + big(0, 4)
            + big(Picture.front.count, 4) + Picture.front
        let path = folder.file("tone", tone.bytes)
        Mutagen.tag(path, "METADATA_BLOCK_PICTURE=" + base64(block))
        #expect(try picture(path)?.bytes == Picture.front)
        #expect(try picture(path)?.isFrontCover == true)
    }

    @Test
    func `a picture block of FLAC itself is read`() throws {
        let block =
            big(3, 4) + big(9, 4) + Array("image/png".utf8) + big(0, 4) + big(1, 4) + big(1, 4) + big(24, 4) + big(0, 4)
            + big(Picture.front.count, 4) + Picture.front
        var bytes = ToneAudio.flac.bytes
        // Behind STREAMINFO, which is 4 + 4 + 34 bytes.
        bytes.insert(contentsOf: [6] + big(block.count, 3) + block, at: 42)
        #expect(try picture(folder.file("tone.flac", bytes))?.bytes == Picture.front)
    }

    @Test
    func `the cover of the days before picture blocks is read`() throws {
        let path = folder.file("tone.ogg", ToneAudio.vorbis.bytes)
        Mutagen.tag(path, "COVERART=" + base64(Picture.front), "COVERARTMIME=image/png")
        #expect(try picture(path)?.bytes == Picture.front)
    }

    @Test(arguments: [ToneAudio.aac, .wavpack])
    func `the cover of MP4 and of APEv2 is read`(tone: ToneAudio) throws {
        let path = folder.file("tone.\(tone.fileExtension)", tone.bytes)
        _ = folder.file("cover.png", Picture.front)
        Mutagen.tag(path, (tone == .aac ? "covr" : "Cover Art (Front)") + "=@\(folder.path)/cover.png")
        let found = try #require(try picture(path))
        #expect(found.bytes == Picture.front)
        #expect(found.isFrontCover)
    }

    @Test
    func `the cover of a Windows Media file is read`() throws {
        func wide(_ text: String) -> [UInt8] { text.utf16.flatMap { little(Int($0), 2) } + [0, 0] }
        let value = [3] + little(Picture.front.count, 4) + wide("image/png") + wide("") + Picture.front
        let path = folder.file("tone.wma", ToneAudio.wma.bytes)
        _ = folder.file("value", value)
        Mutagen.tag(path, "WM/Picture=@\(folder.path)/value")
        #expect(try picture(path)?.bytes == Picture.front)
    }

    @Test
    func `a picture of more than 32 MiB is left out and the rest is read`() throws {
        let tag = ID3Tag().picture(3, [UInt8](repeating: 7, count: (32 << 20) + 1)).text("TIT2", "Behind it")
        let path = folder.file("tone.mp3", tag.bytes() + ToneAudio.mp3.bytes)
        let reading = try TagLibReader().read(path: path, wanted: [.picture])
        #expect(reading.picture == nil)
        #expect(reading.tags.title == "Behind it")
    }

    @Test
    func `a picture in a WAV file is read`() throws {
        let tag = ID3Tag().picture(3, Picture.front).bytes()
        #expect(try picture(folder.file("tone.wav", ToneAudio.carrying(tag, in: .wav)))?.bytes == Picture.front)
    }

    private func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0...group.count { text.append(alphabet[bits >> (18 - 6 * place) & 63]) }
            text += String(repeating: "=", count: 3 - group.count)
        }
        return text
    }
}
