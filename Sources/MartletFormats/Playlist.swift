// SPDX-License-Identifier: Apache-2.0
public import MartletCore

/// What a playlist file says: its entries in their order, and what it tells of itself.
public struct Playlist: Hashable, Sendable {
    public var title: String?
    public var creator: String?
    /// A picture for the whole list.
    public var image: MediaURI?
    public var entries: [PlaylistEntry]
    /// Places that were written in the list and cannot be meant: a `file:` URI on another host, a relative path in a
    /// list that lies nowhere, a line of 100 kB.
    public var rejectedCount = 0
    /// The list went on after the reader's limit of entries.
    public var isTruncated = false

    public init(title: String? = nil, entries: [PlaylistEntry] = []) {
        self.title = title
        self.entries = entries
    }
}

/// One line of a playlist, one track of a cue sheet.
public struct PlaylistEntry: Hashable, Sendable {
    /// Where the sound lies.
    public enum Location: Hashable, Sendable {
        /// A URI as the list has it, or resolved against the list's own.
        case uri(MediaURI)
        /// The bytes of an absolute path: resolved against the list's folder, `..` kept because only the file system
        /// knows what it means behind a symbolic link.
        case path([UInt8])
    }

    public var location: Location
    /// Absolute paths to try, in this order, when nothing is at ``location``.
    ///
    /// Other readings of the same text: another encoding, a Windows path, a `.wav` that has become a `.flac`.
    public var alternatives: [[UInt8]] = []
    /// The part of the source that is meant: from `start` to `end`, or to the source's own end.
    public var start = Duration.zero
    public var end: Duration?
    /// What the list knows of the entry, and nothing else; it goes before what the file itself says.
    public var tags = TrackTags()
    public var image: MediaURI?
    /// Attributes of an `#EXTINF` line that mean nothing to a player, such as `tvg-id`; names as written.
    public var attributes: [String: String] = [:]

    public init(_ location: Location, tags: TrackTags = TrackTags()) {
        self.location = location
        self.tags = tags
    }

    /// The entry's place as a URI.
    public var uri: MediaURI? {
        switch location {
        case .uri(let uri): uri
        case .path(let path): MediaURI(filePath: path)
        }
    }

    /// Every path the entry may mean, likeliest first; empty for what is no file.
    public var candidatePaths: [[UInt8]] {
        switch location {
        case .uri(let uri): (uri.filePath.map { [$0] } ?? []) + alternatives
        case .path(let path): [path] + alternatives
        }
    }
}

/// Where a list lies: what the relative places in it begin at.
public enum PlaylistBase: Hashable, Sendable {
    /// The bytes of the absolute path of the folder that holds the list.
    case folder([UInt8])
    /// The list's own URI, after redirections.
    case uri(MediaURI)
}

/// Why bytes gave no list.
public enum PlaylistError: Error, Hashable, Sendable {
    /// An HLS playlist: one stream in many pieces, to be handed to the engine as it is.
    case stream
    /// Recognised, and not read by this room.
    case unsupported(PlaylistFormat)
    /// Not what it says it is. One sentence for people; the line counts from 1 where there is one.
    case malformed(String, line: Int? = nil)
    /// Longer than the reader's limit, in bytes.
    case tooLarge(limit: Int)
}
