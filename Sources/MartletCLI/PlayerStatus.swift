// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus
internal import MartletProtocol

/// What plays and how, read in three calls.
struct PlayerStatus: Equatable {
    var state = PlayerStateWord.stopped.rawValue
    var title = ""
    var artists: [String] = []
    var album = ""
    var trackNumber: Int64?
    var url: String?
    var artwork: String?
    /// The number of the current entry.
    var entry: UInt64?
    /// Microseconds, as they were when they were read.
    var position: Int64 = 0
    var length: Int64?
    var rate = 1.0
    var volume = 1.0
    var isMuted = false
    var shuffle = "off"
    var loop = "none"
    var queueCount: Int64 = 0
    /// From 0; `nil` when there is no current entry.
    var queuePosition: Int64?
    var streamTitle = ""
    var problem = ""

    init() {}

    init(_ service: Service) throws(Trouble) {
        let player = try service.properties(Service.player)
        let own = try service.properties(MartletBus.player1)
        let queue = try service.properties(MartletBus.queue1)
        let metadata = player["Metadata"]?.dictionary ?? BusDictionary([])
        state = own["State"]?.string ?? state
        title = metadata["xesam:title"]?.string ?? ""
        artists = metadata["xesam:artist"]?.array?.compactMap(\.string) ?? []
        album = metadata["xesam:album"]?.string ?? ""
        trackNumber = metadata["xesam:trackNumber"]?.integer
        url = metadata["xesam:url"]?.string
        artwork = metadata["mpris:artUrl"]?.string
        position = player["Position"]?.integer ?? 0
        length = metadata["mpris:length"]?.integer
        rate = player["Rate"]?.number ?? 1
        volume = player["Volume"]?.number ?? 1
        isMuted = own["Mute"]?.boolean ?? false
        shuffle = queue["ShuffleMode"]?.string ?? "off"
        loop = queue["LoopMode"]?.string ?? "none"
        queueCount = queue["Count"]?.integer ?? 0
        queuePosition = queue["Position"]?.integer.flatMap { $0 < 0 ? nil : $0 }
        entry = queue["Current"]?.uint64.flatMap { $0 == 0 ? nil : $0 }
        streamTitle = own["StreamTitle"]?.string ?? ""
        problem = own["Error"]?.structure?.last?.string ?? ""
    }

    /// How loops are called here: what plays, all, or nothing is repeated.
    var repeatWord: String {
        switch loop {
        case "track": "one"
        case "queue": "all"
        default: "off"
        }
    }

    var artist: String { artists.joined(separator: ", ") }

    /// Names and meanings are promised in martlet(1): one may be added, none changes.
    var record: Record {
        var record = Record()
        record.add("state", state)
        record.add("title", title.isEmpty ? nil : title)
        record.add("artist", artist.isEmpty ? nil : artist)
        record.add("artists", .array(artists.map(JSON.string)))
        record.add("album", album.isEmpty ? nil : album)
        record.add("track", trackNumber.map(JSON.integer) ?? .null)
        record.add("position", .number(Double(position) / 1e6))
        record.add("length", length.map { .number(Double($0) / 1e6) } ?? .null)
        record.add("url", url)
        record.add("art", artwork)
        record.add("entry", entry.map { .integer(Int64(clamping: $0)) } ?? .null)
        record.add("index", queuePosition.map { .integer($0 + 1) } ?? .null)
        record.add("count", .integer(queueCount))
        record.add("volume", .number((volume * 1000).rounded() / 1000))
        record.add("muted", .bool(isMuted))
        record.add("rate", .number(rate))
        record.add("shuffle", shuffle)
        record.add("repeat", repeatWord)
        record.add("stream", streamTitle.isEmpty ? nil : streamTitle)
        record.add("error", problem.isEmpty ? nil : problem)
        return record
    }

    static let names = PlayerStatus().record.members.map(\.name)

    var symbol: String {
        switch state {
        case "playing": "▶"
        case "paused": "⏸"
        case "buffering": "…"
        default: "■"
        }
    }

    /// Title and artist as one.
    var name: String {
        let shown = title.isEmpty ? url ?? tr("nothing to play") : title
        return artist.isEmpty ? shown : "\(artist) – \(shown)"
    }

    /// What a terminal gets.
    func lines(on screen: Screen) -> [String] {
        var lines = ["\(symbol) \(screen.styled(Screen.printable(name), .strong))"]
        if !album.isEmpty {
            lines.append("  " + Screen.printable(trackNumber.map { tr("{0}, track {1}", album, String($0)) } ?? album))
        }
        if !streamTitle.isEmpty { lines.append("  " + Screen.printable(streamTitle)) }
        let end = length.map { " / " + Clock.text(microseconds: $0) } ?? ""
        let place =
            queuePosition.map { tr("{0} of {1}", String($0 + 1), String(queueCount)) }
            ?? tr("{0} queued", String(queueCount))
        lines.append("  \(Clock.text(microseconds: position))\(end)  \(screen.styled(place, .faint))")
        let level = isMuted ? tr("muted") : "\(Int((volume * 100).rounded())) %"
        lines.append(
            "  "
                + screen.styled(
                    tr(
                        "volume {0}, shuffle {1}, repeat {2}, rate {3}", level, shuffle, repeatWord,
                        JSON.number(rate).plain), .faint))
        if !problem.isEmpty { lines.append("  " + screen.styled(Screen.printable(problem), .bad)) }
        return lines
    }
}
