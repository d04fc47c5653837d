// SPDX-License-Identifier: Apache-2.0
import MartletDBus
import MartletTestSupport
import NowPlaying
import Testing

/// A state, what is done to it in one turn, and what the bus hears of it.
struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let before: (@MainActor @Sendable (NowPlayingSession) -> Void)?
    let after: @MainActor @Sendable (NowPlayingSession) -> Void
    /// Made when it is needed: what lives to the end of the process inside enum payloads is a leak to LeakSanitizer, which knows no
    /// pointers with tags in them.
    let told: @Sendable () -> [Told]

    init(
        _ description: String, from before: (@MainActor @Sendable (NowPlayingSession) -> Void)? = nil,
        _ after: @escaping @MainActor @Sendable (NowPlayingSession) -> Void,
        told: @escaping @autoclosure @Sendable () -> [Told]
    ) {
        testDescription = description
        self.before = before
        self.after = after
        self.told = told
    }
}

@MainActor
@Suite("Changes", .timeLimit(.minutes(1)))
struct ChangeTests {
    nonisolated static let changes: [Change] = [
        Change(
            "the state alone (F037, F053)", from: { $0.infoCenter.nowPlayingInfo = .track(1) },
            { $0.infoCenter.playbackState = .playing }, told: [.player(["PlaybackStatus": .string("Playing")])]),
        Change(
            "a track with its state in one signal (D13, F046)", from: { $0.infoCenter.nowPlayingInfo = .track(1) },
            {
                $0.infoCenter.playbackState = .playing
                $0.infoCenter.nowPlayingInfo = .track(2)
                $0.commandCenter.nextTrack.setHandler { _ in .success }
            },
            told: [
                .player([
                    "PlaybackStatus": .string("Playing"), "Metadata": NowPlayingInfo.map(2),
                    "CanGoNext": .boolean(true),
                ])
            ]),
        Change(
            "a seekable track makes CanSeek true in the same signal (R090, R093)",
            from: { $0.commandCenter.changePlaybackPosition.setHandler { _ in .success } },
            { $0.infoCenter.nowPlayingInfo = .track(1) },
            told: [.player(["Metadata": NowPlayingInfo.map(1), "CanSeek": .boolean(true)])]),
        Change(
            "a live stream after it makes CanSeek false (R090)",
            from: {
                $0.commandCenter.changePlaybackPosition.setHandler { _ in .success }
                $0.infoCenter.nowPlayingInfo = .track(1)
            },
            {
                $0.commandCenter.changePlaybackPosition.isEnabled = false
                $0.infoCenter.nowPlayingInfo = .track(2, length: nil)
            }, told: [.player(["Metadata": NowPlayingInfo.map(2, length: nil), "CanSeek": .boolean(false)])]),
        Change(
            "no track any more leaves nothing but NoTrack (D01, F093)",
            from: { $0.infoCenter.nowPlayingInfo = .track(1) }, { $0.infoCenter.nowPlayingInfo = nil },
            told: [.player(["Metadata": .dict([("mpris:trackid", .objectPath(Stage.noTrack))])])]),
        Change(
            "tags that come late send the whole map again (D21, R143, R146, F041)",
            from: { $0.infoCenter.nowPlayingInfo = .track(1, title: "1.flac", length: nil) },
            { $0.infoCenter.nowPlayingInfo = .track(1, title: "Title") },
            told: [.player(["Metadata": NowPlayingInfo.map(1, title: "Title")])]),
        Change(
            "there and back again in one turn is nothing (C28, F035)",
            {
                $0.infoCenter.playbackState = .playing
                $0.infoCenter.volume = 0.3
                $0.infoCenter.playbackState = .stopped
                $0.infoCenter.volume = 1
            }, told: []),
        Change(
            "the same track set again is nothing (F038)", from: { $0.infoCenter.nowPlayingInfo = .track(1) },
            { $0.infoCenter.nowPlayingInfo = .track(1) }, told: []),
        Change(
            "the position is never told (R080, F034)", from: { $0.infoCenter.nowPlayingInfo = .track(1) },
            { $0.infoCenter.timeline = PlaybackTimeline(position: .seconds(9), isRunning: true) }, told: []),
        Change(
            "a jump is told after the change it belongs to (D13, F024)",
            from: { $0.infoCenter.nowPlayingInfo = .track(1) },
            {
                $0.infoCenter.announceSeek(to: .seconds(60))
                $0.infoCenter.playbackState = .playing
            }, told: [.player(["PlaybackStatus": .string("Playing")]), .seeked(60_000_000)]),
        Change(
            "a track that repeats is told by a jump alone (D14, F131)",
            from: { $0.infoCenter.nowPlayingInfo = .track(1) }, { $0.infoCenter.announceSeek(to: .zero) },
            told: [.seeked(0)]),
        Change(
            "each jump is told, within the track (R094, F021)", from: { $0.infoCenter.nowPlayingInfo = .track(1) },
            {
                $0.infoCenter.announceSeek(to: .seconds(-5))
                $0.infoCenter.announceSeek(to: .seconds(500))
            }, told: [.seeked(0), .seeked(200_000_000)]),
        Change(
            "a length of zero is unknown and limits no jump (F085)",
            from: { $0.infoCenter.nowPlayingInfo = .track(1, length: .zero) },
            { $0.infoCenter.announceSeek(to: .seconds(7)) }, told: [.seeked(7_000_000)]),
        Change(
            "LoopStatus and what it does to the buttons in one signal (D19, F039)",
            from: {
                $0.commandCenter.nextTrack.setHandler { _ in .success }
                $0.commandCenter.nextTrack.isEnabled = false
            },
            {
                $0.infoCenter.repeatMode = .all
                $0.commandCenter.nextTrack.isEnabled = true
            }, told: [.player(["LoopStatus": .string("Playlist"), "CanGoNext": .boolean(true)])]),
        Change(
            "every value that Player has", from: { $0.infoCenter.rates = 0.5...2 },
            {
                $0.infoCenter.rate = 1.5
                $0.infoCenter.rates = 0.25...4
                $0.infoCenter.isShuffled = true
                $0.infoCenter.volume = 0.25
                $0.commandCenter.play.setHandler { _ in .success }
                $0.commandCenter.pause.setHandler { _ in .success }
                $0.commandCenter.previousTrack.setHandler { _ in .success }
            },
            told: [
                .player([
                    "Rate": .double(1.5), "MinimumRate": .double(0.25), "MaximumRate": .double(4),
                    "Shuffle": .boolean(true), "Volume": .double(0.25), "CanPlay": .boolean(true),
                    "CanPause": .boolean(true), "CanGoPrevious": .boolean(true),
                ])
            ]),
        Change(
            "a rate that is none shows as 1 (R065, F077)", from: { $0.infoCenter.rate = 1 },
            { $0.infoCenter.rate = 0 }, told: []),
        Change(
            "a volume that is none shows as 0 (R076)", { $0.infoCenter.volume = -.infinity },
            told: [.player(["Volume": .double(0)])]),
        Change(
            "every value that the root interface has, and none of the player's (R027, R161)",
            {
                $0.commandCenter.quit.setHandler { _ in .success }
                $0.commandCenter.raise.setHandler { _ in .success }
                $0.commandCenter.setFullscreen.setHandler { _ in .success }
                $0.commandCenter.setFullscreen.isEnabled = false
                $0.identity.displayName = "Tune 2"
                $0.identity.desktopEntry = "tune2"
                $0.identity.uriSchemes = ["FILE", "ftp"]
                $0.identity.mimeTypes = ["audio/ogg"]
            },
            told: [
                .root([
                    "CanQuit": .boolean(true), "CanRaise": .boolean(true), "Fullscreen": .boolean(false),
                    "CanSetFullscreen": .boolean(false), "Identity": .string("Tune 2"),
                    "DesktopEntry": .string("tune2"), "SupportedUriSchemes": .strings(["file", "ftp"]),
                    "SupportedMimeTypes": .strings(["audio/ogg"]),
                ])
            ]),
        Change(
            "a property the player gives up is named as gone (R008)", { $0.infoCenter.repeatMode = nil },
            told: [.changed(Stage.player, [:], gone: ["LoopStatus"])]),
        Change(
            "a property the player gets comes with its value",
            from: { $0.infoCenter.isShuffled = nil }, { $0.infoCenter.isShuffled = true },
            told: [.player(["Shuffle": .boolean(true)])]),
        Change(
            "root before Player, and one signal each",
            { session in
                session.infoCenter.playbackState = .paused
                session.commandCenter.quit.setHandler { _ in .success }
            },
            told: [.root(["CanQuit": .boolean(true)]), .player(["PlaybackStatus": .string("Paused")])]),
    ]

