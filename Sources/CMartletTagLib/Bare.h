// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "Container.h"
#include "Delivery.h"
#include "Frames.h"

namespace martlet {

/// Reads a DSD stream file, which TagLib knows from 2.0 on only.
martlet_tag_status read_dsf(DescriptorStream &stream, off_t size, Frames &frames, Delivery &delivery,
                            const martlet_tag_sink &sink, martlet_tag_audio &audio);

/// Reads AAC frames without a container (ADTS), which TagLib knows from 2.0 on only.
martlet_tag_status read_adts(const Container &container, DescriptorStream &stream, off_t size, Frames &frames,
                             Delivery &delivery, const martlet_tag_sink &sink, martlet_tag_audio &audio);

} // namespace martlet
