// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletDBus
import MartletLibrary
import MartletProtocol
import MartletTestSupport
import Testing

@testable import MartletService

@MainActor
@Suite("org.martlet.Library1", .timeLimit(.minutes(1)))
struct Library1Tests {
    static let notFound = "org.martlet.Error.NotFound"
    static let conflict = "org.martlet.Error.Conflict"
    static let invalid = "org.freedesktop.DBus.Error.InvalidArgs"

    func ask(_ stage: Stage, _ member: MemberName, _ body: BusValue...) async throws -> [BusValue] {
        let answer = try await stage.ask(MartletBus.library1, member, body)
        #expect(answer.error == nil, "\(member)")
        return answer.body
    }

    func refusal(_ stage: Stage, _ member: MemberName, _ body: BusValue...) async throws -> String? {
        try await stage.ask(MartletBus.library1, member, body).error
    }

    func page(_ offset: UInt32 = 0, _ limit: UInt32 = 100) -> [BusValue] { [.uint32(offset), .uint32(limit)] }

    /// One key of each row of an `aa{sv}`.
    func column(_ rows: BusValue, _ key: String) -> [String] {
        (rows.array ?? []).map { $0.dictionary?[key]?.string ?? "-" }
    }

    func numbers(_ values: UInt64...) -> BusValue { .array(values.map { .uint64($0) }, of: .uint64) }

    /// The number of the track of this title.
    func track(_ stage: Stage, _ title: String) async throws -> UInt64 {
        let rows = try await stage.ask(
            MartletBus.library1, "GetTracks", [.string("all"), .uint64(0), .string("title")] + page()
        ).body[1]
        let row = try #require(rows.array?.first { $0.dictionary?["title"]?.string == title })
        return try #require(row.dictionary?["id"]?.uint64)
    }

    // MARK: Covers

    @Test func `a cover is a file of the size asked for, for a track and an album, and empty where none is`()
        async throws
    {
        let stage = try await Stage.withShelf()
        let alder = BusValue.uint64(try await track(stage, "Alder"))
        #expect(try await ask(stage, "GetTrackArt", alder, .uint32(100)) == [.string("")])
        let cover = PictureFile.png(width: 600, height: 300)
        try ScratchDirectory.write(cover, to: stage.scratch.path + "/Music/cover.png")
        let whole = try await ask(stage, "GetTrackArt", alder, .uint32(0))[0].string
        #expect(try AtomicFile.read(#require(whole.flatMap { MediaURI($0)?.filePath }), limit: 1 << 20) == cover)
        let small = try await ask(stage, "GetTrackArt", alder, .uint32(100))[0].string
        #expect(small?.hasSuffix("-100x50.png") == true)
        let albums = try await ask(
            stage, "GetAlbums", .string("all"), .uint64(0), .string("year"), .uint32(0), .uint32(9))
        let album = try #require(albums[1].array?.first?.dictionary?["id"]).unwrapped
        #expect(try await ask(stage, "GetAlbumArt", album, .uint32(100))[0].string == small, "one file for all")
        #expect(try await refusal(stage, "GetTrackArt", .uint64(999), .uint32(1)) == Library1Tests.notFound)
        #expect(try await refusal(stage, "GetAlbumArt", .uint64(999), .uint32(1)) == Library1Tests.notFound)
        #expect(try await refusal(stage, "GetTrackArt", alder, .uint32(4097)) == Library1Tests.invalid)
        try ScratchDirectory.write(cover + [FixedScaler.damage], to: stage.scratch.path + "/Music/cover.png")
        #expect(try await ask(stage, "GetTrackArt", alder, .uint32(100)) == [.string("")])
    }

    // MARK: Lists

