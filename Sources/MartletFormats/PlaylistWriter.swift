// SPDX-License-Identifier: Apache-2.0
internal import MartletCore

/// Writes playlists that ``PlaylistReader`` and other players read back: UTF-8, line ends as `\n`.
///
/// A file's name survives whatever its bytes are. Where a format of lines cannot hold a name as it is (a line feed, a
/// backslash, a `#` at the front, bytes that are no UTF-8), a `file:` URI stands there instead.
public struct PlaylistWriter: Sendable {
    /// How places of files are written; what is no file always is its URI.
    public enum Style: Hashable, Sendable {
        /// As absolute paths, or `file:` URIs in XSPF.
        case absolute
        /// Relative to this folder, where the list is going to lie; what is below another root stays absolute.
        case relative(toFolder: [UInt8])
    }

    public var style: Style

    public init(style: Style = .absolute) {
        self.style = style
    }

    /// The bytes of a list.
    ///
    /// M3U and PLS hold whole seconds, one artist line, and in PLS no range and no album; XSPF keeps milliseconds.
    ///
    /// - Returns: `nil` for a format that is not written (``PlaylistFormat/cue`` and those that are only recognised).
    public func write(_ playlist: Playlist, as format: PlaylistFormat) -> [UInt8]? {
        switch format {
        case .m3u: m3u(playlist)
        case .pls: pls(playlist)
        case .xspf: xspf(playlist)
        case .cue, .hls, .asx, .wpl: nil
        }
    }

    // MARK: - Formats of lines

    private func m3u(_ playlist: Playlist) -> [UInt8] {
        var text = Array("#EXTM3U\n".utf8)
        if let title = playlist.title { text += "#PLAYLIST:\(PlaylistWriter.line(title))\n".utf8 }
        var album: String?
        var albumArtist: String?
        for entry in playlist.entries {
            // These two stand until they are replaced, so an entry without one has to take it back.
            if entry.tags.album != album {
                album = entry.tags.album
                text += "#EXTALB:\(PlaylistWriter.line(album ?? ""))\n".utf8
            }
            if entry.tags.albumArtists.first != albumArtist {
                albumArtist = entry.tags.albumArtists.first
                text += "#EXTART:\(PlaylistWriter.line(albumArtist ?? ""))\n".utf8
            }
            let display = PlaylistWriter.display(entry)
            if display != nil || entry.tags.audio.length != nil {
                text += "#EXTINF:\(PlaylistWriter.seconds(entry)),\(display ?? "")\n".utf8
            }
            if entry.start > .zero {
                text += "#EXTVLCOPT:start-time=\(PlaylistWriter.milliseconds(entry.start))\n".utf8
            }
            if let end = entry.end { text += "#EXTVLCOPT:stop-time=\(PlaylistWriter.milliseconds(end))\n".utf8 }
            text += plainPlace(entry)
            text.append(0x0A)
        }
        return text
    }

    private func pls(_ playlist: Playlist) -> [UInt8] {
        var text = Array("[playlist]\n".utf8)
        if let title = playlist.title { text += "X-GNOME-Title=\(PlaylistWriter.line(title))\n".utf8 }
        for (number, entry) in zip(1..., playlist.entries) {
            text += "File\(number)=".utf8
            text += plainPlace(entry)
            text.append(0x0A)
            if let display = PlaylistWriter.display(entry) { text += "Title\(number)=\(display)\n".utf8 }
            text += "Length\(number)=\(PlaylistWriter.seconds(entry))\n".utf8
        }
        text += "NumberOfEntries=\(playlist.entries.count)\nVersion=2\n".utf8
        return text
    }

