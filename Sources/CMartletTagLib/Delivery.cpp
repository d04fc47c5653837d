// SPDX-License-Identifier: Apache-2.0
#include "Delivery.h"
#include <algorithm>
#include <charconv>
#include <taglib/aifffile.h>
#include <taglib/apefile.h>
#include <taglib/apetag.h>
#include <taglib/asffile.h>
#include <taglib/asfpicture.h>
#include <taglib/attachedpictureframe.h>
#include <taglib/commentsframe.h>
#include <taglib/flacfile.h>
#include <taglib/id3v1tag.h>
#include <taglib/id3v2tag.h>
#include <taglib/infotag.h>
#include <taglib/mp4file.h>
#include <taglib/mp4tag.h>
#include <taglib/mpcfile.h>
#include <taglib/mpegfile.h>
#include <taglib/oggflacfile.h>
#include <taglib/opusfile.h>
#include <taglib/relativevolumeframe.h>
#include <taglib/speexfile.h>
#include <taglib/synchronizedlyricsframe.h>
#include <taglib/tdebuglistener.h>
#include <taglib/textidentificationframe.h>
#include <taglib/trueaudiofile.h>
#include <taglib/uniquefileidentifierframe.h>
#include <taglib/unsynchronizedlyricsframe.h>
#include <taglib/vorbisfile.h>
#include <taglib/wavfile.h>
#include <taglib/wavpackfile.h>
#include <taglib/xiphcomment.h>

using namespace std::literals;

namespace martlet {

namespace {

// TagLib holds UTF-16 in a wstring, and its own conversion gives up on a lone surrogate: the whole text is lost.
void append_utf8(std::string &out, const TagLib::String &string) {
    uint32_t high = 0;
    auto put = [&out](uint32_t code) {
        if (code < 0x80) {
            out.push_back(static_cast<char>(code));
        } else if (code < 0x800) {
            out.push_back(static_cast<char>(0xC0 | code >> 6));
            out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
        } else if (code < 0x10000) {
            out.push_back(static_cast<char>(0xE0 | code >> 12));
            out.push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
            out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
        } else {
            out.push_back(static_cast<char>(0xF0 | code >> 18));
            out.push_back(static_cast<char>(0x80 | (code >> 12 & 0x3F)));
            out.push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
            out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
        }
    };
    for (wchar_t character : string) {
        auto code = static_cast<uint32_t>(character);
        if (high != 0) {
            bool is_pair = code >= 0xDC00 && code < 0xE000;
            put(is_pair ? 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00) : 0xFFFD);
            high = 0;
            if (is_pair) continue;
        }
        if (code >= 0xD800 && code < 0xDC00) high = code;
        else put((code >= 0xDC00 && code < 0xE000) || code > 0x10FFFF ? 0xFFFD : code);
    }
    if (high != 0) put(0xFFFD);
}

bool is_ascii(const TagLib::String &string) {
    return std::all_of(string.begin(), string.end(), [](wchar_t c) { return c >= 0 && c < 0x80; });
}

bool is_byte_string(const TagLib::String &string) {
    return std::all_of(string.begin(), string.end(), [](wchar_t c) { return c >= 0 && c < 0x100; });
}

std::string_view view(const TagLib::ByteVector &data) {
    return {data.data(), data.size()};
}

class RawID3v1 : public TagLib::ID3v1::StringHandler {
  public:
    TagLib::String parse(const TagLib::ByteVector &data) const override {
        return TagLib::String(data, TagLib::String::Latin1).stripWhiteSpace();
    }
};

// The default takes RIFF texts for UTF-8 and drops those that are not, which is every old one.
class RawRIFF : public TagLib::RIFF::Info::StringHandler {
  public:
    TagLib::String parse(const TagLib::ByteVector &data) const override {
        return TagLib::String(data, TagLib::String::Latin1);
    }
};

class Silence : public TagLib::DebugListener {
    void printMessage(const TagLib::String &) override {}
};

} // namespace

void prepare_taglib() {
    static const bool once = [] {
        static const RawID3v1 id3v1;
        static const RawRIFF riff;
        static Silence silence;
        TagLib::ID3v1::Tag::setStringHandler(&id3v1);
        TagLib::RIFF::Info::Tag::setStringHandler(&riff);
        TagLib::setDebugListener(&silence);
        return true;
    }();
    (void)once;
}

