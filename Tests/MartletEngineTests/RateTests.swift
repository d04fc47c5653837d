// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletEngine
import MartletTestSupport
import Testing

extension EngineTests {
    @MainActor
    @Suite("Rate", .timeLimit(.minutes(1)))
    struct RateTests {
        /// Times a tone's period rises through zero, a second, over the middle of a capture.
        private func frequency(_ samples: [Int16], sampleRate: Int = 44_100) -> Double {
            let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
            let part = left[left.count / 4..<left.count * 3 / 4]
            let rises = zip(part, part.dropFirst()).count { $0 < 0 && $1 >= 0 }
            return Double(rises) * Double(sampleRate) / Double(part.count)
        }

        @Test(arguments: [0.5, 0.75, 1.5, 2.0])
        func `a rate changes the length and not the pitch`(rate: Double) async throws {
            let directory = try ScratchDirectory()
            let item = try ToneFile.sine(500, for: .seconds(8)).item(1, as: .flac, in: directory)
            let capture = directory.path + "/heard.raw"
            let (engine, log) = try await startedEngine(.capture(to: capture))
            engine.setRate(rate)
            engine.load(item, at: .zero, playing: true)
            try await log.ended()
            let heard = try capturedSamples(capture)
            let expected = Double(8 * 44_100) / rate
            let ratio = Double(heard.count / 2) / expected
            #expect(abs(ratio - 1) < 0.02)
            // Three cents are 0.17 %.
            let pitch = frequency(heard) / 500
            #expect(abs(pitch - 1) < 0.006)
        }

        // F244, F246, F079.
        @Test func `a change of rate applies at once, keeps the position and sets its slope`() async throws {
            let directory = try ScratchDirectory()
            let item = try ToneFile.noise(frames: 30 * 44_100, seed: 81).item(1, as: .flac, in: directory)
            let (engine, log) = try await startedEngine()
            engine.load(item, at: .seconds(10), playing: true)
            try await log.started()
            engine.setRate(2)
            #expect(await log.poll { engine.currentPosition() != nil })
            let clock = ContinuousClock()
            var start = (clock.now, try #require(engine.currentPosition()))
            #expect(start.1 >= .seconds(10) && start.1 < .seconds(11))
            // The position moves from the second buffer on.
            #expect(await log.poll { (engine.currentPosition() ?? .zero) > start.1 + .milliseconds(200) })
            start = (clock.now, try #require(engine.currentPosition()))
            #expect(await log.poll { clock.now - start.0 > .seconds(1) })
            let slope = (try #require(engine.currentPosition()) - start.1).seconds / (clock.now - start.0).seconds
            #expect(abs(slope - 2) < 0.1)
            engine.setRate(1)
            #expect(await log.poll { engine.currentPosition() != nil })
            #expect(try #require(engine.currentPosition()) < .seconds(14))
        }

        // F245.
        @Test func `a rate survives hand-overs without a gap`() async throws {
            let directory = try ScratchDirectory()
            let items = try (0..<3).map {
                try ToneFile.sine(500, for: .seconds(4)).item(UInt64($0), as: .flac, in: directory)
            }
            let capture = directory.path + "/heard.raw"
            let (engine, log) = try await startedEngine(.capture(to: capture, isPaced: true))
            engine.setRate(1.5)
            try await playThrough(items, on: engine, log)
            let heard = try capturedSamples(capture)
            #expect(log.events.filter(\.isCrossedEdge).count == 2)
            let expected = Double(12 * 44_100) / 1.5
            let ratio = Double(heard.count / 2) / expected
            #expect(abs(ratio - 1) < 0.02)
            let pitch = frequency(heard) / 500
            #expect(abs(pitch - 1) < 0.006)
        }

        @Test func `a rate set and taken back leaves the samples as they are`() async throws {
            let directory = try ScratchDirectory()
            let tone = ToneFile.noise(frames: 3 * 44_100, seed: 82)
            let item = try tone.item(1, as: .flac, in: directory)
            let capture = directory.path + "/heard.raw"
            let (engine, log) = try await startedEngine(.capture(to: capture))
            engine.setRate(1.7)
            engine.load(item, at: .zero, playing: false)
            try await log.paused()
            engine.setRate(1)
            engine.seek(to: .seconds(1), id: SeekID(1))
            _ = try await log.landing(SeekID(1))
            engine.play()
            try await log.ended()
            let heard = try capturedSamples(capture)
            #expect(heard.suffix(tone.samples.count - 88_200) == tone.samples[88_200...])
        }
    }
}
