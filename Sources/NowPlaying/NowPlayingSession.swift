// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Glibc
public import MartletDBus

/// A program's presence in the desktop's media controls.
///
/// ```swift
/// let session = NowPlayingSession(identity: NowPlayingIdentity(name: "tune", displayName: "Tune"))
/// session.commandCenter.pause.setHandler { _ in player.pause(); return .success }
/// session.infoCenter.playbackState = .playing
/// try await session.activate()
/// ```
///
/// Everything is on the main actor and needs a running main queue (`dispatchMain()`). Set up the state and the handlers first,
/// then ``activate(on:isSeparateInstance:)``: clients read everything the moment the name appears.
@MainActor
public final class NowPlayingSession {
    /// Who the player is. What can be opened may become known late: a change is told like any other. The name on the bus
    /// counts when the session is activated.
    public var identity: NowPlayingIdentity { didSet { if identity != oldValue { dirt.mark() } } }
    /// What the desktop shows.
    public let infoCenter: NowPlayingInfoCenter
    /// What the desktop asks for.
    public let commandCenter: RemoteCommandCenter
    /// The queue, if it is to be shown. Kept alive; its source is not.
    public var trackList: NowPlayingTrackList? { didSet { offerTrackList(insteadOf: oldValue) } }
    /// The playlists, if there are any. Kept alive; their source is not.
    public var playlists: NowPlayingPlaylists? { didSet { offerPlaylists(insteadOf: oldValue) } }
    /// Runs when the bus goes away under a connection that ``activate(on:isSeparateInstance:)`` made itself. The session
    /// has been deactivated and keeps its state; activate it again when a bus may be there. A connection of the program's
    /// own says so itself.
    public var onBusLost: (@MainActor () -> Void)?

    /// The connection in use, while active.
    public private(set) var connection: BusConnection?
    /// The name owned, while there is one.
    public private(set) var busName: BusName?

    static let path: ObjectPath = "/org/mpris/MediaPlayer2"

    private let dirt: Dirt
    private var told: Snapshots?
    /// Properties to tell although they did not change: a write that was refused or adjusted (D20).
    private var repeated: Set<MemberName> = []
    /// The properties that the exported tables leave out.
    private var absent: Set<MemberName> = []

    /// Everything that is told when it changes.
    private struct Snapshots {
        var root: RootSnapshot
        var player: PlayerSnapshot
        var trackList: TrackListSnapshot
        var playlists: PlaylistsSnapshot
    }

    /// Whether anything may have changed since the last commit. Its own object, so that the centers need no session.
    @MainActor
    private final class Dirt {
        var isDirty = false
        var isScheduled = false
        weak var session: NowPlayingSession?

        func mark() {
            // While nobody listens nothing may pile up; whoever comes later reads the state.
            guard let session else { return }
            guard session.connection != nil else { return session.forgetPending() }
            isDirty = true
            guard !isScheduled else { return }
            isScheduled = true
            DispatchQueue.main.async { [self] in
                isScheduled = false
                self.session?.commit()
            }
        }
    }

    /// A session that is not on the bus yet.
    public init(identity: NowPlayingIdentity) {
        self.identity = identity
        let dirt = Dirt()
        self.dirt = dirt
        infoCenter = NowPlayingInfoCenter { dirt.mark() }
        commandCenter = RemoteCommandCenter { dirt.mark() }
        dirt.session = self
    }

    isolated deinit { deactivate() }

    // MARK: On the bus

    /// What came of an activation.
    public enum Activation: Hashable, Sendable {
        /// The name is ours.
        case owner(BusName)
        /// A second copy: the plain name is taken, this one is ours.
        case instance(BusName)
        /// On the bus without a name: a policy forbids it (sandboxes do). Nobody will find the player by itself.
        case nameless(BusError)
    }

    /// Appears on the bus: offers the objects, then asks for the name.
    ///
    /// - Parameters:
    ///   - connection: One the program has already; a new one to the session bus by default. Its `beforeReply` hook is
    ///     taken over: call ``commit()`` from your own, should you set one.
    ///   - isSeparateInstance: Take a name of a second copy even if the plain one is free.
    /// - Returns: Under which name the player can be found.
    /// - Throws: `BusError` when there is no bus, when it goes away meanwhile, or when the session is deactivated meanwhile.
    ///   The session is inactive then and keeps its state: try again later.
    @discardableResult
    public func activate(
        on connection: BusConnection? = nil, isSeparateInstance: Bool = false
    ) async throws(BusError) -> Activation {
        if let connection { return try await appear(on: connection, isSeparateInstance) }
        let connection = try await BusConnection.connect(to: .session)
        connection.onDisconnect = { [weak self, unowned connection] in
            guard let self, self.connection === connection else { return }
            deactivate()
            onBusLost?()
        }
        return try await appear(on: connection, isSeparateInstance)
    }

