// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletProtocol
internal import NowPlaying

/// Brings what somebody names into the queue: looked at off the main actor, queued on it, in the order asked.
@MainActor
final class Opener {
    private let player: Player
    private let expander: ArgumentExpander
    private let log: Log
    /// The last request's work: the next one starts when it is through, so that order is kept.
    private var last: Task<Void, Never>?

    init(player: Player, expander: ArgumentExpander, log: Log) {
        self.player = player
        self.expander = expander
        self.log = log
    }

    /// MPRIS' `OpenUri`: after the current entry, and plays.
    func open(uri: String, _ reply: @escaping @MainActor (RemoteCommandStatus) -> Void) {
        open([Array(uri.utf8)], in: [], mode: .open) { expansion, _ in
            reply(Opener.status(of: expansion))
        }
    }

    /// MPRIS' `AddTrack`: behind an entry or at the start, and perhaps the current one from now on.
    func add(
        uri: String, after: EntryID?, isCurrent: Bool, _ reply: @escaping @MainActor (RemoteCommandStatus) -> Void
    ) {
        open([Array(uri.utf8)], in: [], mode: .insert(after: after, isCurrent: isCurrent)) { expansion, _ in
            reply(Opener.status(of: expansion))
        }
    }

    private static func status(of expansion: Expansion) -> RemoteCommandStatus {
        guard expansion.items.isEmpty else { return .success }
        let problem = expansion.problems.first
        let message = problem.map { "\($0.what): \($0.reason)" } ?? tr("nothing there can be played")
        return switch problem?.kind {
        case .notFound: .noSuchContent(message)
        case .unsupported: .notSupported(message)
        default: .commandFailed(message)
        }
    }

    /// What opening does to the queue.
    enum Mode: Hashable {
        case replace
        case append
        case next
        case open
        /// Behind an entry or at the start.
        case insert(after: EntryID?, isCurrent: Bool)
        case insertAt(Int)
    }

    /// Opens paths, folders, playlists and URIs.
    ///
    /// - Parameters:
    ///   - folder: Where relative paths begin; empty refuses them.
    ///   - completion: Called when the queue has what could be opened, with the new entries.
    func open(
        _ arguments: [[UInt8]], in folder: [UInt8], mode: Mode,
        completion: @escaping @MainActor (Expansion, [EntryID]) -> Void
    ) {
        let before = last
        last = Task { [player, expander, log] in
            await before?.value
            let expansion = await expander.expand(arguments, in: folder)
            for problem in expansion.problems { log.warning("\(problem.what): \(problem.reason)") }
            completion(expansion, expansion.items.isEmpty ? [] : Opener.queue(expansion.items, mode, on: player))
        }
    }

    /// Queues what was looked up already, after what was asked for before.
    ///
    /// - Parameter completion: Called when the queue has it, with the new entries.
    func queue(_ items: [ExpandedItem], mode: Mode, completion: @escaping @MainActor ([EntryID]) -> Void) {
        let before = last
        last = Task { [player] in
            await before?.value
            completion(Opener.queue(items, mode, on: player))
        }
    }

    private static func queue(_ items: [ExpandedItem], _ mode: Mode, on player: Player) -> [EntryID] {
        let entries = items.map {
            NewEntry(uri: $0.uri, start: $0.start, end: $0.end, albumKey: $0.albumKey)
        }
        let edit: QueueEdit =
            switch mode {
            case .replace: .replace(entries, startingAt: 0)
            case .append: .append(entries)
            case .next: .playNext(entries)
            case .open: .open(entries)
            case .insert(let after, _): .insert(entries, after: after)
            case .insertAt(let position): .insertAt(entries, position: position)
            }
        let wasIdle = player.machine.queue.isEmpty
        let first = player.machine.queue.upcomingID
        player.queue(edit, tags: items.map(\.tags))
        if case .insert(_, true) = mode { player.send(.goTo(EntryID(first))) }
        // Nothing was there: what is added is what to play.
        if wasIdle, mode == .append || mode == .next { player.send(.play) }
        return (first..<first + UInt64(entries.count)).map { EntryID($0) }
    }
}
