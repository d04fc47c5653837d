// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletDBus
internal import MartletProtocol

/// `org.martlet.Player1`: what MPRIS has no word for. Its XML is `dbus/org.martlet.Player1.xml`.
@MainActor
final class Player1Interface: OwnInterface {
    private let player: Player
    private let opener: Opener
    private let settings: SettingsDesk
    private let covers: CoverDesk
    private let quit: @MainActor () -> Void
    private let teller = PropertyTeller(MartletBus.player1)
    private var toldClock: PlaybackClock?

    init(
        player: Player, opener: Opener, settings: SettingsDesk, covers: CoverDesk,
        quit: @escaping @MainActor () -> Void
    ) {
        self.player = player
        self.opener = opener
        self.settings = settings
        self.covers = covers
        self.quit = quit
        player.observe { [weak self] _ in self?.tell() }
        settings.onChange = { [weak self] in self?.tell() }
    }

    /// Offers the interface on a connection, in place of the one before.
    func export(on connection: BusConnection) {
        connection.objects.export(table, at: MartletBus.path)
        teller.begin(on: connection, with: rows)
        toldClock = player.machine.clock
    }

    private func tell() {
        let clock = player.machine.clock
        // Steady play moves the timeline on as everybody expects; only a break in it is news.
        var breaks: [(MemberName, BusValue)] = []
        if clock != toldClock { breaks.append(("Timeline", timeline)) }
        teller.tell(rows, besides: breaks)
        toldClock = clock
    }

    // MARK: Values

    private var state: PlayerStateWord {
        let machine = player.machine
        switch machine.status {
        case .stopped: return .stopped
        case .paused: return .paused
        case .playing: return if case .buffering = machine.activity { .buffering } else { .playing }
        }
    }

    private var bufferPercent: UInt32 {
        if case .buffering(let percent) = player.machine.activity { UInt32(clamping: percent) } else { 100 }
    }

    private var error: BusValue {
        guard let failure = player.machine.problem?.failure else { return .structure([.string(""), .string("")]) }
        return .structure([.string(failure.cause.word), .string(failure.message)])
    }

    private var streamTitle: String { player.streamTags?.title ?? "" }

    private var timeline: BusValue {
        let now = player.timekeeper.now
        return .structure([
            .int64(player.position.microseconds), .int64(now.sinceOrigin.microseconds),
            .double(player.machine.clock.isRunning ? player.machine.rate : 0), .string(state.rawValue),
        ])
    }

    /// What changes and is announced, but for the timeline.
    private var rows: [(MemberName, BusValue)] {
        [
            ("State", .string(state.rawValue)), ("Error", error), ("BufferPercent", .uint32(bufferPercent)),
            ("Mute", .boolean(player.machine.isMuted)),
            ("ShuffleMode", .string(player.machine.queue.shuffleMode.rawValue)),
            ("StreamTitle", .string(streamTitle)), ("Config", settings.value),
        ]
    }

    // MARK: The table

    private var table: InterfaceTable {
        InterfaceTable(
            MartletBus.player1, methods: transport + [openFiles, setConfig, getArt], properties: changing + constant)
    }

    private var transport: [MethodEntry] {
        let player = player
        func order(_ name: MemberName, _ command: PlayerCommand) -> MethodEntry {
            MethodEntry(name) { _ in
                player.send(command)
                return .reply([])
            }
        }
        return [
            order("PreviousEntry", .previousEntry),
            order("RestartCurrent", .restart),
            MethodEntry("Skip", in: [Argument("offset", "x")]) { call in
                player.send(.seek(by: .microseconds(call.arguments[0].int64!)))
                return .reply([])
            },
            order("Prepare", .prepare),
            MethodEntry("Quit") { [quit] call in
                call.deferReply().reply()
                quit()
                return .deferred
            },
        ]
    }

    private var openFiles: MethodEntry {
        MethodEntry(
            "OpenFiles",
            in: [Argument("names", "aay"), Argument("working_directory", "ay"), Argument("mode", "s")],
            out: [Argument("accepted", "u"), Argument("problems", "a(ss)")]
        ) { [opener] call throws(BusError) in
            let mode = try OpenMode(word: call.arguments[2].string!) { tr("a mode is one of {0}", $0) }
            let names = call.arguments[0].array!.compactMap(\.bytes)
            let reply = call.deferReply()
            opener.open(names, in: call.arguments[1].bytes!, mode: Opener.Mode(mode)) { expansion, _ in
                reply.reply([.uint32(UInt32(clamping: expansion.items.count)), expansion.problemsValue])
            }
            return .deferred
        }
    }

