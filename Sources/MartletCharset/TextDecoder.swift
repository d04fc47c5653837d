// SPDX-License-Identifier: Apache-2.0

/// Text out of bytes whose encoding nobody wrote down, or wrote down wrongly.
public struct DecodedText: Hashable, Sendable {
    /// Valid text without NULs and control characters (``TextRepair/clean(_:)``).
    public var text: String
    /// The set the bytes were read as.
    public var charset: Charset
    public var certainty: Certainty

    /// How far ahead of the next candidate the chosen set was.
    public enum Certainty: Int, Hashable, Sendable, Comparable {
        /// Something had to be chosen.
        case guess
        /// Better than every other reading, but another one is thinkable.
        case likely
        /// A byte order mark, valid UTF-8, a declaration that holds, or no other plausible reading.
        case certain

        public static func < (left: Certainty, right: Certainty) -> Bool {
            left.rawValue < right.rawValue
        }
    }
}

/// Turns bytes of unknown encoding into text.
///
/// In order: a byte order mark; valid UTF-8; what was declared, if the bytes bear it out; then whichever of the sets
/// in which people really wrote tags and playlists makes the most plausible text (``Plausibility``), with uchardet's
/// vote counted once there are enough bytes for it to have one.
public struct TextDecoder: Sendable {
    /// The user's setting for old files. It wins unless the bytes clearly speak for another set.
    public var fallback: Charset?

    public init(fallback: Charset? = nil) {
        self.fallback = fallback
    }

    /// Decodes one run of bytes.
    ///
    /// - Parameter declared: What the file claims. Latin-1 counts as no claim: ID3v2 offers nothing else for eight
    ///   bits, so Korean, Japanese and Russian taggers all wrote it.
    public func decode(_ bytes: [UInt8], declared: Charset? = nil) -> DecodedText {
        if let known = TextDecoder.known(bytes) { return known.decoded }
        if let declared, declared != .windows1252, let text = TextDecoder.strictly(bytes, as: declared) {
            return DecodedText(text: text, charset: declared, certainty: .certain)
        }
        return judge([TextDecoder.unpadded(bytes)])[0]
    }

    /// Decodes all 8-bit strings of one file, in the order given.
    ///
    /// One tagger wrote them with one code page, so they are judged together: a title of two syllables is ambiguous,
    /// a title, an artist and an album seldom are. ASCII and clearly valid UTF-8 among them stay what they are.
    public func decode(together fields: [[UInt8]]) -> [DecodedText] {
        var result: [DecodedText?] = Array(repeating: nil, count: fields.count)
        var open: [Int] = []
        var weak: [Int] = []
        for (index, bytes) in fields.enumerated() {
            guard let known = TextDecoder.known(bytes) else {
                open.append(index)
                continue
            }
            result[index] = known.decoded
            if known.isWeak { weak.append(index) }
        }
        if !open.isEmpty {
            // One or two accidental pairs, C2–DF before 80–BF, also make valid UTF-8; beside strings that are none
            // they belong to those.
            let group = (open + weak).sorted()
            for (index, text) in zip(group, judge(group.map { TextDecoder.unpadded(fields[$0]) })) {
                result[index] = text
            }
        }
        return result.map { $0! }
    }

    // MARK: - What needs no judgement

    private struct Known {
        var decoded: DecodedText
        /// Valid UTF-8, but so little of it that it may be chance.
        var isWeak = false
    }

    private static func known(_ bytes: [UInt8]) -> Known? {
        if let marked = marked(bytes) {
            return Known(decoded: marked)
        }
        let bytes = unpadded(bytes)
        guard let form = UTF8Form(of: bytes) else { return nil }
        if form.pairs + form.longer == 0, bytes.contains(0x1B), let text = strictly(bytes, as: iso2022JP) {
            return Known(decoded: DecodedText(text: text, charset: iso2022JP, certainty: .certain))
        }
        let text = String(decoding: bytes.prefix(form.length), as: UTF8.self)
        return Known(
            decoded: DecodedText(text: TextRepair.clean(text), charset: .utf8, certainty: .certain),
            isWeak: form.longer == 0 && (1...2).contains(form.pairs))
    }

    private static let iso2022JP = Charset(named: "ISO-2022-JP") ?? .utf8

