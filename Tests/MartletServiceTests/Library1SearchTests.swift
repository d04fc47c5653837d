// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletDBus
import MartletLibrary
import MartletProtocol
import MartletTestSupport
import Testing

@testable import MartletService

@MainActor
@Suite("org.martlet.Library1: search", .timeLimit(.minutes(1)))
struct Library1SearchTests {
    /// Count, whether there are more, the next page, and one key of the rows.
    private func group(_ value: BusValue, _ key: String) -> String {
        let parts = value.structure ?? []
        let rows = (parts[3].array ?? []).map { $0.dictionary?[key]?.string ?? "-" }
        return
            "\(parts[0].uint32!) \(parts[1].boolean!) \(parts[2].int64! < 0 ? "end" : "next") \(rows.joined(separator: ","))"
    }

    private func search(_ stage: Stage, _ text: String, _ limit: UInt32 = 10) async throws -> [BusValue] {
        let answer = try await stage.ask(MartletBus.library1, "Search", [.string(text), .uint32(limit)])
        #expect(answer.error == nil)
        return answer.body
    }

    @Test func `a search answers every kind, with counts and the next page`() async throws {
        let stage = try await Stage.withShelf()
        let found = try await search(stage, "b", 1)
        #expect(group(found[0], "title") == "3 false next Birch")
        #expect(group(found[1], "title") == "1 false end Fish")
        #expect(group(found[2], "name") == "1 false end Ben")
        #expect(group(found[3], "name") == "0 false end ")
        let next = try #require(found[0].structure?[2])
        let more = try await stage.ask(
            MartletBus.library1, "SearchMore", [.string("tracks"), .string("b"), next, .uint32(10)])
        #expect(more.body[0] == .int64(-1))
        #expect(more.body[1].array?.map { $0.dictionary?["title"]?.string } == ["Cod", "Dace"])
        let none = try await search(stage, "")
        #expect(group(none[0], "title") == "0 false end ")
        let lists = try await search(stage, "liked")
        #expect(group(lists[3], "name") == "0 false end ", "a field of tracks is no name")
        #expect(try await group(search(stage, "recently")[3], "name") == "1 false end Recently added")
    }

    @Test func `a kind that is none and a page that is none are told apart`() async throws {
        let stage = try await Stage.withShelf()
        let refused = try await stage.ask(
            MartletBus.library1, "SearchMore", [.string("songs"), .string("b"), .int64(-1), .uint32(10)])
        #expect(refused.error == "org.freedesktop.DBus.Error.InvalidArgs")
        let far = try await stage.ask(
            MartletBus.library1, "SearchMore", [.string("albums"), .string("b"), .int64(.max), .uint32(.max)])
        #expect(far.body == [.int64(-1), .array([], of: "a{sv}")])
    }

    @Test func `a smart playlist is made and changed from outside, and is one for MPRIS`() async throws {
        let stage = try await Stage.withShelf()
        let made = try await stage.ask(
            MartletBus.library1, "CreateSmartPlaylist",
            [.string("Ben's"), .string("artist:ben"), .string("title"), .uint32(0)])
        let id = try #require(made.body.first)
        func titles() async throws -> [String?] {
            try await stage.ask(MartletBus.library1, "GetPlaylistEntries", [id, .uint32(0), .uint32(9)]).body[1].array!
                .map { $0.dictionary?["title"]?.string }
        }
        #expect(try await titles() == ["Cod", "Dace"])
        _ = try await stage.ask(
            MartletBus.library1, "SetPlaylistQuery", [id, .string("year:..1995"), .string("newest"), .uint32(1)])
        #expect(try await titles().count == 1)
        for (arguments, error) in [
            (
                [BusValue.string("x"), .string("  "), .string("title"), .uint32(0)],
                "org.freedesktop.DBus.Error.InvalidArgs"
            ),
            ([.string("x"), .string("y"), .string("sideways"), .uint32(0)], "org.freedesktop.DBus.Error.InvalidArgs"),
        ] {
            #expect(try await stage.ask(MartletBus.library1, "CreateSmartPlaylist", arguments).error == error)
        }
        let builtIn = try await stage.ask(
            MartletBus.library1, "SetPlaylistQuery", [.uint64(1), .string("y"), .string("title"), .uint32(0)])
        #expect(builtIn.error == "org.martlet.Error.Conflict")
    }