    @Test(arguments: changes)
    func `the changes of one turn are told as one (R007, R160)`(change: Change) async throws {
        let stage = try await Stage { change.before?($0) }
        change.after(stage.session)
        #expect(try await stage.told() == change.told())
        // What was told once is not told again.
        stage.session.commit()
        #expect(try await stage.told() == [])
    }

    @Test(arguments: changes)
    func `a commit at once tells the same and leaves the turn nothing`(change: Change) async throws {
        let stage = try await Stage { change.before?($0) }
        change.after(stage.session)
        stage.session.commit()
        #expect(try await stage.told() == change.told())
    }

    @Test(arguments: changes)
    func `what a client was told is what it reads (R163)`(change: Change) async throws {
        let stage = try await Stage { change.before?($0) }
        var cache = try await [Stage.root: stage.getAll(Stage.root), Stage.player: stage.getAll()]
        change.after(stage.session)
        for case .changed(let interface, let values, let gone) in try await stage.told() {
            cache[interface]!.merge(values) { _, new in new }
            for name in gone { cache[interface]![name] = nil }
        }
        for (interface, values) in cache {
            var now = try await stage.getAll(interface)
            var values = values
            now["Position"] = nil
            values["Position"] = nil
            #expect(now == values)
        }
    }

    @Test func `steady playback puts nothing on the bus (F034, F035)`() async throws {
        let stage = try await Stage {
            $0.infoCenter.nowPlayingInfo = .track(1)
            $0.infoCenter.playbackState = .playing
            $0.infoCenter.timeline = PlaybackTimeline(position: .zero, isRunning: true)
        }
        var last: Int64 = -1
        for _ in 0..<50 {
            let position = try await stage.get("Position").int64!
            #expect(position > last)
            last = position
        }
        #expect(try await stage.told() == [])
    }
}
