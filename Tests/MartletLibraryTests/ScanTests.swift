// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletCore
import Testing

@testable import MartletLibrary

@Suite("Scanning", .timeLimit(.minutes(1)))
struct ScanTests {
    static let three = [
        "A/1.flac": "title=One\nartist=Anna\nalbum=First\nnumber=1\nsound=1",
        "A/2.flac": "title=Two\nartist=Anna\nalbum=First\nnumber=2\nsound=2",
        "B/3.flac": "title=Three\nartist=Bert\nalbum=Second\nnumber=1\nsound=3",
    ]

    @Test
    func `what lies in the root is found with its albums`() async throws {
        let shelf = try await Shelf.scanned(ScanTests.three)
        #expect(try await shelf.titles(by: .album) == ["One", "Two", "Three"])
        #expect(try await shelf.albums().map(\.trackCount) == [2, 1])
        #expect(try await shelf.track("One")?.uri?.filePath == Array((shelf.music + "/A/1.flac").utf8))
        #expect(try await shelf.problems() == [])
    }

    @Test
    func `what did not change is not read again`() async throws {
        let shelf = try await Shelf.scanned(ScanTests.three)
        let before = shelf.tags.count
        let report = try await shelf.scan()
        #expect(shelf.tags.count == before)
        #expect(report.progress.found == 3)
        #expect(report.missing == 0)
    }

    @Test
    func `a changed file keeps its track`() async throws {
        let shelf = try await Shelf.scanned(ScanTests.three)
        let before = try #require(try await shelf.track("One"))
        try await shelf.store.setLiked(true, track: before.id, now: shelf.time)
        shelf.write("A/1.flac", "title=Uno\nartist=Anna\nalbum=First\nnumber=1\nsound=1")
        try await shelf.scan()
        let after = try #require(try await shelf.track("Uno"))
        #expect(after.id == before.id)
        #expect(after.isLiked)
        #expect(after.album == before.album)
        #expect(shelf.tags.count == 4)
    }

    @Test("F257: a renamed folder takes its tracks along without reading them again")
    func renamedFolder() async throws {
        let shelf = try await Shelf.scanned(ScanTests.three)
        let before = try #require(try await shelf.track("Two"))
        try await shelf.store.recordPlay(of: before.id, heard: .seconds(100), at: shelf.time)
        shelf.move("A", "C/deep")
        let report = try await shelf.scan()
        let after = try #require(try await shelf.track("Two"))
        #expect(after.id == before.id)
        #expect(after.plays == 1)
        #expect(after.uri?.filePath == Array((shelf.music + "/C/deep/2.flac").utf8))
        #expect(report.moved == 2)
        #expect(report.missing == 0)
        #expect(shelf.tags.count == 3)
    }

    @Test("F256: a file that was moved and retagged at once is the track it was")
    func movedAndRetagged() async throws {
        let shelf = try await Shelf.scanned(ScanTests.three)
        let before = try #require(try await shelf.track("Three"))
        try await shelf.store.setRating(80, track: before.id)
        shelf.remove("B")
        shelf.write("New/03.flac", "title=Drei\nartist=B.\nalbum=Zwei\nsound=3")
        try await shelf.scan()
        let after = try #require(try await shelf.track("Drei"))
        #expect(after.id == before.id)
        #expect(after.rating == 80)
    }

    @Test
    func `a file encoded anew elsewhere is known by its MusicBrainz recording`() async throws {
        let shelf = try await Shelf.scanned(["a.flac": "title=A\nartist=X\nrecording=r1\nsound=1\nlength=200"])
        let before = try #require(try await shelf.track("A"))
        try await shelf.store.setLiked(true, track: before.id, now: shelf.time)
        shelf.remove("a.flac")
        shelf.write("b.mp3", "title=A\nartist=X\nrecording=r1\nsound=2\nlength=201")
        try await shelf.scan()
        #expect(try await shelf.track("A")?.id == before.id)
    }

    @Test
    func `two files that change places keep what belongs to each`() async throws {
        let shelf = try await Shelf.scanned(ScanTests.three)
        let one = try #require(try await shelf.track("One"))
        let two = try #require(try await shelf.track("Two"))
        shelf.write("A/1.flac", ScanTests.three["A/2.flac"]!)
        shelf.write("A/2.flac", ScanTests.three["A/1.flac"]!)
        try await shelf.scan()
        #expect(try await shelf.track("One")?.id == one.id)
        #expect(try await shelf.track("Two")?.id == two.id)
        #expect(try await shelf.track("One")?.uri?.displayName == "2.flac")
    }

