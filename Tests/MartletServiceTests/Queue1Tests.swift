// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletDBus
import MartletProtocol
import MartletTestSupport
import Testing

@testable import MartletService

@MainActor
@Suite("org.martlet.Queue1", .timeLimit(.minutes(1)))
struct Queue1Tests {
    func stage(_ names: [String] = ["a.flac", "b.flac", "c.flac", "d.flac"]) async throws -> Stage {
        var tags = TrackTags()
        tags.title = "B"
        tags.artists = ["Ann", "Ben"]
        tags.album = "Nest"
        tags.audio.length = .seconds(200)
        let stage = try await Stage(titles: ["b.flac": tags])
        stage.queue(names)
        return stage
    }

    func ids(_ stage: Stage) -> [UInt64] { stage.player.machine.queue.list.map(\.rawValue) }

    func numbers(_ values: [UInt64]) -> BusValue { .array(values.map { .uint64($0) }, of: .uint64) }

    func ask(_ stage: Stage, _ member: MemberName, _ body: [BusValue] = []) async throws -> (
        body: [BusValue], error: String?
    ) {
        try await stage.ask(MartletBus.queue1, member, body)
    }

    @Test func `an edit is one announcement of what it changed`() async throws {
        let stage = try await stage()
        let all = ids(stage)
        _ = try await ask(stage, "Remove", [numbers([all[3]])])
        stage.observer.clear()
        _ = try await ask(stage, "Move", [numbers([all[2], all[0]]), .uint64(all[1])])
        #expect(ids(stage) == [all[1], all[2], all[0]])
        let told = stage.observer.signals.filter {
            $0.path == MartletBus.path && $0.body[0].string == "org.martlet.Queue1"
        }
        #expect(told.count == 1)
        #expect(told.first?.body[1].dictionary?.keys.sorted() == ["Version"], "count, current and modes are as before")
    }

    @Test func `moves and removals by range`() async throws {
        let stage = try await stage()
        let all = ids(stage)
        _ = try await ask(stage, "MoveRange", [.uint32(0), .uint32(2), .uint32(2)])
        #expect(ids(stage) == [all[2], all[3], all[0], all[1]])
        _ = try await ask(stage, "RemoveRange", [.uint32(1), .uint32(2)])
        #expect(ids(stage) == [all[2], all[1]])
        let refused = try await ask(stage, "RemoveRange", [.uint32(1), .uint32(2)])
        #expect(refused.error == "org.freedesktop.DBus.Error.InvalidArgs")
        let far = try await ask(stage, "MoveRange", [.uint32(.max), .uint32(.max), .uint32(.max)])
        #expect(far.error == "org.freedesktop.DBus.Error.InvalidArgs")
        #expect(ids(stage) == [all[2], all[1]])
    }

    @Test(arguments: ["Remove", "Move", "SetPriority", "GoTo"])
    func `an entry that is not in the queue is refused, and nothing done`(member: String) async throws {
        let stage = try await stage()
        let all = ids(stage)
        let body: [BusValue] =
            switch member {
            case "Remove": [numbers([all[0], 999])]
            case "Move": [numbers([all[0]]), .uint64(999)]
            case "SetPriority": [numbers([999]), .byte(3)]
            default: [.uint64(999)]
            }
        let version = stage.player.machine.queue.version
        #expect(try await ask(stage, MemberName(member)!, body).error == "org.martlet.Error.NotFound")
        #expect(ids(stage) == all && stage.player.machine.queue.version == version)
    }

    @Test func `undo and redo say whether there was anything to do`() async throws {
        let stage = try await stage()
        let all = ids(stage)
        _ = try await ask(stage, "Clear")
        #expect(ids(stage).isEmpty)
        #expect(try await ask(stage, "Undo").body == [.boolean(true)])
        #expect(ids(stage) == all)
        #expect(try await ask(stage, "Redo").body == [.boolean(true)])
        #expect(try await ask(stage, "Redo").body == [.boolean(false)])
        #expect(try await stage.get("CanUndo", MartletBus.queue1) == .boolean(true))
        #expect(try await stage.get("CanRedo", MartletBus.queue1) == .boolean(false))
    }

