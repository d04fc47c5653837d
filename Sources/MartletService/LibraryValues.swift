// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletDBus
internal import MartletLibrary
internal import MartletProtocol

// What the library knows as `Library1` tells it: `a{sv}`, where a key that is not there means that nothing is known.

extension BusValue {
    /// A number of the library: `t`; 0 is none.
    static func id<Subject>(_ id: LibraryID<Subject>?) -> BusValue { .uint64(UInt64(clamping: id?.rawValue ?? 0)) }

    /// `at`.
    static func ids<Subject>(_ ids: [LibraryID<Subject>]) -> BusValue { .array(ids.map { .id($0) }, of: .uint64) }

    /// `u`.
    static func count(_ number: Int) -> BusValue { .uint32(UInt32(clamping: number)) }

    /// `aa{sv}`.
    static func rows(_ rows: [[(String, BusValue)]]) -> BusValue { .array(rows.map { .dict($0) }, of: "a{sv}") }

    /// The number of something in the library.
    func id<Subject>() -> LibraryID<Subject> { LibraryID(rawValue: Int64(clamping: uint64!)) }

    /// `at`.
    func ids<Subject>() -> [LibraryID<Subject>] { array!.map { $0.id() } }
}

/// One thing that is known, or not.
private enum Fact {
    /// Those left out that have no value.
    static func pairs(_ all: [(String, BusValue?)]) -> [(String, BusValue)] {
        all.compactMap { key, value in value.map { (key, $0) } }
    }

    static func text(_ value: String?) -> BusValue? { value.flatMap { $0.isEmpty ? nil : .string($0) } }

    static func texts(_ values: [String]) -> BusValue? { values.isEmpty ? nil : .strings(values) }

    static func number(_ value: Int?) -> BusValue? { value.map { .int32(Int32(clamping: $0)) } }

    static func moment(_ value: UnixTime?) -> BusValue? { value.map { .int64($0.seconds) } }

    static func length(_ value: Duration?) -> BusValue? { value.map { .int64($0.microseconds) } }
}

extension TrackSummary {
    var pairs: [(String, BusValue)] {
        Fact.pairs([
            ("id", .id(id)), ("title", .string(title)), ("artist", Fact.text(artist)), ("album", Fact.text(albumTitle)),
            ("album_id", album.map { .id($0) }), ("disc", Fact.number(disc)), ("number", Fact.number(number)),
            ("year", Fact.number(year)), ("length", Fact.length(length)), ("uri", Fact.text(uri?.withoutSecrets)),
            ("start", start > .zero ? Fact.length(start) : nil), ("end", Fact.length(end)),
            ("liked", .boolean(isLiked)), ("rating", Fact.number(rating)), ("plays", Fact.number(plays)),
            ("available", .boolean(isAvailable)),
        ])
    }
}

extension TrackFacts {
    var pairs: [(String, BusValue)] {
        summary.pairs
            + Fact.pairs([
                ("artists", Fact.texts(artists)), ("album_artists", Fact.texts(albumArtists)),
                ("composers", Fact.texts(composers)),
                ("lyricists", Fact.texts(lyricists)), ("genres", Fact.texts(genres)), ("date", Fact.text(date)),
                ("disc_subtitle", Fact.text(discSubtitle)), ("comment", Fact.text(comment)),
                ("codec", Fact.text(codec)),
                ("bitrate", Fact.number(bitrate)), ("sample_rate", Fact.number(sampleRate)),
                ("channels", Fact.number(channels)),
                ("beats_per_minute", Fact.number(beatsPerMinute)),
                ("musicbrainz_recording", Fact.text(musicBrainzRecording)), ("added", Fact.moment(added)),
                ("gone", Fact.moment(gone)), ("liked_since", Fact.moment(record.liked)),
                ("skips", Fact.number(record.skips)),
                ("first_played", Fact.moment(record.firstPlayed)), ("last_played", Fact.moment(record.lastPlayed)),
                ("last_skipped", Fact.moment(record.lastSkipped)),
            ])
    }
}

extension AlbumSummary {
    var pairs: [(String, BusValue)] {
        Fact.pairs([
            ("id", .id(id)), ("title", .string(title)), ("artist", Fact.text(artist)),
            ("compilation", .boolean(isCompilation)), ("year", Fact.number(year)), ("date", Fact.text(date)),
            ("tracks", Fact.number(trackCount)), ("discs", Fact.number(discCount)), ("length", Fact.length(length)),
            ("added", Fact.moment(added)), ("musicbrainz_release", Fact.text(musicBrainzRelease)),
        ])
    }
}

extension ArtistSummary {
    var pairs: [(String, BusValue)] {
        Fact.pairs([
            ("id", .id(id)), ("name", .string(name)), ("albums", Fact.number(albumCount)),
            ("tracks", Fact.number(trackCount)),
        ])
    }
}

extension GenreSummary {
    var pairs: [(String, BusValue)] {
        Fact.pairs([("id", .id(id)), ("name", .string(name)), ("tracks", Fact.number(trackCount))])
    }
}

extension LibraryRoot {
    var pairs: [(String, BusValue)] {
        Fact.pairs([
            ("id", .id(id)), ("path", .bytes(path)), ("offline", .boolean(isOffline)),
            ("configured", .boolean(isConfigured)), ("added", Fact.moment(added)), ("scanned", Fact.moment(scanned)),
        ])
    }
}

extension PlaylistSummary {
    /// - Parameter count: Of the entries, where it is another than what was kept.
    func pairs(count: Int? = nil) -> [(String, BusValue)] {
        Fact.pairs([
            ("id", .id(id)), ("path", .objectPath(path)), ("name", .string(shownName)),
            ("description", Fact.text(description)), ("refuses_duplicates", .boolean(refusesDuplicates)),
            ("built_in", Fact.text(builtIn)), ("query", Fact.text(query)), ("created", Fact.moment(created)),
            ("changed", Fact.moment(changed)), ("played", Fact.moment(played)),
            ("entries", Fact.number(count ?? self.count)),
            ("length", query == nil ? Fact.length(length) : nil),
        ])
    }
}

extension PlaylistEntrySummary {
    var pairs: [(String, BusValue)] {
        Fact.pairs([
            ("entry", .id(id)), ("id", track.map { .id($0) }), ("title", .string(title)), ("artist", Fact.text(artist)),
            ("album", Fact.text(album)), ("length", Fact.length(length)), ("uri", Fact.text(uri?.withoutSecrets)),
            ("start", start > .zero ? Fact.length(start) : nil), ("end", Fact.length(end)),
            ("added", Fact.moment(added)), ("available", .boolean(isAvailable)),
        ])
    }
}

extension FileFailure {
    /// For people.
    var words: String {
        switch self {
        case .empty: tr("the file is empty")
        case .denied: tr("the file may not be read")
        case .unsupported: tr("this is no music that can be read")
        case .unreadable(let errno): SystemError(code: errno, operation: "read").reason
        }
    }
}