    private static func marked(_ bytes: [UInt8]) -> DecodedText? {
        guard let first = bytes.first, first == 0xEF || first >= 0xFE || first == 0 else { return nil }
        let text: String
        let charset: Charset
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            (text, charset) = (String(decoding: bytes.dropFirst(3), as: UTF8.self), .utf8)
        } else if bytes.starts(with: [0xFF, 0xFE, 0, 0]) {
            (text, charset) = (wide(bytes.dropFirst(4)) { $3 << 24 | $2 << 16 | $1 << 8 | $0 }, .utf32)
        } else if bytes.starts(with: [0, 0, 0xFE, 0xFF]) {
            (text, charset) = (wide(bytes.dropFirst(4)) { $0 << 24 | $1 << 16 | $2 << 8 | $3 }, .utf32)
        } else if bytes.starts(with: [0xFF, 0xFE]) {
            (text, charset) = (units(bytes.dropFirst(2)) { $1 << 8 | $0 }, .utf16)
        } else if bytes.starts(with: [0xFE, 0xFF]) {
            (text, charset) = (units(bytes.dropFirst(2)) { $0 << 8 | $1 }, .utf16)
        } else {
            return nil
        }
        return DecodedText(text: TextRepair.clean(text), charset: charset, certainty: .certain)
    }

    // The standard library turns a lone surrogate into U+FFFD, which iconv would stop at.
    private static func units(_ bytes: ArraySlice<UInt8>, _ join: (UInt16, UInt16) -> UInt16) -> String {
        let pairs = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2)
        return String(decoding: pairs.map { join(UInt16(bytes[$0]), UInt16(bytes[$0 + 1])) }, as: UTF16.self)
    }

    private static func wide(
        _ bytes: ArraySlice<UInt8>, _ join: (UInt32, UInt32, UInt32, UInt32) -> UInt32
    ) -> String {
        let fours = stride(from: bytes.startIndex, to: bytes.endIndex - 3, by: 4)
        let codes = fours.map { at in
            join(UInt32(bytes[at]), UInt32(bytes[at + 1]), UInt32(bytes[at + 2]), UInt32(bytes[at + 3]))
        }
        return String(decoding: codes, as: UTF32.self)
    }

    private static func strictly(_ bytes: [UInt8], as charset: Charset) -> String? {
        guard let converter = Converter(from: charset.name, to: Converter.scalars) else { return nil }
        let decoding = converter.decode(charset == .utf16 || charset == .utf32 ? bytes : unpadded(bytes))
        guard decoding.faults == 0, !decoding.isCutShort else { return nil }
        return TextRepair.clean(decoding.text)
    }

    private static func unpadded(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.last == 0 else { return bytes }
        return Array(bytes.prefix((bytes.lastIndex { $0 != 0 } ?? -1) + 1))
    }

    // MARK: - Judgement

    private struct Candidate {
        var charset: Charset
        var decodings: [Converter.Decoding]
        var score: Double
    }

    private func judge(_ fields: [[UInt8]]) -> [DecodedText] {
        let vote = TextDecoder.vote(on: fields)
        var sets = TextDecoder.usual
        // Sets outside the usual ones stand for election only if somebody proposes them: their models are coarse.
        for proposed in [vote?.charset, fallback].compactMap(\.self) where !sets.contains(where: { $0.0 == proposed }) {
            sets.append((proposed, -4))
        }
        var candidates: [Candidate] = []
        let decoders = ScalarDecoders.take()
        defer { decoders.putBack() }
        sets: for (charset, prior) in sets {
            let plausibility = Plausibility(of: charset)
            var candidate = Candidate(charset: charset, decodings: [], score: prior)
            for bytes in fields {
                guard let decoding = decoders.decode(bytes, as: charset) else { continue sets }
                candidate.score += plausibility.logLikelihood(
                    of: decoding, rarity: CharacterRank.ranks(of: bytes, in: charset))
                candidate.decodings.append(decoding)
            }
            if let vote, vote.charset == charset { candidate.score += vote.weight }
            if charset == fallback { candidate.score += TextDecoder.lead }
            candidates.append(candidate)
        }
        candidates.sort { $0.score > $1.score }
        let best = candidates[0]
        let margin = candidates.count > 1 ? best.score - candidates[1].score : .infinity
        let certainty: DecodedText.Certainty = margin >= 8 ? .certain : margin >= 3 ? .likely : .guess
        return best.decodings.map {
            DecodedText(text: TextRepair.clean($0.text), charset: best.charset, certainty: certainty)
        }
    }

    /// What a configured set starts with: as much evidence as two or three characters give.
    private static let lead = 9.0

    // The prior says how often a set turns up in files that claim nothing, all else being equal.
    private static let usual: [(Charset, Double)] = [
        (.windows1252, -1), (.cp949, -1), (.windows1251, -1), (.cp932, -1), (.gb18030, -1.5), (.big5, -2),
        (.eucJP, -3), (.koi8R, -4),
    ]

    private static func vote(on fields: [[UInt8]]) -> (charset: Charset, weight: Double)? {
        var bytes: [UInt8] = []
        var high = 0
        for field in fields {
            bytes += field.prefix(4096)
            bytes.append(0x0A)
            high += field.prefix(4096).lazy.filter { $0 >= 0x80 }.count
        }
        // On shorter strings it names Mac Cyrillic or Thai for nearly anything.
        guard high >= 16, let charset = UniversalDetector.guess(bytes) else { return nil }
        return (charset, high >= 40 ? 8 : 4)
    }
}

/// What kind of UTF-8 some bytes are.
private struct UTF8Form {
    /// Bytes up to a character cut short at the end, which counts as valid if a whole one stands before it.
    var length = 0
    /// Characters of two bytes, and of three or four.
    var pairs = 0
    var longer = 0

    /// - Returns: `nil` if the bytes are not valid UTF-8.
    init?(of bytes: [UInt8]) {
        var iterator = bytes.makeIterator()
        var decoder = UTF8()
        decoding: while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar):
                let width = UTF8.width(scalar)
                length += width
                if width == 2 { pairs += 1 } else if width > 2 { longer += 1 }
            case .emptyInput:
                return
            case .error:
                break decoding
            }
        }
        let tail = bytes[length...]
        guard pairs + longer > 0, tail.count < 4, let lead = tail.first, lead >= 0xC2, lead < 0xF5,
            tail.count < (lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4),
            tail.dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 })
        else { return nil }
    }
}