    @Test func `modes can be set and are told`() async throws {
        let stage = try await stage()
        try await stage.set("Consume", .boolean(true), MartletBus.queue1)
        try await stage.set("LoopMode", .string("queue"), MartletBus.queue1)
        try await stage.set("ShuffleMode", .string("albums"), MartletBus.queue1)
        let last = ids(stage)[3]
        try await stage.set("StopAfter", .uint64(last), MartletBus.queue1)
        let queue = stage.player.machine.queue
        #expect(queue.consumes && queue.loopMode == .queue && queue.shuffleMode == .albums)
        #expect(queue.stopAfter?.rawValue == last)
        #expect(try await stage.get("LoopStatus") == .string("Playlist"))
        try await stage.set("StopAfter", .uint64(0), MartletBus.queue1)
        #expect(try await stage.get("StopAfter", MartletBus.queue1) == .uint64(0))
    }

    @Test func `a client that follows the changes has the same list`() async throws {
        let stage = try await stage()
        var copy = ids(stage)
        let version = stage.player.machine.queue.version
        stage.queue(["e.flac", "f.flac"])
        _ = try await ask(stage, "MoveRange", [.uint32(1), .uint32(2), .uint32(4)])
        _ = try await ask(stage, "RemoveRange", [.uint32(0), .uint32(1)])
        let answer = try await ask(stage, "GetChanges", [.uint64(version)]).body
        #expect(answer[0] == .boolean(true) && answer[1] == .uint64(stage.player.machine.queue.version))
        for change in answer[2].array ?? [] {
            let parts = try #require(change.structure)
            let moved = parts[1].array?.compactMap(\.uint64) ?? []
            let position = Int(parts[2].uint32!)
            if parts[0].string != "inserted" { copy.removeAll { moved.contains($0) } }
            if parts[0].string != "removed" { copy.insert(contentsOf: moved, at: position) }
        }
        #expect(copy == ids(stage))
        let future = try await ask(stage, "GetChanges", [.uint64(version + 1_000)]).body
        #expect(future[0] == .boolean(false))
    }

    @Test func `entries come with what is known of them, in pages`() async throws {
        let stage = try await stage()
        stage.player.send(.goTo(EntryID(ids(stage)[1])))
        let deadline = ContinuousClock.now + .seconds(10)
        while stage.player.isAwaitingDetails, ContinuousClock.now < deadline { await Task.yield() }
        let answer = try await ask(stage, "GetEntries", [.uint32(1), .uint32(2)]).body
        let rows = (answer[1].array ?? []).compactMap(\.dictionary)
        #expect(rows.count == 2)
        #expect(rows[0]["id"]?.unwrapped == .uint64(ids(stage)[1]))
        #expect(rows[0]["title"]?.unwrapped == .string("B"))
        #expect(rows[0]["artist"]?.unwrapped.strings == ["Ann", "Ben"])
        #expect(rows[0]["length"]?.unwrapped == .int64(200_000_000))
        #expect(rows[1]["title"]?.unwrapped == .string("c"))
        #expect(try await ask(stage, "GetEntries", [.uint32(9), .uint32(2)]).body[1].array?.isEmpty == true)
        #expect(try await ask(stage, "GetIds", [.uint32(2), .uint32(0)]).body[1] == numbers(Array(ids(stage)[2...])))
    }

    @Test func `what comes and what was heard`() async throws {
        let stage = try await stage()
        let all = ids(stage)
        stage.player.send(.goTo(EntryID(all[0])))
        stage.player.send(.next)
        stage.player.send(.next)
        #expect(try await ask(stage, "GetUpcoming", [.uint32(9)]).body == [numbers([all[3]])])
        #expect(try await ask(stage, "GetHeard", [.uint32(9)]).body == [numbers([all[1], all[0]])])
        #expect(try await ask(stage, "GetHeard", [.uint32(1)]).body == [numbers([all[1]])])
    }

