// SPDX-License-Identifier: Apache-2.0

/// Reads tags, audio properties and pictures out of a file. Blocking; never called on the main actor.
public protocol TagReader: Sendable {
    /// Reads one file.
    ///
    /// - Parameters:
    ///   - path: The bytes of an absolute path.
    ///   - wanted: What to fetch beyond the text; a picture costs memory, so ask only where it is used.
    /// - Throws: ``TagReadError``. A file without tags is no error: its ``TrackTags`` hold the audio properties only.
    func read(path: [UInt8], wanted: TagReadingOptions) throws(TagReadError) -> TagReading
}

/// What ``TagReader/read(path:wanted:)`` shall fetch beyond the text.
public struct TagReadingOptions: OptionSet, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The front cover, else the first picture, of at most 32 MiB.
    public static let picture = TagReadingOptions(rawValue: 1)
    /// An embedded cue sheet.
    public static let cueSheet = TagReadingOptions(rawValue: 2)
    /// What tells the audio apart from other audio, whatever its tags say.
    public static let audioSample = TagReadingOptions(rawValue: 4)
}

/// What one file held.
public struct TagReading: Hashable, Sendable {
    public var tags: TrackTags
    public var picture: EmbeddedPicture?
    /// Text of an embedded cue sheet, if asked for and there.
    public var cueSheet: String?
    /// What the audio is known by, if asked for and there.
    public var audioSample: AudioSample?

    public init(
        tags: TrackTags, picture: EmbeddedPicture? = nil, cueSheet: String? = nil, audioSample: AudioSample? = nil
    ) {
        self.tags = tags
        self.picture = picture
        self.cueSheet = cueSheet
        self.audioSample = audioSample
    }
}

/// A part of a file's audio that stays the same when its tags are written anew: what an audio identity is made from.
public enum AudioSample: Hashable, Sendable {
    /// MD5 of the decoded samples, sixteen bytes; FLAC keeps it.
    case md5([UInt8])
    /// The first encoded audio, at most 64 KiB of it, and how much there is in all: bytes, in Ogg samples.
    case head([UInt8], extent: Int64)
}

/// Why a file gave nothing.
public enum TagReadError: Error, Hashable, Sendable {
    /// There is no such file.
    case notFound
    /// The file may not be read.
    case accessDenied
    /// The file is empty.
    case empty
    /// No reader knows this kind of file, or nothing in it is audio.
    case unsupported
    /// Reading failed half-way: `errno` of the failing call.
    case unreadable(errno: Int32)
}