    @Test func `tracks come by what they have in common, a page at a time, with the total`() async throws {
        let stage = try await Stage.withShelf()
        let all = try await stage.ask(
            MartletBus.library1, "GetTracks", [.string("all"), .uint64(0), .string("title")] + page(1, 2))
        #expect(all.body[0] == .uint32(4) && column(all.body[1], "title") == ["Birch", "Cod"])
        let albums = try await stage.ask(
            MartletBus.library1, "GetAlbums", [.string("all"), .uint64(0), .string("year")] + page())
        #expect(column(albums.body[1], "title") == ["Fish", "Trees"])
        let trees = try #require(albums.body[1].array?[1].dictionary?["id"])
        let onAlbum = try await stage.ask(
            MartletBus.library1, "GetTracks", [.string("album"), trees.unwrapped, .string("album")] + page())
        #expect(onAlbum.body[0] == .uint32(2) && column(onAlbum.body[1], "title") == ["Alder", "Birch"])
        let year = try await stage.ask(
            MartletBus.library1, "GetTracks", [.string("year"), .uint64(2001), .string("title")] + page())
        #expect(column(year.body[1], "artist") == ["Ben", "Ben"])
        let far = try await stage.ask(
            MartletBus.library1, "GetTracks", [.string("all"), .uint64(0), .string("title")] + page(.max, .max))
        #expect(far.body == [.uint32(4), .array([], of: "a{sv}")])
    }

    @Test func `artists, genres and years are counted`() async throws {
        let stage = try await Stage.withShelf()
        let artists = try await ask(stage, "GetArtists", .string("album-artists"), .uint32(0), .uint32(9))
        #expect(artists[0] == .uint32(2) && column(artists[1], "name") == ["Ann", "Ben"])
        let ann = try #require(artists[1].array?[0].dictionary?["id"]?.unwrapped)
        let albums = try await ask(
            stage, "GetAlbums", .string("artist"), ann, .string("title"), .uint32(0), .uint32(9))
        #expect(column(albums[1], "title") == ["Trees"])
        let genres = try await ask(stage, "GetGenres", .uint32(1), .uint32(9))
        #expect(genres[0] == .uint32(2) && column(genres[1], "name") == ["Jazz"])
        let years = try await ask(stage, "GetYears")[0].array?.map { $0.structure }
        #expect(years == [[.int32(2001), .uint32(2)], [.int32(1990), .uint32(2)]])
    }

