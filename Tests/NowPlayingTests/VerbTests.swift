// SPDX-License-Identifier: Apache-2.0
import MartletDBus
import MartletTestSupport
import NowPlaying
import Testing

/// The methods of root and Player: what reaches a handler, and what does not.
@MainActor
@Suite("Verbs", .timeLimit(.minutes(1)))
struct VerbTests {
    private func playing(_ length: Duration? = .seconds(200), at position: Duration = .seconds(50)) async throws
        -> Stage
    {
        try await Stage.logging {
            $0.infoCenter.nowPlayingInfo = .track(1, length: length)
            $0.infoCenter.playbackState = .playing
            $0.infoCenter.timeline = PlaybackTimeline(position: position)
        }
    }

    @Test(arguments: [
        ("Next", "next"), ("Previous", "previous"), ("Pause", "pause"), ("PlayPause", "toggle"), ("Stop", "stop"),
        ("Play", "play"),
    ])
    func `each verb reaches its own handler, and only that (F047, F049)`(verb: String, word: String) async throws {
        let stage = try await playing()
        try await stage.call(MemberName(verb)!)
        #expect(stage.log == [word])
    }

    @Test(arguments: ["Next", "Previous", "Pause", "Stop", "Play"])
    func `a verb that cannot be used has no effect and is no error (R031, R035, R044)`(verb: String) async throws {
        let stage = try await playing()
        let commands = stage.session.commandCenter
        for command in [
            commands.nextTrack, commands.previousTrack, commands.pause, commands.stop, commands.play,
        ] { command.isEnabled = false }
        _ = try await stage.told()
        #expect(try await stage.call(MemberName(verb)!) == [])
        #expect(stage.log == [])
        #expect(try await stage.told() == [])
    }

    @Test func `PlayPause without the right to pause is the one error (R037)`() async throws {
        let stage = try await playing()
        stage.session.commandCenter.pause.isEnabled = false
        #expect(try await stage.error { try await stage.call("PlayPause") } == .notSupported)
        #expect(stage.log == [])
    }

    @Test(arguments: [
        (NowPlayingPlaybackState.playing, "pause"), (.paused, "play"), (.stopped, "play"),
    ])
    func `PlayPause without a handler becomes Play or Pause by the state (R036, F048)`(
        state: NowPlayingPlaybackState, word: String
    ) async throws {
        let stage = try await playing()
        stage.session.commandCenter.togglePlayPause.removeHandler()
        stage.session.infoCenter.playbackState = state
        try await stage.call("PlayPause")
        #expect(stage.log == [word])
    }

    // MARK: Position

    @Test func `Seek hands the signed offset on as it came (R045, F014, F015)`() async throws {
        let stage = try await playing()
        try await stage.call("Seek", .int64(-10_000_000))
        try await stage.call("Seek", .int64(.max))
        try await stage.call("Seek", .int64(.min))
        #expect(stage.log == ["skip -10000000", "skip \(Int64.max)", "skip \(Int64.min)"])
    }

    @Test(arguments: [
        (10_000_000, "position 60000000 of /org/example/tune/entry/1"),
        (-10_000_000, "position 40000000 of /org/example/tune/entry/1"),
        // R046.
        (-1_000_000_000, "position 0 of /org/example/tune/entry/1"),
        (Int64.min, "position 0 of /org/example/tune/entry/1"),
        // R054: the length itself is still inside.
        (150_000_000, "position 200000000 of /org/example/tune/entry/1"),
        // R047.
        (150_000_001, "next"), (Int64.max, "next"),
    ])
    func `Seek of a program that knows positions only follows the rules (F015, F016, F032)`(
        offset: Int64, word: String
    ) async throws {
        let stage = try await playing()
        stage.session.commandCenter.skip.removeHandler()
        try await stage.call("Seek", .int64(offset))
        #expect(stage.log == [word])
    }

    @Test func `Seek past the end of the last track goes to its end (D03)`() async throws {
        let stage = try await playing()
        stage.session.commandCenter.skip.removeHandler()
        stage.session.commandCenter.nextTrack.isEnabled = false
        try await stage.call("Seek", .int64(1_000_000_000))
        #expect(stage.log == ["position 200000000 of /org/example/tune/entry/1"])
    }

