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
}

/// What one file held.
public struct TagReading: Hashable, Sendable {
    public var tags: TrackTags
    public var picture: EmbeddedPicture?
    /// Text of an embedded cue sheet, if asked for and there.
    public var cueSheet: String?

    public init(tags: TrackTags, picture: EmbeddedPicture? = nil, cueSheet: String? = nil) {
        self.tags = tags
        self.picture = picture
        self.cueSheet = cueSheet
    }
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
