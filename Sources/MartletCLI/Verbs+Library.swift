// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus
internal import MartletProtocol

/// What finds and lists what is in the library, and what the listener made of it.
extension Verb {
    private static let limit = Option(
        name: "limit", value: tr("NUMBER"), summary: tr("at most so many"))

    private static let language = tr(
        "Words in any order; \"two words\" as they stand; title: artist: album: genre:; year:1990..1999, rating:>=4, liked, played:0, added:<7d; a minus before what must not be."
    )

    static let library: [Verb] = [
        Verb(
            name: "search", operands: "WORDS…", count: 1...1000,
            summary: tr("find songs, albums, artists and playlists"),
            details: [language], options: [.json, limit], takesMinus: true
        ) { invocation throws(Trouble) in try search(invocation, try Service()) },
        list("tracks", .tracks, tr("list songs, all or those that a search finds")),
        list("albums", .albums, tr("list albums, all or those that a search finds")),
        list("artists", .artists, tr("list artists, all or those that a search finds")),
        Verb(name: "genres", summary: tr("list genres"), options: [.json, .format]) { invocation throws(Trouble) in
            let rows = try pages("GetGenres", [], nil, try Service())
            try LibraryListing.genres.tell(rows, invocation, otherwise: tr("there are no genres"))
        },
        mark("like", "Like", tr("like what plays, or the song that words find")),
        mark("unlike", "Unlike", tr("take a like back")),
        Verb(
            name: "rating", operands: "[STARS|none [WORDS…]]", count: 0...1000,
            summary: tr("tell the rating of what plays, or rate it, or the song that words find (0 to 5)"),
            options: [.json]
        ) { invocation throws(Trouble) in try rate(invocation, try Service()) },
        Verb(name: "history", summary: tr("list what was played, the latest first"), options: [.json, .format, limit]) {
            invocation throws(Trouble) in
            let rows = try pages("GetHistory", [], try most(invocation) ?? 50, try Service())
            try LibraryListing.history.tell(rows, invocation, otherwise: tr("nothing was played yet"))
        },
        Verb(name: "most", summary: tr("list what was played most"), options: [.json, .format, limit]) {
            invocation throws(Trouble) in
            let chosen: [BusValue] = [.string("played"), .uint64(0), .string("most-played")]
            let rows = try pages("GetTracks", chosen, try most(invocation) ?? 50, try Service())
            try LibraryListing.tracks.tell(rows, invocation, otherwise: tr("nothing was played yet"))
        },
        Verb(
            name: "today", summary: tr("tell today's pick, and play it with --play"),
            options: [.json, .format, Option(name: "play", summary: tr("play it"))]
        ) { invocation throws(Trouble) in
            let service = try Service()
            let answer = try service.own(MartletBus.library1, "GetTodaysPick", [.string("")], starts: true)
            guard let pick = answer.first?.dictionary, let id = pick["id"]?.uint64 else {
                throw .nothing(tr("there is nothing in the library"))
            }
            if invocation.options["play"] != nil {
                try Finding(kind: .track, id: id, name: "", by: "").play("replace", service)
            }
            try LibraryListing.tracks.tell([pick], invocation, otherwise: "")
        },
        Verb(
            name: "scan", summary: tr("look through the library's folders, and show how far it is"),
            options: [
                Option(name: "background", summary: tr("do not wait for its end")),
                Option(name: "cancel", summary: tr("stop it")),
            ]
        ) { invocation throws(Trouble) in try scan(invocation, try Service()) },
        Verb(name: "roots", summary: tr("list the library's folders"), options: [.json, .format]) {
            invocation throws(Trouble) in
            let answer = try Service().own(MartletBus.library1, "GetRoots", starts: true)
            let rows = answer.first?.array?.compactMap(\.dictionary) ?? []
            try LibraryListing.roots.tell(
                rows, invocation, otherwise: tr("the library has no folders; martlet roots add FOLDER"))
        },
        Verb(
            name: "roots add", operands: "FOLDER", count: 1...1, summary: tr("take a folder into the library"),
            words: .files
        ) { invocation throws(Trouble) in
            try Service().own(MartletBus.library1, "AddRoot", [.bytes(absolute(invocation.operands[0]))], starts: true)
        },
        Verb(
            name: "roots remove", aliases: ["roots rm"], operands: "FOLDER", count: 1...1,
            summary: tr("let go of a folder; likes and playlists stay"), words: .files
        ) { invocation throws(Trouble) in
            let service = try Service()
            let path = absolute(invocation.operands[0])
            let roots = try service.own(MartletBus.library1, "GetRoots").first?.array?.compactMap(\.dictionary) ?? []
            guard let root = roots.first(where: { $0["path"]?.bytes == path })?["id"]?.uint64 else {
                throw .nothing(tr("{0} is no folder of the library", invocation.text(0)!))
            }
            try service.own(MartletBus.library1, "RemoveRoot", [.uint64(root)])
        },
    ]