    @Test func `Seek without a known length has no end (D17)`() async throws {
        let stage = try await playing(nil)
        stage.session.commandCenter.skip.removeHandler()
        try await stage.call("Seek", .int64(1_000_000_000))
        try await stage.call("SetPosition", .objectPath(TrackID.entry(1).path), .int64(5_000_000_000))
        #expect(
            stage.log == [
                "position 1050000000 of /org/example/tune/entry/1", "position 5000000000 of /org/example/tune/entry/1",
            ])
    }

    @Test(arguments: [
        (0, true), (200_000_000, true),
        // R052, R053: nothing, and above all not clamped.
        (-1, false), (200_000_001, false), (Int64.max, false), (Int64.min, false),
    ])
    func `SetPosition takes 0 to the length, both included (R049, R054)`(position: Int64, isTaken: Bool) async throws {
        let stage = try await playing()
        #expect(try await stage.call("SetPosition", .objectPath(TrackID.entry(1).path), .int64(position)) == [])
        #expect(stage.log == (isTaken ? ["position \(position) of /org/example/tune/entry/1"] : []))
        #expect(try await stage.told() == [])
    }

    @Test(arguments: ["/org/example/tune/entry/2", "/org/mpris/MediaPlayer2/TrackList/NoTrack", "/"])
    func `SetPosition for another track is out of date and no error (R050, R051, F005)`(track: ObjectPath) async throws
    {
        let stage = try await playing()
        #expect(try await stage.call("SetPosition", .objectPath(track), .int64(0)) == [])
        #expect(stage.log == [])
    }

    @Test func `stopped, without a track, and in what cannot seek, positions do not move (R048, R055, D15)`()
        async throws
    {
        let stage = try await playing()
        let both: @MainActor () async throws -> Void = {
            try await stage.call("Seek", .int64(1))
            try await stage.call("SetPosition", .objectPath(TrackID.entry(1).path), .int64(1))
        }
        stage.session.infoCenter.playbackState = .stopped
        try await both()
        #expect(stage.log == [])
        // D16: paused they do.
        stage.session.infoCenter.playbackState = .paused
        try await both()
        #expect(stage.log.count == 2)
        stage.log = []
        stage.session.commandCenter.changePlaybackPosition.isEnabled = false
        try await both()
        stage.session.commandCenter.changePlaybackPosition.isEnabled = true
        stage.session.infoCenter.nowPlayingInfo = nil
        try await both()
        #expect(stage.log == [])
        #expect(try await stage.get("CanSeek") == .boolean(false))
    }

    // MARK: Opening

    @Test func `OpenUri takes the schemes of the identity, in any spelling (R056, R057)`() async throws {
        let stage = try await playing()
        try await stage.call("OpenUri", .string("file:///music/a%20b.flac"))
        try await stage.call("OpenUri", .string("HTTPS://example.org/x"))
        #expect(stage.log == ["open file:///music/a%20b.flac", "open HTTPS://example.org/x"])
    }

    @Test(arguments: [
        ("gopher://example.org", ErrorName.notSupported), ("/music/a.flac", .invalidArgs), ("", .invalidArgs),
        ("1file:///x", .invalidArgs), (":", .invalidArgs), (String(repeating: "x", count: 1000) + ":", .invalidArgs),
    ])
    func `OpenUri of anything else is refused and changes nothing (R058)`(uri: String, name: ErrorName) async throws {
        let stage = try await playing()
        #expect(try await stage.error { try await stage.call("OpenUri", .string(uri)) } == name)
        #expect(stage.log == [])
        #expect(try await stage.told() == [])
    }

    @Test func `OpenUri of a player that opens nothing is not supported`() async throws {
        let stage = try await playing()
        stage.session.commandCenter.openURI.removeHandler()
        #expect(try await stage.error { try await stage.call("OpenUri", .string("file:///x")) } == .notSupported)
    }

    // MARK: Root

    @Test func `Raise and Quit without a handler do nothing (R011, R014)`() async throws {
        let stage = try await Stage()
        #expect(try await stage.get("CanRaise", of: Stage.root) == .boolean(false))
        #expect(try await stage.get("CanQuit", of: Stage.root) == .boolean(false))
        #expect(try await stage.call("Raise", of: Stage.root) == [])
        #expect(try await stage.call("Quit", of: Stage.root) == [])
        #expect(try await stage.told() == [])
    }

    @Test func `Quit answers before there is nobody left to answer (R016, F061)`() async throws {
        let stage = try await Stage.logging()
        let connection = stage.connection
        stage.session.commandCenter.quit.setHandler { [unowned stage] _ in
            stage.session.infoCenter.playbackState = .stopped
            stage.session.deactivate()
            connection.flush()
            connection.close()
            return .success
        }
        #expect(try await stage.call("Quit", of: Stage.root) == [])
        let gone = try await stage.observer.message {
            $0.member == "NameOwnerChanged" && $0.body[0].string == Stage.name.string
        }
        #expect(gone.body[2] == .string(""))
    }

    @Test func `whoever stops before leaving has told so (F062)`() async throws {
        let stage = try await playing()
        stage.session.infoCenter.playbackState = .stopped
        stage.session.deactivate()
        _ = try await stage.observer.message { $0.member == "NameOwnerChanged" }
        #expect(stage.observer.signals.map(Told.init) == [.player(["PlaybackStatus": .string("Stopped")])])
    }

    @Test func `a window is raised and fills the screen where there is one (R013, R018)`() async throws {
        let stage = try await Stage.logging()
        let session = stage.session
        session.commandCenter.setFullscreen.setHandler { [unowned stage, unowned session] event in
            stage.log.append("fullscreen \(event.isFullscreen)")
            session.infoCenter.isFullscreen = event.isFullscreen
            return .success
        }
        _ = try await stage.told()
        try await stage.call("Raise", of: Stage.root)
        try await stage.set("Fullscreen", of: Stage.root, to: .boolean(true))
        #expect(stage.log == ["raise", "fullscreen true"])
        #expect(try await stage.told() == [.root(["Fullscreen": .boolean(true)])])
    }

    @Test func `a wish for the whole screen that cannot be met is no error and snaps back (R019, R020, D20)`()
        async throws
    {
        let stage = try await Stage()
        stage.session.commandCenter.setFullscreen.setHandler { _ in .commandFailed("no") }
        _ = try await stage.told()
        try await stage.set("Fullscreen", of: Stage.root, to: .boolean(true))
        #expect(try await stage.told() == [.root(["Fullscreen": .boolean(false)])])
        stage.session.commandCenter.setFullscreen.isEnabled = false
        try await stage.set("Fullscreen", of: Stage.root, to: .boolean(true))
        #expect(try await stage.get("Fullscreen", of: Stage.root) == .boolean(false))
    }

    // MARK: Answers

    @Test(arguments: [
        (RemoteCommandStatus.success, ErrorName?.none), (.noActionableNowPlayingItem, nil),
        (.noSuchContent("x"), .fileNotFound), (.invalidArguments("x"), .invalidArgs),
        (.notSupported("x"), .notSupported), (.commandFailed("x"), .failed),
    ])
    func `what a handler says is what the caller hears`(status: RemoteCommandStatus, name: ErrorName?) async throws {
        let stage = try await Stage.logging()
        stage.session.commandCenter.play.setHandler { _ in status }
        #expect(try await stage.error { try await stage.call("Play") } == name)
    }

    @Test func `a handler that answers later is answered then, once, and others go on meanwhile (R153)`() async throws {
        let stage = try await Stage.logging()
        var replies: [@MainActor (RemoteCommandStatus) -> Void] = []
        stage.session.commandCenter.play.setDeferredHandler { _, reply in replies.append(reply) }
        let call = BusMessage.methodCall(
            destination: Stage.name, path: Stage.path, interface: Stage.player, member: "Play")
        let serial = try stage.observer.post(call)
        try await stage.call("Pause")
        #expect(stage.log == ["pause"])
        #expect(!stage.observer.messages.contains { $0.replySerial == serial })
        stage.session.infoCenter.playbackState = .playing
        replies[0](.success)
        replies[0](.commandFailed("twice"))
        _ = try await stage.observer.message { $0.replySerial == serial && $0.kind == .methodReturn }
        #expect(try await stage.told() == [.player(["PlaybackStatus": .string("Playing")])])
    }

    @Test func `a handler that forgets its reply is answered with an error (F111)`() async throws {
        let stage = try await Stage.logging()
        stage.session.commandCenter.play.setDeferredHandler { _, _ in }
        #expect(try await stage.error { try await stage.call("Play") } == .failed)
    }

    @Test func `a call that wants no answer gets none, and works (R154)`() async throws {
        let stage = try await Stage.logging()
        try stage.observer.send(
            .methodCall(destination: Stage.name, path: Stage.path, interface: Stage.player, member: "Play"))
        try await stage.call("Pause")
        #expect(stage.log == ["play", "pause"])
    }

    @Test func `a call without an interface finds its method (F171)`() async throws {
        let stage = try await Stage.logging()
        _ = try await stage.observer.reply(
            to: .methodCall(destination: Stage.name, path: Stage.path, interface: nil, member: "Play"))
        #expect(stage.log == ["play"])
    }

    // MARK: Order

    @Test func `a caller that has its reply has been told before (R155, D13)`() async throws {
        let stage = try await Stage.logging { $0.infoCenter.nowPlayingInfo = .track(1) }
        let center = stage.session.infoCenter
        stage.session.commandCenter.nextTrack.setHandler { _ in
            center.nowPlayingInfo = .track(2)
            center.playbackState = .playing
            center.announceSeek(to: .seconds(1))
            return .success
        }
        try await stage.call("Next")
        let kinds = stage.observer.messages.filter { $0.sender != .bus }.map { $0.member?.string ?? "reply" }
        #expect(kinds == ["PropertiesChanged", "Seeked", "reply"])
    }

    @Test func `a failing verb too tells what it changed before its error`() async throws {
        let stage = try await Stage.logging()
        let center = stage.session.infoCenter
        stage.session.commandCenter.play.setHandler { _ in
            center.playbackState = .playing
            return .commandFailed("half done")
        }
        #expect(try await stage.error { try await stage.call("Play") } == .failed)
        #expect(
            stage.observer.messages.filter { $0.sender != .bus }.map(\.kind) == [.signal, .error])
    }
}
