// SPDX-License-Identifier: Apache-2.0
import MartletText
import Testing

@testable import MartletLibrary

@Suite("The search language")
struct SearchQueryTests {
    typealias Clause = SearchQuery.Clause

    private func words(_ text: String, in field: SearchQuery.Field? = nil) -> SearchQuery.Term {
        .words(text, in: field)
    }

    private static let day = Duration.seconds(86_400)

    @Test func `words are folded and parted, each once`() {
        #expect(SearchQuery("  Mötley   CRÜE motley ").clauses == [Clause(words("motley")), Clause(words("crue"))])
        #expect(SearchQuery("방ㅌ").clauses == [Clause(words("ㅂㅏㅇㅌ"))])
        #expect(SearchQuery("AC/DC").clauses == [Clause(words("acdc"))])
        #expect(SearchQuery("\u{3000} \t\n").clauses.isEmpty)
    }

    @Test func `consonants alone are initials`() {
        #expect(SearchQuery("ㅂㅌㅅ").clauses == [Clause(.initials("ㅂㅌㅅ", in: nil))])
        #expect(SearchQuery("artist:ㅂㅌㅅ").clauses == [Clause(.initials("ㅂㅌㅅ", in: .artist))])
        #expect(SearchQuery("\"ㅅㄹ ㄴㄹ\"").clauses == [Clause(.initials("ㅅㄹㄴㄹ", in: nil))])
    }

    @Test func `quotes keep words together, also while they are open`() {
        #expect(SearchQuery("\"Love Me Do\" x").clauses == [Clause(words("love me do")), Clause(words("x"))])
        #expect(SearchQuery("artist:\"The Who\"").clauses == [Clause(words("the who", in: .artist))])
        #expect(SearchQuery("\u{201C}love me").clauses == [Clause(words("love me"))])
        #expect(SearchQuery("\"liked\"").clauses == [Clause(words("liked"))])
        #expect(SearchQuery("\"year:1990\"").clauses == [Clause(words("year1990"))])
    }

    @Test func `minus excludes what follows it at once`() {
        #expect(SearchQuery("-live").clauses == [Clause(words("live"), isExcluded: true)])
        #expect(SearchQuery("-\"live at\"").clauses == [Clause(words("live at"), isExcluded: true)])
        #expect(SearchQuery("-liked").clauses == [Clause(.liked, isExcluded: true)])
        #expect(SearchQuery("-genre:jazz").clauses == [Clause(words("jazz", in: .genre), isExcluded: true)])
        #expect(SearchQuery("a - b").clauses == [Clause(words("a")), Clause(words("-")), Clause(words("b"))])
        #expect(SearchQuery("blink-182").clauses == [Clause(words("blink182"))])
        #expect(SearchQuery("-").clauses == [Clause(words("-"))])
    }

    @Test(arguments: [
        ("year:1994", SearchQuery.Term.year(1994...1994)), ("year:1990..1999", .year(1990...1999)),
        ("YEAR:1999..1990", .year(1990...1999)), ("year:>=1990", .year(1990...9999)), ("year:<1970", .year(0...1969)),
        ("year:1990..", .year(1990...9999)), ("year:..1969", .year(0...1969)), ("year:=7", .year(7...7)),
        ("rating:>=4", .rating(4...5)), ("rating:0", .rating(0...0)), ("rating:9", .rating(6...6)),
        ("rating:>5", .rating(6...6)), ("liked", .liked), ("LIKED", .liked),
        ("added:<7d", .added(within: day * 7, isOlder: false)), ("added:2w", .added(within: day * 14, isOlder: false)),
        ("added:>1y", .added(within: day * 365, isOlder: true)),
        ("added:<=3m", .added(within: day * 90, isOlder: false)),
        ("played:0", .plays(0...0)), ("played:>10", .plays(11...2_147_483_647)), ("plays:2..3", .plays(2...3)),
    ])
    func `fields measure`(_ text: String, _ term: SearchQuery.Term) {
        #expect(SearchQuery(text).clauses == [Clause(term)])
    }

    @Test(arguments: [
        ("year:soon", "yearsoon"), ("year:", "year"), ("rating:1..x", "rating1x"), ("added:7", "added7"),
        ("added:<99999999d", "added99999999d"),
        ("year:99999999999", "year99999999999"), ("Re:Zero", "rezero"), ("http://x", "httpx"), ("year:..", "year.."),
    ])
    func `what makes no sense as a field is words`(_ text: String, _ joined: String) {
        let found = SearchQuery(text).clauses.map { clause -> String in
            guard case .words(let words, nil) = clause.term else { return "\(clause)" }
            return words.replacing(" ", with: "")
        }
        #expect(found == [joined])
    }

    @Test(arguments: [
        String(repeating: "a", count: 10_000), String(repeating: "\"", count: 999), String(repeating: "-", count: 999),
        "\0", "\u{FFFF}\u{FFFE}", "AND OR NOT NEAR(", "* ^ {a b} : ()", "'; DROP TABLE track; --", "title:title:title:",
        String(repeating: "x ", count: 5000), "\u{202E}abc", "e\u{301}\u{301}\u{301}", ":::::", "-\"", "\"\"",
        "artist:\"\"",
    ])
    func `whatever is typed is read, and bounded`(_ text: String) {
        let query = SearchQuery(text)
        #expect(query.clauses.count <= SearchQuery.mostClauses)
        #expect(SearchQuery(query.text) == query)
    }
}
