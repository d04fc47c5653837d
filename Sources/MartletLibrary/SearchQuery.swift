// SPDX-License-Identifier: Apache-2.0
internal import MartletText

/// What is asked of the library, in the words of its search language.
///
/// Words in any order, each to be found somewhere in title, artist or album; `"two words"` as they stand; `title:`,
/// `artist:`, `album:`, `genre:` to look in one place; `year:1994`, `year:1990..1999`, `year:>=1990`; `rating:>=4` in
/// stars of 0 to 5; `liked`; `added:<7d`, `played:0`, `played:>10`; `-` before any of them for what must not be. Ages
/// are in days, weeks, months and years (`d w m y`). Nothing that can be typed is wrong: what makes no sense as a field
/// is looked for as words.
public struct SearchQuery: Hashable, Sendable {
    /// Where words are looked for.
    public enum Field: String, Hashable, Sendable, CaseIterable {
        case title
        case artist
        case album
        case genre
    }

    /// One thing asked for.
    public enum Term: Hashable, Sendable {
        /// Words as ``Swift/String/spelledForSearch`` has them; with `nil` in title, artist or album.
        case words(String, in: Field?)
        /// Korean by the consonants its syllables begin with.
        case initials(String, in: Field?)
        case year(ClosedRange<Int>)
        /// Stars, 0 to 5. Only tracks that have a rating have one.
        case rating(ClosedRange<Int>)
        case liked
        /// Came at most this long ago; with `isOlder`, longer.
        case added(within: Duration, isOlder: Bool)
        case plays(ClosedRange<Int>)
    }

    /// A term, and whether it must not hold.
    public struct Clause: Hashable, Sendable {
        public var term: Term
        public var isExcluded: Bool

        public init(_ term: Term, isExcluded: Bool = false) {
            self.term = term
            self.isExcluded = isExcluded
        }
    }

    /// All of them must hold. What comes after the first 32 is left out.
    public private(set) var clauses: [Clause]
    /// As it was typed, without white space at the ends.
    public let text: String

    static let mostClauses = 32
    /// Of what is typed, in bytes; the rest is left out.
    static let longest = 4096

    /// Whether nothing is asked for.
    public var isEmpty: Bool { clauses.isEmpty }

    /// Reads what was typed.
    public init(_ text: String) {
        let text = text.utf8.count <= SearchQuery.longest ? text : SearchQuery.prefix(of: text)
        self.text = SearchQuery.trimmed(text)
        clauses = []
        var scanner = SearchScanner(text)
        while clauses.count < SearchQuery.mostClauses, let word = scanner.next() {
            guard let term = SearchQuery.term(word) else { continue }
            let clause = Clause(term, isExcluded: word.isExcluded)
            if !clauses.contains(clause) { clauses.append(clause) }
        }
    }

    private static func prefix(of text: String) -> String {
        String(decoding: text.utf8.prefix(longest), as: UTF8.self)
    }

    private static func trimmed(_ text: String) -> String {
        let words = text.split(omittingEmptySubsequences: true, whereSeparator: \.isWhitespace)
        guard let first = words.first, let last = words.last else { return "" }
        return String(text[first.startIndex..<last.endIndex])
    }

    private static func term(_ word: SearchScanner.Word) -> Term? {
        if let field = word.field?.lowercased() {
            if let place = Field(rawValue: field) { return text(word.value, in: place) }
            if !word.isQuoted, let term = measured(field, word.value) { return term }
            return text(field + " " + word.value, in: nil)
        }
        if !word.isQuoted, word.value.lowercased() == "liked" { return .liked }
        return text(word.value, in: nil)
    }

    private static func text(_ value: String, in field: Field?) -> Term? {
        let folded = value.foldedForSearch
        if folded.isChoseong { return .initials(String(folded.filter { $0 != " " }), in: field) }
        let spelled = value.spelledForSearch
        let seamless = String(
            String.UnicodeScalarView(spelled.unicodeScalars.filter { $0.value != SearchSpelling.seam }))
        return seamless.isEmpty ? nil : .words(seamless, in: field)
    }

    private static func measured(_ field: String, _ value: String) -> Term? {
        switch field {
        case "year": SearchRange.read(value, within: 0...9999).map(Term.year)
        case "rating": SearchRange.read(value, within: 0...5).map(Term.rating)
        case "played", "plays": SearchRange.read(value, within: 0...Int(Int32.max)).map(Term.plays)
        case "added": age(value)
        default: nil
        }
    }

