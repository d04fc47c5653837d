// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletCore
import MartletEngine
import MartletTestSupport
import Testing

extension EngineTests {
    @MainActor
    @Suite("Failures", .timeLimit(.minutes(1)))
    struct FailureTests {
        /// Loads what cannot be played and gives the one failure, after which the engine must still play.
        private func failure(
            of uri: MediaURI, _ options: EngineOptions = EngineOptions(), sink: SinkDescription = .null
        ) async throws -> EngineFailure {
            let directory = try ScratchDirectory()
            let (engine, log) = try await startedEngine(sink, options)
            engine.load(EngineItem(entry: EntryID(1), uri: uri), at: .zero, playing: true)
            let failure = try await log.failure()
            let good = try ToneFile.noise(frames: 4_410, seed: 41).item(2, in: directory)
            engine.load(good, at: .zero, playing: true)
            try await log.ended()
            #expect(log.events.count { $0.failure != nil } == 1)
            #expect(failure.message.hasSuffix(".") && failure.message.first?.isUppercase == true)
            #expect(!failure.message.contains("/"), "a sentence for people names no path")
            return failure
        }

        private func file(_ name: String, _ bytes: [UInt8], in directory: ScratchDirectory) throws -> MediaURI {
            let path = directory.path + "/" + name
            try ScratchDirectory.write(bytes, to: path)
            return MediaURI(filePath: Array(path.utf8))!
        }

        @Test func `a file that does not exist is not found`() async throws {
            let uri = MediaURI(filePath: Array("/tmp/martlet-no-such-file.flac".utf8))!
            #expect(try await failure(of: uri).cause == .notFound)
        }

        // F233.
        @Test func `an empty file is no audio`() async throws {
            let directory = try ScratchDirectory()
            #expect(try await failure(of: file("empty.mp3", [], in: directory)).cause == .unsupportedFormat)
        }

        @Test func `a folder is no audio`() async throws {
            let directory = try ScratchDirectory()
            let uri = MediaURI(filePath: Array(directory.path.utf8))!
            #expect(try await failure(of: uri).cause == .unsupportedFormat)
        }

        @Test func `text under the name of a song is no audio`() async throws {
            let directory = try ScratchDirectory()
            let text = Array(String(repeating: "This is not a song but a letter.\n", count: 200).utf8)
            #expect(try await failure(of: file("song.mp3", text, in: directory)).cause == .unsupportedFormat)
        }

        @Test func `bytes without a meaning are no audio`() async throws {
            let directory = try ScratchDirectory()
            let noise = Array(ToneFile.noise(frames: 20_000, seed: 42, amplitude: 32_000).wav.dropFirst(44))
            let cause = try await failure(of: file("noise.ogg", noise, in: directory)).cause
            #expect(cause == .unsupportedFormat || cause == .corrupt)
        }

        @Test func `a scheme nobody handles names the missing plugin`() async throws {
            let cause = try await failure(of: MediaURI("gopher://127.0.0.1/1/song")!).cause
            guard case .missingPlugin(let name) = cause else {
                Issue.record("\(cause)")
                return
            }
            #expect(name.lowercased().contains("gopher"))
        }

        @Test(.enabled(if: geteuid() != 0, "root may read everything"))
        func `a file that may not be read is refused`() async throws {
            let directory = try ScratchDirectory()
            let uri = try file("secret.wav", ToneFile.noise(frames: 100, seed: 43).wav, in: directory)
            chmod(directory.path + "/secret.wav", 0)
            #expect(try await failure(of: uri).cause == .accessDenied)
        }

        @Test(arguments: [ToneFile.Format.flac, .mp3, .wav, .vorbis, .opus])
        func `a truncated file plays as far as it goes and ends`(format: ToneFile.Format) async throws {
            let directory = try ScratchDirectory()
            let path = try ToneFile.noise(frames: 4 * 44_100, seed: 44).write("whole", as: format, in: directory)
            let bytes = try ScratchDirectory.read(path)
            let uri = try file("half.\(format.fileExtension)", Array(bytes.prefix(bytes.count / 2)), in: directory)
            let (engine, log) = try await startedEngine()
            engine.load(EngineItem(entry: EntryID(1), uri: uri), at: .zero, playing: true)
            try await log.started()
            try await log.next("endOfStream") { $0.isEndOfStream || $0.failure != nil }
            #expect(log.events.last == .endOfStream(EntryID(1)))
        }

