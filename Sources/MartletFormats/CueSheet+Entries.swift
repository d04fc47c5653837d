// SPDX-License-Identifier: Apache-2.0
public import MartletCore

extension CueSheet {
    /// The sheet's audio tracks as entries.
    ///
    /// A track goes from its INDEX 01 (F228) to the next beginning in the same file, so that adjacent tracks join
    /// without a gap or an overlap (F227) and the gap before a track belongs to the one before, as on a disc; the last
    /// one in a file goes to its end. Whether the named file is there is the caller's to see: a sheet that names a
    /// `.wav` whose album has been compressed since has the other endings among its
    /// ``PlaylistEntry/alternatives``.
    ///
    /// - Parameter base: Where the sheet lies.
    public func entries(base: PlaylistBase?) -> [PlaylistEntry] {
        let resolver = LocationResolver(base: base)
        let places = files.map { file -> LocationResolver.Place? in
            guard var place = resolver.place(file.name[...], text: file.text) else { return nil }
            let named = PlaylistEntry(place.location).uri?.filePath.map { [$0] } ?? []
            place.alternatives += CueSheet.otherEndings(of: named + place.alternatives)
            return place
        }
        return entries { places[$0] }
    }

    /// The audio tracks of a sheet that lies inside a file's tags: whatever FILE says, that file is meant.
    ///
    /// - Parameter path: The bytes of the file's absolute path.
    public func entries(insideFile path: [UInt8]) -> [PlaylistEntry] {
        entries { _ in LocationResolver.Place(location: .path(path)) }
    }

    private func entries(place: (Int) -> LocationResolver.Place?) -> [PlaylistEntry] {
        var beginnings: [Int: [Int]] = [:]
        for index in tracks.compactMap(\.beginning) { beginnings[index.file, default: []].append(index.time.frames) }
        for file in beginnings.keys { beginnings[file]?.sort() }
        return tracks.compactMap { track in
            guard track.isAudio, let beginning = track.beginning, let place = place(beginning.file) else { return nil }
            var entry = PlaylistEntry(place.location)
            entry.alternatives = place.alternatives
            entry.start = beginning.time.duration
            if let end = CueSheet.first(above: beginning.time.frames, in: beginnings[beginning.file] ?? []) {
                entry.end = CueTime(frames: end).duration
            }
            entry.tags = tags(of: track)
            entry.tags.audio.length = entry.end.map { $0 - entry.start }
            return entry
        }
    }

    private static func first(above value: Int, in sorted: [Int]) -> Int? {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] > value { high = middle } else { low = middle + 1 }
        }
        return low < sorted.count ? sorted[low] : nil
    }

    /// What the sheet knows of a track; it goes before what the file says of itself (F229).
    public func tags(of track: CueTrack) -> TrackTags {
        var tags = TrackTags()
        tags.title = track.title
        tags.artists = (track.performer ?? performer).map { [$0] } ?? []
        tags.album = title
        tags.albumArtists = performer.map { [$0] } ?? []
        tags.composers = (track.songwriter ?? songwriter).map { [$0] } ?? []
        tags.trackNumber = track.number > 0 ? track.number : nil
        tags.trackTotal = tracks.count { $0.isAudio }
        tags.discNumber = discNumber
        tags.discTotal = discTotal
        tags.date = CueSheet.isoDate(track.date ?? date)
        tags.genres = (track.genre ?? genre).map { [$0] } ?? []
        tags.comments = (track.comment ?? comment).map { [$0] } ?? []
        tags.isrc = track.isrc
        tags.replayGain.trackGain = track.gain
        tags.replayGain.trackPeak = track.peak
        tags.replayGain.albumGain = albumGain
        tags.replayGain.albumPeak = albumPeak
        return tags
    }

    /// A date if it has ISO 8601's form, else the year in it, else nothing.
    private static func isoDate(_ text: String?) -> String? {
        guard let text else { return nil }
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        let widths = [4, 2, 2]
        let isISO =
            groups.count <= 3
            && zip(groups, widths).allSatisfy { $0.utf8.count == $1 && $0.utf8.allSatisfy(ByteText.isDigit) }
        if isISO { return text }
        let year = text.split { !$0.isASCII || !$0.isNumber }.first { $0.count == 4 }
        return year.map { String($0) }
    }

    /// What a disc image may have become since its sheet was written, likeliest first.
    static let endings = ["flac", "wav", "ape", "wv", "tta", "m4a", "mp3", "ogg", "opus", "mpc", "aiff", "aif"]

    private static func otherEndings(of paths: [[UInt8]]) -> [[UInt8]] {
        var result: [[UInt8]] = []
        for path in paths {
            let slash = path.lastIndex(of: UInt8(ascii: "/")) ?? 0
            let dot = path[slash...].lastIndex(of: UInt8(ascii: "."))
            let stem = path[..<(dot ?? path.endIndex)]
            for ending in endings {
                let other = Array(stem) + [UInt8(ascii: ".")] + Array(ending.utf8)
                if !paths.contains(other) { result.append(other) }
            }
            // Album.flac.wav, and names with a dot that is no ending.
            if dot != nil, path.count - stem.count > 5 {
                result += endings.map { path + [UInt8(ascii: ".")] + Array($0.utf8) }
            }
        }
        return result
    }
}