    @Test func `the last ten searches are kept, and forgotten one by one or all`() async throws {
        let stage = try await Stage.withShelf()
        for number in 1...12 {
            _ = try await stage.ask(MartletBus.library1, "NoteSearch", [.string("s\(number)")])
        }
        _ = try await stage.ask(MartletBus.library1, "NoteSearch", [.string(" s5 ")])
        func recent() async throws -> [String] {
            try await stage.ask(MartletBus.library1, "GetRecentSearches", []).body[0].strings!
        }
        #expect(try await recent() == ["s5", "s12", "s11", "s10", "s9", "s8", "s7", "s6", "s4", "s3"])
        _ = try await stage.ask(MartletBus.library1, "ForgetSearch", [.string("s12")])
        #expect(try await recent().count == 9)
        _ = try await stage.ask(MartletBus.library1, "ForgetSearches", [])
        #expect(try await recent() == [])
    }

    @Test func `who asks anew wants the former answer no more, and others keep theirs`() async throws {
        let stage = try await Stage.withShelf()
        let desk = SearchDesk(library: stage.library)
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            try await desk.search(for: ":1.1") { reader throws(LibraryError) in
                enter.yield()
                for await _ in gate { break }
                return 1
            }
        }
        for await _ in entered { break }
        let second = Task { try await desk.search(for: ":1.1") { _ throws(LibraryError) in 2 } }
        let other = Task { try await desk.search(for: ":1.2") { _ throws(LibraryError) in 3 } }
        // They wait behind the first; the second is overtaken before it begins.
        for _ in 0..<20 { await Task.yield() }
        let third = Task { try await desk.search(for: ":1.1") { _ throws(LibraryError) in 4 } }
        for _ in 0..<20 { await Task.yield() }
        open.yield()
        #expect(try await first.value == 1, "what is found all the same is told")
        await #expect(throws: LibraryError.overtaken) { try await second.value }
        #expect(try await other.value == 3)
        #expect(try await third.value == 4)
    }

    @Test func `many searches at once are answered each, or given up for the next`() async throws {
        let stage = try await Stage.withShelf()
        let asked = (0..<40).map { number in
            Task {
                let text = number.isMultiple(of: 2) ? "b" : "bi"
                return try await stage.ask(MartletBus.library1, "Search", [.string(text), .uint32(5)]).error
            }
        }
        var answers: [String?] = []
        for task in asked { answers.append(try await task.value) }
        #expect(answers.count == 40)
        #expect(answers.allSatisfy { $0 == nil || $0 == "org.martlet.Error.Conflict" })
        #expect(answers.contains(nil))
    }
}

@MainActor
@Suite("Playing on an empty queue", .timeLimit(.minutes(1)))
struct EmptyQueueTests {
    @Test func `with on-empty library play plays from the collection, and can be asked for`() async throws {
        let stage = try await Stage.withShelf()
        #expect(try await stage.get("CanPlay") == .boolean(false))
        stage.library1.playing.setFillsEmptyQueue(true)
        await stage.until { stage.player.canPlay }
        #expect(try await stage.get("CanPlay") == .boolean(true))
        stage.player.send(.play)
        await stage.until { !stage.player.machine.queue.isEmpty }
        #expect(Set(stage.player.machine.queue.list).count == 4, "each once")
        #expect(stage.player.machine.status == .playing)
        stage.player.send(.edit(.clear))
        stage.library1.playing.setFillsEmptyQueue(false)
        #expect(try await stage.get("CanPlay") == .boolean(false))
        stage.player.send(.togglePlayPause)
        #expect(stage.player.machine.queue.isEmpty)
    }
}
