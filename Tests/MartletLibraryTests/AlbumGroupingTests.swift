// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import MartletLibrary

@Suite("Telling albums apart", .timeLimit(.minutes(1)))
struct AlbumGroupingTests {
    /// Albums as `artist – title: tracks`, by title.
    private func albums(_ files: [String: String]) async throws -> [String] {
        let shelf = try await Shelf.scanned(files)
        #expect(try await shelf.problems() == [])
        return try await shelf.albums().map {
            "\($0.isCompilation ? "*" : "")\($0.artist) – \($0.title): \($0.trackCount)"
        }.sorted()
    }

    private func file(
        _ number: Int, _ artist: String, _ album: String, albumArtist: String? = nil, more: String = ""
    ) -> String {
        "title=\(artist) \(number)\nartist=\(artist)\nalbum=\(album)\nnumber=\(number)\nsound=\(artist)\(number)\n"
            + (albumArtist.map { "albumartist=\($0)\n" } ?? "") + more
    }

    @Test("F259: a compilation is one album")
    func compilation() async throws {
        var files: [String: String] = [:]
        for (number, artist) in zip(1..., ["Anna", "Bert", "Carl", "Dora"]) {
            files["Hits/\(number).mp3"] = file(number, artist, "Hits")
        }
        #expect(try await albums(files) == ["* – Hits: 4"])
    }

    @Test("F259: a flagged compilation is one album though one artist has most of it")
    func flagged() async throws {
        var files: [String: String] = [:]
        for (number, artist) in zip(1..., ["Anna", "Anna", "Anna", "Dora"]) {
            files["Hits/\(number).mp3"] = file(number, artist, "Hits", more: "compilation=1")
        }
        #expect(try await albums(files) == ["* – Hits: 4"])
    }

    @Test("F261: a guest does not make an album a compilation")
    func guest() async throws {
        let files = [
            "A/1.mp3": file(1, "Anna", "First"), "A/2.mp3": file(2, "Anna feat. Bert", "First"),
            "A/3.mp3": file(3, "Carl", "First"),
        ]
        #expect(try await albums(files) == ["Anna – First: 3"])
    }

    @Test
    func `albums of one title by different artists are apart, in folders of their own and in one`() async throws {
        var files: [String: String] = [:]
        for number in 1...4 {
            files["A/\(number).mp3"] = file(number, "Anna", "Greatest Hits")
            files["B/\(number).mp3"] = file(number, "Bert", "Greatest Hits")
            files["mixed/c\(number).mp3"] = file(number, "Carl", "Greatest Hits")
            files["mixed/d\(number).mp3"] = file(number, "Dora", "Greatest Hits")
        }
        #expect(
            try await albums(files) == [
                "Anna – Greatest Hits: 4", "Bert – Greatest Hits: 4", "Carl – Greatest Hits: 4",
                "Dora – Greatest Hits: 4",
            ])
    }

    @Test
    func `compilations of one title in different folders are apart, their discs together`() async throws {
        var files: [String: String] = [:]
        for (number, artist) in zip(1..., ["Anna", "Bert", "Carl"]) {
            files["1999/\(number).mp3"] = file(number, artist, "Summer", albumArtist: "Various Artists")
            files["2000/CD1/\(number).mp3"] = file(number, artist + "1", "Summer", more: "disc=1")
            files["2000/CD 2 - Night/\(number).mp3"] = file(
                number, artist + "2", "Summer", more: "disc=2\nsubtitle=Night")
        }
        #expect(try await albums(files) == ["* – Summer: 6", "*Various Artists – Summer: 3"])
        let shelf = try await Shelf.scanned(files)
        let album = try #require(try await shelf.albums().first { $0.trackCount == 6 })
        #expect(album.discCount == 2)
        #expect(try await shelf.reader.discSubtitles(of: album.id) == [2: "Night"])
    }

    @Test("F262, F263: a slash or a comma in a name is part of it")
    func unsplitNames() async throws {
        let shelf = try await Shelf.scanned([
            "1.mp3": file(1, "AC/DC", "Back"), "2.mp3": file(1, "10,000 Maniacs", "Wishing"),
        ])
        #expect(
            try await shelf.reader.artists(onlyAlbumArtists: false, page: .all).map(\.name).sorted()
                == ["10,000 Maniacs", "AC/DC"])
    }

    @Test
    func `several artists in real multi-values are several artists of one album`() async throws {
        let shelf = try await Shelf.scanned([
            "1.mp3": "title=1\nartist=Anna\nartist=Bert\nalbum=Both",
            "2.mp3": "title=2\nartist=Anna\nartist=Bert\nalbum=Both",
        ])
        #expect(try await shelf.albums().map(\.artist) == ["Anna, Bert"])
        #expect(try await shelf.reader.artists(onlyAlbumArtists: true, page: .all).map(\.albumCount) == [1, 1])
    }

    @Test("F264: composed and decomposed spellings, and other cases, are one artist and one album")
    func normalForms() async throws {
        #expect(
            try await albums([
                "1.mp3": file(1, "Björk", "Début"), "2.mp3": file(2, "Bjo\u{308}rk", "De\u{301}but"),
                "3.mp3": file(3, "BJÖRK", "DÉBUT"),
            ]) == ["Björk – Début: 3"])
    }

    @Test
    func `two editions with their own MusicBrainz releases are two albums`() async throws {
        #expect(
            try await albums([
                "a/1.mp3": file(1, "Anna", "First", more: "release=r1"), "a/2.mp3": file(2, "Anna", "First"),
                "b/1.mp3": file(1, "Anna", "First", more: "release=r2"),
            ]) == ["Anna – First: 1", "Anna – First: 2"])
    }

    @Test
    func `a retagged track changes albums, and the empty one goes`() async throws {
        let shelf = try await Shelf.scanned(["1.mp3": file(1, "Anna", "First"), "2.mp3": file(2, "Anna", "First")])
        shelf.write("1.mp3", file(1, "Anna", "Second"))
        try await shelf.scan()
        #expect(try await shelf.albums().map(\.title) == ["First", "Second"])
        shelf.write("2.mp3", file(2, "Anna", "Second"))
        try await shelf.scan()
        #expect(try await shelf.albums().map { "\($0.title) \($0.trackCount)" } == ["Second 2"])
    }

    @Test(arguments: ["CD1", "cd 2", "Disc 3", "disk-12", "CD 1 - Early", "Disc01"])
    func `folders of discs are known by their names`(name: String) {
        #expect(AlbumGrouping.isDisc(name.utf8))
    }

    @Test(arguments: ["CDs", "Disco", "Discovery", "CD1989x", "Disc", "1"])
    func `others are not`(name: String) {
        #expect(!AlbumGrouping.isDisc(name.utf8))
    }
}
