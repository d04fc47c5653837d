// SPDX-License-Identifier: Apache-2.0
import MartletText
import Testing

@Suite("How a search index spells")
struct SearchSpellingTests {
    private func spelled(_ text: String) -> String {
        text.spelledForSearch.replacing(String(Unicode.Scalar(SearchSpelling.seam)!), with: "|")
    }

    @Test(arguments: [
        ("Abbey  Road", "abbey road"), ("AC/DC", "ac|dc"), ("Don't", "don|t"), ("R.E.M.", "r|e|m"),
        ("(Hed) P.E.", "hed p|e"),
        ("!!!", "!!!"), ("Mötley Crüe", "motley crue"), ("방탄", "ㅂㅏㅇㅌㅏㄴ"), ("과", "ㄱㅗㅏ"), ("닭", "ㄷㅏㄹㄱ"), ("몫", "ㅁㅗㄱㅅ"),
        ("ﾄﾞﾗえもん", "どらえもん"), ("２０２０", "2020"), ("", ""), ("-", "-"), ("한 글", "ㅎㅏㄴ ㄱㅡㄹ"),
    ])
    func `words are folded, punctuation gives way, syllables are spelled`(_ text: String, _ wanted: String) {
        #expect(spelled(text) == wanted)
    }

    @Test(arguments: [
        ("방탄", ["ㅂ", "바", "방", "방ㅌ", "방타", "방탄"]), ("가나", ["ㄱ", "가", "간", "가나"]), ("과자", ["고", "과", "괒", "과자"]),
        ("닭이", ["다", "달", "닭", "닭이"]), ("달기", ["달", "닭", "달기"]), ("없어", ["어", "업", "없", "업ㅅ", "없어"]),
    ])
    func `whatever a Korean keyboard shows on the way to a word is a part of it`(_ word: String, _ steps: [String]) {
        for step in steps { #expect(word.spelledForSearch.contains(step.spelledForSearch), "\(step)") }
    }

    @Test(arguments: [("가나", "낙"), ("방탄", "당"), ("안녕", "나"), ("강아지", "가아"), ("각", "가가")])
    func `what is not on the way is no part`(_ word: String, _ other: String) {
        #expect(!word.spelledForSearch.contains(other.spelledForSearch))
    }

    @Test(arguments: [("사랑 노래 2", "ㅅㄹㄴㄹ"), ("IU 밤편지", "ㅂㅍㅈ"), ("꿈", "ㄲ"), ("Abba", ""), ("ㅋㅋ", ""), ("방탄소년단", "ㅂㅌㅅㄴㄷ")])
    func `initials are those of the syllables`(_ text: String, _ wanted: String) {
        #expect(SearchSpelling.initials(of: text.spelledForSearch) == wanted)
        #expect(SearchSpelling.initials(of: text.nfd.spelledForSearch) == wanted)
    }

    @Test
    func `a beginning is a syllable's first letter and each character of a script without spaces`() {
        #expect(SearchSpelling.isBeginning(0x3131, before: 0x314F))
        #expect(!SearchSpelling.isBeginning(0x3131, before: 0x3131))
        #expect(!SearchSpelling.isBeginning(0x314F, before: 0x3131))
        #expect(SearchSpelling.isBeginning(0x5B57, before: nil))
        #expect(!SearchSpelling.isBeginning(0x61, before: 0x62))
    }
}
