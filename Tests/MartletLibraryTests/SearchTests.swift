// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletSQLite
import MartletTestSupport
import MartletText
import Testing

@testable import MartletLibrary

@Suite("Search", .timeLimit(.minutes(2)))
struct SearchTests {
    static let songs = [
        "1.mp3": "title=Abbey Road Blues\nartist=Mötley Crüe\nalbum=Dr. Feelgood\ndate=1989\ngenre=Rock",
        "2.mp3": "title=봄날\nartist=방탄소년단\nalbum=화양연화\ndate=2017\ngenre=K-Pop",
        "3.mp3": "title=사랑 노래\nartist=아이유\nalbum=밤편지\ndate=2017",
        "4.mp3": "title=ドラえもん のうた\nartist=大杉久美子\nalbum=アニメ\ndate=1979\ngenre=Anime",
        "5.mp3": "title=Back in Black\nartist=AC/DC\nalbum=Back in Black\ndate=1980\ngenre=Rock",
        "6.mp3": "title=Don't Stop\nartist=Fleetwood Mac\nalbum=Rumours\ndate=1977\ngenre=Rock",
        "7.mp3": "title=!!!\nartist=!!!\nalbum=Me and Giuliani\ndate=2003",
        "8.mp3": "title=가나다\nartist=닭이\nalbum=과자\ndate=2020",
        "9.mp3": "title=Ｆｕｌｌ Ｗｉｄｔｈ\nartist=Ångström\nalbum=Blue\ndate=1990",
    ]

    private func shelf() async throws -> Shelf { try await Shelf.scanned(SearchTests.songs) }

    private func found(_ text: String, _ shelf: Shelf) async throws -> [String] {
        try await shelf.reader.search(SearchQuery(text), limit: 50, now: shelf.time).tracks.items.map(\.title)
    }

    @Test(arguments: [
        ("a", ["Abbey Road Blues", "Back in Black", "!!!", "Ｆｕｌｌ Ｗｉｄｔｈ"]), ("ab", ["Abbey Road Blues"]),
        ("bbe", ["Abbey Road Blues"]),
        ("road motley", ["Abbey Road Blues"]), ("MOTLEY", ["Abbey Road Blues"]),
        ("mo\u{308}tley", ["Abbey Road Blues"]),
        ("방", ["봄날"]), ("방ㅌ", ["봄날"]), ("바", ["봄날", "사랑 노래"]), ("ㅂㅌㅅ", ["봄날"]), ("ㅅㄹㄴㄹ", ["사랑 노래"]), ("소년", ["봄날"]),
        ("간", ["가나다"]), ("달", ["가나다"]), ("닭", ["가나다"]), ("どら", ["ドラえもん のうた"]), ("ﾄﾞﾗ", ["ドラえもん のうた"]),
        ("うた", ["ドラえもん のうた"]), ("杉", ["ドラえもん のうた"]), ("久美", ["ドラえもん のうた"]), ("acdc", ["Back in Black"]),
        ("ac/dc", ["Back in Black"]), ("ac dc", ["Back in Black"]), ("dont", ["Don't Stop"]), ("don't", ["Don't Stop"]),
        ("!!!", ["!!!"]),
        ("full width", ["Ｆｕｌｌ Ｗｉｄｔｈ"]), ("angstrom", ["Ｆｕｌｌ Ｗｉｄｔｈ"]), ("\"back in\"", ["Back in Black"]),
        ("\"in back\"", []),
        ("xyz", []), ("rb", []), ("artist:mac", ["Don't Stop"]), ("title:mac", []), ("album:black", ["Back in Black"]),
        ("genre:rock", ["Abbey Road Blues", "Back in Black", "Don't Stop"]),
        ("genre:rock -back", ["Abbey Road Blues", "Don't Stop"]),
        ("year:2017", ["봄날", "사랑 노래"]), ("year:1970..1980", ["ドラえもん のうた", "Back in Black", "Don't Stop"]),
        ("year:>=2018", ["가나다"]),
        ("genre:rock year:<1980", ["Don't Stop"]), ("-a", ["봄날", "사랑 노래", "ドラえもん のうた", "Don't Stop", "가나다"]),
        ("artist:ㅂㅌ", ["봄날"]), ("title:ㅂㅌ", []),
        ("played:0 year:2003", ["!!!"]), ("rating:>=0", []), ("liked", []), ("", []), ("genre:\"k pop\"", []),
        ("genre:kpop", ["봄날"]),
    ])
    func `what is typed finds what is meant`(_ text: String, _ titles: [String]) async throws {
        let shelf = try await shelf()
        #expect(try await found(text, shelf) == titles)
    }

