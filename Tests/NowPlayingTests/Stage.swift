// SPDX-License-Identifier: Apache-2.0
import MartletDBus
import MartletTestSupport
import NowPlaying
import Testing

/// A session on a bus of its own, with a client beside it that records what the session says.
@MainActor
final class Stage {
    nonisolated static let name: BusName = "org.mpris.MediaPlayer2.tune"
    nonisolated static let path: ObjectPath = "/org/mpris/MediaPlayer2"
    nonisolated static let root: InterfaceName = "org.mpris.MediaPlayer2"
    nonisolated static let player: InterfaceName = "org.mpris.MediaPlayer2.Player"
    nonisolated static let trackList: InterfaceName = "org.mpris.MediaPlayer2.TrackList"
    nonisolated static let playlists: InterfaceName = "org.mpris.MediaPlayer2.Playlists"
    nonisolated static let noTrack: ObjectPath = "/org/mpris/MediaPlayer2/TrackList/NoTrack"

    nonisolated static let identity = NowPlayingIdentity(
        name: "tune", displayName: "Tune", desktopEntry: "tune", uriSchemes: ["file", "https"],
        mimeTypes: ["audio/flac"])

    let bus: PrivateBus
    private(set) var connection: BusConnection
    let observer: RecordingBus
    let session: NowPlayingSession
    /// What handlers were called with, in order.
    var log: [String] = []
    /// The player behind the session, kept alive.
    var deck: Deck?

    /// - Parameter prepare: Sets up the session before it appears.
    init(
        identity: NowPlayingIdentity = Stage.identity, configuration: String = "",
        prepare: @MainActor (NowPlayingSession) -> Void = { _ in }
    ) async throws {
        bus = try PrivateBus(configuration: configuration)
        connection = try await BusConnection.connect(to: bus.address)
        observer = try RecordingBus(bus.address)
        session = NowPlayingSession(identity: identity)
        prepare(session)
        #expect(try await session.activate(on: connection) == .owner(Stage.name))
        observer.clear()
    }

    /// A session whose every command has a handler that writes down what came.
    static func logging(prepare: @MainActor (NowPlayingSession) -> Void = { _ in }) async throws -> Stage {
        let stage = try await Stage(prepare: prepare)
        stage.logCommands()
        _ = try await stage.told()
        return stage
    }

    private func logCommands() {
        let commands = session.commandCenter
        let plain: [(String, RemoteCommand<Void>)] = [
            ("play", commands.play), ("pause", commands.pause), ("toggle", commands.togglePlayPause),
            ("stop", commands.stop), ("next", commands.nextTrack), ("previous", commands.previousTrack),
            ("raise", commands.raise), ("quit", commands.quit),
        ]
        for (word, command) in plain { take(command) { _ in word } }
        take(commands.skip) { "skip \($0.offset.in(.microseconds))" }
        take(commands.changePlaybackPosition) { "position \($0.position.in(.microseconds)) of \($0.trackID)" }
        take(commands.changePlaybackRate) { "rate \($0.rate)" }
        take(commands.changeRepeatMode) { "repeat \($0.mode)" }
        take(commands.changeShuffleMode) { "shuffle \($0.isShuffled)" }
        take(commands.changeVolume) { "volume \($0.volume)" }
        take(commands.openURI) { "open \($0.uri)" }
    }

    /// Gives a command a handler that writes down what came.
    func take<Event>(_ command: RemoteCommand<Event>, _ word: @escaping @MainActor (Event) -> String) {
        command.setHandler { [unowned self] event in
            log.append(word(event))
            return .success
        }
    }

    // MARK: The client's side

    /// Calls a method and gives back what it answers; an error reply is thrown.
    @discardableResult
    func call(
        _ member: MemberName, _ body: BusValue..., of interface: InterfaceName = Stage.player,
        at path: ObjectPath = path
    ) async throws -> [BusValue] {
        try await observer.reply(
            to: .methodCall(destination: Stage.name, path: path, interface: interface, member: member, body: body)
        ).body
    }

