// SPDX-License-Identifier: Apache-2.0

/// What is known of the track that plays: the metadata guidelines' keys, typed.
///
/// Everything but the id may be unknown: leave it `nil` or empty and the key is left out ("absent value = absent key"). Text
/// may hold anything; what D-Bus forbids is repaired before it meets the bus.
public struct NowPlayingInfo: Hashable, Sendable {
    /// `mpris:trackid`: the entry, not the song.
    public var trackID: TrackID
    /// `mpris:length`. Zero or less counts as unknown; leave it out for a live stream.
    public var length: Duration?
    /// `mpris:artUrl`: a `file:` URL of a picture that is there, percent-encoded. Widgets open no other scheme reliably.
    ///
    /// What is no URL, and a picture inside a `data:` URL, is left out: desktops show an empty hole for either.
    public var artworkURL: String?
    /// `xesam:url`: where the track is, as a percent-encoded URI; a bare path is left out. Never one that carries a
    /// password or a token: every program of the session reads it.
    public var url: String?
    /// `xesam:title`.
    public var title: String?
    /// `xesam:artist`, the main one first: headsets show only that.
    public var artists: [String] = []
    /// `xesam:album`.
    public var album: String?
    /// `xesam:albumArtist`.
    public var albumArtists: [String] = []
    /// `xesam:trackNumber`, from 1.
    public var trackNumber: Int?
    /// `xesam:discNumber`, from 1.
    public var discNumber: Int?
    /// `xesam:genre`.
    public var genres: [String] = []
    /// `xesam:composer`.
    public var composers: [String] = []
    /// `xesam:lyricist`.
    public var lyricists: [String] = []
    /// `xesam:contentCreated`: ISO 8601, usually read for its year.
    public var contentCreated: String?
    /// `xesam:audioBPM`.
    public var beatsPerMinute: Int?
    /// `xesam:comment`.
    public var comments: [String] = []
    /// `xesam:asText`: the whole lyrics, plain or LRC; not line by line.
    public var lyrics: String?
    /// `xesam:userRating`, 0…1.
    public var userRating: Double?
    /// `xesam:autoRating`, 0…1.
    public var autoRating: Double?
    /// `xesam:useCount`: how often it was played.
    public var useCount: Int?
    /// `xesam:firstUsed`: when it was first played, ISO 8601.
    public var firstUsed: String?
    /// `xesam:lastUsed`: when it was last played, ISO 8601.
    public var lastUsed: String?
    /// Keys of your own, `prefix:name`. Keys of `mpris:` and `xesam:`, keys without a prefix and empty text are left out.
    public var extras: [String: ExtraValue] = [:]

    /// A track of which nothing is known but which entry it is.
    public init(trackID: TrackID) {
        self.trackID = trackID
    }

    /// A value under a key of your own.
    public enum ExtraValue: Hashable, Sendable {
        /// `s`.
        case text(String)
        /// `as`.
        case texts([String])
        /// `x`.
        case number(Int64)
        /// `d`.
        case real(Double)
        /// `b`.
        case truth(Bool)
    }
}
