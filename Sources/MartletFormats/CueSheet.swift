// SPDX-License-Identifier: Apache-2.0

/// A cue sheet: which parts of which files are which tracks of a disc.
///
/// After CDRWIN's description, with what rippers really write: several files, a FILE line between a track's TRACK and
/// its INDEX 01 (F230), tags in REM lines, any encoding.
public struct CueSheet: Hashable, Sendable {
    public var title: String?
    public var performer: String?
    public var songwriter: String?
    /// The disc's media catalogue number (EAN).
    public var catalog: String?
    public var genre: String?
    /// As written in `REM DATE`, mostly a year.
    public var date: String?
    public var discNumber: Int?
    public var discTotal: Int?
    public var comment: String?
    public var albumGain: Double?
    public var albumPeak: Double?
    public var files: [CueFile] = []
    /// Every track in the sheet's order, data tracks included.
    public var tracks: [CueTrack] = []

    public init() {}
}

/// A FILE line.
public struct CueFile: Hashable, Sendable {
    /// The name's bytes as in the sheet.
    public var name: [UInt8]
    /// The name as text.
    public var text: String
    /// `WAVE`, `MP3`, `AIFF`, `BINARY`; says little, most rippers write `WAVE` for everything.
    public var kind: String

    public init(name: [UInt8], text: String, kind: String = "WAVE") {
        self.name = name
        self.text = text
        self.kind = kind
    }
}

/// A TRACK with what stands below it.
public struct CueTrack: Hashable, Sendable {
    /// As in the sheet, 1 to 99 on a disc.
    public var number: Int
    /// Whether it is sound; a data track only ends the one before.
    public var isAudio: Bool
    public var title: String?
    public var performer: String?
    public var songwriter: String?
    public var isrc: String?
    public var genre: String?
    public var date: String?
    public var comment: String?
    public var gain: Double?
    public var peak: Double?
    /// Silence before and after the track that is in no file.
    public var pregap: CueTime?
    public var postgap: CueTime?
    /// In the sheet's order.
    public var indices: [CueIndex] = []

    public init(number: Int, isAudio: Bool = true) {
        self.number = number
        self.isAudio = isAudio
    }

    /// INDEX 01, where the track begins; the lowest other one where a sheet forgot it.
    public var beginning: CueIndex? {
        indices.first { $0.number == 1 } ?? indices.min { $0.number < $1.number }
    }
}

/// An INDEX line.
public struct CueIndex: Hashable, Sendable {
    /// 0 is the gap before the track, 1 its beginning, more are marks inside it.
    public var number: Int
    /// Index in ``CueSheet/files``: a gap may lie at the end of the file before (F230).
    public var file: Int
    public var time: CueTime

    public init(number: Int, file: Int, time: CueTime) {
        self.number = number
        self.file = file
        self.time = time
    }
}

/// A time in a cue sheet: whole frames of 1/75 second, which is 588 samples of a compact disc.
public struct CueTime: Hashable, Comparable, Sendable {
    public var frames: Int

    public init(frames: Int) {
        self.frames = frames
    }

    /// Reads `mm:ss:ff`; minutes may have any number of digits, seconds and frames go to 59 and 74.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(ByteText.isDigit) }),
            let minutes = Int(parts[0]), let seconds = Int(parts[1]), let frames = Int(parts[2]),
            minutes < 1_000_000, seconds < 60, frames < 75
        else { return nil }
        self.frames = (minutes * 60 + seconds) * 75 + frames
    }

    /// To the nearest attosecond; multiples of three frames are exact.
    public var duration: Duration {
        // 10¹⁸ / 75 is 13,333,333,333,333,333 and a third; the whole product would not fit into 64 bits.
        let part = Int64(frames % 75)
        let attoseconds = part * 13_333_333_333_333_333 + (part + 1) / 3
        return Duration(secondsComponent: Int64(frames / 75), attosecondsComponent: attoseconds)
    }

    public static func < (left: CueTime, right: CueTime) -> Bool {
        left.frames < right.frames
    }
}
