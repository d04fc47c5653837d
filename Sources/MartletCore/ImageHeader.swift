// SPDX-License-Identifier: Apache-2.0

/// What a picture's first bytes tell: its format and its size, without decoding a pixel.
///
/// A tag's word for a picture's type is often wrong, and a few hundred bytes can unpack to gibibytes: who decodes a picture
/// asks here first.
public struct ImageHeader: Hashable, Sendable {
    /// Formats a desktop shows. The raw value is the extension of a file's name.
    public enum Format: String, Sendable, CaseIterable {
        case png
        case jpeg = "jpg"
        case gif
        case webp
        case bmp
    }

    public var format: Format
    /// In pixels, 1 and up, as the file claims.
    public var width: Int
    /// In pixels, 1 and up, as the file claims.
    public var height: Int

    /// Pixels of the largest picture that is decoded: 6,000 × 6,000, which takes 144 MB for a moment.
    public static let largestArea = 36_000_000
    /// A side beyond this is refused whatever the other is.
    public static let longestSide = 20_000

    /// Whether decoding it is no danger.
    public var isModest: Bool {
        width <= ImageHeader.longestSide && height <= ImageHeader.longestSide
            && width * height <= ImageHeader.largestArea
    }

    /// Reads a picture's beginning.
    ///
    /// - Parameter bytes: The whole file; a JPEG's size may stand far behind its beginning.
    /// - Returns: `nil` for another format, and for a picture cut off before its size.
    public init?(_ bytes: [UInt8]) {
        guard let format = ImageHeader.format(of: bytes) else { return nil }
        let reading = ByteReading(bytes: bytes)
        let size: (width: Int, height: Int)? =
            switch format {
            case .png: reading.pngSize
            case .jpeg: reading.jpegSize
            case .gif: reading.gifSize
            case .webp: reading.webpSize
            case .bmp: reading.bmpSize
            }
        guard let size, size.width > 0, size.height > 0 else { return nil }
        self.format = format
        width = size.width
        height = size.height
    }

    /// The format by its first bytes.
    public static func format(of bytes: [UInt8]) -> Format? {
        func starts(_ magic: [UInt8], at offset: Int = 0) -> Bool {
            bytes.count > 32 && bytes[offset...].starts(with: magic)
        }
        if starts([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if starts([0xFF, 0xD8, 0xFF]) { return .jpeg }
        if starts(Array("GIF8".utf8)) { return .gif }
        if starts(Array("RIFF".utf8)), starts(Array("WEBP".utf8), at: 8) { return .webp }
        if starts(Array("BM".utf8)) { return .bmp }
        return nil
    }

    /// The size that fits into a square and keeps the picture's shape; never larger than the picture.
    ///
    /// - Parameter side: In pixels, 1 and up.
    public func fitted(into side: Int) -> (width: Int, height: Int) {
        let longest = max(width, height)
        guard longest > side else { return (width, height) }
        return (max(1, width * side / longest), max(1, height * side / longest))
    }
}

/// Numbers at places of a picture's header; a place behind the end has none.
private struct ByteReading {
    var bytes: [UInt8]

    func little(_ offset: Int, _ count: Int) -> Int? {
        guard offset >= 0, offset + count <= bytes.count else { return nil }
        return bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    func big(_ offset: Int, _ count: Int) -> Int? {
        guard offset >= 0, offset + count <= bytes.count else { return nil }
        return bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }

    func word(_ text: String, at offset: Int) -> Bool {
        offset + text.utf8.count <= bytes.count && bytes[offset...].starts(with: text.utf8)
    }

    private func pair(_ width: Int?, _ height: Int?) -> (width: Int, height: Int)? {
        guard let width, let height else { return nil }
        return (width, height)
    }

    /// PNG 1.2 §4.1.1: IHDR is the first chunk.
    var pngSize: (width: Int, height: Int)? {
        word("IHDR", at: 12) ? pair(big(16, 4), big(20, 4)) : nil
    }

    var gifSize: (width: Int, height: Int)? { pair(little(6, 2), little(8, 2)) }

    /// A height below zero says that the rows come from the top.
    var bmpSize: (width: Int, height: Int)? {
        guard let length = little(14, 4) else { return nil }
        if length == 12 { return pair(little(18, 2), little(20, 2)) }
        guard let width = little(18, 4), let height = little(22, 4) else { return nil }
        return (width, abs(Int(Int32(truncatingIfNeeded: height))))
    }

    /// RFC 9649 §2.5 to §2.7.
    var webpSize: (width: Int, height: Int)? {
        if word("VP8X", at: 12) { return pair(little(24, 3).map { $0 + 1 }, little(27, 3).map { $0 + 1 }) }
        if word("VP8L", at: 12), bytes[20] == 0x2F, let bits = little(21, 4) {
            return ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        }
        guard word("VP8 ", at: 12), big(23, 3) == 0x9D012A else { return nil }
        return pair(little(26, 2).map { $0 & 0x3FFF }, little(28, 2).map { $0 & 0x3FFF })
    }

    /// ITU-T T.81 §B.1.1: segments up to the first frame header.
    var jpegSize: (width: Int, height: Int)? {
        var place = 2
        while let mark = big(place, 1), mark == 0xFF, let kind = big(place + 1, 1) {
            switch kind {
            case 0xFF: place += 1
            case 0x01, 0xD0...0xD8: place += 2
            case 0xD9, 0xDA: return nil
            case 0xC0...0xCF where kind != 0xC4 && kind != 0xC8 && kind != 0xCC:
                return pair(big(place + 7, 2), big(place + 5, 2))
            default:
                guard let length = big(place + 2, 2), length >= 2 else { return nil }
                place += 2 + length
            }
        }
        return nil
    }
}