    @Test func `albums, artists and playlists are found beside tracks`() async throws {
        let shelf = try await shelf()
        _ = try await shelf.store.createPlaylist("Black Friday", now: shelf.time)
        let result = try await shelf.reader.search(SearchQuery("black"), limit: 5, now: shelf.time)
        #expect(result.albums.items.map(\.title) == ["Back in Black"])
        #expect(result.artists.items.isEmpty && result.artists.count == 0)
        #expect(result.playlists.items.map(\.name) == ["Black Friday"])
        let artists = try await shelf.reader.search(SearchQuery("ㅂㅌ"), limit: 5, now: shelf.time).artists
        #expect(artists.items.map(\.name) == ["방탄소년단"])
        let years = try await shelf.reader.search(SearchQuery("year:2017"), limit: 5, now: shelf.time)
        #expect(Set(years.albums.items.map(\.title)) == ["화양연화", "밤편지"])
        #expect(years.artists.count == 0 && years.playlists.count == 0)
    }

    @Test func `an artist is found as long as there is a track, and again when one comes back`() async throws {
        let shelf = try await shelf()
        func artists() async throws -> [String] {
            try await shelf.reader.search(SearchQuery("mac"), limit: 5, now: shelf.time).artists.items.map(\.name)
        }
        #expect(try await artists() == ["Fleetwood Mac"])
        shelf.remove("6.mp3")
        try await shelf.scan()
        #expect(try await artists() == [])
        shelf.write("6b.mp3", "title=Dreams\nartist=Fleetwood Mac")
        try await shelf.scan()
        #expect(try await artists() == ["Fleetwood Mac"])
        shelf.write("6b.mp3", "title=Dreams\nartist=Stevie")
        try await shelf.scan()
        #expect(try await artists() == [])
    }

    @Test func `what the listener likes and plays comes first, and fields ask for it`() async throws {
        let shelf = try await shelf()
        let stop = try #require(try await shelf.track("Don't Stop")).id
        let black = try #require(try await shelf.track("Back in Black")).id
        try await shelf.store.recordPlay(of: black, heard: .seconds(100), at: shelf.time)
        #expect(try await found("genre:rock", shelf) == ["Back in Black", "Abbey Road Blues", "Don't Stop"])
        try await shelf.store.setLiked(true, track: stop, now: shelf.time)
        #expect(try await found("genre:rock", shelf) == ["Don't Stop", "Back in Black", "Abbey Road Blues"])
        #expect(try await found("liked", shelf) == ["Don't Stop"])
        #expect(try await found("-liked genre:rock", shelf) == ["Back in Black", "Abbey Road Blues"])
        #expect(try await found("played:>0", shelf) == ["Back in Black"])
        #expect(try await found("played:1..3", shelf) == ["Back in Black"])
        #expect(try await found("played:>1", shelf) == [])
        try await shelf.store.setRating(80, track: black)
        #expect(try await found("rating:>=4", shelf) == ["Back in Black"])
        #expect(try await found("rating:5", shelf) == [])
        try await shelf.store.setRating(nil, track: black)
        #expect(try await found("rating:>=0", shelf) == [])
        let albums = try await shelf.reader.search(SearchQuery("r"), limit: 9, now: shelf.time).albums.items
        #expect(albums.first?.title == "Rumours")
        #expect(try await shelf.problems() == [])
    }

    @Test func `what came of late is told from what is older`() async throws {
        let shelf = try await shelf()
        shelf.time = UnixTime(seconds: shelf.time.seconds + 10 * 86_400)
        shelf.write("new.mp3", "title=New Rock\nartist=AC/DC\ngenre=Rock")
        try await shelf.scan()
        #expect(try await found("added:<7d", shelf) == ["New Rock"])
        #expect(try await found("added:<7d xyz", shelf) == [])
        #expect(try await found("added:>7d acdc", shelf) == ["Back in Black"])
        #expect(try await found("-added:<7d acdc", shelf) == ["Back in Black"])
        #expect(try await found("added:<1y acdc", shelf) == ["Back in Black", "New Rock"])
    }

