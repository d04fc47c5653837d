// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletCore
import MartletDBus
import MartletLibrary
import MartletProtocol
import MartletTestSupport
import NowPlaying
import Synchronization

@testable import MartletService

/// The service's joins on a private bus, with a fake engine, a clock turned by hand, and an observer.
@MainActor
final class Stage {
    let bus: PrivateBus
    let observer: RecordingBus
    let connection: BusConnection
    let clock = ManualClock()
    let engine = FakeEngine()
    let player: Player
    let session: NowPlayingSession
    let player1: Player1Interface
    let queue1: Queue1Interface
    let library: LibraryLink
    let library1: Library1Interface
    let book: ListeningBook
    /// What the library's scan reads.
    let tags: ScanTags
    let scratch: ScratchDirectory
    private let bridge: MPRISBridge
    private(set) var hasQuit = false
    /// What tags wait for; closed is open to them.
    private var gate: Int32 = -1

    static let playerInterface: InterfaceName = "org.mpris.MediaPlayer2.Player"
    static let mprisPath: ObjectPath = "/org/mpris/MediaPlayer2"

    /// - Parameters:
    ///   - titles: Tags by file name; a file without one is read as untagged.
    ///   - readsInstantly: Otherwise no tag comes before ``letTagsCome()``.
    ///   - scratch: Holds the library's folders; those of an earlier stage, for a restart.
    ///   - folders: Of the library, by the configuration.
    init(
        titles: [String: TrackTags] = [:], readsInstantly: Bool = true, scratch: ScratchDirectory? = nil,
        folders: [String] = Configuration.usualLibraryFolders, isWriter: Bool = true
    ) async throws {
        self.scratch = try scratch ?? ScratchDirectory()
        bus = try PrivateBus()
        connection = try await BusConnection.connect(to: bus.address)
        let log = Log(level: .error, hasJournal: false)
        var reader = FixedTags(titles: titles)
        if !readsInstantly {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw BusError.failed("no pipe") }
            (reader.gate, gate) = (ends[0], ends[1])
        }
        let artwork = ArtworkCache(folder: bus.directory + "/art")
        let details = EntryDetails(
            reader: DetailReader(reader: reader, artwork: artwork, log: log), artworkLimit: 1 << 20)
        let covers = CoverDesk(reader: reader, artwork: artwork, scaler: FixedScaler(), log: log) {
            details.trimArtwork()
        }
        player = Player(
            machine: PlayerMachine(queue: PlayQueue(seed: 3), at: clock.now), engine: engine, details: details,
            timekeeper: clock, log: log)
        let opener = Opener(player: player, expander: ArgumentExpander(), log: log)
        var configuration = Configuration()
        configuration.libraryFolders = folders
        tags = ScanTags(titles: titles)
        library = LibraryLink(
            folder: self.scratch.path + "/data", home: self.scratch.path, isWriter: isWriter,
            configuration: configuration, tags: tags, timekeeper: clock, log: log)
        book = ListeningBook(player: player, library: library)
        let playing = LibraryPlaying(library: library, player: player, opener: opener)
        session = NowPlayingSession(
            identity: NowPlayingIdentity(
                name: MartletBus.player, displayName: "Martlet", desktopEntry: MartletBus.player,
                uriSchemes: MediaTypes.schemes, mimeTypes: MediaTypes.mimeTypes))
        weak var stage: Stage?
        player1 = Player1Interface(
            player: player, opener: opener,
            settings: SettingsDesk(configuration: configuration, path: bus.directory + "/martlet.conf"),
            covers: covers
        ) { stage?.hasQuit = true }
        bridge = MPRISBridge(
            player: player, session: session, opener: opener, book: book,
            playlists: PlaylistsBridge(library: library, playing: playing)
        ) { stage?.hasQuit = true }
        queue1 = Queue1Interface(player: player, opener: opener)
        library1 = Library1Interface(library: library, playing: playing, book: book, covers: covers, player: player)
        player1.export(on: connection)
        library1.export(on: connection)
        queue1.export(on: connection)
        _ = try await connection.requestName(MartletBus.name)
        try await session.activate(on: connection)
        observer = try RecordingBus(bus.address)
        stage = self
    }

    isolated deinit { letTagsCome() }

    /// What waits for its tags gets them.
    func letTagsCome() {
        if gate >= 0 { close(gate) }
        gate = -1
    }

    /// Queues files without playing them.
    func queue(_ names: [String]) {
        player.send(.edit(.append(names.map { NewEntry(uri: MediaURI("file:///music/\($0)")!) })))
    }

    /// Lets the engine follow and tells its answers.
    func settle() {
        player.settle()
        engine.deliver()
        player.settle()
        engine.deliver()
    }

    /// Calls a method of MPRIS' Player.
    @discardableResult
    func call(_ member: MemberName, _ body: [BusValue] = []) async throws -> BusMessage {
        try await observer.reply(
            to: .methodCall(
                destination: MartletBus.mprisName, path: Stage.mprisPath, interface: Stage.playerInterface,
                member: member, body: body))
    }

    /// Calls a method of one of our own interfaces; an error comes back as its name.
    func ask(
        _ interface: InterfaceName, _ member: MemberName, _ body: [BusValue] = []
    ) async throws -> (body: [BusValue], error: String?) {
        let call = BusMessage.methodCall(
            destination: MartletBus.name, path: MartletBus.path, interface: interface, member: member, body: body)
        do {
            return (try await observer.reply(to: call).body, nil)
        } catch let error as BusError {
            return ([], error.name.string)
        }
    }

    func get(_ name: MemberName, _ interface: InterfaceName = Stage.playerInterface) async throws -> BusValue {
        let path = interface.string.hasPrefix("org.martlet.") ? MartletBus.path : Stage.mprisPath
        let message = BusMessage.getProperty(name, of: interface, at: path, destination: MartletBus.mprisName)
        return try await observer.reply(to: message).body[0].unwrapped
    }

    func set(_ name: MemberName, _ value: BusValue, _ interface: InterfaceName = Stage.playerInterface) async throws {
        let path = interface.string.hasPrefix("org.martlet.") ? MartletBus.path : Stage.mprisPath
        _ = try await observer.reply(
            to: .setProperty(name, of: interface, to: value, at: path, destination: MartletBus.mprisName))
    }

    /// What was announced on the MPRIS object since the last call, in order: property names, or a signal's name.
    func announced() async throws -> [String] {
        // A round trip: what was sent before has arrived.
        _ = try await get("PlaybackStatus")
        defer { observer.clear() }
        return observer.signals.filter { $0.path == Stage.mprisPath }.flatMap { signal -> [String] in
            guard signal.member == "PropertiesChanged" else { return [signal.member?.string ?? ""] }
            let names = signal.body[1].dictionary?.keys.sorted() ?? []
            return names + (signal.body[2].strings ?? []).map { "-" + $0 }
        }
    }
}

