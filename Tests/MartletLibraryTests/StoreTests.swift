// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletCore
import MartletSQLite
import Testing

@testable import MartletLibrary

@Suite("The store", .timeLimit(.minutes(1)))
struct StoreTests {
    static let two = ["a.flac": "title=A\nartist=X\nalbum=P\nsound=1", "b.flac": "title=B\nartist=Y\nsound=2"]

    @Test
    func `likes, ratings, counts and dates are kept`() async throws {
        let shelf = try await Shelf.scanned(StoreTests.two)
        let id = try #require(try await shelf.track("A")).id
        try await shelf.store.setLiked(true, track: id, now: UnixTime(seconds: 10))
        try await shelf.store.setLiked(true, track: id, now: UnixTime(seconds: 20))
        try await shelf.store.setRating(0, track: id)
        try await shelf.store.recordPlay(of: id, heard: .seconds(200), at: UnixTime(seconds: 50))
        try await shelf.store.recordPlay(of: id, heard: .seconds(90), at: UnixTime(seconds: 40))
        try await shelf.store.recordSkip(of: id, heard: .seconds(3), at: UnixTime(seconds: 60))
        try await shelf.reopen()
        let record = try await shelf.reader.record(of: id)
        #expect(record.liked == UnixTime(seconds: 10))
        #expect(record.rating == 0)
        #expect((record.plays, record.skips) == (2, 1))
        #expect(record.firstPlayed == UnixTime(seconds: 40) && record.lastPlayed == UnixTime(seconds: 50))
        #expect(record.lastSkipped == UnixTime(seconds: 60))
        let history = try await shelf.reader.history(page: LibraryPage(limit: 2))
        #expect(history.map(\.at.seconds) == [60, 50])
        #expect(history.map(\.isSkip) == [true, false])
        try await shelf.store.setLiked(false, track: id, now: shelf.time)
        try await shelf.store.setRating(nil, track: id)
        #expect(try await shelf.track("A")?.isLiked == false)
        #expect(try await shelf.track("A")?.rating == nil)
    }

