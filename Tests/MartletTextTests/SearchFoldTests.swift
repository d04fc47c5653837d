// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletText
import Testing

@Suite("Folding for search")
struct SearchFoldTests {
    // F268: a search without accents found nothing.
    @Test(arguments: [
        ("Björk", "bjork"), ("Sigur Rós", "sigur ros"), ("Dvořák", "dvorak"), ("Żółć", "zolc"),
        ("Ångström", "angstrom"),
        ("Motörhead", "motorhead"), ("Cœur de pirate", "coeur de pirate"), ("STRASSE straße", "strasse strasse"),
        ("İstanbul ılık", "istanbul ilik"), ("Mø", "mo"), ("Þursaflokkurinn", "thursaflokkurinn"),
        ("ΜΆΛΙΣΤΑ Μάλιστας", "μαλιστα μαλιστασ"), ("Ёлка Йод", "елка иод"), ("Beyoncé\u{301}", "beyonce"),
    ])
    func `accents and case of the alphabets do not count (F268)`(text: String, folded: String) {
        #expect(text.foldedForSearch == folded)
    }

    @Test(arguments: [
        ("ＡＢＣ１２３", "abc123"), ("ｶﾞﾝﾀﾞﾑ", "がんだむ"), ("ガンダム", "がんだむ"), ("サザンオールスターズ", "さざんおーるすたーず"),
        ("ヴィーナス", "ゔぃーなす"), ("夜に駆ける", "夜に駆ける"), ("①②", "12"), ("ﬁn", "fin"), ("m²", "m2"),
        ("Ⅳ", "iv"), ("㍿", "株式会社"),
    ])
    func `width, kana and compatibility forms do not count`(text: String, folded: String) {
        #expect(text.foldedForSearch == folded)
    }

    @Test(arguments: [
        ("  Two \t\n words\u{3000}here ", "two words here"), ("Don’t “stop”…", "don't \"stop\"..."), ("A–B—C", "a-b-c"),
        ("so\u{AD}ft\u{200B}", "soft"), ("\u{FEFF}x", "x"), ("a\0b\u{7}", "ab"), ("", ""), (" \u{3000} ", ""),
        ("L´amour", "l'amour"),
    ])
    func `white space, quotes, dashes and invisible characters agree`(text: String, folded: String) {
        #expect(text.foldedForSearch == folded)
    }

    @Test
    func `Hangul is composed and its consonants stay what was typed`() {
        #expect("사랑".nfd.foldedForSearch.unicodeScalars.elementsEqual("사랑".unicodeScalars))
        #expect("ㅅㄹㅏ".foldedForSearch.unicodeScalars.elementsEqual("ㅅㄹㅏ".unicodeScalars))
        #expect("ﾡﾢￂ".foldedForSearch.unicodeScalars.elementsEqual("ㄱㄲㅏ".unicodeScalars))
    }

    @Test(arguments: ["हिन्दी", "שָׁלוֹם", "ไม่", "العربيّة", "বাংলা"])
    func `marks of other scripts are letters and stay`(text: String) {
        let marks = text.nfd.unicodeScalars.count
        #expect(text.foldedForSearch.nfd.unicodeScalars.count == marks)
    }

    @Test
    func `folding twice changes nothing, whatever the text`() {
        var generator = SplitMix64(seed: 42)
        let ranges: [ClosedRange<UInt32>] = [
            0x20...0x7E, 0xA0...0x24F, 0x300...0x52F, 0x1E00...0x1FFF, 0x2000...0x218F, 0x3000...0x30FF,
            0x3130...0x318F,
            0xAC00...0xACFF, 0xFF00...0xFFEF, 0x1F300...0x1F6FF, 0x900...0x97F, 0x5D0...0x5EA,
        ]
        for _ in 0..<4000 {
            var view = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let code = UInt32.random(in: ranges.randomElement(using: &generator)!, using: &generator)
                if let scalar = Unicode.Scalar(code) { view.append(scalar) }
            }
            let once = String(view).foldedForSearch
            let twice = once.foldedForSearch
            if !once.unicodeScalars.elementsEqual(twice.unicodeScalars) {
                Issue.record(
                    "\(Array(view).map { String($0.value, radix: 16) }): \(once.debugDescription), \(twice.debugDescription)"
                )
            }
        }
    }

    @Test
    func `initial consonants of Hangul are told from text`() {
        #expect("ㅅㄹ ㄴㄹ".isChoseong)
        #expect(!"ㅅ랑".isChoseong)
        #expect(!"".isChoseong)
        #expect(!"ㅏ".isChoseong)
    }
}

@Suite("Normal forms")
struct NormalFormTests {
    // F264: a Mac's file names are decomposed, its playlists are not.
    @Test(arguments: ["é", "사랑", "ガ", "Ệ", "ö̲", "Å"])
    func `forms C and D lead to each other (F264)`(text: String) {
        #expect(text.nfd.nfc.unicodeScalars.elementsEqual(text.nfc.unicodeScalars))
        #expect(text.nfc.nfd.unicodeScalars.elementsEqual(text.nfd.unicodeScalars))
    }

    @Test
    func `form D takes apart and form C joins, compatibility forms stay`() {
        #expect(Array("é".nfd.unicodeScalars) == ["e", "\u{301}"])
        #expect(Array("e\u{301}".nfc.unicodeScalars) == ["é"])
        #expect(Array("랑".nfd.unicodeScalars).count == 3)
        #expect("ﬁ①Ａ".nfc == "ﬁ①Ａ")
    }

    @Test
    func `marks come into one order`() {
        // Dot below has class 220, dot above 230.
        #expect(Array("q\u{307}\u{323}".nfd.unicodeScalars) == ["q", "\u{323}", "\u{307}"])
        #expect("q\u{307}\u{323}".nfc.unicodeScalars.elementsEqual("q\u{323}\u{307}".nfc.unicodeScalars))
    }
}
