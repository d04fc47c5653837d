// SPDX-License-Identifier: Apache-2.0

/// A kind of playlist file.
public enum PlaylistFormat: String, Hashable, Sendable, CaseIterable {
    case m3u
    case pls
    case xspf
    case cue
    /// An M3U that describes one stream in pieces (RFC 8216).
    case hls
    /// Windows Media's redirector.
    case asx
    /// Windows Media Player's and Zune's list.
    case wpl

    /// Whether ``PlaylistReader`` reads it; the others are only told apart.
    public var isReadable: Bool {
        switch self {
        case .m3u, .pls, .xspf, .cue: true
        case .hls, .asx, .wpl: false
        }
    }

    /// Tells the format by content, and by name where the content says nothing.
    ///
    /// - Parameters:
    ///   - name: The file's name or path; may be empty.
    ///   - bytes: The beginning of the file, some kilobytes; may be empty when only the name is known.
    /// - Returns: `nil` for what is no playlist, whatever its name: bytes with NULs are sound or pictures.
    public static func detect(name: some Collection<UInt8>, bytes: some Collection<UInt8>) -> PlaylistFormat? {
        let head = Array(bytes.prefix(16_384))
        // A list saved as UTF-16 has a NUL in every other byte; its mark tells it from sound.
        let isWide = head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF])
        let text = isWide ? head.filter { $0 != 0 && $0 < 0x80 } : head
        if text.contains(0) { return nil }
        return byContent(text) ?? byName(name)
    }

    private static func byContent(_ bytes: [UInt8]) -> PlaylistFormat? {
        let text = (bytes.starts(with: ByteText.mark) ? bytes.dropFirst(3) : bytes[...]).drop(while: ByteText.isSpace)
        if text.first == UInt8(ascii: "<") { return byMarkup(text) }
        if text.hasPrefix(ignoringCase: "[playlist]") { return .pls }
        var hasFile = false
        var isM3U = text.hasPrefix(ignoringCase: "#EXTM3U")
        var lines = LineCursor(text)
        while let line = lines.next() {
            let line = line.drop(while: ByteText.isBlank)
            if line.hasPrefix(ignoringCase: "#EXT-X-") { return .hls }
            if line.hasPrefix(ignoringCase: "#EXTINF:") { isM3U = true }
            if line.hasPrefix(ignoringCase: "FILE ") || line.hasPrefix(ignoringCase: "FILE\t") { hasFile = true }
            if line.hasPrefix(ignoringCase: "TRACK "), hasFile { return .cue }
        }
        return isM3U ? .m3u : nil
    }

    private static func byMarkup(_ text: ArraySlice<UInt8>) -> PlaylistFormat? {
        let lowered = text.prefix(4096).map(ByteText.lowercased)
        if lowered.contains(Array("<asx".utf8)) { return .asx }
        if lowered.contains(Array("<?wpl".utf8)) || lowered.contains(Array("<?zpl".utf8))
            || lowered.contains(Array("<smil".utf8))
        {
            return .wpl
        }
        if lowered.contains(Array("xspf.org/ns/".utf8)) || lowered.contains(Array("<playlist".utf8)) { return .xspf }
        return nil
    }

    private static func byName(_ name: some Collection<UInt8>) -> PlaylistFormat? {
        let tail = Array(name.suffix(8))
        guard let dot = tail.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        return endings[String(decoding: tail[(dot + 1)...].map(ByteText.lowercased), as: UTF8.self)]
    }

    private static let endings: [String: PlaylistFormat] = [
        "m3u": .m3u, "m3u8": .m3u, "pls": .pls, "xspf": .xspf, "cue": .cue, "asx": .asx, "wax": .asx, "wvx": .asx,
        "wpl": .wpl, "zpl": .wpl,
    ]
}
