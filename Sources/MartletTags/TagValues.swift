// SPDX-License-Identifier: Apache-2.0
import CMartletTagLib

/// Readings of single values: numbers, gains, genres, identifiers.
enum TagValues {
    /// A number and a total, as in `7`, `07/12`, `7 of 12`; zeros are unknown.
    static func position(_ text: String) -> (number: Int?, total: Int?) {
        let numbers = text.utf8.split { !(0x30...0x39).contains($0) }.prefix(2).map { Int(Substring($0)) ?? 0 }
        let isPair = text.utf8.contains(UInt8(ascii: "/")) || text.contains("of")
        guard text.utf8.first(where: { $0 != 0x20 }) != UInt8(ascii: "/") else { return (nil, positive(numbers.first)) }
        // "A1", a side of a record, is no number on a disc; a long one is no number of anything.
        guard text.utf8.first.map({ (0x30...0x39).contains($0) }) ?? false else { return (nil, nil) }
        return (positive(numbers.first), isPair && numbers.count > 1 ? positive(numbers[1]) : nil)
    }

    private static func positive(_ number: Int?) -> Int? {
        number.flatMap { (1...99_999).contains($0) ? $0 : nil }
    }

    /// A count such as a total or a tempo, rounded.
    static func count(_ text: String) -> Int? {
        decimal(text).flatMap { (0.5..<100_000).contains($0) ? Int($0.rounded()) : nil }
    }

    /// A decimal number at the start of a text, with a point or a comma, before a unit such as `dB`.
    static func decimal(_ text: String) -> Double? {
        var number = ""
        for character in text.utf8 {
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                number.unicodeScalars.append(.init(character))
            case UInt8(ascii: "."), UInt8(ascii: ","): number.append(".")
            case UInt8(ascii: "+"), UInt8(ascii: " "): if !number.isEmpty { return Double(number) }
            // Small peaks are written 1.2e-05.
            case UInt8(ascii: "e"), UInt8(ascii: "E"): number.append("e")
            default: return Double(number)
            }
            if number.utf8.count > 40 { return nil }
        }
        return Double(number)
    }

    /// A gain in decibels, if it can be one.
    static func gain(_ text: String) -> Double? {
        decimal(text).flatMap { abs($0) <= 64 ? $0 : nil }
    }

    /// A peak as a share of full scale, if it can be one.
    static func peak(_ text: String) -> Double? {
        decimal(text).flatMap { $0 >= 0 && $0 <= 64 ? $0 : nil }
    }

    /// Genres in ID3's number forms, `17`, `(17)Rock`, `(4)(17)`, `(RX)`, and anything else as it is.
    static func genres(_ text: String, family: martlet_tag_family) -> [String] {
        let isID3 = family == MARTLET_TAG_ID3V2
        guard isID3 || family == MARTLET_TAG_APE || family == MARTLET_TAG_ASF || family == MARTLET_TAG_RIFF else {
            return [text]
        }
        var found: [String] = []
        var rest = Substring(text)
        while rest.hasPrefix("("), !rest.hasPrefix("(("), let end = rest.firstIndex(of: ")") {
            guard let name = reference(rest[rest.index(after: rest.startIndex)..<end]) else { break }
            found.append(name)
            rest = rest[rest.index(after: end)...]
        }
        if rest.hasPrefix("((") { rest = rest.dropFirst() }
        if found.isEmpty, let name = reference(rest) { return [name] }
        // A refinement that only repeats the number's name says nothing new.
        if !rest.isEmpty, !found.contains(String(rest)) { found.append(String(rest)) }
        return found
    }

    private static func reference(_ text: Substring) -> String? {
        if text == "RX" { return "Remix" }
        if text == "CR" { return "Cover" }
        guard text.utf8.count <= 3, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int32(text),
            let name = unsafe martlet_tag_genre(number)
        else { return nil }
        return unsafe String(cString: name)
    }

    /// All UUIDs in a text, in lower case. ID3v2.3 joins several by `/`, some taggers by `; `.
    static func uuids(_ text: String) -> [String] {
        // By bytes: a file has six of these fields, and a scan many files.
        var found: [String] = []
        var word: [UInt8] = []
        func take() {
            let isUUID =
                word.count == 36 && word.indices.allSatisfy { [8, 13, 18, 23].contains($0) == (word[$0] == 0x2D) }
            if isUUID { found.append(String(decoding: word, as: UTF8.self)) }
            word.removeAll(keepingCapacity: true)
        }
        word.reserveCapacity(36)
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x61...0x66, 0x2D: word.append(byte)
            case 0x41...0x46: word.append(byte + 0x20)
            default: take()
            }
        }
        take()
        return found
    }

    /// An International Standard Recording Code without its hyphens: two letters, three letters or digits, seven digits.
    static func isrc(_ text: String) -> String? {
        let code = text.uppercased().filter { $0 != "-" && $0 != " " }
        let bytes = Array(code.utf8)
        guard bytes.count == 12, bytes.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }),
            bytes.prefix(2).allSatisfy({ $0 >= 0x41 }), bytes.suffix(7).allSatisfy({ $0 <= 0x39 })
        else { return nil }
        return code
    }
}
