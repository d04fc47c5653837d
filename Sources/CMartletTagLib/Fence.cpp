// SPDX-License-Identifier: Apache-2.0
#include "CMartletTagLib.h"
#include "Container.h"
#include "Delivery.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <taglib/asfproperties.h>
#include <taglib/flacproperties.h>
#include <taglib/id3v1genres.h>
#include <taglib/id3v2frame.h>
#include <taglib/id3v2tag.h>
#include <taglib/mp4properties.h>
#include <taglib/mpegproperties.h>
#include <taglib/oggfile.h>
#include <taglib/oggpage.h>
#include <taglib/oggpageheader.h>
#include <vector>

namespace martlet {

namespace {

// TagLib's headers protect the name of the type that its own virtual function takes.
struct FrameAccess : TagLib::ID3v2::Frame {
    using Header = TagLib::ID3v2::Frame::Header;
};

/// TagLib's frames, but for those nobody asks for and those that attack.
class Frames : public TagLib::ID3v2::FrameFactory {
  protected:
    bool updateFrame(FrameAccess::Header *header) const override {
        const TagLib::ByteVector id = header->frameID();
        // Chapters hold frames that may be chapters again: deep enough, they overrun the stack. The others are large.
        for (const char *unwanted : {"CHAP", "CTOC", "GEOB", "PRIV", "MCDI"})
            if (id == unwanted) return ignore(header);
        if (header->compression()) {
            // TagLib inflates without a limit, a thousand to one at worst.
            compressed += header->frameSize();
            if (compressed > (64 << 10)) return ignore(header);
        }
        return FrameFactory::updateFrame(header);
    }

  private:
    mutable uint64_t compressed = 0;

