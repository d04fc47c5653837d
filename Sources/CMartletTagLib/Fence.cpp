// SPDX-License-Identifier: Apache-2.0
#include "CMartletTagLib.h"
#include "AudioHead.h"
#include "Bare.h"
#include "Container.h"
#include "Delivery.h"
#include "Frames.h"
#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <taglib/asfproperties.h>
#include <taglib/flacproperties.h>
#include <taglib/id3v1genres.h>
#include <taglib/id3v2tag.h>
#include <taglib/mp4properties.h>
#include <taglib/mpegproperties.h>
#include <taglib/oggfile.h>
#include <taglib/oggpageheader.h>
#include <vector>

namespace martlet {

namespace {

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

martlet_tag_status read_through(
    DescriptorStream &stream, off_t size, const martlet_tag_sink &sink, martlet_tag_audio &audio) {
    Frames frames;
    Delivery delivery(sink);
    Container container = identify(stream, size);
    if (container.kind == Kind::dsf) return read_dsf(stream, size, frames, delivery, sink, audio);
    if (container.kind == Kind::adts) return read_adts(container, stream, size, frames, delivery, sink, audio);
    // Only MPEG audio begins anywhere, behind junk; but with too much of it nobody would play the file either, and a
    // film or a disk image under a wrong name must not be searched to its end.
    if (container.kind == Kind::unknown) stream.set_budget((2 << 20) + 3 * container.front);
    auto file = open_container(container.kind, stream, frames);
    stream.confirm();
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
    if (vorbis_comment_entries(container, stream) > delivery.comment_entries)
        delivery.recover(vorbis_comment(container, stream, *file));
    if (!sink.audio_head || audio.has_md5) return MARTLET_TAG_READ;
    if (auto *ogg = dynamic_cast<TagLib::Ogg::File *>(file.get())) deliver_packets(container.kind, *ogg, sink, audio);
    else deliver_head(locate_audio(container, stream, size), stream, sink, audio);
    return MARTLET_TAG_READ;
}

martlet_tag_status read(int descriptor, off_t size, const martlet_tag_sink &sink, martlet_tag_audio &audio) {
    DescriptorStream stream(descriptor, size);
    martlet_tag_status status = read_through(stream, size, sink, audio);
    stream.confirm();
    return status;
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
