// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletCore
import MartletEngine
import MartletTestSupport
import Testing

extension EngineTests {
    @MainActor
    @Suite("With a sound server", .timeLimit(.minutes(1)))
    struct SoundServerTests {
        private func started(_ server: SoundServer) async throws -> (GStreamerEngine, EventLog) {
            var options = EngineOptions()
            options.soundServer = server.address
            return try await startedEngine(.auto, options)
        }

        @Test func `the volume is the stream's own and cubic`() async throws {
            let directory = try ScratchDirectory()
            let server = try SoundServer(in: directory)
            let item = try ToneFile.noise(frames: 20 * 44_100, seed: 71).item(1, as: .flac, in: directory)
            let (engine, log) = try await started(server)
            engine.setVolume(0.5)
            engine.load(item, at: .zero, playing: true)
            try await log.started()
            #expect(try server.ask("list sink-inputs").contains("50%"))
            engine.setVolume(0.25)
            #expect(await log.poll { (try? server.ask("list sink-inputs").contains("25%")) == true })
            engine.setMuted(true)
            #expect(await log.poll { (try? server.ask("list sink-inputs").contains("Mute: yes")) == true })
            #expect(!log.events.contains { if case .volumeChanged = $0 { true } else { false } })
            engine.stop()
        }

        @Test func `a mixer's change is told, and survives the next track`() async throws {
            let directory = try ScratchDirectory()
            let server = try SoundServer(in: directory)
            let items = try (0..<2).map {
                try ToneFile.noise(frames: 5 * 44_100, seed: 72 + UInt64($0)).item(UInt64($0), as: .flac, in: directory)
            }
            let (engine, log) = try await started(server)
            engine.setVolume(0.8)
            engine.load(items[0], at: .zero, playing: true)
            try await log.started()
            let input = try sinkInput(of: server)
            _ = try server.ask("set-sink-input-volume \(input) 30%")
            let event = try await log.next("volumeChanged") { if case .volumeChanged = $0 { true } else { false } }
            guard case .volumeChanged(let volume, false) = event else {
                Issue.record("\(event)")
                return
            }
            #expect(abs(volume - 0.3) < 0.005)
            engine.load(items[1], at: .zero, playing: true)
            try await log.started()
            let told = try server.ask("list sink-inputs")
            #expect(told.contains("30%"))
            engine.stop()
        }

        // F215.
        @Test func `tracks joined without a gap share one stream`() async throws {
            let directory = try ScratchDirectory()
            let server = try SoundServer(in: directory)
            let items = try [ToneFile.Format.flac, .mp3, .flac].enumerated().map {
                try ToneFile.noise(frames: 88_200, seed: 74 + UInt64($0)).item(UInt64($0), as: $1, in: directory)
            }
            let (engine, log) = try await started(server)
            var inputs: [String] = []
            var upcoming = items.dropFirst()
            log.onEvent = { event in
                if event.isStarted || event.isCrossedEdge { inputs.append((try? sinkInput(of: server)) ?? "none") }
                if event.isCrossedEdge { engine.prepareNext(upcoming.popFirst()) }
            }
            engine.load(items[0], at: .zero, playing: true)
            engine.prepareNext(upcoming.popFirst())
            try await log.ended()
            #expect(inputs.count == 3)
            #expect(Set(inputs).count == 1)
            engine.stop()
        }

        private func fileSize(_ path: String) -> Int {
            var status = stat()
            return stat(path, &status) == 0 ? Int(status.st_size) : 0
        }

        /// What the monitor of the device heard must be the whole, sample for sample, with silence around it.
        private func expectHeard(_ whole: ToneFile, in path: String) throws {
            let heard = try capturedSamples(path)
            // From a tenth of a second on: what a server makes of the very beginning of a stream is no join.
            let rest = whole.samples[8_820...]
            let head = rest.prefix(64)
            let start = try #require(heard.indices.first { heard[$0...].starts(with: head) }, "nothing of it was heard")
            let part = heard[start...].prefix(rest.count)
            let firstFault = zip(part, rest).enumerated().first { $1.0 != $1.1 }?.offset
            #expect(firstFault == nil && part.count == rest.count, "of \(rest.count)")
            #expect(heard[(start + part.count)...].allSatisfy { $0 == 0 }, "more was heard than there was")
        }

        // F177: four of these are in the device at once.
        @Test func `tracks shorter than the device's buffer join to the sample`() async throws {
            let directory = try ScratchDirectory()
            let server = try SoundServer(in: directory)
            let whole = ToneFile.noise(frames: 150_001, seed: 81)
            let pieces = whole.cut(at: [40_003, 60_007, 77_777, 100_001, 121_111])
            let items = try pieces.enumerated().map { try $1.item(UInt64($0), as: .flac, in: directory) }
            let (engine, log) = try await started(server)
            let path = directory.path + "/monitor.raw"
            let recorder = try server.record(to: path)
            #expect(await log.poll { fileSize(path) > 0 })
            var upcoming = items.dropFirst()
            log.onEvent = { event in
                if case .tookNext = event { engine.prepareNext(upcoming.popFirst()) }
            }
            engine.load(items[0], at: .zero, playing: true)
            engine.prepareNext(upcoming.popFirst())
            try await log.ended()
            #expect(log.events.filter(\.isCrossedEdge).count == 5)
            engine.stop()
            recorder.end()
            try expectHeard(whole, in: path)
        }