    private func plainPlace(_ entry: PlaylistEntry) -> [UInt8] {
        let uri = entry.uri.map { Array($0.description.utf8) } ?? []
        guard let path = entry.uri?.filePath else { return uri }
        let name = relative(path) ?? path
        let isSafe =
            String(validating: name, as: UTF8.self) != nil
            && name.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }
            && name.count < 4096 && name.last.map(ByteText.isSpace) == false
            && !PlaylistWriter.endsInWideSpace(name)
        guard isSafe else { return uri }
        guard let first = name.first, first != UInt8(ascii: "/") else { return name }
        let isPlain =
            first != UInt8(ascii: "#") && first != 0x20 && first < 0x80
            && !name.hasPrefix(ignoringCase: "file:") && !URIReference.isAbsolute(name)
            && !LocationResolver.isWindowsRooted(name) && !name.starts(with: "..".utf8)
        return isPlain || name.starts(with: "../".utf8) || first >= 0x80 && !PlaylistWriter.startsInWideSpace(name)
            ? name : Array("./".utf8) + name
    }

    private static func endsInWideSpace(_ name: [UInt8]) -> Bool {
        String(decoding: name, as: UTF8.self).unicodeScalars.last?.properties.isWhitespace ?? false
    }

    private static func startsInWideSpace(_ name: [UInt8]) -> Bool {
        String(decoding: name, as: UTF8.self).unicodeScalars.first?.properties.isWhitespace ?? false
    }

    /// `Artist - Title`; a title alone that holds the separator gets a dash before it, so that it is not taken apart.
    private static func display(_ entry: PlaylistEntry) -> String? {
        let artist = entry.tags.artists.joined(separator: ", ")
        let title = entry.tags.title ?? (artist.isEmpty ? nil : entry.uri?.displayName)
        guard let title else { return nil }
        if !artist.isEmpty { return line("\(artist) - \(title)") }
        let isStation = entry.tags.audio.length == nil && entry.location.isRemote
        let hasSeparator = [" - ", " – ", " — "].contains { title.contains($0) } || title.hasPrefix("- ")
        return line(hasSeparator && !isStation ? "- \(title)" : title)
    }

    private static func line(_ text: String) -> String {
        ByteText.field(text) ?? ""
    }

    /// Whole seconds, rounded up from zero: -1 means unknown.
    private static func seconds(_ entry: PlaylistEntry) -> Int64 {
        guard let length = entry.tags.audio.length, length > .zero else { return -1 }
        return max(1, (wholeMilliseconds(length) + 500) / 1000)
    }

    private static func wholeMilliseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds * 1000 + (attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let value = wholeMilliseconds(duration)
        let fraction = String(value % 1000)
        return "\(value / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)"
    }

    // MARK: - XSPF

    private func xspf(_ playlist: Playlist) -> [UInt8] {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <playlist version="1" xmlns="http://xspf.org/ns/0/" xmlns:vlc="http://www.videolan.org/vlc/playlist/ns/0/">

            """
        func element(_ name: String, _ value: String?, indent: Int) {
            guard let value else { return }
            text += String(repeating: "  ", count: indent) + "<\(name)>\(PlaylistWriter.escaped(value))</\(name)>\n"
        }
        element("title", playlist.title, indent: 1)
        element("creator", playlist.creator, indent: 1)
        element("image", playlist.image?.description, indent: 1)
        text += "  <trackList>\n"
        for entry in playlist.entries {
            text += "    <track>\n"
            element("location", reference(entry), indent: 3)
            element("title", entry.tags.title, indent: 3)
            let artists = entry.tags.artists.joined(separator: ", ")
            element("creator", artists.isEmpty ? nil : artists, indent: 3)
            element("annotation", entry.tags.comments.first, indent: 3)
            element("image", entry.image?.description, indent: 3)
            element("album", entry.tags.album, indent: 3)
            element("trackNum", entry.tags.trackNumber.map(String.init), indent: 3)
            element("duration", entry.tags.audio.length.map { String(PlaylistWriter.wholeMilliseconds($0)) }, indent: 3)
            if entry.start > .zero || entry.end != nil {
                text += "      <extension application=\"http://www.videolan.org/vlc/playlist/0\">\n"
                if entry.start > .zero {
                    element("vlc:option", "start-time=" + PlaylistWriter.milliseconds(entry.start), indent: 4)
                }
                element("vlc:option", entry.end.map { "stop-time=" + PlaylistWriter.milliseconds($0) }, indent: 4)
                text += "      </extension>\n"
            }
            text += "    </track>\n"
        }
        text += "  </trackList>\n</playlist>\n"
        return Array(text.utf8)
    }

    private func reference(_ entry: PlaylistEntry) -> String? {
        guard let uri = entry.uri else { return nil }
        guard let path = uri.filePath, let name = relative(path),
            let rooted = MediaURI(filePath: [UInt8(ascii: "/")] + name)
        else { return uri.description }
        let reference = rooted.description.dropFirst("file:///".utf8.count)
        // A colon in the first segment would make a scheme of what stands before it (RFC 3986 §4.2).
        return reference.prefix { $0 != "/" }.contains(":") ? "./" + reference : String(reference)
    }

    /// Escapes markup, and leaves out what XML 1.0 cannot hold at all.
    private static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\t", "\n": result.append(scalar)
            case "\u{FFFE}", "\u{FFFF}": break
            default: if scalar.value >= 0x20 { result.append(scalar) }
            }
        }
        return String(result)
    }

    // MARK: - Relative places

    /// The path from the list's folder, with `../` for what lies beside it; `nil` when it shares nothing with it or is to
    /// be absolute.
    private func relative(_ path: [UInt8]) -> [UInt8]? {
        guard case .relative(let folder) = style, folder.first == UInt8(ascii: "/") else { return nil }
        let slash = UInt8(ascii: "/")
        let from = folder.split(separator: slash)
        let to = path.split(separator: slash)
        guard let name = to.last, !to.contains(where: { $0 == ArraySlice("..".utf8) }) else { return nil }
        let common = zip(from, to.dropLast()).prefix { $0 == $1 }.count
        guard common > 0 || from.isEmpty else { return nil }
        let up = Array(repeating: ArraySlice("..".utf8), count: from.count - common)
        return Array((up + to[common..<(to.count - 1)] + [name]).joined(separator: [slash]))
    }
}
