// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import MartletCore
import MartletSQLite
import MartletTestSupport
import Testing

@testable import MartletService

extension SessionState {
    init(_ queue: PlayQueue, _ change: (inout SessionPlayback) -> Void = { _ in }) {
        self.init(queue: queue.snapshot, playback: SessionPlayback())
        change(&playback)
    }
}

extension NewEntry {
    static func numbered(_ number: Int) -> NewEntry {
        NewEntry(
            uri: MediaURI(
                filePath: Array("/music/artist \(number / 120)/album \(number / 12)/\(number) title.flac".utf8))!,
            albumKey: "album \(number / 12)")
    }
}

func sessionQueue(_ count: Int, ids: EntryIDSource = EntryIDSource(startingAt: 1)) -> PlayQueue {
    var queue = PlayQueue(ids: ids, seed: 9)
    queue.append((0..<count).map { .numbered($0) })
    return queue
}

func open(_ folder: ScratchDirectory, at unixTime: Int64 = 1_800_000_000) async -> SessionStore.Opened {
    await SessionStore.open(path: folder.path + "/state/session.db", unixTime: unixTime)
}

@Suite("Session store")
struct SessionStoreTests {
    let folder = try! ScratchDirectory()

    @Test func `a first start has nothing to restore and nothing to tell`() async throws {
        let opened = await open(folder)
        #expect(opened.session == nil)
        #expect(opened.notices.isEmpty)
        #expect(opened.ids.upcoming == 1)
        var status = stat()
        #expect(stat(folder.path + "/state", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        #expect(stat(folder.path + "/state/session.db", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test(arguments: ShuffleMode.allCases)
    func `everything comes back: queue, order, history, current entry, position, modes (F187, F189)`(
        mode: ShuffleMode
    ) async throws {
        var queue = sessionQueue(60)
        queue.insert(
            [
                NewEntry(
                    uri: MediaURI("http://example.org/a?b=c")!, start: .milliseconds(1500), end: .seconds(9),
                    priority: 4)
            ],
            at: 3)
        queue.setLoopMode(.queue)
        queue.setShuffleMode(mode)
        _ = queue.goTo(queue.list[20])
        for _ in 0..<30 { _ = queue.advance(.trackEnded) }
        queue.playNext([.numbered(99)])
        _ = queue.stepBack()
        queue.consumes = true
        queue.stopAfter = queue.list[7]
        let opened = await open(folder)
        try await opened.store.save(
            SessionState(queue) {
                $0.status = .paused
                $0.position = .microseconds(83_123_456)
                $0.length = .seconds(200)
                $0.rate = 1.25
                $0.volume = 0.4
                $0.isMuted = true
                $0.goesOn = true
            })
        try await opened.store.close()

        let again = await open(folder)
        var restored = try #require(again.session?.queue)
        let playback = try #require(again.session?.playback)
        #expect(again.notices.isEmpty)
        #expect(restored.list == queue.list)
        #expect(restored.list.allSatisfy { restored.entry($0) == queue.entry($0) })
        #expect(restored.currentID == queue.currentID)
        #expect(restored.snapshot.order == queue.snapshot.order)
        #expect(restored.snapshot.history == queue.snapshot.history.filter(queue.contains))
        #expect(restored.snapshot.ahead == queue.snapshot.ahead)
        #expect(restored.loopMode == .queue && restored.shuffleMode == mode && restored.consumes)
        #expect(restored.stopAfter == queue.stopAfter)
        #expect(playback.status == .paused && playback.position == .microseconds(83_123_456))
        #expect(playback.length == .seconds(200) && playback.rate == 1.25 && playback.volume == 0.4 && playback.isMuted)
        #expect(playback.goesOn)
        for _ in 0..<100 {
            let next = restored.advance(.trackEnded)
            #expect(next == queue.advance(.trackEnded))
        }
    }

    @Test func `what was known of the entries around the current one comes back before any file is touched`()
        async throws
    {
        var details = TrackDetails(tags: TrackTags(), artwork: MediaURI("file:///cache/a%20b.jpg"))
        details.tags.title = "Tïtle\u{1F}x"
        details.tags.artists = ["A", "B;C", "A"]
        details.tags.trackNumber = 7
        details.tags.isCompilation = true
        details.tags.lyrics = "one\ntwo"
        details.tags.replayGain.albumGain = -7.5
        details.tags.replayGain.trackPeak = 1
        details.tags.audio.length = .milliseconds(200_040)
        details.tags.musicBrainz.albumArtists = ["x"]
        var queue = sessionQueue(30)
        _ = queue.goTo(queue.list[10])
        let store = await open(folder).store
        let far = queue.list[29]
        try await store.save(
            SessionState(queue), details: [queue.list[11]: details, far: details, EntryID(999): details])
        try await store.close()
        let again = await open(folder)
        #expect(again.session?.details == [queue.list[11]: details])
        #expect(try await again.store.details(of: [far, queue.list[0], EntryID(999)]) == [far: details])
        queue.remove([far])
        try await again.store.save(SessionState(queue))
        #expect(try await again.store.details(of: [far]) == [:])
    }

    @Test func `every kind of tag is kept`() async throws {
        var details = TrackDetails(tags: TrackTags())
        details.tags.title = "1"; details.tags.artists = ["2"]; details.tags.album = "3";
        details.tags.albumArtists = ["4"]
        details.tags.trackNumber = 5; details.tags.trackTotal = 6; details.tags.discNumber = 7;
        details.tags.discTotal = 8
        details.tags.discSubtitle = "9"; details.tags.date = "2010"; details.tags.genres = ["11"]
        details.tags.composers = ["12"]; details.tags.lyricists = ["13"]; details.tags.beatsPerMinute = 14
        details.tags.comments = ["15"]; details.tags.lyrics = "16"; details.tags.grouping = "17"
        details.tags.isCompilation = true; details.tags.isrc = "19"
        details.tags.musicBrainz.recording = "20"; details.tags.musicBrainz.track = "21"
        details.tags.musicBrainz.release = "22"; details.tags.musicBrainz.releaseGroup = "23"
        details.tags.musicBrainz.artists = ["24"]; details.tags.musicBrainz.albumArtists = ["25"]
        details.tags.replayGain.trackGain = 26; details.tags.replayGain.trackPeak = 27
        details.tags.replayGain.albumGain = 28; details.tags.replayGain.albumPeak = 29
        details.tags.audio.length = .seconds(30); details.tags.audio.sampleRate = 31; details.tags.audio.channels = 32
        details.tags.audio.bitrate = 33; details.tags.audio.codec = "34"; details.artwork = MediaURI("file:///35")
        // A field that is added to the tags and not to the table shows here: nothing of the value may be at its default.
        func isEmpty(_ value: Any) -> Bool {
            let mirror = Mirror(reflecting: value)
            if mirror.displayStyle == .optional || mirror.displayStyle == .collection { return mirror.children.isEmpty }
            if let flag = value as? Bool { return !flag }
            return mirror.displayStyle == .struct && !(value is Duration)
                && mirror.children.contains { isEmpty($0.value) }
        }
        #expect(!isEmpty(details))
        let queue = sessionQueue(1)
        let store = await open(folder).store
        try await store.save(SessionState(queue), details: [queue.list[0]: details])
        #expect(try await store.details(of: [queue.list[0]]) == [queue.list[0]: details])
    }

    @Test(arguments: Array(UInt64(1)...6))
    func `after any edits the tables hold what a fresh file would`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var opened = await open(folder)
        var queue = PlayQueue(ids: opened.ids, seed: seed)
        var number = 0
        for step in 0..<60 {
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                number += 1
                let size = [1, 2, 300].randomElement(using: &random) ?? 1
                switch Int.random(in: 0..<9, using: &random) {
                case 0, 1:
                    queue.insert((0..<size).map { .numbered($0) }, at: Int.random(in: 0...queue.count, using: &random))
                case 2: queue.remove(queue.list.filter { _ in Int.random(in: 0..<6, using: &random) == 0 })
                case 3: if let id = queue.list.randomElement(using: &random) { queue.move([id], after: nil) }
                case 4: if let id = queue.list.randomElement(using: &random) { _ = queue.goTo(id) }
                case 5: queue.setShuffleMode(ShuffleMode.allCases.randomElement(using: &random) ?? .off)
                case 6: queue.undo()
                case 7: if number.isMultiple(of: 9) { queue.replace(with: [.numbered(1)], startingAt: 0) }
                default:
                    if let id = queue.list.randomElement(using: &random) { queue.setPriority([id], UInt8(size % 200)) }
                }
            }
            try await opened.store.save(SessionState(queue))
            guard step % 10 == 9 else { continue }
            // As after a kill: the file is closed without a last save.
            try await opened.store.close()
            opened = await open(folder)
            #expect(opened.notices.isEmpty)
            let restored = try #require(opened.session?.queue)
            #expect(restored.list == queue.list)
            #expect(restored.snapshot.order == queue.snapshot.order)
            #expect(restored.snapshot.priorities == queue.snapshot.priorities)
            #expect(restored.currentID == queue.currentID)
            #expect(restored.list.allSatisfy { restored.entry($0)?.uri == queue.entry($0)?.uri })
            queue = restored
        }
    }

    @Test func `an edit of one entry in many writes a few pages`() async throws {
        let opened = await open(folder)
        var queue = sessionQueue(20_000, ids: opened.ids)
        queue.setShuffleMode(.songs)
        try await opened.store.save(SessionState(queue))
        func logSize() -> Int {
            var status = stat()
            return stat(folder.path + "/state/session.db-wal", &status) == 0 ? Int(status.st_size) : 0
        }
        try await opened.store.close(saving: SessionState(queue))
        let again = await open(folder)
        queue = try #require(again.session?.queue)
        let empty = logSize()
        try await again.store.save(SessionState(queue))
        #expect(logSize() == empty)
        queue.insert([.numbered(7)], at: 9000)
        queue.remove([queue.list[100]])
        try await again.store.save(SessionState(queue))
        // A few chunks of 2 KiB, two directories and the rows' pages.
        #expect(logSize() - empty < 150_000)
    }

    @Test func `ids are never given out again, whether the process ended well or was killed`() async throws {
        let first = await open(folder)
        var queue = sessionQueue(10, ids: first.ids)
        queue.clear()
        try await first.store.close(saving: SessionState(queue))
        let second = await open(folder)
        #expect(second.ids.upcoming == 11)
        // Killed: it gave out ids and never saved.
        try await second.store.close()
        let third = await open(folder)
        #expect(third.ids.upcoming >= 11 + SessionStore.reserve)
        queue = sessionQueue(20, ids: third.ids)
        try await third.store.close(saving: SessionState(queue))
        #expect(await open(folder).ids.upcoming == queue.upcomingID)
    }

    @Test func `a damaged file is set aside, kept and named, and a new session begins`() async throws {
        let first = await open(folder)
        try await first.store.close(saving: SessionState(sessionQueue(3000)))
        let path = folder.path + "/state/session.db"
        var bytes = try ScratchDirectory.read(path)
        for index in 4096..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: index &* 7) }
        try ScratchDirectory.write(bytes, to: path)
        let second = await open(folder, at: 1_900_000_000)
        #expect(second.session == nil)
        guard case .setAside(let kept, .sqlite(let error)) = second.notices.first else {
            Issue.record("\(second.notices)")
            return
        }
        #expect(error.code.meansDamage)
        #expect(kept == path + ".damaged-1900000000")
        #expect(try ScratchDirectory.read(kept) == bytes)
        try await second.store.save(SessionState(sessionQueue(3, ids: second.ids)))
        try await second.store.close()
        #expect(await open(folder).session?.queue.count == 3)
    }

    @Test(arguments: [
        "", "not a database at all, but long enough to be looked at as one, header and everything.....\n",
    ])
    func `an empty file becomes a session, a file of something else is kept`(text: String) async throws {
        mkdir(folder.path + "/state", 0o700)
        try ScratchDirectory.write(
            Array(String(repeating: text, count: 20).utf8), to: folder.path + "/state/session.db")
        let opened = await open(folder)
        #expect(opened.session == nil)
        #expect(opened.notices.count == (text.isEmpty ? 0 : 1))
        try await opened.store.save(SessionState(sessionQueue(3, ids: opened.ids)))
    }

    @Test func `a session of a later version, or another program's file, is kept as it is`() async throws {
        try await open(folder).store.close(saving: SessionState(sessionQueue(5)))
        let path = folder.path + "/state/session.db"
        try Database(path: Array(path.utf8)).setUserVersion(99)
        let later = await open(folder)
        #expect(
            later.notices == [
                .setAside(
                    path: path + ".newer-1800000000", reason: .newer(found: 99, known: SessionSchema.schema.version))
            ])
        #expect(try Database(path: Array((path + ".newer-1800000000").utf8)).value("SELECT count(*) FROM entry") == 5)
        try await later.store.close()
        try Database(path: Array(path.utf8)).setApplicationID(5)
        #expect(
            await open(folder).notices == [
                .setAside(path: path + ".foreign-1800000000", reason: .foreign(applicationID: 5))
            ])
    }

    @Test func `two files set aside in one second have two names`() async throws {
        mkdir(folder.path + "/state", 0o700)
        var names: Set<String> = []
        for _ in 0..<3 {
            try ScratchDirectory.write([UInt8](repeating: 65, count: 5000), to: folder.path + "/state/session.db")
            let opened = await open(folder)
            if case .setAside(let path, _) = opened.notices.first { names.insert(path) }
            try await opened.store.close()
        }
        #expect(names.count == 3)
    }

    @Test func `a second writer is refused and plays without a session`() async throws {
        let first = await open(folder)
        try await first.store.save(SessionState(sessionQueue(5, ids: first.ids)))
        let second = await open(folder)
        #expect(second.notices == [.inUse])
        #expect(second.session == nil)
        #expect(second.ids.upcoming > 1 << 40)
        #expect(try await second.store.save(SessionState(sessionQueue(50))).isEmpty)
        try await first.store.close()
        #expect(await open(folder).session?.queue.count == 5)
    }

    @Test func `a folder that cannot be made is told, and saving works once it can`() async throws {
        try ScratchDirectory.write([1], to: folder.path + "/state")
        let opened = await open(folder)
        guard case .unavailable(let error) = opened.notices.first else {
            Issue.record("\(opened.notices)")
            return
        }
        #expect(error.code.primary == .cannotOpen)
        #expect(opened.ids.upcoming > 1 << 40)
        let queue = sessionQueue(4, ids: opened.ids)
        await #expect(throws: SQLiteError.self) { try await opened.store.save(SessionState(queue)) }
        unlink(folder.path + "/state")
        try await opened.store.save(SessionState(queue))
        try await opened.store.close()
        let again = await open(folder)
        #expect(again.session?.queue.list == queue.list)
        #expect(again.ids.upcoming >= queue.upcomingID)
    }

    @Test(.enabled(if: getuid() == 0, "mounting needs root"))
    func `a full disk is told, the session before it is kept, and saving works once there is room`() async throws {
        let disk = folder.path + "/state"
        mkdir(disk, 0o700)
        // In a container even root may not mount.
        guard (try? Tool.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", disk])) != nil else { return }
        defer { umount2(disk, Int32(MNT_DETACH)) }
        let opened = await open(folder)
        var queue = sessionQueue(20, ids: opened.ids)
        try await opened.store.save(SessionState(queue))
        queue.append((0..<20_000).map { .numbered($0) })
        let error = await #expect(throws: SQLiteError.self) { try await opened.store.save(SessionState(queue)) }
        #expect(error?.code.primary == .full)
        try Tool.run(["mount", "-o", "remount,size=40m", disk])
        try await opened.store.save(SessionState(queue))
        try await opened.store.close()
        #expect(await open(folder).session?.queue.count == 20_020)
    }

    @Test(.timeLimit(.minutes(2)), arguments: [1, 2, 17])
    func `a kill after any save loses nothing`(saves: Int) async throws {
        let path = folder.path + "/session.db"
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, saves = saves as Int] in
            let opened = await SessionStore.open(path: path, unixTime: 1_800_000_000)
            var queue = PlayQueue(ids: opened.ids, seed: 1)
            for number in 0..<saves {
                queue.append([.numbered(number)])
                _ = queue.goTo(queue.list[number])
                try await opened.store.save(SessionState(queue) { $0.position = .seconds(number) })
            }
            kill(getpid(), SIGKILL)
        }
        let again = await SessionStore.open(path: path, unixTime: 1_800_000_001)
        #expect(again.notices.isEmpty)
        #expect(again.session?.queue.count == saves)
        #expect(again.session?.playback.position == .seconds(saves - 1))
        #expect(again.ids.upcoming > UInt64(saves))
    }

    @Test(.timeLimit(.minutes(2)), arguments: [1, 3, 8, 20, 40])
    func `a kill in the middle of a save leaves a whole session`(milliseconds: Int) async throws {
        let path = folder.path + "/session.db"
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, milliseconds = milliseconds as Int] in
            let opened = await SessionStore.open(path: path, unixTime: 1_800_000_000)
            var queue = PlayQueue(ids: opened.ids, seed: 1)
            try await opened.store.save(SessionState(queue))
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
                kill(getpid(), SIGKILL)
            }
            while true {
                queue.append((0..<1000).map { .numbered($0) })
                queue.setShuffleMode(queue.shuffleMode == .off ? .songs : .off)
                try await opened.store.save(SessionState(queue))
            }
        }
        let again = await SessionStore.open(path: path, unixTime: 1_800_000_001)
        #expect(again.notices.isEmpty)
        let queue = try #require(again.session?.queue)
        #expect(queue.count.isMultiple(of: 1000))
        #expect(queue.snapshot.order.count == (queue.shuffleMode == .off ? 0 : queue.count))
    }
}
