// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletDBus
import MartletLibrary
import MartletProtocol
import MartletTestSupport
import Testing

@testable import MartletService

@MainActor
@Suite("The library joined to the service", .timeLimit(.minutes(1)))
struct LibraryLinkTests {
    @Test func `the music folder is looked through without a word, and only if it is there`() async throws {
        let stage = try await Stage.withShelf()
        #expect(stage.library.state == .ready)
        #expect(try await stage.library.reader().trackCount(.all) == 4)
        let empty = try await Stage()
        await empty.openLibrary()
        #expect(try await empty.library.reader().roots() == [])
    }

    @Test func `the folders follow the setting`() async throws {
        let stage = try await Stage.withShelf()
        try Tool.run(["mkdir", stage.scratch.path + "/Other"])
        try Tool.run(["mv", stage.scratch.path + "/Music/b1.wav", stage.scratch.path + "/Other"])
        var configuration = Configuration()
        configuration.libraryFolders = ["~/Other", stage.scratch.path + "/absent"]
        stage.library.apply(configuration)
        await stage.until { stage.library.scans?.isScanning == true }
        await stage.until { stage.library.scans?.isScanning != true }
        let reader = try await stage.library.reader()
        let roots = try await reader.roots()
        #expect(roots.map(\.isConfigured) == [true, true] && roots.map(\.isOffline) == [false, true])
        #expect(try await reader.tracks(.all, by: .title, page: .all).map(\.title) == ["Cod"])
    }

    @Test func `what changes in a folder is noticed`() async throws {
        let stage = try await Stage.withShelf()
        try Tool.run(["rm", stage.scratch.path + "/Music/a1.wav"])
        // The watch waits until a folder is quiet.
        await stage.until { stage.library.scans?.isScanning == true }
        await stage.until { stage.library.scans?.isScanning != true }
        #expect(try await stage.library.reader().trackCount(.all) == 3)
    }

    @Test func `when nothing happens nothing waits to happen`() async throws {
        let stage = try await Stage.withShelf()
        #expect(stage.clock.waiting == 0)
    }

    @Test func `a second player only reads, and says so`() async throws {
        let first = try await Stage.withShelf()
        let second = try await Stage(titles: Stage.shelf, scratch: first.scratch)
        let opening = Task { await second.library.open() }
        while second.library.state == .opening {
            second.clock.advance(by: .seconds(1))
            await Task.yield()
        }
        await opening.value
        #expect(second.library.state == .readOnly && second.library.scans == nil)
        #expect(try await second.library.reader().trackCount(.all) == 4)
        await #expect(throws: LibraryError.inUse) { _ = try await second.library.writer() }
        await first.library.close()
    }

    @Test func `a copy of its own makes no library`() async throws {
        let stage = try await Stage(isWriter: false)
        await stage.library.open()
        #expect(stage.library.state == .unavailable && !stage.library.problem.isEmpty)
        #expect(throws: (any Error).self) { try ScratchDirectory.read(stage.scratch.path + "/data/library.db") }
        #expect(try await stage.get("PlaylistCount", Stage.playlistsInterface) == .uint32(2))
    }

    @Test func `a damaged library is set aside, and the files are found again`() async throws {
        let stage = try await Stage.withShelf()
        await stage.library.close()
        let path = stage.scratch.path + "/data/library.db"
        try ScratchDirectory.write([UInt8](repeating: 0x5A, count: 8192), to: path)
        let again = try await Stage.withShelf(scratch: stage.scratch)
        #expect(again.library.state == .ready)
        #expect(try await again.library.reader().trackCount(.all) == 4)
    }

    @Test func `a library that cannot be had is had when the reason is gone`() async throws {
        let scratch = try ScratchDirectory()
        try ScratchDirectory.write([1], to: scratch.path + "/data")
        let stage = try await Stage(scratch: scratch)
        await stage.library.open()
        #expect(stage.library.state == .unavailable)
        await #expect(throws: LibraryError.self) { _ = try await stage.library.writer() }
        try Tool.run(["rm", scratch.path + "/data"])
        _ = try await stage.library.writer()
        #expect(stage.library.state == .ready && stage.library.problem.isEmpty)
    }
}

@MainActor
@Suite("MPRIS Playlists", .timeLimit(.minutes(1)))
struct MPRISPlaylistsTests {
    func active(_ stage: Stage) async throws -> (isThere: Bool, name: String) {
        let value = try await stage.get("ActivePlaylist", Stage.playlistsInterface).structure
        return (value?[0].boolean ?? false, value?[1].structure?[1].string ?? "?")
    }

