// SPDX-License-Identifier: Apache-2.0
import MartletCharset
import MartletCore
import Testing

@Suite("Bytes of unknown encoding")
struct TextDecoderTests {
    let decoder = TextDecoder()

    // F224, F225: Cyrillic and Korean tags stored as Latin-1.
    @Test(arguments: OldTag.all)
    func `the strings of one old file are read together as what they were written in (F224, F225)`(tag: OldTag) {
        #expect(decoder.decode(together: tag.bytes).map(\.text) == tag.fields)
    }

    @Test
    func `nineteen in twenty single strings are read right, be they of two characters`() {
        let strings = OldTag.all.flatMap { tag in tag.fields.map { (tag.charset, $0) } }
            .filter { !$0.1.utf8.allSatisfy { $0 < 0x80 } }
        let wrong = strings.filter { decoder.decode($0.0.encode($0.1)!).text != $0.1 }
        #expect(wrong.count * 20 <= strings.count, "\(wrong.count) of \(strings.count): \(wrong)")
    }

    @Test(arguments: ["사랑", "Café", "Привет", "さくら", "🎵 №5", "ascii"])
    func `valid UTF-8 is left alone`(text: String) {
        let decoded = decoder.decode(Array(text.utf8))
        #expect(decoded.text == text)
        #expect(decoded.charset == .utf8)
        #expect(decoded.certainty == .certain)
    }

    @Test
    func `UTF-8 cut through a character at thirty bytes is still UTF-8`() {
        let bytes = Array("한국어 제목이 서른 바이트를 넘음".utf8.prefix(30))
        #expect(decoder.decode(bytes).charset == .utf8)
        #expect(decoder.decode(bytes).text == "한국어 제목이 서른 바")
    }

    @Test
    func `a two-byte character cut at thirty bytes does not spoil the rest`() {
        let title = "아주 오래된 연인들에게 바치는 노래"
        let bytes = Array(Charset.cp949.encode(title)!.prefix(29))
        #expect(title.hasPrefix(decoder.decode(bytes).text))
        #expect(decoder.decode(bytes).charset == .cp949)
    }

    @Test(
        arguments: [
            ([0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "é"),
            ([0xFF, 0xFE, 0xAC, 0x20], "€"),
            ([0xFE, 0xFF, 0x20, 0xAC], "€"),
            ([0xFF, 0xFE, 0, 0, 0x35, 0xF6, 0x01, 0], "\u{1F635}"),
            ([0, 0, 0xFE, 0xFF, 0, 0x01, 0xF6, 0x35], "\u{1F635}"),
        ] as [([UInt8], String)])
    func `a byte order mark decides`(bytes: [UInt8], text: String) {
        #expect(decoder.decode(bytes).certainty == .certain)
        #expect(decoder.decode(bytes).text == text)
    }

    @Test
    func `a lone surrogate becomes a replacement character`() {
        #expect(decoder.decode([0xFE, 0xFF, 0xD8, 0x00, 0x00, 0x41]).text == "\u{FFFD}A")
    }

    @Test
    func `a declaration wins where the bytes bear it out`() {
        let bytes = Charset.koi8R.encode("МАМА")!
        #expect(decoder.decode(bytes, declared: .koi8R).text == "МАМА")
        // F0 28 is no character of EUC-KR's superset, so the declaration is wrong.
        #expect(decoder.decode([0xF0, 0x28], declared: .cp949).charset != .cp949)
    }

    @Test
    func `declared Latin-1 counts as no claim`() {
        let bytes = Charset.cp949.encode("그대 바다에서")!
        #expect(decoder.decode(bytes, declared: .windows1252).text == "그대 바다에서")
    }

    // W14: the user chooses the charset of old tags.
    @Test
    func `a configured set wins while the bytes leave it open (W14)`() throws {
        let greek = try #require(Charset(named: "windows-1253"))
        let bytes = greek.encode("Μάλιστα κύριε")!
        #expect(TextDecoder(fallback: greek).decode(bytes).text == "Μάλιστα κύριε")

        let short = Charset.eucJP.encode("愛")!
        #expect(TextDecoder(fallback: .eucJP).decode(short).text == "愛")
        #expect(TextDecoder(fallback: .gb18030).decode(short).charset == .gb18030)
    }

    @Test
    func `a configured set gives way where the bytes clearly speak for another (W14)`() {
        let korean = OldTag.all[0]
        #expect(TextDecoder(fallback: .windows1251).decode(together: korean.bytes).map(\.text) == korean.fields)
        let western = OldTag.all.last!
        #expect(TextDecoder(fallback: .cp949).decode(together: western.bytes).map(\.text) == western.fields)
    }

    @Test
    func `accidental UTF-8 beside strings that are none is read like those`() {
        // These two syllables happen to be valid UTF-8 as CP949.
        let accident: [UInt8] = [0xC2, 0xA1]
        let fields = [accident, Charset.cp949.encode("그대의 노래를 듣고")!, Array("plain".utf8)]
        let decoded = decoder.decode(together: fields)
        #expect(decoded.map(\.charset) == [.cp949, .cp949, .utf8])
        #expect(decoder.decode(accident).charset == .utf8)
    }

    @Test
    func `text in UTF-8 and text in Korean in one file each keep their own`() {
        let fields = [Array("그대의 노래".utf8), Charset.cp949.encode("겨울 여행")!]
        #expect(decoder.decode(together: fields).map(\.text) == ["그대의 노래", "겨울 여행"])
    }

    // F107: a NUL inside a tag.
    @Test
    func `padding is cut and an inner NUL replaced (F107)`() {
        #expect(decoder.decode(Array("Title\0\0\0".utf8)).text == "Title")
        #expect(decoder.decode(Array("Ti\0tle\0".utf8)).text == "Ti\u{FFFD}tle")
        #expect(decoder.decode(Charset.cp949.encode("그대 바다")! + [0, 0]).text == "그대 바다")
    }

    @Test
    func `seven-bit Japanese mail encoding is told by its escapes`() {
        #expect(decoder.decode([0x1B, 0x24, 0x42, 0x30, 0x26, 0x1B, 0x28, 0x42]).text == "愛")
    }

    @Test
    func `any bytes at all give valid text without controls`() {
        var generator = SplitMix64(seed: 20_240_501)
        for _ in 0..<600 {
            let bytes = (0..<Int.random(in: 0..<40, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let text = decoder.decode(bytes).text
            #expect(!text.unicodeScalars.contains { ($0.value < 0x20 && $0 != "\n" && $0 != "\t") || $0 == "\u{85}" })
            #expect(
                decoder.decode(together: [bytes, bytes])[0].text == decoder.decode(together: [bytes, bytes])[1].text)
        }
    }

    @Test
    func `long text of a set outside the usual ones is read with the detector's help`() throws {
        let greek = try #require(Charset(named: "ISO-8859-7"))
        let text = "Τα παιδιά του Πειραιά είναι ένα τραγούδι του Μάνου Χατζιδάκι από την ταινία Ποτέ την Κυριακή"
        #expect(decoder.decode(greek.encode(text)!).text == text)
    }
}