    private func appear(on connection: BusConnection, _ isSeparateInstance: Bool) async throws(BusError) -> Activation {
        deactivate()
        self.connection = connection
        forgetPending()
        told = snapshots
        absent = absentProperties
        let objects = connection.objects
        objects.export(rootTable(), at: NowPlayingSession.path)
        objects.export(playerTable(), at: NowPlayingSession.path)
        if let trackList { objects.export(trackListTable(trackList), at: NowPlayingSession.path) }
        if let playlists { objects.export(playlistsTable(playlists), at: NowPlayingSession.path) }
        objects.beforeReply = { [weak self] in self?.commit() }
        do throws(BusError) {
            return try await takeName(on: connection, isSeparateInstance: isSeparateInstance)
        } catch {
            if self.connection === connection { deactivate() }
            throw error
        }
    }

    /// Asks for a name and says whether it is ours. The session may have left the bus before the answer comes.
    private func take(_ name: BusName, on connection: BusConnection) async throws(BusError) -> Bool {
        let reply = try await connection.requestName(name)
        let isOurs = reply == .primaryOwner || reply == .alreadyOwner
        guard self.connection === connection else {
            if isOurs { release(name, on: connection) }
            throw .cancelled
        }
        if isOurs { busName = name }
        return isOurs
    }

    private func release(_ name: BusName, on connection: BusConnection) {
        let release = BusMessage.methodCall(
            destination: .bus, path: "/org/freedesktop/DBus", interface: .bus, member: "ReleaseName",
            body: [.string(name.string)], flags: .noReply)
        _ = try? connection.send(release)
    }

    private func takeName(on connection: BusConnection, isSeparateInstance: Bool) async throws(BusError) -> Activation {
        do throws(BusError) {
            // R167: names are asked for with DO_NOT_QUEUE, or a second copy would wait in silence.
            let identity = identity
            if !isSeparateInstance, try await take(identity.busName, on: connection) { return .owner(identity.busName) }
            // F117: inside a pid namespace two copies may have the same number.
            var suffix = "\(getpid())"
            for _ in 0..<16 {
                let name = identity.instanceName(suffix)
                if try await take(name, on: connection) { return .instance(name) }
                suffix = "\(getpid())_\(UInt32.random(in: 0 ... .max))"
            }
            return .nameless(BusError(.failed, "every name is taken"))
        } catch {
            // F118: a sandbox may forbid the name; the player plays all the same.
            guard error.name == .accessDenied else { throw error }
            return .nameless(error)
        }
    }

    /// Leaves the bus; what is pending is told first. The state stays, for another ``activate(on:isSeparateInstance:)``.
    public func deactivate() {
        guard let connection else { return }
        commit()
        self.connection = nil
        if let busName { release(busName, on: connection) }
        busName = nil
        told = nil
        for table in connection.objects.interfaces(at: NowPlayingSession.path) {
            connection.objects.unexport(table.name, at: NowPlayingSession.path)
        }
        connection.objects.beforeReply = nil
    }

    // MARK: Telling

    /// Compares the state with what was last told and tells the difference, now.
    ///
    /// At most one `PropertiesChanged` an interface: the track list's first, the Player's last, then `Seeked`. Runs by itself
    /// before every reply and at the end of the main queue's turn; call it where the moment matters.
    public func commit() {
        guard dirt.isDirty, let connection, let told else { return }
        dirt.isDirty = false
        let now = snapshots
        self.told = now
        offerAnew(on: connection)
        // Plasma fetches everything anew at a word of the track list, and misses what comes while it does.
        if let trackList {
            tellTrackList(trackList, ChangeSet(from: told.trackList, to: now.trackList).pairs, on: connection)
        }
        if let playlists {
            tellPlaylists(playlists, on: connection)
            tell(
                NowPlayingSession.playlistsInterface, ChangeSet(from: told.playlists, to: now.playlists), on: connection
            )
        }
        let repeated = self.repeated
        self.repeated.removeAll()
        let root = repeated.intersection(["Fullscreen"])
        tell(
            NowPlayingSession.rootInterface, ChangeSet(from: told.root, to: now.root, repeating: root), on: connection)
        tell(
            NowPlayingSession.playerInterface,
            ChangeSet(from: told.player, to: now.player, repeating: repeated.subtracting(root)), on: connection)
        for position in infoCenter.takeJumps() {
            try? connection.emit(
                "Seeked", of: NowPlayingSession.playerInterface, at: NowPlayingSession.path,
                [.int64(position.microseconds)])
        }
    }

    private func tell(_ interface: InterfaceName, _ changes: ChangeSet, on connection: BusConnection) {
        // A value that cannot be sent is a mistake of ours; a bus that is gone has its own way of saying so.
        try? connection.objects.propertiesChanged(
            NowPlayingSession.path, interface, changed: changes.pairs, invalidated: changes.gone)
        announced.formUnion(changes.pairs.map(\.0))
    }