    func path(_ stage: Stage, _ name: String) async throws -> BusValue {
        let rows =
            try await stage.playlists(
                "GetPlaylists", [.uint32(0), .uint32(100), .string("User"), .boolean(false)])[0].array ?? []
        return try #require(rows.first { $0.structure?[1].string == name }?.structure?[0])
    }

    @Test func `the two that are built in are there before the library is`() async throws {
        let stage = try await Stage()
        #expect(try await stage.playlistNames("Alphabetical") == ["Liked", "Recently added"])
        let before = try await path(stage, "Liked")
        await stage.openLibrary()
        #expect(try await path(stage, "Liked") == before)
        #expect(try await stage.get("PlaylistCount", Stage.playlistsInterface) == .uint32(2))
    }

    @Test func `every order is kept, and reversed is the mirror of it`() async throws {
        let stage = try await Stage.withShelf()
        let store = try await stage.library.writer()
        let zebra = try await store.createPlaylist("Zebra", now: UnixTime(seconds: 50))
        let ant = try await store.createPlaylist("Ant", now: UnixTime(seconds: 60))
        try await store.describePlaylist(zebra, as: "stripes", now: UnixTime(seconds: 70))
        try await store.recordPlay(of: ant, at: UnixTime(seconds: 80))
        try await store.placePlaylist(ant, at: 0)
        stage.library.note(.playlists)
        try await stage.playlistsAreNew()
        #expect(try await stage.playlistNames("Alphabetical") == ["Ant", "Liked", "Recently added", "Zebra"])
        #expect(try await stage.playlistNames("Created") == ["Liked", "Recently added", "Zebra", "Ant"])
        #expect(try await stage.playlistNames("Modified") == ["Liked", "Recently added", "Ant", "Zebra"])
        #expect(try await stage.playlistNames("Played") == ["Liked", "Recently added", "Zebra", "Ant"])
        #expect(try await stage.playlistNames("User") == ["Ant", "Liked", "Recently added", "Zebra"])
        for order in ["Alphabetical", "Created", "Modified", "Played", "User"] {
            let ahead = try await stage.playlistNames(order)
            #expect(try await stage.playlistNames(order, reversed: true) == ahead.reversed())
        }
        #expect(try await stage.get("PlaylistCount", Stage.playlistsInterface) == .uint32(4))
    }

    @Test func `a new name is told, and the id stays`() async throws {
        let stage = try await Stage.withShelf()
        let store = try await stage.library.writer()
        let list = try await store.createPlaylist("Old", now: UnixTime(seconds: 50))
        stage.library.note(.playlists)
        try await stage.playlistsAreNew()
        let before = try await path(stage, "Old")
        try await store.renamePlaylist(list, to: "New", now: UnixTime(seconds: 60))
        stage.library.note(.playlists)
        let signal = try await stage.observer.signal("PlaylistChanged")
        #expect(signal.body[0].structure?[0] == before && signal.body[0].structure?[1].string == "New")
    }

    @Test func `activating puts it in place of the queue, plays, and is shown while something of it is there`()
        async throws
    {
        let stage = try await Stage.withShelf()
        stage.queue(["x.flac"])
        #expect(try await active(stage).isThere == false)
        _ = try await stage.playlists("ActivatePlaylist", [try await path(stage, "Recently added")])
        #expect(stage.player.machine.queue.count == 4 && stage.player.machine.status == .playing)
        #expect(try await active(stage) == (true, "Recently added"))
        stage.player.send(.edit(.append([NewEntry(uri: stage.file("a1.wav"))])))
        #expect(try await active(stage).isThere)
        stage.player.send(.edit(.clear))
        #expect(try await active(stage).isThere == false)
    }

    @Test func `an empty one empties the queue and is active all the same`() async throws {
        let stage = try await Stage.withShelf()
        stage.queue(["x.flac"])
        _ = try await stage.playlists("ActivatePlaylist", [try await path(stage, "Liked")])
        #expect(stage.player.machine.queue.isEmpty)
        #expect(try await active(stage) == (true, "Liked"))
    }

    @Test func `an id that is nobody's has no effect and is no error`() async throws {
        let stage = try await Stage.withShelf()
        stage.queue(["x.flac"])
        _ = try await stage.playlists("ActivatePlaylist", [.objectPath("/org/martlet/Martlet/playlist/99")])
        #expect(stage.player.machine.queue.count == 1)
        #expect(try await active(stage).isThere == false)
    }
}
