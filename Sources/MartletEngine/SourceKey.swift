// SPDX-License-Identifier: Apache-2.0
import CMartletGStreamer
import MartletCore

/// Tells which source a stream in the output comes from.
///
/// A stream's id begins with the SHA-256 of its source's URI in hexadecimal (`gst_pad_create_stream_id`); the first 31
/// bits of it are enough to tell the few that are on their way apart. 0 is unknown.
enum SourceKey {
    static func of(_ uri: MediaURI) -> UInt32 {
        guard let text = unsafe g_compute_checksum_for_string(G_CHECKSUM_SHA256, uri.description, -1) else { return 0 }
        defer { unsafe g_free(text) }
        return unsafe of(streamID: text)
    }

    static func of(streamID: UnsafePointer<CChar>) -> UInt32 {
        var digits = ""
        for index in 0..<8 {
            let character = unsafe streamID[index]
            guard character != 0 else { return 0 }
            digits.unicodeScalars.append(Unicode.Scalar(UInt8(bitPattern: character)))
        }
        return (UInt32(digits, radix: 16) ?? 0) >> 1
    }
}
