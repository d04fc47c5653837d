// SPDX-License-Identifier: Apache-2.0
import MartletDBus
import MartletTestSupport
import NowPlaying
import Testing

/// `org.mpris.MediaPlayer2.TrackList`.
@MainActor
@Suite("TrackList", .timeLimit(.minutes(1)))
struct TrackListTests {
    private func loaded(_ uris: [String] = ["a", "b", "c"]) async throws -> (Stage, Deck) {
        var deck: Deck?
        let stage = try await Stage {
            deck = Deck($0)
            deck?.offerTrackList()
            deck?.load(uris)
        }
        stage.deck = deck
        return (stage, deck!)
    }

    private func id(_ number: UInt64) -> BusValue { .objectPath(TrackID.entry(number).path) }
    private let none = BusValue.objectPath(Stage.noTrack)

    @Test func `the queue is shown with an id for each entry (R006, R022, R099, R152)`() async throws {
        let (stage, deck) = try await loaded(["a", "a"])
        #expect(try await stage.get("HasTrackList", of: Stage.root) == .boolean(true))
        let shown: [String: BusValue] = [
            "Tracks": .objectPaths([TrackID.entry(1).path, TrackID.entry(2).path]), "CanEditTracks": .boolean(true),
        ]
        #expect(try await stage.getAll(Stage.trackList) == shown)
        deck.load([])
        #expect(try await stage.get("Tracks", of: Stage.trackList) == .objectPaths([]))
    }

    @Test func `GetTracksMetadata gives known ids in the order asked, with full types (R103, R104, D11)`() async throws
    {
        let (stage, _) = try await loaded()
        let asked: [ObjectPath] = [
            TrackID.entry(3).path, "/org/example/tune/entry/99", Stage.noTrack, "/", TrackID.entry(1).path,
        ]
        let maps = try await stage.call("GetTracksMetadata", .objectPaths(asked), of: Stage.trackList)[0].array!
        #expect(maps.map { $0["mpris:trackid"] } == [id(3), id(1)])
        #expect(maps[1]["mpris:length"] == .int64(100_000_000))
        let nothing = try await stage.call("GetTracksMetadata", .objectPaths([]), of: Stage.trackList)
        #expect(nothing == [.array([], of: "a{sv}")])
    }

    @Test func `AddTrack puts a track behind another or at the start (R105, R106, R119)`() async throws {
        let (stage, deck) = try await loaded()
        try await stage.call("AddTrack", .string("file:///x"), id(1), .boolean(false), of: Stage.trackList)
        #expect(deck.tracks == [.entry(1), .entry(4), .entry(2), .entry(3)])
        var told = try await stage.told()
        #expect(told.count == 2)
        #expect(told[0] == .tracks)
        guard case .signal(Stage.trackList, "TrackAdded", let body) = told[1] else {
            Issue.record("\(told)")
            return
        }
        #expect(body[0]["mpris:trackid"] == id(4))
        #expect(body[1] == id(1))

        try await stage.call("AddTrack", .string("file:///y"), none, .boolean(true), of: Stage.trackList)
        #expect(deck.tracks.first == .entry(5))
        told = try await stage.told()
        // The list's invalidation first, then what was added, then the Player: Plasma fetches anew in between.
        #expect(told.first == .tracks)
        guard case .signal(_, "TrackAdded", let first) = told[1], case .changed(Stage.player, let values, _) = told[2]
        else {
            Issue.record("\(told)")
            return
        }
        #expect(first[1] == none)
        #expect(values["PlaybackStatus"] == .string("Playing"))
        #expect(values["Metadata"]?["mpris:trackid"] == id(5))
        #expect(told.count == 3)
    }

    @Test func `AddTrack of a URI that is not taken is refused (R057)`() async throws {
        let (stage, _) = try await loaded()
        for uri in ["gopher://x", "/x"] {
            let name = try await stage.error {
                try await stage.call("AddTrack", .string(uri), none, .boolean(false), of: Stage.trackList)
            }
            #expect(name == (uri == "/x" ? .invalidArgs : .notSupported))
        }
        #expect(try await stage.told() == [])
    }