    @Test
    func `another song in the place of one is another track`() async throws {
        let shelf = try await Shelf.scanned(ScanTests.three)
        let before = try #require(try await shelf.track("One"))
        try await shelf.store.setLiked(true, track: before.id, now: shelf.time)
        shelf.write("A/1.flac", "title=Else\nartist=Carl\nsound=9")
        try await shelf.scan()
        let after = try #require(try await shelf.track("Else"))
        #expect(after.id != before.id)
        #expect(!after.isLiked)
        // And it comes back to what was liked.
        shelf.write("Z/1.flac", ScanTests.three["A/1.flac"]!)
        try await shelf.scan()
        #expect(try await shelf.track("One")?.id == before.id)
    }

    @Test
    func `a copy is a track of its own`() async throws {
        let shelf = try await Shelf.scanned(ScanTests.three)
        shelf.write("Copy/1.flac", ScanTests.three["A/1.flac"]!)
        try await shelf.scan()
        #expect(try await shelf.titles().filter { $0 == "One" }.count == 2)
    }

    @Test("F250, F251, F253: a root that is not there is offline and loses nothing")
    func offlineRoot() async throws {
        let shelf = try await Shelf.scanned(ScanTests.three)
        #expect(rename(shelf.music, shelf.music + "-away") == 0)
        let report = try await shelf.scan()
        #expect(report.offline.count == 1)
        #expect(try await shelf.titles().count == 3)
        #expect(try await shelf.track("One")?.isAvailable == false)
        #expect(rename(shelf.music + "-away", shelf.music) == 0)
        try await shelf.scan()
        #expect(try await shelf.track("One")?.isAvailable == true)
        #expect(shelf.tags.count == 3)
    }

    @Test("F250, F254: a mount point without its mount is not a library without songs")
    func emptyRoot() async throws {
        let shelf = try await Shelf.scanned(ScanTests.three)
        #expect(rename(shelf.music, shelf.music + "-away") == 0)
        mkdir(shelf.music, 0o700)
        let report = try await shelf.scan()
        #expect(report.offline.count == 1)
        #expect(try await shelf.titles().count == 3)
    }

    @Test("F250: a folder below the root that was a mount point as well")
    func emptyFolder() async throws {
        let shelf = try await Shelf.scanned(ScanTests.three)
        #expect(rename(shelf.music + "/A", shelf.path + "/away") == 0)
        mkdir(shelf.music + "/A", 0o700)
        try await shelf.scan()
        #expect(try await shelf.titles().count == 3)
        #expect(try await shelf.track("One")?.isAvailable == false)
        #expect(try await shelf.track("Three")?.isAvailable == true)
        rmdir(shelf.music + "/A")
        #expect(rename(shelf.path + "/away", shelf.music + "/A") == 0)
        try await shelf.scan()
        #expect(try await shelf.track("One")?.isAvailable == true)
        #expect(shelf.tags.count == 3)
    }

    @Test
    func `a file that is gone leaves its track to what hangs on it`() async throws {
        let shelf = try await Shelf.scanned(ScanTests.three)
        let one = try #require(try await shelf.track("One"))
        try await shelf.store.setLiked(true, track: one.id, now: shelf.time)
        shelf.remove("A")
        let report = try await shelf.scan()
        #expect(report.missing == 2)
        #expect(try await shelf.titles() == ["Three"])
        #expect(try await shelf.albums().map(\.title) == ["Second"])
        let gone = try #require(try await shelf.reader.tracks([one.id]).first)
        #expect(gone.isLiked && gone.uri == nil)
        #expect(try await shelf.problems() == [])
    }

