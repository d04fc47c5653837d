// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletDBus
internal import MartletLibrary
internal import MartletProtocol

/// The lists of what there is, a page at a time, and single things by their numbers.
extension Library1Interface {
    /// Which tracks `GetTracks` gives.
    private enum TrackWord: String, CaseIterable {
        case all, album, artist
        case albumArtist = "album-artist"
        case composer, lyricist, genre, year, liked, rated, played
        case neverPlayed = "never-played"

        /// - Parameter number: Of the album, artist or genre; the year; the least rating.
        func selection(_ number: BusValue) -> TrackSelection {
            switch self {
            case .all: .all
            case .album: .album(number.id())
            case .artist: .artist(number.id(), .artist)
            case .albumArtist: .artist(number.id(), .albumArtist)
            case .composer: .artist(number.id(), .composer)
            case .lyricist: .artist(number.id(), .lyricist)
            case .genre: .genre(number.id())
            case .year: .year(Int(clamping: number.uint64!))
            case .liked: .liked
            case .rated: .rated(atLeast: Int(clamping: number.uint64!))
            case .played: .played
            case .neverPlayed: .neverPlayed
            }
        }
    }

    enum TrackOrderWord: String, CaseIterable {
        case title, album, newest
        case mostPlayed = "most-played"
        case lastPlayed = "last-played"
        case lastLiked = "last-liked"
        case bestRated = "best-rated"

        var order: TrackOrder {
            switch self {
            case .title: .title
            case .album: .album
            case .newest: .newest
            case .mostPlayed: .mostPlayed
            case .lastPlayed: .lastPlayed
            case .lastLiked: .lastLiked
            case .bestRated: .bestRated
            }
        }
    }

    private enum AlbumWord: String, CaseIterable {
        case all, artist, appearances, genre, year

        func selection(_ number: BusValue) -> AlbumSelection {
            switch self {
            case .all: .all
            case .artist: .artist(number.id())
            case .appearances: .appearances(number.id())
            case .genre: .genre(number.id())
            case .year: .year(Int(clamping: number.uint64!))
            }
        }
    }

    private enum AlbumOrderWord: String, CaseIterable {
        case title, artist, newest, year

        var order: AlbumOrder {
            switch self {
            case .title: .title
            case .artist: .artist
            case .newest: .newest
            case .year: .year
            }
        }
    }

    private enum ArtistWord: String, CaseIterable {
        case all
        case albumArtists = "album-artists"
    }

    private static let selection = [Argument("filter", "s"), Argument("id", "t"), Argument("order", "s")]

    private static func rows(_ name: String) -> [Argument] { [Argument("total", "u"), Argument(name, "aa{sv}")] }

    var lists: [MethodEntry] {
        [
            method("GetTracks", Library1Interface.selection + Library1Interface.page, Library1Interface.rows("tracks"))
            {
                me, values in
                let filter: TrackWord = try me.word(values[0]) { tr("tracks are chosen by one of {0}", $0) }
                let order: TrackOrderWord = try me.word(values[2]) { tr("an order is one of {0}", $0) }
                let selection = filter.selection(values[1])
                let reader = try await me.library.reader()
                let page = Library1Interface.page(values[3], values[4])
                let tracks = try await reader.tracks(selection, by: order.order, page: page)
                return [.count(try await reader.trackCount(selection)), .rows(tracks.map(\.pairs))]
            },
            method("GetAlbums", Library1Interface.selection + Library1Interface.page, Library1Interface.rows("albums"))
            {
                me, values in
                let filter: AlbumWord = try me.word(values[0]) { tr("albums are chosen by one of {0}", $0) }
                let order: AlbumOrderWord = try me.word(values[2]) { tr("an order is one of {0}", $0) }
                let selection = filter.selection(values[1])
                let reader = try await me.library.reader()
                let page = Library1Interface.page(values[3], values[4])
                let albums = try await reader.albums(selection, by: order.order, page: page)
                return [.count(try await reader.albumCount(selection)), .rows(albums.map(\.pairs))]
            },
            method(
                "GetArtists", [Argument("filter", "s")] + Library1Interface.page, Library1Interface.rows("artists")
            ) { me, values in
                let filter: ArtistWord = try me.word(values[0]) { tr("artists are chosen by one of {0}", $0) }
                let isStrict = filter == .albumArtists
                let reader = try await me.library.reader()
                let page = Library1Interface.page(values[1], values[2])
                let artists = try await reader.artists(onlyAlbumArtists: isStrict, page: page)
                return [
                    .count(try await reader.artistCount(onlyAlbumArtists: isStrict)), .rows(artists.map(\.pairs)),
                ]
            },
            method("GetGenres", Library1Interface.page, Library1Interface.rows("genres")) { me, values in
                let reader = try await me.library.reader()
                let genres = try await reader.genres(page: Library1Interface.page(values[0], values[1]))
                return [.count(try await reader.genreCount()), .rows(genres.map(\.pairs))]
            },
            method("GetYears", [], [Argument("years", "a(iu)")]) { me, _ in
                let years = try await me.library.reader().years()
                let rows = years.map { BusValue.structure([.int32(Int32(clamping: $0.year)), .count($0.trackCount)]) }
                return [.array(rows, of: "(iu)")]
            },
        ] + single
    }

    private var single: [MethodEntry] {
        [
            method("GetTrack", [Argument("track", "t")], [Argument("facts", "a{sv}")]) { me, values in
                let track = try me.track(values[0])
                guard let facts = try await me.library.reader().facts(of: track) else { throw LibraryError.notFound }
                return [.dict(facts.pairs)]
            },
            method("FindTrack", [Argument("uri", "s"), Argument("start", "x")], [Argument("track", "t")]) {
                me, values in
                guard let uri = MediaURI(values[0].string!) else {
                    throw BusError(.invalidArgs, tr("this is no URI: {0}", values[0].string!))
                }
                let start = Duration.microseconds(max(0, values[1].int64!))
                guard let track = try await me.library.reader().track(at: uri, start: start) else {
                    throw LibraryError.notFound
                }
                return [.id(track)]
            },
            method("GetAlbum", [Argument("album", "t")], [Argument("facts", "a{sv}")]) { me, values in
                let reader = try await me.library.reader()
                guard let album = try await reader.album(values[0].id()) else { throw LibraryError.notFound }
                let discs = try await reader.discSubtitles(of: album.id).sorted { $0.key < $1.key }
                let rows = discs.map { BusValue.structure([.count($0.key), .string($0.value)]) }
                return [.dict(album.pairs + [("disc_subtitles", .array(rows, of: "(us)"))])]
            },
        ]
    }

    /// A track; 0 is the one the current entry plays.
    ///
    /// - Throws: `NotFound` when that is not of the library.
    func track(_ value: BusValue) throws -> MartletLibrary.TrackID {
        guard value.uint64 == 0 else { return value.id() }
        guard let current = book.currentTrack else {
            throw BusError(MartletFailure.notFound.errorName, tr("what plays is not of the library"))
        }
        return current.id
    }

    /// Tracks that are there; 0 is the one the current entry plays.
    ///
    /// - Throws: `NotFound` if one is not.
    func tracks(_ value: BusValue) async throws -> [MartletLibrary.TrackID] {
        let ids = try value.array!.map { try track($0) }
        guard try await library.reader().tracks(ids).count == ids.count else { throw LibraryError.notFound }
        return ids
    }
}
