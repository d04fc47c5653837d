// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletCore
import MartletLibrary
import MartletSQLite

/// Names of a large collection by chance: the same from the same seed.
///
/// Six of ten in Latin letters, the rest Korean, Japanese and accented; words as frequent as words are (Zipf).
struct Names {
    var random: SplitMix64
    private let words: [[String]]
    private let sums: [Double]

    init(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let common = [
            "the", "of", "love", "you", "and", "night", "in", "my", "to", "me", "blue", "day", "heart", "live", "remix",
        ]
        var latin = common
        let (heads, vowels, tails) = ("bcdfghjklmnprstvwz", "aeiouy", "nrlstmdk")
        while latin.count < 8000 {
            var word = ""
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                word.append(heads.randomElement(using: &random)!)
                word.append(vowels.randomElement(using: &random)!)
                if Bool.random(using: &random) { word.append(tails.randomElement(using: &random)!) }
            }
            latin.append(word)
        }
        func scalars(_ range: ClosedRange<UInt32>, _ count: Int, _ length: ClosedRange<Int>) -> [String] {
            (0..<count).map { _ in
                String(
                    String.UnicodeScalarView(
                        (0..<Int.random(in: length, using: &random)).map { _ in
                            Unicode.Scalar(UInt32.random(in: range, using: &random))!
                        }))
            }
        }
        let accented = latin.prefix(4000).map { word in
            String(word.map { ["a": "á", "e": "é", "o": "ö", "u": "ü", "n": "ñ"][$0] ?? $0 })
        }
        words = [
            latin, scalars(0xAC00...0xD7A3, 4000, 1...3),
            scalars(0x3042...0x3093, 2000, 2...5) + scalars(0x4E00...0x5FFF, 2000, 1...3),
            accented,
        ]
        self.random = random
        var sum = 0.0
        sums = (1...8000).map { rank in
            sum += 1 / Double(rank)
            return sum
        }
    }

    mutating func text(_ count: ClosedRange<Int>) -> String {
        let script = [0, 0, 0, 0, 0, 0, 1, 2, 3, Int.random(in: 1...2, using: &random)][
            Int.random(in: 0..<10, using: &random)]
        let pool = words[script]
        let parts = (0..<Int.random(in: count, using: &random)).map { _ in
            let place = Double.random(in: 0..<sums[pool.count - 1], using: &random)
            var (low, high) = (0, pool.count - 1)
            while low < high {
                let middle = (low + high) / 2
                if sums[middle] <= place { low = middle + 1 } else { high = middle }
            }
            return pool[low]
        }
        return parts.joined(separator: script == 2 ? "" : " ")
    }
}

/// Fills a library with tracks that have no files on any disk, as a version before the search index had it, so that
/// opening it builds the index.
func fill(_ path: String, count: Int, seed: UInt64) async throws {
    try await LibraryStore.open(path: path, now: .now).store.close()
    let database = try Database(path: Array(path.utf8))
    defer { database.close() }
    for name in ["track", "album", "artist"] {
        try database.execute("DROP TABLE \(name)_text; DROP TABLE \(name)_index;")
        if name != "track" { try database.execute("ALTER TABLE \(name) DROP COLUMN rank") }
    }
    try database.setUserVersion(1)
    var names = Names(seed: seed)
    let artists = 22_000
    let albums = max(count / 11, 1)
    try database.transaction { () throws(SQLiteError) in
        try database.run("INSERT INTO root(path, added) VALUES (x'2F6E6F7768657265', 0)")
        for number in 1...artists {
            let name = names.text(1...2)
            try database.run(
                "INSERT OR IGNORE INTO artist(id, name, key, sort) VALUES (?, ?, ?, x'')", number, name,
                "\(name) \(number)")
        }
        for number in 1...albums {
            let artist = number % artists + 1
            try database.run(
                """
                INSERT INTO album(id, title, key, sort, artist, artist_sort, track_count)
                SELECT ?, ?, ?, x'', name, x'', 11 FROM artist WHERE id = ?
                """, number, names.text(1...3), "\(number)", artist)
            try database.run(
                "INSERT INTO folder(id, root, path, device, inode) VALUES (?, 1, CAST(? AS BLOB), 0, ?)", number,
                "f\(number)", number)
        }
        for number in 1...count {
            let album = (number - 1) / 11 % albums + 1
            try database.run(
                "INSERT INTO file(id, folder, name, device, inode, size, mtime_ns, state) VALUES (?, ?, CAST(? AS BLOB), 0, ?, 1, 1, 1)",
                number, album, "\(number).flac", number)
            try database.run(
                """
                INSERT INTO track(id, file, title, sort, artist, album, album_title, year, length, added)
                SELECT ?1, ?1, ?2, CAST(?2 AS BLOB), artist, id, title, 1960 + id % 65, 200000000000, ?1 FROM album WHERE id = ?3
                """, number, names.text(1...4), album)
            try database.run("INSERT INTO track_artist VALUES (?, 0, 0, ?)", number, album % artists + 1)
        }
    }
}

