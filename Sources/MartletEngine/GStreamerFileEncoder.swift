// SPDX-License-Identifier: Apache-2.0
public import MartletCore

/// ``AudioFileWriter`` and ``PNGWriter`` as the core's ``AudioFileEncoder``.
public struct GStreamerFileEncoder: AudioFileEncoder {
    public init() {}

    public func writeFLAC(
        _ samples: [Int16], tags: TrackTags, picture: [UInt8]?, to path: String
    ) throws(AudioEncodingError) {
        var written = AudioFileWriter.Tags()
        written.title = tags.title
        written.artists = tags.artists
        written.album = tags.album
        written.albumArtist = tags.albumArtists.first
        written.trackNumber = tags.trackNumber
        written.trackTotal = tags.trackTotal
        written.discNumber = tags.discNumber
        written.discTotal = tags.discTotal
        written.date = tags.date
        written.genre = tags.genres.first
        do throws(EncodingError) {
            try AudioFileWriter.writeFLAC(
                samples, sampleRate: 44_100, channels: 2, tags: written, picture: picture, to: path)
        } catch {
            throw AudioEncodingError(message: "\(error)")
        }
    }

    public func encodePNG(rgb: [UInt8], width: Int, height: Int) throws(AudioEncodingError) -> [UInt8] {
        do throws(EncodingError) {
            return try PNGWriter.encode(rgb: rgb, width: width, height: height)
        } catch {
            throw AudioEncodingError(message: "\(error)")
        }
    }
}
