// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletSQLite
internal import MartletText

/// What can be found of a track, an album or an artist: spelled texts and facts.
struct SearchText: Hashable, Sendable {
    var title = ""
    var artist = ""
    var album = ""
    var genre = ""
    /// Parted by spaces: `y1994` the year, `l` liked, `r4` stars, `p0` never played, `p1` played.
    var facts = ""

    /// What ``init(_:)`` reads.
    static let columns = "title, artist, album, genre, facts"

    init(title: String = "", artist: String = "", album: String = "", genre: String = "", facts: [String] = []) {
        self.title = title.spelledForSearch
        self.artist = artist.spelledForSearch
        self.album = album.spelledForSearch
        self.genre = genre.spelledForSearch
        self.facts = facts.joined(separator: " ")
    }

    init(_ row: Statement) throws(SQLiteError) {
        title = try row.column(0)
        artist = try row.column(1)
        album = try row.column(2)
        genre = try row.column(3)
        facts = try row.column(4)
    }

    /// The tokens of the index' four columns.
    var tokens: (title: String, artist: String, album: String, other: String) {
        func tokens(_ text: String) -> String {
            guard !text.isEmpty else { return "" }
            let initials = SearchSpelling.initials(of: text)
            let all =
                SearchTokens.all(of: text) + (initials.isEmpty ? [] : SearchTokens.all(of: initials, kind: .initials))
            return all.joined(separator: " ")
        }
        let other =
            SearchTokens.all(of: genre, kind: .genre)
            + facts.split(separator: " ").flatMap { SearchTokens.facts(String($0)) }
        return (tokens(title), tokens(artist), tokens(album), other.joined(separator: " "))
    }

    private func texts(in field: SearchQuery.Field?) -> [String] {
        switch field {
        case nil: [title, artist, album]
        case .title: [title]
        case .artist: [artist]
        case .album: [album]
        case .genre: [genre]
        }
    }

    /// Whether a term of words or initials holds.
    func holds(words: String, in field: SearchQuery.Field?) -> Bool {
        texts(in: field).contains { SearchText.contains($0, words) }
    }

    func holds(initials: String, in field: SearchQuery.Field?) -> Bool {
        texts(in: field).contains { SearchText.find(initials, in: SearchSpelling.initials(of: $0)) }
    }

    func holds(fact: String) -> Bool { facts.split(separator: " ").contains { $0 == fact } }

    /// The number a fact has: `y`, `r`.
    func number(_ fact: Character) -> Int? {
        facts.split(separator: " ").first { $0.first == fact }.flatMap { Int($0.dropFirst()) }
    }

    /// Whether a spelled text holds a part of three letters or more anywhere, a shorter one where something begins.
    static func contains(_ text: String, _ part: String) -> Bool {
        let length = part.unicodeScalars.count
        if length < 3 {
            let wanted = SearchTokens.asked(for: part).tokens
            guard !text.isEmpty else { return false }
            let there = SearchTokens.all(of: text)
            return wanted.allSatisfy(there.contains)
        }
        if text.utf8.count < part.utf8.count { return false }
        guard text.utf8.contains(0xEE) else { return find(part, in: text) }
        let seamless = text.unicodeScalars.filter { $0.value != SearchSpelling.seam }
        return find(part, in: String(String.UnicodeScalarView(seamless)))
    }

    private static func find(_ part: String, in text: String) -> Bool {
        // A folded text has no NUL in it.
        unsafe part.withCString { part in unsafe text.withCString { text in unsafe strstr(text, part) != nil } }
    }
}
