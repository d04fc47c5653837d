// SPDX-License-Identifier: Apache-2.0
internal import CMartletLoop
internal import Glibc

/// The process's memory that its start needed, and its waiting does not.
///
/// A start touches two thirds of the program, once: relocations, conformances, a registry read, a pipeline built. What was
/// touched stays mapped, and counts as the process's own, until memory is short.
public enum ProgramPages {
    /// Has all threads allocate from one heap. To be called before there are others.
    ///
    /// mallopt(3): each thread that finds a heap locked is given one of its own, and what is free in one serves no other. A
    /// pipeline makes half a dozen threads, which cost two mebibytes so; they do not allocate enough to be in each other's way.
    public static func shareHeap() {
        mallopt(M_ARENA_MAX, 1)
    }

    /// Lets go of the code of the program and its libraries, and of what was allocated and freed again.
    ///
    /// What runs next is mapped again piece by piece from the page cache, some hundred microseconds in all; nothing is read
    /// from a disk while memory is not short. Safe at any time, on any thread: code is never written to, and of a private
    /// mapping of a file madvise(2) says that what is needed again comes back as it is in the file.
    public static func release() {
        if let maps = unsafe fopen("/proc/self/maps", "re") {
            // A name may be as long as a path, and then some.
            var line = [CChar](repeating: 0, count: 8192)
            while unsafe fgets(&line, Int32(line.count), maps) != nil {
                let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                if let range = unsafe codeOfFile(text) { unsafe madvise(range.baseAddress, range.count, MADV_DONTNEED) }
            }
            unsafe fclose(maps)
        }
        malloc_trim(0)
    }

    /// The memory of a line of `/proc/self/maps`, if it is code out of a file.
    ///
    /// Nothing but code: a segment that is closed to writing once relocations are through looks like one that never was open.
    static func codeOfFile(_ line: String) -> UnsafeMutableRawBufferPointer? {
        // 7f0000000000-7f0000001000 r-xp 00000000 08:01 1234   /usr/lib/…
        let fields = line.split(separator: " ", maxSplits: 5)
        guard fields.count == 6, fields[1] == "r-xp", fields[5].contains("/") else { return nil }
        let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard bounds.count == 2, bounds[0] < bounds[1] else { return nil }
        return unsafe UnsafeMutableRawBufferPointer(
            start: UnsafeMutableRawPointer(bitPattern: bounds[0]), count: Int(bounds[1] - bounds[0]))
    }
}
