// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletEngine
import MartletTestSupport
import Testing

extension EngineTests {
    @Suite("Writing files", .timeLimit(.minutes(1)))
    struct WriterTests {
        @Test(arguments: [1, 2, 6])
        func `a written file holds every sample`(channels: Int) throws {
            let directory = try ScratchDirectory()
            let tone = ToneFile.noise(frames: 50_001, seed: 61, sampleRate: 48_000, channels: channels)
            let path = directory.path + "/written.flac"
            try AudioFileWriter.writeFLAC(tone.samples, sampleRate: 48_000, channels: channels, to: path)
            // The reference decoder checks the MD5 in the file against what it decodes.
            try Tool.run(["flac", "--silent", "--test", path])
            try Tool.run([
                "flac", "--silent", "--decode", "--force-raw-format", "--endian=little", "--sign=signed", path,
            ])
            let decoded = try ScratchDirectory.read(directory.path + "/written.raw")
            #expect(decoded == Array(tone.wav.dropFirst(44)))
        }

        @Test func `a written file carries its tags and its picture`() throws {
            let directory = try ScratchDirectory()
            let path = directory.path + "/tagged.flac"
            var tags = AudioFileWriter.Tags()
            tags.title = "Señorita 안녕"
            tags.artists = ["One", "Two"]
            tags.album = "Both"
            tags.albumArtist = "Various"
            tags.trackNumber = 3
            tags.trackTotal = 12
            tags.discNumber = 1
            tags.discTotal = 2
            tags.date = "2024-05-06"
            tags.genre = "Test"
            let picture = try PNGWriter.encode(rgb: [UInt8](repeating: 90, count: 31 * 7 * 3), width: 31, height: 7)
            try AudioFileWriter.writeFLAC(
                ToneFile.noise(frames: 4_410, seed: 62).samples, sampleRate: 44_100, channels: 2, tags: tags,
                picture: picture, to: path)
            let text = directory.path + "/tags.txt"
            try Tool.run(["sh", "-c", "metaflac --export-tags-to=\(text) \(path)"])
            let lines = try Set(String(decoding: ScratchDirectory.read(text), as: UTF8.self).split(separator: "\n"))
            for line in [
                "TITLE=Señorita 안녕", "ARTIST=One", "ARTIST=Two", "ALBUM=Both", "ALBUMARTIST=Various", "TRACKNUMBER=3",
                "TRACKTOTAL=12", "DISCNUMBER=1", "DISCTOTAL=2", "DATE=2024-05-06", "GENRE=Test",
            ] {
                #expect(lines.contains { $0.uppercased() == line.uppercased() }, "no \(line) in \(lines)")
            }
            let exported = directory.path + "/picture.png"
            try Tool.run(["metaflac", "--export-picture-to=\(exported)", path])
            #expect(try ScratchDirectory.read(exported) == picture)
        }

        @Test func `a picture of odd width comes back pixel for pixel`() throws {
            let directory = try ScratchDirectory()
            let (width, height) = (13, 5)
            let rgb = (0..<width * height * 3).map { UInt8(truncatingIfNeeded: $0 * 7) }
            let path = directory.path + "/odd.png"
            try ScratchDirectory.write(PNGWriter.encode(rgb: rgb, width: width, height: height), to: path)
            let raw = directory.path + "/odd.raw"
            try Tool.run(["ffmpeg", "-loglevel", "error", "-y", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", raw])
            #expect(try ScratchDirectory.read(raw) == rgb)
        }

        @Test func `numbers that do not fit together are refused`() {
            #expect(throws: EncodingError.self) {
                try AudioFileWriter.writeFLAC([1, 2, 3], sampleRate: 44_100, channels: 2, to: "/tmp/never.flac")
            }
            #expect(throws: EncodingError.self) { try PNGWriter.encode(rgb: [1, 2, 3], width: 2, height: 1) }
            #expect(throws: EncodingError.self) {
                try AudioFileWriter.writeFLAC([1, 2], sampleRate: 44_100, channels: 2, to: "/no/such/folder/x.flac")
            }
        }
    }
}