    // MARK: Lists

    private static func list(_ name: String, _ listing: LibraryListing, _ summary: String) -> Verb {
        Verb(
            name: name, operands: "[WORDS…]", count: 0...1000, summary: summary, details: [language],
            options: [.json, .format, limit], takesMinus: true
        ) { invocation throws(Trouble) in
            let service = try Service()
            let most = try most(invocation)
            let rows: [BusDictionary]
            if invocation.operands.isEmpty {
                let chosen: [BusValue] =
                    switch listing {
                    case .albums: [.string("all"), .uint64(0), .string("artist")]
                    case .artists: [.string("all")]
                    default: [.string("all"), .uint64(0), .string("album")]
                    }
                rows = try pages(
                    MemberName("Get" + name.prefix(1).uppercased() + name.dropFirst())!, chosen, most, service)
            } else {
                rows = try searchPages(listing, invocation.words, most, service)
            }
            try listing.tell(rows, invocation, otherwise: tr("there is nothing like that in the library"))
        }
    }

    private static func most(_ invocation: Invocation) throws(Trouble) -> Int? {
        guard let text = invocation.options["limit"] else { return nil }
        guard let number = Int(text), number > 0 else { throw .usage(tr("{0} is no number of rows", text)) }
        return number
    }

    /// All rows of a list, or so many.
    static func pages(
        _ member: MemberName, _ chosen: [BusValue], _ most: Int?, _ service: Service
    ) throws(Trouble) -> [BusDictionary] {
        var rows: [BusDictionary] = []
        while true {
            let wanted = min(1000, (most ?? .max) - rows.count)
            let page: [BusValue] = [.uint32(UInt32(rows.count)), .uint32(UInt32(wanted))]
            let answer = try service.own(MartletBus.library1, member, chosen + page, starts: true)
            let new = answer.last?.array?.compactMap(\.dictionary) ?? []
            rows += new
            if new.count < wanted || rows.count == most { return rows }
        }
    }

    private static func searchPages(
        _ listing: LibraryListing, _ words: String, _ most: Int?, _ service: Service
    ) throws(Trouble) -> [BusDictionary] {
        var (rows, next) = ([BusDictionary](), Int64(-1))
        repeat {
            let wanted = min(1000, (most ?? .max) - rows.count)
            let answer = try service.own(
                MartletBus.library1, "SearchMore",
                [.string(listing.rawValue), .string(words), .int64(next), .uint32(UInt32(wanted))], starts: true)
            rows += answer.last?.array?.compactMap(\.dictionary) ?? []
            next = answer.first?.integer ?? -1
        } while next >= 0 && rows.count != most
        return rows
    }

    private static func search(_ invocation: Invocation, _ service: Service) throws(Trouble) {
        let most = try most(invocation) ?? 10
        let groups = try service.own(
            MartletBus.library1, "Search", [.string(invocation.words), .uint32(UInt32(clamping: most))], starts: true)
        // What was searched from a command line was meant: it is remembered. That it cannot be is no failure of the search.
        _ = try? service.own(MartletBus.library1, "NoteSearch", [.string(invocation.words)])
        let listings: [LibraryListing] = [.tracks, .albums, .artists, .playlists]
        let found = zip(listings, groups).map { listing, group in
            let parts = group.structure ?? []
            return (
                listing: listing, count: parts.first?.integer ?? 0, isMore: parts.dropFirst().first?.boolean ?? false,
                records: (parts.last?.array?.compactMap(\.dictionary) ?? []).map(listing.record)
            )
        }
        if invocation.wantsJSON {
            let members = found.map { group in
                JSON.Member(
                    name: group.listing.rawValue,
                    value: .object([
                        .init(name: "count", value: .integer(group.count)),
                        .init(name: "more", value: .bool(group.isMore)),
                        .init(name: "items", value: .array(group.records.map(\.json))),
                    ]))
            }
            return try invocation.say(JSON.object(members).text)
        }
        let screen = Screen.standard
        for group in found where !group.records.isEmpty {
            guard screen.isTerminal else {
                for record in group.records {
                    let cells = record.members.map { Screen.printable($0.value.plain) }
                    try invocation.say(([group.listing.rawValue] + cells).joined(separator: "\t"))
                }
                continue
            }
            let title =
                switch group.listing {
                case .albums: tr("Albums")
                case .artists: tr("Artists")
                case .playlists: tr("Playlists")
                default: tr("Songs")
                }
            try invocation.say(screen.styled("\(title) (\(group.count)\(group.isMore ? "+" : ""))", .strong))
            var table = group.listing.columns
            for record in group.records { table.add(group.listing.cells(record)) }
            for line in table.lines(on: screen) { try invocation.say(line) }
        }
        if found.allSatisfy(\.records.isEmpty) {
            throw .nothing(tr("nothing in the library is like {0}", invocation.words))
        }
    }

