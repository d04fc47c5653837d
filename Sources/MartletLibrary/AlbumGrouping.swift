// SPDX-License-Identifier: Apache-2.0

/// Tells which tracks of a folder are one album.
///
/// Pure. Tracks of one MusicBrainz release are one album, whatever else their tags say. Otherwise an album is its title
/// and its album artist; where none is tagged, the artist of most of the tracks (F261), and where there is none either, a
/// compilation, which is the folder's (F259). Two albums of one title by different artists are two, also in one folder.
/// Discs in folders of their own (`CD1`, `Disc 2`) are one album.
struct AlbumGrouping {
    /// A track with an album title.
    struct Track {
        var id: TrackID
        var title: String
        var artists: [String]
        var albumArtists: [String]
        var isCompilation: Bool
        var disc: Int?
        var number: Int?
        var release: String?
    }

    struct Album: Equatable {
        /// The same for the same album, whichever of its folders is looked at.
        var key: String
        var title: String
        /// Empty for a compilation.
        var artists: [String]
        var isCompilation: Bool
        var tracks: [TrackID]
    }

    /// What a compilation of this folder is told apart by.
    let place: String

    /// - Parameters:
    ///   - root: The number of the root.
    ///   - folder: The folder's path below it.
    init(root: RootID, folder: [UInt8]) {
        var parts = folder.split(separator: LibraryPath.slash)
        if let last = parts.last, AlbumGrouping.isDisc(last) { parts.removeLast() }
        place = "\(root)/" + String(decoding: Array(parts.joined(separator: [LibraryPath.slash])), as: UTF8.self)
    }

    func albums(_ tracks: [Track]) -> [Album] {
        var albums: [Album] = []
        var byTitle: [(key: String, tracks: [Track])] = []
        var places: [String: Int] = [:]
        for track in tracks {
            let key = SortKey.identity(track.title)
            if let place = places[key] {
                byTitle[place].tracks.append(track)
            } else {
                places[key] = byTitle.count
                byTitle.append((key, [track]))
            }
        }
        for (title, tracks) in byTitle { albums += divide(tracks, title, isMixed: byTitle.count > 1) }
        return AlbumGrouping.joined(albums)
    }

    /// - Parameter isMixed: The folder holds other albums as well.
    private func divide(_ tracks: [Track], _ title: String, isMixed: Bool) -> [Album] {
        var tracks = tracks
        // One release that some of the tracks name is the release of those that name none.
        let releases = Set(tracks.compactMap(\.release))
        if releases.count == 1 {
            let artists = Set(tracks.filter { $0.release != nil }.map { $0.albumArtists.map(SortKey.identity) })
            for index in tracks.indices where tracks[index].release == nil {
                let own = tracks[index].albumArtists.map(SortKey.identity)
                if own.isEmpty || artists.contains(own) { tracks[index].release = releases.first }
            }
        }
        var albums: [Album] = []
        for release in releases.sorted() {
            albums.append(album(tracks.filter { $0.release == release }, key: "release \(release)"))
        }
        tracks.removeAll { $0.release != nil }
        var named: [(key: [String], tracks: [Track])] = []
        for track in tracks {
            let key = track.albumArtists.map(SortKey.identity)
            if let index = named.firstIndex(where: { $0.key == key }) {
                named[index].tracks.append(track)
            } else {
                named.append((key, [track]))
            }
        }
        for (key, tracks) in named {
            for part in key.isEmpty ? AlbumGrouping.parts(tracks, isMixed: isMixed) : [tracks] {
                var album = album(part, key: "")
                let artists = album.artists.map(SortKey.identity)
                album.key = ([title] + (album.isVarious ? [place] : artists)).joined(separator: "\u{1F}")
                albums.append(album)
            }
        }
        return albums
    }

    private func album(_ tracks: [Track], key: String) -> Album {
        let artists = AlbumGrouping.artists(of: tracks)
        let isCompilation = artists.isEmpty || tracks.contains { $0.isCompilation } || AlbumGrouping.isVarious(artists)
        return Album(
            key: key, title: AlbumGrouping.mostCommon(tracks.map(\.title)) ?? "", artists: artists,
            isCompilation: isCompilation, tracks: tracks.map(\.id))
    }

