// SPDX-License-Identifier: Apache-2.0

/// The scheme of a URI, as RFC 3986 spells it: a letter, then letters, digits, `+`, `-` and `.`, up to the colon.
struct URIScheme: Hashable {
    /// In lower case.
    let name: String

    /// `nil` for text that is no URI, a bare path among it.
    init?(of uri: String) {
        guard let colon = uri.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let text = uri[..<colon]
        guard let first = text.unicodeScalars.first, URIScheme.isLetter(first),
            text.unicodeScalars.allSatisfy({
                URIScheme.isLetter($0) || ("0"..."9" ~= $0) || "+-.".unicodeScalars.contains($0)
            })
        else { return nil }
        name = text.lowercased()
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { "a"..."z" ~= scalar || "A"..."Z" ~= scalar }
}
