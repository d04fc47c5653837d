// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletCore
import MartletFormats
import MartletSQLite
import Testing

@testable import MartletLibrary

@Suite("Playlists in the library", .timeLimit(.minutes(1)))
struct PlaylistTests {
    private func shelf() async throws -> (Shelf, [TrackID]) {
        let shelf = try await Shelf.scanned(
            Dictionary(
                uniqueKeysWithValues: (1...5).map {
                    ("A/\($0).mp3", "title=T\($0)\nartist=Anna\nalbum=First\nsound=\($0)\nlength=\($0 * 10)")
                }))
        return (shelf, try await shelf.reader.tracks(.all, by: .title, page: .all).map(\.id))
    }

    private func titles(_ list: PlaylistID, _ shelf: Shelf) async throws -> [String] {
        try await shelf.reader.entries(of: list).map(\.title)
    }

    @Test
    func `entries are added, inserted, moved and removed`() async throws {
        let (shelf, tracks) = try await shelf()
        let list = try await shelf.store.createPlaylist("Mine", now: UnixTime(seconds: 5))
        let first = try await shelf.store.add(tracks[0..<3].map { .track($0) }, to: list, now: UnixTime(seconds: 6))
        #expect(try await titles(list, shelf) == ["T1", "T2", "T3"])
        try await shelf.store.add([.track(tracks[3]), .track(tracks[4])], to: list, at: 1, now: UnixTime(seconds: 7))
        #expect(try await titles(list, shelf) == ["T1", "T4", "T5", "T2", "T3"])
        try await shelf.store.move([first[2], first[0]], in: list, to: 3, now: UnixTime(seconds: 8))
        #expect(try await titles(list, shelf) == ["T4", "T5", "T3", "T1", "T2"])
        try await shelf.store.remove([first[1]], from: list, now: UnixTime(seconds: 9))
        #expect(try await titles(list, shelf) == ["T4", "T5", "T3", "T1"])
        let summary = try #require(try await shelf.reader.playlist(list))
        #expect(summary.count == 4)
        #expect(summary.length == .seconds(130))
        #expect(summary.created == UnixTime(seconds: 5) && summary.changed == UnixTime(seconds: 9))
        await #expect(throws: LibraryError.notFound) {
            try await shelf.store.add([.track(TrackID(rawValue: 99))], to: list, now: shelf.time)
        }
        #expect(try await shelf.reader.playlist(list)?.count == 4)
    }

    /// The list after random edits, beside the same edits of an array.
    @Test(arguments: 1...5)
    func `edits do what the same edits of an array do`(seed: UInt64) async throws {
        let (shelf, tracks) = try await shelf()
        let list = try await shelf.store.createPlaylist("Mine", now: shelf.time)
        var random = SplitMix64(seed: seed)
        var model: [PlaylistEntryID] = []
        for _ in 0..<60 {
            let index = Int.random(in: 0...model.count + 1, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                let items = (0..<3).map { _ in PlaylistItem.track(tracks.randomElement(using: &random)!) }
                let made = try await shelf.store.add(items, to: list, at: index, now: shelf.time)
                model.insert(contentsOf: made, at: min(index, model.count))
            case 1:
                let moved = Array(model.shuffled(using: &random).prefix(3))
                try await shelf.store.move(moved, in: list, to: index, now: shelf.time)
                let target = min(index, model.count)
                model =
                    model[..<target].filter { !moved.contains($0) } + moved
                    + model[target...].filter { !moved.contains($0) }
            default:
                let removed = Array(model.shuffled(using: &random).prefix(2))
                try await shelf.store.remove(removed, from: list, now: shelf.time)
                model.removeAll { removed.contains($0) }
            }
            #expect(try await shelf.reader.entries(of: list).map(\.id) == model)
        }
    }

    @Test
    func `a list may refuse what it has`() async throws {
        let (shelf, tracks) = try await shelf()
        let list = try await shelf.store.createPlaylist("Once", refusesDuplicates: true, now: shelf.time)
        let radio = PlaylistItem.place(try #require(MediaURI("https://radio.example/live")))
        let items: [PlaylistItem] = [.track(tracks[0]), radio, .track(tracks[0]), radio, .track(tracks[1])]
        #expect(try await shelf.store.add(items, to: list, now: shelf.time).count == 3)
        #expect(try await shelf.store.add(items, to: list, now: shelf.time).isEmpty)
        let file = try #require(MediaURI(filePath: Array((shelf.music + "/A/1.mp3").utf8)))
        #expect(try await shelf.store.add([.place(file)], to: list, now: shelf.time).isEmpty)
        try await shelf.store.setRefusesDuplicates(false, in: list, now: shelf.time)
        #expect(try await shelf.store.add(items, to: list, now: shelf.time).count == 5)
    }

    @Test("F257, F258: an entry follows its file, and outlives it with its title")
    func survival() async throws {
        let (shelf, tracks) = try await shelf()
        let list = try await shelf.store.createPlaylist("Mine", now: shelf.time)
        try await shelf.store.add([.track(tracks[0]), .track(tracks[1])], to: list, now: shelf.time)
        shelf.move("A", "B/C")
        try await shelf.scan()
        let moved = try await shelf.reader.entries(of: list)
        #expect(moved.map(\.uri?.displayName) == ["1.mp3", "2.mp3"])
        #expect(moved[0].uri?.description.contains("/B/C/") == true)
        shelf.remove("B")
        shelf.write("rest.mp3", "title=Rest")
        shelf.time = UnixTime(seconds: shelf.time.seconds + 1_000_000_000)
        try await shelf.scan()
        let gone = try await shelf.reader.entries(of: list)
        #expect(gone.map(\.title) == ["T1", "T2"])
        #expect(gone.map(\.artist) == ["Anna", "Anna"])
        #expect(gone.map(\.isAvailable) == [false, false])
    }

    @Test
    func `the two that are built in are always there`() async throws {
        let shelf = try await Shelf()
        let lists = try await shelf.reader.playlists(by: .user)
        #expect(lists.map(\.builtIn) == ["liked", "recent"])
        #expect(lists.map(\.queryOrder) == [.lastLiked, .newest])
        await #expect(throws: LibraryError.conflict) { try await shelf.store.deletePlaylist(lists[0].id) }
        await #expect(throws: LibraryError.conflict) {
            try await shelf.store.add([], to: lists[0].id, now: shelf.time)
        }
    }

    @Test
    func `lists come in each of MPRIS' orders`() async throws {
        let shelf = try await Shelf()
        let builtIn = try await shelf.reader.playlists(by: .user).map(\.name)
        var ids: [PlaylistID] = []
        for (time, name) in zip(Int64(10)..., ["zebra 10", "Äpfel", "Zebra 9"]) {
            ids.append(try await shelf.store.createPlaylist(name, now: UnixTime(seconds: time)))
        }
        try await shelf.store.describePlaylist(ids[0], as: "of stripes", now: UnixTime(seconds: 99))
        try await shelf.store.recordPlay(of: ids[1], at: UnixTime(seconds: 50))
        func names(_ order: PlaylistOrder, reversed: Bool = false) async throws -> [String] {
            try await shelf.reader.playlists(by: order, reversed: reversed).map(\.name).filter { !builtIn.contains($0) }
        }
        #expect(try await names(.alphabetical) == ["Äpfel", "Zebra 9", "zebra 10"])
        #expect(try await names(.created) == ["zebra 10", "Äpfel", "Zebra 9"])
        #expect(try await names(.modified, reversed: true) == ["zebra 10", "Zebra 9", "Äpfel"])
        #expect(try await names(.played, reversed: true).first == "Äpfel")
        try await shelf.store.placePlaylist(ids[2], at: 0)
        #expect(try await shelf.reader.playlists(by: .user).first?.id == ids[2])
        #expect(try await shelf.reader.playlistCount() == 5)
        try await shelf.store.renamePlaylist(ids[0], to: "  Anew \n list ", now: shelf.time)
        #expect(try await shelf.reader.playlist(ids[0])?.name == "Anew list")
        #expect(try await shelf.reader.playlist(ids[0])?.description == "of stripes")
        await #expect(throws: LibraryError.self) {
            try await shelf.store.renamePlaylist(ids[0], to: " ", now: shelf.time)
        }
        await #expect(throws: LibraryError.notFound) {
            try await shelf.store.renamePlaylist(PlaylistID(rawValue: 99), to: "x", now: shelf.time)
        }
    }

    @Test
    func `numbers of deleted lists are not given out again`() async throws {
        let shelf = try await Shelf()
        let first = try await shelf.store.createPlaylist("a", now: shelf.time)
        try await shelf.store.deletePlaylist(first)
        #expect(try await shelf.store.createPlaylist("b", now: shelf.time) > first)
    }

    @Test
    func `lists come back from a backup, and find their files again`() async throws {
        let (shelf, tracks) = try await shelf()
        let list = try await shelf.store.createPlaylist("Mine", now: shelf.time)
        try await shelf.store.add([.track(tracks[2]), .track(tracks[0])], to: list, now: shelf.time)
        await shelf.reader.close()
        try await shelf.store.close()
        #expect(truncate(shelf.databasePath, 20_000) == 0)
        try await shelf.reopenAfterClose()
        #expect(try await titles(list, shelf) == ["T3", "T1"])
        try await shelf.scan()
        #expect(try await shelf.reader.entries(of: list).map(\.isAvailable) == [true, true])
        #expect(try await shelf.reader.playlistCount() == 3)
    }

    // MARK: Copies as files

    private func mirrors(_ shelf: Shelf) -> [String: Playlist] {
        var result: [String: Playlist] = [:]
        let folder = shelf.path + "/playlists"
        guard let directory = opendir(folder) else { return [:] }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasSuffix("m3u8") || name.hasSuffix("tmp") else { continue }
            let file = open("\(folder)/\(name)", O_RDONLY)
            defer { close(file) }
            var bytes = [UInt8](repeating: 0, count: 100_000)
            let count = read(file, &bytes, bytes.count)
            result[name] = try? PlaylistReader(base: nil).read(Array(bytes[..<count]), as: .m3u)
        }
        return result
    }

    @Test
    func `every list has a copy that follows its name, its entries and their files`() async throws {
        let (shelf, tracks) = try await shelf()
        let folder = Array((shelf.path + "/playlists").utf8)
        let list = try await shelf.store.createPlaylist("Rock/Pop", now: shelf.time)
        try await shelf.store.add([.track(tracks[0]), .track(tracks[1])], to: list, now: shelf.time)
        #expect(try await shelf.store.mirrorPlaylists(into: folder) == 1)
        #expect(Array(mirrors(shelf).keys) == ["Rock_Pop.m3u8"])
        let copy = try #require(mirrors(shelf)["Rock_Pop.m3u8"])
        #expect(copy.title == "Rock/Pop")
        #expect(copy.entries.map(\.tags.title) == ["T1", "T2"])
        #expect(copy.entries[0].uri?.filePath == Array((shelf.music + "/A/1.mp3").utf8))
        #expect(try await shelf.store.mirrorPlaylists(into: folder) == 0)

        shelf.move("A", "Z")
        try await shelf.scan()
        #expect(try await shelf.store.mirrorPlaylists(into: folder) == 1)
        #expect(
            mirrors(shelf)["Rock_Pop.m3u8"]?.entries[0].uri?.filePath == Array((shelf.music + "/Z/1.mp3").utf8))

        try await shelf.store.renamePlaylist(list, to: ".hidden", now: shelf.time)
        try await shelf.store.mirrorPlaylists(into: folder)
        #expect(Array(mirrors(shelf).keys) == ["_hidden.m3u8"])
        let second = try await shelf.store.createPlaylist(".hidden", now: shelf.time)
        try await shelf.store.mirrorPlaylists(into: folder)
        #expect(mirrors(shelf).keys.sorted() == ["_hidden (\(second)).m3u8", "_hidden.m3u8"])
        try await shelf.store.deletePlaylist(list)
        try await shelf.store.mirrorPlaylists(into: folder)
        #expect(Array(mirrors(shelf).keys) == ["_hidden (\(second)).m3u8"])
    }

    @Test
    func `somebody else's file is not written over`() async throws {
        let shelf = try await Shelf()
        mkdir(shelf.path + "/playlists", 0o700)
        shelf.write("../playlists/Mine.m3u8", "https://radio.example/mine\n")
        let list = try await shelf.store.createPlaylist("Mine", now: shelf.time)
        try await shelf.store.mirrorPlaylists(into: Array((shelf.path + "/playlists").utf8))
        #expect(mirrors(shelf)["Mine.m3u8"]?.entries.count == 1)
        #expect(mirrors(shelf)["Mine (\(list)).m3u8"]?.entries.count == 0)
    }

    @Test
    func `a folder that cannot be written is told, and written later`() async throws {
        let shelf = try await Shelf()
        _ = try await shelf.store.createPlaylist("Mine", now: shelf.time)
        // A file stands where the folder should be.
        shelf.write("../playlists", "x")
        let folder = Array((shelf.path + "/playlists").utf8)
        await #expect(throws: LibraryError.self) { try await shelf.store.mirrorPlaylists(into: folder) }
        unlink(shelf.path + "/playlists")
        #expect(try await shelf.store.mirrorPlaylists(into: folder) == 1)
    }
}
