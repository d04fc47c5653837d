// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletEngine
import MartletTestSupport
import Testing

extension EngineTests {
    @MainActor
    @Suite("Network sources", .timeLimit(.minutes(1)))
    struct NetworkTests {
        @Test func `a file on a server plays, seeks and fills its buffer to the brim`() async throws {
            let tone = ToneFile.noise(frames: 20 * 44_100, seed: 91)
            let server = LoopbackServer(.serve(tone.wav))
            defer { server.close() }
            let (engine, log) = try await startedEngine()
            engine.load(EngineItem(entry: EntryID(1), uri: server.uri()), at: .seconds(3), playing: true)
            try await log.started()
            engine.seek(to: .seconds(12), id: SeekID(1))
            let landed = try await log.landing(SeekID(1))
            #expect(abs(landed.seconds - 12) <= 0.001)
            #expect(server.requests.first?.contains("Martlet") == true)
            // F198: what begins to fill ends full.
            let levels = log.events.compactMap { if case .buffering(_, let percent) = $0 { percent } else { nil } }
            #expect(levels.isEmpty || levels.contains(100))
            engine.stop()
        }

        @Test func `a station tells its name and each title whole, apostrophes too`() async throws {
            let directory = try ScratchDirectory()
            let path = try ToneFile.sine(440, for: .seconds(5)).write("loop", as: .mp3, in: directory)
            // F208.
            let titles = ["First Song", "Don't Stop 'Til It Ends"]
            let server = try LoopbackServer(
                .radio(ScratchDirectory.read(path), interval: 16_000, titles: titles, name: "Radio Test"))
            defer { server.close() }
            let (engine, log) = try await startedEngine()
            engine.load(EngineItem(entry: EntryID(1), uri: server.uri()), at: .zero, playing: true)
            try await log.next("second title") {
                if case .tagsChanged(_, let tags) = $0 {
                    tags.title == titles[1] && tags.organization == "Radio Test"
                } else {
                    false
                }
            }
            #expect(log.events.contains(.seekableChanged(EntryID(1), false)))
            #expect(log.events.contains(.durationChanged(EntryID(1), nil)))
            // F202: after a pause it is opened anew.
            let before = server.requests.count
            engine.pause()
            try await log.paused()
            engine.play()
            try await log.started()
            #expect(server.requests.count > before)
            engine.stop()
        }

        // F185: the server has sent all the sound and keeps the connection open for more that never comes.
        @Test func `an end that the source does not tell is noticed`() async throws {
            let directory = try ScratchDirectory()
            // More than the 2 MiB that are buffered before sound begins.
            let path = try ToneFile.noise(frames: 7 * 96_000, seed: 93, sampleRate: 96_000, amplitude: 32_000)
                .write("held", as: .flac, in: directory)
            let bytes = try ScratchDirectory.read(path)
            let server = LoopbackServer(.stall(bytes, promised: bytes.count + 50_000, type: "audio/flac"))
            defer { server.close() }
            let (engine, log) = try await startedEngine()
            engine.load(EngineItem(entry: EntryID(1), uri: server.uri()), at: .zero, playing: true)
            try await log.started()
            try await log.next("endOfStream", within: .seconds(10)) { $0.isEndOfStream || $0.failure != nil }
            #expect(log.events.last == .endOfStream(EntryID(1)))
        }

        // F205.
        @Test func `a connection that dries up half-way is given up by the watchdog`() async throws {
            let tone = ToneFile.noise(frames: 30 * 44_100, seed: 94)
            let server = LoopbackServer(
                .stall(Array(tone.wav.prefix(700_000)), promised: tone.wav.count, type: "audio/x-wav"))
            defer { server.close() }
            var options = EngineOptions()
            options.watchdog = .seconds(1)
            let (engine, log) = try await startedEngine(.null, options)
            engine.load(EngineItem(entry: EntryID(1), uri: server.uri()), at: .zero, playing: true)
            let failure = try await log.failure()
            #expect(failure.cause == .timedOut || failure.cause == .network)
        }

        // F199.
        @Test func `what a left source still tells of its buffer is not told of the next`() async throws {
            let directory = try ScratchDirectory()
            let tone = ToneFile.noise(frames: 30 * 44_100, seed: 95)
            let server = LoopbackServer(
                .stall(Array(tone.wav.prefix(300_000)), promised: tone.wav.count, type: "audio/x-wav"))
            defer { server.close() }
            let (engine, log) = try await startedEngine()
            engine.load(EngineItem(entry: EntryID(1), uri: server.uri()), at: .zero, playing: true)
            try await log.next("buffering") { if case .buffering = $0 { true } else { false } }
            let item = try ToneFile.noise(frames: 22_050, seed: 96).item(2, in: directory)
            engine.load(item, at: .zero, playing: true)
            try await log.ended()
            #expect(!log.events.contains { if case .buffering(EntryID(2), _) = $0 { true } else { false } })
        }
    }
}
