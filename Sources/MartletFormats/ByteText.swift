// SPDX-License-Identifier: Apache-2.0

/// What the line formats need of ASCII, on bytes: the rest of a line may be in any encoding.
///
/// Splitting bytes at ASCII line ends, quotes, commas and equals signs is safe in every multi-byte set in which lists
/// were ever written (second bytes of CP932, CP949, Big5 and GB18030 start at 0x30 and hold none of them). It is not
/// safe for a backslash.
enum ByteText {
    /// UTF-8's byte order mark.
    static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
    }

    static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercased(byte))
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    /// Text fit for a tag: one line, no control characters, no blanks at its ends; `nil` when nothing is left.
    static func field(_ text: some StringProtocol) -> String? {
        let utf8 = text.utf8
        let needsRepair = utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 }
        var text = String(text)
        if needsRepair {
            text = String(
                String.UnicodeScalarView(
                    text.unicodeScalars.map { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? " " : $0 }))
        }
        let trimmed = Substring(text).trimmed
        return trimmed.isEmpty ? nil : String(trimmed)
    }

    /// A number of seconds as lists write it: `12`, `12.5`, `-1`; what is not above zero or not to be believed is
    /// unknown.
    static func seconds(_ text: some StringProtocol) -> Duration? {
        guard let value = Double(Substring(text).trimmed), value > 0, value < 1e9 else { return nil }
        return .milliseconds(Int64((value * 1000).rounded()))
    }
}

extension Substring {
    /// Without blanks at both ends.
    var trimmed: Substring {
        let head = unicodeScalars.drop { $0.properties.isWhitespace }
        guard let last = head.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
        return Substring(head[...last])
    }
}

extension Collection<UInt8> {
    /// Whether the bytes begin with this ASCII text, in any case.
    func hasPrefix(ignoringCase prefix: StaticString) -> Bool {
        var index = startIndex
        return prefix.withUTF8Buffer { wanted in
            for position in wanted.indices {
                guard index < endIndex,
                    ByteText.lowercased(self[index]) == (unsafe ByteText.lowercased(wanted[position]))
                else { return false }
                index = self.index(after: index)
            }
            return true
        }
    }
}

extension ArraySlice<UInt8> {
    /// Without blanks at both ends.
    var trimmed: ArraySlice<UInt8> {
        let head = drop(while: ByteText.isSpace)
        guard let last = head.lastIndex(where: { !ByteText.isSpace($0) }) else { return [] }
        return head[...last]
    }
}

/// Walks over lines that end in CR, LF or both; line ends are not part of what comes out.
struct LineCursor {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    mutating func next() -> ArraySlice<UInt8>? {
        guard !rest.isEmpty else { return nil }
        guard let end = rest.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else {
            defer { rest = [] }
            return rest
        }
        let line = rest[rest.startIndex..<end]
        let isPair = rest[end] == 0x0D && end + 1 < rest.endIndex && rest[end + 1] == 0x0A
        rest = rest[(end + (isPair ? 2 : 1))...]
        return line
    }
}
