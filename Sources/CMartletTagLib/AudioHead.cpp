// SPDX-License-Identifier: Apache-2.0
#include "AudioHead.h"
#include <algorithm>
#include <string>
#include <taglib/oggpage.h>
#include <taglib/oggpageheader.h>
#include <vector>

namespace martlet {

namespace {

constexpr size_t longest_head = 64 << 10;

} // namespace

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

} // namespace martlet
