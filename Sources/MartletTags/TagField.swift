// SPDX-License-Identifier: Apache-2.0
import CMartletTagLib

/// What a value means, whatever its tag calls it.
enum TagField: Int, CaseIterable {
    case title, artist, artists, album, albumArtist
    case track, trackTotal, disc, discTotal, discSubtitle
    case date, releaseDate, originalDate
    case genre, composer, lyricist, beats, comment, lyrics, syncedLyrics, syncedLine, grouping, compilation, isrc
    case recordingID, trackID, releaseID, releaseGroupID, artistID, albumArtistID
    case trackGain, trackPeak, albumGain, albumPeak, trackVolume, albumVolume, trackR128, albumR128
    case cueSheet
}

/// A field with its rank: a value of rank 0 displaces those of rank 1 in the same tag.
struct RankedField {
    var field: TagField
    var rank: Int
}

/// The names of the fields in each kind of tag, in capitals. Sources: MusicBrainz Picard's tag mapping, which is the
/// common ground of today's taggers, and what foobar2000, Mp3tag and iTunes write besides (rank 1).
enum TagNames {
    static func field(_ family: martlet_tag_family, _ name: String) -> RankedField? {
        switch family {
        case MARTLET_TAG_ID3V2: id3v2[name]
        case MARTLET_TAG_XIPH: xiph[name]
        case MARTLET_TAG_MP4: mp4[name]
        case MARTLET_TAG_APE: ape[name]
        case MARTLET_TAG_ASF: asf[name]
        case MARTLET_TAG_RIFF: riff[name]
        case MARTLET_TAG_ID3V1: id3v1[name]
        default: nil
        }
    }

    private static let id3v2 = names(
        [
            "TIT2": .title, "TPE1": .artist, "TALB": .album, "TPE2": .albumArtist, "TRCK": .track, "TPOS": .disc,
            "TSST": .discSubtitle, "TDRC": .date, "TDRL": .releaseDate, "TDOR": .originalDate, "TCON": .genre,
            "TCOM": .composer, "TEXT": .lyricist, "TBPM": .beats, "GRP1": .grouping, "TCMP": .compilation,
            "TSRC": .isrc, "USLT:": .lyrics, "UFID:HTTP://MUSICBRAINZ.ORG": .recordingID, "RVA2:TRACK": .trackVolume,
            "RVA2:ALBUM": .albumVolume,
        ],
        [
            "TIT1": .grouping, "TXXX:ALBUM ARTIST": .albumArtist, "TXXX:ALBUMARTIST": .albumArtist,
            "TXXX:YEAR": .date, "TXXX:UNSYNCEDLYRICS": .lyrics, "TXXX:LYRICS": .lyrics, "RVA2:": .trackVolume,
        ],
        common(prefix: "TXXX:"), musicBrainz(prefix: "TXXX:MUSICBRAINZ "))

    private static let xiph = names(
        [
            "TITLE": .title, "ARTIST": .artist, "ALBUM": .album, "ALBUMARTIST": .albumArtist, "TRACKNUMBER": .track,
            "DISCNUMBER": .disc, "DATE": .date, "RELEASEDATE": .releaseDate, "GENRE": .genre, "COMPOSER": .composer,
            "LYRICIST": .lyricist, "COMMENT": .comment, "LYRICS": .lyrics, "GROUPING": .grouping,
            "COMPILATION": .compilation,
        ],
        [
            "ALBUM ARTIST": .albumArtist, "ALBUM_ARTIST": .albumArtist, "TRACK": .track, "DISC": .disc, "YEAR": .date,
            "DESCRIPTION": .comment, "UNSYNCEDLYRICS": .lyrics, "UNSYNCED LYRICS": .lyrics, "CONTENTGROUP": .grouping,
            "ITUNESCOMPILATION": .compilation,
        ],
        common(prefix: ""), underscored)

    private static let mp4 = names(
        [
            "©NAM": .title, "©ART": .artist, "©ALB": .album, "AART": .albumArtist, "TRKN": .track, "DISK": .disc,
            "©DAY": .date, "©GEN": .genre, "©WRT": .composer, "TMPO": .beats, "©CMT": .comment, "©LYR": .lyrics,
            "©GRP": .grouping, "CPIL": .compilation, "----:COM.APPLE.ITUNES:LYRICIST": .lyricist,
        ],
        [
            "----:COM.APPLE.ITUNES:LYRICS": .lyrics, "----:COM.APPLE.ITUNES:UNSYNCEDLYRICS": .lyrics,
            "DESC": .comment,
        ],
        common(prefix: "----:COM.APPLE.ITUNES:"), musicBrainz(prefix: "----:COM.APPLE.ITUNES:MUSICBRAINZ "))

