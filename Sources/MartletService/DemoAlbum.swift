// SPDX-License-Identifier: Apache-2.0
internal import CMartletXXHash
internal import Glibc
internal import MartletCore
internal import MartletSQLite

/// The music that comes with Martlet: an album made by the program itself when there is nothing else to play.
///
/// Two discs; one piece by two artists, one with a Korean title, and one that is a single performance cut in two, so that a
/// player with a gap between tracks can be heard. Written into the cache once, whole file by whole file, and made anew
/// when a file is missing or is not what was written.
actor DemoAlbum {
    private let executor = SerialQueueExecutor(label: "org.martlet.demo")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// A piece and how its samples are made: interleaved stereo at 44,100 Hz.
    typealias Recording = (piece: DemoPiece, samples: @Sendable () -> [Int16])

    private let folder: String
    private let encoder: any AudioFileEncoder
    private let recordings: [Recording]
    private let coverSide: Int

    /// - Parameters:
    ///   - folder: Where the album goes; made if need be.
    ///   - recordings: What is on it.
    ///   - coverSide: Width and height of the cover, in pixels.
    init(
        folder: String, encoder: any AudioFileEncoder, recordings: [Recording] = DemoPiece.recordings(),
        coverSide: Int = 600
    ) {
        self.folder = folder
        self.encoder = encoder
        self.recordings = recordings
        self.coverSide = coverSide
    }

    /// Why there is no album. One sentence.
    struct Failure: Error {
        var message: String
    }

    /// The album's files in order, made now if they are not there. Blocks this actor for a second or two when they are not.
    func files() throws(Failure) -> [[UInt8]] {
        let paths = recordings.map { "\(folder)/\($0.piece.fileName)" }
        if isWhole(paths) { return paths.map { Array($0.utf8) } }
        do {
            try make(paths)
        } catch let error as SystemError {
            throw Failure(message: "\(folder): \(error)")
        } catch let error as AudioEncodingError {
            throw Failure(message: error.message)
        } catch {
            throw Failure(message: "\(error)")
        }
        return paths.map { Array($0.utf8) }
    }

    private func make(_ paths: [String]) throws {
        try Folders.make(folder)
        let pixels = DemoCover.pixels(side: coverSide)
        let cover = try encoder.encodePNG(rgb: pixels, width: coverSide, height: coverSide)
        for (recording, path) in zip(recordings, paths) {
            // Two players may make the album at once; each renames whole files of its own.
            let temporary = "\(path).\(getpid()).part"
            do {
                try encoder.writeFLAC(recording.samples(), tags: recording.piece.tags, picture: cover, to: temporary)
                guard unsafe rename(temporary, path) == 0 else {
                    throw SystemError(code: errno, operation: "rename")
                }
            } catch {
                _ = unsafe unlink(temporary)
                throw error
            }
        }
        try AtomicFile.write(CollectionOfOne(DemoAlbum.record(of: paths)), to: recordPath)
    }

    // MARK: - Whether it is what was written

    /// Raised when the music changes, so that an album of an older version is made anew.
    private static let version = 2
    private var recordPath: String { folder + "/written" }

    private func isWhole(_ paths: [String]) -> Bool {
        guard let record = try? AtomicFile.read(Array(recordPath.utf8), limit: 1 << 16) else { return false }
        return record == DemoAlbum.record(of: paths)
    }

    /// The version, and what every file's content comes to; a few milliseconds for the whole album.
    private static func record(of paths: [String]) -> [UInt8] {
        var text = "\(version)\n"
        for path in paths {
            let bytes = (try? AtomicFile.read(Array(path.utf8), limit: 1 << 28)) ?? []
            let hash = unsafe bytes.withUnsafeBytes { unsafe XXH3_128bits($0.baseAddress, $0.count) }
            text += "\(bytes.count) \(hash.high64) \(hash.low64)\n"
        }
        return Array(text.utf8)
    }
}

/// One track of the demo album.
struct DemoPiece: Sendable {
    var title: String
    var artists: [String]
    var disc: Int
    var number: Int
    var genre: String

    static let all = [
        DemoPiece(title: "First Flight", artists: ["The Hedgerow Quartet"], disc: 1, number: 1, genre: "Folk"),
        DemoPiece(title: "Over the Weir, Rising", artists: ["The Hedgerow Quartet"], disc: 1, number: 2, genre: "Folk"),
        DemoPiece(
            title: "Over the Weir, Falling", artists: ["The Hedgerow Quartet"], disc: 1, number: 3, genre: "Folk"),
        DemoPiece(
            title: "Lantern Waltz", artists: ["The Hedgerow Quartet", "Ada Swift"], disc: 2, number: 1, genre: "Waltz"),
        DemoPiece(title: "제비의 노래", artists: ["Ada Swift"], disc: 2, number: 2, genre: "Folk"),
        DemoPiece(title: "Roost", artists: ["The Hedgerow Quartet"], disc: 2, number: 3, genre: "Ambient"),
    ]

    var fileName: String { "\(disc)-\(number).flac" }

    var tags: TrackTags {
        var tags = TrackTags()
        tags.title = title
        tags.artists = artists
        tags.album = "Never Landing"
        tags.albumArtists = ["The Hedgerow Quartet"]
        tags.trackNumber = number
        tags.trackTotal = 3
        tags.discNumber = disc
        tags.discTotal = 2
        tags.date = "2026"
        tags.genres = [genre]
        return tags
    }

