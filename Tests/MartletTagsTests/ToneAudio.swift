// SPDX-License-Identifier: Apache-2.0
import Synchronization
import Testing

/// One second of a tone in every kind of file, without tags; each kind is encoded once a process.
enum ToneAudio: String, CaseIterable, CustomTestStringConvertible {
    case mp3, mp2, flac, vorbis, opus, oggFlac, speex, aac, alac, adts, wav, aiff, wavpack, tta, wma, ape, musepack, dsf

    var testDescription: String { rawValue }

    private static let cache = Mutex<[ToneAudio: [UInt8]]>([:])

    var bytes: [UInt8] {
        ToneAudio.cache.withLock { cache in
            if let known = cache[self] { return known }
            let made = encoded()
            cache[self] = made
            return made
        }
    }

    /// The codec's name as Martlet tells it.
    var codec: String {
        switch self {
        case .oggFlac: "flac"
        case .dsf: "dsd"
        case .adts: "aac"
        default: rawValue
        }
    }

    var fileExtension: String {
        switch self {
        case .vorbis, .oggFlac: "ogg"
        case .speex: "spx"
        case .aac, .alac: "m4a"
        case .wavpack: "wv"
        case .musepack: "mpc"
        default: rawValue
        }
    }

    var sampleRate: Int {
        switch self {
        case .opus: 48_000
        case .speex: 16_000
        case .dsf: 2_822_400
        default: 44_100
        }
    }

    private func encoded() -> [UInt8] {
        switch self {
        case .mp3: ffmpeg("-c:a", "libmp3lame", "-b:a", "64k", "-id3v2_version", "0", "-f", "mp3")
        case .mp2: ffmpeg("-c:a", "mp2", "-b:a", "64k", "-f", "mp2")
        case .flac: ffmpeg("-c:a", "flac", "-f", "flac")
        case .vorbis: ffmpeg("-c:a", "libvorbis", "-f", "ogg")
        case .opus: ffmpeg("-c:a", "libopus", "-b:a", "48k", "-ar", "48000", "-f", "opus")
        case .oggFlac: ffmpeg("-c:a", "flac", "-f", "ogg")
        case .speex: ffmpeg("-c:a", "libspeex", "-ar", "16000", "-f", "ogg")
        case .aac: ffmpeg("-c:a", "aac", "-b:a", "64k", "-f", "ipod")
        case .adts: ffmpeg("-c:a", "aac", "-b:a", "64k", "-f", "adts")
        case .alac: ffmpeg("-c:a", "alac", "-f", "ipod")
        case .wav: ffmpeg("-c:a", "pcm_s16le", "-f", "wav")
        case .aiff: ffmpeg("-c:a", "pcm_s16be", "-f", "aiff")
        case .wavpack: ffmpeg("-c:a", "wavpack", "-f", "wv")
        case .tta: ffmpeg("-c:a", "tta", "-f", "tta")
        case .wma: ffmpeg("-c:a", "wmav2", "-b:a", "64k", "-f", "asf")
        case .ape: ToneAudio.monkeyHeader
        case .musepack: ToneAudio.musepackHeader
        case .dsf: ToneAudio.dsf(metadataAt: 0)
        }
    }

    private func ffmpeg(_ codec: String...) -> [UInt8] {
        let folder = TestFolder()
        let source = "sine=frequency=440:sample_rate=44100:duration=1"
        Tool.run(
            ["ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i", source, "-ac", "2", "-map_metadata", "-1"]
                + ["-fflags", "+bitexact", "-flags:a", "+bitexact"] + codec + ["\(folder.path)/tone"])
        return folder.bytes(of: "tone")
    }

    // Debian has no encoder for these three; TagLib reads their headers only.

    /// Monkey's Audio 3.99: descriptor of 52 bytes, header of 24.
    private static let monkeyHeader: [UInt8] =
        Array("MAC ".utf8) + little(3990, 2) + little(0, 2) + little(52, 4) + little(24, 4) + little(0, 4)
        + little(0, 4) + little(1000, 4) + little(0, 4) + little(0, 4) + [UInt8](repeating: 0, count: 16)
        // Level, flags, blocks a frame, blocks in the last frame, frames, bits, channels, rate.
        + little(2000, 2) + little(0, 2) + little(44_100, 4) + little(44_100, 4) + little(1, 4) + little(16, 2)
        + little(2, 2) + little(44_100, 4) + [UInt8](repeating: 0x55, count: 1000)

    /// Musepack stream version 7: frames of 1152 samples.
    private static let musepackHeader: [UInt8] =
        Array("MP+".utf8) + [0x07] + little(38, 4) + [UInt8](repeating: 0, count: 48)
        + [UInt8](repeating: 0x55, count: 1000)

    /// DSD stream file of one second in stereo; the metadata's place is the last field of its first chunk.
    static func dsf(metadataAt place: Int) -> [UInt8] {
        Array("DSD ".utf8) + little(28, 8) + little(92 + 8192, 8) + little(place, 8)
            + Array("fmt ".utf8) + little(52, 8) + little(1, 4) + little(0, 4) + little(2, 4) + little(2, 4)
            + little(2_822_400, 4) + little(1, 4) + little(2_822_400, 8) + little(4096, 4) + little(0, 4)
            + Array("data".utf8) + little(12 + 8192, 8) + [UInt8](repeating: 0x69, count: 8192)
    }
}

func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
}

func big(_ value: Int, _ count: Int) -> [UInt8] {
    Array(little(value, count).reversed())
}
