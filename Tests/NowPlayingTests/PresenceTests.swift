// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletDBus
import MartletTestSupport
import NowPlaying
import Testing

/// Appearing on a bus, sharing it, losing it.
@MainActor
@Suite("Presence", .timeLimit(.minutes(1)))
struct PresenceTests {
    private func owner(of name: BusName, _ observer: RecordingBus) async throws -> BusName? {
        let call = BusMessage.methodCall(
            destination: .bus, path: "/org/freedesktop/DBus", interface: .bus, member: "GetNameOwner",
            body: [.string(name.string)])
        do {
            return BusName(try await observer.reply(to: call).body[0].string!)
        } catch let error as BusError where error.name == .nameHasNoOwner {
            return nil
        }
    }

    @Test func `a client that asks the moment the name appears gets everything (R168, F031, F122)`() async throws {
        let bus = try PrivateBus()
        let watcher = try await BusConnection.connect(to: bus.address)
        var answers: [InterfaceName: [String]] = [:]
        var track: BusValue?
        let (done, finish) = AsyncStream<Void>.makeStream()
        let watch = watcher.watchName(Stage.name) { owner in
            guard owner != nil else { return }
            for interface in [Stage.root, Stage.player, Stage.trackList, Stage.playlists] {
                let call = BusMessage.getAllProperties(of: interface, at: Stage.path, destination: Stage.name)
                watcher.call(call) { result in
                    let map = try? result.get().body[0].dictionary
                    answers[interface] = map?.keys
                    if interface == Stage.player { track = map?["Metadata"] }
                    if answers.count == 4 { finish.finish() }
                }
            }
        }
        let session = NowPlayingSession(identity: Stage.identity)
        let deck = Deck(session)
        deck.offerTrackList()
        deck.offerPlaylists()
        deck.load(["restored"])
        try await session.activate(on: BusConnection.connect(to: bus.address))
        for await _ in done {}
        #expect(answers[Stage.root]?.count == 7)
        #expect(answers[Stage.player]?.count == 15)
        #expect(answers[Stage.trackList]?.count == 2)
        #expect(answers[Stage.playlists]?.count == 3)
        #expect(track?["xesam:title"] == .string("restored"))
        watch.cancel()
    }

    @Test func `activation announces nothing: clients read the state (C09)`() async throws {
        let bus = try PrivateBus()
        let observer = try RecordingBus(bus.address)
        let session = NowPlayingSession(identity: Stage.identity)
        session.infoCenter.nowPlayingInfo = .track(1)
        session.infoCenter.playbackState = .playing
        session.infoCenter.announceSeek(to: .seconds(5))
        try await session.activate(on: BusConnection.connect(to: bus.address))
        _ = try await observer.reply(
            to: .methodCall(destination: Stage.name, path: Stage.path, interface: .peer, member: "Ping"))
        #expect(observer.signals == [])
        #expect(session.busName == Stage.name)
    }

    @Test func `the object is on the tree, and only there (R004, R164)`() async throws {
        let stage = try await Stage()
        for (path, child) in [("/", "org"), ("/org", "mpris"), ("/org/mpris", "MediaPlayer2")] as [(ObjectPath, String)]
        {
            let xml = try await stage.call("Introspect", of: .introspectable, at: path)[0].string!
            #expect(xml.contains("<node name=\"\(child)\"/>"))
        }
        #expect(try await stage.error { try await stage.call("Play", at: "/org/mpris") } == .unknownMethod)
        #expect(try await stage.error { try await stage.call("Play", at: "/nowhere") } == .unknownObject)
        try await stage.call("Ping", of: .peer, at: "/nowhere")
    }

    // MARK: Names

