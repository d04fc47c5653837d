// SPDX-License-Identifier: Apache-2.0
internal import Glibc

extension Database {
    /// Renames a database file that cannot be used, and its log with it: kept, out of the way, its new name telling why
    /// and when. No connection to it may be open.
    ///
    /// - Parameters:
    ///   - path: Of the file.
    ///   - reason: One word.
    ///   - unixTime: Seconds since 1970.
    /// - Returns: The new path, which nobody had before.
    /// - Throws: ``ResultCode/cannotOpen`` when a file cannot be renamed.
    public static func setAside(_ path: String, because reason: String, unixTime: Int64) throws(SQLiteError) -> String {
        let base = "\(path).\(reason)-\(unixTime)"
        var target = base
        var number = 1
        while unsafe access(target, F_OK) == 0 {
            number += 1
            target = "\(base)-\(number)"
        }
        for suffix in ["-wal", "-shm", ""] {
            guard unsafe rename(path + suffix, target + suffix) == 0 || errno == ENOENT else {
                throw SQLiteError(code: .cannotOpen, message: "rename: \(unsafe String(cString: strerror(errno)))")
            }
        }
        return target
    }
}
