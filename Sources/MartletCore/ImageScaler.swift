// SPDX-License-Identifier: Apache-2.0

/// Makes pictures smaller. Blocking, for a bounded time; for a background queue.
public protocol ImageScaler: Sendable {
    /// The first frame of a picture as a PNG file.
    ///
    /// - Parameters:
    ///   - bytes: A picture file, known to be modest.
    ///   - header: What ``ImageHeader`` read in it.
    ///   - width: Of the result, in pixels, 1 and up.
    ///   - height: Of the result, in pixels, 1 and up.
    /// - Throws: ``ImageScalingError`` for a damaged picture, a missing decoder, and when it takes too long.
    func scale(
        _ bytes: [UInt8], _ header: ImageHeader, width: Int, height: Int
    ) throws(ImageScalingError) -> [UInt8]
}

/// Why a picture was not scaled. One sentence for the log.
public struct ImageScalingError: Error, Hashable, Sendable {
    public var message: String

    public init(message: String) {
        self.message = message
    }
}
