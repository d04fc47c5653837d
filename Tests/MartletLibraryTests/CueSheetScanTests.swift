// SPDX-License-Identifier: Apache-2.0
import MartletCore
import Testing

@testable import MartletLibrary

@Suite("Cue sheets in the library", .timeLimit(.minutes(1)))
struct CueSheetScanTests {
    static let sheet = """
        PERFORMER "Anna"
        TITLE "Concert"
        FILE "Concert.wav" WAVE
          TRACK 01 AUDIO
            TITLE "Opening"
            INDEX 01 00:00:00
          TRACK 02 AUDIO
            TITLE "Middle"
            INDEX 00 00:58:00
            INDEX 01 01:00:00
          TRACK 03 AUDIO
            TITLE "End"
            PERFORMER "Bert"
            INDEX 01 02:00:00
        """

    @Test
    func `a sheet and its file give each song once`() async throws {
        let shelf = try await Shelf.scanned([
            "C/Concert.flac": "title=All of it\nartist=Anna\nsound=1", "C/Concert.cue": CueSheetScanTests.sheet,
            "C/Encore.flac": "title=Encore\nartist=Anna\nalbum=Concert\nnumber=4\nsound=2",
        ])
        let tracks = try await shelf.reader.tracks(.all, by: .album, page: .all)
        #expect(tracks.map(\.title) == ["Opening", "Middle", "End", "Encore"])
        #expect(tracks.map(\.start) == [.zero, .seconds(60), .seconds(120), .zero])
        #expect(tracks.map(\.length) == [.seconds(60), .seconds(60), .seconds(60), .seconds(180)])
        #expect(tracks.map(\.artist) == ["Anna", "Anna", "Bert", "Anna"])
        #expect(
            try await shelf.albums().map { "\($0.artist) – \($0.title): \($0.trackCount)" } == ["Anna – Concert: 4"])
    }

    @Test
    func `a sheet inside the file counts as well, and one beside it goes before`() async throws {
        let inside = CueSheetScanTests.sheet.replacing("\n", with: "|").replacing("Opening", with: "Inside")
        let shelf = try await Shelf.scanned(["Concert.flac": "artist=Anna\nsound=1\ncue=\(inside)"])
        #expect(try await shelf.titles(by: .album) == ["Inside", "Middle", "End"])
        shelf.write("Concert.cue", CueSheetScanTests.sheet)
        try await shelf.scan()
        #expect(try await shelf.titles(by: .album) == ["Opening", "Middle", "End"])
    }

    @Test
    func `likes of a part follow the file, and outlive the sheet`() async throws {
        let shelf = try await Shelf.scanned([
            "C/Concert.flac": "title=All of it\nsound=1", "C/Concert.cue": CueSheetScanTests.sheet,
        ])
        let middle = try #require(try await shelf.track("Middle"))
        try await shelf.store.setLiked(true, track: middle.id, now: shelf.time)
        shelf.move("C", "D")
        try await shelf.scan()
        #expect(try await shelf.track("Middle")?.id == middle.id)
        #expect(try await shelf.track("Middle")?.uri?.displayName == "Concert.flac")
        shelf.remove("D/Concert.cue")
        try await shelf.scan()
        #expect(try await shelf.titles() == ["All of it"])
        shelf.write("D/Concert.cue", CueSheetScanTests.sheet)
        try await shelf.scan()
        #expect(try await shelf.track("Middle")?.id == middle.id)
        #expect(try await shelf.track("Middle")?.isLiked == true)
        #expect(try await shelf.problems() == [])
    }

    @Test
    func `a sheet whose file is missing, and one that is none, do no harm`() async throws {
        let shelf = try await Shelf.scanned([
            "C/Other.flac": "title=Other\nsound=1", "C/Concert.cue": CueSheetScanTests.sheet, "C/empty.cue": "",
            "C/text.cue": "Dear diary",
        ])
        #expect(try await shelf.titles() == ["Other"])
        #expect(try await shelf.reader.failures(page: .all).count == 2)
        // The file comes later.
        shelf.write("C/concert.FLAC", "sound=2")
        try await shelf.scan()
        #expect(try await shelf.titles(by: .title) == ["End", "Middle", "Opening", "Other"])
    }

    @Test
    func `a changed sheet changes its tracks and keeps their numbers`() async throws {
        let shelf = try await Shelf.scanned(["Concert.flac": "sound=1", "Concert.cue": CueSheetScanTests.sheet])
        let end = try #require(try await shelf.track("End"))
        shelf.write(
            "Concert.cue",
            CueSheetScanTests.sheet.replacing("02:00:00", with: "02:01:00").replacing("Opening", with: "Overture"))
        try await shelf.scan()
        #expect(try await shelf.titles(by: .album) == ["Overture", "Middle", "End"])
        #expect(try await shelf.track("End")?.id == end.id)
        #expect(try await shelf.track("End")?.start == .seconds(121))
    }
}