    @Test func `RemoveTrack takes an entry out and leaves the other ids (R100, R120)`() async throws {
        let (stage, deck) = try await loaded()
        try await stage.call("RemoveTrack", id(2), of: Stage.trackList)
        #expect(deck.tracks == [.entry(1), .entry(3)])
        #expect(try await stage.told() == [.tracks, .list("TrackRemoved", id(2))])
    }

    @Test func `removing the current entry tells the list before the Player (R118)`() async throws {
        let (stage, _) = try await loaded()
        try await stage.call("RemoveTrack", id(1), of: Stage.trackList)
        let told = try await stage.told()
        #expect(told.prefix(2) == [.tracks, .list("TrackRemoved", id(1))])
        guard case .changed(Stage.player, let values, _) = told[2] else {
            Issue.record("\(told)")
            return
        }
        #expect(values["Metadata"]?["mpris:trackid"] == id(2))
    }

    @Test(arguments: ["/org/example/tune/entry/99", "/org/mpris/MediaPlayer2/TrackList/NoTrack", "/"])
    func `an id that is not in the list has no effect and is no error (R109, R110, R112, F126)`(
        track: ObjectPath
    ) async throws {
        let (stage, deck) = try await loaded()
        #expect(try await stage.call("RemoveTrack", .objectPath(track), of: Stage.trackList) == [])
        #expect(try await stage.call("GoTo", .objectPath(track), of: Stage.trackList) == [])
        #expect(deck.tracks.count == 3)
        #expect(try await stage.told() == [])
    }

    @Test func `GoTo plays the entry (F126)`() async throws {
        let (stage, _) = try await loaded()
        try await stage.call("GoTo", id(3), of: Stage.trackList)
        #expect(try await stage.get("Metadata")["mpris:trackid"] == id(3))
        #expect(try await stage.get("PlaybackStatus") == .string("Playing"))
    }

