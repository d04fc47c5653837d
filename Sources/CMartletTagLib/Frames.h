// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <taglib/id3v2frame.h>
#include <taglib/id3v2framefactory.h>

namespace martlet {

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

} // namespace martlet
