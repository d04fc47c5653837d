// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus
internal import MartletLibrary
internal import MartletSQLite

/// Carries out searches, one after another, beside everything else the library is asked.
///
/// Who types sends a search with each letter: one that goes on when the same asker sends the next is stopped, and one that
/// has not begun never begins.
@MainActor
final class SearchDesk {
    private let library: LibraryLink
    /// What each asker wants now, and whether it is being looked for.
    private var latest: [BusName?: Int] = [:]
    private var running: (asker: BusName?, serial: Int)?
    private var serial = 0

    init(library: LibraryLink) {
        self.library = library
    }

    /// Does a search.
    ///
    /// - Throws: ``LibraryError/overtaken`` when the same asker has sent another since.
    func search<Found: Sendable>(
        for asker: BusName?, _ body: @Sendable (LibraryReader) async throws(LibraryError) -> Found
    ) async throws(LibraryError) -> Found {
        serial += 1
        let mine = serial
        latest[asker] = mine
        defer { if latest[asker] == mine { latest[asker] = nil } }
        let reader = try await library.searcher()
        // Opening took a while: a newer one may be the one that runs.
        guard latest[asker] == mine else { throw .overtaken }
        if let running, running.asker == asker { reader.interrupter.interrupt() }
        // One at a time: so long as one runs, the others can still be dropped.
        while running != nil {
            await withCheckedContinuation { waiting.append($0) }
            guard latest[asker] == mine else {
                letNextIn()
                throw .overtaken
            }
        }
        guard latest[asker] == mine else {
            letNextIn()
            throw .overtaken
        }
        running = (asker, mine)
        defer {
            running = nil
            letNextIn()
        }
        do throws(LibraryError) {
            return try await body(reader)
        } catch {
            throw latest[asker] == mine ? error : .overtaken
        }
    }

    private var waiting: [CheckedContinuation<Void, Never>] = []

    private func letNextIn() {
        if running == nil, !waiting.isEmpty { waiting.removeFirst().resume() }
    }
}
