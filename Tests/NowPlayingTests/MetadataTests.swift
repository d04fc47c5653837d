// SPDX-License-Identifier: Apache-2.0
import MartletDBus
import MartletTestSupport
import NowPlaying
import Testing

/// A track as clients read it.
@MainActor
@Suite("Metadata", .timeLimit(.minutes(1)))
struct MetadataTests {
    /// The map a client gets for a track.
    private func map(_ info: NowPlayingInfo?) async throws -> [String: BusValue] {
        let stage = try await Stage { $0.infoCenter.nowPlayingInfo = info }
        let map = try await stage.get("Metadata").dictionary!
        #expect(Set(map.keys).count == map.count)
        return Dictionary(uniqueKeysWithValues: map.keys.map { ($0, map[$0]!) })
    }

    @Test func `every key has the type of the guidelines (R073, R075, R136 to R139, F002, F003, F080 to F082, F090)`()
        async throws
    {
        #expect(
            try await map(.full) == [
                "mpris:trackid": .objectPath("/org/example/tune/entry/1"), "mpris:length": .int64(200_000_000),
                "mpris:artUrl": .string("file:///cache/a%20b.png"), "xesam:url": .string("file:///music/1.flac"),
                "xesam:title": .string("Title 1"), "xesam:artist": .strings(["Ann", "Bob"]),
                "xesam:album": .string("Album"), "xesam:albumArtist": .strings(["Ann"]),
                "xesam:trackNumber": .int32(3), "xesam:discNumber": .int32(1), "xesam:genre": .strings(["Jazz"]),
                "xesam:composer": .strings(["C"]), "xesam:lyricist": .strings(["D"]),
                "xesam:contentCreated": .string("2007"), "xesam:audioBPM": .int32(120),
                "xesam:comment": .strings(["fine"]), "xesam:asText": .string("la"),
                "xesam:userRating": .double(0.8), "xesam:autoRating": .double(0.5), "xesam:useCount": .int32(0),
                "xesam:firstUsed": .string("2020-01-01T00:00:00Z"), "xesam:lastUsed": .string("2021-01-01T00:00:00Z"),
            ])
    }

    @Test func `without a track there is NoTrack and nothing else (D01, F001)`() async throws {
        #expect(try await map(nil) == ["mpris:trackid": .objectPath(Stage.noTrack)])
    }

    @Test func `what is unknown is left out, however it is said (R143 to R145, F083, F084)`() async throws {
        var info = NowPlayingInfo.track(1, title: "", length: .seconds(-1))
        info.url = ""
        info.artworkURL = ""
        info.artists = ["", ""]
        info.album = ""
        info.trackNumber = 0
        info.discNumber = -1
        info.beatsPerMinute = .max
        info.userRating = .nan
        info.extras = ["tune:empty": .text(""), "tune:none": .texts([]), "tune:nan": .real(.nan)]
        #expect(Array(try await map(info).keys) == ["mpris:trackid"])
    }

    @Test func `only URIs are given as such, and no picture inside one (R140, F101)`() async throws {
        for (text, isTaken) in [
            ("file:///a", true), ("https://example.org/a", true), ("/music/a.flac", false), ("a.flac", false),
            ("data:image/png;base64,AAAA", false), ("DATA:,", false),
        ] {
            var info = NowPlayingInfo.track(1)
            info.artworkURL = text
            #expect(try await map(info)["mpris:artUrl"] == (isTaken ? .string(text) : nil), "\(text)")
        }
        var info = NowPlayingInfo.track(1)
        info.url = "/music/a.flac"
        #expect(try await map(info)["xesam:url"] == nil)
    }

    @Test(arguments: [
        // 36 minutes are more microseconds than 31 bits hold.
        (Duration.seconds(36 * 60), 2_160_000_000 as Int64), (.seconds(24 * 3600), 86_400_000_000),
        (.microseconds(1), 1), (.nanoseconds(1999), 1), (.seconds(Int64.max), Int64.max),
    ])
    func `a length is whole microseconds in 64 bits (R137, F080, F081)`(length: Duration, value: Int64) async throws {
        #expect(try await map(.track(1, length: length))["mpris:length"] == .int64(value))
    }

    @Test func `lists are short and ratings within their scale (C35)`() async throws {
        var info = NowPlayingInfo.track(1)
        info.artists = (1...20).map { "Artist \($0)" }
        info.userRating = 5
        info.autoRating = -1
        let map = try await map(info)
        #expect(map["xesam:artist"] == .strings((1...8).map { "Artist \($0)" }))
        #expect(map["xesam:userRating"] == .double(1))
        #expect(map["xesam:autoRating"] == .double(0))
    }

    @Test func `keys of one's own have a prefix, and take no others' place (R141)`() async throws {
        var info = NowPlayingInfo.track(1)
        info.extras = [
            "tune:text": .text("x"), "tune:texts": .texts(["x", "", "y"]), "kde:pid": .number(7),
            "tune:real": .real(0.5), "tune:truth": .truth(true), "xesam:title": .text("no"), "mpris:x": .number(1),
            "bare": .number(1), ":x": .number(1), "": .number(1),
        ]
        let map = try await map(info)
        #expect(map["tune:text"] == .string("x"))
        #expect(map["tune:texts"] == .strings(["x", "y"]))
        #expect(map["kde:pid"] == .int64(7))
        #expect(map["tune:real"] == .double(0.5))
        #expect(map["tune:truth"] == .boolean(true))
        #expect(map["xesam:title"] == .string("Title 1"))
        #expect(map.count == 9)
    }

    @Test func `no text can cost the player its connection (R147, F105, F106, F107)`() async throws {
        let stage = try await Stage.logging()
        for text in ["a\0b", "\u{FFFE}\u{FFFF}", "\u{1F600}\u{0301}", String(repeating: "ä", count: 100_000)] {
            var info = NowPlayingInfo.track(1, title: text)
            info.artists = [text]
            info.extras = ["tune:\(text.prefix(3))": .text(text)]
            stage.session.infoCenter.nowPlayingInfo = info
            let repaired = String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
            #expect(try await stage.get("Metadata")["xesam:title"] == .string(repaired))
            #expect(try await stage.told().count == 1)
        }
        #expect(stage.connection.isConnected)
    }

    @Test(arguments: ["/", "/org/mpris", "/org/mpris/MediaPlayer2", "/org/mpris/MediaPlayer2/TrackList/NoTrack"])
    func `the specification's own paths are nobody's id (R009, F009, F010)`(path: ObjectPath) {
        #expect(TrackID(path) == nil)
    }

    @Test func `an id is made of a path or a number (R148)`() {
        #expect(TrackID("/org/mprisplayer/1")?.description == "/org/mprisplayer/1")
        #expect(TrackID(prefix: "/a/b", number: 7).path == "/a/b/7")
        #expect(TrackID(prefix: "/a/b/", number: .max).path == "/a/b/18446744073709551615")
    }

    @Test func `an identity spells its schemes in lower case (R025)`() {
        var identity = NowPlayingIdentity(name: "x", displayName: "X", uriSchemes: ["FILE", "Https"])
        #expect(identity.uriSchemes == ["file", "https"])
        identity.uriSchemes.append("FTP")
        #expect(identity.uriSchemes == ["file", "https", "ftp"])
    }
}
