// SPDX-License-Identifier: Apache-2.0
import MartletCharset
import Testing

@Suite("Names of character sets and encoding back")
struct CharsetTests {
    @Test(arguments: [
        ("euc-kr", Charset.cp949), ("Shift_JIS", .cp932), ("gbk", .gb18030), ("latin1", .windows1252),
        ("iso-8859-1", .windows1252), ("UTF8", .utf8), ("windows-1251", .windows1251),
    ])
    func `a regional set goes by its superset`(name: String, charset: Charset) {
        #expect(Charset(named: name) == charset)
    }

    @Test(arguments: ["", "klingon", "UTF-8//TRANSLIT", "UTF-8\0", "../x", "CP949 "])
    func `a name iconv does not know, or with more than a name in it, is refused`(name: String) {
        #expect(Charset(named: name) == nil)
    }

    @Test
    func `text goes into a named set and comes back`() {
        #expect(Charset.cp949.encode("사랑") == [0xBB, 0xE7, 0xB6, 0xFB])
        #expect(Charset.windows1252.encode("Café") == [0x43, 0x61, 0x66, 0xE9])
        #expect(Charset.utf8.encode("Café") == Array("Café".utf8))
        #expect(Charset.windows1251.encode("") == [])
    }

    @Test
    func `a character outside the set is an error and not a question mark`() {
        #expect(Charset.windows1252.encode("사랑") == nil)
        #expect(Charset.cp949.encode("🎵") == nil)
    }
}

@Suite("Text repair")
struct TextRepairTests {
    @Test
    func `a file name in another encoding shows with replacement characters`() {
        #expect(TextRepair.repair(Array("caf".utf8) + [0xE9] + Array(".flac".utf8)) == "caf\u{FFFD}.flac")
    }

    @Test
    func `a line feed or a NUL in a file name shows as one character`() {
        #expect(TextRepair.repair(Array("a\nb\0c".utf8)) == "a\u{FFFD}b\u{FFFD}c")
    }

    @Test
    func `encoded surrogates and overlong forms are no text`() {
        #expect(!TextRepair.repair([0xED, 0xA0, 0x80]).unicodeScalars.contains { $0 != "\u{FFFD}" })
        #expect(!TextRepair.repair([0xC0, 0x80]).unicodeScalars.contains("\0"))
    }

    @Test(arguments: [
        ("a\r\nb\rc\nd", "a\nb\nc\nd"), ("\u{FEFF}x", "x"), ("a\u{85}b\u{9F}c\u{7F}d\u{1B}e", "abcde"),
        ("tab\there", "tab\there"), ("a\0b\0\0", "a\u{FFFD}b"), ("\0", ""), ("é사🎵", "é사🎵"), ("\r\n\r\n", "\n\n"),
    ])
    func `controls go and line ends agree`(dirty: String, clean: String) {
        #expect(TextRepair.clean(dirty).unicodeScalars.elementsEqual(clean.unicodeScalars))
    }
}