    @Test func `a track and an album are told whole, and found by their place`() async throws {
        let stage = try await Stage.withShelf()
        let id = try await track(stage, "Dace")
        let facts = try await ask(stage, "GetTrack", .uint64(id))[0].dictionary
        #expect(facts?["artists"]?.strings == ["Ben"] && facts?["genres"]?.strings == ["Jazz"])
        #expect(facts?["length"]?.int64 == 1_000_000_000 && facts?["uri"]?.string == stage.file("b2.wav").description)
        #expect(
            try await ask(stage, "FindTrack", .string(stage.file("b2.wav").description), .int64(0)) == [.uint64(id)])
        #expect(
            try await refusal(stage, "FindTrack", .string("file:///nowhere.flac"), .int64(0)) == Library1Tests.notFound)
        let album = try #require(facts?["album_id"]?.unwrapped)
        #expect(try await ask(stage, "GetAlbum", album)[0].dictionary?["title"]?.string == "Fish")
    }

    @Test(arguments: ["GetTrack", "GetAlbum", "GetPlaylist", "DeletePlaylist", "RemoveRoot", "RemoveBookmark"])
    func `a number there is nothing of is NotFound`(member: String) async throws {
        let stage = try await Stage.withShelf()
        for number in [UInt64(999), .max] {
            #expect(try await refusal(stage, MemberName(member)!, .uint64(number)) == Library1Tests.notFound)
        }
    }

    @Test func `a word that is none is InvalidArgs`() async throws {
        let stage = try await Stage.withShelf()
        let nothing = BusValue.uint64(0)
        for words in [("all", "sideways"), ("some", "title")] {
            for member in ["GetTracks", "GetAlbums"] {
                let refusal = try await refusal(
                    stage, MemberName(member)!, .string(words.0), nothing, .string(words.1), .uint32(0), .uint32(9))
                #expect(refusal == Library1Tests.invalid)
            }
        }
        #expect(try await refusal(stage, "PlayTracks", numbers(1), .string("backwards")) == Library1Tests.invalid)
        for date in ["2026-02-30", "2026-2-3", "today", "2026-13-01", "٢٠٢٦-01-01"] {
            #expect(try await refusal(stage, "GetTodaysPick", .string(date)) == Library1Tests.invalid, "\(date)")
        }
    }

    // MARK: Folders

    @Test func `a folder is added, looked through and let go`() async throws {
        let stage = try await Stage.withShelf()
        let folder = stage.scratch.path + "/More"
        let path = BusValue.bytes(Array(folder.utf8))
        #expect(try await refusal(stage, "AddRoot", path) == Library1Tests.notFound)
        #expect(try await refusal(stage, "AddRoot", .bytes(Array("More".utf8))) == Library1Tests.invalid)
        try Tool.run(["mkdir", folder])
        try Tool.run(["cp", stage.scratch.path + "/Music/a1.wav", folder + "/new.wav"])
        try ScratchDirectory.write([], to: folder + "/empty.mp3")
        let root = try await ask(stage, "AddRoot", path)[0]
        await stage.until { stage.library.scans?.isScanning != true }
        #expect(try await refusal(stage, "AddRoot", path) == Library1Tests.conflict)
        #expect(try await track(stage, "new") > 0)
        let roots = try await ask(stage, "GetRoots")[0].array?.map { $0.dictionary?["configured"]?.boolean }
        #expect(roots == [true, false])
        let configured = try #require(try await ask(stage, "GetRoots")[0].array?[0].dictionary?["id"]?.unwrapped)
        #expect(try await refusal(stage, "RemoveRoot", configured) == Library1Tests.conflict)
        _ = try await ask(stage, "RemoveRoot", root)
        let rest = try await stage.ask(
            MartletBus.library1, "GetTracks", [.string("all"), .uint64(0), .string("title")] + page())
        #expect(rest.body[0] == .uint32(4))
        _ = try await stage.observer.signal("RootsChanged", of: MartletBus.library1)
    }

    @Test func `a scan is told from its beginning to its end, and the files it failed on`() async throws {
        let stage = try await Stage.withShelf()
        try ScratchDirectory.write([1], to: stage.scratch.path + "/Music/bad.flac")
        stage.tags.failing = ["bad.flac"]
        stage.observer.clear()
        _ = try await ask(stage, "Scan")
        await stage.until { stage.library.scans?.isScanning != true }
        let progress = try await stage.get("ScanProgress", MartletBus.library1).structure
        #expect(progress?[0] == .string("idle") && progress?[1] == .uint32(5) && progress?[4] == .uint32(1))
        let failed = try await ask(stage, "GetFailedFiles", .uint32(0), .uint32(9))
        let row = failed[1].array?.first?.structure
        #expect(failed[0] == .uint32(1))
        #expect(row?[0].bytes == Array((stage.scratch.path + "/Music/bad.flac").utf8))
        #expect(row?[1].string?.isEmpty == false)
        let words = stage.observer.signals.compactMap { signal -> String? in
            guard signal.member == "PropertiesChanged", signal.path == MartletBus.path else { return nil }
            return signal.body[1].dictionary?["ScanProgress"]?.structure?[0].string
        }
        #expect(words.last == "idle" && words.contains { $0 != "idle" })
    }

    // MARK: The listener

    @Test func `likes and ratings are kept, told, and all or nothing`() async throws {
        let stage = try await Stage.withShelf()
        let (alder, cod) = (try await track(stage, "Alder"), try await track(stage, "Cod"))
        stage.observer.clear()
        _ = try await ask(stage, "Like", numbers(alder, cod))
        let signal = try await stage.observer.signal("TracksChanged", of: MartletBus.library1)
        #expect(signal.body == [numbers(alder, cod)])
        _ = try await ask(stage, "Rate", numbers(cod), .int32(80))
        _ = try await ask(stage, "Unlike", numbers(alder))
        #expect(try await refusal(stage, "Like", numbers(alder, 999)) == Library1Tests.notFound)
        #expect(try await refusal(stage, "Rate", numbers(alder), .int32(101)) == Library1Tests.invalid)
        let liked = try await stage.ask(
            MartletBus.library1, "GetTracks", [.string("liked"), .uint64(0), .string("last-liked")] + page())
        #expect(column(liked.body[1], "title") == ["Cod"])
        #expect(liked.body[1].array?[0].dictionary?["rating"]?.int32 == 80)
        _ = try await ask(stage, "Rate", numbers(cod), .int32(-1))
        #expect(try await ask(stage, "GetTrack", .uint64(cod))[0].dictionary?["rating"] == nil)
    }

    @Test func `what plays is marked by 0, and its metadata has it before the reply`() async throws {
        let stage = try await Stage.withShelf()
        #expect(try await refusal(stage, "Like", numbers(0)) == Library1Tests.notFound)
        _ = try await ask(stage, "PlayTracks", numbers(try await track(stage, "Alder")), .string("replace"))
        await stage.book.settle()
        _ = try await ask(stage, "Rate", numbers(0), .int32(60))
        #expect(try await stage.get("Metadata").dictionary?["xesam:userRating"]?.double == 0.6)
        _ = try await ask(stage, "Like", numbers(0))
        let current = try await stage.get("Current", MartletBus.library1).structure
        #expect(current == [.uint64(try await track(stage, "Alder")), .boolean(true), .int32(60)])
    }

    @Test func `bookmarks are kept in the track's order`() async throws {
        let stage = try await Stage.withShelf()
        let cod = BusValue.uint64(try await track(stage, "Cod"))
        let late = try await ask(stage, "AddBookmark", cod, .int64(90_000_000), .string(""))[0]
        _ = try await ask(stage, "AddBookmark", cod, .int64(5_000_000), .string("solo"))
        #expect(try await refusal(stage, "AddBookmark", cod, .int64(-1), .string("")) == Library1Tests.invalid)
        let rows = try await ask(stage, "GetBookmarks", cod)[0].array?.map { $0.structure?[3] }
        #expect(rows == [.string("solo"), .string("")])
        _ = try await ask(stage, "RemoveBookmark", late)
        #expect(try await ask(stage, "GetBookmarks", cod)[0].array?.count == 1)
    }

    // MARK: Playlists

    @Test func `a playlist is made, filled, changed and deleted`() async throws {
        let stage = try await Stage.withShelf()
        let (alder, cod) = (try await track(stage, "Alder"), try await track(stage, "Cod"))
        let list = try await ask(stage, "CreatePlaylist", .string("Pond"), .string("wet"), .boolean(true))[0]
        _ = try await ask(stage, "AddToPlaylist", list, numbers(alder, cod, alder), .int32(-1))
        let uris = BusValue.strings([stage.file("b1.wav").description, "http://radio.example/live?key=secret"])
        let added = try await ask(stage, "AddURIsToPlaylist", list, uris, .int32(0))[0].array ?? []
        #expect(added.count == 1, "the file is Cod, which is in it")
        let rows = try await ask(stage, "GetPlaylistEntries", list, .uint32(0), .uint32(9))
        #expect(rows[0] == .uint32(3) && Array(column(rows[1], "title").dropFirst()) == ["Alder", "Cod"])
        #expect(column(rows[1], "uri")[0] == "http://radio.example/live", "no secret of a URI is told")
        _ = try await ask(stage, "MoveInPlaylist", list, .array(added, of: .uint64), .uint32(3))
        _ = try await ask(stage, "RenamePlaylist", list, .string("Lake"))
        let facts = try await ask(stage, "GetPlaylist", list)[0].dictionary
        #expect(facts?["name"]?.string == "Lake" && facts?["entries"]?.int32 == 3)
        let moved = try await ask(stage, "GetPlaylistEntries", list, .uint32(0), .uint32(2))
        #expect(column(moved[1], "title") == ["Alder", "Cod"])
        _ = try await ask(stage, "RemoveFromPlaylist", list, .array(added, of: .uint64))
        #expect(try await refusal(stage, "AddToPlaylist", list, numbers(999), .int32(-1)) == Library1Tests.notFound)
        #expect(try await ask(stage, "GetPlaylist", list)[0].dictionary?["entries"]?.int32 == 2)
        #expect(try await stage.playlistNames("User") == ["Liked", "Recently added", "Lake"])
        _ = try await ask(stage, "DeletePlaylist", list)
        _ = try await stage.observer.signal("PlaylistsChanged", of: MartletBus.library1)
        #expect(try await refusal(stage, "GetPlaylist", list) == Library1Tests.notFound)
    }

    @Test func `the built-in ones tell what they hold, and stay as they are`() async throws {
        let stage = try await Stage.withShelf()
        let lists = try await ask(
            stage, "GetPlaylists", .string("user"), .boolean(false), .uint32(0), .uint32(9))[1]
        #expect(column(lists, "built_in") == ["liked", "recent"])
        let recent = try #require(lists.array?[1].dictionary?["id"]?.unwrapped)
        #expect(lists.array?[1].dictionary?["entries"]?.int32 == 4)
        let entries = try await ask(stage, "GetPlaylistEntries", recent, .uint32(0), .uint32(2))
        #expect(entries[0] == .uint32(4) && entries[1].array?.count == 2)
        for refusal in [
            try await refusal(stage, "DeletePlaylist", recent),
            try await refusal(stage, "RenamePlaylist", recent, .string("Mine")),
            try await refusal(stage, "AddToPlaylist", recent, numbers(1), .int32(-1)),
        ] { #expect(refusal == Library1Tests.conflict) }
        #expect(
            try await refusal(stage, "CreatePlaylist", .string(" "), .string(""), .boolean(false))
                == Library1Tests.invalid)
    }

    // MARK: Playing

    @Test func `tracks, albums and playlists are played, in place or behind`() async throws {
        let stage = try await Stage.withShelf()
        let fish = try #require(
            try await ask(stage, "GetTrack", .uint64(try await track(stage, "Cod")))[0].dictionary?["album_id"]?
                .unwrapped)
        let first = try await ask(stage, "PlayAlbum", fish, .string("replace"))[0].array?.compactMap(\.uint64)
        #expect(stage.player.machine.queue.list.map(\.rawValue) == first && stage.player.machine.status == .playing)
        _ = try await ask(stage, "PlayTracks", numbers(try await track(stage, "Alder")), .string("append"))
        let uris = stage.player.machine.queue.list.compactMap { stage.player.machine.queue.entry($0)?.uri }
        #expect(uris == ["b1.wav", "b2.wav", "a1.wav"].map { stage.file($0) })
        #expect(
            try await refusal(stage, "PlayTracks", numbers(try await track(stage, "Alder"), 999), .string("replace"))
                == Library1Tests.notFound)
        #expect(stage.player.machine.queue.count == 3)
    }

    @Test func `a day has its surprise, and what is like a track is found`() async throws {
        let stage = try await Stage.withShelf()
        let today = try await ask(stage, "GetTodaysPick", .string("2026-12-01"))[0].dictionary?["id"]?.uint64
        let tomorrow = try await ask(stage, "GetTodaysPick", .string("2026-12-02"))[0].dictionary?["id"]?.uint64
        #expect(today != nil && tomorrow != nil && today != tomorrow)
        #expect(try await ask(stage, "GetTodaysPick", .string(""))[0].dictionary?["id"] != nil)
        let similar = try await ask(stage, "GetSimilar", .uint64(try await track(stage, "Cod")), .uint32(5))[0]
        #expect(column(similar, "title") == ["Dace"])
        #expect(try await ask(stage, "GetRandomAlbum")[0].dictionary?["title"] != nil)
    }

    @Test func `without a library every question has a clear error, and none hangs`() async throws {
        let stage = try await Stage(isWriter: false)
        let unavailable = "org.martlet.Error.Unavailable"
        #expect(try await refusal(stage, "GetYears") == unavailable)
        #expect(try await refusal(stage, "Scan") == unavailable)
        #expect(try await refusal(stage, "Like", numbers(1)) == unavailable)
        #expect(try await stage.get("State", MartletBus.library1) == .string("unavailable"))
    }
}

