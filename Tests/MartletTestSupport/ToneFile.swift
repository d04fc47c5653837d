// SPDX-License-Identifier: Apache-2.0
import Glibc
public import MartletCore

/// Generated sound: seeded noise and sines as interleaved 16-bit samples, written as WAV by our own bytes and as
/// everything else by the encoders people use.
public struct ToneFile: Sendable {
    public enum Format: String, CaseIterable, Sendable {
        case wav, flac, mp3, vorbis, opus, aac

        public var fileExtension: String {
            switch self {
            case .vorbis: "ogg"
            case .aac: "m4a"
            default: rawValue
            }
        }

        /// Whether what is decoded is what was encoded.
        public var isLossless: Bool { self == .wav || self == .flac }

        fileprivate func encoder(_ wav: String, _ output: String) -> [String]? {
            switch self {
            case .wav: nil
            case .flac: ["flac", "--silent", "--force", "-o", output, wav]
            case .mp3: ["lame", "--quiet", "-b", "256", wav, output]
            case .vorbis: ["oggenc", "-Q", "-q", "8", "-o", output, wav]
            case .opus: ["opusenc", "--quiet", "--bitrate", "256", wav, output]
            case .aac: ["ffmpeg", "-loglevel", "error", "-y", "-i", wav, "-c:a", "aac", "-b:a", "256k", output]
            }
        }
    }

    /// Interleaved.
    public var samples: [Int16]
    public var sampleRate: Int
    public var channels: Int

    public init(samples: [Int16], sampleRate: Int = 44_100, channels: Int = 2) {
        self.samples = samples
        self.sampleRate = sampleRate
        self.channels = channels
    }

    /// Noise that no two seeds share and that every run repeats: any lost or added sample shows.
    public static func noise(
        frames: Int, seed: UInt64, sampleRate: Int = 44_100, channels: Int = 2, amplitude: Int16 = 8_000
    ) -> ToneFile {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        let samples = (0..<frames * channels).map { _ -> Int16 in
            // xorshift64*
            state ^= state >> 12
            state ^= state << 25
            state ^= state >> 27
            let value = Int(truncatingIfNeeded: (state &* 0x2545_F491_4F6C_DD1D) >> 48) - 32_768
            return Int16(value * Int(amplitude) / 32_768)
        }
        return ToneFile(samples: samples, sampleRate: sampleRate, channels: channels)
    }

    /// The same sine on every channel.
    public static func sine(
        _ frequency: Double, for duration: Duration, sampleRate: Int = 44_100, channels: Int = 2,
        amplitude: Double = 0.4
    ) -> ToneFile {
        let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
        let frames = Int(seconds * Double(sampleRate))
        var samples: [Int16] = []
        samples.reserveCapacity(frames * channels)
        for frame in 0..<frames {
            let value = sin(2 * Double.pi * frequency * Double(frame) / Double(sampleRate)) * amplitude * 32_767
            for _ in 0..<channels { samples.append(Int16(value)) }
        }
        return ToneFile(samples: samples, sampleRate: sampleRate, channels: channels)
    }

    public var frames: Int { samples.count / channels }

    /// The parts between the given frames; joined again they are this sound.
    public func cut(at frames: [Int]) -> [ToneFile] {
        let edges = [0] + frames + [self.frames]
        return zip(edges, edges.dropFirst()).map { from, to in
            ToneFile(
                samples: Array(samples[from * channels..<to * channels]), sampleRate: sampleRate, channels: channels)
        }
    }

    /// A canonical WAV file's bytes.
    public var wav: [UInt8] {
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let size = samples.count * 2
        var bytes = Array("RIFF".utf8) + little(36 + size, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
        bytes += little(1, 2) + little(channels, 2) + little(sampleRate, 4) + little(sampleRate * channels * 2, 4)
        bytes += little(channels * 2, 2) + little(16, 2) + Array("data".utf8) + little(size, 4)
        bytes.reserveCapacity(44 + size)
        for sample in samples {
            bytes.append(UInt8(truncatingIfNeeded: sample))
            bytes.append(UInt8(truncatingIfNeeded: sample >> 8))
        }
        return bytes
    }

    /// Writes the sound under `name` with the format's extension.
    ///
    /// - Returns: The file's path.
    @discardableResult
    public func write(_ name: String, as format: Format, in directory: ScratchDirectory) throws -> String {
        let output = directory.path + "/" + name + "." + format.fileExtension
        let wavPath = format == .wav ? output : output + ".source.wav"
        try ScratchDirectory.write(wav, to: wavPath)
        if let command = format.encoder(wavPath, output) {
            try Tool.run(command)
            unlink(wavPath)
        }
        return output
    }

    /// An item that plays the sound from a file written for it.
    public func item(
        _ entry: UInt64, as format: Format = .wav, in directory: ScratchDirectory
    ) throws -> EngineItem {
        let path = try write("entry\(entry)", as: format, in: directory)
        return EngineItem(entry: EntryID(entry), uri: MediaURI(filePath: Array(path.utf8))!)
    }
}

/// A new directory that goes away with its last user.
public final class ScratchDirectory: Sendable {
    public let path: String

    public init() throws {
        var template = Array("/tmp/martlet-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ScratchError(call: "mkdtemp", code: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        try? Tool.run(["rm", "-rf", path])
    }

    public static func write(_ bytes: [UInt8], to path: String) throws {
        guard let file = fopen(path, "wb") else { throw ScratchError(call: "fopen", code: errno) }
        defer { fclose(file) }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
            throw ScratchError(call: "fwrite", code: errno)
        }
    }

    public static func read(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "rb") else { throw ScratchError(call: "fopen", code: errno) }
        defer { fclose(file) }
        fseek(file, 0, SEEK_END)
        var bytes = [UInt8](repeating: 0, count: ftell(file))
        rewind(file)
        guard fread(&bytes, 1, bytes.count, file) == bytes.count else { throw ScratchError(call: "fread", code: errno) }
        return bytes
    }
}

public struct ScratchError: Error, Sendable {
    public let call: String
    public let code: CInt

    public init(call: String, code: CInt) {
        self.call = call
        self.code = code
    }
}

/// Another program, run to its end.
public enum Tool {
    public struct Failure: Error, Sendable {
        public let command: [String]
        public let status: CInt
    }

    public static func run(_ command: [String]) throws {
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        let result = posix_spawnp(&process, command[0], &actions, nil, &arguments, environ)
        guard result == 0 else { throw Failure(command: command, status: result) }
        var status: CInt = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        guard status == 0 else { throw Failure(command: command, status: status) }
    }
}
