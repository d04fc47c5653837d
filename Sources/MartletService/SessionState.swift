// SPDX-License-Identifier: Apache-2.0
public import MartletCore
public import MartletSQLite

/// Everything a restart brings back.
public struct SessionState: Sendable {
    public var queue: PlayQueue.Snapshot
    public var playback: SessionPlayback

    public init(queue: PlayQueue.Snapshot, playback: SessionPlayback) {
        self.queue = queue
        self.playback = playback
    }
}

/// What was heard, how, and where in it.
public struct SessionPlayback: Hashable, Sendable {
    public var status = PlaybackStatus.stopped
    /// In the current entry.
    public var position = Duration.zero
    /// Of the current entry; `nil` while unknown.
    public var length: Duration?
    public var rate = 1.0
    /// The cubic slider, 0…1.
    public var volume = 1.0
    public var isMuted = false
    /// Whether the next start plays on by itself: an upgrade came between two tracks.
    public var goesOn = false

    public init() {}
}

/// A session as it was found.
public struct RestoredSession: Sendable {
    /// Its ids go on above every id ever given out.
    public var queue: PlayQueue
    public var playback: SessionPlayback
    /// What was known of the entries around the current one: complete before any file is touched.
    public var details: [EntryID: TrackDetails]
}

/// Something about the session that belongs in the log; never in the way of playing.
public enum SessionNotice: Hashable, Sendable {
    /// The file could not be used and was kept under this name; a new session began.
    case setAside(path: String, reason: SchemaError)
    /// Another process has the session; this one saves nothing.
    case inUse
    /// Nothing can be saved for now: a full disk, a folder that cannot be written. It is tried again.
    case unavailable(SQLiteError)
    /// Saving works again.
    case recovered
}
