// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletDBus
import MartletLibrary
import MartletProtocol
import MartletTestSupport

@testable import MartletService

extension Stage {
    /// Tags in few words.
    static func tags(
        _ title: String, _ artist: String, album: String? = nil, number: Int? = nil, genre: String? = nil,
        year: String? = nil, seconds: Int = 200
    ) -> TrackTags {
        var tags = TrackTags()
        tags.title = title
        tags.artists = [artist]
        tags.album = album
        tags.trackNumber = number
        tags.genres = genre.map { [$0] } ?? []
        tags.date = year
        tags.audio.length = .seconds(seconds)
        return tags
    }

    /// Two albums of small real files, in `~/Music`.
    static let shelf: [String: TrackTags] = [
        "a1.wav": tags("Alder", "Ann", album: "Trees", number: 1, genre: "Folk", year: "1990"),
        "a2.wav": tags("Birch", "Ann", album: "Trees", number: 2, genre: "Folk", year: "1990"),
        "b1.wav": tags("Cod", "Ben", album: "Fish", number: 1, genre: "Jazz", year: "2001"),
        "b2.wav": tags("Dace", "Ben", album: "Fish", number: 2, genre: "Jazz", year: "2001", seconds: 1000),
    ]

    /// A stage whose library has the shelf, looked through.
    static func withShelf(scratch: ScratchDirectory? = nil) async throws -> Stage {
        let folder = try scratch ?? ScratchDirectory()
        if scratch == nil {
            try Tool.run(["mkdir", "-p", folder.path + "/Music"])
            for (index, name) in shelf.keys.sorted().enumerated() {
                let tone = ToneFile.noise(frames: 200, seed: UInt64(index))
                try ScratchDirectory.write(tone.wav, to: folder.path + "/Music/" + name)
            }
        }
        let stage = try await Stage(titles: shelf, scratch: folder)
        await stage.openLibrary()
        return stage
    }

    /// Opens the library and waits for its scan.
    func openLibrary() async {
        await library.open()
        await until { [library] in library.scans?.isScanning != true }
    }

    /// Waits until something is so, however often the library and the player have something to say before.
    func until(_ condition: @escaping @MainActor () -> Bool) async {
        // Observers stay as long as the stage; a test has few of them.
        let (changes, mark) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        library.observe { _ in mark.yield() }
        player.observe { _ in mark.yield() }
        mark.yield()
        for await _ in changes where condition() { break }
    }

    /// A file of the shelf.
    func file(_ name: String) -> MediaURI { MediaURI(filePath: Array((scratch.path + "/Music/" + name).utf8))! }

    /// Calls a method of MPRIS' Playlists.
    func playlists(_ member: MemberName, _ body: [BusValue] = []) async throws -> [BusValue] {
        try await observer.reply(
            to: .methodCall(
                destination: MartletBus.mprisName, path: Stage.mprisPath, interface: Stage.playlistsInterface,
                member: member, body: body)
        ).body
    }

    nonisolated static let playlistsInterface: InterfaceName = "org.mpris.MediaPlayer2.Playlists"

    /// Names in the order asked for.
    func playlistNames(_ order: String, reversed: Bool = false) async throws -> [String] {
        let rows =
            try await playlists(
                "GetPlaylists", [.uint32(0), .uint32(100), .string(order), .boolean(reversed)])[0].array ?? []
        return rows.compactMap { $0.structure?[1].string }
    }

    /// Waits until another count of playlists was announced.
    func playlistsAreNew() async throws {
        _ = try await observer.message { message in
            message.member == "PropertiesChanged" && message.body.first?.string == Stage.playlistsInterface.string
        }
        observer.clear()
    }
}