    /// Whose album it is; nobody's for a compilation.
    private static func artists(of tracks: [Track]) -> [String] {
        if let tagged = mostCommon(tracks.map(\.albumArtists).filter { !$0.isEmpty }) { return tagged }
        let leaders = tracks.compactMap { $0.artists.first.map(leader) }
        guard let name = mostCommon(leaders, by: SortKey.identity) else { return [] }
        let count = leaders.count { SortKey.identity($0) == SortKey.identity(name) }
        // A compilation that says so is one artist's only if it is all that artist's.
        let isHis = tracks.contains { $0.isCompilation } ? count == tracks.count : count * 2 > tracks.count
        guard isHis else { return [] }
        // Two who made all of it together, told one by one.
        let whole = mostCommon(tracks.map(\.artists)) ?? []
        return tracks.allSatisfy { $0.artists == whole } ? whole : [name]
    }

    /// Tracks of one title without an album artist: several albums, if the same places are taken more than once.
    private static func parts(_ tracks: [Track], isMixed: Bool) -> [[Track]] {
        var order: [String] = []
        var byArtist: [String: [Track]] = [:]
        for track in tracks {
            let key = track.artists.first.map { SortKey.identity(leader($0)) } ?? ""
            if byArtist[key] == nil { order.append(key) }
            byArtist[key, default: []].append(track)
        }
        guard order.count > 1, !tracks.contains(where: \.isCompilation) else { return [tracks] }
        var owners: [[Int]: Set<String>] = [:]
        for (artist, tracks) in byArtist {
            for track in tracks {
                if let number = track.number { owners[[track.disc ?? 1, number], default: []].insert(artist) }
            }
        }
        let contested = owners.values.count { $0.count > 1 }
        let hasMajority = byArtist.values.contains { $0.count * 2 > tracks.count }
        let areSeveral = contested > 1 && contested * 4 >= owners.count || isMixed && !hasMajority
        return areSeveral ? order.map { byArtist[$0] ?? [] } : [tracks]
    }

    /// The name before a guest's.
    private static func leader(_ artist: String) -> String {
        let lowered = artist.lowercased()
        for mark in [" feat. ", " feat ", " ft. ", " ft ", " featuring ", " (feat. ", " (ft. "] {
            if let range = lowered.firstRange(of: mark) {
                let count = lowered.distance(from: lowered.startIndex, to: range.lowerBound)
                // Lower case may have another length, in scripts where nobody writes `feat.`.
                if count > 0, lowered.count == artist.count { return String(artist.prefix(count)) }
            }
        }
        return artist
    }

    private static func joined(_ albums: [Album]) -> [Album] {
        var result: [Album] = []
        for album in albums {
            if let index = result.firstIndex(where: { $0.key == album.key }) {
                result[index].tracks += album.tracks
                result[index].isCompilation = result[index].isCompilation || album.isCompilation
            } else {
                result.append(album)
            }
        }
        return result
    }

    static func isVarious(_ artists: [String]) -> Bool {
        artists.count == 1 && ["various artists", "various", "va"].contains(artists[0].lowercased())
    }

    /// `CD1`, `Disc 2`, `disk-3`, `CD 1 - The Early Years`.
    static func isDisc(_ name: some Collection<UInt8>) -> Bool {
        let lowered = name.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
        for word in ["cd", "disc", "disk"] where lowered.starts(with: word.utf8) {
            let rest = lowered.dropFirst(word.utf8.count).drop { " -_.#".utf8.contains($0) }
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            let after = rest.dropFirst(digits.count).first
            if (1...3).contains(digits.count), after.map({ !(0x61...0x7A).contains($0) }) ?? true { return true }
        }
        return false
    }

    private static func mostCommon<Value: Hashable>(_ values: [Value]) -> Value? {
        mostCommon(values) { $0 }
    }

    /// Of equally common ones the first.
    private static func mostCommon<Value, Key: Hashable>(_ values: [Value], by key: (Value) -> Key) -> Value? {
        var counts: [Key: Int] = [:]
        for value in values { counts[key(value), default: 0] += 1 }
        let most = counts.values.max()
        return values.first { counts[key($0)] == most }
    }
}

extension AlbumGrouping.Album {
    fileprivate var isVarious: Bool { artists.isEmpty || AlbumGrouping.isVarious(artists) }
}
