// SPDX-License-Identifier: Apache-2.0
public import MartletCore
internal import MartletSQLite

/// A track as it is queued: its place, and what is shown of it before its file is read.
public struct PlayableTrack: Hashable, Sendable {
    public var uri: MediaURI
    public var start: Duration
    public var end: Duration?
    public var album: AlbumID?
    public var tags: TrackTags
}

extension LibraryReader {
    /// What is needed to play these; those without a file are left out.
    public func playable(_ tracks: [TrackSummary]) throws(LibraryError) -> [PlayableTrack] {
        try reading { database throws(SQLiteError) in
            var result: [PlayableTrack] = []
            for track in tracks {
                if let playable = try PlayableTrack(track, database) { result.append(playable) }
            }
            return result
        }
    }

    /// What is needed to play a playlist, smart or not; entries that nobody knows the place of are left out.
    ///
    /// - Parameter limit: Entries at most.
    public func playable(
        in list: PlaylistSummary, now: UnixTime, limit: Int
    ) throws(LibraryError) -> [PlayableTrack] {
        let page = LibraryPage(limit: limit)
        guard list.query == nil else { return try playable(try tracks(ofSmart: list, now: now, page: page)) }
        return try reading { database throws(SQLiteError) in
            var result: [PlayableTrack] = []
            for entry in try PlaylistEntrySummary.read(list.id, page, database) {
                if let playable = try PlayableTrack(entry, database) { result.append(playable) }
            }
            return result
        }
    }
}

extension PlayableTrack {
    fileprivate init?(_ track: TrackSummary, _ database: Database) throws(SQLiteError) {
        guard let uri = track.uri else { return nil }
        var tags = TrackTags()
        tags.title = track.title
        tags.artists = try TrackFacts.names(.artist, of: track.id, database)
        tags.album = track.albumTitle
        tags.trackNumber = track.number
        tags.discNumber = track.disc
        tags.audio.length = track.length
        self.init(uri: uri, start: track.start, end: track.end, album: track.album, tags: tags)
    }

    fileprivate init?(_ entry: PlaylistEntrySummary, _ database: Database) throws(SQLiteError) {
        guard let uri = entry.uri else { return nil }
        var tags = TrackTags()
        tags.title = entry.title
        if let track = entry.track {
            tags.artists = try TrackFacts.names(.artist, of: track, database)
        } else if !entry.artist.isEmpty {
            tags.artists = [entry.artist]
        }
        tags.album = entry.album
        tags.audio.length = entry.length
        self.init(uri: uri, start: entry.start, end: entry.end, album: nil, tags: tags)
    }
}
