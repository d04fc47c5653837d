// SPDX-License-Identifier: Apache-2.0
internal import MartletCore

/// Turns what a list writes for a place into a place.
struct LocationResolver {
    struct Place {
        var location: PlaylistEntry.Location
        var alternatives: [[UInt8]] = []
    }

    /// The folder of the list, without a slash at its end; empty for the root folder, `nil` when the list lies in none.
    let folder: [UInt8]?
    /// What references begin at.
    let base: MediaURI?

    init(base: PlaylistBase?) {
        switch base {
        case .folder(let path) where path.first == UInt8(ascii: "/"):
            var path = path[...]
            while path.last == UInt8(ascii: "/") { path.removeLast() }
            folder = Array(path)
            self.base = MediaURI(filePath: path + [UInt8(ascii: "/")])
        case .uri(let uri):
            if let path = uri.filePath, let slash = path.lastIndex(of: UInt8(ascii: "/")) {
                folder = Array(path[..<slash])
            } else {
                folder = nil
            }
            self.base = uri
        case .folder, nil:
            folder = nil
            self.base = nil
        }
    }

    /// A place in a format of lines (M3U, PLS, CUE): a URI, or a plain path in which `%` means `%` (F276).
    ///
    /// - Parameters:
    ///   - bytes: As in the file. If they are the name of a real file they are right, whatever they mean as text.
    ///   - text: The same, decoded.
    func place(_ bytes: ArraySlice<UInt8>, text: String) -> Place? {
        let core = bytes.trimmed
        guard !core.isEmpty, !bytes.contains(0) else { return nil }
        let decoded = Array(Substring(text).trimmed.utf8)
        let isExact = decoded.elementsEqual(core)
        if URIReference.isAbsolute(core) { return uri(core, decoded: decoded, isExact: isExact) }
        if let base, base.filePath == nil {
            // In a list from a server `/a.mp3` is the server's, not ours.
            return URIReference.resolve(Substring(decoding: decoded, as: UTF8.self), against: base).map {
                Place(location: .uri($0))
            }
        }
        if LocationResolver.isWindowsRooted(decoded) { return windowsPlace(decoded) }
        var candidates: [[UInt8]] = []
        let slashed = LocationResolver.slashed(decoded)
        // In CP932 a backslash may be half a character, so separators are looked for in decoded text only; and raw bytes
        // that are no UTF-8 come first: a Linux program wrote down a name as it found it.
        if isExact, let slashed { candidates.append(slashed) }
        candidates.append(Array(core))
        if !isExact { candidates += [slashed, decoded].compactMap(\.self) }
        if bytes.count != core.count { candidates.append(Array(bytes)) }
        return place(candidates)
    }

    /// A place in XSPF: a reference, which is percent-encoded; sloppy writers put plain paths there.
    func reference(_ text: String, base: MediaURI?) -> Place? {
        let reference = Substring(text).trimmed
        let bytes = Array(reference.utf8)
        guard !bytes.isEmpty, !bytes.contains(0) else { return nil }
        if URIReference.isAbsolute(bytes) { return uri(bytes[...], decoded: bytes, isExact: true) }
        if LocationResolver.isWindowsRooted(bytes) { return windowsPlace(bytes) }
        guard let base, let uri = URIReference.resolve(reference, against: base) else {
            return bytes.first == UInt8(ascii: "/") ? place([bytes]) : nil
        }
        guard let path = uri.filePath else { return Place(location: .uri(uri)) }
        var place = Place(location: .path(path))
        for literal in [LocationResolver.slashed(bytes), bytes].compactMap(\.self) {
            guard let other = absolute(literal), other != path else { continue }
            place.alternatives.append(other)
        }
        return place
    }

    /// An absolute path of a name relative to the list's folder.
    func absolute(_ name: [UInt8]) -> [UInt8]? {
        let isRooted = name.first == UInt8(ascii: "/")
        guard var path = isRooted ? [] : folder else { return nil }
        for part in name.split(separator: UInt8(ascii: "/")) where part != [UInt8(ascii: ".")] {
            path.append(UInt8(ascii: "/"))
            path += part
        }
        return path.isEmpty ? [UInt8(ascii: "/")] : path
    }

    // MARK: - URIs

    private func uri(_ bytes: ArraySlice<UInt8>, decoded: [UInt8], isExact: Bool) -> Place? {
        let text: String
        if isExact {
            text = String(decoding: bytes, as: UTF8.self)
        } else {
            // Bytes of a name somebody forgot to encode stay those bytes.
            var encoded = String.UnicodeScalarView()
            for byte in bytes {
                if byte < 0x80 {
                    encoded.append(Unicode.Scalar(byte))
                } else {
                    encoded.append(contentsOf: ("%" + String(byte, radix: 16, uppercase: true)).unicodeScalars)
                }
            }
            text = String(encoded)
        }
        guard let uri = MediaURI(text) else { return nil }
        guard let path = uri.filePath else { return Place(location: .uri(uri)) }
        var place = Place(location: .uri(uri))
        if !isExact, let other = MediaURI(String(decoding: decoded, as: UTF8.self))?.filePath {
            place.alternatives.append(other)
        }
        // file:///C:/Music/a.mp3
        if LocationResolver.isWindowsRooted(path.dropFirst()), let moved = windowsPlace(Array(path.dropFirst())) {
            if case .path(let first) = moved.location { place.alternatives.append(first) }
            place.alternatives += moved.alternatives
        }
        return place
    }

    // MARK: - Windows

    /// Whether a path begins at a drive, a share or a root with a backslash.
    static func isWindowsRooted(_ bytes: some Collection<UInt8>) -> Bool {
        guard let first = bytes.first else { return false }
        if first == UInt8(ascii: "\\") { return true }
        let rest = bytes.dropFirst()
        guard ByteText.isLetter(first), rest.first == UInt8(ascii: ":"), let third = rest.dropFirst().first else {
            return false
        }
        return third == UInt8(ascii: "\\") || third == UInt8(ascii: "/")
    }

    // The list was copied with its music and the drive was not: what stands under the list's own folder is found by the
    // end of the path, the longest end first.
    private func windowsPlace(_ bytes: [UInt8]) -> Place? {
        let isShare = bytes.starts(with: "\\\\".utf8)
        var parts = bytes.split { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "/") }[...]
        if isShare {
            parts = parts.dropFirst(2)
        } else if parts.first?.last == UInt8(ascii: ":"), parts.first?.count == 2 {
            parts = parts.dropFirst()
        }
        parts = parts.suffix(8)
        guard folder != nil, !parts.isEmpty, !parts.contains(where: { $0 == ArraySlice("..".utf8) }) else { return nil }
        return place(parts.indices.map { Array(parts[$0...].joined(separator: [UInt8(ascii: "/")])) })
    }

    /// A relative path with backslashes, the Windows way, with slashes; `nil` when it has none.
    private static func slashed(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.contains(UInt8(ascii: "\\")) else { return nil }
        return bytes.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
    }

    private func place(_ names: [[UInt8]]) -> Place? {
        var paths: [[UInt8]] = []
        for name in names {
            if let path = absolute(name), !paths.contains(path) { paths.append(path) }
        }
        guard let first = paths.first else { return nil }
        return Place(location: .path(first), alternatives: Array(paths.dropFirst()))
    }
}
