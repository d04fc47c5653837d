// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletCore
import MartletTestSupport
import Synchronization
import Testing

@testable import MartletService

@Suite("The demo album", .timeLimit(.minutes(5)))
struct DemoAlbumTests {
    /// Writes samples as they are and counts what it is asked.
    private final class RawEncoder: AudioFileEncoder {
        let written = Mutex<[TrackTags]>([])
        let fails: Bool

        init(fails: Bool = false) {
            self.fails = fails
        }

        func writeFLAC(
            _ samples: [Int16], tags: TrackTags, picture: [UInt8]?, to path: String
        ) throws(AudioEncodingError) {
            written.withLock { $0.append(tags) }
            let bytes = samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
            do {
                try ScratchDirectory.write(fails ? [1] : bytes, to: path)
            } catch {
                throw AudioEncodingError(message: "\(error)")
            }
            if fails { throw AudioEncodingError(message: "no room") }
        }

        func encodePNG(rgb: [UInt8], width: Int, height: Int) throws(AudioEncodingError) -> [UInt8] {
            guard rgb.count == width * height * 3 else { throw AudioEncodingError(message: "wrong size") }
            return rgb
        }
    }

    private static let short: [DemoAlbum.Recording] = DemoPiece.all.prefix(2).map { piece in
        (piece, { [Int16](repeating: Int16(piece.number), count: 1000) })
    }

    private static func names(in folder: String) -> Set<String> {
        Set(((try? FolderListing.read(Array(folder.utf8))) ?? []).map { String(decoding: $0.bytes, as: UTF8.self) })
    }

    @Test func `it is made once and made anew when a file is damaged, cut short or gone`() async throws {
        let directory = try ScratchDirectory()
        let folder = directory.path + "/a/demo"
        let encoder = RawEncoder()
        let album = DemoAlbum(folder: folder, encoder: encoder, recordings: DemoAlbumTests.short, coverSide: 8)
        let files = try await album.files()
        #expect(files.map { String(decoding: $0, as: UTF8.self) } == ["\(folder)/1-1.flac", "\(folder)/1-2.flac"])
        #expect(encoder.written.withLock(\.count) == 2)
        _ = try await DemoAlbum(folder: folder, encoder: encoder, recordings: DemoAlbumTests.short, coverSide: 8)
            .files()
        #expect(encoder.written.withLock(\.count) == 2)

        let path = "\(folder)/1-2.flac"
        let whole = try ScratchDirectory.read(path)
        var damaged = whole
        damaged[700] ^= 1
        for content in [damaged, Array(whole.dropLast()), []] {
            let before = encoder.written.withLock(\.count)
            try ScratchDirectory.write(content, to: path)
            _ = try await album.files()
            #expect(encoder.written.withLock(\.count) == before + 2)
            #expect(try ScratchDirectory.read(path) == whole)
        }
        unlink(path)
        _ = try await album.files()
        #expect(try ScratchDirectory.read(path) == whole)
        #expect(DemoAlbumTests.names(in: folder) == ["1-1.flac", "1-2.flac", "written"])
    }