    @Test("F274: a file that cannot be read is remembered with its reason and not tried again until it changes")
    func failures() async throws {
        let shelf = try await Shelf.scanned([
            "empty.mp3": "", "bad.mp3": "fail=unsupported", "disk.mp3": "fail=unreadable", "good.mp3": "title=Good",
        ])
        let failures = try await shelf.reader.failures(page: .all)
        #expect(Set(failures.map(\.failure)) == [.empty, .unsupported, .unreadable(errno: EIO)])
        let count = shelf.tags.count
        let report = try await shelf.scan()
        #expect(shelf.tags.count == count)
        #expect(report.progress.read == 0)
        shelf.write("bad.mp3", "title=Mended")
        try await shelf.scan()
        #expect(try await shelf.titles() == ["Good", "Mended"])
        #expect(try await shelf.reader.failures(page: .all).count == 2)
    }

    @Test("F248, F249: links that go round and second ways to a folder are walked once")
    func links() async throws {
        let shelf = try await Shelf.scanned(ScanTests.three)
        symlink(shelf.music, shelf.music + "/A/round")
        symlink(shelf.music + "/B", shelf.music + "/0-before")
        symlink(shelf.path + "/outside", shelf.music + "/linked")
        mkdir(shelf.path + "/outside", 0o700)
        shelf.write("../outside/4.flac", "title=Four\nsound=4")
        try await shelf.scan()
        #expect(try await shelf.titles() == ["Four", "One", "Three", "Two"])
        #expect(try await shelf.track("Three")?.uri?.filePath == Array((shelf.music + "/B/3.flac").utf8))
        try await shelf.scan()
        #expect(shelf.tags.count == 4)
    }

    @Test("F265: a file of two names is one row")
    func hardLinks() async throws {
        let shelf = try await Shelf()
        shelf.write("A/1.flac", "title=One\nsound=1")
        link(shelf.music + "/A/1.flac", shelf.music + "/A/2.flac")
        symlink(shelf.music + "/A/1.flac", shelf.music + "/0.flac")
        _ = try await shelf.store.addRoot(Array(shelf.music.utf8), now: shelf.time)
        try await shelf.scan()
        let names = try await shelf.reader.tracks(.all, by: .title, page: .all).map { $0.uri?.displayName }
        #expect(names == ["1.flac"])
        try await shelf.scan()
        #expect(try await shelf.titles() == ["One"])
    }

    @Test
    func `names are bytes: no UTF-8, a line feed, an emoji`() async throws {
        let shelf = try await Shelf()
        let names: [[UInt8]] = [[0xC4, 0xFF, 0x2E] + Array("mp3".utf8), Array("a\nb.mp3".utf8), Array("🎵.mp3".utf8)]
        let folder: [UInt8] = [0xB0, 0xA1, 0x2F]
        for (number, name) in names.enumerated() { shelf.write(folder + name, "title=\(number)\nsound=\(number)") }
        _ = try await shelf.store.addRoot(Array(shelf.music.utf8), now: shelf.time)
        try await shelf.scan()
        let tracks = try await shelf.reader.tracks(.all, by: .title, page: .all)
        let base = Array(shelf.music.utf8) + [0x2F] + folder
        #expect(tracks.map { $0.uri?.filePath } == names.map { base + $0 })
        try await shelf.scan()
        #expect(shelf.tags.count == 3)
    }

    @Test
    func `a file without a title is called as it is named, also after it is named anew`() async throws {
        let shelf = try await Shelf.scanned(["old name.mp3": "artist=A\nsound=1"])
        #expect(try await shelf.titles() == ["old name"])
        let id = try await shelf.track("old name")?.id
        shelf.move("old name.mp3", "new name.mp3")
        try await shelf.scan()
        #expect(try await shelf.titles() == ["new name"])
        #expect(try await shelf.track("new name")?.id == id)
    }

    @Test
    func `a file that vanishes while it waits is no failure`() async throws {
        let shelf = try await Shelf()
        for (name, content) in ScanTests.three { shelf.write(name, content) }
        _ = try await shelf.store.addRoot(Array(shelf.music.utf8), now: shelf.time)
        shelf.tags.whenReading { path in
            if path.suffix(6) == ArraySlice("2.flac".utf8) { unlink(FolderContent.cString(path)) }
        }
        let report = try await shelf.scan()
        #expect(report.progress.failed == 0)
        #expect(report.missing == 1)
        #expect(try await shelf.titles() == ["One", "Three"])
    }

