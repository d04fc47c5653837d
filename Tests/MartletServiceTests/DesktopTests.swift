// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletDBus
import MartletProtocol
import MartletTestSupport
import Testing

@testable import MartletService

@MainActor
@Suite("The service on the bus", .timeLimit(.minutes(1)))
struct DesktopTests {
    func tags(_ title: String, _ seconds: Int) -> TrackTags {
        var tags = TrackTags()
        tags.title = title
        tags.artists = ["Artist"]
        tags.audio.length = .seconds(seconds)
        return tags
    }

    func stage() async throws -> Stage {
        let stage = try await Stage(titles: [
            "a.flac": tags("A", 100), "b.flac": tags("B", 200), "c.flac": tags("C", 300),
        ])
        stage.queue(["a.flac", "b.flac", "c.flac"])
        try await details(stage)
        stage.player.send(.play)
        stage.settle()
        _ = try await stage.announced()
        return stage
    }

    /// Waits until the tags near the current entry have been read.
    func details(_ stage: Stage) async throws {
        stage.player.send(.prepare)
        let deadline = ContinuousClock.now + .seconds(10)
        while stage.player.isAwaitingDetails, ContinuousClock.now < deadline { await Task.yield() }
        try #require(!stage.player.isAwaitingDetails)
        // The ones read ahead.
        while stage.player.machine.queue.list.prefix(3).contains(where: { id in
            stage.player.machine.queue.entry(id).map { stage.player.details(of: $0) == nil } ?? false
        }), ContinuousClock.now < deadline { await Task.yield() }
        stage.player.send(.stop)
        stage.settle()
    }

    @Test func `pause is one announcement of one property, before the reply (R155, F037)`() async throws {
        let stage = try await stage()
        let before = stage.observer.messages.count
        let reply = try await stage.call("Pause")
        let log = Array(stage.observer.messages.dropFirst(before))
        let signal = try #require(log.firstIndex { $0.member == "PropertiesChanged" && $0.path == Stage.mprisPath })
        let answer = log.firstIndex { $0.replySerial == reply.replySerial && $0.kind == BusMessage.Kind.methodReturn }
        #expect(answer.map { signal < $0 } ?? true)
        #expect(try await stage.announced() == ["PlaybackStatus"])
    }

    @Test func `next is one announcement with the whole new track (F035, F043, F046, D13)`() async throws {
        let stage = try await stage()
        try await stage.call("Next")
        let told = try await stage.announced()
        #expect(told == ["CanGoPrevious", "Metadata"])
        let metadata = try await stage.get("Metadata")
        #expect(metadata["xesam:title"]?.string == "B" && metadata["mpris:length"]?.int64 == 200_000_000)
        stage.settle()
        #expect(try await stage.announced() == [], "what the engine confirms is no news")
    }

    @Test func `steady play puts nothing on the bus (F034, F035, F036)`() async throws {
        let stage = try await stage()
        for _ in 0..<60 { stage.clock.advance(by: .seconds(1)) }
        #expect(try await stage.announced() == [])
        #expect(stage.clock.waiting == 0, "and nothing ticks")
        #expect(stage.player.position == .seconds(60))
    }

    @Test func `a gapless edge is one announcement when it is heard, without Seeked (F042)`() async throws {
        let stage = try await stage()
        stage.clock.advance(by: .seconds(98))
        stage.engine.crossEdge(remaining: .seconds(2))
        #expect(try await stage.announced() == [])
        stage.clock.advance(by: .seconds(2))
        #expect(try await stage.announced() == ["CanGoPrevious", "Metadata"])
        #expect(stage.player.position == .zero)
    }

    @Test func `a seek answers at once, reads the target, and is told once when it lands (F011, F020, F022)`()
        async throws
    {
        let stage = try await stage()
        stage.engine.isObliging = false
        stage.clock.advance(by: .seconds(10))
        try await stage.call("Seek", [.int64(5_000_000)])
        #expect(try await stage.get("Position").int64 == 15_000_000)
        #expect(try await stage.announced() == [])
        stage.player.settle()
        stage.engine.tell(.landed(SeekID(1), position: .seconds(15)))
        #expect(try await stage.announced() == ["Seeked"])
    }

    @Test func `whoever seeks, Seeked tells it (F023)`() async throws {
        let stage = try await stage()
        stage.clock.advance(by: .seconds(10))
        for command in [PlayerCommand.seek(by: .seconds(5)), .restart] {
            stage.player.send(command)
            stage.settle()
            #expect(try await stage.announced() == ["Seeked"], "\(command)")
        }
        _ = try await stage.observer.reply(
            to: .methodCall(
                destination: MartletBus.name, path: MartletBus.path, interface: MartletBus.player1, member: "Skip",
                body: [.int64(5_000_000)]))
        stage.settle()
        #expect(try await stage.announced() == ["Seeked"])
    }

