// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// Whole files, or none: written beside the target, synchronised, then renamed over it.
enum AtomicFile {
    /// Writes a file with mode 0600, replacing what is there.
    ///
    /// After a crash the name holds either the old content or all of the new (`rename(2)`, `fsync(2)`).
    /// - Throws: The first call that failed; the temporary file is removed.
    static func write(_ bytes: some Sequence<[UInt8]>, to path: String) throws(SystemError) {
        let temporary = "\(path).\(getpid()).\(UInt32.random(in: 0 ... .max)).tmp"
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError(code: errno, operation: "open") }
        do throws(SystemError) {
            do throws(SystemError) {
                for piece in bytes { try Descriptor.write(piece, to: descriptor) }
                if fsync(descriptor) != 0 { throw SystemError(code: errno, operation: "fsync") }
            } catch {
                _ = close(descriptor)
                throw error
            }
            if close(descriptor) != 0 { throw SystemError(code: errno, operation: "close") }
            if unsafe rename(temporary, path) != 0 { throw SystemError(code: errno, operation: "rename") }
        } catch {
            _ = unsafe unlink(temporary)
            throw error
        }
    }

    /// Reads a whole regular file.
    ///
    /// - Parameter limit: A larger file is refused with `EFBIG`. A folder gives `EISDIR`; anything that could block,
    ///   such as a pipe, `EINVAL`.
    static func read(_ path: [UInt8], limit: Int) throws(SystemError) -> [UInt8] {
        let descriptor = unsafe open(cPath(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SystemError(code: errno, operation: "open") }
        defer { _ = close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw SystemError(code: errno, operation: "fstat") }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw SystemError(code: EISDIR, operation: "read")
        default: throw SystemError(code: EINVAL, operation: "read")
        }
        guard status.st_size <= limit else { throw SystemError(code: EFBIG, operation: "read") }
        return try Descriptor.read(Int(status.st_size), from: descriptor)
    }
}
