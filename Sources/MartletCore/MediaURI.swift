// SPDX-License-Identifier: Apache-2.0

/// Where something to play lies: an absolute URI, always ASCII, always percent-encoded (RFC 3986).
///
/// File names on Linux are bytes without an encoding. A `MediaURI` made from such bytes gives exactly those
/// bytes back (``filePath``), so a file named `100%20.mp3` or in Latin-1 is opened, not guessed at; only
/// ``displayName`` is repaired text.
public struct MediaURI: Hashable, Sendable, CustomStringConvertible {
    /// The URI as text. Scheme in lower case, every byte outside RFC 3986's unreserved and reserved sets encoded.
    public let description: String

    /// A `file:` URI of an absolute path.
    ///
    /// - Parameter filePath: The path's bytes, starting with `/`, without a NUL; what `open(2)` would take.
    ///   A path that is relative or holds a NUL gives `nil`.
    public init?(filePath: some Collection<UInt8>) {
        self.init(path: Array(filePath)[...])
    }

    private init?(path: ArraySlice<UInt8>) {
        guard path.first == UInt8(ascii: "/"), !path.contains(0) else { return nil }
        var bytes = Array("file://".utf8)
        bytes.reserveCapacity(bytes.count + path.count + path.count / 4)
        for byte in path { MediaURI.append(byte, to: &bytes, allowed: .path) }
        self.init(encoded: String(decoding: bytes, as: UTF8.self))
    }

    /// A URI given as text, for instance by `OpenUri` or a playlist.
    ///
    /// Text that is not a URI with a scheme gives `nil`; so do white space at its ends and control characters.
    /// Characters a URI may not hold (spaces, non-ASCII) are percent-encoded as UTF-8, an encoded octet is kept
    /// as it is, and a `%` that starts no octet becomes `%25`. `file:/a`, `file://localhost/a` and `file:///a`
    /// are one file; a `file:` URI with another host or without an absolute path is refused.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(MediaURI.lowercased(bytes[0])),
            bytes[..<colon].allSatisfy(ByteSet.scheme.contains),
            colon + 1 < bytes.count, !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }),
            bytes.last != UInt8(ascii: " ")
        else { return nil }
        let scheme = String(decoding: bytes[..<colon].map(MediaURI.lowercased), as: UTF8.self)
        var rest = bytes[(colon + 1)...]
        if scheme == "file" {
            rest = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
            if rest.starts(with: Array("//".utf8)) {
                rest = rest.dropFirst(2)
                let host = rest.prefix { $0 != UInt8(ascii: "/") }
                let name = String(decoding: host.map(MediaURI.lowercased), as: UTF8.self)
                guard host.isEmpty || name == "localhost" else { return nil }
                rest = rest.dropFirst(host.count)
            }
            self.init(path: MediaURI.decode(rest)[...])
            return
        }
        if scheme == "http" || scheme == "https" {
            // RFC 9110: "a recipient … MUST reject" one with an empty host.
            guard rest.starts(with: Array("//".utf8)) else { return nil }
            let authority = rest.dropFirst(2).prefix { !"/?#".utf8.contains($0) }
            let host = authority.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false).last ?? []
            guard let first = host.first, first != UInt8(ascii: ":"),
                first != UInt8(ascii: "[") || host.contains(UInt8(ascii: "]"))
            else { return nil }
        }
        var encoded = Array(scheme.utf8) + [UInt8(ascii: ":")]
        encoded.reserveCapacity(bytes.count + bytes.count / 4)
        for index in rest.indices {
            let byte = rest[index]
            if byte == UInt8(ascii: "%"), MediaURI.octet(in: rest, at: index) != nil {
                encoded.append(byte)
            } else {
                MediaURI.append(byte, to: &encoded, allowed: .uri)
            }
        }
        self.init(encoded: String(decoding: encoded, as: UTF8.self))
    }

    /// A URI out of a database of ours, which once was a ``description``; looked at briefly, not taken apart.
    public init?(stored description: String) {
        let isPlausible =
            description.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && description.utf8.contains(UInt8(ascii: ":"))
        guard isPlausible else { return nil }
        self.init(encoded: description)
    }

    private init(encoded: String) {
        description = encoded
    }

    /// The scheme, in lower case, without the colon.
    public var scheme: String {
        String(Substring(description.utf8.prefix { $0 != UInt8(ascii: ":") }))
    }

    /// The bytes of the file's path, ready for `open(2)`; `nil` when this is no `file:` URI.
    public var filePath: [UInt8]? {
        guard description.hasPrefix("file:///") else { return nil }
        return MediaURI.decode(Array(description.utf8.dropFirst(7))[...])
    }

    /// The last component of the path as text a person can read: decoded, invalid bytes replaced by U+FFFD, control
    /// characters by spaces. For a URI without a path the whole URI.
    public var displayName: String {
        let slash = UInt8(ascii: "/")
        // It is all ASCII: bytes are characters.
        var path = Array(description.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })[...]
        if path.last == slash { path.removeLast() }
        guard let last = path.lastIndex(of: slash), last > 0, last + 1 < path.endIndex else { return description }
        let name = String(decoding: MediaURI.decode(path[(last + 1)...]), as: UTF8.self)
        guard name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return name }
        return String(
            String.UnicodeScalarView(name.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
    }

    private static func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] == UInt8(ascii: "%"), let value = octet(in: bytes, at: index) {
                result.append(value)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    private static func octet(in bytes: ArraySlice<UInt8>, at index: Int) -> UInt8? {
        guard index + 2 < bytes.endIndex, let high = hexValue(bytes[index + 1]), let low = hexValue(bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }

    private static func append(_ byte: UInt8, to bytes: inout [UInt8], allowed: ByteSet) {
        if allowed.contains(byte) {
            bytes.append(byte)
        } else {
            bytes.append(UInt8(ascii: "%"))
            bytes.append(hexDigit(byte >> 4))
            bytes.append(hexDigit(byte & 15))
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
    }
}

/// A set of ASCII characters: one shift to look one up, for names by the hundred thousand.
private struct ByteSet {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    /// Letters, digits and what else is told.
    private init(alphanumericsAnd others: String) {
        for byte in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8 { insert(byte) }
        for byte in others.utf8 { insert(byte) }
    }

    private mutating func insert(_ byte: UInt8) {
        if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
    }

    func contains(_ byte: UInt8) -> Bool {
        byte < 128 && (byte < 64 ? low : high) &>> UInt64(byte & 63) & 1 == 1
    }

    static let scheme = ByteSet(alphanumericsAnd: "+-.")
    /// RFC 3986 `pchar` and `/`, without `&` and `'`: markup and shells are where URIs end up.
    static let path = ByteSet(alphanumericsAnd: "-._~!$()*+,;=:@/")
    static let uri = ByteSet(alphanumericsAnd: "-._~!$&'()*+,;=:@/?#[]")
}
