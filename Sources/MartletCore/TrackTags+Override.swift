// SPDX-License-Identifier: Apache-2.0

extension TrackTags {
    /// Takes over what `other` knows; what it does not know stays.
    public mutating func override(with other: TrackTags) {
        func take<Value>(_ path: WritableKeyPath<TrackTags, Value?>) {
            if let value = other[keyPath: path] { self[keyPath: path] = value }
        }
        func takeList(_ path: WritableKeyPath<TrackTags, [String]>) {
            if !other[keyPath: path].isEmpty { self[keyPath: path] = other[keyPath: path] }
        }
        take(\.title)
        take(\.album)
        take(\.trackNumber)
        take(\.trackTotal)
        take(\.discNumber)
        take(\.discTotal)
        take(\.discSubtitle)
        take(\.date)
        take(\.beatsPerMinute)
        take(\.lyrics)
        take(\.grouping)
        take(\.isrc)
        take(\.audio.length)
        take(\.replayGain.trackGain)
        take(\.replayGain.trackPeak)
        take(\.replayGain.albumGain)
        take(\.replayGain.albumPeak)
        takeList(\.artists)
        takeList(\.albumArtists)
        takeList(\.genres)
        takeList(\.composers)
        takeList(\.lyricists)
        takeList(\.comments)
        if other.isCompilation { isCompilation = true }
    }
}
