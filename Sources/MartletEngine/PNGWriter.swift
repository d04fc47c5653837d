// SPDX-License-Identifier: Apache-2.0
import CMartletGStreamer

/// Encodes raw pictures as PNG through GStreamer's encoder.
///
/// Blocks; call it on a background queue. GStreamer is initialised if it is not yet.
public enum PNGWriter {
    /// The bytes of a PNG file.
    ///
    /// - Parameters:
    ///   - rgb: Three bytes a pixel, red first, rows from the top without padding.
    ///   - width: In pixels, 1 and up.
    ///   - height: In pixels, 1 and up.
    public static func encode(rgb: [UInt8], width: Int, height: Int) throws(EncodingError) -> [UInt8] {
        guard width > 0, height > 0, rgb.count == width * height * 3 else {
            throw .badInput("\(rgb.count) bytes for \(width) × \(height) pixels")
        }
        let pipeline = try EncodingPipeline(
            "appsrc name=source format=time ! pngenc snapshot=true ! fakesink name=sink enable-last-sample=true"
                + " sync=false",
            caps: "video/x-raw,format=RGB,width=\(width),height=\(height),framerate=1/1")
        pipeline.start()
        // Rows of raw video are padded to four bytes in GStreamer.
        let stride = (width * 3 + 3) & ~3
        var padded = [UInt8](repeating: 0, count: stride * height)
        for row in 0..<height {
            padded.replaceSubrange(
                row * stride..<row * stride + width * 3, with: rgb[row * width * 3..<(row + 1) * width * 3])
        }
        unsafe padded.withUnsafeBytes { unsafe pipeline.push($0, at: .zero, lasting: .seconds(1)) }
        try pipeline.finish()
        guard let bytes = pipeline.lastBytes(of: "sink") else { throw .failed("pngenc gave nothing") }
        return bytes
    }
}
