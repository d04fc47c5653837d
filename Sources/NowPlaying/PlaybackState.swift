// SPDX-License-Identifier: Apache-2.0

/// `PlaybackStatus`: what the listener asked for. Stays `playing` while a stream buffers.
public enum NowPlayingPlaybackState: String, Hashable, Sendable, CaseIterable {
    case playing = "Playing"
    case paused = "Paused"
    case stopped = "Stopped"
}

/// `LoopStatus`, in Apple's words: off, one, all.
public enum RepeatMode: String, Hashable, Sendable, CaseIterable {
    case off = "None"
    case one = "Track"
    case all = "Playlist"
}
