// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletSQLite

/// ``TrackDetails`` as rows: one for each value that is known, so that lists are lists, absence is no row, and a field
/// that is added needs no new schema.
///
/// A number once given to a field is never given to another.
enum SessionDetails {
    private enum Field: Sendable {
        case text(any WritableKeyPath<TrackDetails, String?> & Sendable)
        case texts(any WritableKeyPath<TrackDetails, [String]> & Sendable)
        case number(any WritableKeyPath<TrackDetails, Int?> & Sendable)
        case real(any WritableKeyPath<TrackDetails, Double?> & Sendable)
        case flag(any WritableKeyPath<TrackDetails, Bool> & Sendable)
        case time(any WritableKeyPath<TrackDetails, Duration?> & Sendable)
        case uri(any WritableKeyPath<TrackDetails, MediaURI?> & Sendable)
    }

    private static let fields: [Int: Field] = [
        1: .text(\.tags.title), 2: .texts(\.tags.artists), 3: .text(\.tags.album), 4: .texts(\.tags.albumArtists),
        5: .number(\.tags.trackNumber), 6: .number(\.tags.trackTotal), 7: .number(\.tags.discNumber),
        8: .number(\.tags.discTotal), 9: .text(\.tags.discSubtitle), 10: .text(\.tags.date),
        11: .texts(\.tags.genres), 12: .texts(\.tags.composers), 13: .texts(\.tags.lyricists),
        14: .number(\.tags.beatsPerMinute), 15: .texts(\.tags.comments), 16: .text(\.tags.lyrics),
        17: .text(\.tags.grouping), 18: .flag(\.tags.isCompilation), 19: .text(\.tags.isrc),
        20: .text(\.tags.musicBrainz.recording), 21: .text(\.tags.musicBrainz.track),
        22: .text(\.tags.musicBrainz.release), 23: .text(\.tags.musicBrainz.releaseGroup),
        24: .texts(\.tags.musicBrainz.artists), 25: .texts(\.tags.musicBrainz.albumArtists),
        26: .real(\.tags.replayGain.trackGain), 27: .real(\.tags.replayGain.trackPeak),
        28: .real(\.tags.replayGain.albumGain), 29: .real(\.tags.replayGain.albumPeak),
        30: .time(\.tags.audio.length), 31: .number(\.tags.audio.sampleRate), 32: .number(\.tags.audio.channels),
        33: .number(\.tags.audio.bitrate), 34: .text(\.tags.audio.codec), 35: .uri(\.artwork),
    ]

    /// Puts what is known of an entry in place of what was. An entry that is not in the table is passed over.
    static func write(_ details: TrackDetails, for id: EntryID, to database: Database) throws(SQLiteError) {
        guard try database.value("SELECT 1 FROM entry WHERE id = ?", id.rawValue, as: Int.self) != nil else { return }
        try database.run("DELETE FROM detail WHERE entry = ?", id.rawValue)
        let insert = try database.prepare("INSERT INTO detail VALUES (?, ?, ?, ?)")
        for (number, field) in fields {
            for (place, value) in values(of: field, in: details).enumerated() {
                try insert.run(id.rawValue, number, place, value)
            }
        }
    }

    private static func values(of field: Field, in details: TrackDetails) -> [SQLiteValue] {
        switch field {
        case .text(let path): details[keyPath: path].map { [.text($0)] } ?? []
        case .texts(let path): details[keyPath: path].map { .text($0) }
        case .number(let path): details[keyPath: path].map { [.integer(Int64($0))] } ?? []
        case .real(let path): details[keyPath: path].map { [.real($0)] } ?? []
        case .flag(let path): details[keyPath: path] ? [.integer(1)] : []
        case .time(let path): details[keyPath: path].map { [.integer($0.nanoseconds)] } ?? []
        case .uri(let path): details[keyPath: path].map { [.text($0.description)] } ?? []
        }
    }

    /// What is known of an entry; `nil` if nothing was ever written.
    static func read(_ id: EntryID, from database: Database) throws(SQLiteError) -> TrackDetails? {
        var details = TrackDetails(tags: TrackTags())
        var isKnown = false
        try database.forEach(
            "SELECT field, value FROM detail WHERE entry = ? ORDER BY field, place", id.rawValue
        ) { row throws(SQLiteError) in
            isKnown = true
            // A field of a later version is passed over.
            guard let field = fields[try row.column(0)] else { return }
            switch field {
            case .text(let path): details[keyPath: path] = try row.column(1, as: String.self)
            case .texts(let path): details[keyPath: path].append(try row.column(1))
            case .number(let path): details[keyPath: path] = try row.column(1, as: Int.self)
            case .real(let path): details[keyPath: path] = try row.column(1, as: Double.self)
            case .flag(let path): details[keyPath: path] = try row.column(1)
            case .time(let path): details[keyPath: path] = .nanoseconds(try row.column(1, as: Int64.self))
            case .uri(let path): details[keyPath: path] = MediaURI(stored: try row.column(1))
            }
        }
        return isKnown ? details : nil
    }
}
