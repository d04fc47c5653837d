// SPDX-License-Identifier: Apache-2.0

/// A `file:` URI as a path.
enum FileURI {
    /// The path, percent signs undone.
    ///
    /// - Returns: `nil` for what names no file of this machine.
    static func path(of uri: String) -> [UInt8]? {
        guard uri.hasPrefix("file:///") else { return nil }
        var path: [UInt8] = []
        var rest = Array(uri.utf8.dropFirst(7))[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                path.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
                value != 0
            else { return nil }
            path.append(value)
            rest.removeFirst(2)
        }
        return path
    }
}
