// SPDX-License-Identifier: Apache-2.0

/// Writes sound and pictures into files. Blocking; for a background queue.
public protocol AudioFileEncoder: Sendable {
    /// Writes a FLAC file, replacing one that is there.
    ///
    /// - Parameters:
    ///   - samples: Interleaved stereo at 44,100 Hz.
    ///   - picture: A PNG file's bytes.
    ///   - path: The absolute path, as text.
    /// - Throws: ``AudioEncodingError``.
    func writeFLAC(_ samples: [Int16], tags: TrackTags, picture: [UInt8]?, to path: String) throws(AudioEncodingError)

    /// The bytes of a PNG file.
    ///
    /// - Parameter rgb: Three bytes a pixel, rows from the top.
    func encodePNG(rgb: [UInt8], width: Int, height: Int) throws(AudioEncodingError) -> [UInt8]
}

/// Why nothing was written. One sentence for people.
public struct AudioEncodingError: Error, Hashable, Sendable {
    public var message: String

    public init(message: String) {
        self.message = message
    }
}
