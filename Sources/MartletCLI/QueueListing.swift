// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus
internal import MartletProtocol
internal import MartletText

/// An entry of the queue as lists show it.
struct QueueLine {
    /// From 1, as people count.
    var index: Int
    var id: UInt64
    var isCurrent: Bool
    var title: String
    var artist: String
    var album: String
    var length: Int64?
    var url: String
    var isUnplayable: Bool
    var priority: Int64

    init(_ row: BusDictionary, index: Int, current: UInt64?) {
        self.index = index
        id = row["id"]?.uint64 ?? 0
        isCurrent = id == current
        title = row["title"]?.string ?? ""
        artist = row["artist"]?.array?.compactMap(\.string).joined(separator: ", ") ?? ""
        album = row["album"]?.string ?? ""
        length = row["length"]?.integer
        url = row["uri"]?.string ?? ""
        isUnplayable = row["unplayable"]?.boolean ?? false
        priority = row["priority"]?.integer ?? 0
    }

    var record: Record {
        var record = Record()
        record.add("index", .integer(Int64(index)))
        record.add("entry", .integer(Int64(clamping: id)))
        record.add("current", .bool(isCurrent))
        record.add("title", title)
        record.add("artist", artist.isEmpty ? nil : artist)
        record.add("album", album.isEmpty ? nil : album)
        record.add("length", length.map { .number(Double($0) / 1e6) } ?? .null)
        record.add("url", url)
        record.add("playable", .bool(!isUnplayable))
        record.add("priority", .integer(priority))
        return record
    }

    static let names = QueueLine(BusDictionary([]), index: 0, current: nil).record.members.map(\.name)

    var cells: [String] {
        [
            String(index), isCurrent ? "▶" : isUnplayable ? "✗" : "", title, artist, album,
            length.map { Clock.text(microseconds: $0) } ?? "",
        ]
    }

    static let columns = Columns([
        .init(title: "#", alignment: .trailing), .init(title: ""), .init(title: tr("TITLE"), isFlexible: true),
        .init(title: tr("ARTIST"), isFlexible: true), .init(title: tr("ALBUM"), isFlexible: true),
        .init(title: tr("TIME"), alignment: .trailing),
    ])

    /// The whole queue, in pages.
    static func all(_ service: Service) throws(Trouble) -> [QueueLine] {
        let current = try service.property(MartletBus.queue1, "Current").uint64
        var lines: [QueueLine] = []
        while true {
            let answer = try service.own(
                MartletBus.queue1, "GetEntries", [.uint32(UInt32(lines.count)), .uint32(1000)])
            let page = answer.last?.array?.compactMap(\.dictionary) ?? []
            for row in page { lines.append(QueueLine(row, index: lines.count + 1, current: current)) }
            if page.count < 1000 { return lines }
        }
    }
}
