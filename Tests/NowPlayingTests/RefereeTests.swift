// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import MartletDBus
import MartletTestSupport
import NowPlaying
import Testing

/// Other people's programs, and the interface descriptions in `dbus/`.
@MainActor
@Suite("Referees", .timeLimit(.minutes(1)))
struct RefereeTests {
    private func player() async throws -> (Stage, Deck) {
        var deck: Deck?
        let stage = try await Stage {
            deck = Deck($0)
            deck?.lists = [NowPlayingPlaylist(id: "/org/example/tune/list/1", name: "One")]
            deck?.offerTrackList()
            deck?.offerPlaylists()
            deck?.load(["a", "b", "c"])
        }
        stage.deck = deck
        return (stage, deck!)
    }

    private func playerctl(_ stage: Stage, _ arguments: String...) async throws -> String {
        let outcome = try await stage.bus.run(["playerctl", "--player=tune"] + arguments)
        #expect(outcome.status == 0, "playerctl \(arguments): \(outcome.errorOutput)")
        return outcome.output.split(separator: "\n").joined(separator: "\n")
    }

    @Test func `playerctl finds the player and drives it`() async throws {
        let (stage, deck) = try await player()
        #expect(try await playerctl(stage, "--list-all") == "tune")
        #expect(try await playerctl(stage, "status") == "Stopped")
        _ = try await playerctl(stage, "play")
        #expect(try await playerctl(stage, "status") == "Playing")
        _ = try await playerctl(stage, "next")
        #expect(try await playerctl(stage, "metadata", "title") == "b")
        #expect(try await playerctl(stage, "metadata", "mpris:length") == "100000000")
        _ = try await playerctl(stage, "play-pause")
        #expect(try await playerctl(stage, "status") == "Paused")
        // Absolute, forwards and backwards (F002, F015).
        _ = try await playerctl(stage, "position", "30")
        #expect(try await playerctl(stage, "position") == "30.000000")
        _ = try await playerctl(stage, "position", "10+")
        #expect(try await playerctl(stage, "position") == "40.000000")
        _ = try await playerctl(stage, "position", "60-")
        #expect(try await playerctl(stage, "position") == "0.000000")
        #expect(try await playerctl(stage, "metadata", "title") == "b")
        _ = try await playerctl(stage, "volume", "0.4")
        #expect(try await playerctl(stage, "volume") == "0.400000")
        _ = try await playerctl(stage, "volume", "0.9+")
        #expect(try await playerctl(stage, "volume") == "1.000000")
        _ = try await playerctl(stage, "loop", "Track")
        #expect(try await playerctl(stage, "loop") == "Track")
        _ = try await playerctl(stage, "shuffle", "On")
        #expect(try await playerctl(stage, "shuffle") == "On")
        _ = try await playerctl(stage, "open", "file:///music/new.flac")
        #expect(try await playerctl(stage, "metadata", "xesam:url") == "file:///music/new.flac")
        _ = try await playerctl(stage, "stop")
        #expect(try await playerctl(stage, "status") == "Stopped")
        #expect(deck.tracks.count == 4)
    }

    @Test func `busctl shows every member of the four interfaces`() async throws {
        let (stage, _) = try await player()
        let outcome = try await stage.bus.run([
            "busctl", "--address=" + stage.bus.addressText, "introspect", Stage.name.string, Stage.path.string,
        ])
        let rows = outcome.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        for row in [
            [".SetPosition", "method", "ox", "-", "-"], [".Seeked", "signal", "x", "-", "-"],
            [".Volume", "property", "d", "1", "emits-change", "writable"], [".Position", "property", "x", "0", "-"],
            [".CanControl", "property", "b", "true", "-"], [".GetTracksMetadata", "method", "ao", "aa{sv}", "-"],
            [".GetPlaylists", "method", "uusb", "a(oss)", "-"],
            [".PlaylistCount", "property", "u", "1", "emits-change"],
        ] { #expect(rows.contains(row), "\(row) in \(outcome.output)") }
        #expect(
            rows.contains { $0.first == ".Tracks" && $0.contains("ao") && $0.last == "emits-invalidation" })
    }

    @Test func `dbus-send with the wrong number type is told so (F072)`() async throws {
        let (stage, _) = try await player()
        let outcome = try await stage.bus.run([
            "dbus-send", "--session", "--print-reply", "--dest=" + Stage.name.string, Stage.path.string,
            "org.freedesktop.DBus.Properties.Set", "string:" + Stage.player.string, "string:Volume", "variant:int32:1",
        ])
        #expect(outcome.errorOutput.contains("org.freedesktop.DBus.Error.InvalidArgs"), "\(outcome)")
    }

    @Test func `playerctld passes everything on and lives (F133, F305, C27, C28)`() async throws {
        let (stage, deck) = try await player()
        let daemon = Task { try await stage.bus.run(["timeout", "-s", "KILL", "30", "playerctld"]) }
        let isChange: @Sendable (BusMessage) -> Bool = {
            $0.member == "NameOwnerChanged" && $0.body.first?.string == "org.mpris.MediaPlayer2.playerctld"
        }
        _ = try await stage.observer.message(where: isChange)
        stage.observer.clear()
        deck.load(["x", "y"])
        stage.session.commandCenter.quit.setHandler { _ in .success }
        stage.session.trackList!.addTrack.isEnabled = false
        deck.lists = []
        stage.session.playlists!.noteChange()
        try await stage.call("Ping", of: .peer)
        let status = try await stage.bus.run(["playerctl", "--player=playerctld", "metadata", "title"])
        #expect(status.output == "x\n", "\(status)")
        #expect(!stage.observer.messages.contains(where: isChange))
        // It leaves with the bus.
        stage.bus.stop()
        _ = try await daemon.value
    }

    @Test(arguments: [Stage.root, Stage.player, Stage.trackList, Stage.playlists])
    func `the code offers what the description in dbus/ says (R162)`(interface: InterfaceName) async throws {
        let (stage, _) = try await player()
        let live = try await stage.call("Introspect", of: .introspectable)[0].string!
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let file = try String(
            decoding: Data(contentsOf: URL(filePath: "\(root)/dbus/\(interface).xml")), as: UTF8.self)
        let described = try members(of: interface, in: file)
        #expect(!described.isEmpty)
        #expect(try members(of: interface, in: live) == described)
    }

    /// The members of an interface, one text each with its arguments and annotations.
    private func members(of interface: InterfaceName, in xml: String) throws -> Set<String> {
        let bare = xml.replacing(/<!--.*?-->/.dotMatchesNewlines(), with: "")
        let start = try #require(bare.firstRange(of: "<interface name=\"\(interface)\">"))
        let end = try #require(bare[start.upperBound...].firstRange(of: "</interface>"))
        var members: Set<String> = []
        var open = ""
        for tag in bare[start.upperBound..<end.lowerBound].matches(of: /<(\/?)([a-z]+)([^>]*?)(\/?)>/) {
            let (_, closing, name, attributes, single) = tag.output
            let isMember = ["method", "property", "signal"].contains(name)
            if closing.isEmpty {
                open += "<\(name) " + attributes.split(whereSeparator: \.isWhitespace).sorted().joined(separator: " ")
            }
            if isMember, !closing.isEmpty || !single.isEmpty {
                members.insert(open)
                open = ""
            }
        }
        return members
    }
}
