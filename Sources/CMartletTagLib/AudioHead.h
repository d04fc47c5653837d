// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "Container.h"
#include <taglib/oggfile.h>

namespace martlet {

/// Tells the extent of the audio and, if the sink wants it, its first bytes.
void deliver_head(Span span, DescriptorStream &stream, const martlet_tag_sink &sink, martlet_tag_audio &audio);

/// The same for Ogg, out of its packets.
void deliver_packets(Kind kind, TagLib::Ogg::File &file, const martlet_tag_sink &sink, martlet_tag_audio &audio);

} // namespace martlet