    private static let ape = names(
        [
            "TITLE": .title, "ARTIST": .artist, "ALBUM": .album, "ALBUM ARTIST": .albumArtist, "TRACK": .track,
            "DISC": .disc, "YEAR": .date, "GENRE": .genre, "COMPOSER": .composer, "LYRICIST": .lyricist,
            "COMMENT": .comment, "LYRICS": .lyrics, "GROUPING": .grouping, "COMPILATION": .compilation,
        ],
        [
            "ALBUMARTIST": .albumArtist, "TRACKNUMBER": .track, "DISCNUMBER": .disc, "DATE": .date,
            "RECORD DATE": .date, "UNSYNCED LYRICS": .lyrics, "UNSYNCEDLYRICS": .lyrics,
        ],
        common(prefix: ""), underscored)

    private static let asf = names(
        [
            "TITLE": .title, "AUTHOR": .artist, "WM/ALBUMTITLE": .album, "WM/ALBUMARTIST": .albumArtist,
            "WM/TRACKNUMBER": .track, "WM/PARTOFSET": .disc, "WM/SETSUBTITLE": .discSubtitle, "WM/YEAR": .date,
            "WM/ORIGINALRELEASETIME": .originalDate, "WM/GENRE": .genre, "WM/COMPOSER": .composer,
            "WM/WRITER": .lyricist, "WM/BEATSPERMINUTE": .beats, "DESCRIPTION": .comment, "WM/LYRICS": .lyrics,
            "WM/CONTENTGROUPDESCRIPTION": .grouping, "WM/ISCOMPILATION": .compilation, "WM/ISRC": .isrc,
            "WM/ARTISTS": .artists,
        ],
        ["WM/ORIGINALRELEASEYEAR": .originalDate],
        common(prefix: ""), musicBrainz(prefix: "MUSICBRAINZ/"))

    private static let riff = names(
        [
            "INAM": .title, "IART": .artist, "IPRD": .album, "ITRK": .track, "ICRD": .date, "IGNR": .genre,
            "ICMT": .comment, "IMUS": .composer, "IWRI": .lyricist, "IBPM": .beats,
        ],
        ["IPRT": .track])

    private static let id3v1 = names(
        [
            "TITLE": .title, "ARTIST": .artist, "ALBUM": .album, "YEAR": .date, "COMMENT": .comment, "TRACK": .track,
            "GENRE": .genre,
        ], [:])

    /// Names that all free-form tags share.
    private static func common(prefix: String) -> [String: TagField] {
        prefixed(
            prefix,
            [
                "ARTISTS": .artists, "TRACKTOTAL": .trackTotal, "TOTALTRACKS": .trackTotal, "DISCTOTAL": .discTotal,
                "TOTALDISCS": .discTotal, "DISCSUBTITLE": .discSubtitle, "SETSUBTITLE": .discSubtitle,
                "ORIGINALDATE": .originalDate, "ORIGINALYEAR": .originalDate, "BPM": .beats, "ISRC": .isrc,
                "SYNCEDLYRICS": .syncedLyrics, "SYNCED LYRICS": .syncedLyrics,
                "REPLAYGAIN_TRACK_GAIN": .trackGain, "REPLAYGAIN_TRACK_PEAK": .trackPeak,
                "REPLAYGAIN_ALBUM_GAIN": .albumGain, "REPLAYGAIN_ALBUM_PEAK": .albumPeak,
                "R128_TRACK_GAIN": .trackR128, "R128_ALBUM_GAIN": .albumR128, "CUESHEET": .cueSheet,
            ])
    }

    private static func musicBrainz(prefix: String) -> [String: TagField] {
        prefixed(
            prefix,
            [
                "TRACK ID": .recordingID, "RELEASE TRACK ID": .trackID, "ALBUM ID": .releaseID,
                "RELEASE GROUP ID": .releaseGroupID, "ARTIST ID": .artistID, "ALBUM ARTIST ID": .albumArtistID,
            ])
    }

    private static let underscored: [String: TagField] = [
        "MUSICBRAINZ_TRACKID": .recordingID, "MUSICBRAINZ_RELEASETRACKID": .trackID,
        "MUSICBRAINZ_ALBUMID": .releaseID, "MUSICBRAINZ_RELEASEGROUPID": .releaseGroupID,
        "MUSICBRAINZ_ARTISTID": .artistID, "MUSICBRAINZ_ALBUMARTISTID": .albumArtistID,
    ]

    private static func prefixed(_ prefix: String, _ names: [String: TagField]) -> [String: TagField] {
        Dictionary(uniqueKeysWithValues: names.map { (prefix + $0.key, $0.value) })
    }

    private static func names(
        _ first: [String: TagField], _ second: [String: TagField], _ shared: [String: TagField]...
    ) -> [String: RankedField] {
        var all: [String: RankedField] = [:]
        for names in shared + [first] {
            for (name, field) in names { all[name] = RankedField(field: field, rank: 0) }
        }
        for (name, field) in second where all[name] == nil { all[name] = RankedField(field: field, rank: 1) }
        return all
    }
}
