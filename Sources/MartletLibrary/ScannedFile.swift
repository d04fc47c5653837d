// SPDX-License-Identifier: Apache-2.0
internal import CMartletXXHash
internal import MartletCore
internal import MartletText

/// What reading one file gave, ready to be written: made on a reader's thread, so that the writer has little to do.
struct ScannedFile: Sendable {
    enum Outcome: Sendable {
        /// At least one.
        case tracks([ScannedTrack])
        /// A sheet; its tracks come with the files they are parts of.
        case sheet
        case failed(FileFailure)
    }

    var file: FileID
    var folder: FolderID
    var outcome: Outcome
}

/// Why a file gave nothing; not tried again until the file is another one.
public enum FileFailure: Hashable, Sendable {
    case empty
    case denied
    case unsupported
    case unreadable(errno: Int32)

    init(_ error: TagReadError) {
        self =
            switch error {
            case .empty: .empty
            case .accessDenied: .denied
            case .unsupported: .unsupported
            case .notFound: .unreadable(errno: 2)
            case .unreadable(let errno): .unreadable(errno: errno)
            }
    }

    /// As it is kept.
    var stored: String {
        switch self {
        case .empty: "empty"
        case .denied: "denied"
        case .unsupported: "unsupported"
        case .unreadable(let errno): "unreadable \(errno)"
        }
    }

    init(stored: String) {
        switch stored {
        case "empty": self = .empty
        case "denied": self = .denied
        case "unsupported": self = .unsupported
        default: self = .unreadable(errno: Int32(stored.split(separator: " ").last ?? "") ?? 0)
        }
    }
}

/// One track as its file or its cue sheet tells it.
struct ScannedTrack: Sendable {
    var start = Duration.zero
    var end: Duration?
    var sheet: FileID?
    /// Without lyrics, which are not kept.
    var tags: TrackTags
    /// The tagged title, else the file's name.
    var title: String
    var sort: [UInt8]
    var artist: String
    var identity: [UInt8]?

    /// - Parameters:
    ///   - name: Of the file; its stem is the title of a track without one.
    ///   - audio: What the file's sound is known by.
    ///   - start: With `end`, the part of the file that is meant; without both, all of it.
    init(
        tags: TrackTags, name: [UInt8], audio: [UInt8]?, start: Duration = .zero, end: Duration? = nil,
        sheet: FileID? = nil
    ) {
        self.tags = tags
        self.tags.lyrics = nil
        self.start = start
        self.end = end
        self.sheet = sheet
        title = tags.title ?? ScannedTrack.stem(of: name)
        sort = SortKey.title(title)
        artist = ScannedTrack.credit(tags.artists.isEmpty ? tags.albumArtists : tags.artists)
        let isWhole = start == .zero && end == nil
        identity = audio.map { isWhole ? $0 : AudioIdentity.part(of: $0, from: start) }
    }

    /// Names as one text for show.
    static func credit(_ names: [String]) -> String {
        names.joined(separator: ", ")
    }

    /// The name of a file as a title: without its ending, made valid, control characters as spaces.
    static func stem(of name: [UInt8]) -> String {
        let dot = name.lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
        let text = String(decoding: dot > 0 ? name[..<dot] : name[...], as: UTF8.self)
        return String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
    }
}

/// Bytes in the order people expect.
enum SortKey {
    static func title(_ text: String) -> [UInt8] {
        NaturalOrder(text).key
    }

    /// An artist's or an album's: a leading article does not count.
    static func name(_ text: String) -> [UInt8] {
        let key = NaturalOrder(text).key
        for article in ["the ", "a ", "an "] where key.starts(with: article.utf8) && key.count > article.utf8.count {
            return Array(key.dropFirst(article.utf8.count))
        }
        return key
    }

    /// What tells names apart: canonically equal ones and those that differ in case are one (F264).
    static func identity(_ text: String) -> String {
        text.nfc.lowercased().nfc
    }
}

/// What a file's sound is known by, whatever its tags say: sixteen bytes.
enum AudioIdentity {
    static func make(_ sample: AudioSample) -> [UInt8] {
        switch sample {
        case .md5(let sum): return sum
        case .head(let bytes, let extent): return hash(bytes, extent)
        }
    }

    /// Of the part of a file that begins there.
    static func part(of file: [UInt8], from start: Duration) -> [UInt8] {
        hash(file, Nanoseconds(start).count)
    }

    private static func hash(_ bytes: [UInt8], _ number: Int64) -> [UInt8] {
        var bytes = bytes
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> Int64(shift))) }
        let value = unsafe bytes.withUnsafeBytes { unsafe XXH3_128bits($0.baseAddress, $0.count) }
        var result: [UInt8] = []
        result.reserveCapacity(16)
        for half in [value.high64, value.low64] {
            for shift in stride(from: 56, through: 0, by: -8) {
                result.append(UInt8(truncatingIfNeeded: half >> UInt64(shift)))
            }
        }
        return result
    }
}