    @Test func `pages follow each other without gap or double, whatever changes between them`() async throws {
        var files: [String: String] = [:]
        for number in 1...1203 { files["\(number).mp3"] = "title=Song \(number)\nartist=One\nalbum=Two" }
        let shelf = try await Shelf.scanned(files)
        let query = SearchQuery("song")
        let first = try await shelf.reader.search(query, limit: 100, now: shelf.time).tracks
        #expect(first.count == 1000 && first.isMore && first.items.count == 100)
        var seen = first.items.map(\.id)
        var next = first.next
        // One that was seen comes to the front; it must not come again, and nobody is passed over.
        try await shelf.store.setLiked(true, track: seen[50], now: shelf.time)
        while let cursor = next {
            let page = try await shelf.reader.searchTracks(query, after: cursor, limit: 100, now: shelf.time)
            #expect(page.count == nil)
            seen += page.items.map(\.id)
            next = page.next
        }
        #expect(seen.count == 1203 && Set(seen).count == 1203)
        let narrow = try await shelf.reader.search(SearchQuery("\"song 12\""), limit: 5, now: shelf.time).tracks
        #expect(narrow.count == 15 && !narrow.isMore && narrow.items.count == 5)
    }

    @Test func `the index is as the tables are, whatever happens to files and likes`() async throws {
        let shelf = try await Shelf.scanned([:])
        var random = SplitMix64(seed: 20_261_201)
        let words = [
            "Love", "사랑", "ドラ", "AC/DC", "Blue", "Black", "나비", "Über", "of", "the", "R.E.M.", "愛", "1999", "Lovely",
        ]
        func text(_ count: Int) -> String {
            (0..<count).map { _ in words[Int.random(in: 0..<words.count, using: &random)] }.joined(separator: " ")
        }
        var names: [String] = []
        for round in 0..<60 {
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<5:
                    let name = "\(Int.random(in: 0..<40, using: &random)).mp3"
                    names.append(name)
                    shelf.write(
                        name,
                        "title=\(text(2))\nartist=\(text(1))\nalbum=\(text(1))\ngenre=\(text(1))\ndate=\(1990 + round)\nsound=\(name)"
                    )
                case 5: if let name = names.randomElement(using: &random) { shelf.remove(name) }
                default:
                    let tracks = try await shelf.reader.tracks(.all, by: .title, page: .all)
                    guard let track = tracks.randomElement(using: &random)?.id else { continue }
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: try await shelf.store.setLiked(.random(using: &random), track: track, now: shelf.time)
                    case 1:
                        try await shelf.store.setRating([nil, 20, 100].randomElement(using: &random)!, track: track)
                    default: try await shelf.store.recordPlay(of: track, heard: .seconds(9), at: shelf.time)
                    }
                }
            }
            try await shelf.scan()
            #expect(try await shelf.indexProblems() == [])
        }
        #expect(try await shelf.problems() == [])
    }

    @Test func `a smart playlist is what its search finds now, in its order, up to its limit`() async throws {
        let shelf = try await shelf()
        let list = try await shelf.store.createSmartPlaylist(
            "Old rock", query: "genre:rock year:..1985", order: .title, now: shelf.time)
        func titles(_ page: LibraryPage = .all) async throws -> [String] {
            let summary = try #require(try await shelf.reader.playlist(list))
            let tracks = try await shelf.reader.tracks(ofSmart: summary, now: shelf.time, page: page)
            if page == .all {
                #expect(try await shelf.reader.trackCount(ofSmart: summary, now: shelf.time) == tracks.count)
            }
            return tracks.map(\.title)
        }
        #expect(try await titles() == ["Back in Black", "Don't Stop"])
        #expect(try await titles(LibraryPage(offset: 1, limit: 5)) == ["Don't Stop"])
        try await shelf.store.setQuery("genre:rock", order: .album, limit: 2, of: list, now: shelf.time)
        #expect(try await titles() == ["Back in Black", "Don't Stop"], "by artist")
        let stop = try #require(try await shelf.track("Don't Stop")).id
        try await shelf.store.setRating(100, track: stop)
        try await shelf.store.setQuery("genre:rock", order: .bestRated, limit: 1, of: list, now: shelf.time)
        #expect(try await titles() == ["Don't Stop"])
        await #expect(throws: LibraryError.self) {
            try await shelf.store.setQuery(" ", order: .title, limit: nil, of: list, now: shelf.time)
        }
        let plain = try await shelf.store.createPlaylist("Plain", now: shelf.time)
        await #expect(throws: LibraryError.conflict) {
            try await shelf.store.setQuery("x", order: .title, limit: nil, of: plain, now: shelf.time)
        }
    }

    @Test(arguments: [
        (1990...1999, 1), (1987...2021, 3 + 1 + 2 + 2), (0...9999, 10), (1999...1999, 1), (10_000...10_000, 1),
    ])
    func `a range of years is a few facts, and just those`(_ range: ClosedRange<Int>, _ count: Int) {
        let facts = Set(SearchTokens.years(range))
        #expect(facts.count == count)
        for year in 1900...2100 {
            let has = ["y\(year)", "d\(year / 10)", "c\(year / 100)", "m\(year / 1000)"].contains(where: facts.contains)
            #expect(has == range.contains(year))
        }
    }

    @Test func `a library of before the index gets one`() async throws {
        let database = try Database.inMemory()
        try Schema(applicationID: LibrarySchema.applicationID, steps: LibrarySchema.steps(upTo: 1)).apply(to: database)
        try database.run("INSERT INTO root(path, added) VALUES (x'2F61', 0)")
        try database.run("INSERT INTO folder(root, path, device, inode) VALUES (1, x'', 0, 0)")
        try database.run(
            "INSERT INTO file(folder, name, device, inode, size, mtime_ns, state) VALUES (1, x'62', 0, 0, 0, 0, 1)")
        try database.run("INSERT INTO track(file, title, sort, artist, added) VALUES (1, '봄날', x'61', 'x', 0)")
        try database.run("INSERT INTO personal(track, liked) VALUES (1, 1)")
        try LibrarySchema.schema.apply(to: database)
        #expect(try database.userVersion == LibrarySchema.schema.version)
        let rows = try database.value(
            "SELECT count(*) FROM track_index WHERE track_index MATCH ?",
            SearchPlan(SearchQuery("ㅂㄴ liked"), in: .tracks).match, as: Int.self)
        #expect(rows == 1)
    }

    @Test(arguments: [
        "AND", "OR", "NOT", "NEAR(", "*", "^a", "{title}:x", "a\"b", "'", "\\", "title:*", "-", "\"", "(", ")", "+",
        "a*",
        "\u{0}a", "%", "_", String(repeating: "long", count: 900), "-a -b -c -d", "\u{E100}", "\u{E101}ㅂ", "\u{E000}",
    ])
    func `what FTS5 takes for its own language is text here`(_ text: String) async throws {
        let shelf = try await shelf()
        let result = try await shelf.reader.search(SearchQuery(text), limit: 5, now: shelf.time)
        #expect(result.tracks.items.count <= SearchTests.songs.count)
    }
}