    private static func age(_ value: String) -> Term? {
        var rest = Substring(value)
        var isOlder = false
        switch rest.first {
        case "<": rest = rest.dropFirst()
        case ">":
            rest = rest.dropFirst()
            isOlder = true
        default: break
        }
        if rest.first == "=" { rest = rest.dropFirst() }
        let days: Int? =
            switch rest.last {
            case "d", "D": 1
            case "w", "W": 7
            case "m", "M": 30
            case "y", "Y": 365
            default: nil
            }
        guard let days, let count = Int(rest.dropLast()), (0...10_000).contains(count) else { return nil }
        return .added(within: .seconds(count * days * 86_400), isOlder: isOlder)
    }
}

/// Numbers as they are asked for: `4`, `>=4`, `<4`, `1..4`, `1..`, `..4`.
enum SearchRange {
    static func read(_ text: String, within limits: ClosedRange<Int>) -> ClosedRange<Int>? {
        if let dots = text.utf8.indices.first(where: { text.utf8[$0...].starts(with: "..".utf8) }) {
            let (low, high) = (text[..<dots], text[text.utf8.index(dots, offsetBy: 2)...])
            guard !low.isEmpty || !high.isEmpty else { return nil }
            guard let from = low.isEmpty ? limits.lowerBound : number(low),
                let to = high.isEmpty ? limits.upperBound : number(high)
            else { return nil }
            return clamped(min(from, to), max(from, to), limits)
        }
        for (sign, bounds) in [
            (">=", { (n: Int) in (n, Int.max) }), ("<=", { (Int.min, $0) }), (">", { ($0 + 1, Int.max) }),
            ("<", { (Int.min, $0 - 1) }), ("=", { ($0, $0) }), ("", { ($0, $0) }),
        ] where text.hasPrefix(sign) {
            guard let value = number(text.dropFirst(sign.count)) else { return nil }
            let (low, high) = bounds(value)
            return clamped(low, high, limits)
        }
        return nil
    }

    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 10, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    /// What nothing can be is the empty range's stand-in: beyond what there is.
    private static func clamped(_ low: Int, _ high: Int, _ limits: ClosedRange<Int>) -> ClosedRange<Int> {
        let from = max(low, limits.lowerBound)
        let to = min(high, limits.upperBound)
        return from <= to ? from...to : (limits.upperBound + 1)...(limits.upperBound + 1)
    }
}

/// Takes what was typed apart into words, quotes, fields and minus signs.
struct SearchScanner {
    struct Word {
        var isExcluded = false
        var field: String?
        var value: String
        var isQuoted = false
    }

    private var rest: Substring.UnicodeScalarView

    init(_ text: String) {
        rest = Substring(text).unicodeScalars
    }

    mutating func next() -> Word? {
        rest = rest.drop { SearchScanner.isSpace($0) }
        guard let first = rest.first else { return nil }
        var word = Word(value: "")
        // A minus before white space, or at the end, stands for itself.
        if SearchScanner.isMinus(first), let second = rest.dropFirst().first, !SearchScanner.isSpace(second) {
            word.isExcluded = true
            rest = rest.dropFirst()
        }
        if let quoted = takeQuoted() {
            word.value = quoted
            word.isQuoted = true
            return word
        }
        var text = String.UnicodeScalarView()
        while let scalar = rest.first, !SearchScanner.isSpace(scalar) {
            rest = rest.dropFirst()
            if scalar == ":", word.field == nil, SearchScanner.isField(text) {
                word.field = String(text)
                text = .init()
                if let quoted = takeQuoted() {
                    word.value = quoted
                    word.isQuoted = true
                    return word
                }
                continue
            }
            text.append(scalar)
        }
        word.value = String(text)
        return word
    }

    private mutating func takeQuoted() -> String? {
        guard let mark = rest.first, SearchScanner.isQuote(mark) else { return nil }
        rest = rest.dropFirst()
        // One that is not closed yet reaches to the end: it is being typed.
        let end = rest.firstIndex(where: SearchScanner.isQuote) ?? rest.endIndex
        let text = String(rest[..<end])
        rest = end == rest.endIndex ? rest[end...] : rest[rest.index(after: end)...]
        return text
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }
    private static func isMinus(_ scalar: Unicode.Scalar) -> Bool { scalar == "-" || scalar == "\u{2212}" }
    private static func isQuote(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\"" || scalar == "\u{201C}" || scalar == "\u{201D}" || scalar == "\u{201E}"
    }

    /// Only a name that is one of a field: `Re: Zero` is a title.
    private static func isField(_ text: String.UnicodeScalarView) -> Bool {
        switch String(text).lowercased() {
        case "title", "artist", "album", "genre", "year", "rating", "added", "played", "plays": true
        default: false
        }
    }
}