    /// The name of the error that something throws; `nil` when it works.
    func error(_ body: () async throws -> Void) async throws -> ErrorName? {
        do {
            try await body()
            return nil
        } catch let error as BusError {
            return error.name
        }
    }

    func get(_ property: MemberName, of interface: InterfaceName = Stage.player) async throws -> BusValue {
        let call = BusMessage.getProperty(property, of: interface, at: Stage.path, destination: Stage.name)
        return try await observer.reply(to: call).body[0].unwrapped
    }

    func set(_ property: MemberName, of interface: InterfaceName = Stage.player, to value: BusValue) async throws {
        let call = BusMessage.setProperty(
            property, of: interface, to: value, at: Stage.path, destination: Stage.name)
        _ = try await observer.reply(to: call)
    }

    func getAll(_ interface: InterfaceName = Stage.player) async throws -> [String: BusValue] {
        let call = BusMessage.getAllProperties(of: interface, at: Stage.path, destination: Stage.name)
        let map = try await observer.reply(to: call).body[0].dictionary!
        return Dictionary(uniqueKeysWithValues: map.keys.map { ($0, map[$0]!) })
    }

    /// What has been told since the last look: one connection keeps its order, so a ping answered means all is here.
    func told() async throws -> [Told] {
        try await call("Ping", of: .peer)
        defer { observer.clear() }
        return observer.signals.map(Told.init)
    }

    /// Takes the session to another connection, on the bus as it is now.
    func reconnect() async throws -> NowPlayingSession.Activation {
        connection = try await BusConnection.connect(to: bus.address)
        return try await session.activate(on: connection)
    }
}

/// A signal, in a form that tests write down.
enum Told: Hashable, CustomStringConvertible {
    case changed(InterfaceName, [String: BusValue], gone: [String])
    case signal(InterfaceName, MemberName, [BusValue])

    init(_ message: BusMessage) {
        guard message.interface == .properties, message.member == "PropertiesChanged" else {
            self = .signal(message.interface!, message.member!, message.body)
            return
        }
        let map = message.body[1].dictionary!
        self = .changed(
            InterfaceName(message.body[0].string!)!,
            Dictionary(uniqueKeysWithValues: map.keys.map { ($0, map[$0]!) }), gone: message.body[2].strings!)
    }

    static func player(_ values: [String: BusValue]) -> Told { .changed(Stage.player, values, gone: []) }
    static func root(_ values: [String: BusValue]) -> Told { .changed(Stage.root, values, gone: []) }
    static let tracks = Told.changed(Stage.trackList, [:], gone: ["Tracks"])
    static func seeked(_ position: Int64) -> Told { .signal(Stage.player, "Seeked", [.int64(position)]) }
    static func list(_ member: MemberName, _ body: BusValue...) -> Told { .signal(Stage.trackList, member, body) }

    var description: String {
        switch self {
        case .changed(let interface, let values, let gone): "\(interface) \(values) gone \(gone)"
        case .signal(_, let member, let body): "\(member) \(body)"
        }
    }
}

enum TimeUnit { case microseconds }

extension Duration {
    func `in`(_ unit: TimeUnit) -> Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}

extension TrackID {
    static func entry(_ number: UInt64) -> TrackID { TrackID(prefix: "/org/example/tune/entry", number: number) }
}

extension NowPlayingInfo {
    /// A track of a length, with what every track has.
    static func track(_ number: UInt64, title: String? = nil, length: Duration? = .seconds(200)) -> NowPlayingInfo {
        var info = NowPlayingInfo(trackID: .entry(number))
        info.title = title ?? "Title \(number)"
        info.url = "file:///music/\(number).flac"
        info.length = length
        return info
    }

    /// The map that the bus shall have for ``track(_:title:length:)``.
    static func map(_ number: UInt64, title: String? = nil, length: Int64? = 200_000_000) -> BusValue {
        var pairs: [(String, BusValue)] = [
            ("mpris:trackid", .objectPath(TrackID.entry(number).path)),
            ("xesam:url", .string("file:///music/\(number).flac")),
            ("xesam:title", .string(title ?? "Title \(number)")),
        ]
        if let length { pairs.append(("mpris:length", .int64(length))) }
        return .dict(pairs)
    }
}
