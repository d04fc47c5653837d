// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Judges text in an alphabet letter by letter: how frequent each is, and whether cases and neighbours make words.
///
/// One byte is one letter here, and almost every byte is valid, so validity says nothing and the shape of words
/// everything: `Ïðèâåò` is valid Latin-1, but no word has six accented letters in a row; `оПХБЕР` has its
/// capitals on the wrong side.
struct AlphabeticWalk {
    let isCyrillic: Bool
    private var previous = Kind.other
    private var wasVowel: Bool?
    private var capitals = 0
    private var accents = 0
    private var scripts: [UInt32: Int] = [:]
    private var foreignLetters = 0

    init(isCyrillic: Bool) {
        self.isCyrillic = isCyrillic
    }

    private enum Kind {
        case other, asciiLower, asciiUpper, lower, upper

        var isLetter: Bool { self != .other }
        var isASCII: Bool { self == .asciiLower || self == .asciiUpper }
        var isUpper: Bool { self == .asciiUpper || self == .upper }
        var isLower: Bool { self == .asciiLower || self == .lower }
    }

    mutating func step(_ code: UInt32) -> Double {
        if let ascii = Plausibility.ascii(code) {
            let kind: Kind =
                switch code {
                case 0x41...0x5A: .asciiUpper
                case 0x61...0x7A: .asciiLower
                default: .other
                }
            let cost = isCyrillic && kind.isLetter && previous.isLetter && !previous.isASCII ? -8.0 : 0
            enter(kind)
            return ascii + cost
        }
        guard let properties = Unicode.Scalar(code)?.properties, properties.isAlphabetic, code != 0xAA, code != 0xBA
        else {
            enter(.other)
            return AlphabeticWalk.symbols[code] ?? -12
        }
        let kind: Kind = properties.isUppercase ? .upper : .lower
        let cost = isCyrillic ? cyrillic(code, kind) : accented(code, kind)
        enter(kind)
        return cost
    }

    /// What only the whole string tells: letters of one alphabet belong together.
    func finish() -> Double {
        let most = scripts.values.max() ?? 0
        return Double(foreignLetters - most) * -5
    }

    private mutating func enter(_ kind: Kind) {
        capitals = kind.isUpper ? capitals + 1 : 0
        if !kind.isLetter { wasVowel = nil }
        previous = kind
    }

    private mutating func cyrillic(_ code: UInt32, _ kind: Kind) -> Double {
        let lower = AlphabeticWalk.lowercaseCyrillic(code)
        guard let frequency = AlphabeticWalk.cyrillicFrequency[lower] else { return -12 }
        var cost = frequency
        if previous.isASCII { cost -= 8 }
        switch (previous.isLetter, kind) {
        case (false, _): cost -= 0.7
        case (true, .upper): cost -= previous.isLower ? 8 : 0.6
        case (true, _): cost -= previous.isUpper && capitals > 1 ? 6 : 0
        }
        let isVowel = AlphabeticWalk.cyrillicVowels.contains(lower)
        switch (wasVowel, isVowel) {
        case (true, true): cost -= 0.8
        case (true, false), (false, true): cost += 0.35
        case (false, false): cost -= 0.4
        case (nil, _): break
        }
        wasVowel = isVowel
        return cost
    }

    private mutating func accented(_ code: UInt32, _ kind: Kind) -> Double {
        if code > 0x17F {
            // An alphabet of its own, Greek or Hebrew or Arabic or Thai: whole words of it are the rule.
            scripts[code >> 7, default: 0] += 1
            foreignLetters += 1
            return (previous.isASCII ? -8 : -4.3) - (kind == .upper && previous == .lower ? 8 : 0)
        }
        var cost = AlphabeticWalk.accentedFrequency[code] ?? (code > 0xFF ? -6.5 : -8)
        // Two in a row end many a Portuguese word, three hardly any.
        accents = previous.isLetter && !previous.isASCII ? accents + 1 : 1
        if accents == 2 { cost -= 1.5 } else if accents > 2 { cost -= 6 }
        if !previous.isLetter { cost -= 1 }
        if kind == .upper && previous.isLower { cost -= 5 }
        if kind == .lower && previous.isUpper && capitals > 1 { cost -= 3 }
        return cost
    }

