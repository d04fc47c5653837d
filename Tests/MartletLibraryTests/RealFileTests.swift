// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletCore
import MartletTags
import MartletTestSupport
import Testing

@testable import MartletLibrary

/// Real files, real tags, the real reader.
@Suite("Scanning real files", .timeLimit(.minutes(1)))
struct RealFileTests {
    /// Encodes a tone of its own and tags it, without touching the sound.
    private func make(_ shelf: Shelf, _ name: String, frequency: Int, title: String) {
        Shelf.run(
            "ffmpeg", "-loglevel", "error", "-y", "-f", "lavfi", "-i", "sine=frequency=\(frequency):duration=1",
            "-bitexact", "-metadata", "title=\(title)", "-metadata", "artist=Anna", "-metadata", "album=Tones",
            "-write_xing", "0", shelf.music + "/" + name)
    }

    // Without a Xing frame: ffmpeg would write a new one, which no editor of tags does.
    private func retag(_ shelf: Shelf, _ name: String, as other: String, title: String) {
        Shelf.run(
            "ffmpeg", "-loglevel", "error", "-y", "-i", shelf.music + "/" + name, "-c", "copy", "-bitexact",
            "-write_xing", "0",
            "-metadata", "title=\(title)", "-metadata", "album=Other",
            "-metadata", "comment=" + String(repeating: "long ", count: 500), shelf.music + "/" + other)
        unlink(shelf.music + "/" + name)
    }

    @Test("F256: moved and retagged at once, in every kind of file", arguments: ["flac", "mp3", "m4a", "wav"])
    func movedAndRetagged(kind: String) async throws {
        let shelf = try await Shelf()
        mkdir(shelf.music + "/new", 0o700)
        make(shelf, "one.\(kind)", frequency: 440, title: "One")
        make(shelf, "two.\(kind)", frequency: 550, title: "Two")
        _ = try await shelf.store.addRoot(Array(shelf.music.utf8), now: shelf.time)
        let now = shelf.time
        let scan = LibraryScan(store: shelf.store, tags: TagLibReader(), now: { now })
        _ = try await scan.run()
        let one = try #require(try await shelf.track("One"))
        let two = try #require(try await shelf.track("Two"))
        #expect(one.artist == "Anna" && one.albumTitle == "Tones")
        #expect(one.length.map { abs($0 / .seconds(1) - 1) < 0.2 } == true)
        try await shelf.store.setLiked(true, track: one.id, now: now)
        retag(shelf, "one.\(kind)", as: "new/eins.\(kind)", title: "Eins")
        retag(shelf, "two.\(kind)", as: "new/zwei.\(kind)", title: "Zwei")
        _ = try await scan.run()
        #expect(try await shelf.track("Eins")?.id == one.id)
        #expect(try await shelf.track("Eins")?.isLiked == true)
        #expect(try await shelf.track("Zwei")?.id == two.id)
    }

    @Test
    func `what is no sound is listed with its reason and harms nothing`() async throws {
        let shelf = try await Shelf()
        make(shelf, "good.flac", frequency: 440, title: "Good")
        shelf.write("empty.mp3", "")
        shelf.write("text.flac", "this is no sound at all, only words")
        Shelf.run("sh", "-c", "head -c 60 '\(shelf.music)/good.flac' > '\(shelf.music)/cut.flac'")
        Shelf.run("sh", "-c", "head -c 100000 /dev/urandom > '\(shelf.music)/noise.m4a'")
        _ = try await shelf.store.addRoot(Array(shelf.music.utf8), now: shelf.time)
        let now = shelf.time
        let report = try await LibraryScan(store: shelf.store, tags: TagLibReader(), now: { now }).run()
        #expect(report.progress.found == 5)
        let failures = try await shelf.reader.failures(page: .all)
        #expect(failures.count == report.progress.failed)
        #expect(failures.contains { $0.path.suffix(9) == ArraySlice("empty.mp3".utf8) && $0.failure == .empty })
        #expect(failures.contains { $0.path.suffix(9) == ArraySlice("noise.m4a".utf8) })
        #expect(try await shelf.track("Good") != nil)
    }
}
