// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stddef.h>
#include <stdint.h>

// A fence over TagLib 1.13, which is C++: importing it directly would make every target above it C++-aware, and its
// files, streams and properties do not import at all. One call reads one file; what it finds comes through callbacks,
// in the file's order, so nothing is owned on both sides. No C++ exception leaves it.

#ifdef __cplusplus
extern "C" {
#endif

/// The tag a value stands in; they name the same things differently.
typedef enum martlet_tag_family {
    /// Key: the frame's id; `TXXX:`, `COMM:`, `USLT:` and `UFID:` are followed by the description or owner, `SYLT:` by
    /// the time of the line in milliseconds, `RVA2:` by the identification.
    MARTLET_TAG_ID3V2,
    /// Key: the field's name in capitals.
    MARTLET_TAG_XIPH,
    /// Key: the atom's name, `©nam`, or `----:com.apple.iTunes:NAME`.
    MARTLET_TAG_MP4,
    /// Key: the item's key in capitals.
    MARTLET_TAG_APE,
    /// Key: the attribute's name; `Title`, `Author`, `Description` for what stands in the content description.
    MARTLET_TAG_ASF,
    /// Key: the chunk's name.
    MARTLET_TAG_RIFF,
    /// Key: `TITLE`, `ARTIST`, `ALBUM`, `YEAR`, `COMMENT`, `TRACK`, `GENRE`.
    MARTLET_TAG_ID3V1,
} martlet_tag_family;

/// Where the values go. Pointers are good during the call only; texts are not terminated.
typedef struct martlet_tag_sink {
    void *context;
    /// A value. With `is_eight_bit` its bytes are as in the file, in an encoding the tag does not tell (it may say
    /// Latin-1, which means nothing); else it is valid UTF-8, with U+FFFD for a lone surrogate.
    void (*value)(void *context, martlet_tag_family family, const char *key, size_t key_length, const char *bytes,
                  size_t length, int is_eight_bit);
    /// A picture; `kind` is ID3v2's number, 3 the front cover. A null pointer if none are wanted.
    void (*picture)(void *context, int kind, const char *mime, size_t mime_length, const char *bytes, size_t length);
    /// The first encoded audio, at most 64 KiB: bytes that stay the same whatever is written into the tags. Called at
    /// most once, last. A null pointer if it is not wanted.
    void (*audio_head)(void *context, const char *bytes, size_t length);
} martlet_tag_sink;

typedef enum martlet_tag_codec {
    MARTLET_CODEC_UNKNOWN,
    MARTLET_CODEC_MP1,
    MARTLET_CODEC_MP2,
    MARTLET_CODEC_MP3,
    MARTLET_CODEC_FLAC,
    MARTLET_CODEC_VORBIS,
    MARTLET_CODEC_OPUS,
    MARTLET_CODEC_SPEEX,
    MARTLET_CODEC_AAC,
    MARTLET_CODEC_ALAC,
    MARTLET_CODEC_WAV,
    MARTLET_CODEC_AIFF,
    MARTLET_CODEC_APE,
    MARTLET_CODEC_WAVPACK,
    MARTLET_CODEC_MUSEPACK,
    MARTLET_CODEC_TTA,
    MARTLET_CODEC_WMA,
    MARTLET_CODEC_DSD,
} martlet_tag_codec;

/// What the container says about its audio; 0 is unknown.
typedef struct martlet_tag_audio {
    martlet_tag_codec codec;
    int32_t milliseconds;
    int32_t sample_rate;
    int32_t channels;
    int32_t kilobits;
    /// How much audio there is, between the tags at the front and those at the end: in bytes; for Ogg, whose pages mix
    /// audio with numbers that change, in samples.
    int64_t audio_extent;
    /// MD5 of the decoded samples; only FLAC has it, and only if its encoder wrote it.
    int32_t has_md5;
    uint8_t md5[16];
} martlet_tag_audio;

typedef enum martlet_tag_status {
    MARTLET_TAG_READ,
    /// Not a kind TagLib knows, no audio in it, or too broken or too hostile to go on with.
    MARTLET_TAG_UNSUPPORTED,
    /// A read failed; `*error` has the errno.
    MARTLET_TAG_UNREADABLE,
} martlet_tag_status;

/// Reads the file open as `descriptor`, of `size` bytes, by content: its name is not asked.
///
/// Any thread. Does not close the descriptor nor use its offset. At most some 200 MiB are read and held, whatever sizes
/// the file claims, and nesting is bounded. Values may have been delivered before a failure.
martlet_tag_status martlet_tag_read(int descriptor, int64_t size, const martlet_tag_sink *sink,
                                    martlet_tag_audio *audio, int *error);

/// ID3v1's name for a genre number, 0 to 191; `NULL` for others. The string lives as long as the process.
const char *martlet_tag_genre(int number);

#ifdef __cplusplus
}
#endif
