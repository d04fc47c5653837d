// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Glibc
public import MartletCore
internal import MartletDBus
internal import MartletLoop
public import MartletProtocol
internal import NowPlaying

/// The service: its rooms joined, started, and ended.
@MainActor
public final class Service {
    /// What an executable chooses.
    public struct Parts {
        public var engine: any PlaybackEngine
        /// Plays nowhere, in real time: for somebody who watches and has no sound device.
        public var makeSilentEngine: @MainActor () -> any PlaybackEngine
        public var tagReader: any TagReader
        public var encoder: any AudioFileEncoder
        public var scaler: any ImageScaler

        public init(
            engine: any PlaybackEngine, makeSilentEngine: @escaping @MainActor () -> any PlaybackEngine,
            tagReader: any TagReader, encoder: any AudioFileEncoder, scaler: any ImageScaler
        ) {
            self.engine = engine
            self.makeSilentEngine = makeSilentEngine
            self.tagReader = tagReader
            self.encoder = encoder
            self.scaler = scaler
        }
    }

    private let options: Options
    private let configuration: Configuration
    private let log: Log
    private let player: Player
    private let details: EntryDetails
    private let artwork: ArtworkCache
    private let opener: Opener
    private let session: NowPlayingSession
    private let presence: BusPresence
    private let sessionLink: SessionLink?
    private let succession: Succession
    private var programWatch: ProgramWatch?
    private var makesRoom = false
    private let library: LibraryLink
    private var bridge: MPRISBridge?
    private let parts: Parts
    private var signals: SignalWatch?
    private let pagesTimer = MainTimer()
    private let lastTimer = MainTimer()
    private var isEnding = false
    private var hasLeft = false
    private let demo: DemoAlbum
    private var liveLine: LiveLine?

    /// - Parameters:
    ///   - configuration: With the options already in it.
    ///   - end: Called once, last, with the exit code.
    public init(
        options: Options, configuration: Configuration, configurationPath: String, folders: Folders,
        succession: Succession, parts: Parts, log: Log, end: @escaping @MainActor (ServiceExit) -> Void
    ) {
        self.options = options
        self.configuration = configuration
        self.log = log
        self.parts = parts
        self.succession = succession
        self.end = end
        let timekeeper = SystemTimekeeper()
        artwork = ArtworkCache(folder: folders.cache + "/artwork")
        details = EntryDetails(
            reader: DetailReader(reader: parts.tagReader, artwork: artwork, log: log),
            artworkLimit: configuration.artworkCacheLimit)
        var machine = PlayerMachine(
            queue: PlayQueue(seed: .random(in: 0 ... .max)), at: timekeeper.now)
        machine.previousRestarts = configuration.previous == .restart
        player = Player(
            machine: machine, engine: parts.engine, details: details, timekeeper: timekeeper, log: log)
        opener = Opener(player: player, expander: ArgumentExpander(), log: log)
        session = NowPlayingSession(
            identity: NowPlayingIdentity(
                name: MartletBus.player, displayName: "Martlet", desktopEntry: MartletBus.player,
                uriSchemes: MediaTypes.schemes, mimeTypes: MediaTypes.mimeTypes))
        demo = DemoAlbum(folder: folders.cache + "/demo", encoder: parts.encoder)
        let settings = SettingsDesk(configuration: configuration, path: configurationPath)
        weak var service: Service?
        library = LibraryLink(
            folder: folders.data, home: folders.home, isWriter: !options.isSeparateInstance,
            configuration: configuration, tags: parts.tagReader, timekeeper: timekeeper, log: log)
        let book = ListeningBook(player: player, library: library)
        let playing = LibraryPlaying(library: library, player: player, opener: opener)
        let covers = CoverDesk(
            reader: parts.tagReader, artwork: artwork, scaler: parts.scaler, log: log
        ) { [details] in details.trimArtwork() }
        let interfaces: [any OwnInterface] = [
            Player1Interface(player: player, opener: opener, settings: settings, covers: covers) {
                service?.finish(.clean)
            },
            Queue1Interface(player: player, opener: opener),
            Library1Interface(library: library, playing: playing, book: book, covers: covers, player: player),
        ]
        presence = BusPresence(
            session: session, interfaces: interfaces, isSeparateInstance: options.isSeparateInstance,
            patience: options.usesBus ? .limited(.seconds(30)) : .endless(every: .seconds(5)),
            timekeeper: timekeeper, log: log)
        bridge = MPRISBridge(
            player: player, session: session, opener: opener, book: book,
            playlists: PlaylistsBridge(library: library, playing: playing)
        ) { service?.finish(.clean) }
        playing.setFillsEmptyQueue(configuration.onEmpty == .library)
        settings.apply = { [player, library, playing, details] configuration in
            details.artworkLimit = configuration.artworkCacheLimit
            library.apply(configuration)
            playing.setFillsEmptyQueue(configuration.onEmpty == .library)
            player.setPreviousRestarts(configuration.previous == .restart)
        }
        let keepsSession = options.usesSession && !options.isSeparateInstance
        sessionLink = keepsSession ? SessionLink(path: folders.state + "/session.db", player: player, log: log) : nil
        presence.prepare = { [sessionLink] isOvertaken in await sessionLink?.restore(unless: isOvertaken) }
        presence.onGivenUp = { service?.finish(.startAgain) }
        service = self
    }

