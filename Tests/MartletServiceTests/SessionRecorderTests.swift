// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletCore
import MartletSQLite
import MartletTestSupport
import Testing

@testable import MartletService

@MainActor
@Suite("Session recorder", .timeLimit(.minutes(1)))
struct SessionRecorderTests {
    /// What is recorded, and what came of it.
    @MainActor
    final class Desk {
        let folder = try! ScratchDirectory()
        let clock = ManualClock()
        var queue = sessionQueue(5)
        var playback = SessionPlayback()
        var notices: [SessionNotice] = []
        var recorder: SessionRecorder!
        var store: SessionStore!

        init(isBlocked: Bool = false) async throws {
            if isBlocked { try ScratchDirectory.write([1], to: folder.path + "/state") }
            store = await open(folder).store
            recorder = SessionRecorder(store: store, timekeeper: clock) { [unowned self] in
                SessionState(queue: queue.snapshot, playback: playback)
            }
            recorder.onNotice = { [unowned self] in notices.append($0) }
        }

        /// What a next start would find.
        func saved() async throws -> RestoredSession? {
            let copy = try ScratchDirectory()
            try Tool.run(["cp", "-a", folder.path + "/state", copy.path])
            let opened = await open(copy)
            try await opened.store.close()
            return opened.session
        }
    }

    @Test func `a change of the queue is on disk as soon as the disk has it`() async throws {
        let desk = try await Desk()
        desk.recorder.note()
        await desk.recorder.flush()
        desk.queue.append([.numbered(6)])
        desk.recorder.note()
        await desk.recorder.flush()
        #expect(try await desk.saved()?.queue.count == 6)
        #expect(desk.clock.waiting == 0)
        #expect(desk.notices.isEmpty)
    }

    @Test func `a position is written every few seconds at most, by one alarm`() async throws {
        let desk = try await Desk()
        desk.playback.status = .playing
        desk.recorder.note()
        await desk.recorder.flush()
        for second in 1...4 {
            desk.clock.advance(by: .seconds(1))
            desk.playback.position = .seconds(second)
            desk.recorder.note()
            #expect(desk.clock.waiting == 1)
        }
        #expect(try await desk.saved()?.playback.position == .zero)
        desk.clock.advance(by: .seconds(1))
        await desk.recorder.flush()
        #expect(try await desk.saved()?.playback.position == .seconds(4))
    }

    @Test func `while nothing changes no alarm runs`() async throws {
        let desk = try await Desk()
        desk.playback.status = .playing
        desk.recorder.note()
        await desk.recorder.flush()
        #expect(desk.clock.waiting == 1)
        desk.playback.status = .paused
        desk.recorder.note()
        await desk.recorder.flush()
        #expect(desk.clock.waiting == 0)
        desk.recorder.note()
        #expect(desk.clock.waiting == 0)
    }

    @Test func `a slider in motion is written at its end`() async throws {
        let desk = try await Desk()
        desk.recorder.note()
        await desk.recorder.flush()
        for step in 0..<50 {
            desk.playback.volume = Double(step) / 100
            desk.recorder.note()
        }
        #expect(desk.clock.waiting == 1)
        #expect(try await desk.saved()?.playback.volume == 1)
        desk.clock.advance(by: SessionRecorder.interval)
        await desk.recorder.flush()
        #expect(try await desk.saved()?.playback.volume == 0.49)
        #expect(desk.clock.waiting == 0)
    }

    @Test func `trouble is told once, tried again later, and its end is told`() async throws {
        let desk = try await Desk(isBlocked: true)
        for _ in 0..<3 {
            desk.queue.append([.numbered(1)])
            desk.recorder.note()
            await desk.recorder.flush()
        }
        #expect(desk.notices.count == 1)
        #expect(desk.clock.waiting == 1)
        unlink(desk.folder.path + "/state")
        desk.clock.advance(by: SessionRecorder.retryInterval)
        await desk.recorder.flush()
        #expect(desk.notices.last == .recovered)
        #expect(try await desk.saved()?.queue.count == 8)
    }

    @Test func `details are kept with their entry, also past trouble`() async throws {
        let desk = try await Desk(isBlocked: true)
        var tags = TrackTags()
        tags.title = "x"
        desk.recorder.note(TrackDetails(tags: tags), for: desk.queue.list[0])
        await desk.recorder.flush()
        unlink(desk.folder.path + "/state")
        await desk.recorder.flush()
        #expect(try await desk.store.details(of: Array(desk.queue.list)).count == 1)
    }

    @Test func `closing saves the last word and leaves ids without a gap`() async throws {
        let desk = try await Desk()
        desk.playback.position = .seconds(77)
        await desk.recorder.close()
        desk.queue.append([.numbered(1)])
        desk.recorder.note()
        await desk.recorder.close()
        let again = await open(desk.folder)
        #expect(again.session?.playback.position == .seconds(77))
        #expect(again.ids.upcoming == 6)
        #expect(again.session?.queue.count == 5)
    }
}
