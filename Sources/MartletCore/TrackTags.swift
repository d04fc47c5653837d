// SPDX-License-Identifier: Apache-2.0

/// What a file or a server says about a track: one value, already valid text.
///
/// Absent means unknown: no empty strings, no empty placeholders, no zero numbers. Lists keep the file's order and
/// hold real multi-values only (a slash or a comma inside one value is never split).
public struct TrackTags: Hashable, Sendable {
    public var title: String?
    public var artists: [String] = []
    public var album: String?
    public var albumArtists: [String] = []
    /// Number on its disc, from 1, and how many there are.
    public var trackNumber: Int?
    public var trackTotal: Int?
    /// Disc in its set, from 1, and how many there are.
    public var discNumber: Int?
    public var discTotal: Int?
    public var discSubtitle: String?
    /// Date of release or recording in ISO 8601 reduced or full form: `2021`, `2021-03`, `2021-03-04` or with a time.
    public var date: String?
    public var genres: [String] = []
    public var composers: [String] = []
    public var lyricists: [String] = []
    /// Beats a minute, rounded.
    public var beatsPerMinute: Int?
    public var comments: [String] = []
    /// Plain or LRC text as the file has it, line ends as `\n`.
    public var lyrics: String?
    public var grouping: String?
    public var isCompilation = false
    public var isrc: String?
    public var musicBrainz = MusicBrainzIDs()
    public var replayGain = ReplayGain()
    public var audio = AudioProperties()

    public init() {}
}

/// Identifiers of the MusicBrainz database: UUIDs in lower case, as the tags hold them.
public struct MusicBrainzIDs: Hashable, Sendable {
    public var recording: String?
    public var track: String?
    public var release: String?
    public var releaseGroup: String?
    public var artists: [String] = []
    public var albumArtists: [String] = []

    public init() {}
}

/// Loudness corrections out of the tags: gains in decibels, peaks as a share of full scale.
///
/// Opus' `R128_*_GAIN` is converted to the ReplayGain reference (-18 LUFS): its value / 256 + 5 dB.
public struct ReplayGain: Hashable, Sendable {
    public var trackGain: Double?
    public var trackPeak: Double?
    public var albumGain: Double?
    public var albumPeak: Double?

    public init() {}
}

/// What the container says about its audio.
public struct AudioProperties: Hashable, Sendable {
    public var length: Duration?
    /// Samples a second.
    public var sampleRate: Int?
    public var channels: Int?
    /// Kilobits a second, averaged.
    public var bitrate: Int?
    /// Short name of the codec: `flac`, `mp3`, `vorbis`, `opus`, `aac`, `alac`, `wav`, …
    public var codec: String?

    public init() {}
}

/// A picture out of a tag, as the file has it; nobody has decoded it yet.
public struct EmbeddedPicture: Hashable, Sendable {
    /// As told by the tag; may be wrong or empty, so look at the bytes.
    public var mimeType: String
    public var bytes: [UInt8]
    /// Whether the tag calls it the front cover.
    public var isFrontCover: Bool

    public init(mimeType: String, bytes: [UInt8], isFrontCover: Bool) {
        self.mimeType = mimeType
        self.bytes = bytes
        self.isFrontCover = isFrontCover
    }
}
