// SPDX-License-Identifier: Apache-2.0
import MartletCore
import Testing

@Suite("A picture's header")
struct ImageHeaderTests {
    static let tail = [UInt8](repeating: 0, count: 40)
    static let jpegStart: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2]
    static let frame: [UInt8] = [0xFF, 0xFF, 0xC2, 0, 11, 8, 0x01, 0x00, 0x02, 0x01, 3]
    static let jpeg: [UInt8] = jpegStart + frame
    static let lossless: [UInt8] = webp("VP8L", [0x2F, 0, 0xC2, 0x3F, 0])
    static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0, 2, 1, 0, 0, 1, 0]
    static func webp(_ kind: String, _ rest: [UInt8]) -> [UInt8] {
        let bytes: [UInt8] = Array("RIFF....WEBP\(kind)....".utf8)
        return bytes + rest
    }

    /// 513 × 256 in each format.
    static let pictures: [(ImageHeader.Format, [UInt8])] = {
        let gif: [UInt8] = Array("GIF89a".utf8) + [1, 2, 0, 1]
        let bitmap: [UInt8] = Array("BM".utf8) + [UInt8](repeating: 0, count: 12)
        let upsideDown: [UInt8] = [40, 0, 0, 0, 1, 2, 0, 0, 0, 0xFF, 0xFF, 0xFF]
        let old: [UInt8] = [12, 0, 0, 0, 1, 2, 0, 1]
        return [
            (.png, png), (.gif, gif), (.jpeg, jpeg), (.bmp, bitmap + upsideDown), (.bmp, bitmap + old),
            (.webp, webp("VP8 ", [0, 0, 0, 0x9D, 0x01, 0x2A, 1, 2, 0, 0x41])), (.webp, lossless),
            (.webp, webp("VP8X", [0, 0, 0, 0, 0, 2, 0, 0xFF, 0, 0])),
        ]
    }()

    @Test(arguments: pictures)
    func `every format tells its size`(format: ImageHeader.Format, bytes: [UInt8]) throws {
        let header = try #require(ImageHeader(bytes + ImageHeaderTests.tail))
        #expect(header.format == format)
        #expect(header.width == 513 && header.height == 256)
        #expect(header.isModest)
    }

    @Test(arguments: [png, jpeg, lossless])
    func `a header cut anywhere before its size is none and nothing worse`(bytes: [UInt8]) {
        for length in 0..<bytes.count - 2 { #expect(ImageHeader(Array(bytes.prefix(length))) == nil) }
    }

    @Test func `segments that point nowhere end the search`() {
        for length: [UInt8] in [[0, 0], [0, 1], [0xFF, 0xFF]] {
            #expect(ImageHeader([0xFF, 0xD8, 0xFF, 0xE1] + length + ImageHeaderTests.tail) == nil)
        }
        #expect(ImageHeader([0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 5000)) == nil)
        #expect(ImageHeader(Array("GIF89a".utf8) + ImageHeaderTests.tail) == nil, "no width")
    }

    @Test func `a picture of 65,535 by 65,535 is not modest, nor is a thread of pixels`() throws {
        var gif = Array("GIF89a".utf8) + [0xFF, 0xFF, 0xFF, 0xFF] + ImageHeaderTests.tail
        #expect(try !#require(ImageHeader(gif)).isModest)
        gif[8...9] = [1, 0]
        #expect(try !#require(ImageHeader(gif)).isModest)
    }

    @Test func `a fitted size keeps the shape, grows nothing and loses no side`() throws {
        let header = try #require(ImageHeader(ImageHeaderTests.png + ImageHeaderTests.tail))
        #expect(header.fitted(into: 100) == (100, 49))
        #expect(header.fitted(into: 513) == (513, 256))
        #expect(header.fitted(into: 9000) == (513, 256))
        #expect(header.fitted(into: 1) == (1, 1))
    }
}
