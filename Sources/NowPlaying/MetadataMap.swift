// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus

/// A track as the bus has it: the map of the metadata guidelines, types exact, nothing empty, everything valid.
struct MetadataMap: Hashable, Sendable {
    /// `a{sv}`.
    let value: BusValue

    /// More values than this a list never needs; mpris-scrobbler gives up above 8 (contract C35).
    static let longestList = 8

    /// - Parameter info: `nil` is no track: a map that says so and nothing else (contract D01).
    init(_ info: NowPlayingInfo?) {
        guard let info else {
            value = .dict([("mpris:trackid", .objectPath(TrackID.noTrack))])
            return
        }
        var rows: [(String, BusValue)] = [("mpris:trackid", .objectPath(info.trackID.path))]
        func text(_ key: String, _ text: String?) {
            if let text, !text.isEmpty { rows.append((key, .string(text))) }
        }
        func list(_ key: String, _ list: [String]) {
            let list = list.filter { !$0.isEmpty }.prefix(MetadataMap.longestList)
            if !list.isEmpty { rows.append((key, .strings(Array(list)))) }
        }
        func number(_ key: String, _ number: Int?, from least: Int = 1) {
            guard let number, number >= least, let small = Int32(exactly: number) else { return }
            rows.append((key, .int32(small)))
        }
        func share(_ key: String, _ share: Double?) {
            if let share, share.isFinite { rows.append((key, .double(min(max(share, 0), 1)))) }
        }
        if let length = info.knownLength { rows.append(("mpris:length", .int64(length.microseconds))) }
        // R140: no bare path; F101: no picture inside the message.
        if let url = info.artworkURL, let scheme = URIScheme(of: url), scheme.name != "data" {
            text("mpris:artUrl", url)
        }
        if let url = info.url, URIScheme(of: url) != nil { text("xesam:url", url) }
        text("xesam:title", info.title)
        list("xesam:artist", info.artists)
        text("xesam:album", info.album)
        list("xesam:albumArtist", info.albumArtists)
        number("xesam:trackNumber", info.trackNumber)
        number("xesam:discNumber", info.discNumber)
        list("xesam:genre", info.genres)
        list("xesam:composer", info.composers)
        list("xesam:lyricist", info.lyricists)
        text("xesam:contentCreated", info.contentCreated)
        number("xesam:audioBPM", info.beatsPerMinute)
        list("xesam:comment", info.comments)
        text("xesam:asText", info.lyrics)
        share("xesam:userRating", info.userRating)
        share("xesam:autoRating", info.autoRating)
        number("xesam:useCount", info.useCount, from: 0)
        text("xesam:firstUsed", info.firstUsed)
        text("xesam:lastUsed", info.lastUsed)
        for (key, extra) in info.extras.sorted(by: { $0.key < $1.key }) where MetadataMap.isOwnKey(key) {
            switch extra {
            case .text(let value): text(key, value)
            case .texts(let values): list(key, values)
            case .number(let number): rows.append((key, .int64(number)))
            case .real(let real): if real.isFinite { rows.append((key, .double(real))) }
            case .truth(let truth): rows.append((key, .boolean(truth)))
            }
        }
        value = .dict(rows)
    }

    /// Contract R141: keys outside the two name spaces have a prefix of their own.
    private static func isOwnKey(_ key: String) -> Bool {
        guard let colon = key.firstIndex(of: ":"), colon != key.startIndex else { return false }
        let prefix = key[..<colon]
        return prefix != "mpris" && prefix != "xesam"
    }
}
