// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text as a search index spells it: folded, and so that what has been typed of a word is always a part of it.
    ///
    /// Hangul syllables are spelled in the letters that are typed, joined vowels and finals in two (`과` → `ㄱㅗㅏ`,
    /// `닭` → `ㄷㅏㄹㄱ`): `방ㅌ`, on the way to `방탄`, is then a part of it, and `간`, on the way to `가나`. A syllable
    /// begins with a consonant before a vowel, so nothing else becomes a part. Punctuation inside words gives way to
    /// ``SearchSpelling/seam``, so that `ACDC` finds `AC/DC`; a word of nothing else stays. Words are parted by one space.
    public var spelledForSearch: String { SearchSpelling.spell(self) }
}

/// How a search index spells.
public enum SearchSpelling {
    /// Stands where punctuation stood inside a word: nobody types it, and what follows can be found like a word.
    public static let seam: UInt32 = 0xE000

    /// Whether a character of a spelled text can be found without what stands before it: one of a script that is written
    /// without spaces. Of Hangul, the first letter of a syllable is meant, which the next one tells.
    public static func isBeginning(_ code: UInt32, before next: UInt32?) -> Bool {
        if (0x3131...0x314E).contains(code), let next { return (0x314F...0x3163).contains(next) }
        return standsAlone(code)
    }

    /// The consonants that the syllables of a spelled text begin with, as compatibility jamo, one after another: of
    /// `사랑 노래 2` they are `ㅅㄹㄴㄹ`.
    public static func initials(of spelled: String) -> String {
        guard spelled.utf8.contains(where: { $0 >= 0xE3 }) else { return "" }
        var result = String.UnicodeScalarView()
        var last: Unicode.Scalar?
        for scalar in spelled.unicodeScalars {
            if (0x314F...0x3163).contains(scalar.value), let last, (0x3131...0x314E).contains(last.value) {
                result.append(last)
            }
            last = scalar
        }
        return String(result)
    }

    fileprivate static func spell(_ text: String) -> String {
        let folded = text.foldedForSearch
        if folded.utf8.allSatisfy({ isPlain($0) }) { return folded }
        var codes: [UInt32] = []
        var word: [UInt32] = []
        for scalar in folded.unicodeScalars {
            if scalar.value == 0x20 {
                add(word, to: &codes)
                word.removeAll(keepingCapacity: true)
            } else {
                word.append(scalar.value)
            }
        }
        add(word, to: &codes)
        return CodePoints.text(codes)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x30...0x39, 0x61...0x7A: true
        default: false
        }
    }

    private static func add(_ word: [UInt32], to codes: inout [UInt32]) {
        guard !word.isEmpty else { return }
        if !codes.isEmpty { codes.append(0x20) }
        let isSilent = word.allSatisfy(isPunctuation)
        var hasSeam = false
        var hasBegun = false
        for code in word {
            if !isSilent, isPunctuation(code) {
                hasSeam = hasBegun
                continue
            }
            if hasSeam { codes.append(seam) }
            hasSeam = false
            hasBegun = true
            spell(code, into: &codes)
        }
    }

    private static func spell(_ code: UInt32, into codes: inout [UInt32]) {
        let syllable = Int(code) - 0xAC00
        guard (0..<11172).contains(syllable) else {
            if let parts = joined[code] { codes += parts } else { codes.append(code) }
            return
        }
        codes.append(initials[syllable / 588])
        codes += vowels[syllable % 588 / 28]
        codes += finals[syllable % 28]
    }

    /// Scripts in which words are not told apart.
    private static func standsAlone(_ code: UInt32) -> Bool {
        switch code {
        case 0x3041...0x30FF, 0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF,
            0x20000...0x3FFFF, 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF:
            true
        default: false
        }
    }

    private static func isPunctuation(_ code: UInt32) -> Bool {
        switch code {
        case 0x30...0x39, 0x61...0x7A: return false
        case 0x21...0x7E: return true
        case ..<0xA1: return false
        default: break
        }
        guard let scalar = Unicode.Scalar(code) else { return false }
        switch scalar.properties.generalCategory {
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
            .finalPunctuation, .otherPunctuation, .mathSymbol, .modifierSymbol:
            return true
        default: return false
        }
    }

    private static let initials: [UInt32] = letters("ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ")
    private static let vowels: [[UInt32]] = [
        "ㅏ", "ㅐ", "ㅑ", "ㅒ", "ㅓ", "ㅔ", "ㅕ", "ㅖ", "ㅗ", "ㅗㅏ", "ㅗㅐ", "ㅗㅣ", "ㅛ", "ㅜ", "ㅜㅓ", "ㅜㅔ", "ㅜㅣ", "ㅠ",
        "ㅡ", "ㅡㅣ", "ㅣ",
    ].map(letters)
    private static let finals: [[UInt32]] = [
        "", "ㄱ", "ㄲ", "ㄱㅅ", "ㄴ", "ㄴㅈ", "ㄴㅎ", "ㄷ", "ㄹ", "ㄹㄱ", "ㄹㅁ", "ㄹㅂ", "ㄹㅅ", "ㄹㅌ", "ㄹㅍ", "ㄹㅎ", "ㅁ", "ㅂ",
        "ㅂㅅ", "ㅅ", "ㅆ", "ㅇ", "ㅈ", "ㅊ", "ㅋ", "ㅌ", "ㅍ", "ㅎ",
    ].map(letters)
    /// Joined letters as a keyboard may give them alone.
    private static let joined: [UInt32: [UInt32]] = Dictionary(
        uniqueKeysWithValues: [
            ("ㅘ", "ㅗㅏ"), ("ㅙ", "ㅗㅐ"), ("ㅚ", "ㅗㅣ"), ("ㅝ", "ㅜㅓ"), ("ㅞ", "ㅜㅔ"), ("ㅟ", "ㅜㅣ"), ("ㅢ", "ㅡㅣ"),
            ("ㄳ", "ㄱㅅ"), ("ㄵ", "ㄴㅈ"), ("ㄶ", "ㄴㅎ"), ("ㄺ", "ㄹㄱ"), ("ㄻ", "ㄹㅁ"), ("ㄼ", "ㄹㅂ"), ("ㄽ", "ㄹㅅ"),
            ("ㄾ", "ㄹㅌ"), ("ㄿ", "ㄹㅍ"), ("ㅀ", "ㄹㅎ"), ("ㅄ", "ㅂㅅ"),
        ].map { (letters($0.0)[0], letters($0.1)) })

    private static func letters(_ text: String) -> [UInt32] { text.unicodeScalars.map(\.value) }
}
