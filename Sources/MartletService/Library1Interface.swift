// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletDBus
internal import MartletLibrary
internal import MartletProtocol

/// `org.martlet.Library1`: the collection. Its XML is `dbus/org.martlet.Library1.xml`.
///
/// Every method waits for the library's own queues, so every reply is deferred.
@MainActor
final class Library1Interface: OwnInterface {
    let library: LibraryLink
    let playing: LibraryPlaying
    let book: ListeningBook
    let searches: SearchDesk
    let covers: CoverDesk
    private let teller = PropertyTeller(MartletBus.library1)
    private weak var connection: BusConnection?

    init(library: LibraryLink, playing: LibraryPlaying, book: ListeningBook, covers: CoverDesk, player: Player) {
        self.library = library
        self.playing = playing
        self.book = book
        searches = SearchDesk(library: library)
        self.covers = covers
        library.observe { [weak self] in self?.tell($0) }
        player.observe { [weak self] _ in self?.tellProperties() }
    }

    func export(on connection: BusConnection) {
        connection.objects.export(
            InterfaceTable(
                MartletBus.library1,
                methods: lists + searching + folders + playlists + listening + surprises + art,
                properties: properties, signals: signals),
            at: MartletBus.path)
        self.connection = connection
        teller.begin(on: connection, with: rows)
    }

    // MARK: Properties and signals

    private var scanProgress: BusValue {
        let scans = library.scans
        let progress = scans?.progress ?? ScanProgress()
        let word: ScanWord = scans?.isScanning != true ? .idle : progress.phase == .walking ? .walking : .reading
        return .structure([
            .string(word.rawValue), .count(progress.found), .count(progress.wanted), .count(progress.read),
            .count(progress.failed), .double(progress.rate), .int64(progress.remaining?.microseconds ?? -1),
        ])
    }

    private var current: BusValue {
        let current = book.currentTrack
        return .structure([
            .id(current?.id), .boolean(current?.record.liked != nil),
            .int32(Int32(clamping: current?.record.rating ?? -1)),
        ])
    }

    private static let values: [(name: MemberName, type: BusType, value: @MainActor (Library1Interface) -> BusValue)] =
        [
            ("State", "s", { .string($0.library.state.rawValue) }),
            ("Problem", "s", { .string($0.library.problem) }),
            ("ScanProgress", "(suuuudx)", { $0.scanProgress }),
            ("Current", "(tbi)", { $0.current }),
        ]

    private var rows: [(MemberName, BusValue)] { Library1Interface.values.map { ($0.name, $0.value(self)) } }

    private var properties: [PropertyEntry] {
        Library1Interface.values.indices.map { index in
            let row = Library1Interface.values[index]
            return PropertyEntry(row.name, row.type) { [weak self] () throws(BusError) in
                guard let self else { throw .failed("going away") }
                return Library1Interface.values[index].value(self)
            }
        }
    }

    private let signals = [
        SignalEntry("TracksChanged", [Argument("tracks", "at")]), SignalEntry("PlaylistsChanged"),
        SignalEntry("RootsChanged"), SignalEntry("ContentChanged"),
    ]

    private func tellProperties() {
        teller.tell(rows)
    }

    private func tell(_ change: LibraryLink.Change) {
        switch change {
        case .state, .scan: break
        case .content: emit("ContentChanged")
        case .roots: emit("RootsChanged")
        case .tracks(let tracks): emit("TracksChanged", [.ids(tracks)])
        case .playlists: emit("PlaylistsChanged")
        }
        tellProperties()
    }

    private func emit(_ signal: MemberName, _ values: [BusValue] = []) {
        try? connection?.emit(signal, of: MartletBus.library1, at: MartletBus.path, values)
    }

    // MARK: Answering

    /// Rows told at once, at most.
    static let pageLimit = 1000

    static let page = [Argument("offset", "u"), Argument("limit", "u")]

    static func page(_ offset: BusValue, _ limit: BusValue) -> LibraryPage {
        LibraryPage(offset: Int(offset.uint32!), limit: min(Int(limit.uint32!), pageLimit))
    }

    /// A method that asks the library, and answers when it has.
    ///
    /// - Parameter body: May throw ``BusError`` and ``LibraryError``.
    func method(
        _ name: MemberName, _ arguments: [Argument] = [], _ out: [Argument] = [],
        _ body: @escaping @MainActor @Sendable (Library1Interface, [BusValue]) async throws -> [BusValue]
    ) -> MethodEntry {
        method(name, arguments, out) { me, values, _ in try await body(me, values) }
    }

    /// As the other, for what depends on who asks.
    func method(
        _ name: MemberName, _ arguments: [Argument], _ out: [Argument],
        _ body:
            @escaping @MainActor @Sendable (Library1Interface, [BusValue], _ sender: BusName?) async throws
            -> [BusValue]
    ) -> MethodEntry {
        MethodEntry(name, in: arguments, out: out) { [weak self] call throws(BusError) in
            guard let self else { throw .failed("going away") }
            let (values, sender) = (call.arguments, call.sender)
            let reply = call.deferReply()
            Task {
                do {
                    reply.reply(try await body(self, values, sender))
                } catch {
                    reply.fail(BusError(libraryFailure: error))
                }
            }
            return .deferred
        }
    }

    /// A word of a fixed few.
    func word<Word: RawRepresentable & CaseIterable>(
        _ value: BusValue, _ complaint: (String) -> String
    ) throws -> Word where Word.RawValue == String {
        try Word(word: value.string!, complaint: complaint)
    }
}

/// Words of `Library1.ScanProgress`.
enum ScanWord: String, CaseIterable {
    case idle
    case walking
    case reading
}
