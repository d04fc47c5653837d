// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletEngine
import MartletTestSupport
import Testing

extension EngineTests {
    @MainActor
    @Suite("Playing one item", .timeLimit(.minutes(1)))
    struct PlayingTests {
        @Test func `a load plays from its start to its end and tells length and seekability on the way`() async throws {
            let directory = try ScratchDirectory()
            let item = try ToneFile.noise(frames: 44_101, seed: 1).item(7, in: directory)
            let (engine, log) = try await startedEngine()
            engine.load(item, at: .zero, playing: true)
            try await log.ended()
            #expect(log.events.contains(.seekableChanged(item.entry, true)))
            let lengths = log.events.compactMap { event in
                if case .durationChanged(item.entry, let length) = event { length } else { nil }
            }
            // 44,101 frames at 44.1 kHz, which is no whole number of nanoseconds.
            #expect(lengths.count == 1 && abs(lengths[0].seconds - 44_101.0 / 44_100) < 1e-8)
            #expect(log.events.filter(\.isStarted).count == 1)
            #expect(log.events.filter(\.isEndOfStream) == [.endOfStream(item.entry)])
        }

        @Test func `a paused load stands prerolled at its position and plays on from there`() async throws {
            let directory = try ScratchDirectory()
            let item = try ToneFile.noise(frames: 4 * 44_100, seed: 2).item(1, as: .flac, in: directory)
            let (engine, log) = try await startedEngine()
            engine.load(item, at: .milliseconds(2_500), playing: false)
            try await log.paused()
            #expect(log.events.last == .paused(item.entry, position: .milliseconds(2_500)))
            #expect(engine.currentPosition() == .milliseconds(2_500))
            #expect(!log.events.contains { $0.isStarted })
            engine.play()
            try await log.started()
            let position = try #require(engine.currentPosition())
            #expect(position >= .milliseconds(2_500) && position < .milliseconds(3_500))
        }

        @Test func `a load at a position lets nothing be heard from before it`() async throws {
            let directory = try ScratchDirectory()
            let tone = ToneFile.noise(frames: 3 * 44_100, seed: 3)
            let item = try tone.item(1, as: .flac, in: directory)
            let capture = directory.path + "/heard.raw"
            let (engine, log) = try await startedEngine(.capture(to: capture))
            engine.load(item, at: .seconds(2), playing: true)
            try await log.ended()
            engine.stop()
            let heard = try capturedSamples(capture)
            #expect(heard == Array(tone.samples[(2 * 44_100 * 2)...]))
        }

        @Test func `pause and play keep the position`() async throws {
            let directory = try ScratchDirectory()
            let item = try ToneFile.noise(frames: 5 * 44_100, seed: 4).item(1, in: directory)
            let (engine, log) = try await startedEngine()
            engine.load(item, at: .seconds(1), playing: true)
            try await log.started()
            engine.pause()
            try await log.paused()
            let before = try #require(engine.currentPosition())
            engine.play()
            try await log.started()
            let after = try #require(engine.currentPosition())
            #expect(after >= before && after - before < .seconds(1))
        }

        @Test func `after a load or a stop nothing of what was loaded before is told`() async throws {
            let directory = try ScratchDirectory()
            let first = try ToneFile.noise(frames: 44_100, seed: 5).item(1, in: directory)
            let second = try ToneFile.noise(frames: 22_050, seed: 6).item(2, in: directory)
            let (engine, log) = try await startedEngine()
            for _ in 0..<20 {
                engine.load(first, at: .zero, playing: true)
                engine.load(second, at: .zero, playing: false)
            }
            engine.load(first, at: .zero, playing: true)
            engine.load(second, at: .zero, playing: true)
            try await log.ended()
            #expect(!log.events.contains { $0.entry == first.entry })
            engine.load(first, at: .zero, playing: true)
            engine.stop()
            engine.load(second, at: .zero, playing: false)
            try await log.paused()
            #expect(!log.events.contains { $0.entry == first.entry })
        }

        @Test func `every event comes outside the order that caused it`() async throws {
            let directory = try ScratchDirectory()
            let item = try ToneFile.noise(frames: 44_100, seed: 7).item(1, in: directory)
            let (engine, log) = try await startedEngine()
            var isGivingOrder = false
            var violations = 0
            log.onEvent = { _ in if isGivingOrder { violations += 1 } }
            func order(_ work: () -> Void) {
                isGivingOrder = true
                work()
                isGivingOrder = false
            }
            order { engine.load(item, at: .zero, playing: true) }
            try await log.started()
            order { engine.seek(to: .milliseconds(100), id: SeekID(1)) }
            order { engine.pause() }
            order { engine.setRate(1.5) }
            _ = try await log.landing(SeekID(1))
            order { engine.play() }
            try await log.ended()
            order { engine.stop() }
            #expect(violations == 0)
        }
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

extension EngineEvent {
    var entry: EntryID? {
        switch self {
        case .started(let entry, _), .paused(let entry, _), .durationChanged(let entry, _),
            .seekableChanged(let entry, _), .tookNext(let entry), .crossedEdge(let entry, _), .endOfStream(let entry),
            .buffering(let entry, _), .tagsChanged(let entry, _), .failed(let entry, _):
            entry
        case .ready, .unavailable, .landed, .volumeChanged: nil
        }
    }
}
