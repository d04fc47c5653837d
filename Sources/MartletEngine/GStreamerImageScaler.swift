// SPDX-License-Identifier: Apache-2.0
import CMartletGStreamer
public import MartletCore

/// GStreamer's image decoders and `videoscale` as the core's ``ImageScaler``.
///
/// The pipeline ends after the first frame, so a picture that moves for ever ends, and after ``patience``.
public struct GStreamerImageScaler: ImageScaler {
    /// The longest a picture may take: a hundred times what the largest modest one needs.
    static let patience = Duration.seconds(10)

    public init() {}

    public func scale(
        _ bytes: [UInt8], _ header: ImageHeader, width: Int, height: Int
    ) throws(ImageScalingError) -> [UInt8] {
        guard width > 0, height > 0, header.isModest else {
            throw ImageScalingError(message: "\(header.width) × \(header.height) pixels to \(width) × \(height)")
        }
        guard let (decoder, type) = GStreamerImageScaler.decoder(of: header.format) else {
            throw ImageScalingError(message: "no decoder of our own for \(header.format)")
        }
        do throws(EncodingError) {
            let pipeline = try EncodingPipeline(
                "appsrc name=source format=time ! \(decoder) ! videoconvert ! videoscale method=lanczos add-borders=false"
                    + " ! video/x-raw,width=\(width),height=\(height),pixel-aspect-ratio=1/1 ! videoconvert"
                    + " ! pngenc snapshot=true ! fakesink name=sink enable-last-sample=true sync=false",
                caps: type)
            pipeline.start()
            unsafe bytes.withUnsafeBytes { unsafe pipeline.push($0, at: .zero, lasting: .seconds(1)) }
            try pipeline.finish(within: GStreamerImageScaler.patience)
            guard let made = pipeline.lastBytes(of: "sink") else { throw .failed("no picture came out") }
            return made
        } catch {
            throw ImageScalingError(message: "\(error)")
        }
    }

    /// The light decoders by name; decodebin would also find those of libav, and a video in what claims to be a picture.
    private static func decoder(of format: ImageHeader.Format) -> (element: String, caps: String)? {
        switch format {
        case .png: ("pngdec", "image/png,framerate=1/1")
        case .jpeg: ("jpegdec", "image/jpeg,framerate=1/1")
        case .webp: ("webpdec", "image/webp,framerate=1/1")
        // decodebin, their only decoder, does not end on every machine.
        case .gif, .bmp: nil
        }
    }
}