    private func forgetPending() {
        repeated.removeAll()
        _ = infoCenter.takeJumps()
        _ = trackList?.takeAnnouncements()
        _ = playlists?.takeChanges()
        dirt.isDirty = false
    }

    /// Properties told since a write began: what a handler has committed itself is not told twice.
    var announced: Set<MemberName> = []

    /// D20: a slider that was refused or adjusted snaps back only if it is told what holds.
    func repeatUnless(_ isTaken: Bool, _ name: MemberName) {
        guard !isTaken, !announced.contains(name) else { return }
        repeated.insert(name)
        dirt.mark()
    }

    // MARK: Snapshots

    var canSeek: Bool { commandCenter.changePlaybackPosition.isOffered && infoCenter.nowPlayingInfo != nil }

    private var snapshots: Snapshots {
        Snapshots(
            root: rootSnapshot, player: playerSnapshot,
            trackList: TrackListSnapshot(canEditTracks: trackList?.addTrack.isOffered ?? false),
            playlists: playlistsSnapshot)
    }

    private var playerSnapshot: PlayerSnapshot {
        PlayerSnapshot(
            playbackStatus: infoCenter.playbackState.rawValue, loopStatus: infoCenter.repeatMode?.rawValue,
            rate: infoCenter.shownRate, shuffle: infoCenter.isShuffled, metadata: infoCenter.metadata,
            volume: infoCenter.shownVolume, minimumRate: infoCenter.shownRates.lowerBound,
            maximumRate: infoCenter.shownRates.upperBound, canGoNext: commandCenter.nextTrack.isOffered,
            canGoPrevious: commandCenter.previousTrack.isOffered, canPlay: commandCenter.play.isOffered,
            canPause: commandCenter.pause.isOffered, canSeek: canSeek)
    }

    private var rootSnapshot: RootSnapshot {
        let fullscreen = commandCenter.setFullscreen
        return RootSnapshot(
            canQuit: commandCenter.quit.isOffered,
            isFullscreen: fullscreen.hasHandler ? infoCenter.isFullscreen : nil, canSetFullscreen: fullscreen.isEnabled,
            canRaise: commandCenter.raise.isOffered, hasTrackList: trackList != nil, identity: identity)
    }

    var playlistsSnapshot: PlaylistsSnapshot {
        guard let source = playlists?.source else {
            return PlaylistsSnapshot(orderings: [PlaylistOrdering.user.rawValue])
        }
        // R127: at least one.
        let orderings = source.orderings.isEmpty ? [.user] : source.orderings
        return PlaylistsSnapshot(
            count: UInt32(clamping: source.playlistCount), orderings: orderings.map(\.rawValue),
            active: source.activePlaylist)
    }

    // MARK: What is optional

    /// R008: what the player has not is not there, neither as a value nor in the introspection.
    private var absentProperties: Set<MemberName> {
        var absent: Set<MemberName> = []
        if infoCenter.repeatMode == nil { absent.insert("LoopStatus") }
        if infoCenter.isShuffled == nil { absent.insert("Shuffle") }
        if !commandCenter.setFullscreen.hasHandler { absent.formUnion(["Fullscreen", "CanSetFullscreen"]) }
        if identity.desktopEntry == nil { absent.insert("DesktopEntry") }
        return absent
    }

    /// Whether the tables are to have a property.
    func isPresent(_ name: MemberName) -> Bool { !absent.contains(name) }

    private func offerAnew(on connection: BusConnection) {
        let now = absentProperties
        guard now != absent else { return }
        absent = now
        connection.objects.export(rootTable(), at: NowPlayingSession.path)
        connection.objects.export(playerTable(), at: NowPlayingSession.path)
    }

    private func offerTrackList(insteadOf old: NowPlayingTrackList?) {
        guard trackList !== old else { return }
        old?.changed = nil
        trackList?.changed = { [dirt] in dirt.mark() }
        if let connection {
            if let trackList {
                connection.objects.export(trackListTable(trackList), at: NowPlayingSession.path)
            } else {
                connection.objects.unexport(NowPlayingSession.trackListInterface, at: NowPlayingSession.path)
            }
            // A first list is told by HasTrackList; another one's entries are other entries.
            if old == nil { told?.trackList.canEditTracks = trackList?.addTrack.isOffered ?? false }
            if old != nil { trackList?.announceReplacement() }
        }
        dirt.mark()
    }

    private func offerPlaylists(insteadOf old: NowPlayingPlaylists?) {
        guard playlists !== old else { return }
        old?.changed = nil
        playlists?.changed = { [dirt] in dirt.mark() }
        if let connection {
            if let playlists {
                connection.objects.export(playlistsTable(playlists), at: NowPlayingSession.path)
            } else {
                connection.objects.unexport(NowPlayingSession.playlistsInterface, at: NowPlayingSession.path)
            }
            if old == nil { told?.playlists = playlistsSnapshot }
        }
        dirt.mark()
    }
}