    private var getArt: MethodEntry {
        MethodEntry(
            "GetArt", in: [Argument("side", "u")], out: [Argument("uri", "s")]
        ) { [player, covers] call throws(BusError) in
            let side = try CoverDesk.side(call.arguments[0])
            guard let picture = player.currentDetails?.artwork else {
                return .reply([.string("")])
            }
            let reply = call.deferReply()
            Task { reply.reply([.string(await covers.picture(picture, side: side)?.description ?? "")]) }
            return .deferred
        }
    }

    private var setConfig: MethodEntry {
        MethodEntry(
            "SetConfig", in: [Argument("name", "s"), Argument("value", "s")]
        ) { [settings] call throws(BusError) in
            let reply = call.deferReply()
            settings.set(call.arguments[0].string!, to: call.arguments[1].string!) { failure in
                if let failure { reply.fail(failure) } else { reply.reply() }
            }
            return .deferred
        }
    }

    private var changing: [PropertyEntry] {
        let player = player
        func told(
            _ name: MemberName, _ type: BusType, _ value: @escaping @MainActor @Sendable (Player1Interface) -> BusValue
        ) -> PropertyEntry {
            PropertyEntry(name, type) { [weak self] () throws(BusError) in
                guard let self else { throw .failed("going away") }
                return value(self)
            }
        }
        return [
            told("State", "s") { .string($0.state.rawValue) }, told("Error", "(ss)") { $0.error },
            told("BufferPercent", "u") { .uint32($0.bufferPercent) }, told("Timeline", "(xxds)") { $0.timeline },
            PropertyEntry(
                "Mute", "b", access: .readWrite, get: { .boolean(player.machine.isMuted) },
                set: { value in player.send(.setMuted(value.boolean!)) }),
            PropertyEntry(
                "ShuffleMode", "s", access: .readWrite, get: { .string(player.machine.queue.shuffleMode.rawValue) },
                set: { value throws(BusError) in
                    let mode = try ShuffleMode(word: value.string!) { tr("a shuffle mode is one of {0}", $0) }
                    player.send(.setShuffleMode(mode))
                }),
            told("StreamTitle", "s") { .string($0.streamTitle) }, told("Config", "a{ss}") { $0.settings.value },
        ]
    }

    private var constant: [PropertyEntry] {
        let settings = settings
        return [
            PropertyEntry("SupportedRates", "ad", emits: .constant) {
                .array([0.5, 0.75, 1, 1.25, 1.5, 1.75, 2].map { .double($0) }, of: .double)
            },
            PropertyEntry("SkipIntervals", "ax", emits: .constant) {
                .array([10_000_000, 30_000_000].map { .int64($0) }, of: .int64)
            },
            PropertyEntry("Version", "s", emits: .constant) { .string(martletVersion) },
            PropertyEntry("ConfigPath", "s", emits: .constant) { .string(settings.path) },
            PropertyEntry("Sink", "s", emits: .constant) { .string(settings.configuration.sink) },
        ]
    }
}

extension Expansion {
    /// What is wrong with what, for people: `a(ss)`.
    var problemsValue: BusValue {
        .array(problems.map { .structure([.string($0.what), .string($0.reason)]) }, of: "(ss)")
    }
}

extension Opener.Mode {
    init(_ mode: OpenMode) {
        switch mode {
        case .replace: self = .replace
        case .append: self = .append
        case .next: self = .next
        }
    }
}

extension EngineFailure.Cause {
    /// The word `Player1.Error` has for it.
    var word: String {
        switch self {
        case .notFound: "not-found"
        case .accessDenied: "access-denied"
        case .missingPlugin: "missing-plugin"
        case .unsupportedFormat: "unsupported-format"
        case .corrupt: "corrupt"
        case .network: "network"
        case .output: "output"
        case .timedOut: "timed-out"
        case .other: "other"
        }
    }
}