    // MARK: Marks

    private static func mark(_ name: String, _ member: MemberName, _ summary: String) -> Verb {
        Verb(name: name, operands: "[WORDS…]", count: 0...1000, summary: summary) { invocation throws(Trouble) in
            let service = try Service()
            let track = try track(invocation.words, service)
            try service.own(MartletBus.library1, member, [.array([.uint64(track)], of: .uint64)])
        }
    }

    /// The song that words find; 0, what plays, without any.
    private static func track(_ words: String, _ service: Service) throws(Trouble) -> UInt64 {
        words.isEmpty ? 0 : try Finding.one(words, service, kinds: [.track]).id
    }

    private static func rate(_ invocation: Invocation, _ service: Service) throws(Trouble) {
        guard let text = invocation.text(0) else {
            let current = try service.property(MartletBus.library1, "Current").structure ?? []
            guard let id = current.first?.uint64, id != 0 else {
                throw .nothing(tr("what plays is not of the library"))
            }
            let rating = current.last?.integer ?? -1
            let value = rating < 0 ? JSON.null : .number(Double(rating) / 20)
            return try invocation.say(invocation.wantsJSON ? value.text : rating < 0 ? tr("none") : value.plain)
        }
        let rating: Int32
        if text == "none" {
            rating = -1
        } else {
            guard let stars = Clock.decimal(text), stars <= 5 else {
                throw .usage(tr("{0} is no rating; write 0 to 5, or none", text))
            }
            rating = Int32((stars * 20).rounded())
        }
        let words = invocation.operands.dropFirst().map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
        let tracks = BusValue.array([.uint64(try track(words, service))], of: .uint64)
        try service.own(MartletBus.library1, "Rate", [tracks, .int32(rating)])
    }

    // MARK: Folders

    static func absolute(_ path: [UInt8]) -> [UInt8] {
        path.first == UInt8(ascii: "/") ? path : workingFolder + [UInt8(ascii: "/")] + path
    }

    private static func scan(_ invocation: Invocation, _ service: Service) throws(Trouble) {
        if invocation.options["cancel"] != nil {
            try service.own(MartletBus.library1, "CancelScan")
            return
        }
        let following = try Following(service)
        try service.own(MartletBus.library1, "Scan", starts: true)
        if invocation.options["background"] != nil { return }
        let screen = Screen.standard
        var progress = try ScanLine(service)
        while !progress.isIdle {
            if screen.isTerminal { try? Screen.write("\r\u{1B}[K" + progress.text(on: screen), to: 1) }
            // What is told twice a second at most is waited for; asked only in case nothing came of it.
            _ = try following.hears(within: .seconds(2), [MartletBus.library1])
            progress = try ScanLine(service)
        }
        if screen.isTerminal { try? Screen.write("\r\u{1B}[K", to: 1) }
        try invocation.say(progress.summary)
    }
}

/// How far a scan is, in a line.
private struct ScanLine {
    private let phase: String
    private let found: Int64
    private let wanted: Int64
    private let read: Int64
    private let failed: Int64
    private let rate: Double
    private let remaining: Int64

    init(_ service: Service) throws(Trouble) {
        let parts = try service.property(MartletBus.library1, "ScanProgress").structure ?? []
        func number(_ index: Int) -> Int64 { parts.indices.contains(index) ? parts[index].integer ?? 0 : 0 }
        phase = parts.first?.string ?? "idle"
        (found, wanted, read, failed) = (number(1), number(2), number(3), number(4))
        rate = parts.count > 5 ? parts[5].number ?? 0 : 0
        remaining = number(6)
    }

    var isIdle: Bool { phase == "idle" }

    func text(on screen: Screen) -> String {
        guard phase == "reading", wanted > 0 else { return tr("{0} files found", String(found)) }
        let done = min(read + failed, wanted)
        let width = max(0, min(30, (screen.width ?? 80) - 50))
        let filled = Int(Int64(width) * done / wanted)
        let bar =
            String(repeating: "━", count: filled) + screen.styled(String(repeating: "─", count: width - filled), .faint)
        let rest = remaining >= 0 ? "  " + Clock.text(microseconds: remaining) : ""
        return "\(bar)  \(done)/\(wanted)  \(tr("{0} a second", String(Int(rate))))\(rest)"
    }

    var summary: String {
        failed > 0
            ? tr("{0} files found, {1} read, {2} gave nothing", String(found), String(read), String(failed))
            : tr("{0} files found, {1} read", String(found), String(read))
    }
}
