// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "CMartletTagLib.h"
#include "DescriptorStream.h"
#include <memory>
#include <string>
#include <taglib/id3v2framefactory.h>
#include <taglib/tfile.h>

namespace martlet {

/// What the first bytes of a file say it is.
enum class Kind {
    unknown, mpeg, flac, ogg_vorbis, ogg_opus, ogg_flac, ogg_speex, ogg_other, mp4, wav, aiff, ape, wavpack, musepack,
    trueaudio, asf, dsf, adts,
};

struct Container {
    Kind kind = Kind::unknown;
    /// Where the tags at the front end: 0, or the end of the ID3v2 tags.
    off_t front = 0;
};

/// Looks at the content. Names lie: one file in a few hundred of an old collection has the wrong extension.
Container identify(DescriptorStream &stream, off_t size);

/// Opens TagLib's reader for a kind; null if it has none.
std::unique_ptr<TagLib::File> open_container(Kind kind, DescriptorStream &stream, TagLib::ID3v2::FrameFactory &frames);

/// A part of the file, in bytes; empty where it cannot be told.
struct Span {
    off_t start = 0;
    off_t length = 0;
};

/// Where the encoded audio is, without the tags around it. Empty for Ogg and DSF, which have their own ways.
Span locate_audio(const Container &container, DescriptorStream &stream, off_t size);

/// How many entries a file's Vorbis comment says it has; 0 where there is none.
uint32_t vorbis_comment_entries(const Container &container, DescriptorStream &stream);

/// The bytes of that comment.
std::string vorbis_comment(const Container &container, DescriptorStream &stream, TagLib::File &file);

} // namespace martlet
