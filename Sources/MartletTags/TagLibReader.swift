// SPDX-License-Identifier: Apache-2.0
import CMartletTagLib
import Glibc
public import MartletCharset
public import MartletCore

/// Reads tags with TagLib: one open and a handful of reads a file.
///
/// MP3, FLAC, Ogg (Vorbis, Opus, FLAC, Speex), MP4 (AAC, ALAC), bare AAC, WAV, AIFF, APE, WavPack, Musepack, TrueAudio, ASF and
/// DSF, by content and not by name. Safe on hostile files: memory, time and stack have bounds.
public struct TagLibReader: TagReader {
    private let decoder: TextDecoder

    /// - Parameter fallbackCharset: The user's setting for old tags that do not tell their encoding.
    public init(fallbackCharset: Charset? = nil) {
        decoder = TextDecoder(fallback: fallbackCharset)
    }

    public func read(path: [UInt8], wanted: TagReadingOptions) throws(TagReadError) -> TagReading {
        guard !path.isEmpty, !path.contains(0) else { throw .notFound }
        // Non-blocking: a pipe in the music folder would hold the scan until somebody writes into it.
        let opened = unsafe (path + [0]).withUnsafeBufferPointer { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { name in
                unsafe Glibc.open(name.baseAddress!, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
            }
        }
        guard opened >= 0 else { throw TagReadError(errno: errno) }
        defer { _ = Glibc.close(opened) }
        return try read(descriptor: opened, wanted: wanted)
    }

    private func read(descriptor: Int32, wanted: TagReadingOptions) throws(TagReadError) -> TagReading {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw TagReadError(errno: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw .unreadable(errno: EISDIR)
        default: throw .unsupported
        }
        guard status.st_size > 0 else { throw .empty }

        let raw = RawTags(wanted: wanted)
        var sink = unsafe martlet_tag_sink(
            context: Unmanaged.passUnretained(raw).toOpaque(), value: takeTagValue,
            picture: wanted.contains(.picture) ? takeTagPicture : nil,
            audio_head: wanted.contains(.audioSample) ? takeAudioHead : nil)
        var audio = martlet_tag_audio()
        var error: Int32 = 0
        let outcome = withExtendedLifetime(raw) {
            unsafe martlet_tag_read(descriptor, Int64(status.st_size), &sink, &audio, &error)
        }
        switch outcome {
        case MARTLET_TAG_READ: break
        case MARTLET_TAG_UNREADABLE: throw .unreadable(errno: error)
        default: throw .unsupported
        }
        raw.decodeBytes(with: decoder)
        var tags = raw.trackTags()
        tags.audio = AudioProperties(audio)
        return TagReading(
            tags: tags, picture: raw.picture, cueSheet: wanted.contains(.cueSheet) ? raw.text(.cueSheet) : nil,
            audioSample: wanted.contains(.audioSample) ? AudioSample(audio, head: raw.audioHead) : nil)
    }
}

extension TagReadError {
    init(errno code: Int32) {
        self =
            switch code {
            case ENOENT, ENOTDIR: .notFound
            case EACCES, EPERM: .accessDenied
            default: .unreadable(errno: code)
            }
    }
}

extension AudioSample {
    fileprivate init?(_ audio: martlet_tag_audio, head: [UInt8]?) {
        if audio.has_md5 != 0 {
            self = unsafe .md5(withUnsafeBytes(of: audio.md5) { unsafe Array($0) })
        } else if let head {
            self = .head(head, extent: audio.audio_extent)
        } else {
            return nil
        }
    }
}

extension AudioProperties {
    fileprivate init(_ audio: martlet_tag_audio) {
        self.init()
        length = audio.milliseconds > 0 ? .milliseconds(audio.milliseconds) : nil
        sampleRate = audio.sample_rate > 0 ? Int(audio.sample_rate) : nil
        channels = audio.channels > 0 ? Int(audio.channels) : nil
        bitrate = audio.kilobits > 0 ? Int(audio.kilobits) : nil
        codec = AudioProperties.names[audio.codec.rawValue]
    }

    private static let names: [UInt32: String] = [
        MARTLET_CODEC_MP1.rawValue: "mp1", MARTLET_CODEC_MP2.rawValue: "mp2", MARTLET_CODEC_MP3.rawValue: "mp3",
        MARTLET_CODEC_FLAC.rawValue: "flac", MARTLET_CODEC_VORBIS.rawValue: "vorbis",
        MARTLET_CODEC_OPUS.rawValue: "opus", MARTLET_CODEC_SPEEX.rawValue: "speex", MARTLET_CODEC_AAC.rawValue: "aac",
        MARTLET_CODEC_ALAC.rawValue: "alac", MARTLET_CODEC_WAV.rawValue: "wav", MARTLET_CODEC_AIFF.rawValue: "aiff",
        MARTLET_CODEC_APE.rawValue: "ape", MARTLET_CODEC_WAVPACK.rawValue: "wavpack",
        MARTLET_CODEC_MUSEPACK.rawValue: "musepack", MARTLET_CODEC_TTA.rawValue: "tta",
        MARTLET_CODEC_WMA.rawValue: "wma", MARTLET_CODEC_DSD.rawValue: "dsd",
    ]
}
