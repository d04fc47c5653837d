// SPDX-License-Identifier: Apache-2.0
import CMartletTagLib
import MartletCharset
import MartletCore

extension RawTags {
    /// The first non-empty text of a field.
    func text(_ field: TagField) -> String? {
        for value in self[field] {
            if let text = RawTags.tidy(value) { return text }
        }
        return nil
    }

    /// All different texts of a field, in the file's order.
    func texts(_ field: TagField) -> [String] {
        var found: [String] = []
        for value in self[field] {
            if let text = RawTags.tidy(value), !found.contains(text) { found.append(text) }
        }
        return found
    }

    /// What the values say together, but for the audio's properties.
    func trackTags() -> TrackTags {
        var tags = TrackTags()
        tags.title = text(.title)
        tags.artists = texts(.artist)
        // A tagger that knows several artists writes "A feat. B" for show into one field and the list into the other.
        let listed = texts(.artists)
        if tags.artists.count < 2, !listed.isEmpty { tags.artists = listed }
        tags.album = text(.album)
        tags.albumArtists = texts(.albumArtist)
        (tags.trackNumber, tags.trackTotal) = position(.track, total: .trackTotal)
        (tags.discNumber, tags.discTotal) = position(.disc, total: .discTotal)
        tags.discSubtitle = text(.discSubtitle)
        tags.date = date()
        tags.genres = genres()
        tags.composers = texts(.composer)
        tags.lyricists = texts(.lyricist)
        tags.beatsPerMinute = text(.beats).flatMap(TagValues.count)
        tags.comments = texts(.comment)
        tags.lyrics = text(.syncedLyrics) ?? synchronizedLyrics() ?? text(.lyrics)
        tags.grouping = text(.grouping)
        tags.isCompilation = text(.compilation).map { $0 == "1" || $0.lowercased() == "true" } ?? false
        tags.isrc = texts(.isrc).lazy.compactMap(TagValues.isrc).first
        tags.musicBrainz = musicBrainz()
        tags.replayGain = replayGain()
        return tags
    }

    private func position(_ field: TagField, total: TagField) -> (Int?, Int?) {
        let (number, joined) = text(field).map(TagValues.position) ?? (nil, nil)
        return (number, text(total).flatMap(TagValues.count) ?? joined)
    }

    private func date() -> String? {
        for field in [TagField.date, .releaseDate, .originalDate] {
            if let date = texts(field).lazy.compactMap(TagDate.normalized).first { return date }
        }
        return nil
    }

    private func genres() -> [String] {
        var found: [String] = []
        for value in self[.genre] {
            guard let text = RawTags.tidy(value) else { continue }
            for genre in TagValues.genres(text, family: value.family) where !found.contains(genre) {
                found.append(genre)
            }
        }
        return found
    }

    private func musicBrainz() -> MusicBrainzIDs {
        func ids(_ field: TagField) -> [String] { texts(field).flatMap(TagValues.uuids) }
        var result = MusicBrainzIDs()
        result.recording = ids(.recordingID).first
        result.track = ids(.trackID).first
        result.release = ids(.releaseID).first
        result.releaseGroup = ids(.releaseGroupID).first
        result.artists = ids(.artistID)
        result.albumArtists = ids(.albumArtistID)
        return result
    }

    private func replayGain() -> ReplayGain {
        func gain(r128: TagField, tag: TagField, volume: TagField) -> Double? {
            // RFC 7845: Q7.8 fixed point, relative to -23 LUFS; ReplayGain's reference is 5 dB louder.
            if let fixed = text(r128).flatMap({ Int16($0) }) { return Double(fixed) / 256 + 5 }
            if let gain = text(tag).flatMap(TagValues.gain) { return gain }
            // ID3v2.4's own frame: 1/512 dB.
            return text(volume).flatMap(TagValues.decimal).map { $0 / 512 }
        }
        var result = ReplayGain()
        result.trackGain = gain(r128: .trackR128, tag: .trackGain, volume: .trackVolume)
        result.albumGain = gain(r128: .albumR128, tag: .albumGain, volume: .albumVolume)
        result.trackPeak = text(.trackPeak).flatMap(TagValues.peak)
        result.albumPeak = text(.albumPeak).flatMap(TagValues.peak)
        return result
    }

    /// ID3v2's synchronised lyrics as LRC.
    private func synchronizedLyrics() -> String? {
        var lines: [(milliseconds: Int, text: String)] = []
        let values = self[.syncedLine]
        func content(_ value: Value) -> String {
            if case .text(let text) = value.content { TextRepair.clean(text) } else { "" }
        }
        // Karaoke files time syllables: a line feed in front begins a line, and the others continue it.
        let isBySyllable = values.dropFirst().contains { content($0).hasPrefix("\n") }
        var last = 0
        for value in values {
            // A frame is in order of time; going back is another frame, another language.
            if value.milliseconds < last { break }
            last = value.milliseconds
            let text = content(value)
            if isBySyllable, !text.hasPrefix("\n"), !lines.isEmpty {
                lines[lines.count - 1].text += text
            } else {
                lines.append((value.milliseconds, text))
            }
        }
        let timed = lines.map { line in
            RawTags.lrcTime(line.milliseconds)
                + RawTags.trimmed(line.text.split(separator: "\n").joined(separator: " "))
        }
        return timed.isEmpty ? nil : timed.joined(separator: "\n")
    }

    private static func lrcTime(_ milliseconds: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let hundredths = milliseconds / 10
        return "[\(two(hundredths / 6000)):\(two(hundredths / 100 % 60)).\(two(hundredths % 100))]"
    }

    private static func tidy(_ value: Value) -> String? {
        guard case .text(let text) = value.content else { return nil }
        let tidy = trimmed(TextRepair.clean(text))
        return tidy.isEmpty ? nil : tidy
    }

    private static func trimmed(_ text: String) -> String {
        let utf8 = text.utf8
        guard let first = utf8.first, let last = utf8.last else { return text }
        // Most values need nothing done; white space beyond ASCII begins with C2, E1, E2 or E3.
        if first > 0x20, last > 0x20, first < 0x80, last < 0x80 { return text }
        let scalars = text.unicodeScalars
        guard let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let end = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return start == scalars.startIndex && scalars.index(after: end) == scalars.endIndex
            ? text : String(scalars[start...end])
    }
}
