// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletDBus
import MartletTestSupport
import NowPlaying
import Testing

/// Calls in any order, against what must hold whatever was called (the contract's invariants).
@MainActor
@Suite("Random calls", .timeLimit(.minutes(2)))
struct RandomCallTests {
    private static let interfaces = [Stage.root, Stage.player, Stage.trackList, Stage.playlists]

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `after any calls, what was told is what is read`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var deck: Deck?
        let stage = try await Stage {
            deck = Deck($0)
            deck?.lists = [NowPlayingPlaylist(id: "/org/example/tune/list/1", name: "One")]
            deck?.offerTrackList()
            deck?.offerPlaylists()
            deck?.load(["a", "b"])
        }
        stage.deck = deck
        var cache: [InterfaceName: [String: BusValue]] = [:]
        for interface in RandomCallTests.interfaces { cache[interface] = try await stage.getAll(interface) }
        var seeks = 0
        let name = stage.connection.uniqueName

        for _ in 0..<80 {
            let jumps = deck!.jumps
            let before = try await stage.getAll()
            let call = makeCall(deck!, &random)
            let clock = ContinuousClock.now
            _ = try? await stage.observer.reply(to: call)
            // Invariant 7. Generous for a machine that runs other tests.
            #expect(ContinuousClock.now - clock < .seconds(1))
            let told = try await stage.told()
            try check(told, &cache, call)
            let seeked = told.filter { if case .signal(_, "Seeked", _) = $0 { true } else { false } }.count
            seeks += seeked
            // Invariant 4.
            #expect(seeked == deck!.jumps - jumps, "\(call.member!) \(call.body)")
            // Invariant 6.
            if let flag = RandomCallTests.flags[call.member!.string], before[flag] == .boolean(false) {
                #expect(told == [], "\(call.member!)")
            }
            try await checkState(stage, cache)
        }
        // Invariant 9.
        #expect(stage.connection.uniqueName == name)
        #expect(stage.session.busName == Stage.name)
        #expect(stage.connection.isConnected)
        #expect(seeks == deck!.jumps)
    }

    private static let flags = [
        "Next": "CanGoNext", "Previous": "CanGoPrevious", "Play": "CanPlay", "Pause": "CanPause",
        "PlayPause": "CanPause", "Seek": "CanSeek", "SetPosition": "CanSeek",
    ]

    /// Invariants 1 and 5, and one signal an interface.
    private func check(_ told: [Told], _ cache: inout [InterfaceName: [String: BusValue]], _ call: BusMessage) throws {
        var spoken: Set<InterfaceName> = []
        for case .changed(let interface, let values, _) in told {
            #expect(spoken.insert(interface).inserted, "\(interface) speaks twice for \(call.member!)")
            for (key, value) in values {
                let isRepeat = call.member == "Set" && call.body[1].string == key
                #expect(cache[interface]?[key] != value || isRepeat, "\(key) = \(value) was told already")
                #expect(!["Position", "CanControl", "Tracks"].contains(key))
                cache[interface]?[key] = value
            }
        }
        // Invariant 3, and the list before the Player.
        let order = told.map { told -> Int in
            switch told {
            case .changed(Stage.trackList, _, _): 0
            case .signal(Stage.trackList, _, _): 1
            case .signal(Stage.playlists, _, _): 2
            case .changed(Stage.playlists, _, _): 3
            case .changed(Stage.root, _, _): 4
            case .changed(Stage.player, _, _): 5
            default: 6
            }
        }
        #expect(order == order.sorted())
    }

    /// Invariants 1, 2, 3 and 8.
    private func checkState(_ stage: Stage, _ cache: [InterfaceName: [String: BusValue]]) async throws {
        for interface in RandomCallTests.interfaces {
            for (key, value) in try await stage.getAll(interface) where !["Position", "Tracks"].contains(key) {
                #expect(cache[interface]?[key] == value, "\(key)")
            }
        }
        let player = try await stage.getAll()
        #expect(NowPlayingPlaybackState(rawValue: player["PlaybackStatus"]!.string!) != nil)
        let rate = player["Rate"]!.double!
        #expect(rate > 0 && rate >= player["MinimumRate"]!.double! && rate <= player["MaximumRate"]!.double!)
        #expect(player["Volume"]!.double! >= 0)
        let position = player["Position"]!.int64!
        #expect(position >= 0 && position <= player["Metadata"]!["mpris:length"]?.int64 ?? .max)
        let track = player["Metadata"]!["mpris:trackid"]!.objectPath!
        #expect(track == Stage.noTrack || !track.string.hasPrefix("/org/mpris/"))
        let tracks = try await stage.get("Tracks", of: Stage.trackList).objectPaths!
        #expect(tracks.isEmpty == (track == Stage.noTrack))
        #expect(tracks.isEmpty || tracks.contains(track))
        #expect(Set(tracks).count == tracks.count)
    }

    private func makeCall(_ deck: Deck, _ random: inout SplitMix64) -> BusMessage {
        func call(_ interface: InterfaceName, _ member: MemberName, _ body: BusValue...) -> BusMessage {
            .methodCall(
                destination: Stage.name, path: Stage.path, interface: interface, member: member, body: body)
        }
        func set(_ property: MemberName, _ value: BusValue) -> BusMessage {
            .setProperty(property, of: Stage.player, to: value, at: Stage.path, destination: Stage.name)
        }
        let some = (deck.tracks.map(\.path) + [Stage.noTrack, "/", "/org/example/tune/entry/999"])
            .randomElement(using: &random)!
        let current = deck.current.map { deck.queue[$0].trackID.path } ?? Stage.noTrack
        let number = [-1, 0, 0.25, 0.5, 1, 1.5, 7, .nan, .infinity].randomElement(using: &random)!
        let time =
            [.min, -1_000_000_000, -7_000_000, -1, 0, 1, 7_000_000, 100_000_000, 100_000_001, .max]
            .randomElement(using: &random)! as Int64
        let verb = ["Next", "Previous", "Play", "Pause", "PlayPause", "Stop"].randomElement(using: &random)!
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1, 2, 3: return call(Stage.player, MemberName(verb)!)
        case 4, 5: return call(Stage.player, "Seek", .int64(time))
        case 6: return call(Stage.player, "SetPosition", .objectPath(current), .int64(time))
        case 7: return call(Stage.player, "SetPosition", .objectPath(some), .int64(time))
        case 8: return set("Volume", .double(number))
        case 9: return set("Rate", .double(number))
        case 10: return set("LoopStatus", .string(["None", "Track", "Playlist", "x"].randomElement(using: &random)!))
        case 11: return set("Shuffle", .boolean(.random(using: &random)))
        case 12:
            return call(
                Stage.trackList, "AddTrack", .string(["file:///n", "x:y", "/"].randomElement(using: &random)!),
                .objectPath(some), .boolean(.random(using: &random)))
        case 13: return call(Stage.trackList, "RemoveTrack", .objectPath(some))
        case 14: return call(Stage.trackList, "GoTo", .objectPath(some))
        default:
            return Bool.random(using: &random)
                ? call(Stage.player, "OpenUri", .string("file:///o"))
                : call(Stage.playlists, "ActivatePlaylist", .objectPath("/org/example/tune/list/1"))
        }
    }
}