        @Test func `another next item in the last second is the one that plays, without a gap`() async throws {
            let directory = try ScratchDirectory()
            let server = try SoundServer(in: directory)
            let whole = ToneFile.noise(frames: 220_501, seed: 82)
            let items = try whole.cut(at: [132_301]).enumerated().map {
                try $1.item(UInt64($0), as: .flac, in: directory)
            }
            let other = try ToneFile.noise(frames: 44_100, seed: 83).item(7, as: .flac, in: directory)
            let (engine, log) = try await started(server)
            let path = directory.path + "/monitor.raw"
            let recorder = try server.record(to: path)
            #expect(await log.poll { fileSize(path) > 0 })
            engine.load(items[0], at: .zero, playing: true)
            engine.prepareNext(other)
            try await log.started()
            #expect(await log.poll { (engine.currentPosition() ?? .zero) > .milliseconds(2_050) })
            engine.prepareNext(items[1])
            try await log.ended()
            #expect(!log.events.contains { $0.entry == other.entry })
            engine.stop()
            recorder.end()
            try expectHeard(whole, in: path)
        }

        @Test func `a seek back in the last second opens nothing anew`() async throws {
            let directory = try ScratchDirectory()
            let server = try SoundServer(in: directory)
            let items = try (0..<2).map {
                try ToneFile.noise(frames: 132_300, seed: 84 + UInt64($0)).item(UInt64($0), as: .flac, in: directory)
            }
            let (engine, log) = try await started(server)
            engine.load(items[0], at: .zero, playing: true)
            engine.prepareNext(items[1])
            try await log.started()
            #expect(await log.poll { (engine.currentPosition() ?? .zero) > .milliseconds(2_050) })
            let input = try sinkInput(of: server)
            engine.seek(to: .milliseconds(500), id: SeekID(1))
            #expect(try await log.landing(SeekID(1)) == .milliseconds(500))
            #expect(try sinkInput(of: server) == input)
            try await log.next("crossedEdge") { $0.isCrossedEdge && $0.entry == items[1].entry }
            #expect(try sinkInput(of: server) == input)
            try await log.ended()
            #expect(log.events.count { $0 == .tookNext(items[1].entry) } == 1)
            engine.stop()
        }

        @Test func `a pause in the last second is a pause`() async throws {
            let directory = try ScratchDirectory()
            let server = try SoundServer(in: directory)
            let items = try (0..<2).map {
                try ToneFile.noise(frames: 132_300, seed: 86 + UInt64($0)).item(UInt64($0), as: .flac, in: directory)
            }
            let (engine, log) = try await started(server)
            engine.load(items[0], at: .zero, playing: true)
            engine.prepareNext(items[1])
            try await log.started()
            #expect(await log.poll { (engine.currentPosition() ?? .zero) > .milliseconds(2_050) })
            engine.pause()
            try await log.paused()
            engine.play()
            try await log.ended()
            #expect(log.events.count { $0.isCrossedEdge && $0.entry == items[1].entry } == 1)
            engine.stop()
        }

        @Test func `the sound follows the listener's choice of a device (F214)`() async throws {
            let directory = try ScratchDirectory()
            let server = try SoundServer(in: directory)
            let item = try ToneFile.noise(frames: 20 * 44_100, seed: 97).item(1, as: .flac, in: directory)
            let (engine, log) = try await started(server)
            engine.load(item, at: .zero, playing: true)
            try await log.started()
            _ = try server.ask("load-module module-null-sink sink_name=headphones")
            _ = try server.ask("set-default-sink headphones")
            let headphones = try server.ask("list short sinks").split(separator: "\n").first {
                $0.contains("headphones")
            }
            let number = String(try #require(headphones).prefix { $0.isNumber })
            let isThere = await log.poll {
                (try? server.ask("list short sink-inputs"))?.split(separator: "\t").dropFirst().first
                    == Substring(number)
            }
            let inputs = try server.ask("list short sink-inputs")
            #expect(isThere, "\(inputs)")
            #expect(!log.events.contains { $0.failure != nil })
            engine.stop()
        }

        @Test func `a device that goes away starts nothing that is paused (F216)`() async throws {
            let directory = try ScratchDirectory()
            let server = try SoundServer(in: directory)
            _ = try server.ask("load-module module-rescue-streams")
            let headphones = try server.ask("load-module module-null-sink sink_name=headphones")
            _ = try server.ask("set-default-sink headphones")
            let item = try ToneFile.noise(frames: 20 * 44_100, seed: 98).item(1, as: .flac, in: directory)
            let (engine, log) = try await started(server)
            engine.load(item, at: .zero, playing: true)
            try await log.started()
            engine.pause()
            try await log.paused()
            let position = try #require(engine.currentPosition())
            _ = try server.ask("unload-module \(headphones.filter(\.isNumber))")
            #expect(
                await log.poll { (try? server.ask("list sinks"))?.contains("headphones") == false },
                "the device is gone")
            let corked = try server.ask("list sink-inputs")
            #expect(!corked.contains("Corked: no"), "\(corked)")
            #expect(abs((engine.currentPosition() ?? position).seconds - position.seconds) < 0.01)
            #expect(!log.events.contains { $0.isStarted && log.events.last == $0 })
            engine.play()
            try await log.started()
            #expect(
                await log.poll { (try? server.ask("list sink-inputs"))?.contains("Corked: no") == true },
                "and plays elsewhere when asked")
            engine.stop()
        }

