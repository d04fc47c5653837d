// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletEngine
import MartletTestSupport
import Testing

extension EngineTests {
    @Suite("Scaling pictures", .timeLimit(.minutes(1)))
    struct ScalerTests {
        let folder: ScratchDirectory
        init() throws { folder = try ScratchDirectory() }

        /// A picture of 200 × 100 pixels, made by ffmpeg.
        func picture(_ format: ImageHeader.Format, frames: Int = 1) throws -> [UInt8] {
            let path = folder.path + "/picture.\(format.rawValue)"
            try Tool.run([
                "ffmpeg", "-loglevel", "error", "-y", "-f", "lavfi", "-i", "testsrc=size=200x100:rate=10",
                "-frames:v", "\(frames)", path,
            ])
            return try ScratchDirectory.read(path)
        }

        @Test(arguments: [ImageHeader.Format.png, .jpeg, .webp])
        func `every format becomes a PNG of the size asked for`(format: ImageHeader.Format) throws {
            let bytes = try picture(format)
            let header = try #require(ImageHeader(bytes))
            #expect(header.format == format && header.width == 200 && header.height == 100)
            let made = try GStreamerImageScaler().scale(bytes, header, width: 64, height: 32)
            let small = try #require(ImageHeader(made))
            #expect(small.format == .png && small.width == 64 && small.height == 32)
        }

        @Test(arguments: [ImageHeader.Format.png, .jpeg, .webp])
        func `a picture that ends early or is scratched ends, in a picture or in an error`(
            format: ImageHeader.Format
        ) throws {
            let bytes = try picture(format)
            let header = try #require(ImageHeader(bytes))
            var scratched = bytes
            for place in stride(from: 64, to: bytes.count, by: 7) { scratched[place] ^= 0x5A }
            for broken in [Array(bytes.prefix(bytes.count / 2)), Array(bytes.prefix(60)), scratched] {
                do throws(ImageScalingError) {
                    let made = try GStreamerImageScaler().scale(broken, header, width: 64, height: 32)
                    #expect(ImageHeader(made)?.width == 64)
                } catch {
                    #expect(!error.message.isEmpty)
                }
            }
        }

        @Test func `a header that promises too much is refused before it is decoded`() throws {
            var bytes = try picture(.png)
            bytes.replaceSubrange(16..<24, with: [0, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF])
            let header = try #require(ImageHeader(bytes))
            #expect(throws: ImageScalingError.self) {
                try GStreamerImageScaler().scale(bytes, header, width: 64, height: 64)
            }
        }
    }
}
