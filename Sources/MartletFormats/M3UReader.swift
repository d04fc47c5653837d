// SPDX-License-Identifier: Apache-2.0
internal import MartletCore

/// M3U and M3U8: a path or URI a line, and comments, some of which players agree on.
///
/// There is no standard; the directives are those of Winamp (`#EXTM3U`, `#EXTINF`), of album lists (`#EXTALB`,
/// `#EXTART`, `#EXTGENRE`), of television lists (attributes, `#EXTGRP`) and of VLC (`#EXTVLCOPT:start-time=`).
struct M3UReader {
    private let reader: PlaylistReader
    private let resolver: LocationResolver
    private var playlist = Playlist()
    /// What the directives so far say of the next place.
    private var pending = Pending()
    // An album list names its album once, above all its tracks.
    private var album: String?
    private var albumArtist: String?
    private var genre: String?

    private struct Pending {
        var display = ""
        var length: Duration?
        var start = Duration.zero
        var end: Duration?
        var image: String?
        var grouping: String?
        var attributes: [String: String] = [:]
    }

    init(_ reader: PlaylistReader) {
        self.reader = reader
        resolver = LocationResolver(base: reader.base)
    }

    consuming func read(_ bytes: [UInt8]) throws(PlaylistError) -> Playlist {
        var lines = TextLines(bytes, decode: reader.decode)
        while let line = lines.next() {
            let core = line.bytes.trimmed
            if core.first == UInt8(ascii: "#") {
                if core.hasPrefix(ignoringCase: "#EXT-X-") { throw .stream }
                directive(Substring(line.text).trimmed)
            } else if !core.isEmpty {
                guard playlist.entries.count < reader.maximumEntries else {
                    playlist.isTruncated = true
                    break
                }
                add(line)
            }
        }
        playlist.rejectedCount += lines.longLineCount
        return playlist
    }

    private mutating func add(_ line: TextLines.Line) {
        defer { pending = Pending() }
        guard let place = resolver.place(line.bytes, text: line.text) else {
            playlist.rejectedCount += 1
            return
        }
        var entry = PlaylistEntry(place.location)
        entry.alternatives = place.alternatives
        entry.start = pending.start
        if let end = pending.end, end > pending.start { entry.end = end }
        let isStation = pending.length == nil && place.location.isRemote
        let (artist, title) = PlaylistReader.tags(fromDisplay: pending.display, isStation: isStation)
        entry.tags.title = title
        entry.tags.artists = artist.map { [$0] } ?? []
        entry.tags.audio.length = pending.length
        entry.tags.album = album
        entry.tags.albumArtists = albumArtist.map { [$0] } ?? []
        entry.tags.genres = genre.map { [$0] } ?? []
        entry.tags.grouping = pending.grouping
        entry.attributes = pending.attributes
        if let image = pending.image ?? pending.attributes["tvg-logo"] {
            entry.image = resolver.reference(image, base: resolver.base).flatMap { PlaylistEntry($0.location).uri }
        }
        playlist.entries.append(entry)
    }

    private mutating func directive(_ text: Substring) {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return }
        let value = text[text.utf8.index(after: colon)...]
        switch text[..<colon].uppercased() {
        case "#EXTINF": information(value)
        case "#EXTALB": album = ByteText.field(value)
        case "#EXTART": albumArtist = ByteText.field(value)
        case "#EXTGENRE": genre = ByteText.field(value)
        case "#EXTGRP": pending.grouping = ByteText.field(value)
        case "#EXTIMG": pending.image = ByteText.field(value)
        case "#PLAYLIST": playlist.title = ByteText.field(value)
        case "#EXTVLCOPT": range(value)
        default: break
        }
    }

    private mutating func range(_ text: Substring) {
        if text.hasPrefix("start-time=") { pending.start = ByteText.seconds(text.dropFirst(11)) ?? .zero }
        if text.hasPrefix("stop-time=") { pending.end = ByteText.seconds(text.dropFirst(10)) }
    }

    /// `123,Artist - Title` or `-1 tvg-id="x" group-title="a, b",Name`.
    private mutating func information(_ text: Substring) {
        let utf8 = text.utf8
        var isQuoted = false
        let comma = utf8.firstIndex { byte in
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            return byte == UInt8(ascii: ",") && !isQuoted
        }
        // A quote that is never closed would swallow the title.
        let end = comma ?? utf8.firstIndex(of: UInt8(ascii: ",")) ?? utf8.endIndex
        let head = text[..<end].trimmed
        let number = head.prefix { $0.isNumber || "+-.".contains($0) }
        pending.length = ByteText.seconds(number)
        pending.display = end < utf8.endIndex ? String(text[utf8.index(after: end)...]) : ""
        pending.attributes = M3UReader.attributes(head.dropFirst(number.count))
    }

    private static func attributes(_ text: Substring) -> [String: String] {
        var result: [String: String] = [:]
        var rest = text.trimmed
        while let equals = rest.firstIndex(of: "="), result.count < 64 {
            let name = rest[..<equals].trimmed
            rest = rest[rest.index(after: equals)...]
            let value: Substring
            if rest.first == "\"" {
                rest = rest.dropFirst()
                value = rest.prefix { $0 != "\"" }
                rest = rest.dropFirst(value.count + 1).trimmed
            } else {
                value = rest.prefix { !$0.isWhitespace }
                rest = rest.dropFirst(value.count).trimmed
            }
            if !name.isEmpty, let value = ByteText.field(value) { result[String(name)] = value }
        }
        return result
    }
}
