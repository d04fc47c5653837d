// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletFormats

/// Reads a list that lies in `/music/lists`.
func read(
    _ text: String, as format: PlaylistFormat, base: PlaylistBase? = .folder(Array("/music/lists".utf8))
) throws -> Playlist {
    try PlaylistReader(base: base).read(Array(text.utf8), as: format)
}

func read(
    _ bytes: [UInt8], as format: PlaylistFormat, base: PlaylistBase? = .folder(Array("/music/lists".utf8))
) throws -> Playlist {
    try PlaylistReader(base: base).read(bytes, as: format)
}

/// A text as bytes of Latin-1.
func latin1(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8($0.value) }
}

/// Takes everything for Latin-1: for tests of what happens to a decoder's opinion, not of the opinion.
let allLatin1: PlaylistDecoding = { pieces, _ in
    pieces.map { String(String.UnicodeScalarView($0.map { Unicode.Scalar($0) })) }
}

extension Playlist {
    /// Each entry's place: a path as text, or a URI.
    var places: [String] {
        entries.map { entry in
            switch entry.location {
            case .uri(let uri): uri.description
            case .path(let path): String(decoding: path, as: UTF8.self)
            }
        }
    }
}

extension PlaylistEntry {
    var candidates: [String] {
        candidatePaths.map { String(decoding: $0, as: UTF8.self) }
    }
}
