// SPDX-License-Identifier: Apache-2.0
public import MartletCharset

/// Turns bytes of one file whose encoding nobody wrote down into text.
///
/// Called with pieces that belong together, so that a decoder can judge them together, and with what the file claims
/// (`#EXTENC`, an XML declaration) or `nil`. Gives one text for each piece.
public typealias PlaylistDecoding = @Sendable (_ pieces: [[UInt8]], _ declared: String?) -> [String]

extension PlaylistReader {
    /// The usual decoder: what the file claims if the bytes bear it out, else the most plausible set (F277).
    ///
    /// - Parameter fallback: The user's setting for old files.
    public static func decoding(fallback: Charset? = nil) -> PlaylistDecoding {
        let decoder = TextDecoder(fallback: fallback)
        return { pieces, declared in
            if let declared = declared.flatMap({ Charset(named: $0) }), declared != .windows1252 {
                return pieces.map { decoder.decode($0, declared: declared).text }
            }
            return decoder.decode(together: pieces).map(\.text)
        }
    }
}
