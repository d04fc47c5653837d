// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletEngine
import MartletTestSupport
import Testing

extension EngineTests {
    @MainActor
    @Suite("Ranges of one source", .timeLimit(.minutes(1)))
    struct RangeTests {
        private func ranges(_ uri: MediaURI, _ edges: [Duration?]) -> [EngineItem] {
            zip(edges, edges.dropFirst()).enumerated().map { index, edge in
                EngineItem(entry: EntryID(UInt64(index)), uri: uri, start: edge.0 ?? .zero, end: edge.1)
            }
        }

        // F228.
        @Test func `a range plays its own samples and no other`() async throws {
            let directory = try ScratchDirectory()
            let tone = ToneFile.noise(frames: 6 * 44_100, seed: 101)
            let uri = try tone.item(0, as: .flac, in: directory).uri
            let capture = directory.path + "/heard.raw"
            let (engine, log) = try await startedEngine(.capture(to: capture))
            let item = EngineItem(entry: EntryID(5), uri: uri, start: .seconds(2), end: .seconds(3))
            engine.load(item, at: .zero, playing: true)
            try await log.ended()
            let heard = try capturedSamples(capture)
            #expect(heard == Array(tone.samples[2 * 88_200..<3 * 88_200]))
            #expect(log.events.contains(.durationChanged(item.entry, .seconds(1))))
        }

        @Test func `position and seeks are relative to the range`() async throws {
            let directory = try ScratchDirectory()
            let uri = try ToneFile.noise(frames: 10 * 44_100, seed: 102).item(0, as: .flac, in: directory).uri
            let (engine, log) = try await startedEngine()
            let item = EngineItem(entry: EntryID(5), uri: uri, start: .seconds(4), end: .seconds(9))
            engine.load(item, at: .seconds(1), playing: false)
            try await log.paused()
            #expect(engine.currentPosition() == .seconds(1))
            engine.seek(to: .seconds(3), id: SeekID(1))
            let landed = try await log.landing(SeekID(1))
            #expect(landed == .seconds(3))
        }

        // F227.
        @Test func `ranges that follow each other in one source flow over without a seek`() async throws {
            let directory = try ScratchDirectory()
            let tone = ToneFile.noise(frames: 4 * 44_100, seed: 103)
            let uri = try tone.item(0, as: .flac, in: directory).uri
            let items = ranges(uri, [.zero, .milliseconds(1_200), .milliseconds(2_700), nil])
            let (engine, log) = try await startedEngine()
            var upcoming = items.dropFirst()
            log.onEvent = { if $0.isCrossedEdge { engine.prepareNext(upcoming.popFirst()) } }
            let start = ContinuousClock.now
            engine.load(items[0], at: .zero, playing: true)
            engine.prepareNext(upcoming.popFirst())
            try await log.ended()
            let crossed = log.events.filter(\.isCrossedEdge).compactMap(\.entry)
            #expect(crossed == [EntryID(1), EntryID(2)])
            #expect(log.events.filter(\.isStarted).count == 1)
            #expect(log.events.filter(\.isEndOfStream) == [.endOfStream(EntryID(2))])
            #expect(ContinuousClock.now - start > .milliseconds(3_900))
        }

        @Test func `a range whose follower is taken away stops at its end`() async throws {
            let directory = try ScratchDirectory()
            let uri = try ToneFile.noise(frames: 6 * 44_100, seed: 104).item(0, as: .flac, in: directory).uri
            let items = ranges(uri, [.zero, .seconds(2), nil])
            let (engine, log) = try await startedEngine()
            engine.load(items[0], at: .zero, playing: true)
            engine.prepareNext(items[1])
            try await log.started()
            engine.prepareNext(nil)
            try await log.ended()
            #expect(log.events.filter(\.isEndOfStream) == [.endOfStream(items[0].entry)])
            #expect(!log.events.contains { $0.isCrossedEdge })
        }
    }
}
