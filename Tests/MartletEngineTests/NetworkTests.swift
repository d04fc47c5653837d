// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletEngine
import MartletTestSupport
import Testing

extension EngineTests {
    @MainActor
    @Suite("Network sources", .timeLimit(.minutes(1)))
    struct NetworkTests {
        /// The same sound with a title in its tags.
        private func tagged(_ path: String, title: String, in directory: ScratchDirectory) throws -> String {
            let output = directory.path + "/tagged-" + path.split(separator: "/").last!
            try Tool.run([
                "ffmpeg", "-nostdin", "-v", "error", "-y", "-i", path, "-c", "copy", "-metadata", "title=\(title)",
                "-metadata:s:a:0", "title=\(title)", output,
            ])
            return output
        }

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

        @Test(arguments: [ToneFile.Format.vorbis, .opus])
        func `a stream of chained Ogg tells each title, not the first alone (F209)`(format: ToneFile.Format)
            async throws
        {
            let directory = try ScratchDirectory()
            var body: [UInt8] = []
            let titles = ["One", "Two", "Three"]
            for (index, title) in titles.enumerated() {
                let path = try ToneFile.sine(300 + 50 * Double(index), for: .seconds(3)).write(
                    title, as: format, in: directory)
                body += try ScratchDirectory.read(tagged(path, title: title, in: directory))
            }
            let server = LoopbackServer(.stream(body, type: "application/ogg"))
            defer { server.close() }
            let (engine, log) = try await startedEngine()
            engine.load(EngineItem(entry: EntryID(1), uri: server.uri()), at: .zero, playing: true)
            for title in titles {
                try await log.next("title \(title)") {
                    if case .tagsChanged(EntryID(1), let tags) = $0 { tags.title == title } else { false }
                }
            }
            try await log.next("end") { $0.isEndOfStream }
        }

        @Test func `a stream without ICY titles tells the title in its own tags (F210)`() async throws {
            let directory = try ScratchDirectory()
            let path = try ToneFile.sine(440, for: .seconds(5)).write("tagged", as: .mp3, in: directory)
            let server = try LoopbackServer(
                .stream(ScratchDirectory.read(tagged(path, title: "In the Tag", in: directory)), type: "audio/mpeg"))
            defer { server.close() }
            let (engine, log) = try await startedEngine()
            engine.load(EngineItem(entry: EntryID(1), uri: server.uri()), at: .zero, playing: true)
            try await log.next("title") {
                if case .tagsChanged(_, let tags) = $0 { tags.title == "In the Tag" } else { false }
            }
            engine.stop()
        }

        @Test func `a connection that breaks is made again where it broke, and nothing is missing (F206)`() async throws
        {
            let tone = ToneFile.noise(frames: 8 * 44_100, seed: 95)
            let server = LoopbackServer(.breaking(tone.wav, after: 300_000, type: "audio/x-wav"))
            defer { server.close() }
            let (engine, log) = try await startedEngine()
            engine.load(EngineItem(entry: EntryID(1), uri: server.uri()), at: .zero, playing: true)
            try await log.started()
            let start = ContinuousClock.now
            try await log.next("end") { $0.isEndOfStream }
            let heard = ContinuousClock.now - start
            #expect(heard > .seconds(7.5), "it ended after \(heard)")
            #expect(!log.events.contains { if case .failed = $0 { true } else { false } })
            #expect(server.requests.count >= 2)
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