    private let end: @MainActor (ServiceExit) -> Void

    /// Begins: the bus first, then what is to be played. The caller runs the main queue afterwards.
    ///
    /// - Parameter folder: Where relative arguments begin.
    public func start(in folder: [UInt8]) async {
        // Off the main actor and the slowest part of a first sound: under way before anything else.
        if !options.arguments.isEmpty || options.playsDemo { parts.engine.start() }
        switch await presence.arrive() {
        case .present: break
        case .occupied: return handOver(from: folder)
        case .noBus(let error):
            guard !options.usesBus else {
                log.error(tr("no session bus: {0} (martletd --no-bus plays without one)", error.description))
                return end(.noBus)
            }
            log.notice(tr("no session bus: {0}; playing without", error.description))
            await sessionLink?.restore()
            presence.waitForBus()
        }
        // The names are on the bus: from here on nobody waits for the library.
        Task { await library.open() }
        listenToSignals()
        watchProgram()
        releasePagesOnceStarted()
        if options.showsLiveLine { show() }
        if options.playsDemo { await playDemo() }
        if !options.arguments.isEmpty {
            let mode: Opener.Mode = options.playsDemo ? .append : .replace
            opener.open(options.arguments, in: folder, mode: mode) { _, _ in }
        }
    }

    /// Twice in a life: when the start is over, and when the first sound is.
    private func releasePagesOnceStarted() {
        pagesTimer.arm(after: .seconds(2)) { ProgramPages.release() }
        var hasPlayed = false
        player.observe { [pagesTimer, player] _ in
            guard !hasPlayed, player.machine.status == .playing else { return }
            hasPlayed = true
            pagesTimer.arm(after: .seconds(4)) { ProgramPages.release() }
        }
    }

    /// In front of somebody who watches: a machine without a sound device plays all the same, and says so.
    private func show() {
        liveLine = LiveLine(player: player)
        guard configuration.sink == "auto" else { return }
        var hasFallenBack = false
        player.observe { [weak self] _ in
            guard let self, !hasFallenBack, player.machine.problem?.failure.cause == .output else { return }
            hasFallenBack = true
            log.notice(tr("no sound device: playing into nothing, in real time (--sink chooses another output)"))
            DispatchQueue.main.async { [self] in
                player.replaceEngine(with: parts.makeSilentEngine())
                player.send(.play)
            }
        }
    }

    private func playDemo() async {
        do throws(DemoAlbum.Failure) {
            let files = try await demo.files()
            opener.open(files, in: [], mode: .replace) { _, _ in }
        } catch {
            log.error(tr("the demo album cannot be made: {0}", error.message))
        }
    }

    private func handOver(from folder: [UInt8]) {
        do throws(BusError) {
            for problem in try HandOver.send(options.arguments, from: folder) { log.warning(problem) }
            end(.clean)
        } catch {
            log.error(tr("a player is running but does not take the arguments: {0}", error.description))
            end(.fatal)
        }
    }

    private func listenToSignals() {
        signals = SignalWatch([SIGTERM, SIGINT, SIGHUP]) { [weak self] _ in self?.finish(.clean) }
        signal(SIGPIPE, SIG_IGN)
    }

    /// An upgrade is followed where nothing is lost by it: the session is kept, and nobody watches a line in front.
    private func watchProgram() {
        guard sessionLink != nil, !options.showsLiveLine else { return }
        programWatch = ProgramWatch(succession: succession, player: player, log: log) { [weak self] in
            guard let self, !isEnding else { return }
            makesRoom = true
            finish(.startAgain)
        }
    }

    /// Ends: silence, everybody told, the names given back.
    private func finish(_ code: ServiceExit) {
        guard !isEnding else { return }
        isEnding = true
        liveLine?.end()
        sessionLink?.freeze(goesOn: makesRoom && player.machine.status == .playing)
        player.send(.stop)
        player.settle()
        // A disk that hangs does not keep the process: what it missed is a few seconds of a position.
        lastTimer.arm(after: .milliseconds(800)) { [self] in leave(code) }
        Task { [self] in
            // Before the names are given back: whoever takes them next opens the same file.
            await sessionLink?.close()
            await library.close()
            leave(code)
        }
    }

    private func leave(_ code: ServiceExit) {
        guard !hasLeft else { return }
        hasLeft = true
        lastTimer.disarm()
        presence.leave()
        if makesRoom { succession.takePlace() }
        end(code)
    }
}
