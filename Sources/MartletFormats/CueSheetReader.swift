// SPDX-License-Identifier: Apache-2.0
internal import MartletCore

extension CueSheet {
    /// More no disc and no mix has; what follows is left out.
    static let mostTracks = 10_000

    /// Reads a sheet.
    ///
    /// - Parameter decode: What makes text of bytes that are no UTF-8; `nil` takes ``PlaylistReader/decoding(fallback:)``.
    /// - Throws: ``PlaylistError/malformed(_:line:)`` when no track can be found in it; lines that mean nothing are
    ///   passed over.
    public init(_ bytes: [UInt8], decode: PlaylistDecoding? = nil) throws(PlaylistError) {
        self.init()
        var lines = TextLines(bytes, decode: decode ?? PlaylistReader.decoding())
        while let line = lines.next(), tracks.count < CueSheet.mostTracks { take(line) }
        guard !tracks.isEmpty else { throw .malformed("This is no cue sheet: it has no track.") }
    }

    private mutating func take(_ line: TextLines.Line) {
        let core = line.bytes.trimmed
        if core.hasPrefix(ignoringCase: "FILE") {
            let text = Array(Substring(line.text).trimmed.utf8)
            let (name, kind) = CueSheet.fileArguments(core.dropFirst(4))
            guard files.count < CueSheet.mostTracks, !name.isEmpty else { return }
            let decoded = CueSheet.fileArguments(text[...].dropFirst(4)).name
            files.append(
                CueFile(
                    name: Array(name), text: String(decoding: decoded, as: UTF8.self),
                    kind: String(decoding: kind, as: UTF8.self).uppercased()))
            return
        }
        var rest = Substring(line.text).trimmed
        guard let command = CueSheet.word(&rest)?.uppercased() else { return }
        switch command {
        case "TRACK": startTrack(rest)
        case "INDEX": addIndex(rest)
        case "PREGAP": withTrack { $0.pregap = CueTime(rest.trimmed) }
        case "POSTGAP": withTrack { $0.postgap = CueTime(rest.trimmed) }
        case "ISRC": withTrack { $0.isrc = CueSheet.value(rest) }
        case "CATALOG": catalog = CueSheet.value(rest)
        case "TITLE": set(\.title, \.title, rest)
        case "PERFORMER": set(\.performer, \.performer, rest)
        case "SONGWRITER": set(\.songwriter, \.songwriter, rest)
        case "REM": remark(rest)
        default: break
        }
    }

    private mutating func startTrack(_ text: Substring) {
        var rest = text.trimmed
        guard let number = CueSheet.word(&rest).flatMap({ Int($0) }), (0...CueSheet.mostTracks).contains(number) else {
            return
        }
        let kind = CueSheet.word(&rest)?.uppercased() ?? "AUDIO"
        tracks.append(CueTrack(number: number, isAudio: kind == "AUDIO"))
    }

    private mutating func addIndex(_ text: Substring) {
        var rest = text.trimmed
        guard let number = CueSheet.word(&rest).flatMap({ Int($0) }), (0...99).contains(number),
            let time = CueTime(rest.trimmed), !files.isEmpty
        else { return }
        let file = files.count - 1
        withTrack { track in
            if track.indices.count < 100 { track.indices.append(CueIndex(number: number, file: file, time: time)) }
        }
    }

    private mutating func remark(_ text: Substring) {
        var rest = text.trimmed
        guard let name = CueSheet.word(&rest)?.uppercased() else { return }
        switch name {
        case "GENRE": set(\.genre, \.genre, rest)
        case "DATE", "YEAR": set(\.date, \.date, rest)
        case "COMMENT": set(\.comment, \.comment, rest)
        case "COMPOSER": set(\.songwriter, \.songwriter, rest)
        case "DISCNUMBER": discNumber = CueSheet.count(rest)
        case "TOTALDISCS", "DISCTOTAL", "DISCCOUNT": discTotal = CueSheet.count(rest)
        case "REPLAYGAIN_ALBUM_GAIN": albumGain = CueSheet.decibels(rest)
        case "REPLAYGAIN_ALBUM_PEAK": albumPeak = CueSheet.peak(rest)
        case "REPLAYGAIN_TRACK_GAIN": withTrack { $0.gain = CueSheet.decibels(rest) }
        case "REPLAYGAIN_TRACK_PEAK": withTrack { $0.peak = CueSheet.peak(rest) }
        default: break
        }
    }

    // MARK: - Where a line belongs

    private mutating func withTrack(_ change: (inout CueTrack) -> Void) {
        guard !tracks.isEmpty else { return }
        change(&tracks[tracks.count - 1])
    }

    private mutating func set(
        _ sheet: WritableKeyPath<CueSheet, String?>, _ track: WritableKeyPath<CueTrack, String?>, _ text: Substring
    ) {
        if tracks.isEmpty {
            self[keyPath: sheet] = CueSheet.value(text)
        } else {
            withTrack { $0[keyPath: track] = CueSheet.value(text) }
        }
    }

    // MARK: - What a line says

    private static func word(_ rest: inout Substring) -> Substring? {
        let word = rest.prefix { !$0.isWhitespace }
        rest = rest.dropFirst(word.count).trimmed
        return word.isEmpty ? nil : word
    }

    /// A value with or without quotes; from the first quote to the last, since nothing escapes one inside.
    private static func value(_ text: Substring) -> String? {
        var text = text.trimmed
        if text.hasPrefix("\"") {
            text = text.dropFirst()
            if let last = text.lastIndex(of: "\"") { text = text[..<last] }
        }
        return ByteText.field(text)
    }

    private static func fileArguments(
        _ bytes: ArraySlice<UInt8>
    ) -> (name: ArraySlice<UInt8>, kind: ArraySlice<UInt8>) {
        let quote = UInt8(ascii: "\"")
        let core = bytes.trimmed
        if core.first == quote, let last = core.lastIndex(of: quote), last > core.startIndex {
            return (core[(core.startIndex + 1)..<last], core[(last + 1)...].trimmed)
        }
        // Without quotes the last word is the kind, if it is one: the name may hold blanks.
        guard let blank = core.lastIndex(where: ByteText.isBlank) else { return (core, []) }
        let kind = core[(blank + 1)...]
        let isKind = ["wave", "mp3", "aiff", "binary", "motorola", "flac"].contains {
            kind.map(ByteText.lowercased).elementsEqual($0.utf8)
        }
        return isKind ? (core[..<blank].trimmed, kind) : (core, [])
    }

    private static func count(_ text: Substring) -> Int? {
        guard let text = value(text), let number = Int(text.prefix { $0.isNumber }), (1...999).contains(number) else {
            return nil
        }
        return number
    }

    private static func decibels(_ text: Substring) -> Double? {
        guard let text = value(text), let number = Double(text.prefix { !$0.isWhitespace }), abs(number) < 100 else {
            return nil
        }
        return number
    }

    private static func peak(_ text: Substring) -> Double? {
        guard let text = value(text), let number = Double(text), (0..<100).contains(number) else { return nil }
        return number
    }
}