    @Test func `a second copy takes a name of its own and never waits for the first's (R002, R003, R167, F116, F119)`()
        async throws
    {
        let stage = try await Stage()
        let second = NowPlayingSession(identity: Stage.identity)
        let name = BusName("org.mpris.MediaPlayer2.tune.instance\(getpid())")!
        let connection = try await BusConnection.connect(to: stage.bus.address)
        #expect(try await second.activate(on: connection) == .instance(name))
        #expect(second.busName == name)
        // F117: in another pid namespace the number may be the same.
        let third = NowPlayingSession(identity: Stage.identity)
        let thirdConnection = try await BusConnection.connect(to: stage.bus.address)
        guard case .instance(let other) = try await third.activate(on: thirdConnection) else {
            Issue.record("the third has no name")
            return
        }
        #expect(other != name)
        #expect(other.string.hasPrefix(name.string + "_"))
        // The first goes; the others keep their one name each.
        stage.session.deactivate()
        stage.connection.close()
        _ = try await stage.observer.message {
            $0.member == "NameOwnerChanged" && $0.body[0].string == Stage.name.string && $0.body[2].string == ""
        }
        #expect(try await owner(of: Stage.name, stage.observer) == nil)
        #expect(try await owner(of: name, stage.observer) == connection.uniqueName)
    }

    @Test func `two copies do not hear each other's commands or speak for each other (F139)`() async throws {
        let stage = try await Stage.logging()
        let second = NowPlayingSession(identity: Stage.identity)
        second.commandCenter.play.setHandler { _ in .commandFailed("second") }
        let connection = try await BusConnection.connect(to: stage.bus.address)
        try await second.activate(on: connection)
        stage.observer.clear()
        try await stage.call("Play")
        #expect(stage.log == ["play"])
        second.infoCenter.playbackState = .paused
        second.commit()
        let signal = try await stage.observer.signal("PropertiesChanged")
        #expect(signal.sender == connection.uniqueName)
    }

    @Test func `a separate instance leaves the plain name alone`() async throws {
        let bus = try PrivateBus()
        let observer = try RecordingBus(bus.address)
        let session = NowPlayingSession(identity: Stage.identity)
        let connection = try await BusConnection.connect(to: bus.address)
        let expected = BusName("org.mpris.MediaPlayer2.tune.instance\(getpid())")!
        #expect(try await session.activate(on: connection, isSeparateInstance: true) == .instance(expected))
        #expect(try await owner(of: Stage.name, observer) == nil)
    }

    @Test func `a name that is forbidden leaves a player without one (F118, R174)`() async throws {
        let bus = try PrivateBus(
            configuration: "<policy context=\"mandatory\"><deny own_prefix=\"org.mpris.MediaPlayer2\"/></policy>")
        let session = NowPlayingSession(identity: Stage.identity)
        let connection = try await BusConnection.connect(to: bus.address)
        guard case .nameless(let error) = try await session.activate(on: connection) else {
            Issue.record("the policy was not heeded")
            return
        }
        #expect(error.name == .accessDenied)
        #expect(session.busName == nil)
        // Reachable under its unique name all the same.
        let observer = try RecordingBus(bus.address)
        let call = BusMessage.getAllProperties(of: Stage.player, at: Stage.path, destination: connection.uniqueName)
        #expect(try await observer.reply(to: call).body[0].dictionary?.isEmpty == false)
    }

    // MARK: Leaving and losing

