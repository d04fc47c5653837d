// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>
#include <taglib/tiostream.h>

namespace martlet {

/// A read failed.
struct Unreadable {
    int error;
};

/// The file asks for more memory, time or stack than any honest one.
struct Refused {};

/// A file as TagLib reads it, with bounds it does not have itself.
///
/// Two windows are kept, because a reader goes from the head of a file to its tail and back; that makes four system
/// calls of twelve. TagLib's recursion (MP4 atoms in atoms) always passes through here, so here is where too deep a
/// stack is noticed. What is noticed ends the file there, as a truncated one ends, and is told by `confirm()`: TagLib's
/// constructors lose memory when an exception passes through them.
class DescriptorStream : public TagLib::IOStream {
  public:
    DescriptorStream(int descriptor, off_t size);

    /// From here on at most this many bytes more may be read.
    void set_budget(off_t bytes) { budget = bytes; }

    /// Hides `ID3 ` chunks of a RIFF or AIFF file from TagLib, which would read them with its own frame factory;
    /// `hidden_id3` tells where the last one's tag begins, or -1.
    void hide_id3_chunks() { is_hiding = true; }
    off_t hidden_id3 = -1;

    /// Throws `Unreadable` or `Refused` if what was read is not the whole truth.
    void confirm() const;

    /// Bytes at an offset, as many of the wanted as there are. Counts towards the budget.
    size_t copy(off_t offset, char *target, size_t wanted);

    TagLib::FileName name() const override { return ""; }
    TagLib::ByteVector readBlock(unsigned long length) override;
    void seek(long offset, Position from = Beginning) override;
    long tell() const override { return position; }
    long length() override { return size; }
    bool isOpen() const override { return true; }
    bool readOnly() const override { return true; }
    void writeBlock(const TagLib::ByteVector &) override {}
    void insert(const TagLib::ByteVector &, unsigned long, unsigned long) override {}
    void removeBlock(unsigned long, unsigned long) override {}
    void truncate(long) override {}

  private:
    struct Window {
        off_t start = 0;
        size_t length = 0;
        char bytes[8192];
    };

    void spend(size_t bytes);
    void end(int error);
    size_t fetch(off_t offset, char *target, size_t wanted);

    const int descriptor;
    off_t size;
    off_t position = 0;
    off_t budget;
    long operations = 0;
    bool has_ended = false;
    int read_error = 0;
    bool is_hiding = false;
    const char *const stack;
    Window windows[2];
    int newest = 0;
};

} // namespace martlet