    @Test func `headphones that pause what is paused or stopped change nothing (F155)`() async throws {
        let stage = try await stage()
        for _ in 0..<3 { try await stage.call("Pause") }
        #expect(try await stage.announced() == ["PlaybackStatus"])
        try await stage.call("Play")
        #expect(try await stage.announced() == ["PlaybackStatus"])
        try await stage.call("Stop")
        _ = try await stage.announced()
        try await stage.call("Pause")
        #expect(try await stage.get("PlaybackStatus").string == "Stopped")
        #expect(try await stage.announced() == [])
    }

    @Test func `a stale id and positions outside are ignored (F007, F012, R050, R052, R053)`() async throws {
        let stage = try await stage()
        let id = try #require(try await stage.get("Metadata")["mpris:trackid"]?.objectPath)
        for (path, position) in [(id, Int64(-1)), (id, 100_000_001), ("/org/martlet/Martlet/entry/99", 5), ("/a", 5)] {
            try await stage.call("SetPosition", [.objectPath(path), .int64(position)])
        }
        #expect(try await stage.announced() == [])
        try await stage.call("SetPosition", [.objectPath(id), .int64(100_000_000)])
        #expect(try await stage.get("Position").int64 == 100_000_000)
    }

    @Test func `repeat-one falls back to 0 under the same id and says so (F131, F168)`() async throws {
        let stage = try await stage()
        try await stage.set("LoopStatus", .string("Track"))
        _ = try await stage.announced()
        stage.player.settle()
        stage.clock.advance(by: .seconds(100))
        stage.engine.crossEdge(remaining: .zero)
        #expect(try await stage.announced() == ["Seeked"])
    }

    @Test func `loop and shuffle round-trip, each told, can-go told with them (F066, F067, F069, D19)`() async throws {
        let stage = try await stage()
        try await stage.call("Next")
        try await stage.call("Next")
        _ = try await stage.announced()
        #expect(try await stage.get("CanGoNext").boolean == false)
        try await stage.set("LoopStatus", .string("Playlist"))
        #expect(try await stage.announced() == ["CanGoNext", "LoopStatus"])
        try await stage.set("LoopStatus", .string("None"))
        #expect(try await stage.announced() == ["CanGoNext", "LoopStatus"])
        try await stage.set("Shuffle", .boolean(true))
        #expect(try await stage.announced().contains("Shuffle"))
        try await stage.set("Shuffle", .boolean(false))
        #expect(try await stage.get("Shuffle").boolean == false)
    }

    @Test func `flipping shuffle and back restores the order; writing what is reported keeps albums (F071, F157, C38)`()
        async throws
    {
        let stage = try await stage()
        let before = Array(stage.player.machine.queue.upcoming(limit: 10))
        try await stage.set("Shuffle", .boolean(true))
        try await stage.set("Shuffle", .boolean(false))
        #expect(Array(stage.player.machine.queue.upcoming(limit: 10)) == before)
        try await stage.set("ShuffleMode", .string("albums"), MartletBus.player1)
        try await stage.set("Shuffle", .boolean(true))
        #expect(try await stage.get("ShuffleMode", MartletBus.player1).string == "albums")
        try await stage.set("Shuffle", .boolean(false))
        try await stage.set("Shuffle", .boolean(true))
        #expect(try await stage.get("ShuffleMode", MartletBus.player1).string == "albums")
    }

    @Test func `a volume outside is clamped and told though it did not change (F073, F075, D20)`() async throws {
        let stage = try await stage()
        try await stage.set("Volume", .double(7))
        #expect(try await stage.announced() == ["Volume"])
        #expect(try await stage.get("Volume").double == 1)
        try await stage.set("Volume", .double(0.3))
        #expect(try await stage.get("Volume").double == 0.3, "F074: what is set is what is read")
        for bad in [Double.nan, .infinity] {
            await #expect(throws: BusError.self) { try await stage.set("Volume", .double(bad)) }
        }
        #expect(try await stage.get("Volume").double == 0.3)
    }

    @Test func `rates are clamped and told, 0 pauses (F076, F077, F079, D07)`() async throws {
        let stage = try await stage()
        try await stage.set("Rate", .double(0.25))
        #expect(try await stage.get("Rate").double == 0.5)
        #expect(try await stage.announced() == ["Rate"])
        try await stage.set("Rate", .double(0))
        #expect(try await stage.get("PlaybackStatus").string == "Paused")
        #expect(try await stage.get("Rate").double == 0.5)
    }

