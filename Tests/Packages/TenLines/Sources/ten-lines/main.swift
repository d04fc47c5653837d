// SPDX-License-Identifier: Apache-2.0
import Dispatch
import NowPlaying

let session = NowPlayingSession(identity: NowPlayingIdentity(name: "tenlines", displayName: "Ten Lines"))
var info = NowPlayingInfo(trackID: TrackID(prefix: "/org/example/tenlines", number: 1))
info.title = "A Tune"
session.infoCenter.nowPlayingInfo = info
for (command, state) in [
    (session.commandCenter.play, NowPlayingPlaybackState.playing), (session.commandCenter.pause, .paused),
] {
    command.setHandler { _ in
        session.infoCenter.playbackState = state; return .success
    }
}
Task { try await session.activate() }
dispatchMain()