@MainActor
@Suite("Plays and skips", .timeLimit(.minutes(1)))
struct ListeningTests {
    /// A stage on which an album of four plays.
    func playing() async throws -> Stage {
        let stage = try await Stage.withShelf()
        stage.player.send(
            .edit(.replace(["a1.wav", "b2.wav", "b1.wav"].map { NewEntry(uri: stage.file($0)) }, startingAt: 0)))
        await stage.book.settle()
        // Half of a track is known when its length is.
        await stage.until { stage.player.currentDetails != nil }
        stage.settle()
        return stage
    }

    /// Goes to another entry, which plays then: loads keep a distance.
    func begin(_ stage: Stage, _ command: PlayerCommand) async {
        stage.player.send(command)
        await stage.until { stage.player.currentDetails != nil }
        stage.settle()
        stage.clock.advance(by: .milliseconds(100))
        stage.settle()
    }

    func record(_ stage: Stage, _ name: String) async throws -> TrackRecord {
        // Behind what is still to be written.
        await stage.library.settle()
        let reader = try await stage.library.reader()
        let track = try #require(try await reader.track(at: stage.file(name)))
        return try await reader.record(of: track)
    }

    @Test func `half of a track is a play, less is a skip`() async throws {
        let stage = try await playing()
        stage.clock.advance(by: .seconds(99))
        stage.player.send(.next)
        #expect(try await record(stage, "a1.wav").plays == 0)
        #expect(try await record(stage, "a1.wav").skips == 1)
        await begin(stage, .previousEntry)
        stage.clock.advance(by: .seconds(101))
        stage.player.send(.next)
        let heard = try await record(stage, "a1.wav")
        #expect(heard.plays == 1 && heard.skips == 1 && heard.firstPlayed == heard.lastPlayed)
        #expect(heard.firstPlayed != nil)
    }