    /// Every piece with what makes its samples; the second and third are one performance, cut at an odd sample.
    static func recordings() -> [DemoAlbum.Recording] {
        let cut = (DemoSynth.rate * 24 + 12_345) * 2
        let makers: [@Sendable () -> [Int16]] = [
            DemoScore.flight, { Array(DemoScore.weir()[..<cut]) }, { Array(DemoScore.weir()[cut...]) }, DemoScore.waltz,
            DemoScore.swallow, DemoScore.roost,
        ]
        return zip(all, makers).map { ($0, $1) }
    }
}

/// What the pieces sound like: chords, and tunes over them.
enum DemoScore {
    static func flight() -> [Int16] {
        arpeggios(
            chords: [[57, 60, 64], [53, 57, 60], [48, 55, 64], [55, 59, 62]], repeats: 3, beat: 0.42,
            tune: [76, 0, 74, 72, 74, 0, 69, 0, 72, 71, 72, 74, 71, 0, 67, 0], seed: 11, fades: true)
    }

    static func weir() -> [Int16] {
        arpeggios(
            chords: [[50, 57, 65], [46, 53, 62], [53, 57, 60], [48, 55, 64]], repeats: 6, beat: 0.45,
            tune: [74, 77, 76, 74, 72, 0, 69, 70, 72, 74, 72, 70, 69, 67, 69, 0], seed: 23, fades: true)
    }

    static func waltz() -> [Int16] {
        let beat = 0.38
        let chords = [[48, 64, 67], [45, 60, 64], [41, 60, 65], [43, 59, 65]]
        let tune = [79, 76, 0, 77, 0, 76, 74, 72, 0, 71, 0, 74, 76, 0, 72, 69, 71, 72, 77, 76, 74, 71, 0, 67]
        var synth = DemoSynth(seconds: beat * 72 + 2, seed: 31)
        for bar in 0..<24 {
            let chord = chords[bar % 4]
            let start = Double(bar * 3) * beat
            synth.pluck(chord[0] - 12, at: start, length: 1.4, level: 0.5, pan: -0.2)
            for beatIndex in 1...2 {
                for note in chord[1...] {
                    synth.pluck(note, at: start + Double(beatIndex) * beat, length: 0.7, level: 0.22, pan: 0.25)
                }
                synth.brush(at: start + Double(beatIndex) * beat, level: 0.05)
            }
            if bar % 4 == 0 { synth.pad(chord, at: start, length: beat * 12, level: 0.03) }
        }
        lay(tune, repeats: 3, beat: beat, into: &synth)
        return synth.render(fades: true)
    }

    static func swallow() -> [Int16] {
        // A pentatonic tune in three, free over a drone.
        let tune = [69, 71, 74, 76, 0, 74, 71, 69, 66, 0, 64, 66, 69, 0, 71, 74, 76, 78, 76, 74, 71, 0, 69, 0]
        let beat = 0.5
        var synth = DemoSynth(seconds: beat * 48 + 3, seed: 41)
        for bar in 0..<8 {
            synth.pad([45, 52, 57], at: Double(bar * 6) * beat, length: beat * 8, level: 0.045)
            synth.pluck(45, at: Double(bar * 6) * beat, length: 2.5, level: 0.4, pan: -0.3)
            synth.pluck(52, at: Double(bar * 6 + 3) * beat, length: 2, level: 0.25, pan: 0.3)
        }
        lay(tune, repeats: 2, beat: beat, into: &synth)
        return synth.render(fades: true)
    }

    static func roost() -> [Int16] {
        let chords = [[45, 52, 60, 64], [41, 53, 60, 65], [43, 50, 59, 62], [45, 52, 57, 64]]
        var synth = DemoSynth(seconds: 26, seed: 53)
        for (bar, chord) in chords.enumerated() {
            synth.pad(chord, at: Double(bar) * 6, length: 8, level: 0.06)
            for (place, note) in chord.enumerated() {
                synth.pluck(note + 12, at: Double(bar) * 6 + Double(place) * 0.75, length: 4, level: 0.22, pan: 0.1)
            }
        }
        return synth.render(fades: true)
    }

    private static func arpeggios(
        chords: [[Int]], repeats: Int, beat: Double, tune: [Int], seed: UInt64, fades: Bool
    ) -> [Int16] {
        let bars = chords.count * repeats
        var synth = DemoSynth(seconds: beat * 4 * Double(bars) + 2, seed: seed)
        for bar in 0..<bars {
            let chord = chords[bar % chords.count]
            let start = Double(bar * 4) * beat
            synth.pad(chord, at: start, length: beat * 5, level: 0.035)
            synth.pluck(chord[0] - 12, at: start, length: 1.8, level: 0.45, pan: -0.15)
            for step in 0..<8 {
                let note = chord[[0, 1, 2, 1, 0, 2, 1, 2][step]] + (step > 4 ? 12 : 0)
                synth.pluck(note, at: start + Double(step) * beat / 2, length: 0.9, level: 0.18, pan: 0.3)
            }
            synth.brush(at: start + 2 * beat, level: 0.06)
        }
        lay(tune, repeats: bars / chords.count, beat: beat, into: &synth)
        return synth.render(fades: fades)
    }

    /// A tune of one note a beat; 0 lets the last one ring.
    private static func lay(_ tune: [Int], repeats: Int, beat: Double, into synth: inout DemoSynth) {
        for pass in 0..<repeats {
            for (step, note) in tune.enumerated() where note > 0 {
                let start = Double(pass * tune.count + step) * beat
                synth.pluck(note, at: start, length: 1.6, level: 0.4, pan: pass.isMultiple(of: 2) ? -0.1 : 0.1)
            }
        }
    }
}