        // F235: a scratch in the middle is stepped over.
        @Test(arguments: [ToneFile.Format.flac, .mp3, .vorbis])
        func `damage in the middle of a file does not end it`(format: ToneFile.Format) async throws {
            let directory = try ScratchDirectory()
            let path = try ToneFile.noise(frames: 3 * 44_100, seed: 45).write("whole", as: format, in: directory)
            var bytes = try ScratchDirectory.read(path)
            for index in bytes.count / 2..<bytes.count / 2 + 3_000 {
                bytes[index] = UInt8(truncatingIfNeeded: index &* 37)
            }
            let uri = try file("scratched.\(format.fileExtension)", bytes, in: directory)
            let capture = directory.path + "/heard.raw"
            let (engine, log) = try await startedEngine(.capture(to: capture))
            engine.load(EngineItem(entry: EntryID(1), uri: uri), at: .zero, playing: true)
            try await log.next("endOfStream") { $0.isEndOfStream || $0.failure != nil }
            #expect(log.events.last == .endOfStream(EntryID(1)))
            let heard = try capturedSamples(capture).count / 2
            // The damage lies at 1.5 s; flacparse takes ten frames to be sure of itself again.
            #expect(heard > 2 * 44_100)
        }

        @Test func `a server that accepts and never answers is given up by the watchdog`() async throws {
            let server = LoopbackServer(.hang)
            defer { server.close() }
            var options = EngineOptions()
            options.watchdog = .milliseconds(300)
            let start = ContinuousClock.now
            #expect(try await failure(of: server.uri(), options).cause == .timedOut)
            #expect(ContinuousClock.now - start < .seconds(14))
        }

        @Test(arguments: [
            (404, EngineFailure.Cause.notFound), (403, .accessDenied), (401, .accessDenied), (500, .network),
        ])
        func `a server's refusal has its own cause`(status: Int, cause: EngineFailure.Cause) async throws {
            let server = LoopbackServer(.status(status))
            defer { server.close() }
            #expect(try await failure(of: server.uri()).cause == cause)
        }

        @Test func `a port where nobody listens is a network failure`() async throws {
            let server = LoopbackServer(.hang)
            let uri = server.uri()
            server.close()
            #expect(try await failure(of: uri).cause == .network)
        }

        @Test func `while the engine waits for a dead server the main actor is free`() async throws {
            let server = LoopbackServer(.hang)
            defer { server.close() }
            let (engine, log) = try await startedEngine()
            let item = EngineItem(entry: EntryID(1), uri: server.uri())
            var longest = Duration.zero
            for _ in 0..<20 {
                let start = ContinuousClock.now
                engine.load(item, at: .zero, playing: true)
                engine.pause()
                engine.play()
                engine.seek(to: .seconds(3), id: SeekID(1))
                _ = engine.currentPosition()
                engine.stop()
                longest = max(longest, ContinuousClock.now - start)
            }
            #expect(longest < .milliseconds(50))
            let directory = try ScratchDirectory()
            engine.load(try ToneFile.noise(frames: 4_410, seed: 46).item(2, in: directory), at: .zero, playing: true)
            try await log.ended()
        }

        // F192: what is heard is not cut off by the failure of what follows.
        @Test(arguments: ["missing", "text"])
        func `a next item that cannot be played lets the current one be heard to its end`(kind: String) async throws {
            let directory = try ScratchDirectory()
            let tone = ToneFile.noise(frames: 3 * 44_100, seed: 47)
            let item = try tone.item(1, as: .flac, in: directory)
            let text = Array(String(repeating: "Not a song.\n", count: 500).utf8)
            let bad =
                kind == "missing"
                ? MediaURI(filePath: Array((directory.path + "/gone.flac").utf8))!
                : try file("letter.mp3", text, in: directory)
            let capture = directory.path + "/heard.raw"
            let (engine, log) = try await startedEngine(.capture(to: capture, isPaced: true))
            engine.load(item, at: .zero, playing: true)
            engine.prepareNext(EngineItem(entry: EntryID(2), uri: bad))
            let last = try await log.next("the end") { $0.isEndOfStream || $0.failure != nil }
            #expect(last.entry == (kind == "missing" ? EntryID(1) : EntryID(2)))
            engine.stop()
            let heard = try capturedSamples(capture).count
            #expect(heard >= tone.samples.count)
        }

        @Test func `a sink that cannot be read makes the engine unavailable and says where`() async throws {
            for (text, reason) in [
                ("nosuchsink", "nosuchsink"), ("fakesink colour=blue", "colour"), ("audioconvert !", ""),
                ("filesrc location=/dev/null", ""),
            ] {
                let engine = GStreamerEngine(sink: .custom(text))
                let log = EventLog(engine)
                engine.start()
                let event = try await log.next("unavailable") { if case .unavailable = $0 { true } else { false } }
                guard case .unavailable(let failure) = event else { return }
                #expect(failure.cause == .output)
                #expect(failure.message.contains(reason))
            }
        }

        @Test func `a device that is not there fails as output and the engine plays again elsewhere`() async throws {
            let sink = SinkDescription.custom("filesink location=/proc/no/such/place")
            let directory = try ScratchDirectory()
            let item = try ToneFile.noise(frames: 4_410, seed: 48).item(1, in: directory)
            let (engine, log) = try await startedEngine(sink)
            engine.load(item, at: .zero, playing: true)
            #expect(try await log.failure().cause == .output)
            engine.load(item, at: .zero, playing: true)
            #expect(try await log.failure().cause == .output)
            #expect(log.events.count { $0.failure != nil } == 2)
        }
    }
}
