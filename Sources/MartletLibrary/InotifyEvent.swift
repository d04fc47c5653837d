// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// An event as the kernel packs it (inotify(7)).
struct InotifyEvent {
    var watch: Int32
    var mask: UInt32
    /// Within the watched folder; empty when it is about that folder.
    var name: [UInt8] = []

    func has<Bit: BinaryInteger>(_ bit: Bit) -> Bool { mask & UInt32(truncatingIfNeeded: bit) != 0 }

    static func all(in bytes: ArraySlice<UInt8>) -> [InotifyEvent] {
        var events: [InotifyEvent] = []
        unsafe bytes.withUnsafeBytes { bytes in
            var start = 0
            // int wd; uint32_t mask, cookie, len; char name[len], filled up with NULs.
            while start + 16 <= bytes.count {
                let length = unsafe Int(bytes.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self))
                guard start + 16 + length <= bytes.count else { break }
                events.append(
                    InotifyEvent(
                        watch: unsafe bytes.loadUnaligned(fromByteOffset: start, as: Int32.self),
                        mask: unsafe bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self),
                        name: unsafe Array(bytes[(start + 16)..<(start + 16 + length)].prefix { $0 != 0 })))
                start += 16 + length
            }
        }
        return events
    }
}
