// SPDX-License-Identifier: Apache-2.0
import CMartletGStreamer
import MartletCore

/// Writes sound into a FLAC file with tags and a picture, through GStreamer's encoder.
///
/// Every function blocks until the file is written; call them on a background queue. GStreamer is initialised if it
/// is not yet.
public enum AudioFileWriter {
    /// What a file says of itself; text is written as UTF-8, absent means not written.
    public struct Tags: Hashable, Sendable {
        public var title: String?
        public var artists: [String] = []
        public var album: String?
        public var albumArtist: String?
        /// 1 and up.
        public var trackNumber: Int?
        public var trackTotal: Int?
        public var discNumber: Int?
        public var discTotal: Int?
        /// `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
        public var date: String?
        public var genre: String?

        public init() {}
    }

    /// Writes a FLAC file; one that is there already is replaced.
    ///
    /// - Parameters:
    ///   - samples: Interleaved, a whole number of frames.
    ///   - sampleRate: In hertz, 1 to 655,350.
    ///   - channels: 1 to 8.
    ///   - picture: A PNG file's bytes, for instance from ``PNGWriter``.
    ///   - path: What `open(2)` would take, as text.
    public static func writeFLAC(
        _ samples: [Int16], sampleRate: Int, channels: Int, tags: Tags = Tags(), picture: [UInt8]? = nil,
        to path: String
    ) throws(EncodingError) {
        guard (1...8).contains(channels), samples.count.isMultiple(of: channels) else {
            throw .badInput("\(samples.count) samples on \(channels) channels")
        }
        guard (1...655_350).contains(sampleRate) else { throw .badInput("\(sampleRate) Hz") }
        let pipeline = try EncodingPipeline(
            "appsrc name=source format=time ! audioconvert ! flacenc name=encoder ! filesink name=file",
            caps: "audio/x-raw,format=S16LE,layout=interleaved,rate=\(sampleRate),channels=\(channels)"
                + (channels > 2 ? ",channel-mask=(bitmask)\(defaultMask(channels))" : ""))
        pipeline.set("location", of: "file", to: path)
        pipeline.setTags(tags.list(picture: picture), of: "encoder")
        pipeline.start()
        let block = 16_384 * channels
        for start in stride(from: 0, to: samples.count, by: block) {
            let end = min(samples.count, start + block)
            let time = Duration.nanoseconds(start / channels * 1_000_000_000 / sampleRate)
            let length = Duration.nanoseconds((end - start) / channels * 1_000_000_000 / sampleRate)
            unsafe samples[start..<end].withUnsafeBytes { unsafe pipeline.push($0, at: time, lasting: length) }
        }
        try pipeline.finish()
    }

    /// The usual places of so many speakers, as a channel mask: front, centre, low, rear, side in FLAC's order.
    private static func defaultMask(_ channels: Int) -> String {
        ["0x3", "0x3", "0x7", "0x33", "0x37", "0x3f", "0x70f", "0x63f"][max(0, channels - 1)]
    }
}

extension AudioFileWriter.Tags {
    fileprivate func list(picture: [UInt8]?) -> TagListBuilder {
        let list = TagListBuilder()
        list.add(GST_TAG_TITLE, title)
        for artist in artists { list.add(GST_TAG_ARTIST, artist) }
        list.add(GST_TAG_ALBUM, album)
        list.add(GST_TAG_ALBUM_ARTIST, albumArtist)
        list.add(GST_TAG_TRACK_NUMBER, trackNumber)
        list.add(GST_TAG_TRACK_COUNT, trackTotal)
        list.add(GST_TAG_ALBUM_VOLUME_NUMBER, discNumber)
        list.add(GST_TAG_ALBUM_VOLUME_COUNT, discTotal)
        list.add(GST_TAG_DATE_TIME, date: date)
        list.add(GST_TAG_GENRE, genre)
        if let picture { list.add(GST_TAG_IMAGE, picture: picture, mediaType: "image/png") }
        return list
    }
}
