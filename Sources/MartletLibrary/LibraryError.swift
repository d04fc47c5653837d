// SPDX-License-Identifier: Apache-2.0
public import MartletSQLite

/// Why the library did not do something.
public enum LibraryError: Error, Hashable, Sendable {
    /// There is nothing of that number.
    case notFound
    /// Another process writes to this library.
    case inUse
    /// It is there already: a root, an entry of a playlist that takes nothing twice.
    case conflict
    /// A value that cannot be meant; one sentence for people.
    case invalid(String)
    /// A search that the one who asked for it wants no more.
    case overtaken
    /// The library was closed.
    case closed
    /// The disk is full, the folder cannot be written, the file is damaged: nothing of the call was done.
    case database(SQLiteError)
}

/// What opening the library met and dealt with; to be logged and told.
public enum LibraryNotice: Hashable, Sendable {
    public enum Reason: String, Sendable {
        /// The file cannot be read any more.
        case damaged
        /// A later version of Martlet made it.
        case newer
        /// Another program's file.
        case foreign
    }

    /// The file was renamed, is kept there, and another one begun.
    case setAside(path: String, reason: Reason)
    /// Playlists, likes, ratings and counts came back from this backup; the files are found by the next scan.
    case restored(from: String)
}