    @Test func `a deactivated session has given back name and object, and its connection lives`() async throws {
        let stage = try await Stage()
        stage.session.infoCenter.playbackState = .paused
        stage.session.deactivate()
        #expect(stage.session.busName == nil)
        #expect(stage.session.connection == nil)
        _ = try await stage.observer.message {
            $0.member == "NameOwnerChanged" && $0.body[2].string == ""
        }
        let call = BusMessage.methodCall(
            destination: stage.connection.uniqueName, path: Stage.path, interface: Stage.player, member: "Play")
        do {
            _ = try await stage.observer.reply(to: call)
            Issue.record("answered")
        } catch let error as BusError { #expect(error.name == .unknownObject) }
        stage.session.deactivate()
    }

    @Test func `a session that is let go has left`() async throws {
        let bus = try PrivateBus()
        let observer = try RecordingBus(bus.address)
        let connection = try await BusConnection.connect(to: bus.address)
        var session: NowPlayingSession? = NowPlayingSession(identity: Stage.identity)
        try await session?.activate(on: connection)
        weak let weakSession = session
        session = nil
        #expect(weakSession == nil)
        _ = try await observer.message {
            $0.member == "NameOwnerChanged" && $0.body[0].string == Stage.name.string && $0.body[2].string == ""
        }
        #expect(connection.objects.interfaces(at: Stage.path).isEmpty)
    }

    @Test func `a lost bus costs nothing but the connection; the state is there on the next (R169, F121)`() async throws
    {
        let stage = try await Stage.logging {
            $0.infoCenter.nowPlayingInfo = .track(1)
            $0.infoCenter.playbackState = .playing
        }
        let (lost, finish) = AsyncStream<Void>.makeStream()
        stage.connection.onDisconnect = { finish.finish() }
        stage.bus.kill()
        for await _ in lost {}
        // Playing on without a bus: nothing piles up to be told late.
        stage.session.infoCenter.nowPlayingInfo = .track(2)
        stage.session.infoCenter.announceSeek(to: .seconds(3))
        stage.session.commit()
        stage.session.deactivate()
        stage.session.infoCenter.announceSeek(to: .seconds(4))
        stage.session.infoCenter.volume = 0.5

        try stage.bus.start()
        let observer = try RecordingBus(stage.bus.address)
        #expect(try await stage.reconnect() == .owner(Stage.name))
        let call = BusMessage.getAllProperties(of: Stage.player, at: Stage.path, destination: Stage.name)
        let map = try await observer.reply(to: call).body[0]
        #expect(map["Metadata"]?["xesam:title"] == .string("Title 2"))
        #expect(map["PlaybackStatus"] == .string("Playing"))
        #expect(map["Volume"] == .double(0.5))
        #expect(observer.signals == [])
        // And it works as before.
        _ = try await observer.reply(
            to: .methodCall(destination: Stage.name, path: Stage.path, interface: Stage.player, member: "Next"))
        #expect(stage.log == ["next"])
        stage.session.infoCenter.playbackState = .paused
        _ = try await observer.signal("PropertiesChanged")
    }

    @Test func `a bus that goes away while the name is asked for is an error, and the session is inactive`()
        async throws
    {
        let bus = try PrivateBus()
        let connection = try await BusConnection.connect(to: bus.address)
        let session = NowPlayingSession(identity: Stage.identity)
        bus.freeze()
        let activation = Task { try await session.activate(on: connection) }
        while session.connection == nil { await Task.yield() }
        bus.kill()
        await #expect(throws: BusError.self) { try await activation.value }
        #expect(session.connection == nil)
        #expect(session.busName == nil)
    }

    @Test func `a session deactivated while it asks for the name does not keep it`() async throws {
        let bus = try PrivateBus()
        let observer = try RecordingBus(bus.address)
        let connection = try await BusConnection.connect(to: bus.address)
        let session = NowPlayingSession(identity: Stage.identity)
        bus.freeze()
        let activation = Task { try await session.activate(on: connection) }
        while session.connection == nil { await Task.yield() }
        session.deactivate()
        bus.thaw()
        await #expect(throws: BusError.self) { try await activation.value }
        #expect(session.busName == nil)
        _ = try await observer.message {
            $0.member == "NameOwnerChanged" && $0.body[0].string == Stage.name.string && $0.body[2].string == ""
        }
    }

    @Test func `activated twice, the first connection is left for the second`() async throws {
        let stage = try await Stage()
        let first = stage.connection
        #expect(try await stage.reconnect() == .owner(Stage.name))
        #expect(first.objects.interfaces(at: Stage.path).isEmpty)
        #expect(try await owner(of: Stage.name, stage.observer) == stage.connection.uniqueName)
    }

    @Test func `signals go to everybody (R175)`() async throws {
        let stage = try await Stage()
        stage.session.infoCenter.playbackState = .playing
        let signal = try await stage.observer.signal("PropertiesChanged")
        #expect(signal.destination == nil)
        #expect(signal.path == Stage.path)
        #expect(signal.interface == .properties)
    }
}
