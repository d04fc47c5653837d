// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletCore
import Testing

@testable import MartletLibrary

@Suite("Watching folders", .timeLimit(.minutes(1)))
struct FolderWatchTests {
    private static var timing: FolderWatch.Timing {
        var timing = FolderWatch.Timing()
        // Longer than the system takes for what a test does in one go.
        timing.settle = .milliseconds(100)
        timing.patience = .seconds(2)
        return timing
    }

    /// Starts a watch of the shelf's music, does something, and gives the folder the watch tells.
    private func folder(
        on shelf: Shelf, timing: FolderWatch.Timing = timing, after change: (Shelf) -> Void
    ) async throws -> String? {
        let watch = FolderWatch(root: Array(shelf.music.utf8), timing: timing)
        watch.start()
        defer { watch.stop() }
        for await event in watch.events {
            switch event {
            case .complete: change(shelf)
            case .changed(let folder): return String(decoding: folder, as: UTF8.self)
            case .limited, .away: return nil
            }
        }
        return nil
    }

    @Test
    func `a new file, a changed, a deleted and a renamed one are told with their folder`() async throws {
        let shelf = try await Shelf.scanned(ScanTests.three)
        #expect(try await folder(on: shelf) { $0.write("A/new.mp3", "title=New") } == "A")
        #expect(try await folder(on: shelf) { $0.write("A/new.mp3", "title=Newer") } == "A")
        #expect(try await folder(on: shelf) { $0.move("A/new.mp3", "A/old.mp3") } == "A")
        #expect(try await folder(on: shelf) { unlink($0.music + "/B/3.flac") } == "B")
    }

    @Test
    func `a move between folders is told as the folder that holds both`() async throws {
        let shelf = try await Shelf.scanned(["X/A/1.mp3": "title=One\nsound=1", "X/B/2.mp3": "title=Two\nsound=2"])
        let one = try #require(try await shelf.track("One"))
        let folder = try #require(try await folder(on: shelf) { $0.move("X/A/1.mp3", "X/B/1.mp3") })
        #expect(folder == "X")
        let root = try #require(try await shelf.store.roots().first)
        let now = shelf.time
        let place = LibraryScan.Place(root: root.id, folder: Array(folder.utf8))
        let report = try await LibraryScan(store: shelf.store, tags: shelf.tags, now: { now }).run([place])
        #expect(report.moved == 1)
        #expect(try await shelf.track("One")?.id == one.id)
        #expect(shelf.tags.count == 2)
    }

    @Test
    func `a look at one folder leaves the others alone`() async throws {
        let shelf = try await Shelf.scanned(ScanTests.three)
        shelf.remove("A")
        shelf.remove("B/3.flac")
        let root = try #require(try await shelf.store.roots().first)
        let now = shelf.time
        let scan = LibraryScan(store: shelf.store, tags: shelf.tags, now: { now })
        _ = try await scan.run([LibraryScan.Place(root: root.id, folder: Array("A".utf8))])
        #expect(try await shelf.titles() == ["Three"])
        shelf.write("B/3.flac", ScanTests.three["B/3.flac"]!)
    }

    @Test
    func `folders that come are watched, those that go are forgotten, those that are renamed keep their watch`()
        async throws
    {
        let shelf = try await Shelf.scanned(ScanTests.three)
        let watch = FolderWatch(root: Array(shelf.music.utf8), timing: FolderWatchTests.timing)
        watch.start()
        defer { watch.stop() }
        var steps: [() -> Void] = [
            { shelf.write("New/deep/1.mp3", "title=1") }, { shelf.write("New/deep/2.mp3", "title=2") },
            { shelf.move("New", "Newer") }, { shelf.write("Newer/deep/3.mp3", "title=3") },
            { shelf.remove("Newer") },
        ]
        var told: [String] = []
        for await event in watch.events {
            if case .changed(let folder) = event { told.append(String(decoding: folder, as: UTF8.self)) }
            if steps.isEmpty { break }
            steps.removeFirst()()
        }
        #expect(told == ["", "New/deep", "", "Newer/deep", ""])
    }