    @Test func `a part of a source is queued with its range`() async throws {
        let stage = try await stage([])
        let body: [BusValue] = [
            .string("file:///music/a.flac"), .int64(1_000_000), .int64(3_000_000), .string("append"),
        ]
        let id = try #require(try await ask(stage, "AddRange", body).body.first?.uint64)
        let entry = try #require(stage.player.machine.queue.entry(EntryID(id)))
        #expect(entry.start == .seconds(1) && entry.end == .seconds(3))
        for (start, end, mode) in [(-1, 5, "append"), (5, 5, "append"), (5, 3, "next"), (0, -1, "replace")]
            as [(Int64, Int64, String)]
        {
            let bad: [BusValue] = [.string("file:///music/a.flac"), .int64(start), .int64(end), .string(mode)]
            #expect(try await ask(stage, "AddRange", bad).error == "org.freedesktop.DBus.Error.InvalidArgs")
        }
        let bad: [BusValue] = [.string("no uri"), .int64(0), .int64(-1), .string("append")]
        #expect(try await ask(stage, "AddRange", bad).error == "org.freedesktop.DBus.Error.InvalidArgs")
        #expect(stage.player.machine.queue.count == 1)
    }

    @Test func `the queue is saved as a list that can be read back`() async throws {
        let stage = try await stage()
        for ending in ["m3u8", "pls", "xspf"] {
            let path = stage.bus.directory + "/list.\(ending)"
            #expect(try await ask(stage, "Save", [.bytes(path.utf8), .boolean(false)]).error == nil)
            let text = try String(decoding: AtomicFile.read(Array(path.utf8), limit: 1 << 20), as: UTF8.self)
            #expect(text.contains("music/a.flac") && text.contains("music/d.flac"))
            let again = try await ask(stage, "Save", [.bytes(path.utf8), .boolean(false)])
            #expect(again.error == "org.martlet.Error.Conflict")
            #expect(try await ask(stage, "Save", [.bytes(path.utf8), .boolean(true)]).error == nil)
        }
        let nowhere = stage.bus.directory + "/none/list.m3u8"
        #expect(
            try await ask(stage, "Save", [.bytes(nowhere.utf8), .boolean(false)]).error == "org.martlet.Error.NotFound")
        for path in ["list.m3u8", stage.bus.directory + "/list.txt"] {
            let refused = try await ask(stage, "Save", [.bytes(path.utf8), .boolean(false)])
            #expect(refused.error == "org.freedesktop.DBus.Error.InvalidArgs")
        }
    }

    @Test func `priorities are told as an update and shape a shuffled order`() async throws {
        let stage = try await stage((0..<20).map { "\($0).flac" })
        let all = ids(stage)
        let version = stage.player.machine.queue.version
        stage.player.send(.goTo(EntryID(all[0])))
        stage.player.send(.setShuffleMode(.songs))
        _ = try await ask(stage, "SetPriority", [numbers([all[17]]), .byte(9)])
        #expect(try await ask(stage, "GetUpcoming", [.uint32(1)]).body == [numbers([all[17]])])
        let changes = try await ask(stage, "GetChanges", [.uint64(version)]).body[2].array ?? []
        #expect(changes.count == 1 && changes[0].structure?[0].string == "updated")
    }
}

extension Queue1Tests {
    @Test func `a restored queue of which nothing ever played is shown as well`() async throws {
        let stage = try await Stage()
        var old = PlayQueue(seed: 1)
        old.append([NewEntry(uri: MediaURI("file:///music/a.flac")!)])
        let queue = PlayQueue(restoring: old.snapshot)
        stage.player.restore(RestoredSession(queue: queue, playback: SessionPlayback(), details: [:]))
        let tracks = try await stage.observer.reply(
            to: .getProperty(
                "Tracks", of: "org.mpris.MediaPlayer2.TrackList", at: Stage.mprisPath,
                destination: MartletBus.mprisName))
        #expect(tracks.body[0].unwrapped.array?.count == 1)
        #expect(try await ask(stage, "GetChanges", [.uint64(0)]).body[0] == .boolean(false))
    }
}
