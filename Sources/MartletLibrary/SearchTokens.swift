// SPDX-License-Identifier: Apache-2.0
internal import MartletText

/// The tokens by which FTS5 finds spelled texts.
///
/// Every three neighbouring letters of a word are a token, so that any part of a word of three letters and more is found by
/// those it consists of. For one letter and for two, which would have too many places, only beginnings count. FTS5's
/// `ascii` tokenizer takes them apart at spaces; it leaves characters above U+007F alone, so ASCII that is neither letter
/// nor digit is moved there.
enum SearchTokens {
    /// Marks what is not title, artist or album: tokens of different kinds never meet.
    enum Kind: UInt32 {
        case initials = 0xE101
        case genre = 0xE102
        case fact = 0xE103
    }

    /// All tokens of a spelled text, for the index.
    static func all(of spelled: String, kind: Kind? = nil) -> [String] {
        var tokens: [String] = []
        var word: [UInt32] = []
        var begins = true
        var beginnings: [Int] = []
        func finish() {
            for start in beginnings {
                for length in 1...2 where start + length <= word.count {
                    tokens.append(token(word[start..<(start + length)], kind))
                }
            }
            if word.count >= 3 {
                for start in 0...(word.count - 3) { tokens.append(token(word[start..<(start + 3)], kind)) }
            }
        }
        let codes = spelled.unicodeScalars.map(\.value)
        for (index, code) in codes.enumerated() {
            switch code {
            case 0x20:
                finish()
                word.removeAll(keepingCapacity: true)
                beginnings.removeAll(keepingCapacity: true)
                begins = true
            case SearchSpelling.seam: begins = true
            default:
                let isBeginning =
                    kind == .initials
                    || SearchSpelling.isBeginning(code, before: index + 1 < codes.count ? codes[index + 1] : nil)
                if begins || isBeginning { beginnings.append(word.count) }
                begins = false
                word.append(code)
            }
        }
        finish()
        return tokens
    }

    /// The tokens that a text which holds `spelled` has, and whether having them is enough.
    static func asked(for spelled: String, kind: Kind? = nil) -> (tokens: [String], isExact: Bool) {
        let words = spelled.unicodeScalars.split(separator: " ").map { $0.map(\.value) }
        var tokens: [String] = []
        for word in words {
            if word.count < 3 {
                tokens.append(token(word[...], kind))
            } else {
                for start in 0...(word.count - 3) { tokens.append(token(word[start..<(start + 3)], kind)) }
            }
        }
        // More would find nothing else, and take longer.
        if tokens.count > 24 {
            tokens = stride(from: 0, to: tokens.count, by: tokens.count / 24 + 1).map { tokens[$0] }
        }
        return (tokens, words.count == 1 && words[0].count <= 3)
    }

    /// The tokens of a fact: of a year also its decade, century and millennium, so that a range is a few of them.
    static func facts(_ text: String) -> [String] {
        guard text.first == "y", let year = Int(text.dropFirst()) else { return [fact(text)] }
        return [fact(text), fact("d\(year / 10)"), fact("c\(year / 100)"), fact("m\(year / 1000)")]
    }

    /// The facts that one of a range of years has, as few as can be.
    static func years(_ range: ClosedRange<Int>) -> [String] {
        var facts: [String] = []
        var year = max(range.lowerBound, 0)
        while year <= range.upperBound {
            let (size, mark) =
                [(1000, "m"), (100, "c"), (10, "d"), (1, "y")].first { size, _ in
                    year.isMultiple(of: size) && year + size - 1 <= range.upperBound
                } ?? (1, "y")
            facts.append("\(mark)\(year / size)")
            year += size
        }
        return facts
    }

    /// A fact as a token: `y1994`.
    static func fact(_ text: String) -> String { token(text.unicodeScalars.map(\.value)[...], .fact) }

    private static func token(_ codes: ArraySlice<UInt32>, _ kind: Kind?) -> String {
        var scalars = String.UnicodeScalarView()
        if let kind { scalars.append(Unicode.Scalar(kind.rawValue) ?? "?") }
        for code in codes {
            let isPlain = (0x61...0x7A).contains(code) || (0x30...0x39).contains(code) || code > 0x7F
            if let scalar = Unicode.Scalar(isPlain ? code : 0xE200 + code) { scalars.append(scalar) }
        }
        return String(scalars)
    }
}