    @Test func `four minutes of a long one are a play`() async throws {
        let stage = try await playing()
        await begin(stage, .next)
        stage.clock.advance(by: .seconds(241))
        stage.player.send(.next)
        #expect(try await record(stage, "b2.wav").plays == 1)
    }

    @Test func `who stops has skipped nothing`() async throws {
        let stage = try await playing()
        stage.clock.advance(by: .seconds(20))
        stage.player.send(.stop)
        let heard = try await record(stage, "a1.wav")
        #expect(heard.plays == 0 && heard.skips == 0)
    }

    @Test func `metadata tells how often and when, and of nothing outside the library`() async throws {
        let stage = try await playing()
        stage.clock.advance(by: .seconds(150))
        stage.player.send(.restart)
        stage.player.send(.next)
        await stage.library.settle()
        stage.player.send(.previousEntry)
        await stage.book.settle()
        let metadata = try await stage.get("Metadata").dictionary
        #expect(metadata?["xesam:useCount"]?.integer == 1)
        #expect(metadata?["xesam:lastUsed"]?.string?.hasSuffix("Z") == true)
        #expect(metadata?["xesam:userRating"] == nil)
        stage.player.send(.edit(.replace([NewEntry(uri: MediaURI("file:///elsewhere/x.flac")!)], startingAt: 0)))
        await stage.until { stage.book.currentTrack == nil }
        await stage.book.settle()
        #expect(try await stage.get("Metadata").dictionary?["xesam:useCount"] == nil)
    }

    @Test func `a track's first metadata is whole, and announced once`() async throws {
        let stage = try await Stage.withShelf()
        let reader = try await stage.library.reader()
        let tracks = try await reader.tracks(.all, by: .title, page: .all)
        for track in tracks { try await stage.library.writer().setRating(40, track: track.id) }
        for order in [
            PlayerCommand.edit(.replace(["a1.wav", "b2.wav"].map { NewEntry(uri: stage.file($0)) }, startingAt: 0)),
            .next,
        ] {
            _ = try await stage.announced()
            stage.player.send(order)
            await stage.until { !stage.player.isAwaitingDetails }
            await stage.book.settle()
            #expect(try await stage.announced().filter { $0 == "Metadata" }.count == 1)
            #expect(try await stage.get("Metadata").dictionary?["xesam:userRating"]?.double == 0.4)
        }
    }

    @Test func `what was heard survives a restart`() async throws {
        let stage = try await playing()
        stage.clock.advance(by: .seconds(150))
        stage.player.send(.next)
        await stage.library.close()
        let again = try await Stage.withShelf(scratch: stage.scratch)
        #expect(try await record(again, "a1.wav").plays == 1)
    }
}
