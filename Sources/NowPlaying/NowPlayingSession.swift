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
    public let identity: NowPlayingIdentity
    /// What the desktop shows.
    public let infoCenter: NowPlayingInfoCenter
    /// What the desktop asks for.
    public let commandCenter: RemoteCommandCenter
    /// The queue, if it is to be shown.
    public var trackList: NowPlayingTrackList? { didSet { offerTrackList(insteadOf: oldValue) } }
    /// The playlists, if there are any.
    public var playlists: NowPlayingPlaylists? { didSet { offerPlaylists() } }

    /// The connection in use, while active.
    public private(set) var connection: BusConnection?
    /// The name owned, while there is one.
    public private(set) var busName: BusName?

    static let path: ObjectPath = "/org/mpris/MediaPlayer2"

    private let dirt: Dirt
    private var toldPlayer: [(MemberName, BusValue)] = []
    private var toldRoot: [(MemberName, BusValue)] = []
    private var toldPlaylists: [(MemberName, BusValue)] = []
    private var toldCanEdit = false
    /// Properties to tell although they did not change: a write that was refused or adjusted (D20).
    private var repeated: Set<MemberName> = []

    /// Whether anything may have changed since the last commit. Its own object, so that the centers need no session.
    @MainActor
    private final class Dirt {
        var isDirty = false
        var isScheduled = false
        weak var session: NowPlayingSession?

        func mark() {
            isDirty = true
            guard !isScheduled, session?.connection != nil else { return }
            isScheduled = true
            DispatchQueue.main.async { [self] in
                isScheduled = false
                session?.commit()
            }
        }
    }

    public init(identity: NowPlayingIdentity) {
        self.identity = identity
        let dirt = Dirt()
        self.dirt = dirt
        infoCenter = NowPlayingInfoCenter { dirt.mark() }
        commandCenter = RemoteCommandCenter { dirt.mark() }
        dirt.session = self
    }

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
    ///   - connection: One the program has already; a new one to the session bus by default. Its
    ///     ``ObjectTree/beforeReply`` is taken over: call ``commit()`` from your own, should you set one.
    ///   - isSeparateInstance: Take a name of a second copy even if the plain one is free.
    /// - Throws: When there is no bus. Keep the session and try again later: the state stays.
    @discardableResult
    public func activate(
        on connection: BusConnection? = nil, isSeparateInstance: Bool = false
    ) async throws(BusError) -> Activation {
        let connection = if let connection { connection } else { try await BusConnection.connect(to: .session) }
        deactivate()
        self.connection = connection
        noteTold()
        let objects = connection.objects
        objects.export(rootTable(), at: NowPlayingSession.path)
        objects.export(playerTable(), at: NowPlayingSession.path)
        if let trackList { objects.export(trackListTable(trackList), at: NowPlayingSession.path) }
        if let playlists { objects.export(playlistsTable(playlists), at: NowPlayingSession.path) }
        objects.beforeReply = { [weak self] in self?.commit() }
        return try await takeName(on: connection, isSeparateInstance: isSeparateInstance)
    }

    private func takeName(on connection: BusConnection, isSeparateInstance: Bool) async throws(BusError) -> Activation {
        do throws(BusError) {
            if !isSeparateInstance {
                // R167: DO_NOT_QUEUE, or a second copy would wait in silence.
                switch try await connection.requestName(identity.busName) {
                case .primaryOwner, .alreadyOwner:
                    busName = identity.busName
                    return .owner(identity.busName)
                case .exists, .inQueue: break
                }
            }
            // F117: inside a pid namespace two copies may have the same number.
            var suffix = "\(getpid())"
            for _ in 0..<16 {
                let name = identity.instanceName(suffix)
                let reply = try await connection.requestName(name)
                if reply == .primaryOwner || reply == .alreadyOwner {
                    busName = name
                    return .instance(name)
                }
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
        if let busName {
            let release = BusMessage.methodCall(
                destination: .bus, path: "/org/freedesktop/DBus", interface: .bus, member: "ReleaseName",
                body: [.string(busName.string)], flags: .noReply)
            _ = try? connection.send(release)
        }
        busName = nil
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
        guard dirt.isDirty, let connection else { return }
        dirt.isDirty = false
        if let trackList { tellTrackList(trackList, on: connection) }
        if let playlists { tellPlaylists(playlists, on: connection) }
        tell(NowPlayingSession.trackListInterface, trackListRows, &trackListTold, on: connection)
        if let snapshot = playlistsSnapshot {
            tell(NowPlayingSession.playlistsInterface, snapshot.rows, &toldPlaylists, on: connection)
        }
        tell(NowPlayingSession.rootInterface, rootSnapshot.rows, &toldRoot, on: connection)
        tell(NowPlayingSession.playerInterface, playerSnapshot.rows, &toldPlayer, on: connection)
        repeated.removeAll()
        for position in infoCenter.takeJumps() {
            try? connection.emit(
                "Seeked", of: NowPlayingSession.playerInterface, at: NowPlayingSession.path,
                [.int64(position.microseconds)])
        }
    }

    private var trackListTold: [(MemberName, BusValue)] = []
    private var trackListRows: [(MemberName, BusValue)] {
        trackList.map { [("CanEditTracks", .boolean($0.addTrack.isOffered))] } ?? []
    }

    private func tell(
        _ interface: InterfaceName, _ rows: [(MemberName, BusValue)], _ told: inout [(MemberName, BusValue)],
        on connection: BusConnection
    ) {
        let names = interface == NowPlayingSession.playerInterface ? repeated : []
        let changes = ChangeSet.between(told, rows, repeating: names)
        told = rows
        // A value that cannot be sent is a mistake of ours; a bus that is gone has its own way of saying so.
        try? connection.objects.propertiesChanged(NowPlayingSession.path, interface, changed: changes)
    }

    private func noteTold() {
        toldPlayer = playerSnapshot.rows
        toldRoot = rootSnapshot.rows
        toldPlaylists = playlistsSnapshot?.rows ?? []
        trackListTold = trackListRows
        repeated.removeAll()
        _ = infoCenter.takeJumps()
        _ = trackList?.takeAnnouncements()
        _ = playlists?.takeChanges()
        dirt.isDirty = false
    }

    /// D20: a slider that was refused or adjusted snaps back only if it is told what holds.
    func repeatUnless(_ isTaken: Bool, _ name: MemberName) {
        guard !isTaken else { return }
        repeated.insert(name)
        dirt.mark()
    }

    // MARK: Snapshots

    var canSeek: Bool { commandCenter.changePlaybackPosition.isOffered && infoCenter.nowPlayingInfo != nil }

    var playerSnapshot: PlayerSnapshot {
        PlayerSnapshot(
            playbackStatus: infoCenter.playbackState.rawValue, loopStatus: infoCenter.repeatMode?.rawValue,
            rate: infoCenter.rate, shuffle: infoCenter.isShuffled, metadata: infoCenter.metadata,
            volume: infoCenter.volume.isFinite ? max(infoCenter.volume, 0) : 0,
            minimumRate: infoCenter.rates.lowerBound, maximumRate: infoCenter.rates.upperBound,
            canGoNext: commandCenter.nextTrack.isOffered, canGoPrevious: commandCenter.previousTrack.isOffered,
            canPlay: commandCenter.play.isOffered, canPause: commandCenter.pause.isOffered, canSeek: canSeek)
    }

    var rootSnapshot: RootSnapshot {
        RootSnapshot(
            canQuit: commandCenter.quit.isOffered, canRaise: commandCenter.raise.isOffered,
            hasTrackList: trackList != nil,
            isFullscreen: commandCenter.setFullscreen.hasHandler ? infoCenter.isFullscreen : nil)
    }

    var playlistsSnapshot: PlaylistsSnapshot? {
        guard let source = playlists?.source else { return nil }
        return PlaylistsSnapshot(
            count: UInt32(clamping: source.playlistCount), orderings: source.orderings.map(\.rawValue),
            active: source.activePlaylist)
    }

    // MARK: Optional interfaces

    private func offerTrackList(insteadOf old: NowPlayingTrackList?) {
        trackList?.changed = { [dirt] in dirt.mark() }
        trackListTold = trackListRows
        if let connection {
            if let trackList {
                connection.objects.export(trackListTable(trackList), at: NowPlayingSession.path)
            } else {
                connection.objects.unexport(NowPlayingSession.trackListInterface, at: NowPlayingSession.path)
            }
        }
        dirt.mark()
    }

    private func offerPlaylists() {
        playlists?.changed = { [dirt] in dirt.mark() }
        toldPlaylists = playlistsSnapshot?.rows ?? []
        if let connection {
            if let playlists {
                connection.objects.export(playlistsTable(playlists), at: NowPlayingSession.path)
            } else {
                connection.objects.unexport(NowPlayingSession.playlistsInterface, at: NowPlayingSession.path)
            }
        }
        dirt.mark()
    }
}