void Delivery::value(
    martlet_tag_family family, std::string_view name, const TagLib::String &string, bool is_eight_bit) {
    if (string.isEmpty()) return;
    text.clear();
    if (is_eight_bit && !is_ascii(string) && is_byte_string(string)) {
        for (wchar_t character : string) text.push_back(static_cast<char>(character));
    } else {
        append_utf8(text, string);
        is_eight_bit = false;
    }
    sink.value(sink.context, family, name.data(), name.size(), text.data(), text.size(), is_eight_bit);
}

void Delivery::raw(
    martlet_tag_family family, std::string_view name, const TagLib::ByteVector &data, bool is_eight_bit) {
    if (data.isEmpty()) return;
    if (std::all_of(data.begin(), data.end(), [](char c) { return c > 0; })) is_eight_bit = false;
    sink.value(sink.context, family, name.data(), name.size(), data.data(), data.size(), is_eight_bit);
}

void Delivery::picture(int kind, const TagLib::String &mime, const TagLib::ByteVector &data) {
    constexpr unsigned int largest = 32 << 20;
    if (!sink.picture || data.isEmpty() || data.size() > largest) return;
    text.clear();
    append_utf8(text, mime);
    sink.picture(sink.context, kind, text.data(), text.size(), data.data(), data.size());
}

void Delivery::flac_picture(const TagLib::FLAC::Picture *found) {
    picture(found->type(), found->mimeType(), found->data());
}

void Delivery::id3v2(const TagLib::ID3v2::Tag *tag) {
    if (!tag) return;
    for (const auto *frame : tag->frameList()) id3v2_frame(frame);
}

void Delivery::id3v2_frame(const TagLib::ID3v2::Frame *frame) {
    using namespace TagLib;
    const ByteVector id = frame->frameID();
    auto name = [&](std::string_view prefix, const String &rest) -> std::string_view {
        key = prefix;
        append_utf8(key, rest);
        return key;
    };
    auto is_latin1 = [](String::Type type) { return type == String::Latin1; };
    if (id.isEmpty()) return;
    if (id == "TXXX") {
        auto *text = dynamic_cast<const ID3v2::UserTextIdentificationFrame *>(frame);
        if (!text) return;
        const StringList fields = text->fieldList();
        // The first field is the description.
        for (auto field = fields.begin(); field != fields.end(); ++field)
            if (field != fields.begin())
                value(MARTLET_TAG_ID3V2, name("TXXX:", text->description()), *field, is_latin1(text->textEncoding()));
    } else if (id[0] == 'T' || id == "GRP1") {
        auto *text = dynamic_cast<const ID3v2::TextIdentificationFrame *>(frame);
        if (!text) return;
        for (const auto &field : text->fieldList())
            value(MARTLET_TAG_ID3V2, view(id), field, is_latin1(text->textEncoding()));
    } else if (id == "COMM") {
        if (auto *comment = dynamic_cast<const ID3v2::CommentsFrame *>(frame))
            value(MARTLET_TAG_ID3V2, name("COMM:", comment->description()), comment->text(),
                  is_latin1(comment->textEncoding()));
    } else if (id == "USLT") {
        if (auto *lyrics = dynamic_cast<const ID3v2::UnsynchronizedLyricsFrame *>(frame))
            value(MARTLET_TAG_ID3V2, name("USLT:", lyrics->description()), lyrics->text(),
                  is_latin1(lyrics->textEncoding()));
    } else if (id == "SYLT") {
        auto *lyrics = dynamic_cast<const ID3v2::SynchronizedLyricsFrame *>(frame);
        if (!lyrics || lyrics->timestampFormat() != ID3v2::SynchronizedLyricsFrame::AbsoluteMilliseconds) return;
        auto type = lyrics->type();
        if (type != ID3v2::SynchronizedLyricsFrame::Lyrics && type != ID3v2::SynchronizedLyricsFrame::Other
            && type != ID3v2::SynchronizedLyricsFrame::TextTranscription) return;
        for (const auto &line : lyrics->synchedText()) {
            key = "SYLT:" + std::to_string(line.time);
            value(MARTLET_TAG_ID3V2, key, line.text, is_latin1(lyrics->textEncoding()));
        }
    } else if (id == "UFID") {
        if (auto *unique = dynamic_cast<const ID3v2::UniqueFileIdentifierFrame *>(frame))
            raw(MARTLET_TAG_ID3V2, name("UFID:", unique->owner()), unique->identifier(), true);
    } else if (id == "RVA2") {
        auto *volume = dynamic_cast<const ID3v2::RelativeVolumeFrame *>(frame);
        if (volume && volume->channels().contains(ID3v2::RelativeVolumeFrame::MasterVolume))
            value(MARTLET_TAG_ID3V2, name("RVA2:", volume->identification()),
                  String(std::to_string(volume->volumeAdjustmentIndex()) + "/512"));
    } else if (id == "APIC") {
        auto *found = dynamic_cast<const ID3v2::AttachedPictureFrame *>(frame);
        if (found && sink.picture) picture(found->type(), found->mimeType(), found->picture());
    }
}

