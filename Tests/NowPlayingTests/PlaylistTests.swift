// SPDX-License-Identifier: Apache-2.0
import MartletDBus
import MartletTestSupport
import NowPlaying
import Testing

/// `org.mpris.MediaPlayer2.Playlists`.
@MainActor
@Suite("Playlists", .timeLimit(.minutes(1)))
struct PlaylistTests {
    private static let lists = ["Blue", "Amber", "Cyan", "Amber"].enumerated().map {
        NowPlayingPlaylist(id: ObjectPath("/org/example/tune/list/\($0.offset)")!, name: $0.element)
    }

    private func value(_ list: NowPlayingPlaylist) -> BusValue {
        .structure([.objectPath(list.id), .string(list.name), .string(list.icon)])
    }

    private func active(_ list: NowPlayingPlaylist?) -> BusValue {
        .structure([.boolean(list != nil), value(list ?? NowPlayingPlaylist(id: "/", name: ""))])
    }

    private func loaded() async throws -> (Stage, Deck) {
        var deck: Deck?
        let stage = try await Stage {
            deck = Deck($0)
            deck?.lists = PlaylistTests.lists
            deck?.offerPlaylists()
        }
        stage.deck = deck
        return (stage, deck!)
    }

    private func page(
        _ stage: Stage, _ index: UInt32 = 0, _ count: UInt32 = 100, _ order: String = "Alphabetical",
        reversed: Bool = false
    ) async throws -> [String] {
        let reply = try await stage.call(
            "GetPlaylists", .uint32(index), .uint32(count), .string(order), .boolean(reversed), of: Stage.playlists)
        return reply[0].array!.map { $0.structure![0].objectPath!.lastElement }
    }

    @Test func `the interface has a count, orders and no active list (R127, R131, R132, F091)`() async throws {
        let (stage, _) = try await loaded()
        #expect(
            try await stage.getAll(Stage.playlists) == [
                "PlaylistCount": .uint32(4), "Orderings": .strings(["Alphabetical", "Played"]),
                "ActivePlaylist": active(nil),
            ])
    }

    @Test func `pages are cut from the order that was asked for (R126, R128, F128)`() async throws {
        let (stage, deck) = try await loaded()
        #expect(try await page(stage) == ["1", "3", "0", "2"])
        #expect(try await page(stage, reversed: true) == ["2", "0", "3", "1"])
        #expect(try await page(stage, 1, 2) == ["3", "0"])
        #expect(try await page(stage, 0, 100, "Played") == ["0", "1", "2", "3"])
        #expect(deck.pageAsked == "0 100 lastPlayDate false")
        #expect(try await page(stage, 4) == [])
        #expect(try await page(stage, .max, .max) == [])
        #expect(try await page(stage, 0, 0) == [])
        // What XFCE asks for, whether or not it is there.
        #expect(try await page(stage, 0, 5, "Played", reversed: true).count == 4)
    }

    @Test func `a legal order that is not offered becomes the first that is, another word is wrong (D12, F128)`()
        async throws
    {
        let (stage, deck) = try await loaded()
        _ = try await page(stage, 0, 1, "Created")
        #expect(deck.pageAsked == "0 1 alphabetical false")
        for word in ["", "alphabetical", "Name"] {
            #expect(try await stage.error { _ = try await page(stage, 0, 1, word) } == .invalidArgs)
        }
    }

    @Test func `an empty page keeps its type (R152)`() async throws {
        let (stage, deck) = try await loaded()
        deck.lists = []
        let reply = try await stage.call(
            "GetPlaylists", .uint32(0), .uint32(9), .string("User"), .boolean(false), of: Stage.playlists)
        #expect(reply == [.array([], of: "(oss)")])
    }

    @Test func `a source without orders shows one all the same (R127)`() async throws {
        let (stage, deck) = try await loaded()
        deck.orderings = []
        #expect(try await stage.get("Orderings", of: Stage.playlists) == .strings(["User"]))
        _ = try await page(stage, 0, 1, "Played")
        #expect(deck.pageAsked == "0 1 user false")
    }

    @Test func `ActivatePlaylist plays the list, and both sides are told (R125, R135)`() async throws {
        let (stage, _) = try await loaded()
        let blue = PlaylistTests.lists[0]
        try await stage.call("ActivatePlaylist", .objectPath(blue.id), of: Stage.playlists)
        let told = try await stage.told()
        #expect(told.first == .changed(Stage.playlists, ["ActivePlaylist": active(blue)], gone: []))
        guard case .changed(Stage.player, let values, _) = told.last else {
            Issue.record("\(told)")
            return
        }
        #expect(values["PlaybackStatus"] == .string("Playing"))
        #expect(told.count == 2)
    }

    @Test func `ActivatePlaylist of what is not there is the handler's to refuse`() async throws {
        let (stage, _) = try await loaded()
        #expect(
            try await stage.error {
                try await stage.call("ActivatePlaylist", .objectPath("/"), of: Stage.playlists)
            } == .fileNotFound)
    }

    @Test func `a list made or deleted changes the count (R131)`() async throws {
        let (stage, deck) = try await loaded()
        deck.lists.removeLast()
        stage.session.playlists!.noteChange()
        #expect(
            try await stage.told() == [.changed(Stage.playlists, ["PlaylistCount": .uint32(3)], gone: [])])
        stage.session.playlists!.noteChange()
        #expect(try await stage.told() == [])
    }

    @Test func `a renamed list keeps its id, and is told once however often it was renamed (R129, R134)`() async throws
    {
        let (stage, deck) = try await loaded()
        for name in ["Red", "Green"] {
            deck.lists[1].name = name
            stage.session.playlists!.announceChange(of: deck.lists[1])
        }
        #expect(
            try await stage.told() == [.signal(Stage.playlists, "PlaylistChanged", [value(deck.lists[1])])])
    }

    @Test func `the active list renamed is told both ways (R135)`() async throws {
        let (stage, deck) = try await loaded()
        deck.activePlaylist = deck.lists[0]
        stage.session.playlists!.noteChange()
        _ = try await stage.told()
        deck.lists[0].name = "Violet"
        deck.lists[0].icon = "file:///icons/violet.png"
        deck.activePlaylist = deck.lists[0]
        stage.session.playlists!.announceChange(of: deck.lists[0])
        #expect(
            try await stage.told() == [
                .signal(Stage.playlists, "PlaylistChanged", [value(deck.lists[0])]),
                .changed(Stage.playlists, ["ActivePlaylist": active(deck.lists[0])], gone: []),
            ])
    }

    @Test func `playlists that are withdrawn are gone, offered again they are there (R123)`() async throws {
        let (stage, deck) = try await loaded()
        stage.session.playlists = nil
        #expect(
            try await stage.error { _ = try await stage.get("PlaylistCount", of: Stage.playlists) } == .unknownInterface
        )
        deck.offerPlaylists()
        #expect(try await stage.get("PlaylistCount", of: Stage.playlists) == .uint32(4))
        #expect(try await stage.told() == [])
    }

    @Test func `a source that is gone leaves no playlists and no crash`() async throws {
        let (stage, _) = try await loaded()
        let playlists = stage.session.playlists!
        playlists.activate.removeHandler()
        stage.deck = nil
        #expect(playlists.source == nil)
        #expect(try await stage.get("PlaylistCount", of: Stage.playlists) == .uint32(0))
        #expect(try await page(stage) == [])
    }
}
