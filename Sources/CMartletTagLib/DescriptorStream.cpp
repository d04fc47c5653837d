// SPDX-License-Identifier: Apache-2.0
#include "DescriptorStream.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace martlet {

namespace {

// A picture may have 32 MiB, 43 MiB of base64 in an Ogg comment; TagLib reads a tag once, sometimes twice.
constexpr off_t largest_total = 192 << 20;
constexpr size_t largest_block = 64 << 20;
// TagLib reads headers of some bytes each: ten hours of MP4 in fragments of two seconds take half of these, and a
// hostile count of objects without size is through with them in a quarter of a second.
constexpr long most_operations = 1'000'000;
// TagLib is through with a file that has ended in far fewer.
constexpr long most_operations_after_end = 100'000;
// Worker threads have 512 KiB and more; honest files stay under 20 KiB.
constexpr ptrdiff_t deepest = 160 << 10;

} // namespace

DescriptorStream::DescriptorStream(int descriptor, off_t size)
    : descriptor(descriptor), size(size), budget(largest_total),
      stack(static_cast<const char *>(__builtin_frame_address(0))) {}

void DescriptorStream::spend(size_t bytes) {
    operations += 1;
    if (has_ended) {
        // A loop that does not end at the end of the file: a small leak is better than a thread that never comes back.
        if (operations > most_operations_after_end) throw Refused{};
        return;
    }
    budget -= static_cast<off_t>(bytes);
    auto here = static_cast<const char *>(__builtin_frame_address(0));
    if (budget < 0 || operations > most_operations || stack - here > deepest) end(0);
}

void DescriptorStream::end(int error) {
    has_ended = true;
    read_error = error;
    operations = 0;
    size = 0;
}

void DescriptorStream::confirm() const {
    if (!has_ended) return;
    if (read_error != 0) throw Unreadable{read_error};
    throw Refused{};
}

size_t DescriptorStream::fetch(off_t offset, char *target, size_t wanted) {
    size_t got = 0;
    while (got < wanted) {
        ssize_t n = pread(descriptor, target + got, wanted - got, offset + static_cast<off_t>(got));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            end(errno);
            return 0;
        }
        if (n == 0) break; // shorter than when it was opened: somebody else truncates it
        got += static_cast<size_t>(n);
    }
    return got;
}

size_t DescriptorStream::copy(off_t offset, char *target, size_t wanted) {
    if (offset < 0 || offset >= size) return 0;
    wanted = static_cast<size_t>(std::min<off_t>(static_cast<off_t>(wanted), size - offset));
    spend(wanted);
    if (has_ended) return 0;
    if (wanted > sizeof(Window::bytes)) return fetch(offset, target, wanted);
    for (int i = 0; i < 2; i++) {
        const Window &window = windows[i];
        if (offset < window.start || offset + static_cast<off_t>(wanted) > window.start + static_cast<off_t>(window.length))
            continue;
        memcpy(target, window.bytes + (offset - window.start), wanted);
        newest = i;
        return wanted;
    }
    newest = 1 - newest;
    Window &window = windows[newest];
    // A window near the end reaches back, so that ID3v1, Lyrics3 and APE footers come with one read.
    constexpr off_t span = sizeof(Window::bytes);
    window.length = 0;
    window.start = std::max<off_t>(0, std::min<off_t>(offset, size - span));
    window.length = fetch(window.start, window.bytes, static_cast<size_t>(std::min<off_t>(span, size - window.start)));
    off_t skip = offset - window.start;
    if (skip >= static_cast<off_t>(window.length)) return 0;
    size_t there = std::min(wanted, window.length - static_cast<size_t>(skip));
    memcpy(target, window.bytes + skip, there);
    return there;
}

TagLib::ByteVector DescriptorStream::readBlock(unsigned long length) {
    if (length == 0 || position < 0 || position >= size) {
        spend(0);
        return TagLib::ByteVector();
    }
    if (length > largest_block) length = largest_block;
    length = static_cast<unsigned long>(std::min<off_t>(static_cast<off_t>(length), size - position));
    // Before memory is taken for it.
    if (static_cast<off_t>(length) > budget) {
        end(0);
        return TagLib::ByteVector();
    }
    TagLib::ByteVector block(static_cast<unsigned int>(length), 0);
    size_t got = copy(position, block.data(), length);
    if (got < length) block.resize(static_cast<unsigned int>(got));
    if (is_hiding && got == 4 && (block == "ID3 " || block == "id3 ")) {
        hidden_id3 = position + 8;
        block = TagLib::ByteVector("JUNK", 4);
    }
    position += static_cast<off_t>(got);
    return block;
}

void DescriptorStream::seek(long offset, Position from) {
    spend(0);
    off_t base = from == Beginning ? 0 : from == Current ? position : size;
    off_t target = 0;
    // A hostile size makes the sum overflow or negative; fseek refuses such a target and stays.
    if (__builtin_add_overflow(base, static_cast<off_t>(offset), &target) || target < 0) return;
    position = target;
}

} // namespace martlet