void Delivery::xiph(TagLib::Ogg::XiphComment *comment) {
    if (!comment) return;
    for (const auto &field : comment->fieldListMap()) {
        key.clear();
        append_utf8(key, field.first);
        for (const auto &each : field.second) value(MARTLET_TAG_XIPH, key, each);
    }
    comment_entries = comment->fieldCount() + comment->pictureList().size();
    if (sink.picture)
        for (const auto *found : comment->pictureList()) flac_picture(found);
}

void Delivery::recover(std::string_view comment) {
    auto take = [&comment](size_t wanted) {
        auto part = comment.substr(0, wanted);
        comment.remove_prefix(part.size());
        return part;
    };
    auto number = [&take] {
        uint32_t value = 0;
        const auto bytes = take(4);
        for (size_t i = bytes.size(); i > 0; i--) value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
        return value;
    };
    take(number()); // who wrote it
    for (uint32_t left = number(); left > 0 && !comment.empty(); left--) {
        const auto field = take(number());
        const size_t sign = field.find('=');
        if (sign == std::string_view::npos) continue;
        const auto content = field.substr(sign + 1);
        const TagLib::ByteVector bytes(content.data(), static_cast<unsigned int>(content.size()));
        if (TagLib::String(bytes, TagLib::String::UTF8).isEmpty()) raw(MARTLET_TAG_XIPH, field.substr(0, sign), bytes, true);
    }
}

void Delivery::mp4(const TagLib::MP4::Tag *tag) {
    using namespace TagLib;
    if (!tag) return;
    for (const auto &entry : tag->itemMap()) {
        const MP4::Item &item = entry.second;
        key.clear();
        append_utf8(key, entry.first);
        if (key == "trkn" || key == "disk") {
            auto pair = item.toIntPair();
            value(MARTLET_TAG_MP4, key, String(std::to_string(pair.first) + "/" + std::to_string(pair.second)));
        } else if (key == "cpil") {
            value(MARTLET_TAG_MP4, key, item.toBool() ? "1" : "0");
        } else if (key == "tmpo") {
            value(MARTLET_TAG_MP4, key, String(std::to_string(item.toInt())));
        } else if (key == "covr") {
            if (!sink.picture) continue;
            // MP4 has no kinds of picture; the first one is the cover by convention.
            for (const auto &cover : item.toCoverArtList())
                picture(3, cover.format() == MP4::CoverArt::PNG ? "image/png"
                         : cover.format() == MP4::CoverArt::JPEG ? "image/jpeg" : "", cover.data());
        } else {
            for (const auto &each : item.toStringList()) value(MARTLET_TAG_MP4, key, each);
        }
    }
}

void Delivery::ape(const TagLib::APE::Tag *tag) {
    using namespace TagLib;
    if (!tag) return;
    for (const auto &entry : tag->itemListMap()) {
        key.clear();
        append_utf8(key, entry.first.upper());
        const APE::Item &item = entry.second;
        if (item.type() == APE::Item::Text) {
            for (const auto &each : item.values()) value(MARTLET_TAG_APE, key, each);
        } else if (item.type() == APE::Item::Binary && key.rfind("COVER ART", 0) == 0 && sink.picture) {
            // A file name, a NUL, the picture.
            const ByteVector data = item.binaryData();
            int end = data.find('\0');
            if (end >= 0) picture(key == "COVER ART (FRONT)" ? 3 : 0, "", data.mid(static_cast<unsigned int>(end) + 1));
        }
    }
}

