// SPDX-License-Identifier: Apache-2.0
import MartletCore
import Testing

@testable import MartletLibrary

@Suite("Discovery", .timeLimit(.minutes(1)))
struct DiscoveryTests {
    static func shelf(_ count: Int) async throws -> Shelf {
        var files: [String: String] = [:]
        for number in 1...count { files["\(number).mp3"] = "title=T\(number)\nartist=A\(number % 7)\nsound=\(number)" }
        return try await Shelf.scanned(files)
    }

    static let day = 86_400

    func pick(_ shelf: Shelf, _ day: Int) async throws -> TrackID? {
        try await shelf.reader.todaysPick(day: day, start: UnixTime(seconds: Int64(day * DiscoveryTests.day)))?.id
    }

    @Test(arguments: [2, 3, 40, 260])
    func `no two days running have one surprise, and a day keeps its own`(count: Int) async throws {
        let shelf = try await DiscoveryTests.shelf(count)
        var picks: [TrackID?] = []
        for day in 20_000..<20_060 { picks.append(try await pick(shelf, day)) }
        #expect(!picks.contains(nil))
        #expect(zip(picks, picks.dropFirst()).allSatisfy { $0 != $1 })
        #expect(Set(picks).count > min(count, 8) / 2)
        #expect(try await pick(shelf, 20_030) == picks[30])
        let today = try #require(picks[31])
        // The day is young: what happens in it is not what it was drawn from.
        let noon = UnixTime(seconds: Int64(20_031 * DiscoveryTests.day + 43_200))
        try await shelf.store.recordPlay(of: today, heard: .seconds(100), at: noon)
        for track in try await shelf.reader.tracks(.all, by: .title, page: .all) where track.id != today {
            try await shelf.store.setLiked(true, track: track.id, now: noon)
        }
        #expect(try await pick(shelf, 20_031) == today)
    }

    @Test func `a liked track comes up more often`() async throws {
        let shelf = try await DiscoveryTests.shelf(40)
        let liked = try #require(try await shelf.reader.tracks(.all, by: .title, page: .all).first).id
        func count() async throws -> Int {
            var count = 0
            for day in 20_000..<20_400 where try await pick(shelf, day) == liked { count += 1 }
            return count
        }
        let before = try await count()
        try await shelf.store.setLiked(true, track: liked, now: UnixTime(seconds: 1))
        // Twenty tracks have a day each; one of weight seven among nineteen of one.
        let after = try await count()
        #expect(before < 25 && after > 35, "\(before), then \(after)")
    }

    @Test func `an empty library has no surprise and no album`() async throws {
        let shelf = try await Shelf()
        #expect(try await pick(shelf, 20_000) == nil)
        #expect(try await shelf.reader.randomAlbum(7) == nil)
    }

    @Test func `what has more in common is more alike`() async throws {
        let shelf = try await Shelf.scanned([
            "one.mp3": "title=One\nartist=Ann\ngenre=Folk\ndate=1990\nsound=1",
            "artist.mp3": "title=Artist\nartist=Ann\nsound=2",
            "both.mp3": "title=Both\nartist=Ann\ngenre=Folk\nsound=3",
            "year.mp3": "title=Year\nartist=Ben\ndate=1991\nsound=4",
            "genre.mp3": "title=Genre\nartist=Ben\ngenre=Folk\nsound=5",
            "other.mp3": "title=Other\nartist=Cid\ngenre=Jazz\ndate=2020\nsound=6",
        ])
        let one = try #require(try await shelf.track("One")).id
        let titles = try await shelf.reader.similar(to: one, limit: 10).map(\.title)
        #expect(titles == ["Both", "Artist", "Genre", "Year"])
        #expect(try await shelf.reader.similar(to: one, limit: 2).count == 2)
        await #expect(throws: LibraryError.notFound) {
            _ = try await shelf.reader.similar(to: TrackID(rawValue: 999), limit: 3)
        }
    }

    @Test func `the built-in lists hold what is liked and what came of late`() async throws {
        let shelf = try await DiscoveryTests.shelf(3)
        let lists = try await shelf.reader.playlists(by: .user)
        let (liked, recent) = (lists[0], lists[1])
        let tracks = try await shelf.reader.tracks(.all, by: .title, page: .all)
        try await shelf.store.setLiked(true, track: tracks[0].id, now: UnixTime(seconds: 5))
        try await shelf.store.setLiked(true, track: tracks[2].id, now: UnixTime(seconds: 9))
        #expect(
            try await shelf.reader.tracks(ofSmart: liked, now: shelf.time).map(\.id) == [tracks[2].id, tracks[0].id])
        #expect(try await shelf.reader.trackCount(ofSmart: recent, now: shelf.time) == 3)
        let later = UnixTime(seconds: shelf.time.seconds + 31 * 86_400)
        #expect(try await shelf.reader.tracks(ofSmart: recent, now: later) == [])
    }
}

@Suite("Roots of the configuration", .timeLimit(.minutes(1)))
struct ConfiguredRootTests {
    @Test func `what leaves the configuration leaves the library, and what was added otherwise stays`() async throws {
        let shelf = try await Shelf()
        func paths() async throws -> [String] {
            try await shelf.store.roots().map { String(decoding: $0.path, as: UTF8.self) }
        }
        func follow(_ paths: String...) async throws {
            try await shelf.store.follow(configured: paths.map { Array($0.utf8) }, now: shelf.time)
        }
        _ = try await shelf.store.addRoot(Array("/mine".utf8), now: shelf.time)
        try await follow("/a", "/b//", "/a/", "/mine")
        #expect(try await paths() == ["/mine", "/a", "/b"])
        #expect(try await shelf.store.roots().map(\.isConfigured) == [false, true, true])
        try await shelf.reopen()
        try await follow("/b")
        #expect(try await paths() == ["/mine", "/b"])
        try await shelf.store.removeRoot(try await shelf.store.roots()[1].id, now: shelf.time)
        _ = try await shelf.store.addRoot(Array("/b".utf8), now: shelf.time)
        #expect(try await shelf.store.roots().map(\.isConfigured) == [false, false], "the mark went with the root")
    }
}