    // An unknown frame is inflated as well, unless its flags say that there is nothing to inflate.
    static bool ignore(FrameAccess::Header *header) {
        // The size stays, because it leads to the next frame.
        const unsigned int size = header->frameSize(), version = header->version();
        if (version > 2) {
            header->setData(TagLib::ByteVector("XXXX\0\0\0\1\0\0", 10), version);
            header->setFrameSize(size);
        }
        return false;
    }
};

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

constexpr size_t longest_head = 64 << 10;

void deliver_head(Span span, DescriptorStream &stream, const martlet_tag_sink &sink, martlet_tag_audio &audio) {
    audio.audio_extent = span.length;
    if (!sink.audio_head || span.length == 0) return;
    std::vector<char> head(std::min<size_t>(longest_head, static_cast<size_t>(span.length)));
    size_t there = stream.copy(span.start, head.data(), head.size());
    sink.audio_head(sink.context, head.data(), there);
}

// Ogg's pages are numbered, so longer comments change every page behind them; the packets in them stay. TagLib's own
// packet() does not reach those of the last page, which in a short piece are all there are.
void deliver_packets(Kind kind, TagLib::Ogg::File &file, const martlet_tag_sink &sink, martlet_tag_audio &audio) {
    using TagLib::Ogg::Page;
    if (auto *last = file.lastPageHeader()) audio.audio_extent = last->absoluteGranularPosition();
    // How many packets come before the audio; in FLAC's case metadata blocks follow until one is marked as the last.
    unsigned int headers = kind == Kind::ogg_vorbis ? 3 : 2, finished = 0;
    bool is_counting_blocks = kind == Kind::ogg_flac, is_continued = false;
    std::string head;
    long offset = file.find("OggS");
    while (offset >= 0 && head.size() < longest_head) {
        Page page(&file, offset);
        if (!page.header()->isValid() || page.size() <= 0) break;
        if (is_counting_blocks || finished + page.packetCount() > headers) {
            unsigned int index = finished;
            for (const auto &bytes : page.packets()) {
                if (is_counting_blocks && index > 0 && !is_continued && !bytes.isEmpty()) {
                    headers = index + 1;
                    is_counting_blocks = !(bytes[0] & 0x80);
                } else if (index >= headers && head.size() < longest_head) {
                    head.append(bytes.data(), std::min<size_t>(bytes.size(), longest_head - head.size()));
                }
                is_continued = false;
                index += 1;
            }
        }
        is_continued = !page.header()->lastPacketCompleted();
        finished += page.packetCount() - (is_continued ? 1 : 0);
        offset = page.fileOffset() + page.size();
    }
    sink.audio_head(sink.context, head.data(), head.size());
}

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

martlet_tag_codec codec_of(Kind kind, const TagLib::AudioProperties *properties) {
    using namespace TagLib;
    switch (kind) {
    case Kind::flac:
    case Kind::ogg_flac: return MARTLET_CODEC_FLAC;
    case Kind::ogg_vorbis: return MARTLET_CODEC_VORBIS;
    case Kind::ogg_opus: return MARTLET_CODEC_OPUS;
    case Kind::ogg_speex: return MARTLET_CODEC_SPEEX;
    case Kind::wav: return MARTLET_CODEC_WAV;
    case Kind::aiff: return MARTLET_CODEC_AIFF;
    case Kind::ape: return MARTLET_CODEC_APE;
    case Kind::wavpack: return MARTLET_CODEC_WAVPACK;
    case Kind::musepack: return MARTLET_CODEC_MUSEPACK;
    case Kind::trueaudio: return MARTLET_CODEC_TTA;
    case Kind::asf: return MARTLET_CODEC_WMA;
    case Kind::mp4:
        if (auto *mp4 = dynamic_cast<const MP4::Properties *>(properties))
            return mp4->codec() == MP4::Properties::ALAC ? MARTLET_CODEC_ALAC
                 : mp4->codec() == MP4::Properties::AAC ? MARTLET_CODEC_AAC : MARTLET_CODEC_UNKNOWN;
        return MARTLET_CODEC_UNKNOWN;
    default:
        if (auto *mpeg = dynamic_cast<const MPEG::Properties *>(properties))
            return mpeg->layer() == 1 ? MARTLET_CODEC_MP1 : mpeg->layer() == 2 ? MARTLET_CODEC_MP2 : MARTLET_CODEC_MP3;
        return MARTLET_CODEC_UNKNOWN;
    }
}

// FFmpeg leaves the number of samples open in Ogg FLAC; the last page has it.
void estimate_from_pages(TagLib::File &file, off_t size, martlet_tag_audio &audio) {
    auto *ogg = dynamic_cast<TagLib::Ogg::File *>(&file);
    const TagLib::Ogg::PageHeader *last = ogg ? ogg->lastPageHeader() : nullptr;
    if (!last || last->absoluteGranularPosition() <= 0) return;
    long long milliseconds = last->absoluteGranularPosition() / audio.sample_rate * 1000
        + last->absoluteGranularPosition() % audio.sample_rate * 1000 / audio.sample_rate;
    if (milliseconds <= 0 || milliseconds > INT32_MAX) return;
    audio.milliseconds = static_cast<int32_t>(milliseconds);
    audio.kilobits = static_cast<int32_t>(size * 8 / milliseconds);
}

martlet_tag_status read(int descriptor, off_t size, const martlet_tag_sink &sink, martlet_tag_audio &audio) {
    DescriptorStream stream(descriptor, size);
    Frames frames;
    Delivery delivery(sink);
    Container container = identify(stream, size);
    if (container.kind == Kind::dsf) return read_dsf(stream, size, frames, delivery, sink, audio);
    // Only MPEG audio begins anywhere, behind junk; but with too much of it nobody would play the file either, and a
    // film or a disk image under a wrong name must not be searched to its end.
    if (container.kind == Kind::unknown) stream.set_budget((2 << 20) + 3 * container.front);
    auto file = open_container(container.kind, stream, frames);
    if (!file || !file->isValid()) return MARTLET_TAG_UNSUPPORTED;
    const TagLib::AudioProperties *properties = file->audioProperties();
    if (!properties || properties->sampleRate() <= 0) return MARTLET_TAG_UNSUPPORTED;
    audio.codec = codec_of(container.kind, properties);
    audio.milliseconds = properties->lengthInMilliseconds();
    audio.sample_rate = properties->sampleRate();
    audio.channels = properties->channels();
    audio.kilobits = properties->bitrate();
    if (container.kind == Kind::ogg_flac && audio.milliseconds == 0) estimate_from_pages(*file, size, audio);
    if (auto *flac = dynamic_cast<const TagLib::FLAC::Properties *>(properties)) {
        const TagLib::ByteVector md5 = flac->signature();
        if (md5.size() == sizeof audio.md5 && md5 != TagLib::ByteVector(sizeof audio.md5, 0)) {
            audio.has_md5 = 1;
            memcpy(audio.md5, md5.data(), sizeof audio.md5);
        }
    }
    if (stream.hidden_id3 >= 0) {
        TagLib::ID3v2::Tag tag(file.get(), static_cast<long>(stream.hidden_id3), &frames);
        delivery.id3v2(&tag);
    }
    delivery.deliver(*file);
    if (!sink.audio_head || audio.has_md5) return MARTLET_TAG_READ;
    if (auto *ogg = dynamic_cast<TagLib::Ogg::File *>(file.get())) deliver_packets(container.kind, *ogg, sink, audio);
    else deliver_head(locate_audio(container, stream, size), stream, sink, audio);
    return MARTLET_TAG_READ;
}

} // namespace

} // namespace martlet

extern "C" martlet_tag_status martlet_tag_read(
    int descriptor, int64_t size, const martlet_tag_sink *sink, martlet_tag_audio *audio, int *error) {
    *audio = {};
    *error = 0;
    try {
        martlet::prepare_taglib();
        return martlet::read(descriptor, size, *sink, *audio);
    } catch (const martlet::Unreadable &failure) {
        *error = failure.error;
        return MARTLET_TAG_UNREADABLE;
    } catch (const std::bad_alloc &) {
        *error = ENOMEM;
        return MARTLET_TAG_UNREADABLE;
    } catch (...) {
        return MARTLET_TAG_UNSUPPORTED;
    }
}

extern "C" const char *martlet_tag_genre(int number) {
    // One copy for the process, so that a plain pointer can be handed out.
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const auto &name : TagLib::ID3v1::genreList()) all.push_back(name.to8Bit(true));
        return all;
    }();
    if (number < 0 || static_cast<size_t>(number) >= names.size()) return nullptr;
    return names[static_cast<size_t>(number)].c_str();
}
