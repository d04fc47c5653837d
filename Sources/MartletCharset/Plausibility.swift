// SPDX-License-Identifier: Apache-2.0

/// How likely a decoded string is as text of the language its character set was made for.
///
/// Each model is a coarse probability over characters: the logarithm of how often a title in that language holds this
/// character. Since every candidate must explain the *same bytes*, the sums can be compared, also where one reads two
/// characters and another one: that is what makes strings of two syllables decidable, on which uchardet gives up.
struct Plausibility {
    enum Language {
        case korean, japanese, simplifiedChinese, traditionalChinese, cyrillic, alphabetic
    }

    let language: Language

    init(of charset: Charset) {
        language =
            switch charset {
            case .cp949: .korean
            case .cp932, .eucJP: .japanese
            case .gb18030: .simplifiedChinese
            case .big5: .traditionalChinese
            case .windows1251, .koi8R: .cyrillic
            default: .alphabetic
            }
    }

    /// Natural logarithm of the likelihood; only differences between candidates for the same bytes mean anything.
    func logLikelihood(of decoding: Converter.Decoding, rarity: [CharacterRank]) -> Double {
        // A cut character at the end is ID3v1's doing and common; a fault inside is not.
        var sum = decoding.isCutShort ? -5.0 : 0.0
        let scalars = decoding.scalars
        let ranks = rarity.count == scalars.count ? rarity : []
        switch language {
        case .korean, .japanese, .simplifiedChinese, .traditionalChinese:
            for (index, code) in scalars.enumerated() {
                let rank = ranks.isEmpty ? .ordinary : ranks[index]
                let isAfterHalfKana = index > 0 && Plausibility.isHalfKana(scalars[index - 1])
                sum += ideographic(code, rank: rank, isAfterHalfKana: isAfterHalfKana)
            }
        case .cyrillic, .alphabetic:
            var walk = AlphabeticWalk(isCyrillic: language == .cyrillic)
            for code in scalars { sum += walk.step(code) }
            sum += walk.finish()
        }
        return sum
    }

    // The numbers: the common list carries the share c of a text and has n members, so log(c / n) each; the rest of
    // the set shares what is left in the same way.
    private func ideographic(_ code: UInt32, rank: CharacterRank, isAfterHalfKana: Bool) -> Double {
        if let ascii = Plausibility.ascii(code) { return ascii }
        if let symbol = Plausibility.fullWidthSymbol(code) { return symbol }
        let isHangul = (0xAC00...0xD7A3).contains(code)
        let isKana = (0x3041...0x30FE).contains(code)
        let isIdeograph = (0x4E00...0x9FFF).contains(code)
        switch language {
        case .korean:
            if isHangul {
                if CommonCharacters.korean.contains(code) { return -5.9 }
                return rank == .extended ? -16 : -9
            }
            return isIdeograph ? -13 : -14.5
        case .japanese:
            if isKana { return code < 0x30A0 ? -5.3 : -6 }
            if Plausibility.isHalfKana(code) { return isAfterHalfKana ? -5.5 : -9 }
            if isIdeograph {
                if CommonCharacters.kanji.contains(code) { return -7.3 }
                return rank == .ordinary ? -9.8 : rank == .rare ? -13 : -17
            }
        case .simplifiedChinese:
            if isIdeograph {
                if CommonCharacters.simplifiedChinese.contains(code) { return -6.5 }
                return rank == .ordinary ? -9.3 : rank == .rare ? -12 : -16
            }
            if isKana { return -13 }
        default:
            if isIdeograph {
                if CommonCharacters.traditionalChinese.contains(code) { return -6.5 }
                return rank == .ordinary ? -9.6 : rank == .rare ? -13 : -16
            }
            if isKana { return -13 }
        }
        return -15
    }

    static func isHalfKana(_ code: UInt32) -> Bool {
        (0xFF61...0xFF9F).contains(code)
    }

    /// What every model agrees on: ASCII costs the same, and what is no text at all costs as much as ruins a guess.
    static func ascii(_ code: UInt32) -> Double? {
        switch code {
        case 0x09, 0x0A, 0x0D, 0x20...0x7E: -3.2
        case 0x00...0x1F, 0x7F...0x9F, 0xFFFD, 0xE000...0xF8FF: -22
        default: nil
        }
    }

    private static func fullWidthSymbol(_ code: UInt32) -> Double? {
        switch code {
        case 0x3000...0x3002, 0x300A...0x300F, 0x30FB, 0x30FC, 0x301C, 0xFF5E, 0xB7, 0x2026, 0x3010, 0x3011: -6.5
        case 0x2018, 0x2019, 0x201C, 0x201D, 0x2015, 0x2014, 0x266A, 0x2605, 0x2606: -8
        case 0xFF01...0xFF5D: -7.5
        case 0x3003...0x303F, 0x2160...0x217F, 0x2460...0x24FF: -10
        default: nil
        }
    }
}

/// How the makers of a two-byte set ranked a character: they put the frequent ones in the first rows.
enum CharacterRank {
    case ordinary, rare, extended

    /// The rank of each character of a string, by its bytes; empty for a set without rows.
    static func ranks(of bytes: [UInt8], in charset: Charset) -> [CharacterRank] {
        guard charset.isMultibyte else { return [] }
        var ranks: [CharacterRank] = []
        ranks.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let lead = bytes[index]
            let trail = index + 1 < bytes.count ? bytes[index + 1] : 0
            let (length, rank) = measure(lead, trail, in: charset)
            // A cut character at the end is not in the decoded text either.
            if index + length <= bytes.count { ranks.append(rank) }
            index += length
        }
        return ranks
    }

    private static func measure(_ lead: UInt8, _ trail: UInt8, in charset: Charset) -> (Int, CharacterRank) {
        guard lead >= 0x80 else { return (1, .ordinary) }
        switch charset {
        case .cp949:
            return (2, lead < 0xA1 || trail < 0xA1 ? .extended : .ordinary)
        case .gb18030:
            if (0x30...0x39).contains(trail) { return (4, .extended) }
            if lead < 0xA1 || trail < 0xA1 { return (2, .extended) }
            return (2, lead > 0xF7 ? .extended : lead > 0xD7 ? .rare : .ordinary)
        case .big5:
            return (2, lead < 0xA1 ? .extended : lead > 0xC6 ? .rare : .ordinary)
        case .cp932:
            if (0xA1...0xDF).contains(lead) { return (1, .ordinary) }
            return (2, lead > 0xEA ? .extended : lead > 0x97 ? .rare : .ordinary)
        default:
            if lead == 0x8F { return (3, .extended) }
            if lead == 0x8E { return (2, .ordinary) }
            return (2, lead > 0xF4 ? .extended : lead > 0xCF ? .rare : .ordinary)
        }
    }
}