    @Test
    func `what is found in many steps is all there, and nothing of it is missed`() async throws {
        let shelf = try await Shelf()
        for number in 0..<2500 { shelf.write("\(number / 10)/\(number).mp3", "title=\(number)\nsound=\(number)") }
        _ = try await shelf.store.addRoot(Array(shelf.music.utf8), now: shelf.time)
        #expect(try await shelf.scan().missing == 0)
        #expect(try await shelf.titles().count == 2500)
        #expect(try await shelf.scan().missing == 0)
        #expect(shelf.tags.count == 2500)
    }

    @Test
    func `a scan that is stopped goes on where it was`() async throws {
        let shelf = try await Shelf()
        for number in 0..<40 { shelf.write("\(number).mp3", "title=\(number)\nsound=\(number)") }
        _ = try await shelf.store.addRoot(Array(shelf.music.utf8), now: shelf.time)
        let now = shelf.time
        let running = LibraryScan(store: shelf.store, tags: shelf.tags, now: { now }).start()
        let counted = shelf.tags
        shelf.tags.whenReading { _ in if counted.count == 10 { running.cancel() } }
        let report = try await running.report
        #expect(report.wasCancelled)
        #expect(try await shelf.titles().count == 10)
        shelf.tags.whenReading(nil)
        try await shelf.scan()
        #expect(try await shelf.titles().count == 40)
        #expect(shelf.tags.count == 40)
    }

    @Test
    func `progress is told and ends`() async throws {
        let shelf = try await Shelf()
        for (name, content) in ScanTests.three { shelf.write(name, content) }
        _ = try await shelf.store.addRoot(Array(shelf.music.utf8), now: shelf.time)
        let now = shelf.time
        let running = LibraryScan(store: shelf.store, tags: shelf.tags, now: { now }).start()
        var last = ScanProgress()
        for await progress in running.progress { last = progress }
        #expect(last.phase == .finished)
        #expect((last.found, last.read, last.failed) == (3, 3, 0))
        #expect(last.remaining == .zero)
    }

    @Test
    func `a file that moves from one root to another keeps its track`() async throws {
        let shelf = try await Shelf.scanned(ScanTests.three)
        mkdir(shelf.path + "/other", 0o700)
        _ = try await shelf.store.addRoot(Array((shelf.path + "/other").utf8), now: shelf.time)
        shelf.write("../other/keep.flac", "title=Keep\nsound=7")
        try await shelf.scan()
        let one = try #require(try await shelf.track("One"))
        try await shelf.store.setLiked(true, track: one.id, now: shelf.time)
        // Copied and deleted, as between two file systems.
        shelf.write("../other/1.flac", ScanTests.three["A/1.flac"]!)
        shelf.remove("A/1.flac")
        try await shelf.scan()
        let after = try #require(try await shelf.track("One"))
        #expect(after.id == one.id)
        #expect(after.uri?.filePath == Array((shelf.path + "/other/1.flac").utf8))
        #expect(try await shelf.problems() == [])
    }

    @Test
    func `a root inside another one takes over what is below it, and gives it back`() async throws {
        let shelf = try await Shelf.scanned(ScanTests.three)
        let one = try #require(try await shelf.track("One"))
        let inner = try await shelf.store.addRoot(Array((shelf.music + "/A").utf8), now: shelf.time)
        try await shelf.scan()
        #expect(try await shelf.titles().count == 3)
        #expect(try await shelf.track("One") == one)
        try await shelf.store.removeRoot(inner, now: shelf.time)
        try await shelf.scan()
        #expect(try await shelf.track("One") == one)
        #expect(shelf.tags.count == 3)
        await #expect(throws: LibraryError.conflict) {
            _ = try await shelf.store.addRoot(Array((shelf.music + "//").utf8), now: shelf.time)
        }
    }

    @Test
    func `a root that is let go leaves what the user made, and gets it back`() async throws {
        let shelf = try await Shelf.scanned(ScanTests.three)
        let one = try #require(try await shelf.track("One"))
        try await shelf.store.setLiked(true, track: one.id, now: shelf.time)
        let root = try #require(try await shelf.store.roots().first)
        try await shelf.store.removeRoot(root.id, now: shelf.time)
        #expect(try await shelf.titles() == [])
        #expect(try await shelf.albums() == [])
        _ = try await shelf.store.addRoot(Array(shelf.music.utf8), now: shelf.time)
        try await shelf.scan()
        #expect(try await shelf.track("One")?.id == one.id)
        #expect(try await shelf.track("One")?.isLiked == true)
    }
}
