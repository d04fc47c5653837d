// SPDX-License-Identifier: Apache-2.0
#include "Bare.h"
#include "AudioHead.h"
#include <algorithm>
#include <cstring>
#include <taglib/id3v2tag.h>

namespace martlet {

namespace {

/// A file TagLib has no reader for, so that its tag readers can be used on it.
class PlainFile : public TagLib::File {
  public:
    explicit PlainFile(TagLib::IOStream *stream) : File(stream) {}
    TagLib::Tag *tag() const override { return nullptr; }
    TagLib::AudioProperties *audioProperties() const override { return nullptr; }
    bool save() override { return false; }
};

uint64_t little(const char *bytes, int count) {
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

} // namespace

// DSF came with TagLib 2.0. Its header is fixed: `DSD ` (28 bytes, the last eight point to an ID3v2 tag), then `fmt `.
martlet_tag_status read_dsf(
    DescriptorStream &stream, off_t size, Frames &frames, Delivery &delivery, const martlet_tag_sink &sink,
    martlet_tag_audio &audio) {
    char head[92];
    if (stream.copy(0, head, sizeof head) < sizeof head || memcmp(head + 28, "fmt ", 4) != 0)
        return MARTLET_TAG_UNSUPPORTED;
    uint64_t metadata = little(head + 20, 8), rate = little(head + 56, 4), channels = little(head + 52, 4);
    uint64_t samples = little(head + 64, 8);
    if (rate == 0 || rate > 100'000'000 || channels == 0 || channels > 64) return MARTLET_TAG_UNSUPPORTED;
    audio.codec = MARTLET_CODEC_DSD;
    audio.sample_rate = static_cast<int32_t>(rate);
    audio.channels = static_cast<int32_t>(channels);
    audio.kilobits = static_cast<int32_t>(rate * channels / 1000);
    if (samples / rate < 1'000'000) audio.milliseconds = static_cast<int32_t>(samples * 1000 / rate);
    off_t end = size;
    if (metadata >= 92 && metadata < static_cast<uint64_t>(size)) {
        end = static_cast<off_t>(metadata);
        PlainFile file(&stream);
        TagLib::ID3v2::Tag tag(&file, static_cast<long>(metadata), &frames);
        delivery.id3v2(&tag);
    }
    if (end > 92) deliver_head({92, end - 92}, stream, sink, audio);
    return MARTLET_TAG_READ;
}

martlet_tag_status read_adts(
    const Container &container, DescriptorStream &stream, off_t size, Frames &frames, Delivery &delivery,
    const martlet_tag_sink &sink, martlet_tag_audio &audio) {
    static constexpr int32_t rates[16] = {96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025,
                                          8000, 7350, 0, 0, 0};
    // The length is nowhere written: it is reckoned from the mean size of the first frames, each of 1024 samples.
    off_t offset = container.front, bytes = 0;
    long frame_count = 0;
    unsigned char head[7];
    while (frame_count < 200 && stream.copy(offset, reinterpret_cast<char *>(head), sizeof head) == sizeof head) {
        off_t length = (head[3] & 3) << 11 | head[4] << 3 | head[5] >> 5;
        if (head[0] != 0xFF || (head[1] & 0xF6) != 0xF0 || length < 7) break;
        int32_t rate = rates[head[2] >> 2 & 15];
        if (frame_count == 0) {
            audio.sample_rate = rate;
            audio.channels = (head[2] & 1) << 2 | head[3] >> 6;
        } else if (rate != audio.sample_rate) {
            break;
        }
        frame_count += 1;
        bytes += length;
        offset += length;
    }
    // One sync word turns up in anything; three frames in a row do not.
    if (frame_count < 3 || audio.sample_rate == 0) return MARTLET_TAG_UNSUPPORTED;
    audio.codec = MARTLET_CODEC_AAC;
    double per_second = static_cast<double>(bytes) / static_cast<double>(frame_count) * audio.sample_rate / 1024;
    Span span = locate_audio(container, stream, size);
    audio.kilobits = static_cast<int32_t>(per_second * 8 / 1000 + 0.5);
    audio.milliseconds = static_cast<int32_t>(std::min(static_cast<double>(span.length) / per_second * 1000, 2e9));
    if (container.front > 0) {
        PlainFile file(&stream);
        TagLib::ID3v2::Tag tag(&file, 0, &frames);
        delivery.id3v2(&tag);
    }
    deliver_head(span, stream, sink, audio);
    return MARTLET_TAG_READ;
}

} // namespace martlet