    @Test func `a disk without room gives one sentence and leaves nothing half-written`() async throws {
        let directory = try ScratchDirectory()
        let album = DemoAlbum(
            folder: directory.path, encoder: RawEncoder(fails: true), recordings: DemoAlbumTests.short, coverSide: 8)
        await #expect {
            try await album.files()
        } throws: {
            ($0 as? DemoAlbum.Failure)?.message == "no room"
        }
        #expect(DemoAlbumTests.names(in: directory.path).isEmpty)
    }

    @Test func `its tags show what a player must handle`() {
        let tags = DemoPiece.all.map(\.tags)
        #expect(tags.count >= 5)
        #expect(Set(tags.compactMap(\.discNumber)) == [1, 2])
        #expect(tags.contains { $0.artists.count == 2 })
        #expect(tags.contains { $0.title?.unicodeScalars.contains { (0xAC00...0xD7A3).contains($0.value) } == true })
        for disc in 1...2 {
            let numbers = tags.filter { $0.discNumber == disc }.map(\.trackNumber)
            #expect(numbers == (1...numbers.count).map { $0 })
            #expect(tags.first { $0.discNumber == disc }?.trackTotal == numbers.count)
        }
    }

    @Test func `every piece sounds throughout, is never clipped and lasts as long as a demo may`() {
        for (piece, make) in DemoPiece.recordings() {
            let samples = make()
            let seconds = samples.count / 2 / DemoSynth.rate
            #expect((20...40).contains(seconds), "\(piece.title) lasts \(seconds) s")
            #expect(samples.count.isMultiple(of: 2))
            var peak: Int32 = 0
            var quietest = Double.infinity
            // The last second may fade.
            for second in 0..<seconds - 2 {
                var energy = 0.0
                for index in second * 88_200..<(second + 1) * 88_200 {
                    let value = Int32(samples[index])
                    if abs(value) > peak { peak = abs(value) }
                    energy += Double(value * value)
                }
                quietest = min(quietest, (energy / 88_200).squareRoot())
            }
            #expect(peak < 30_000, "\(piece.title)")
            #expect(peak > 15_000, "\(piece.title)")
            #expect(quietest > 300, "\(piece.title)")
        }
    }

    @Test func `the two halves are one performance, cut at an odd sample`() {
        let recordings = DemoPiece.recordings()
        let (first, second) = (recordings[1].samples(), recordings[2].samples())
        #expect(first.count / 2 % 2 == 1)
        // The step across the cut is one the music makes anyway, and neither side is silence.
        let edge = (first.suffix(882) + second.prefix(882)).map { Int($0) }
        let steps = (2..<edge.count).map { abs(edge[$0] - edge[$0 - 2]) }
        #expect(steps[880...881].max()! <= steps.max()!)
        #expect(edge.map(abs).max()! > 500)
    }

    @Test func `the same seed gives the same music`() {
        #expect(DemoScore.roost() == DemoScore.roost())
    }

    @Test(arguments: [45, 57, 69, 79])
    func `a string is in tune within five cents`(note: Int) {
        var synth = DemoSynth(seconds: 1, seed: 7)
        synth.pluck(note, at: 0, length: 1, level: 0.5, pan: 0)
        let samples = synth.render(fades: false)
        let wave = (0..<20_000).map { Double(samples[2 * ($0 + 4_000)]) }
        /// How much of a frequency there is.
        func level(_ frequency: Double) -> Double {
            let step = 2 * Double.pi * frequency / Double(DemoSynth.rate)
            var (real, imaginary) = (0.0, 0.0)
            for (index, value) in wave.enumerated() {
                let window = 0.5 - 0.5 * cos(2 * Double.pi * Double(index) / Double(wave.count))
                real += value * window * cos(step * Double(index))
                imaginary += value * window * sin(step * Double(index))
            }
            return hypot(real, imaginary)
        }
        let cents = stride(from: -30, through: 30, by: 2.5)
        let best = cents.max { left, right in
            level(DemoSynth.frequency(note) * pow(2, left / 1200))
                < level(DemoSynth.frequency(note) * pow(2, right / 1200))
        }
        #expect(abs(best ?? 99) <= 5)
    }

    @Test func `the cover has a bird, a sun and a sky on every pixel`() {
        let side = 64
        let pixels = DemoCover.pixels(side: side)
        #expect(pixels.count == side * side * 3)
        let brightness = stride(from: 0, to: pixels.count, by: 3).map { Int(pixels[$0]) + Int(pixels[$0 + 1]) }
        #expect(brightness.count { $0 < 70 } > side * side / 40)
        #expect(brightness.count { $0 > 440 } > side * side / 60)
        #expect(DemoCover.pixels(side: side) == pixels)
    }
}