    @Test func `a list that cannot be edited is not edited (R107, R111, R116)`() async throws {
        let (stage, deck) = try await loaded()
        stage.session.trackList!.addTrack.isEnabled = false
        #expect(
            try await stage.told() == [.changed(Stage.trackList, ["CanEditTracks": .boolean(false)], gone: [])])
        #expect(
            try await stage.error {
                try await stage.call("AddTrack", .string("file:///x"), none, .boolean(false), of: Stage.trackList)
            } == .notSupported)
        #expect(try await stage.call("RemoveTrack", id(2), of: Stage.trackList) == [])
        #expect(deck.tracks.count == 3)
        try await stage.call("GoTo", id(2), of: Stage.trackList)
        #expect(try await stage.get("Metadata")["mpris:trackid"] == id(2))
    }

    // MARK: Announcing

    @Test func `a new list is one signal and one invalidation, however long (R114, R115, R117)`() async throws {
        let (stage, deck) = try await loaded()
        deck.load((1...500).map { "\($0)" })
        let told = try await stage.told()
        #expect(told[0] == .tracks)
        #expect(told[1] == .list("TrackListReplaced", .objectPaths(deck.tracks.map(\.path)), id(4)))
        guard case .changed(Stage.player, let values, _) = told[2] else {
            Issue.record("\(told)")
            return
        }
        // R118.
        #expect(values["Metadata"]?["mpris:trackid"] == id(4))
        #expect(told.count == 3)
    }

    @Test func `an emptied list is replaced by nothing, and nothing is current (R118, F137)`() async throws {
        let (stage, deck) = try await loaded()
        deck.load([])
        let told = try await stage.told()
        #expect(told.prefix(2) == [.tracks, .list("TrackListReplaced", .objectPaths([]), none)])
        #expect(try await stage.get("CanPlay") == .boolean(false))
    }

    @Test func `a hundred edits of one turn are one invalidation, and a signal each in order (R115, C12, F150)`()
        async throws
    {
        let (stage, deck) = try await loaded([])
        for number in 0..<100 { deck.insert("\(number)", at: number) }
        let told = try await stage.told()
        #expect(told.filter { $0 == .tracks }.count == 1)
        #expect(told[0] == .tracks)
        let added = told.compactMap { told -> BusValue? in
            if case .signal(_, "TrackAdded", let body) = told { body[0]["mpris:trackid"] } else { nil }
        }
        #expect(added == (1...100).map { id($0) })
    }

    @Test func `what is announced before a replacement is part of it, tags that changed are not`() async throws {
        let (stage, deck) = try await loaded()
        deck.rename(.entry(2), "new")
        deck.insert("x", at: 0)
        stage.session.trackList!.announceReplacement()
        deck.insert("y", at: 0)
        let told = try await stage.told()
        #expect(
            told.prefix(2) == [.tracks, .list("TrackListReplaced", .objectPaths(deck.tracks.map(\.path)), id(1))])
        guard case .signal(_, "TrackMetadataChanged", let body) = told[2] else {
            Issue.record("\(told)")
            return
        }
        #expect(body[0] == id(2))
        #expect(body[1]["xesam:title"] == .string("new"))
        #expect(!told.dropFirst(3).contains { if case .signal(Stage.trackList, _, _) = $0 { true } else { false } })
    }

    @Test func `an entry that came and went in one turn is told as another list`() async throws {
        let (stage, deck) = try await loaded()
        deck.insert("x", at: 3)
        deck.remove(.entry(4))
        let tracks = BusValue.objectPaths(deck.tracks.map(\.path))
        #expect(try await stage.told().prefix(2) == [.tracks, .list("TrackListReplaced", tracks, id(1))])
    }

    @Test func `changed tags are told without a change of the list (R121, R122)`() async throws {
        let (stage, deck) = try await loaded()
        deck.rename(.entry(3), "new")
        let told = try await stage.told()
        guard case .signal(_, "TrackMetadataChanged", let body) = told.first else {
            Issue.record("\(told)")
            return
        }
        #expect(body[0] == id(3))
        #expect(body[1]["mpris:trackid"] == id(3))
        #expect(told.count == 1)
    }

    @Test func `an entry that took another's place is told under the old id with the new inside (R121)`() async throws {
        let (stage, _) = try await loaded()
        stage.session.trackList!.announceMetadataChange(of: .entry(99), nowNamed: .entry(2))
        let told = try await stage.told()
        guard told.first == .tracks, case .signal(_, "TrackMetadataChanged", let body) = told[1] else {
            Issue.record("\(told)")
            return
        }
        #expect(body[0] == id(99))
        #expect(body[1]["mpris:trackid"] == id(2))
    }

    @Test func `edit and permission of one turn are one signal of the interface`() async throws {
        let (stage, deck) = try await loaded()
        deck.remove(.entry(3))
        stage.session.trackList!.addTrack.isEnabled = false
        #expect(
            try await stage.told().first
                == .changed(Stage.trackList, ["CanEditTracks": .boolean(false)], gone: ["Tracks"]))
    }

    // MARK: Coming and going

    @Test func `a list that is offered late, exchanged and withdrawn is seen as such (R022, R123)`() async throws {
        let stage = try await Stage()
        let deck = Deck(stage.session)
        deck.load(["a"])
        _ = try await stage.told()
        deck.offerTrackList()
        #expect(try await stage.told() == [.root(["HasTrackList": .boolean(true)])])
        #expect(try await stage.getAll(Stage.trackList).count == 2)
        let first = stage.session.trackList
        deck.offerTrackList()
        let tracks = BusValue.objectPaths(deck.tracks.map(\.path))
        #expect(try await stage.told() == [.tracks, .list("TrackListReplaced", tracks, id(1))])
        // The old one has nothing to say any more.
        first?.announceReplacement()
        #expect(try await stage.told() == [])
        stage.session.trackList = nil
        #expect(try await stage.told() == [.root(["HasTrackList": .boolean(false)])])
        #expect(try await stage.error { _ = try await stage.getAll(Stage.trackList) } == .unknownInterface)
    }

    @Test func `a source that is gone leaves an empty list and no crash`() async throws {
        var deck: Deck?
        let stage = try await Stage {
            deck = Deck($0)
            deck?.offerTrackList()
            deck?.load(["a"])
        }
        let list = stage.session.trackList!
        list.addTrack.removeHandler()
        list.removeTrack.removeHandler()
        list.goTo.removeHandler()
        deck = nil
        #expect(list.source == nil)
        #expect(try await stage.get("Tracks", of: Stage.trackList) == .objectPaths([]))
        #expect(try await stage.call("GoTo", id(1), of: Stage.trackList) == [])
        let maps = try await stage.call("GetTracksMetadata", .objectPaths([TrackID.entry(1).path]), of: Stage.trackList)
        #expect(maps == [.array([], of: "a{sv}")])
    }
}