    @Test func `stop keeps the track and its metadata; an emptied queue clears them (D01, D06, F135, F137, F174)`()
        async throws
    {
        let stage = try await stage()
        try await stage.call("Stop")
        #expect(try await stage.get("Metadata")["xesam:title"]?.string == "A")
        #expect(try await stage.get("CanPlay").boolean == true)
        stage.player.send(.edit(.clear))
        #expect(try await stage.get("Metadata").dictionary?.keys == ["mpris:trackid"])
        #expect(
            try await stage.get("Metadata")["mpris:trackid"]?.objectPath == "/org/mpris/MediaPlayer2/TrackList/NoTrack")
        #expect(try await stage.get("CanPlay").boolean == false)
        #expect(try await stage.get("CanPause").boolean == false)
    }

    @Test func `an untagged file is called by its name, never by the song before (F093)`() async throws {
        let stage = try await stage()
        stage.queue(["Some Song.flac"])
        let last = try #require(stage.player.machine.queue.list.last)
        stage.player.send(.goTo(last))
        stage.clock.advance(by: .milliseconds(100))
        let metadata = try await stage.get("Metadata")
        #expect(metadata["xesam:title"]?.string == "Some%20Song" || metadata["xesam:title"]?.string == "Some Song")
        #expect(metadata["xesam:artist"] == nil && metadata["xesam:album"] == nil)
    }

    @Test func `tags that hang hold an announcement for 100 ms and no read ever (F044, F099, F124, D21)`() async throws
    {
        let stage = try await Stage(readsInstantly: false)
        stage.queue(["slow.flac", "other.flac"])
        _ = try await stage.announced()
        stage.player.send(.play)
        #expect(try await stage.get("Position").int64 != nil, "a read is answered meanwhile")
        stage.clock.advance(by: .milliseconds(100))
        let metadata = try await stage.get("Metadata")
        #expect(metadata["xesam:title"]?.string == "slow" && metadata["xesam:url"] != nil)
    }

    @Test func `tags that come late complete the metadata under the same id, told once (F038, F041)`() async throws {
        let stage = try await Stage(titles: ["slow.flac": tags("Slow", 100)], readsInstantly: false)
        stage.queue(["slow.flac"])
        stage.player.send(.play)
        stage.clock.advance(by: .milliseconds(100))
        stage.settle()
        let id = try await stage.get("Metadata")["mpris:trackid"]
        _ = try await stage.announced()
        stage.letTagsCome()
        let deadline = ContinuousClock.now + .seconds(10)
        while try await stage.get("Metadata")["xesam:title"]?.string != "Slow", ContinuousClock.now < deadline {}
        stage.settle()
        #expect(try await stage.get("Metadata")["mpris:trackid"] == id)
        #expect(try await stage.announced().filter { $0 == "Metadata" }.count == 1)
    }

    @Test func `the timeline tells of breaks only (Player1)`() async throws {
        let stage = try await stage()
        stage.observer.clear()
        for _ in 0..<30 { stage.clock.advance(by: .seconds(1)) }
        let timeline = try await stage.get("Timeline", MartletBus.player1).structure
        #expect(timeline?[0].int64 == 30_000_000 && timeline?[2].double == 1 && timeline?[3].string == "playing")
        #expect(!stage.observer.signals.contains { $0.path == MartletBus.path })
        try await stage.call("Pause")
        #expect(stage.observer.signals.contains { $0.path == MartletBus.path })
        #expect(try await stage.get("State", MartletBus.player1).string == "paused")
    }

    @Test func `own interfaces never speak on the MPRIS object (F133, F305)`() async throws {
        let stage = try await stage()
        try await stage.set("Mute", .boolean(true), MartletBus.player1)
        try await stage.call("Next")
        try await stage.call("Stop")
        _ = try await stage.get("PlaybackStatus")
        let own = stage.observer.signals.filter { $0.member == "PropertiesChanged" && $0.path == Stage.mprisPath }
        #expect(own.allSatisfy { ($0.body[0].string ?? "").hasPrefix("org.mpris.MediaPlayer2") })
        #expect(try await stage.get("Mute", MartletBus.player1).boolean == true)
    }

    @Test func `a failure is told on Player1 until something plays`() async throws {
        let stage = try await stage()
        let id = try #require(stage.player.machine.queue.currentID)
        stage.engine.tell(.failed(id, EngineFailure(cause: .corrupt, message: "The file is damaged.")))
        let error = try await stage.get("Error", MartletBus.player1).structure
        #expect(error?.map(\.string) == ["corrupt", "The file is damaged."])
        stage.clock.advance(by: .milliseconds(100))
        stage.settle()
        #expect(try await stage.get("Error", MartletBus.player1).structure?[0].string == "")
        #expect(try await stage.get("Metadata")["xesam:title"]?.string == "B")
    }

    @Test func `quit answers before it ends (R016, F061)`() async throws {
        let stage = try await stage()
        _ = try await stage.observer.reply(
            to: .methodCall(
                destination: MartletBus.mprisName, path: Stage.mprisPath, interface: "org.mpris.MediaPlayer2",
                member: "Quit"))
        #expect(stage.hasQuit)
    }
}