    @Test
    func `what does not matter is not told`() async throws {
        let shelf = try await Shelf.scanned(ScanTests.three)
        let told = try await folder(on: shelf) {
            $0.write("A/cover.jpg", "x")
            $0.write("A/.hidden.mp3", "x")
            $0.write("A/notes.txt", "x")
            $0.write("B/4.mp3", "title=4")
        }
        #expect(told == "B")
    }

    @Test
    func `a link to a folder and a second name of a file are told`() async throws {
        let shelf = try await Shelf.scanned(ScanTests.three)
        mkdir(shelf.path + "/outside", 0o700)
        #expect(try await folder(on: shelf) { symlink($0.path + "/outside", $0.music + "/A/linked") } == "A")
        #expect(try await folder(on: shelf) { $0.write("../outside/5.mp3", "title=5") } == "A/linked")
        #expect(try await folder(on: shelf) { link($0.music + "/B/3.flac", $0.music + "/B/4.flac") } == "B")
    }

    @Test
    func `links that go round are watched once`() async throws {
        let shelf = try await Shelf.scanned(ScanTests.three)
        symlink(shelf.music, shelf.music + "/A/round")
        let watch = FolderWatch(root: Array(shelf.music.utf8), timing: FolderWatchTests.timing)
        watch.start()
        defer { watch.stop() }
        var events = watch.events.makeAsyncIterator()
        #expect(await events.next() == .complete(watched: 3))
    }

    @Test
    func `where not everything can be watched it is said, and everything is looked at from time to time`() async throws
    {
        let shelf = try await Shelf.scanned(ScanTests.three)
        var timing = FolderWatchTests.timing
        timing.fallback = .milliseconds(50)
        let watch = FolderWatch(root: Array(shelf.music.utf8), timing: timing, mostWatches: 2)
        watch.start()
        defer { watch.stop() }
        var events = watch.events.makeAsyncIterator()
        #expect(await events.next() == .limited(watched: 2))
        #expect(await events.next() == .changed(folder: []))
        #expect(await events.next() == .changed(folder: []))
    }

    @Test("F250: a root that is away is said, and found when it is back")
    func away() async throws {
        let shelf = try await Shelf.scanned(ScanTests.three)
        #expect(rename(shelf.music, shelf.music + "-away") == 0)
        var timing = FolderWatchTests.timing
        timing.fallback = .milliseconds(50)
        let watch = FolderWatch(root: Array(shelf.music.utf8), timing: timing)
        watch.start()
        defer { watch.stop() }
        var events = watch.events.makeAsyncIterator()
        #expect(await events.next() == .away(errno: ENOENT))
        #expect(rename(shelf.music + "-away", shelf.music) == 0)
        var next = await events.next()
        while next == .changed(folder: []) { next = await events.next() }
        #expect(next == .complete(watched: 3))
        #expect(rename(shelf.music, shelf.music + "-away") == 0)
        next = await events.next()
        while next == .changed(folder: []) { next = await events.next() }
        #expect(next == .away(errno: ENOENT))
    }

    @Test
    func `after an overflow everything is looked at, and everything watched anew`() async throws {
        let shelf = try await Shelf.scanned(ScanTests.three)
        let watch = FolderWatch(root: Array(shelf.music.utf8), timing: FolderWatchTests.timing)
        watch.start()
        defer { watch.stop() }
        var events = watch.events.makeAsyncIterator()
        #expect(await events.next() == .complete(watched: 3))
        await watch.onQueue { watch.take(InotifyEvent(watch: -1, mask: UInt32(IN_Q_OVERFLOW))) }
        #expect(await events.next() == .changed(folder: []))
        shelf.write("B/6.mp3", "title=6")
        #expect(await events.next() == .changed(folder: Array("B".utf8)))
    }
}