/// What is typed, by kinds, drawn from the library's own names.
struct Typist {
    var random: SplitMix64
    let texts: [String]

    mutating func query(_ kind: String) -> String {
        func prefix(_ text: String, _ length: ClosedRange<Int>) -> String {
            String(text.prefix(Int.random(in: length, using: &random)))
        }
        let text = texts.randomElement(using: &random)!
        let word = text.split(separator: " ").map(String.init).randomElement(using: &random) ?? text
        switch kind {
        case "one letter": return prefix(word, 1...1)
        case "two letters": return prefix(word, 2...2)
        case "as typed": return prefix(text, 1...20)
        case "inside a word": return String(word.dropFirst().prefix(Int.random(in: 3...6, using: &random)))
        case "two words":
            let other = texts.randomElement(using: &random)!.split(separator: " ").first.map(String.init) ?? ""
            return prefix(word, 2...8) + " "
                + prefix(Bool.random(using: &random) ? String(text.split(separator: " ").last ?? "") : other, 1...8)
        case "a field":
            return ["artist:", "title:", "album:"].randomElement(using: &random)! + prefix(word, 1...8)
        case "a year": return prefix(word, 1...6) + " year:\(Int.random(in: 1960...2020, using: &random)).."
        case "initials":
            let letters = "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅎ"
            return String(
                (0..<Int.random(in: 1...4, using: &random)).map { _ in letters.randomElement(using: &random)! })
        default:
            return String(
                (0..<Int.random(in: 3...12, using: &random)).map { _ in "qxzjvkwpy".randomElement(using: &random)! })
        }
    }

    static let kinds = [
        "one letter", "two letters", "as typed", "inside a word", "two words", "a field", "a year", "initials",
        "a miss",
    ]
}

func measureSearch(_ folder: String, count: Int, queries: Int) async throws {
    let path = folder + "/library.db"
    let clock = ContinuousClock()
    if access(path, F_OK) != 0 {
        try await fill(path, count: count, seed: 1)
        let begin = clock.now
        try await LibraryStore.open(path: path, now: .now).store.close()
        print("index of \(count) tracks built in \(rounded((clock.now - begin) / .seconds(1))) s")
    }
    let database = try Database(path: Array(path.utf8))
    let pages = try database.value("PRAGMA page_count", as: Int.self) ?? 0
    var texts: [String] = []
    try database.forEach(
        "SELECT title, artist, album_title FROM track WHERE id % ? = 1", max(count / 3000, 1)
    ) { row throws(SQLiteError) in for column in 0..<3 { texts.append(try row.column(column)) } }
    database.close()
    print("database \(pages * 4096 / 1_048_576) MiB")
    let reader = try LibraryReader(path: path)
    var typist = Typist(random: SplitMix64(seed: 2), texts: texts)
    var all: [Double] = []
    for kind in Typist.kinds {
        var times: [Double] = []
        for _ in 0..<max(queries / Typist.kinds.count, 1) {
            let query = SearchQuery(typist.query(kind))
            let begin = clock.now
            _ = try await reader.search(query, limit: 20, now: .now)
            times.append((clock.now - begin) / .milliseconds(1))
        }
        all += times
        print(line(kind, times))
    }
    print(line("all", all))
    await reader.close()
}

private func line(_ kind: String, _ times: [Double]) -> String {
    let sorted = times.sorted()
    func at(_ share: Double) -> Double { rounded(sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)]) }
    return "search \(kind): \(times.count) p50 \(at(0.5)) p99 \(at(0.99)) max \(at(1)) ms"
}
