// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus
internal import MartletLibrary
internal import MartletProtocol
internal import NowPlaying

/// The library's playlists as MPRIS' Playlists.
///
/// MPRIS asks for them from memory, so their names and dates are kept here; entries are not. The two that are built in
/// are there before the library is, and without one.
@MainActor
final class PlaylistsBridge: NowPlayingPlaylistSource {
    private let library: LibraryLink
    private let playing: LibraryPlaying
    private var list: NowPlayingPlaylists?
    /// By number.
    private var known: [PlaylistID: Row] = [:]
    private var orders: [PlaylistOrdering: [Row]]
    private var reading: Task<Void, Never>?
    private var isStale = false

    private struct Row {
        /// `nil` while the library is not open.
        var id: PlaylistID?
        var shown: NowPlayingPlaylist
    }

    init(library: LibraryLink, playing: LibraryPlaying) {
        self.library = library
        self.playing = playing
        let builtIn = BuiltInPlaylist.allCases.map { Row(shown: NowPlayingPlaylist(id: $0.path, name: $0.name)) }
        orders = Dictionary(uniqueKeysWithValues: PlaylistOrdering.allCases.map { ($0, builtIn) })
        library.observe { [weak self] change in
            switch change {
            case .state, .playlists: self?.refresh()
            default: break
            }
        }
    }

    /// The playlists to offer, with their command taken.
    func makeList() -> NowPlayingPlaylists {
        let list = NowPlayingPlaylists(source: self)
        self.list = list
        playing.onChange = { [weak list] in list?.noteChange() }
        list.activate.setDeferredHandler { [weak self] event, reply in
            guard let self else { return reply(.success) }
            Task { reply(await self.activate(event.id)) }
        }
        return list
    }

    private func activate(_ path: ObjectPath) async -> RemoteCommandStatus {
        // Before the library is open there is nothing to play, and soon there is.
        await library.open()
        await reading?.value
        // MPRIS wants no error for an id that is nobody's.
        guard let row = orders[.user]?.first(where: { $0.shown.id == path }) else { return .success }
        guard let id = row.id else { return .commandFailed(tr("the library cannot be used: {0}", library.problem)) }
        do {
            _ = try await playing.play(playlist: id, .replace)
            return .success
        } catch {
            return .commandFailed(LibraryError.words(for: error))
        }
    }

    // MARK: NowPlayingPlaylistSource

    var playlistCount: Int { orders[.user]?.count ?? 0 }

    let orderings = PlaylistOrdering.allCases

    var activePlaylist: NowPlayingPlaylist? { playing.activePlaylist.flatMap { known[$0]?.shown } }

    func playlists(
        from index: Int, count: Int, ordering: PlaylistOrdering, reversed: Bool
    ) -> [NowPlayingPlaylist] {
        let rows = orders[ordering] ?? []
        guard index < rows.count else { return [] }
        let ordered = reversed ? rows.reversed() : rows
        return ordered[index..<index + min(count, rows.count - index)].map(\.shown)
    }

    // MARK: Memory

    /// Reads the playlists anew; what comes meanwhile is read by one more look.
    private func refresh() {
        guard library.isThere else { return }
        isStale = true
        guard reading == nil else { return }
        reading = Task { [weak self] in
            while let self, isStale {
                isStale = false
                await read()
            }
            self?.reading = nil
        }
    }

    private func read() async {
        guard let reader = try? await library.reader(),
            let byName = try? await reader.playlists(by: .alphabetical),
            let byPlace = try? await reader.playlists(by: .user)
        else { return }
        let byID = byPlace.sorted { $0.id < $1.id }
        func rows(_ lists: [PlaylistSummary]) -> [Row] {
            lists.map { Row(id: $0.id, shown: NowPlayingPlaylist(id: $0.path, name: $0.shownName)) }
        }
        // Sorting keeps the order of equals, so that a page has one beginning.
        orders = [
            .alphabetical: rows(byName), .user: rows(byPlace),
            .creationDate: rows(byID.sorted { $0.created < $1.created }),
            .modifiedDate: rows(byID.sorted { $0.changed < $1.changed }),
            .lastPlayDate: rows(byID.sorted { $0.played?.seconds ?? .min < $1.played?.seconds ?? .min }),
        ]
        for row in orders[.user] ?? [] {
            guard let id = row.id else { continue }
            if let before = known[id], before.shown != row.shown { list?.announceChange(of: row.shown) }
        }
        known = Dictionary((orders[.user] ?? []).map { ($0.id ?? PlaylistID(rawValue: 0), $0) }) { first, _ in first }
        list?.noteChange()
    }
}

/// A playlist that is always there.
enum BuiltInPlaylist: String, CaseIterable {
    case liked
    case recent

    var name: String {
        switch self {
        case .liked: tr("Liked")
        case .recent: tr("Recently added")
        }
    }

    /// The same with and without a library.
    var path: ObjectPath { ObjectPath(MartletBus.playlistPrefix + rawValue)! }
}

extension PlaylistSummary {
    var builtInPlaylist: BuiltInPlaylist? { builtIn.flatMap { BuiltInPlaylist(rawValue: $0) } }

    /// The name for people; of a built-in one in their language.
    var shownName: String { builtInPlaylist?.name ?? name }

    /// On MPRIS.
    var path: ObjectPath { builtInPlaylist?.path ?? ObjectPath(MartletBus.playlistPrefix + "\(id)")! }
}
