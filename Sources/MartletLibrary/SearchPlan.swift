// SPDX-License-Identifier: Apache-2.0
internal import MartletSQLite
internal import MartletText

/// How a query is carried out on one index: what FTS5 is asked, and what is left to look at in each row it gives.
struct SearchPlan {
    /// FTS5's expression; `nil` when nothing in the query can be asked for there.
    private(set) var match: String?
    /// Parts of texts that the tokens alone do not settle: SQLite looks for them itself, while it goes through the rows.
    private(set) var parts: [(words: String, field: SearchQuery.Field?, isExcluded: Bool)] = []
    /// What else the tokens do not settle: about a row's texts and facts.
    private(set) var texts: [SearchQuery.Clause] = []
    /// What only the tables know: when a track was added, how often it was played.
    private(set) var details: [SearchQuery.Clause] = []
    /// Nothing of this kind can be found: albums have no ratings.
    private(set) var isVoid = false
    /// All of the query.
    let clauses: [SearchQuery.Clause]

    init(_ query: SearchQuery, in index: SearchIndex) {
        clauses = query.clauses
        var parts: [String] = []
        for clause in query.clauses {
            if index.name != SearchIndex.tracks.name, SearchPlan.isOfTracksAlone(clause.term, index) {
                isVoid = isVoid || !clause.isExcluded
                continue
            }
            add(clause, to: &parts)
        }
        match = parts.isEmpty ? nil : parts.joined(separator: " AND ")
        // Everything but what was asked not to be there is no answer to give.
        if query.isEmpty { isVoid = true }
    }

    private static func isOfTracksAlone(_ term: SearchQuery.Term, _ index: SearchIndex) -> Bool {
        switch term {
        case .rating, .liked, .added, .plays: true
        case .year: index.name == SearchIndex.artists.name
        case .words(_, let field), .initials(_, let field):
            field == .genre || field == .title || (field == .album && index.name == SearchIndex.artists.name)
        }
    }

    private mutating func add(_ clause: SearchQuery.Clause, to parts: inout [String]) {
        if clause.isExcluded {
            switch clause.term {
            case .added, .plays: details.append(clause)
            case .words(let words, let field) where words.unicodeScalars.count > 2:
                self.parts.append((words, field, true))
            default: texts.append(clause)
            }
            return
        }
        switch clause.term {
        case .words(let words, let field):
            let (tokens, isExact) = SearchTokens.asked(for: words, kind: field == .genre ? .genre : nil)
            parts.append(SearchPlan.all(tokens, in: field))
            if !isExact { self.parts.append((words, field, false)) }
        case .initials(let letters, let field):
            let (tokens, isExact) = SearchTokens.asked(for: letters, kind: .initials)
            parts.append(SearchPlan.all(tokens, in: field))
            if !isExact { texts.append(clause) }
        case .liked: parts.append(SearchPlan.any(["l"]))
        case .rating(let range):
            // Nought stars, and what cannot be, are facts like others.
            parts.append(SearchPlan.any(range.map { "r\($0)" }))
        case .year(let range):
            parts.append(SearchPlan.any(SearchTokens.years(range)))
        case .plays(let range):
            if range == 0...0 {
                parts.append(SearchPlan.any(["p0"]))
            } else {
                if range.lowerBound > 0 { parts.append(SearchPlan.any(["p1"])) }
                if range != 1...Int(Int32.max) { details.append(clause) }
            }
        case .added: details.append(clause)
        }
    }

    /// What SQLite looks for in the row `text`, to stand behind another condition; the words are ``partsValue``.
    ///
    /// - Parameter place: Of the value among the statement's.
    func partsCondition(_ place: Int) -> String {
        parts.enumerated().map { index, part in
            let columns =
                switch part.field {
                case nil: ["title", "artist", "album"]
                case let field?: [field.rawValue]
                }
            let found = columns.map { column in
                // What joins a word's halves is no part of what is typed.
                "instr(replace(text.\(column), char(\(SearchSpelling.seam)), ''), json_extract(?\(place), '$[\(index)]')) > 0"
            }
            return " AND \(part.isExcluded ? "NOT " : "")(\(found.joined(separator: " OR ")))"
        }.joined()
    }

    /// The words of ``partsCondition(_:)``, as JSON. Spelled texts have no quotation marks inside words, and nothing
    /// below U+0020; a word of nothing but punctuation may have both marks that JSON escapes.
    var partsValue: String {
        let words = parts.map { part in
            "\"" + part.words.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "\""
        }
        return "[\(words.joined(separator: ","))]"
    }

    private static func all(_ tokens: [String], in field: SearchQuery.Field?) -> String {
        let columns =
            switch field {
            case nil: "{title artist album}"
            case .genre: "other"
            case let field?: field.rawValue
            }
        return "(\(columns) : (\(tokens.map { "\"\($0)\"" }.joined(separator: " AND "))))"
    }

    private static func any(_ facts: [String]) -> String {
        "(other : (\(facts.map { "\"\(SearchTokens.fact($0))\"" }.joined(separator: " OR "))))"
    }

    /// Whether what is asked of texts and facts holds.
    static func holds(_ clause: SearchQuery.Clause, _ text: SearchText) -> Bool {
        let holds =
            switch clause.term {
            case .words(let words, let field): text.holds(words: words, in: field)
            case .initials(let letters, let field): text.holds(initials: letters, in: field)
            case .year(let range): text.number("y").map(range.contains) ?? false
            case .rating(let range): text.number("r").map(range.contains) ?? false
            case .liked: text.holds(fact: "l")
            case .added, .plays: !clause.isExcluded
            }
        return holds != clause.isExcluded
    }

    /// Whether what is asked of the tables holds.
    static func holds(_ clause: SearchQuery.Clause, added: UnixTime, plays: Int, now: UnixTime) -> Bool {
        let holds =
            switch clause.term {
            case .added(let age, let isOlder): (added >= now - age) != isOlder
            case .plays(let range): range.contains(plays)
            default: !clause.isExcluded
            }
        return holds != clause.isExcluded
    }
}