    @Test
    func `what cannot be meant is refused and changes nothing`() async throws {
        let shelf = try await Shelf.scanned(StoreTests.two)
        let id = try #require(try await shelf.track("A")).id
        await #expect(throws: LibraryError.self) { try await shelf.store.setRating(101, track: id) }
        await #expect(throws: LibraryError.notFound) {
            try await shelf.store.setLiked(true, track: TrackID(rawValue: 999), now: shelf.time)
        }
        await #expect(throws: LibraryError.self) {
            _ = try await shelf.store.addRoot(Array("relative".utf8), now: shelf.time)
        }
        #expect(try await shelf.reader.record(of: id) == TrackRecord())
    }

    @Test
    func `lists come in the order asked for, page by page`() async throws {
        let shelf = try await Shelf()
        for number in 1...12 {
            shelf.write(
                "\(number).mp3",
                "title=Track \(number)\nartist=\(number % 2 == 0 ? "Even" : "Odd")\nsound=\(number)\ndate=\(1990 + number % 3)\ngenre=\(number % 4)"
            )
        }
        _ = try await shelf.store.addRoot(Array(shelf.music.utf8), now: shelf.time)
        try await shelf.scan()
        let all = try await shelf.titles()
        #expect(all == (1...12).map { "Track \($0)" })
        let page = try await shelf.reader.tracks(.all, by: .title, page: LibraryPage(offset: 4, limit: 3))
        #expect(page.map(\.title) == Array(all[4..<7]))
        for number in [3, 7, 7, 5, 7, 5] {
            let id = try #require(try await shelf.track("Track \(number)")).id
            try await shelf.store.recordPlay(of: id, heard: .seconds(1), at: UnixTime(seconds: Int64(number)))
        }
        #expect(try await shelf.titles(.played, by: .mostPlayed) == ["Track 7", "Track 5", "Track 3"])
        #expect(try await shelf.titles(.neverPlayed, by: .title).count == 9)
        #expect(try await shelf.reader.trackCount(.played) == 3)
        #expect(try await shelf.reader.years().map(\.year) == [1992, 1991, 1990])
        #expect(try await shelf.titles(.year(1990), by: .title) == ["Track 3", "Track 6", "Track 9", "Track 12"])
        let artists = try await shelf.reader.artists(onlyAlbumArtists: false, page: .all)
        #expect(artists.map(\.name) == ["Even", "Odd"])
        #expect(artists.map(\.trackCount) == [6, 6])
        #expect(try await shelf.titles(.artist(artists[0].id, .artist), by: .title).count == 6)
        let genres = try await shelf.reader.genres(page: .all)
        #expect(genres.map(\.trackCount) == [3, 3, 3, 3])
        #expect(try await shelf.titles(.genre(genres[3].id), by: .title) == ["Track 3", "Track 7", "Track 11"])
        for order in TrackOrder.allCases { #expect(try await shelf.titles(.all, by: order).count == 12) }
    }

    @Test
    func `the last ten distinct searches are kept`() async throws {
        let shelf = try await Shelf()
        for number in 1...12 { try await shelf.store.recordSearch(" s\(number) ", at: shelf.time) }
        try await shelf.store.recordSearch("s5", at: shelf.time)
        try await shelf.store.recordSearch("  ", at: shelf.time)
        #expect(try await shelf.reader.recentSearches() == ["s5"] + [12, 11, 10, 9, 8, 7, 6, 4, 3].map { "s\($0)" })
        try await shelf.store.forgetSearch("s9")
        #expect(try await shelf.reader.recentSearches().count == 9)
        try await shelf.store.forgetSearches()
        #expect(try await shelf.reader.recentSearches() == [])
    }

    @Test
    func `bookmarks come from the beginning of the track on`() async throws {
        let shelf = try await Shelf.scanned(StoreTests.two)
        let id = try #require(try await shelf.track("A")).id
        let late = try await shelf.store.addBookmark(.seconds(90), in: id, label: "late", now: shelf.time)
        _ = try await shelf.store.addBookmark(.milliseconds(1500), in: id, now: shelf.time)
        #expect(try await shelf.reader.bookmarks(of: id).map(\.position) == [.milliseconds(1500), .seconds(90)])
        try await shelf.store.removeBookmark(late)
        #expect(try await shelf.reader.bookmarks().count == 1)
        await #expect(throws: LibraryError.notFound) { try await shelf.store.removeBookmark(late) }
    }

    @Test("F270: a second writer is refused, a reader is not")
    func secondWriter() async throws {
        let shelf = try await Shelf.scanned(StoreTests.two)
        await #expect(throws: LibraryError.inUse) {
            _ = try await LibraryStore.open(path: shelf.databasePath, now: shelf.time)
        }
        let reader = try LibraryReader(path: shelf.databasePath)
        #expect(try await reader.trackCount(.all) == 2)
    }

    @Test("F269: after a kill the library is whole")
    func uncleanEnd() async throws {
        let shelf = try await Shelf.scanned(StoreTests.two)
        try await shelf.reopen(cleanly: false)
        #expect(shelf.notices == [])
        #expect(try await shelf.titles() == ["A", "B"])
    }

    @Test("F269: a damaged file makes room, and what the user made comes back from the backup")
    func damage() async throws {
        let shelf = try await Shelf.scanned(StoreTests.two)
        let id = try #require(try await shelf.track("A")).id
        try await shelf.store.setLiked(true, track: id, now: shelf.time)
        try await shelf.store.setRating(70, track: id)
        try await shelf.store.recordPlay(of: id, heard: .seconds(100), at: shelf.time)
        try await shelf.store.recordSearch("hello", at: shelf.time)
        await shelf.reader.close()
        try await shelf.store.close()
        #expect(truncate(shelf.databasePath, 30_000) == 0)
        try await shelf.reopenAfterClose()
        let kept = "\(shelf.databasePath).damaged-\(shelf.time.seconds)"
        #expect(
            shelf.notices == [
                .setAside(path: kept, reason: .damaged), .restored(from: shelf.databasePath + ".backup-1"),
            ])
        #expect(access(kept, F_OK) == 0)
        // The music is not there until it is scanned; what was made of it is.
        #expect(try await shelf.titles() == [])
        try await shelf.scan()
        let track = try #require(try await shelf.track("A"))
        #expect(track.id == id)
        #expect(track.isLiked && track.rating == 70 && track.plays == 1)
        #expect(try await shelf.reader.recentSearches() == ["hello"])
        #expect(try await shelf.titles() == ["A", "B"])
        #expect(try await shelf.problems() == [])
    }

    @Test
    func `numbers given out before the damage are not given out again`() async throws {
        let shelf = try await Shelf.scanned(StoreTests.two)
        let ids = try await shelf.reader.tracks(.all, by: .title, page: .all).map(\.id)
        try await shelf.store.recordSearch("x", at: shelf.time)
        await shelf.reader.close()
        try await shelf.store.close()
        #expect(truncate(shelf.databasePath, 5000) == 0)
        try await shelf.reopenAfterClose()
        try await shelf.scan()
        let later = try await shelf.reader.tracks(.all, by: .title, page: .all).map(\.id)
        #expect(Set(ids).isDisjoint(with: later))
    }

    @Test
    func `a file of a later version, or of another program, is set aside and kept`() async throws {
        for (pragma, reason) in [
            ("user_version = 99", LibraryNotice.Reason.newer), ("application_id = 7", .foreign),
        ] {
            let shelf = try await Shelf.scanned(StoreTests.two)
            await shelf.reader.close()
            try await shelf.store.close()
            let database = try Database(path: Array(shelf.databasePath.utf8))
            try database.execute("PRAGMA \(pragma)")
            database.close()
            try await shelf.reopenAfterClose()
            let kept = "\(shelf.databasePath).\(reason.rawValue)-\(shelf.time.seconds)"
            #expect(shelf.notices.first == .setAside(path: kept, reason: reason))
            #expect(access(kept, F_OK) == 0)
        }
    }

    @Test
    func `a file that is no database is set aside`() async throws {
        let shelf = try await Shelf()
        await shelf.reader.close()
        try await shelf.store.close()
        Shelf.run("dd", "if=/dev/urandom", "of=" + shelf.databasePath, "bs=4096", "count=4", "status=none")
        try await shelf.reopenAfterClose()
        #expect(shelf.notices.count == 1)
        #expect(try await shelf.titles() == [])
    }

    @Test
    func `three backups are kept, and none is made when nothing changed`() async throws {
        let shelf = try await Shelf.scanned(StoreTests.two)
        let id = try #require(try await shelf.track("A")).id
        for rating in 1...5 {
            try await shelf.store.setRating(rating, track: id)
            try await shelf.store.backUpIfChanged()
        }
        let names = LibraryFile(path: shelf.databasePath).backups
        #expect(names.count == 3)
        #expect(try await ratings(in: names, of: id) == [5, 4, 3])
        try await shelf.store.backUpIfChanged()
        #expect(try await ratings(in: names, of: id) == [5, 4, 3])
    }

    private func ratings(in names: [String], of track: TrackID) async throws -> [Int?] {
        var configuration = Database.Configuration()
        configuration.mode = .read
        return try names.map { name in
            let database = try Database(path: Array(name.utf8), configuration: configuration)
            return try database.value("SELECT rating FROM personal WHERE track = ?", track, as: Int.self)
        }
    }

    @Test
    func `a folder that is not there is told and nothing is made`() async throws {
        await #expect(throws: LibraryError.self) {
            _ = try await LibraryStore.open(path: "/nonexistent/folder/library.db", now: UnixTime(seconds: 0))
        }
    }
}
