// SPDX-License-Identifier: Apache-2.0
internal import CMartletExpat
internal import MartletCore

/// What has been understood of one XSPF document while expat walks through it.
///
/// Lives on the thread that called `XML_Parse` and no longer than that call, so the parser it stops is always there.
@safe final class XSPFDocument {
    private(set) var playlist = Playlist()
    private(set) var hasRoot = false
    private(set) var isFull = false
    private(set) var refusal: PlaylistError?

    private let maximumEntries: Int
    private let resolver: LocationResolver
    private let parser: OpaquePointer
    private var path: [Element] = []
    /// What references begin at, one for each open element and one for the document (`xml:base`).
    private var bases: [MediaURI?]
    private var text: [UInt8] = []
    private var track: Track?

    /// Deeper than any list is.
    private static let deepest = 64
    /// Longer than any title is.
    private static let longestText = 65_536

    private enum Element: String {
        case playlist, trackList, track, extension_ = "extension"
        case title, creator, annotation, album, image, location, trackNum, duration
        case vlcOption
        case other

        var holdsText: Bool {
            switch self {
            case .playlist, .trackList, .track, .extension_, .other: false
            default: true
            }
        }
    }

    private struct Track {
        var entry: PlaylistEntry?
        var hasLocation = false
        var tags = TrackTags()
        var image: MediaURI?
        var start = Duration.zero
        var end: Duration?
    }

    init(_ reader: PlaylistReader, parser: OpaquePointer) {
        maximumEntries = reader.maximumEntries
        resolver = LocationResolver(base: reader.base)
        bases = [resolver.base]
        unsafe self.parser = unsafe parser
    }

    private func stop() {
        _ = unsafe XML_StopParser(parser, 0)
    }

    // MARK: - What expat finds

    /// - Parameters:
    ///   - name: Local name, after its namespace and a line feed when it has one.
    ///   - base: Value of `xml:base`.
    func started(_ name: Substring, base: String?) {
        guard path.count < XSPFDocument.deepest else {
            refusal = .malformed("The XML is nested more than \(XSPFDocument.deepest) deep.", line: line)
            return stop()
        }
        let element = element(name)
        if path.isEmpty {
            hasRoot = element == .playlist
            if !hasRoot {
                refusal = .malformed("This XML is no XSPF playlist.")
                return stop()
            }
        }
        let above = bases.last ?? nil
        if let base, let above {
            bases.append(URIReference.resolve(Substring(base), against: above) ?? above)
        } else {
            bases.append(base.flatMap { MediaURI($0) } ?? above)
        }
        path.append(element)
        text.removeAll(keepingCapacity: true)
        if element == .track {
            guard playlist.entries.count < maximumEntries else {
                playlist.isTruncated = true
                isFull = true
                return stop()
            }
            track = Track()
        }
    }

    func found(_ bytes: some Sequence<UInt8>) {
        guard path.last?.holdsText == true, text.count < XSPFDocument.longestText else { return }
        text += bytes
    }

    func ended() {
        guard let element = path.popLast() else { return }
        let base = bases.popLast() ?? nil
        if element == .track {
            finishTrack()
        } else if element.holdsText, text.count < XSPFDocument.longestText {
            let value = String(decoding: text, as: UTF8.self)
            if track != nil, path.last == .track || element == .vlcOption {
                takeForTrack(element, value, base: base)
            } else if path == [.playlist] {
                takeForPlaylist(element, value, base: base)
            }
        }
        text.removeAll(keepingCapacity: true)
    }

    func declaredEntity() {
        refusal = .malformed("The XML declares entities, which a playlist has no use for.", line: line)
        stop()
    }

    private var line: Int {
        unsafe Int(XML_GetCurrentLineNumber(parser))
    }

    // MARK: - What it means

    private func element(_ name: Substring) -> Element {
        let parts = name.split(separator: "\n", maxSplits: 1)
        guard let local = parts.last else { return .other }
        let space = parts.count == 2 ? parts[0] : ""
        if space.hasPrefix("http://www.videolan.org/vlc/playlist/") {
            return local == "option" && path.last == .extension_ ? .vlcOption : .other
        }
        guard space.isEmpty || space.hasPrefix("http://xspf.org/ns/") else { return .other }
        let element = Element(rawValue: String(local)) ?? .other
        switch element {
        case .playlist: return path.isEmpty ? .playlist : .other
        case .trackList: return path == [.playlist] ? .trackList : .other
        case .track: return path == [.playlist, .trackList] ? .track : .other
        default: return element
        }
    }

    private func takeForPlaylist(_ element: Element, _ value: String, base: MediaURI?) {
        switch element {
        case .title: playlist.title = playlist.title ?? ByteText.field(value)
        case .creator: playlist.creator = playlist.creator ?? ByteText.field(value)
        case .image: playlist.image = playlist.image ?? uri(value, base: base)
        default: break
        }
    }

    private func takeForTrack(_ element: Element, _ value: String, base: MediaURI?) {
        switch element {
        case .location: takeLocation(value, base: base)
        case .title: track?.tags.title = ByteText.field(value)
        case .creator: track?.tags.artists = ByteText.field(value).map { [$0] } ?? []
        case .album: track?.tags.album = ByteText.field(value)
        case .annotation: track?.tags.comments = ByteText.field(value).map { [$0] } ?? []
        case .image: track?.image = uri(value, base: base)
        case .trackNum:
            if let number = Int(Substring(value).trimmed), number > 0 { track?.tags.trackNumber = number }
        case .duration:
            if let milliseconds = Int64(Substring(value).trimmed), milliseconds > 0, milliseconds < 1_000_000_000_000 {
                track?.tags.audio.length = .milliseconds(milliseconds)
            }
        case .vlcOption:
            let option = Substring(value).trimmed
            if option.hasPrefix("start-time=") { track?.start = ByteText.seconds(option.dropFirst(11)) ?? .zero }
            if option.hasPrefix("stop-time=") { track?.end = ByteText.seconds(option.dropFirst(10)) }
        default: break
        }
    }

    // A track may have several locations, the same sound each; the first is the preferred one.
    private func takeLocation(_ value: String, base: MediaURI?) {
        track?.hasLocation = true
        guard let place = resolver.reference(value, base: base) else { return }
        if track?.entry == nil {
            var entry = PlaylistEntry(place.location)
            entry.alternatives = place.alternatives
            track?.entry = entry
        } else if let other = PlaylistEntry(place.location).uri?.filePath, track?.entry?.alternatives.count ?? 0 < 16 {
            track?.entry?.alternatives.append(other)
        }
    }

    private func finishTrack() {
        defer { track = nil }
        guard let track else { return }
        // A track without a location asks the player to search for it, which is nothing for us.
        guard var entry = track.entry else {
            playlist.rejectedCount += 1
            return
        }
        entry.tags = track.tags
        entry.image = track.image
        entry.start = track.start
        if let end = track.end, end > track.start { entry.end = end }
        playlist.entries.append(entry)
    }

    private func uri(_ value: String, base: MediaURI?) -> MediaURI? {
        resolver.reference(value, base: base).flatMap { PlaylistEntry($0.location).uri }
    }
}
