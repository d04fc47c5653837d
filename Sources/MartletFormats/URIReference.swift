// SPDX-License-Identifier: Apache-2.0
internal import MartletCore

/// RFC 3986 §5: a reference such as `../a%20b.mp3` against the URI it stands in.
enum URIReference {
    /// Whether the text begins with a scheme and an authority, or is a `file:` URI; a drive letter is no scheme, and
    /// neither is `Symphony 5: Allegro.mp3`.
    static func isAbsolute(_ bytes: some Collection<UInt8>) -> Bool {
        if bytes.hasPrefix(ignoringCase: "file:") { return true }
        guard let first = bytes.first, ByteText.isLetter(first) else { return false }
        let scheme = bytes.prefix { ByteText.isLetter($0) || ByteText.isDigit($0) || "+-.".utf8.contains($0) }
        return scheme.count > 1 && bytes.dropFirst(scheme.count).starts(with: "://".utf8)
    }

    /// Resolves a reference.
    ///
    /// Bytes a URI may not hold are encoded, as ``MediaURI/init(_:)`` does.
    static func resolve(_ reference: Substring, against base: MediaURI) -> MediaURI? {
        if isAbsolute(reference.utf8) { return MediaURI(String(reference)) }
        let text = base.description
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let scheme = text[...colon]
        if reference.hasPrefix("//") { return MediaURI("\(scheme)\(reference)") }
        var path = text[text.index(after: colon)...]
        var authority: Substring = ""
        if path.hasPrefix("//") {
            let end = path.dropFirst(2).firstIndex { "/?#".contains($0) } ?? path.endIndex
            authority = path[..<end]
            path = path[end...]
        }
        path = path.prefix { $0 != "?" && $0 != "#" }
        let split = reference.firstIndex { $0 == "?" || $0 == "#" } ?? reference.endIndex
        let (relative, suffix) = (reference[..<split], reference[split...])
        let merged: String =
            if relative.isEmpty {
                String(path)
            } else if relative.hasPrefix("/") {
                withoutDotSegments(relative)
            } else {
                withoutDotSegments("\(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])/\(relative)")
            }
        return MediaURI("\(scheme)\(authority)\(merged)\(suffix)")
    }

    /// §5.2.4, for a path that begins with a slash.
    private static func withoutDotSegments(_ path: Substring) -> String {
        var kept: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for segment in segments {
            switch segment {
            case ".": break
            case "..": _ = kept.popLast()
            default: kept.append(segment)
            }
        }
        let endsInFolder = segments.last == "." || segments.last == ".."
        return "/" + kept.joined(separator: "/") + (endsInFolder && !kept.isEmpty ? "/" : "")
    }
}
