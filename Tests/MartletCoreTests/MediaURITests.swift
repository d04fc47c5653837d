// SPDX-License-Identifier: Apache-2.0
import MartletCore
import Testing

@Suite("Media URIs")
struct MediaURITests {
    @Test(arguments: [
        "/music/100%20.mp3", "/music/what?.flac", "/music/a #1 hit.flac", "/music/\"quoted\" & 'so'.ogg", "/노래/방탄.mp3",
        "/a b/ü/é", "/new\nline", "/semi;colon:at@plus+",
    ])
    func `a path comes back as it was (F220, F222, F223)`(path: String) throws {
        let uri = try #require(MediaURI(filePath: path.utf8))
        #expect(uri.filePath == Array(path.utf8))
        #expect(MediaURI(uri.description) == uri)
        #expect(uri.description.utf8.allSatisfy { (0x21...0x7E).contains($0) })
    }

    @Test func `bytes that are no UTF-8 come back too (F106)`() throws {
        let path = Array("/music/caf".utf8) + [0xE9, 0xFF] + Array(".mp3".utf8)
        let uri = try #require(MediaURI(filePath: path))
        #expect(uri.description == "file:///music/caf%E9%FF.mp3")
        #expect(uri.filePath == path)
        #expect(uri.displayName == "caf\u{FFFD}\u{FFFD}.mp3")
    }

    @Test func `random paths are an identity (F222)`() throws {
        var generator = SplitMix64(seed: 7)
        for _ in 0..<2_000 {
            let length = Int.random(in: 1...30, using: &generator)
            let path = [UInt8(ascii: "/")] + (0..<length).map { _ in UInt8.random(in: 1...255, using: &generator) }
            let uri = try #require(MediaURI(filePath: path))
            #expect(uri.filePath == path)
            #expect(MediaURI(uri.description)?.filePath == path)
        }
    }

    @Test func `a random text is refused or becomes a URI that stays itself`() {
        var generator = SplitMix64(seed: 8)
        for _ in 0..<5_000 {
            let scalars = (0..<Int.random(in: 0...20, using: &generator)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...0x17F, using: &generator))
            }
            let text =
                ["", "file:", "file:///", "http://h/", "a:"].randomElement(using: &generator)!
                + String(String.UnicodeScalarView(scalars))
            guard let uri = MediaURI(text) else { continue }
            #expect(MediaURI(uri.description)?.description == uri.description)
        }
    }

    @Test(arguments: [
        ("file:/a/b", "file:///a/b"), ("FILE:///a/b", "file:///a/b"), ("file://localhost/a", "file:///a"),
        ("file:///a%2Fb", "file:///a/b"), ("file:///a b", "file:///a%20b"), ("file:///a?x#y", "file:///a"),
        ("HTTP://Host/x y?q=1#f", "http://Host/x%20y?q=1#f"), ("http://h/50%", "http://h/50%25"),
        ("http://h/%zz%4", "http://h/%25zz%254"), ("http://h/%c3%A4ä", "http://h/%c3%A4%C3%A4"),
        ("file:///a%2", "file:///a%252"), ("file:////a", "file:////a"),
    ])
    func `forms of one place are one URI`(text: String, expected: String) {
        #expect(MediaURI(text)?.description == expected)
    }

    @Test(arguments: [
        "", "a", "/a/b", "file:", "file:a", "file://host/a", "file:///a%00b", "1http://x", ":x", "http:", "http://a\nb",
        "file:///a ",
    ])
    func `what is no URI is refused`(text: String) {
        #expect(MediaURI(text) == nil)
    }

    @Test func `what a URI may hold is kept and every other byte is encoded`() throws {
        let kept = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$()*+,;=:@/".utf8)
        for byte in UInt8(1)...255 {
            let path = try #require(MediaURI(filePath: [UInt8(ascii: "/"), byte])).description.dropFirst(8)
            let hex = String(byte, radix: 16, uppercase: true)
            let encoded = (byte < 16 ? "%0" : "%") + hex
            #expect(path == (kept.contains(byte) ? String(Unicode.Scalar(byte)) : encoded))
            guard (0x21...0x7E).contains(byte), byte != UInt8(ascii: "%") else { continue }
            let text = try #require(MediaURI("http://h/x" + String(Unicode.Scalar(byte)))).description.dropFirst(10)
            let isKept = kept.contains(byte) || "&'?#[]".utf8.contains(byte)
            #expect(text == (isKept ? String(Unicode.Scalar(byte)) : encoded))
        }
    }

    @Test func `a relative path or one with a NUL is refused`() {
        #expect(MediaURI(filePath: "a/b".utf8) == nil)
        #expect(MediaURI(filePath: [UInt8(ascii: "/"), 0]) == nil)
    }

    @Test func `the name for people is decoded and on one line`() {
        #expect(MediaURI("file:///x/a%20%23b.flac")?.displayName == "a #b.flac")
        #expect(MediaURI(filePath: "/x/two\nlines".utf8)?.displayName == "two lines")
        #expect(MediaURI("http://radio.example/live?token=1")?.displayName == "live")
        #expect(MediaURI("http://radio.example")?.displayName == "radio.example")
        #expect(MediaURI("file:///x/y/")?.displayName == "y")
        #expect(MediaURI("file:///")?.displayName == "file:///")
    }
}
