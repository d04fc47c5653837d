// SPDX-License-Identifier: Apache-2.0
internal import MartletCore

/// PLS, versions 1 and 2: `File1=`, `Title1=`, `Length1=` below `[playlist]`.
///
/// The numbers order the entries and nothing more: they may have gaps, start anywhere and come in any order, and the
/// count is not looked at. A number that comes again belongs to a second list, as when two were joined.
struct PLSReader {
    private let reader: PlaylistReader
    private let resolver: LocationResolver
    private var playlist = Playlist()
    private var rows: [Row] = []
    /// Index in `rows` of each number of the current list.
    private var rowOfNumber: [Int: Int] = [:]
    private var list = 0

    private struct Row {
        var list: Int
        var number: Int
        var place: LocationResolver.Place?
        var title = ""
        var length: Duration?
    }

    init(_ reader: PlaylistReader) {
        self.reader = reader
        resolver = LocationResolver(base: reader.base)
    }

    consuming func read(_ bytes: [UInt8]) throws(PlaylistError) -> Playlist {
        var lines = TextLines(bytes, decode: reader.decode)
        var hasHeader = false
        reading: while let line = lines.next() {
            let core = line.bytes.trimmed
            if core.hasPrefix(ignoringCase: "[playlist]") {
                hasHeader = true
            } else if let equals = core.firstIndex(of: UInt8(ascii: "=")) {
                let key = core[..<equals].trimmed
                let textEquals = line.text.utf8.firstIndex(of: UInt8(ascii: "="))
                let text = textEquals.map { String(line.text[line.text.utf8.index(after: $0)...]) } ?? ""
                guard take(key, line.bytes[(equals + 1)...], text) else { break reading }
            }
        }
        guard hasHeader || !rows.isEmpty else { throw .malformed("This is no PLS list.") }
        playlist.rejectedCount += lines.longLineCount
        finish()
        return playlist
    }

    /// - Returns: `false` when the list is full.
    private mutating func take(_ key: ArraySlice<UInt8>, _ bytes: ArraySlice<UInt8>, _ text: String) -> Bool {
        if key.hasPrefix(ignoringCase: "file") {
            guard let number = PLSReader.number(key.dropFirst(4)) else { return true }
            guard let place = resolver.place(bytes, text: text) else {
                playlist.rejectedCount += 1
                return true
            }
            if let row = rowOfNumber[number], rows[row].place != nil {
                list += 1
                rowOfNumber.removeAll()
            }
            guard let row = row(number) else { return false }
            rows[row].place = place
        } else if key.hasPrefix(ignoringCase: "title") {
            guard let number = PLSReader.number(key.dropFirst(5)) else { return true }
            guard let row = row(number) else { return false }
            rows[row].title = text
        } else if key.hasPrefix(ignoringCase: "length") {
            guard let number = PLSReader.number(key.dropFirst(6)) else { return true }
            guard let row = row(number) else { return false }
            rows[row].length = ByteText.seconds(text)
        } else if key.hasPrefix(ignoringCase: "x-gnome-title") {
            playlist.title = ByteText.field(text)
        }
        return true
    }

    private mutating func row(_ number: Int) -> Int? {
        if let row = rowOfNumber[number] { return row }
        guard rows.count < reader.maximumEntries else {
            playlist.isTruncated = true
            return nil
        }
        rowOfNumber[number] = rows.count
        rows.append(Row(list: list, number: number))
        return rows.count - 1
    }

    /// The number in a key; none at all is 0.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.isEmpty ? 0 : Int(String(decoding: digits, as: UTF8.self))
    }

    private mutating func finish() {
        for row in rows.sorted(by: { ($0.list, $0.number) < ($1.list, $1.number) }) {
            guard let place = row.place else { continue }
            var entry = PlaylistEntry(place.location)
            entry.alternatives = place.alternatives
            let isStation = row.length == nil && place.location.isRemote
            let (artist, title) = PlaylistReader.tags(fromDisplay: row.title, isStation: isStation)
            entry.tags.title = title
            entry.tags.artists = artist.map { [$0] } ?? []
            entry.tags.audio.length = row.length
            playlist.entries.append(entry)
        }
    }
}
