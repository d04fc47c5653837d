// SPDX-License-Identifier: Apache-2.0
import CMartletGStreamer
import MartletCore

extension StreamTags {
    /// Takes what a player shows out of a tag list; text is repaired to valid UTF-8, empty text is no text.
    init(_ list: UnsafeMutablePointer<GstTagList>) {
        self.init()
        title = unsafe text(GST_TAG_TITLE, in: list)
        artist = unsafe text(GST_TAG_ARTIST, in: list)
        album = unsafe text(GST_TAG_ALBUM, in: list)
        organization = unsafe text(GST_TAG_ORGANIZATION, in: list)
        genre = unsafe text(GST_TAG_GENRE, in: list)
        codec = unsafe text(GST_TAG_AUDIO_CODEC, in: list)
        bitrate = unsafe number(GST_TAG_BITRATE, in: list) ?? number(GST_TAG_NOMINAL_BITRATE, in: list)
    }

    /// What is known after `newer` came: each list brings only what it has to say.
    func merging(_ newer: StreamTags) -> StreamTags {
        var result = self
        result.title = newer.title ?? title
        result.artist = newer.artist ?? artist
        result.album = newer.album ?? album
        result.organization = newer.organization ?? organization
        result.genre = newer.genre ?? genre
        result.codec = newer.codec ?? codec
        result.bitrate = newer.bitrate ?? bitrate
        return result
    }
}

private func text(_ tag: String, in list: UnsafeMutablePointer<GstTagList>) -> String? {
    var value: UnsafeMutablePointer<gchar>?
    guard unsafe gst_tag_list_get_string_index(list, tag, 0, &value) != 0, let value = unsafe value else { return nil }
    defer { unsafe g_free(value) }
    // String(cString:) puts U+FFFD for what is no UTF-8, and ends at a NUL.
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
}

private func number(_ tag: String, in list: UnsafeMutablePointer<GstTagList>) -> Int? {
    var value: guint = 0
    guard unsafe gst_tag_list_get_uint_index(list, tag, 0, &value) != 0, value > 0 else { return nil }
    return Int(value)
}
