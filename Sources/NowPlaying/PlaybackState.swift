// SPDX-License-Identifier: Apache-2.0

/// `PlaybackStatus`: what the listener asked for. Stays `playing` while a stream buffers.
public enum NowPlayingPlaybackState: String, Hashable, Sendable, CaseIterable {
    /// Wanted to be heard, also while a stream buffers or a seek lands.
    case playing = "Playing"
    /// Held at its position.
    case paused = "Paused"
    /// At the beginning, or with nothing to play.
    case stopped = "Stopped"
}

/// `LoopStatus`, in Apple's words: off, one, all.
public enum RepeatMode: String, Hashable, Sendable, CaseIterable {
    /// Ends after the last track.
    case off = "None"
    /// The track begins again when it ends.
    case one = "Track"
    /// The list begins again when it ends.
    case all = "Playlist"
}