        // F213, F219.
        @Test func `a server that dies fails as output and one that comes back plays the next load`() async throws {
            let directory = try ScratchDirectory()
            let item = try ToneFile.noise(frames: 20 * 44_100, seed: 77).item(1, as: .flac, in: directory)
            let server = try SoundServer(in: directory)
            let (engine, log) = try await started(server)
            engine.load(item, at: .zero, playing: true)
            try await log.started()
            server.stop()
            #expect(try await log.failure().cause == .output)
            engine.load(item, at: .zero, playing: true)
            #expect(try await log.failure().cause == .output)
            let another = try SoundServer(in: directory)
            engine.load(item, at: .seconds(1), playing: true)
            try await log.started()
            #expect(try another.ask("list sink-inputs").contains("Martlet"))
            engine.stop()
        }

        @Test func `pause is heard within a tenth of a second in spite of the deep buffer`() async throws {
            let directory = try ScratchDirectory()
            let server = try SoundServer(in: directory)
            let item = try ToneFile.noise(frames: 30 * 44_100, seed: 78).item(1, as: .flac, in: directory)
            let (engine, log) = try await started(server)
            let path = directory.path + "/monitor.raw"
            let recorder = try server.record(to: path)
            engine.load(item, at: .zero, playing: true)
            try await log.started()
            let second = 44_100 * 4
            #expect(await log.poll { fileSize(path) > second })
            let before = fileSize(path)
            engine.pause()
            try await log.paused()
            #expect(await log.poll { fileSize(path) > before + second })
            recorder.end()
            let recorded = try ScratchDirectory.read(path)
            #expect(
                recorded.prefix(before).suffix(second / 4).contains { $0 != 0 }, "nothing was heard before the pause")
            let tail = recorded[(before & ~3)...]
            let last = tail.lastIndex { $0 != 0 } ?? before
            let milliseconds = Double(last - before) / Double(second) * 1_000
            print("Figure: sound after pause \(milliseconds) ms")
            #expect(milliseconds < 100)
            engine.stop()
        }

        // F184.
        @Test func `a server that hangs blocks neither an order nor the load after it has come round`() async throws {
            let directory = try ScratchDirectory()
            let server = try SoundServer(in: directory)
            let item = try ToneFile.noise(frames: 20 * 44_100, seed: 80).item(1, as: .flac, in: directory)
            var options = EngineOptions()
            options.soundServer = server.address
            options.watchdog = .milliseconds(500)
            let (engine, log) = try await startedEngine(.auto, options)
            engine.load(item, at: .zero, playing: true)
            try await log.started()
            server.freeze()
            let start = ContinuousClock.now
            engine.pause()
            engine.seek(to: .seconds(5), id: SeekID(1))
            engine.stop()
            engine.load(item, at: .zero, playing: true)
            _ = engine.currentPosition()
            #expect(ContinuousClock.now - start < .milliseconds(100))
            #expect(try await log.failure().cause == .timedOut)
            server.resume()
            engine.load(item, at: .zero, playing: true)
            try await log.started()
            engine.stop()
        }

        @Test func `without any device the load fails as output and says so`() async throws {
            let directory = try ScratchDirectory()
            var options = EngineOptions()
            options.soundServer = "unix:\(directory.path)/nobody"
            let item = try ToneFile.noise(frames: 4_410, seed: 79).item(1, in: directory)
            let (engine, log) = try await startedEngine(.auto, options)
            engine.load(item, at: .zero, playing: true)
            let failure = try await log.failure()
            #expect(failure.cause == .output)
            #expect(failure.message == "No sound device was found.")
        }

        private func sinkInput(of server: SoundServer) throws -> String {
            let lines = try server.ask("list short sink-inputs").split(separator: "\n")
            return String(lines.first?.split(separator: "\t").first ?? "")
        }
    }
}
