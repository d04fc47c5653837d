// SPDX-License-Identifier: Apache-2.0
internal import MartletCore

/// Reads playlists: bytes in, values out; opens nothing.
///
/// Time and memory are linear in the number of bytes, whatever they are. A list that names itself or another list is
/// the caller's affair.
public struct PlaylistReader: Sendable {
    /// What relative places begin at; without it they are rejected.
    public var base: PlaylistBase?
    /// Reading stops here and ``Playlist/isTruncated`` says so.
    public var maximumEntries = 200_000
    /// Longer input is refused.
    public var maximumBytes = 64 * 1024 * 1024
    /// What makes text of bytes that are no UTF-8 (F277).
    public var decode: PlaylistDecoding

    /// - Parameters:
    ///   - base: Where the list lies.
    ///   - decode: `nil` takes ``decoding(fallback:)``.
    public init(base: PlaylistBase?, decode: PlaylistDecoding? = nil) {
        self.base = base
        self.decode = decode ?? PlaylistReader.decoding()
    }

    /// Reads a whole list.
    ///
    /// - Parameter format: As ``PlaylistFormat/detect(name:bytes:)`` tells.
    /// - Throws: ``PlaylistError``. Lines that mean nothing are passed over; only what is not a list at all is an error.
    public func read(_ bytes: [UInt8], as format: PlaylistFormat) throws(PlaylistError) -> Playlist {
        guard bytes.count <= maximumBytes else { throw .tooLarge(limit: maximumBytes) }
        switch format {
        case .m3u: return try M3UReader(self).read(bytes)
        case .pls: return try PLSReader(self).read(bytes)
        case .xspf: return try XSPFReader(self).read(bytes)
        case .cue: return try readCue(bytes)
        case .hls: throw .stream
        case .asx, .wpl: throw .unsupported(format)
        }
    }

    private func readCue(_ bytes: [UInt8]) throws(PlaylistError) -> Playlist {
        let sheet = try CueSheet(bytes, decode: decode)
        var playlist = Playlist(title: sheet.title, entries: sheet.entries(base: base))
        playlist.creator = sheet.performer
        playlist.rejectedCount = sheet.tracks.count { $0.isAudio } - playlist.entries.count
        if playlist.entries.count > maximumEntries {
            playlist.entries.removeLast(playlist.entries.count - maximumEntries)
            playlist.isTruncated = true
        }
        return playlist
    }

    /// What a line such as `Artist - Title` says of an entry.
    ///
    /// A title that holds the separator itself and has no artist is written with a dash before it, see
    /// ``PlaylistWriter``. The name of a station is not taken apart.
    static func tags(fromDisplay text: String, isStation: Bool) -> (artist: String?, title: String?) {
        guard let text = ByteText.field(text) else { return (nil, nil) }
        if isStation { return (nil, text) }
        if text.hasPrefix("- ") { return (nil, ByteText.field(text.dropFirst(2))) }
        for dash in [" - ", " – ", " — "] {
            guard let range = text.firstRange(of: dash) else { continue }
            if let artist = ByteText.field(text[..<range.lowerBound]),
                let title = ByteText.field(text[range.upperBound...])
            {
                return (artist, title)
            }
        }
        return (nil, text)
    }
}

extension PlaylistEntry.Location {
    /// Whether it is on the network.
    var isRemote: Bool {
        if case .uri(let uri) = self { return uri.filePath == nil }
        return false
    }
}