/// Tags that are known beforehand, at once or when the other end of a pipe is closed.
struct FixedTags: TagReader {
    var titles: [String: TrackTags]
    /// Left open: a thread may still wait for it when the test is over.
    var gate: Int32 = -1

    func read(path: [UInt8], wanted: TagReadingOptions) throws(TagReadError) -> TagReading {
        if gate >= 0 {
            var closing = pollfd(fd: gate, events: Int16(POLLIN), revents: 0)
            while poll(&closing, 1, -1) < 0 {}
        }
        let name = String(decoding: path.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
        return TagReading(tags: titles[name] ?? TrackTags())
    }
}

/// Gives a picture's claims, in the size asked for, and nothing of its pixels.
struct FixedScaler: ImageScaler {
    func scale(
        _ bytes: [UInt8], _ header: ImageHeader, width: Int, height: Int
    ) throws(ImageScalingError) -> [UInt8] {
        guard bytes.last != FixedScaler.damage else { throw ImageScalingError(message: "damaged") }
        return PictureFile.png(width: width, height: height)
    }

    /// A picture that ends with this cannot be decoded.
    static let damage: UInt8 = 0xDA
}

/// As ``FixedTags``, at once, and some files give nothing.
final class ScanTags: TagReader, Sendable {
    private let tags: FixedTags
    private let names = Mutex<Set<String>>([])

    init(titles: [String: TrackTags]) {
        tags = FixedTags(titles: titles)
    }

    /// Names of files that cannot be read.
    var failing: Set<String> {
        get { names.withLock { $0 } }
        set { names.withLock { $0 = newValue } }
    }

    func read(path: [UInt8], wanted: TagReadingOptions) throws(TagReadError) -> TagReading {
        let name = String(decoding: path.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
        if failing.contains(name) { throw .unsupported }
        return try tags.read(path: path, wanted: wanted)
    }
}
