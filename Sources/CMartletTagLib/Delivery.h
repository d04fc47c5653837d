// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "CMartletTagLib.h"
#include <string>
#include <string_view>
#include <taglib/tfile.h>

namespace TagLib {
namespace APE { class Tag; }
namespace ASF { class Tag; }
namespace FLAC { class Picture; }
namespace ID3v1 { class Tag; }
namespace ID3v2 { class Tag; class Frame; }
namespace MP4 { class Tag; }
namespace Ogg { class XiphComment; }
namespace RIFF { namespace Info { class Tag; } }
} // namespace TagLib

namespace martlet {

/// Hands the values of TagLib's tags to the sink, with the names the file has for them.
class Delivery {
  public:
    explicit Delivery(const martlet_tag_sink &sink) : sink(sink) {}

    /// All tags of a file, the richest first: who takes the first value of each kind has the best one.
    void deliver(TagLib::File &file);
    void id3v2(const TagLib::ID3v2::Tag *tag);

    /// How many entries the Vorbis comment had after TagLib, which drops those that are not valid UTF-8: old rippers
    /// wrote their locale's encoding.
    uint32_t comment_entries = 0;

    /// Finds the texts TagLib dropped in a comment's bytes.
    void recover(std::string_view comment);

  private:
    const martlet_tag_sink &sink;
    std::string key, text, bytes;

    void value(martlet_tag_family family, std::string_view name, const TagLib::String &string, bool is_eight_bit = false);
    void raw(martlet_tag_family family, std::string_view name, const TagLib::ByteVector &data, bool is_eight_bit);
    void picture(int kind, const TagLib::String &mime, const TagLib::ByteVector &data);
    void flac_picture(const TagLib::FLAC::Picture *picture);
    void id3v2_frame(const TagLib::ID3v2::Frame *frame);
    void xiph(TagLib::Ogg::XiphComment *comment);
    void mp4(const TagLib::MP4::Tag *tag);
    void ape(const TagLib::APE::Tag *tag);
    void asf(const TagLib::ASF::Tag *tag);
    void riff(const TagLib::RIFF::Info::Tag *tag);
    void id3v1(const TagLib::ID3v1::Tag *tag);
};

/// Makes TagLib keep the 8-bit strings of ID3v1 and RIFF as they are, and keep silent. Once a process.
void prepare_taglib();

} // namespace martlet