void Delivery::asf(const TagLib::ASF::Tag *tag) {
    using namespace TagLib;
    if (!tag) return;
    value(MARTLET_TAG_ASF, "Title", tag->title());
    value(MARTLET_TAG_ASF, "Author", tag->artist());
    value(MARTLET_TAG_ASF, "Description", tag->comment());
    for (const auto &entry : tag->attributeListMap()) {
        key.clear();
        append_utf8(key, entry.first);
        for (const auto &attribute : entry.second) {
            switch (attribute.type()) {
            case ASF::Attribute::UnicodeType: value(MARTLET_TAG_ASF, key, attribute.toString()); break;
            case ASF::Attribute::BoolType: value(MARTLET_TAG_ASF, key, attribute.toBool() ? "1" : "0"); break;
            case ASF::Attribute::WordType:
            case ASF::Attribute::DWordType:
                value(MARTLET_TAG_ASF, key, String(std::to_string(attribute.toUInt())));
                break;
            case ASF::Attribute::QWordType:
                value(MARTLET_TAG_ASF, key, String(std::to_string(attribute.toULongLong())));
                break;
            default:
                if (key != "WM/Picture" || !sink.picture) break;
                if (const auto found = attribute.toPicture(); found.isValid())
                    picture(found.type(), found.mimeType(), found.picture());
            }
        }
    }
}

void Delivery::riff(const TagLib::RIFF::Info::Tag *tag) {
    if (!tag) return;
    for (const auto &entry : tag->fieldListMap()) value(MARTLET_TAG_RIFF, view(entry.first), entry.second, true);
}

void Delivery::id3v1(const TagLib::ID3v1::Tag *tag) {
    if (!tag || tag->isEmpty()) return;
    value(MARTLET_TAG_ID3V1, "TITLE", tag->title(), true);
    value(MARTLET_TAG_ID3V1, "ARTIST", tag->artist(), true);
    value(MARTLET_TAG_ID3V1, "ALBUM", tag->album(), true);
    value(MARTLET_TAG_ID3V1, "COMMENT", tag->comment(), true);
    value(MARTLET_TAG_ID3V1, "GENRE", tag->genre());
    if (tag->year()) value(MARTLET_TAG_ID3V1, "YEAR", TagLib::String::number(static_cast<int>(tag->year())));
    if (tag->track()) value(MARTLET_TAG_ID3V1, "TRACK", TagLib::String::number(static_cast<int>(tag->track())));
}

void Delivery::deliver(TagLib::File &file) {
    using namespace TagLib;
    if (auto *mpeg = dynamic_cast<MPEG::File *>(&file)) {
        id3v2(mpeg->ID3v2Tag());
        ape(mpeg->APETag());
        id3v1(mpeg->ID3v1Tag());
    } else if (auto *flac = dynamic_cast<FLAC::File *>(&file)) {
        xiph(flac->xiphComment());
        if (sink.picture)
            for (const auto *found : flac->pictureList()) flac_picture(found);
        id3v2(flac->ID3v2Tag());
        id3v1(flac->ID3v1Tag());
    } else if (auto *vorbis = dynamic_cast<Ogg::Vorbis::File *>(&file)) {
        xiph(vorbis->tag());
    } else if (auto *opus = dynamic_cast<Ogg::Opus::File *>(&file)) {
        xiph(opus->tag());
    } else if (auto *oggFlac = dynamic_cast<Ogg::FLAC::File *>(&file)) {
        xiph(oggFlac->tag());
    } else if (auto *speex = dynamic_cast<Ogg::Speex::File *>(&file)) {
        xiph(speex->tag());
    } else if (auto *mp4File = dynamic_cast<MP4::File *>(&file)) {
        mp4(mp4File->tag());
    } else if (auto *wav = dynamic_cast<RIFF::WAV::File *>(&file)) {
        riff(wav->InfoTag());
    } else if (auto *apeFile = dynamic_cast<APE::File *>(&file)) {
        ape(apeFile->APETag());
        id3v1(apeFile->ID3v1Tag());
    } else if (auto *wavpack = dynamic_cast<WavPack::File *>(&file)) {
        ape(wavpack->APETag());
        id3v1(wavpack->ID3v1Tag());
    } else if (auto *musepack = dynamic_cast<MPC::File *>(&file)) {
        ape(musepack->APETag());
        id3v1(musepack->ID3v1Tag());
    } else if (auto *trueAudio = dynamic_cast<TrueAudio::File *>(&file)) {
        id3v2(trueAudio->ID3v2Tag());
        id3v1(trueAudio->ID3v1Tag());
    } else if (auto *asfFile = dynamic_cast<ASF::File *>(&file)) {
        asf(asfFile->tag());
    }
}

} // namespace martlet
