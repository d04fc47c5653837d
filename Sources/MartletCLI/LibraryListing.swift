// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletDBus
internal import MartletProtocol
internal import MartletText

/// What the library lists, and how its rows are shown.
enum LibraryListing: String, CaseIterable {
    case tracks
    case albums
    case artists
    case genres
    case playlists
    case roots
    case history

    /// One thing a row tells.
    private struct Field {
        enum Form {
            case text, number, length, flag, stars, moment, bytes
        }

        /// In JSON and templates.
        var name: String
        /// On the bus.
        var key: String
        var form = Form.text
        /// Above its column; `nil` for what only programs read.
        var title: String?
    }

    private var fields: [Field] {
        switch self {
        case .tracks: LibraryListing.ofTracks
        case .history:
            [Field(name: "at", key: "at", form: .moment, title: tr("WHEN"))] + LibraryListing.ofTracks
                + [Field(name: "skipped", key: "skipped", form: .flag)]
        case .albums:
            [
                Field(name: "album", key: "id", form: .number), Field(name: "title", key: "title", title: tr("ALBUM")),
                Field(name: "artist", key: "artist", title: tr("ARTIST")),
                Field(name: "year", key: "year", form: .number, title: tr("YEAR")),
                Field(name: "tracks", key: "tracks", form: .number, title: tr("TRACKS")),
                Field(name: "length", key: "length", form: .length, title: tr("TIME")),
            ]
        case .artists:
            [
                Field(name: "artist", key: "id", form: .number), Field(name: "name", key: "name", title: tr("ARTIST")),
                Field(name: "albums", key: "albums", form: .number, title: tr("ALBUMS")),
                Field(name: "tracks", key: "tracks", form: .number, title: tr("TRACKS")),
            ]
        case .genres:
            [
                Field(name: "genre", key: "id", form: .number), Field(name: "name", key: "name", title: tr("GENRE")),
                Field(name: "tracks", key: "tracks", form: .number, title: tr("TRACKS")),
            ]
        case .playlists:
            [
                Field(name: "playlist", key: "id", form: .number),
                Field(name: "name", key: "name", title: tr("PLAYLIST")),
                Field(name: "entries", key: "entries", form: .number, title: tr("ENTRIES")),
                Field(name: "length", key: "length", form: .length, title: tr("TIME")),
                Field(name: "query", key: "query", title: tr("SEARCH")),
                Field(name: "description", key: "description"),
            ]
        case .roots:
            [
                Field(name: "root", key: "id", form: .number),
                Field(name: "path", key: "path", form: .bytes, title: tr("FOLDER")),
                Field(name: "offline", key: "offline", form: .flag, title: tr("AWAY")),
                Field(name: "configured", key: "configured", form: .flag),
                Field(name: "scanned", key: "scanned", form: .moment, title: tr("SCANNED")),
            ]
        }
    }

    private static let ofTracks = [
        Field(name: "track", key: "id", form: .number), Field(name: "title", key: "title", title: tr("TITLE")),
        Field(name: "artist", key: "artist", title: tr("ARTIST")),
        Field(name: "album", key: "album", title: tr("ALBUM")), Field(name: "year", key: "year", form: .number),
        Field(name: "length", key: "length", form: .length, title: tr("TIME")),
        Field(name: "liked", key: "liked", form: .flag, title: tr("♥")),
        Field(name: "rating", key: "rating", form: .stars, title: tr("STARS")),
        Field(name: "plays", key: "plays", form: .number, title: tr("PLAYS")), Field(name: "url", key: "uri"),
        Field(name: "available", key: "available", form: .flag),
    ]

    /// Names for templates, and of JSON's members.
    var names: [String] { fields.map(\.name) }

    func record(_ row: BusDictionary) -> Record {
        var record = Record()
        for field in fields {
            let value = row[field.key]
            switch field.form {
            case .text: record.add(field.name, value?.string)
            case .number: record.add(field.name, value?.integer.map(JSON.integer) ?? .null)
            case .length: record.add(field.name, value?.integer.map { .number(Double($0) / 1e6) } ?? .null)
            case .flag: record.add(field.name, .bool(value?.boolean ?? false))
            case .stars: record.add(field.name, value?.integer.map { .number(Double($0) / 20) } ?? .null)
            case .moment: record.add(field.name, value?.integer.map { .string(Calendar.text(seconds: $0)) } ?? .null)
            case .bytes: record.add(field.name, value?.bytes.map { String(decoding: $0, as: UTF8.self) })
            }
        }
        return record
    }

    var columns: Columns {
        Columns(
            fields.compactMap { field in
                guard let title = field.title else { return nil }
                let isNumber = field.form == .number || field.form == .length
                return .init(
                    title: title, alignment: isNumber ? .trailing : .leading,
                    isFlexible: field.form == .text || field.form == .bytes)
            })
    }

    /// As they stand in the columns.
    func cells(_ record: Record) -> [String] {
        fields.filter { $0.title != nil }.map { field in
            switch (field.form, record[field.name]) {
            case (.length, .number(let seconds)?): Clock.text(microseconds: Int64(seconds * 1e6))
            case (.flag, .bool(let isSo)?): isSo ? (field.name == "liked" ? "♥" : tr("yes")) : ""
            case (.stars, .number(let stars)?): String(repeating: "★", count: min(max(Int(stars.rounded()), 0), 5))
            case (_, let value): value?.plain ?? ""
            }
        }
    }

    /// Writes rows as the options say: JSON, a template, columns, or everything with tabs.
    func tell(_ rows: [BusDictionary], _ invocation: Invocation, otherwise: String) throws(Trouble) {
        let template = try invocation.options["format"].map { text throws(Trouble) in try Template(text, names: names) }
        let records = rows.map(record)
        if invocation.wantsJSON { return try invocation.say(JSON.array(records.map(\.json)).text) }
        guard !records.isEmpty else { throw .nothing(otherwise) }
        if let template {
            for record in records { try invocation.say(template.filled(from: record)) }
        } else if Screen.standard.isTerminal {
            var table = columns
            for record in records { table.add(cells(record)) }
            for line in table.lines(on: .standard) { try invocation.say(line) }
        } else {
            for record in records {
                try invocation.say(record.members.map { Screen.printable($0.value.plain) }.joined(separator: "\t"))
            }
        }
    }
}

/// Days and times of the calendar, in UTC.
enum Calendar {
    /// `2026-12-31T23:59:59Z` (ISO 8601); empty for what no calendar has.
    static func text(seconds: Int64) -> String {
        var time = time_t(seconds)
        var parts = unsafe tm()
        guard unsafe gmtime_r(&time, &parts) != nil else { return "" }
        return unsafe String(unsafeUninitializedCapacity: 64) { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { buffer in
                unsafe strftime(buffer.baseAddress!, buffer.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
            }
        }
    }
}
