// SPDX-License-Identifier: Apache-2.0
import MartletEngine
import MartletTestSupport

extension SinkDescription {
    /// Writes what would be heard as interleaved 16-bit samples, at most 40 times as fast as it would be heard: the
    /// test must keep up with the pipeline when it fills the slot.
    static func capture(to path: String, sampleRate: Int = 44_100, isPaced: Bool = false) -> SinkDescription {
        .custom(
            (isPaced ? "identity sleep-time=8000 ! " : "")
                + "audioconvert ! audioresample ! audio/x-raw,format=S16LE,rate=\(sampleRate),channels=2"
                + " ! filesink buffer-mode=unbuffered location=\(path)")
    }
}

/// What a capture holds by now.
func capturedSamples(_ path: String) throws -> [Int16] {
    let bytes = try ScratchDirectory.read(path)
    return stride(from: 0, to: bytes.count - 1, by: 2).map {
        Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
    }
}
