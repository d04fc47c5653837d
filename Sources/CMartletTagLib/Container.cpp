// SPDX-License-Identifier: Apache-2.0
#include "Container.h"
#include <cstring>
#include <string_view>
#include <taglib/aifffile.h>
#include <taglib/apefile.h>
#include <taglib/asffile.h>
#include <taglib/flacfile.h>
#include <taglib/mp4file.h>
#include <taglib/mpcfile.h>
#include <taglib/mpegfile.h>
#include <taglib/oggfile.h>
#include <taglib/oggflacfile.h>
#include <taglib/opusfile.h>
#include <taglib/speexfile.h>
#include <taglib/trueaudiofile.h>
#include <taglib/vorbisfile.h>
#include <taglib/wavfile.h>
#include <taglib/wavpackfile.h>

using namespace std::literals;

namespace martlet {

namespace {

std::string_view view(DescriptorStream &stream, off_t offset, char *buffer, size_t size) {
    return {buffer, stream.copy(offset, buffer, size)};
}

bool starts(std::string_view text, std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
}

Kind ogg_kind(std::string_view page) {
    if (page.size() < 27) return Kind::ogg_other;
    size_t payload = 27 + static_cast<unsigned char>(page[26]);
    if (payload >= page.size()) return Kind::ogg_other;
    page.remove_prefix(payload);
    if (starts(page, "\x01vorbis"sv)) return Kind::ogg_vorbis;
    if (starts(page, "OpusHead"sv)) return Kind::ogg_opus;
    if (starts(page, "\x7F""FLAC"sv)) return Kind::ogg_flac;
    if (starts(page, "Speex   "sv)) return Kind::ogg_speex;
    return Kind::ogg_other;
}

Kind kind_of(std::string_view head) {
    if (head.size() < 12) return Kind::unknown;
    if (starts(head, "fLaC"sv)) return Kind::flac;
    if (starts(head, "OggS"sv)) return ogg_kind(head);
    if (starts(head, "RIFF"sv) && head.substr(8, 4) == "WAVE"sv) return Kind::wav;
    if (starts(head, "FORM"sv) && head.substr(8, 3) == "AIF"sv) return Kind::aiff;
    if (starts(head, "MAC "sv)) return Kind::ape;
    if (starts(head, "wvpk"sv)) return Kind::wavpack;
    if (starts(head, "MPCK"sv) || starts(head, "MP+"sv)) return Kind::musepack;
    if (starts(head, "TTA1"sv) || starts(head, "TTA2"sv)) return Kind::trueaudio;
    if (starts(head, "\x30\x26\xB2\x75\x8E\x66\xCF\x11"sv)) return Kind::asf;
    if (starts(head, "DSD "sv)) return Kind::dsf;
    for (auto atom : {"ftyp"sv, "moov"sv, "mdat"sv, "wide"sv, "free"sv, "skip"sv})
        if (head.substr(4, 4) == atom) return Kind::mp4;
    // Eleven bits of sync, and a layer; twelve and no layer is AAC.
    auto first = static_cast<unsigned char>(head[0]), second = static_cast<unsigned char>(head[1]);
    if (first == 0xFF && (second & 0xF6) == 0xF0) return Kind::adts;
    if (first == 0xFF && (second & 0xE0) == 0xE0 && (second & 0x06) != 0) return Kind::mpeg;
    return Kind::unknown;
}

} // namespace

Container identify(DescriptorStream &stream, off_t size) {
    Container container;
    char buffer[512];
    std::string_view head = view(stream, 0, buffer, sizeof buffer);
    // Some taggers wrote a second tag in front of the first; nobody wrote ten.
    for (int tags = 0; tags < 8 && head.size() >= 10 && starts(head, "ID3"sv); tags++) {
        off_t length = 0;
        for (int i = 6; i < 10; i++) length = length << 7 | (head[static_cast<size_t>(i)] & 0x7F);
        bool has_footer = head[5] & 0x10;
        off_t end = container.front + 10 + length + (has_footer ? 10 : 0);
        if (end >= size) break;
        container.front = end;
        head = view(stream, end, buffer, sizeof buffer);
    }
    container.kind = kind_of(head);
    return container;
}

std::unique_ptr<TagLib::File> open_container(Kind kind, DescriptorStream &stream, TagLib::ID3v2::FrameFactory &frames) {
    using namespace TagLib;
    switch (kind) {
    case Kind::flac: return std::make_unique<FLAC::File>(&stream, &frames);
    case Kind::ogg_vorbis: return std::make_unique<Ogg::Vorbis::File>(&stream);
    case Kind::ogg_opus: return std::make_unique<Ogg::Opus::File>(&stream);
    case Kind::ogg_flac: return std::make_unique<Ogg::FLAC::File>(&stream);
    case Kind::ogg_speex: return std::make_unique<Ogg::Speex::File>(&stream);
    case Kind::mp4: return std::make_unique<MP4::File>(&stream);
    case Kind::wav: stream.hide_id3_chunks(); return std::make_unique<RIFF::WAV::File>(&stream);
    case Kind::aiff: stream.hide_id3_chunks(); return std::make_unique<RIFF::AIFF::File>(&stream);
    case Kind::ape: return std::make_unique<APE::File>(&stream);
    case Kind::wavpack: return std::make_unique<WavPack::File>(&stream);
    case Kind::musepack: return std::make_unique<MPC::File>(&stream);
    case Kind::trueaudio: return std::make_unique<TrueAudio::File>(&stream, &frames);
    case Kind::asf: return std::make_unique<ASF::File>(&stream);
    case Kind::mpeg:
    case Kind::unknown: return std::make_unique<MPEG::File>(&stream, &frames);
    case Kind::ogg_other:
    case Kind::adts:
    case Kind::dsf: return nullptr;
    }
    return nullptr;
}

namespace {

uint32_t big(const char *bytes, int count) {
    uint32_t value = 0;
    for (int i = 0; i < count; i++) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

uint32_t little(const char *bytes) {
    uint32_t value = 0;
    for (int i = 3; i >= 0; i--) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

/// The end of the audio where tags stand behind it: an ID3v1 tag last, an APE tag before that.
off_t tail_start(DescriptorStream &stream, off_t size) {
    char bytes[32];
    off_t end = size;
    if (end >= 128 && stream.copy(end - 128, bytes, 3) == 3 && memcmp(bytes, "TAG", 3) == 0) end -= 128;
    if (end >= 32 && stream.copy(end - 32, bytes, 32) == 32 && memcmp(bytes, "APETAGEX", 8) == 0) {
        bool has_header = little(bytes + 20) & 0x80000000;
        off_t length = static_cast<off_t>(little(bytes + 12)) + (has_header ? 32 : 0);
        if (length < end) end -= length;
    }
    return end;
}

Span between(off_t start, off_t end, off_t size) {
    if (end > size) end = size;
    if (start < 0 || start >= end) return {};
    return {start, end - start};
}

// FLAC: metadata blocks of a four-byte header each, the last one marked; a comment is of type 4.
struct FLACBlocks {
    off_t audio = -1;
    Span comment;

    FLACBlocks(DescriptorStream &stream, off_t front) {
        off_t offset = front + 4;
        char header[4];
        for (int blocks = 0; blocks < 1000 && stream.copy(offset, header, 4) == 4; blocks++) {
            off_t length = big(header + 1, 3);
            if ((header[0] & 0x7F) == 4) comment = {offset + 4, length};
            offset += 4 + length;
            if (header[0] & 0x80) {
                audio = offset;
                return;
            }
        }
    }
};

} // namespace

namespace {

// Each codec has its own prefix: \x03vorbis, OpusTags, a block header, nothing.
size_t comment_prefix(Kind kind) {
    return kind == Kind::ogg_vorbis ? 7 : kind == Kind::ogg_opus ? 8 : kind == Kind::ogg_flac ? 4 : 0;
}

// In Ogg the comment begins the second page; the first has the codec's header and nothing else.
off_t comment_start(const Container &container, DescriptorStream &stream) {
    if (container.kind == Kind::flac) return FLACBlocks(stream, container.front).comment.start;
    off_t offset = container.front;
    char page[27 + 255];
    for (int count = 0; count < 2; count++) {
        size_t there = stream.copy(offset, page, sizeof page);
        if (there < 27 || memcmp(page, "OggS", 4) != 0) return 0;
        size_t segments = static_cast<unsigned char>(page[26]);
        if (there < 27 + segments) return 0;
        offset += static_cast<off_t>(27 + segments);
        if (count == 1) break;
        for (size_t i = 0; i < segments; i++) offset += static_cast<unsigned char>(page[27 + i]);
    }
    return offset + static_cast<off_t>(comment_prefix(container.kind));
}

} // namespace

uint32_t vorbis_comment_entries(const Container &container, DescriptorStream &stream) {
    switch (container.kind) {
    case Kind::flac: case Kind::ogg_vorbis: case Kind::ogg_opus: case Kind::ogg_flac: case Kind::ogg_speex: break;
    default: return 0;
    }
    const off_t start = comment_start(container, stream);
    char number[4];
    if (start == 0 || stream.copy(start, number, 4) != 4) return 0;
    if (stream.copy(start + 4 + little(number), number, 4) != 4) return 0;
    return little(number);
}

std::string vorbis_comment(const Container &container, DescriptorStream &stream, TagLib::File &file) {
    if (container.kind == Kind::flac) {
        const Span span = FLACBlocks(stream, container.front).comment;
        std::string bytes(static_cast<size_t>(span.length), 0);
        bytes.resize(stream.copy(span.start, bytes.data(), bytes.size()));
        return bytes;
    }
    auto *ogg = dynamic_cast<TagLib::Ogg::File *>(&file);
    if (!ogg) return {};
    const size_t prefix = comment_prefix(container.kind);
    const TagLib::ByteVector packet = ogg->packet(1);
    return packet.size() > prefix ? std::string(packet.data() + prefix, packet.size() - prefix) : std::string();
}

Span locate_audio(const Container &container, DescriptorStream &stream, off_t size) {
    char head[16];
    switch (container.kind) {
    case Kind::flac:
        return between(FLACBlocks(stream, container.front).audio, tail_start(stream, size), size);
    case Kind::wav:
    case Kind::aiff: {
        bool is_wave = container.kind == Kind::wav;
        const char *wanted = is_wave ? "data" : "SSND";
        off_t offset = container.front + 12;
        for (int chunks = 0; chunks < 1000 && stream.copy(offset, head, 8) == 8; chunks++) {
            off_t length = is_wave ? little(head + 4) : big(head + 4, 4);
            if (memcmp(head, wanted, 4) == 0) return between(offset + 8, offset + 8 + length, size);
            offset += 8 + length + (length & 1);
        }
        return {};
    }
    case Kind::mp4: {
        off_t offset = 0;
        for (int atoms = 0; atoms < 1000 && stream.copy(offset, head, 16) >= 8; atoms++) {
            off_t length = big(head, 4), header = 8;
            if (length == 1) {
                length = static_cast<off_t>(big(head + 8, 4)) << 32 | big(head + 12, 4);
                header = 16;
            }
            if (length == 0) length = size - offset;
            if (length < header || length > size - offset) length = size - offset;
            if (memcmp(head + 4, "mdat", 4) == 0 && length > header)
                return between(offset + header, offset + length, size);
            offset += length;
        }
        return {};
    }
    case Kind::asf:
        if (stream.copy(16, head, 8) == 8 && little(head + 4) == 0) return between(little(head), size, size);
        return {};
    case Kind::dsf:
    case Kind::ogg_vorbis:
    case Kind::ogg_opus:
    case Kind::ogg_flac:
    case Kind::ogg_speex:
    case Kind::ogg_other: return {};
    default: return between(container.front, tail_start(stream, size), size);
    }
}

} // namespace martlet
