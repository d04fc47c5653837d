// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletDBus
import MartletTestSupport
import NowPlaying
import Testing

/// Reading and writing the properties of root and Player.
@MainActor
@Suite("Properties", .timeLimit(.minutes(1)))
struct PropertyTests {
    /// A player that takes every value, within its limits.
    private func obliging() async throws -> Stage {
        let stage = try await Stage {
            $0.infoCenter.nowPlayingInfo = .track(1)
            $0.infoCenter.playbackState = .playing
            $0.infoCenter.rates = 0.5...2
        }
        let center = stage.session.infoCenter
        let commands = stage.session.commandCenter
        commands.changeRepeatMode.setHandler {
            center.repeatMode = $0.mode
            return .success
        }
        commands.changeShuffleMode.setHandler {
            center.isShuffled = $0.isShuffled
            return .success
        }
        commands.changeVolume.setHandler {
            center.volume = min($0.volume, 1)
            return .success
        }
        commands.changePlaybackRate.setHandler {
            center.rate = min(max($0.rate, 0.5), 2)
            return .success
        }
        commands.pause.setHandler { _ in
            center.playbackState = .paused
            return .success
        }
        _ = try await stage.told()
        return stage
    }

    @Test func `GetAll has everything and nothing more, also on a bare player (R005, R008, F070, F078, F134)`()
        async throws
    {
        let stage = try await Stage(identity: NowPlayingIdentity(name: "tune", displayName: "Tune"))
        #expect(
            try await stage.getAll() == [
                "PlaybackStatus": .string("Stopped"), "LoopStatus": .string("None"), "Rate": .double(1),
                "Shuffle": .boolean(false), "Metadata": .dict([("mpris:trackid", .objectPath(Stage.noTrack))]),
                "Volume": .double(1), "Position": .int64(0), "MinimumRate": .double(1), "MaximumRate": .double(1),
                "CanGoNext": .boolean(false), "CanGoPrevious": .boolean(false), "CanPlay": .boolean(false),
                "CanPause": .boolean(false), "CanSeek": .boolean(false), "CanControl": .boolean(true),
            ])
        #expect(
            try await stage.getAll(Stage.root) == [
                "CanQuit": .boolean(false), "CanRaise": .boolean(false), "HasTrackList": .boolean(false),
                "Identity": .string("Tune"), "SupportedUriSchemes": .strings([]), "SupportedMimeTypes": .strings([]),
            ])
    }

    @Test(arguments: [
        ("LoopStatus", Stage.player), ("Shuffle", Stage.player), ("Fullscreen", Stage.root),
        ("CanSetFullscreen", Stage.root), ("DesktopEntry", Stage.root),
    ])
    func `what a player has not is unknown in every way (R008)`(name: String, interface: InterfaceName) async throws {
        let stage = try await Stage(identity: NowPlayingIdentity(name: "tune", displayName: "Tune")) {
            $0.infoCenter.repeatMode = nil
            $0.infoCenter.isShuffled = nil
        }
        let member = MemberName(name)!
        #expect(try await stage.error { _ = try await stage.get(member, of: interface) } == .unknownProperty)
        #expect(
            try await stage.error {
                try await stage.set(member, of: interface, to: name == "LoopStatus" ? .string("None") : .boolean(true))
            } == .unknownProperty)
        let xml = try await stage.call("Introspect", of: .introspectable)[0].string!
        #expect(!xml.contains("\"\(name)\""))
    }

    @Test func `Can… follows its command in every state (R086 to R089, F063, F064, F132)`() async throws {
        let stage = try await Stage.logging { $0.infoCenter.nowPlayingInfo = .track(1) }
        let commands = stage.session.commandCenter
        let rows: [(MemberName, RemoteCommand<Void>)] = [
            ("CanPlay", commands.play), ("CanPause", commands.pause), ("CanGoNext", commands.nextTrack),
            ("CanGoPrevious", commands.previousTrack),
        ]
        for state in NowPlayingPlaybackState.allCases {
            stage.session.infoCenter.playbackState = state
            for (name, command) in rows {
                command.isEnabled = true
                #expect(try await stage.get(name) == .boolean(true), "\(name) \(state)")
                command.isEnabled = false
                #expect(try await stage.get(name) == .boolean(false), "\(name) \(state)")
            }
        }
    }

    @Test func `a clock that runs shows a position within the track (R070, R079, F027, F029)`() async throws {
        let stage = try await Stage { $0.infoCenter.nowPlayingInfo = .track(1, length: .seconds(10)) }
        let center = stage.session.infoCenter
        let now = PlaybackTimeline.now
        for (timeline, position) in [
            (PlaybackTimeline(position: .seconds(3), instant: now), 3_000_000 as Int64),
            (PlaybackTimeline(position: .seconds(30), instant: now), 10_000_000),
            (PlaybackTimeline(position: .seconds(-1), instant: now), 0),
            (PlaybackTimeline(position: .seconds(1), instant: now - .seconds(60), isRunning: true), 10_000_000),
            (PlaybackTimeline(position: .seconds(2), instant: now + .seconds(60), isRunning: true), 2_000_000),
            (PlaybackTimeline(position: .seconds(5), instant: now - .seconds(60), rate: -1, isRunning: true), 0),
            (PlaybackTimeline(position: .seconds(5), instant: .zero, rate: .nan, isRunning: true), 10_000_000),
            (PlaybackTimeline(position: .seconds(5), instant: .zero, rate: .infinity, isRunning: true), 10_000_000),
        ] {
            center.timeline = timeline
            #expect(try await stage.get("Position") == .int64(position))
        }
        center.nowPlayingInfo = .track(2, length: nil)
        center.timeline = PlaybackTimeline(position: .seconds(Int64.max), instant: now)
        #expect(try await stage.get("Position") == .int64(.max))
    }

    @Test func `twice the rate is twice the position (R070, F076)`() {
        let timeline = PlaybackTimeline(position: .seconds(10), instant: .seconds(100), rate: 2, isRunning: true)
        #expect(timeline.position(at: .seconds(103), length: nil) == .seconds(16))
        #expect(timeline.position(at: .seconds(103), length: .seconds(15)) == .seconds(15))
        #expect(timeline.position(at: .seconds(99), length: nil) == .seconds(10))
    }

    // MARK: Writing

    @Test(arguments: ["None", "Track", "Playlist"])
    func `LoopStatus comes back as it was written, and echoes (R063, F067, F068, F069)`(word: String) async throws {
        let stage = try await obliging()
        stage.session.infoCenter.repeatMode = word == "None" ? .all : .off
        _ = try await stage.told()
        try await stage.set("LoopStatus", to: .string(word))
        #expect(try await stage.get("LoopStatus") == .string(word))
        #expect(try await stage.told() == [.player(["LoopStatus": .string(word)])])
    }

    @Test(arguments: [
        ("LoopStatus", BusValue.string("None")), ("Shuffle", .boolean(false)), ("Volume", .double(1)),
        ("Rate", .double(1)),
    ])
    func `writing what holds is success and silence (D20, C28)`(name: String, value: BusValue) async throws {
        let stage = try await obliging()
        try await stage.set(MemberName(name)!, to: value)
        #expect(try await stage.told() == [])
    }

    @Test(arguments: [
        // R076, F073: negative is 0.
        ("Volume", -1.0, 0.0), ("Volume", 0.37, 0.37), ("Volume", 1.5, 1), ("Volume", 1.0e300, 1),
        // D07: the nearest fit.
        ("Rate", 0.25, 0.5), ("Rate", 1.25, 1.25), ("Rate", 16, 2),
        // R067: 0 is Pause, and the rate stays.
        ("Rate", 0, 1),
    ])
    func `a number that is adjusted is told as it was taken (D07, D08, D20, F074, F075)`(
        name: String, written: Double, taken: Double
    ) async throws {
        let stage = try await obliging()
        try await stage.set(MemberName(name)!, to: .double(written))
        #expect(try await stage.get(MemberName(name)!) == .double(taken))
        var expected: [String: BusValue] = [name: .double(taken)]
        if written == 0, name == "Rate" { expected["PlaybackStatus"] = .string("Paused") }
        #expect(try await stage.told() == [.player(expected)])
        // A second time it does not change, and the slider has to snap back all the same.
        try await stage.set(MemberName(name)!, to: .double(written))
        #expect(try await stage.told() == (written == taken ? [] : [.player([name: .double(taken)])]))
    }

    @Test(arguments: [
        ("LoopStatus", BusValue.string("Foo")), ("LoopStatus", .string("")), ("LoopStatus", .string("none")),
        ("Volume", .double(.nan)), ("Volume", .double(.infinity)), ("Rate", .double(.nan)), ("Rate", .double(-1)),
        ("Rate", .double(.infinity)), ("Rate", .double(-.infinity)),
        ("LoopStatus", .int32(1)), ("Volume", .int32(1)), ("Volume", .string("1")), ("Rate", .int64(1)),
        ("Shuffle", .int32(1)), ("Shuffle", .string("true")),
    ])
    func `a senseless value or a wrong type is InvalidArgs and changes nothing (F072, D07)`(
        name: String, value: BusValue
    ) async throws {
        let stage = try await obliging()
        let before = try await stage.getAll()
        #expect(try await stage.error { try await stage.set(MemberName(name)!, to: value) } == .invalidArgs)
        #expect(try await stage.getAll() == before)
        #expect(try await stage.told() == [])
    }

    @Test(arguments: [
        ("LoopStatus", BusValue.string("Track"), BusValue.string("None")),
        ("Shuffle", .boolean(true), .boolean(false)), ("Volume", .double(0.5), .double(1)),
        ("Rate", .double(0.75), .double(1)),
    ])
    func `a refused write is an error, and what holds is told again (D20, F075)`(
        name: String, value: BusValue, held: BusValue
    ) async throws {
        let stage = try await Stage()
        let member = MemberName(name)!
        // Without a handler.
        #expect(try await stage.error { try await stage.set(member, to: value) } == .notSupported)
        #expect(try await stage.told() == [.player([name: held])])
        // With one that refuses.
        let commands = stage.session.commandCenter
        commands.changeRepeatMode.setHandler { _ in .commandFailed("no") }
        commands.changeShuffleMode.setHandler { _ in .commandFailed("no") }
        commands.changeVolume.setHandler { _ in .commandFailed("no") }
        commands.changePlaybackRate.setHandler { _ in .commandFailed("no") }
        #expect(try await stage.error { try await stage.set(member, to: value) } == .failed)
        #expect(try await stage.told() == [.player([name: held])])
    }

    @Test func `a volume that is set later is told once, when it is set`() async throws {
        let stage = try await Stage()
        var finish: (@MainActor () -> Void)?
        let center = stage.session.infoCenter
        stage.session.commandCenter.changeVolume.setDeferredHandler { event, reply in
            finish = {
                center.volume = event.volume
                reply(.success)
            }
        }
        try await stage.set("Volume", to: .double(0.5))
        #expect(try await stage.told() == [])
        finish?()
        #expect(try await stage.told() == [.player(["Volume": .double(0.5)])])
    }

    @Test func `a rate of 0 on what cannot pause does nothing but snap back (R066, R067)`() async throws {
        let stage = try await obliging()
        stage.session.commandCenter.pause.isEnabled = false
        _ = try await stage.told()
        try await stage.set("Rate", to: .double(0))
        #expect(try await stage.told() == [.player(["Rate": .double(1)])])
        #expect(try await stage.get("PlaybackStatus") == .string("Playing"))
    }

    @Test(arguments: [
        "PlaybackStatus", "Metadata", "Position", "MinimumRate", "MaximumRate", "CanGoNext", "CanGoPrevious", "CanPlay",
        "CanPause", "CanSeek", "CanControl",
    ])
    func `what is only read cannot be written (R082)`(name: String) async throws {
        let stage = try await obliging()
        let name = MemberName(name)!
        let value = try await stage.get(name)
        #expect(try await stage.error { try await stage.set(name, to: value) } == .propertyReadOnly)
    }

    @Test(arguments: [
        (Stage.player, "Nope", ErrorName.unknownProperty), (Stage.root, "Volume", .unknownProperty),
        (Stage.trackList, "Tracks", .unknownInterface), (Stage.playlists, "PlaylistCount", .unknownInterface),
        ("org.example.Nope", "Volume", .unknownInterface),
    ])
    func `what is not there is named as the mistake it is (R123, F108)`(
        interface: InterfaceName, name: String, expected: ErrorName
    ) async throws {
        let stage = try await obliging()
        #expect(try await stage.error { _ = try await stage.get(MemberName(name)!, of: interface) } == expected)
        if expected == .unknownInterface {
            #expect(try await stage.error { _ = try await stage.getAll(interface) } == .unknownInterface)
        }
    }

    @Test func `GetAll answers from memory, quickly (F124, C19)`() async throws {
        let stage = try await Stage { $0.infoCenter.nowPlayingInfo = .full }
        let address = stage.bus.address
        let times = try await Task.detached {
            let client = try BlockingBus(to: address)
            let call = BusMessage.getAllProperties(of: Stage.player, at: Stage.path, destination: Stage.name)
            return try (0..<1000).map { _ in try ContinuousClock().measure { _ = try client.call(call) } }.sorted()
        }.value
        // KDE Connect grants half a second; this leaves room for a busy machine. The figure itself is a few 100 µs.
        #expect(times[500] < .milliseconds(10), "median \(times[500])")
        if getenv("MARTLET_FIGURES") != nil { print("GetAll: p50 \(times[500]), p99 \(times[990])") }
    }
}

extension NowPlayingInfo {
    /// A track of which everything is known.
    static var full: NowPlayingInfo {
        var info = NowPlayingInfo.track(1)
        info.artworkURL = "file:///cache/a%20b.png"
        info.artists = ["Ann", "Bob"]
        info.album = "Album"
        info.albumArtists = ["Ann"]
        info.trackNumber = 3
        info.discNumber = 1
        info.genres = ["Jazz"]
        info.composers = ["C"]
        info.lyricists = ["D"]
        info.contentCreated = "2007"
        info.beatsPerMinute = 120
        info.comments = ["fine"]
        info.lyrics = "la"
        info.userRating = 0.8
        info.autoRating = 0.5
        info.useCount = 0
        info.firstUsed = "2020-01-01T00:00:00Z"
        info.lastUsed = "2021-01-01T00:00:00Z"
        return info
    }
}
