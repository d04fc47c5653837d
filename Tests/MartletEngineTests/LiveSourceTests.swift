// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletTestSupport
import Testing

@testable import MartletEngine

extension EngineTests {
    @MainActor
    @Suite("Live sources", .timeLimit(.minutes(1)))
    struct LiveSourceTests {
        // What a live source says of its buffer is said here for it: no live source of GStreamer's own buffers on request.
        @Test func `a live source is not paused to fill a buffer, and another is (F200)`() async throws {
            let (engine, log) = try await startedEngine()
            let live = EngineItem(entry: EntryID(1), uri: MediaURI("testbin://audio,is-live=true")!)
            engine.load(live, at: .zero, playing: true)
            try await log.started()
            #expect(await log.poll { engine.source?.isLive == true })
            engine.receive(.buffering(percent: 5))
            #expect(engine.source?.orderedState == .playing && engine.source?.isBuffering == false)
            #expect(!log.events.contains { if case .buffering = $0 { true } else { false } })

            let directory = try ScratchDirectory()
            let item = try ToneFile.noise(frames: 20 * 44_100, seed: 99).item(2, in: directory)
            engine.load(item, at: .zero, playing: true)
            try await log.started()
            engine.receive(.buffering(percent: 5))
            #expect(engine.source?.orderedState == .paused && engine.source?.isBuffering == true)
            engine.receive(.buffering(percent: 100))
            #expect(engine.source?.orderedState == .playing)
            engine.stop()
        }
    }
}
