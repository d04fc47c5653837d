// SPDX-License-Identifier: Apache-2.0

/// What can be opened: one table for folders, for `SupportedMimeTypes` and for the desktop entry.
public enum MediaTypes {
    /// Schemes that can be opened.
    public static let schemes = ["file", "http", "https"]

    /// File name endings in lower case, and the type shown for them; audio first, then playlists.
    public static let audio: [(ending: String, type: String)] = [
        ("flac", "audio/flac"), ("mp3", "audio/mpeg"), ("mp2", "audio/mpeg"), ("mpga", "audio/mpeg"),
        ("ogg", "audio/ogg"), ("oga", "audio/ogg"), ("opus", "audio/ogg"), ("spx", "audio/ogg"),
        ("m4a", "audio/mp4"), ("m4b", "audio/mp4"), ("mp4", "audio/mp4"), ("aac", "audio/aac"),
        ("alac", "audio/mp4"), ("wav", "audio/x-wav"), ("aif", "audio/x-aiff"), ("aiff", "audio/x-aiff"),
        ("aifc", "audio/x-aiff"), ("ape", "audio/x-ape"), ("wv", "audio/x-wavpack"), ("mpc", "audio/x-musepack"),
        ("mp+", "audio/x-musepack"), ("tta", "audio/x-tta"), ("wma", "audio/x-ms-wma"), ("asf", "audio/x-ms-asf"),
        ("mka", "audio/x-matroska"), ("webm", "audio/webm"), ("weba", "audio/webm"), ("dsf", "audio/x-dsf"),
        ("ac3", "audio/ac3"), ("au", "audio/basic"), ("caf", "audio/x-caf"),
    ]
    public static let playlists: [(ending: String, type: String)] = [
        ("m3u", "audio/x-mpegurl"), ("m3u8", "audio/x-mpegurl"), ("pls", "audio/x-scpls"),
        ("xspf", "application/xspf+xml"), ("cue", "application/x-cue"),
    ]

    /// Every type once, in the tables' order.
    public static let mimeTypes: [String] = {
        var seen: Set<String> = []
        return (audio + playlists).map(\.type).filter { seen.insert($0).inserted }
    }()

    private static let audioEndings = Set(audio.map(\.ending))
    private static let playlistEndings = Set(playlists.map(\.ending))

    /// Whether a name ends as audio files do.
    public static func isAudio(_ name: [UInt8]) -> Bool { audioEndings.contains(ending(of: name)) }
    public static func isPlaylist(_ name: [UInt8]) -> Bool { playlistEndings.contains(ending(of: name)) }

    /// What stands behind the last dot, in lower case.
    public static func ending(of name: [UInt8]) -> String {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), name.count - dot <= 6 else { return "" }
        return String(decoding: name[(dot + 1)...].map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }
}
