// SPDX-License-Identifier: Apache-2.0
import MartletFormats
import Testing

@Suite("Telling formats apart")
struct DetectionTests {
    @Test(arguments: [
        ("x", "#EXTM3U\na.mp3\n", PlaylistFormat.m3u), ("x.txt", "\u{FEFF}#extm3u\r\n", .m3u),
        ("x", "# hi\n#EXTINF:3,A\na\n", .m3u), ("x.m3u", "a.mp3\n", .m3u), ("X.M3U8", "", .m3u),
        ("x.m3u", "[playlist]\nFile1=a\n", .pls), ("x", "\n [Playlist]\n", .pls), ("a.pls", "", .pls),
        ("x", "<?xml version=\"1.0\"?>\n<playlist xmlns=\"http://xspf.org/ns/0/\">", .xspf), ("a.xspf", "", .xspf),
        ("x", "<ASX version=\"3.0\">", .asx), ("x.wpl", "<?wpl version=\"1.0\"?><smil>", .wpl), ("a.wax", "", .asx),
        ("x", "REM x\nFILE \"a\" WAVE\n  TRACK 01 AUDIO\n", .cue), ("a.cue", "", .cue),
        ("x.m3u8", "#EXTM3U\n#EXT-X-VERSION:3\n", .hls),
    ])
    func `content goes before the name`(name: String, content: String, format: PlaylistFormat) {
        #expect(PlaylistFormat.detect(name: name.utf8, bytes: content.utf8) == format)
    }

    @Test func `sound is no list whatever it is called`() {
        #expect(PlaylistFormat.detect(name: "x.m3u".utf8, bytes: [0x49, 0x44, 0x33, 4, 0, 0]) == nil)
        #expect(PlaylistFormat.detect(name: "x.mp3".utf8, bytes: "hello".utf8) == nil)
        #expect(PlaylistFormat.detect(name: "x".utf8, bytes: [UInt8]()) == nil)
    }

    @Test(arguments: [PlaylistFormat.asx, .wpl])
    func `formats that are only recognised are refused by name`(format: PlaylistFormat) {
        #expect(!format.isReadable)
        #expect(throws: PlaylistError.unsupported(format)) { try read("<x/>", as: format) }
    }
}