extension Shelf {
    /// Where the index says something else than the tables.
    func indexProblems() async throws -> [String] {
        let tracks = try await reader.tracks(.all, by: .title, page: .all)
        var problems: [String] = []
        let (texts, indexed) = try await store.reading { database throws(SQLiteError) in
            try database.run("INSERT INTO track_index(track_index) VALUES ('integrity-check')")
            var texts: [Int64: SearchText] = [:]
            try database.forEach("SELECT key, \(SearchText.columns) FROM track_text") { row throws(SQLiteError) in
                texts[try row.column(0)] = SearchText(
                    title: try row.column(1), artist: try row.column(2), album: try row.column(3))
            }
            let indexed = try database.value("SELECT count(*) FROM track_text", as: Int.self) ?? 0
            return (texts, indexed)
        }
        if indexed != tracks.count { problems.append("\(indexed) rows of the index for \(tracks.count) tracks") }
        let byID = Dictionary(uniqueKeysWithValues: texts.map { (SearchIndex.id(of: $0), $1) })
        for track in tracks where byID[track.id.rawValue]?.title != track.title.spelledForSearch {
            problems.append("\(track.title) is spelled otherwise")
        }
        // Each query is answered as by looking at every track.
        for text in [
            "love", "lo", "ㅅㄹ", "사", "ac", "acdc", "dc", "愛", "19", "1999", "bl -black", "ber", "liked", "rating:5",
            "played:>0", "title:the", "\"of the\"",
        ] {
            let query = SearchQuery(text)
            let group = try await reader.search(query, limit: 1000, now: time).tracks
            let expected = tracks.filter { track in
                let facts =
                    (track.plays > 0 ? ["p1"] : ["p0"]) + (track.isLiked ? ["l"] : [])
                    + (track.rating.map { ["r\(($0 + 10) / 20)"] } ?? [])
                let text = SearchText(
                    title: track.title, artist: track.artist, album: track.albumTitle ?? "", facts: facts)
                return query.clauses.allSatisfy {
                    SearchPlan.holds($0, text) && SearchPlan.holds($0, added: time, plays: track.plays, now: time)
                }
            }
            if Set(group.items.map(\.id)) != Set(expected.map(\.id)) {
                problems.append("\(text): \(group.items.map(\.title)) and not \(expected.map(\.title))")
            }
        }
        return problems
    }
}
