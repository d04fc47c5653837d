// SPDX-License-Identifier: Apache-2.0
public import MartletSQLite

/// The lasting number of something in the library. Never given to anything else, also after a deletion.
public struct LibraryID<Subject>: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: Int64

    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    public var description: String { String(rawValue) }
}

extension LibraryID: DatabaseValue {
    public func bind(to statement: Statement, at index: Int) throws(SQLiteError) {
        try rawValue.bind(to: statement, at: index)
    }

    public static func read(_ statement: Statement, _ column: Int) throws(SQLiteError) -> Self {
        Self(rawValue: try Int64.read(statement, column))
    }
}

/// What ``LibraryID`` can number.
public enum LibrarySubject {
    public enum Root {}
    public enum Folder {}
    public enum File {}
    public enum Track {}
    public enum Album {}
    public enum Artist {}
    public enum Genre {}
    public enum Playlist {}
    public enum PlaylistEntry {}
    public enum Bookmark {}
}

public typealias RootID = LibraryID<LibrarySubject.Root>
public typealias FolderID = LibraryID<LibrarySubject.Folder>
public typealias FileID = LibraryID<LibrarySubject.File>
public typealias TrackID = LibraryID<LibrarySubject.Track>
public typealias AlbumID = LibraryID<LibrarySubject.Album>
public typealias ArtistID = LibraryID<LibrarySubject.Artist>
public typealias GenreID = LibraryID<LibrarySubject.Genre>
public typealias PlaylistID = LibraryID<LibrarySubject.Playlist>
public typealias PlaylistEntryID = LibraryID<LibrarySubject.PlaylistEntry>
public typealias BookmarkID = LibraryID<LibrarySubject.Bookmark>