    private static func lowercaseCyrillic(_ code: UInt32) -> UInt32 {
        switch code {
        case 0x410...0x42F: code + 0x20
        case 0x400...0x40F: code + 0x50
        case 0x490: 0x491
        default: code
        }
    }

    // Shares of letters in Russian prose, as logarithms; Ukrainian's and Serbian's own letters with a guess.
    private static let cyrillicFrequency: [UInt32: Double] = table(
        ("о", 0.11), ("е", 0.085), ("а", 0.08), ("и", 0.074), ("н", 0.067), ("т", 0.063), ("с", 0.055), ("р", 0.047),
        ("в", 0.045), ("л", 0.044), ("к", 0.035), ("м", 0.032), ("д", 0.030), ("п", 0.028), ("у", 0.026),
        ("я", 0.020), ("ы", 0.019), ("ь", 0.0174), ("г", 0.017), ("з", 0.0165), ("б", 0.016), ("ч", 0.0144),
        ("й", 0.012), ("х", 0.0097), ("ж", 0.0094), ("ш", 0.0073), ("ю", 0.0064), ("ц", 0.0048), ("щ", 0.0036),
        ("э", 0.0032), ("ф", 0.0026), ("ё", 0.002), ("ъ", 0.0004), ("і", 0.006), ("ї", 0.002), ("є", 0.002),
        ("ґ", 0.0001), ("ў", 0.0003), ("ј", 0.0003), ("љ", 0.0001), ("њ", 0.0001), ("ћ", 0.0001), ("ђ", 0.0001),
        ("џ", 0.0001))

    private static let cyrillicVowels = Set("аеиоуыэюяёіїє".unicodeScalars.map(\.value))

    private static let accentedFrequency: [UInt32: Double] = table(
        ("é", 0.02), ("ö", 0.01), ("ä", 0.01), ("ü", 0.01), ("è", 0.008), ("á", 0.008), ("ó", 0.008), ("í", 0.008),
        ("ñ", 0.006), ("ç", 0.006), ("ã", 0.006), ("å", 0.006), ("ø", 0.006), ("à", 0.006), ("ê", 0.005), ("ß", 0.005),
        ("ú", 0.004), ("ô", 0.004), ("æ", 0.004), ("â", 0.004), ("ï", 0.003), ("ë", 0.003), ("î", 0.003),
        ("õ", 0.003), ("ò", 0.003), ("ì", 0.003), ("ù", 0.003), ("û", 0.003), ("É", 0.003), ("Ö", 0.002),
        ("Ü", 0.002), ("Ä", 0.002), ("Å", 0.002), ("Ø", 0.001), ("Ñ", 0.001), ("À", 0.001), ("Á", 0.001), ("Ç", 0.001),
        ("È", 0.001), ("Ó", 0.001), ("Æ", 0.001), ("Í", 0.0007), ("Ú", 0.0007), ("Ô", 0.0005), ("Ê", 0.0005))

    private static let symbols: [UInt32: Double] = table(
        ("’", 0.002), ("‘", 0.0005), ("“", 0.001), ("”", 0.001), ("…", 0.002), ("–", 0.002), ("—", 0.001), ("«", 0.001),
        ("»", 0.001), ("°", 0.0007), ("·", 0.0003), ("¡", 0.0003), ("¿", 0.0003), ("№", 0.0005), ("®", 0.0003),
        ("™", 0.0003), ("©", 0.0003), ("\u{A0}", 0.0003), ("„", 0.0003), ("´", 0.0003), ("º", 0.0002), ("²", 0.0001),
        ("½", 0.0001), ("•", 0.0001), ("£", 0.0001), ("€", 0.0001), ("&", 0.0001))

    private static func table(_ shares: (Unicode.Scalar, Double)...) -> [UInt32: Double] {
        Dictionary(shares.map { ($0.0.value, log($0.1)) }, uniquingKeysWith: { first, _ in first })
    }
}
