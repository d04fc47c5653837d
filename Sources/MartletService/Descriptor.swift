// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// Whole reads and writes on an open descriptor: what the system did in pieces is asked for again.
enum Descriptor {
    /// Writes everything, in one `write(2)` where the system takes it at once.
    static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        var offset = 0
        while offset < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress! + offset, buffer.count - offset)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError(code: count < 0 ? errno : EIO, operation: "write") }
            offset += count
        }
    }

    /// Reads up to so many bytes; fewer only at the end of the file.
    static func read(_ limit: Int, from descriptor: Int32) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        var filled = 0
        while filled < limit {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress! + filled, buffer.count - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError(code: errno, operation: "read") }
            if count == 0 { break }
            filled += count
        }
        bytes.removeLast(limit - filled)
        return bytes
    }
}
