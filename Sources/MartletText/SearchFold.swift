// SPDX-License-Identifier: Apache-2.0
import CMartletUtf8proc

extension String {
    /// The text as a search compares it: what looks or is typed alike becomes the same (F268).
    ///
    /// Case folded; accents of Latin, Greek and Cyrillic letters dropped, and their stroked and joined letters spelled
    /// out (`ø` → `o`, `ß` → `ss`); full and half width equal; katakana as hiragana; ligatures, circled and superscript
    /// forms as what they stand for; typographic quotes and dashes as ASCII; runs of white space as one space, none at
    /// the ends; invisible characters dropped. Marks of other scripts are letters to their readers and stay; Hangul is
    /// composed. Folding twice changes nothing.
    public var foldedForSearch: String {
        if isASCII { return foldedASCII }
        var fold = SearchFold()
        for scalar in unicodeScalars { fold.take(scalar.value) }
        return fold.finish()
    }

    /// Whether a text is made of initial consonants, so that it is to be matched against ``SearchSpelling/initials(of:)``: Koreans search by typing these only.
    public var isChoseong: Bool {
        var hasConsonant = false
        for scalar in unicodeScalars where !scalar.properties.isWhitespace {
            guard SearchFold.initials.contains(scalar.value) else { return false }
            hasConsonant = true
        }
        return hasConsonant
    }

    private var foldedASCII: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        for byte in utf8 {
            switch byte {
            case 0x09...0x0D, 0x20: if let last = bytes.last, last != 0x20 { bytes.append(0x20) }
            case 0x41...0x5A: bytes.append(byte + 0x20)
            case 0x00...0x1F, 0x7F: continue
            default: bytes.append(byte)
            }
        }
        if bytes.last == 0x20 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Folds code point by code point.
private struct SearchFold {
    private var codes: [UInt32] = []
    private var pending: [UInt32] = []
    private var dropsMarks = false

    mutating func take(_ code: UInt32) {
        // Compatibility jamo are what a keyboard gives for a lone consonant; decomposed, neighbours would join into a
        // syllable nobody typed.
        if (0x3131...0x318E).contains(code) { return append(code) }
        if let consonant = SearchFold.halfWidthJamo(code) { return append(consonant) }
        switch code {
        // Hiragana, ideographs and syllables are what they fold to.
        case 0x3041...0x3096, 0x4E00...0x9FFF, 0xAC00...0xD7A3: return append(code)
        default: break
        }
        // The spacing acute, an apostrophe to many, would decompose into a space and a mark.
        if code == 0xB4 { return append(0x27) }
        pending.removeAll(keepingCapacity: true)
        let options = utf8proc_option_t(
            UTF8PROC_DECOMPOSE.rawValue | UTF8PROC_COMPAT.rawValue | UTF8PROC_CASEFOLD.rawValue
                | UTF8PROC_IGNORE.rawValue)
        CodePoints.decompose(code, options, into: &pending)
        for code in pending { take(decomposed: code) }
    }

    mutating func finish() -> String {
        if codes.last == 0x20 { codes.removeLast() }
        CodePoints.order(&codes)
        let composed = CodePoints.compose(codes)
        return CodePoints.text(composed.map(SearchFold.hiragana))
    }

    private mutating func take(decomposed code: UInt32) {
        if CodePoints.isMark(code) {
            if !dropsMarks { codes.append(code) }
            return
        }
        if let spelled = SearchFold.spellings[code] {
            for letter in spelled.unicodeScalars { append(letter.value) }
        } else {
            append(code)
        }
    }

    private mutating func append(_ code: UInt32) {
        if code == 0x20 || SearchFold.isSpace(code) {
            dropsMarks = false
            if let last = codes.last, last != 0x20 { codes.append(0x20) }
            return
        }
        guard code >= 0x20, !(0x7F...0x9F).contains(code) else { return }
        codes.append(code)
        dropsMarks = SearchFold.isAlphabetWithAccents(code)
    }

    /// The nineteen initial consonants in the order of Unicode's syllables.
    static let initials: [UInt32] = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ".unicodeScalars.map(\.value)

    private static func hiragana(_ code: UInt32) -> UInt32 {
        switch code {
        case 0x30A1...0x30F6, 0x30FD, 0x30FE: code - 0x60
        default: code
        }
    }

    private static func halfWidthJamo(_ code: UInt32) -> UInt32? {
        switch code {
        case 0xFFA1...0xFFBE: code - 0xFFA1 + 0x3131
        case 0xFFC2...0xFFC7: code - 0xFFC2 + 0x314F
        case 0xFFCA...0xFFCF: code - 0xFFCA + 0x3155
        case 0xFFD2...0xFFD7: code - 0xFFD2 + 0x315B
        case 0xFFDA...0xFFDC: code - 0xFFDA + 0x3161
        default: nil
        }
    }

    private static func isSpace(_ code: UInt32) -> Bool {
        switch code {
        case 0x09...0x0D, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: true
        default: false
        }
    }

    private static func isAlphabetWithAccents(_ code: UInt32) -> Bool {
        switch code {
        case 0x41...0x5A, 0x61...0x7A, 0xC0...0x24F, 0x1E00...0x1EFF, 0x250...0x2AF, 0x2C60...0x2C7F: true
        case 0x370...0x3FF, 0x1F00...0x1FFF: true
        case 0x400...0x52F, 0x1C80...0x1C8F, 0xA640...0xA69F: true
        default: false
        }
    }

    // Letters Unicode does not decompose, spelled as people without them on the keyboard type them.
    private static let spellings: [UInt32: String] = Dictionary(
        uniqueKeysWithValues: [
            ("ø", "o"), ("ł", "l"), ("đ", "d"), ("ħ", "h"), ("ŧ", "t"), ("æ", "ae"), ("œ", "oe"), ("þ", "th"),
            ("ð", "d"), ("ı", "i"), ("ŋ", "ng"), ("ƒ", "f"), ("‘", "'"), ("’", "'"), ("‚", "'"), ("‛", "'"),
            ("ʼ", "'"), ("′", "'"), ("`", "'"), ("“", "\""), ("”", "\""), ("„", "\""), ("‟", "\""),
            ("«", "\""), ("»", "\""), ("‐", "-"), ("‑", "-"), ("‒", "-"), ("–", "-"), ("—", "-"), ("―", "-"),
            ("−", "-"), ("〜", "~"), ("～", "~"), ("∕", "/"), ("⁄", "/"), ("・", " "), ("·", " "),
        ].map { (Unicode.Scalar($0.0)!.value, $0.1) })
}
