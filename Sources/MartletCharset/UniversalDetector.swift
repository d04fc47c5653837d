// SPDX-License-Identifier: Apache-2.0
import CMartletUchardet

/// uchardet's opinion on a run of bytes.
enum UniversalDetector {
    /// The character set uchardet takes the bytes for, or `nil` if it has no idea or iconv does not know the set.
    static func guess(_ bytes: [UInt8]) -> Charset? {
        guard let detector = unsafe uchardet_new() else { return nil }
        defer { unsafe uchardet_delete(detector) }
        let status = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) {
                unsafe uchardet_handle_data(detector, $0.baseAddress, $0.count)
            }
        }
        guard status == 0 else { return nil }
        unsafe uchardet_data_end(detector)
        guard let name = unsafe uchardet_get_charset(detector) else { return nil }
        return unsafe Charset(named: String(cString: name))
    }
}
