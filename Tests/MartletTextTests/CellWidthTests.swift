// SPDX-License-Identifier: Apache-2.0
import MartletText
import Testing

@Suite("Cells of a terminal")
struct CellWidthTests {
    @Test(arguments: [
        ("abc", 3), ("", 0), ("사랑", 4), ("夜に", 4), ("ｶﾅ", 2), ("Ａ", 2), ("é", 1), ("e\u{301}", 1), ("🎵", 2),
        ("👩‍👩‍👧", 2), ("👍🏽", 2), ("🇰🇷", 2), ("❤\u{FE0F}", 2), ("❤", 1), ("랑".nfd, 2), ("…", 1), ("a\u{200B}b", 2), ("ไม่", 2),
        ("\u{1B}[0m", 3), ("ö̲", 1), ("±", 1),
    ])
    func `a text takes the cells a terminal gives it`(text: String, cells: Int) {
        #expect(text.cellWidth == cells)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abc def", 5, "abc…"), ("사랑노래", 5, "사랑…"),
        ("사랑노래", 6, "사랑…"), ("사랑", 4, "사랑"), ("🇰🇷🇯🇵", 3, "🇰🇷…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
        ("abc", 1, "…"),
        ("abc", 0, ""), ("abc", -1, ""), ("사", 1, "…"),
    ])
    func `what does not fit is cut between characters and marked`(text: String, cells: Int, cut: String) {
        #expect(text.truncated(toCells: cells) == cut)
        #expect(text.truncated(toCells: cells).cellWidth <= max(0, cells))
    }

    @Test
    func `a column is filled to its width on either side`() {
        #expect("사랑".fitted(toCells: 6) == "사랑  ")
        #expect("3:05".fitted(toCells: 6, alignment: .trailing) == "  3:05")
        #expect("사랑노래".fitted(toCells: 6) == "사랑… ")
    }

    @Test
    func `an ellipsis of several cells is reckoned with, or left out where it does not fit`() {
        #expect("abcdef".truncated(toCells: 5, ellipsis: "...") == "ab...")
        #expect("abcdef".truncated(toCells: 2, ellipsis: "...") == "ab")
    }
}
