// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletDBus
internal import MartletProtocol
internal import MartletText

/// What makes, fills and plays playlists. A playlist is meant by its name, in whatever case, or by its number.
extension Verb {
    static let playlists: [Verb] = [
        Verb(name: "playlists", summary: tr("list playlists"), options: [.json, .format]) {
            invocation throws(Trouble) in
            try LibraryListing.playlists.tell(
                try all(try Service()), invocation, otherwise: tr("there are no playlists"))
        },
        Verb(
            name: "playlist", aliases: ["playlist show"], operands: "NAME", count: 1...1,
            summary: tr("list what is in a playlist"), options: [.json, .format], words: .playlists
        ) { invocation throws(Trouble) in
            let service = try Service()
            let list = try playlist(invocation.text(0)!, service)
            let rows = try pages("GetPlaylistEntries", [.uint64(list)], nil, service)
            try LibraryListing.tracks.tell(rows, invocation, otherwise: tr("the playlist is empty"))
        },
        Verb(
            name: "playlist play", operands: "NAME", count: 1...1, summary: tr("play a playlist"),
            options: [Option(name: "append", summary: tr("put it at the end of the queue"))], words: .playlists
        ) { invocation throws(Trouble) in
            let service = try Service()
            let mode = invocation.options["append"] != nil ? "append" : "replace"
            let list = try playlist(invocation.text(0)!, service)
            try Finding(kind: .playlist, id: list, name: "", by: "").play(mode, service)
        },
        Verb(
            name: "playlist create", aliases: ["playlist new"], operands: "NAME", count: 1...1,
            summary: tr("make a playlist"),
            options: [
                Option(name: "description", value: tr("TEXT"), summary: tr("what it is for")),
                Option(name: "no-duplicates", summary: tr("have it take nothing twice")),
                Option(name: "search", value: tr("WORDS"), summary: tr("have it be what a search finds")),
                Option(
                    name: "order", value: tr("ORDER"),
                    summary: tr("in this order (title, album, newest, most-played …)")),
                Option(name: "limit", value: tr("NUMBER"), summary: tr("at most so many songs")),
            ]
        ) { invocation throws(Trouble) in
            let service = try Service()
            if let words = invocation.options["search"] {
                let limit = try invocation.options["limit"].map { text throws(Trouble) in
                    guard let number = UInt32(text), number > 0 else {
                        throw .usage(tr("{0} is no number of songs", text))
                    }
                    return number
                }
                let order = invocation.options["order"] ?? "title"
                try service.own(
                    MartletBus.library1, "CreateSmartPlaylist",
                    [.string(invocation.text(0)!), .string(words), .string(order), .uint32(limit ?? 0)], starts: true)
                return
            }
            let list = try service.own(
                MartletBus.library1, "CreatePlaylist",
                [
                    .string(invocation.text(0)!), .string(invocation.options["description"] ?? ""),
                    .boolean(invocation.options["no-duplicates"] != nil),
                ], starts: true)
            if let number = list.first?.uint64, !Screen.standard.isTerminal { try invocation.say(String(number)) }
        },
        Verb(
            name: "playlist rename", operands: "NAME NEW-NAME", count: 2...2, summary: tr("rename a playlist"),
            words: .playlists
        ) { invocation throws(Trouble) in
            let service = try Service()
            let list = try playlist(invocation.text(0)!, service)
            try service.own(MartletBus.library1, "RenamePlaylist", [.uint64(list), .string(invocation.text(1)!)])
        },
        Verb(
            name: "playlist describe", operands: "NAME TEXT", count: 2...2, summary: tr("say what a playlist is for"),
            words: .playlists
        ) { invocation throws(Trouble) in
            let service = try Service()
            let list = try playlist(invocation.text(0)!, service)
            try service.own(MartletBus.library1, "DescribePlaylist", [.uint64(list), .string(invocation.text(1)!)])
        },
        Verb(
            name: "playlist delete", operands: "NAME", count: 1...1,
            summary: tr("delete a playlist; its songs stay where they are"), words: .playlists
        ) { invocation throws(Trouble) in
            let service = try Service()
            try service.own(
                MartletBus.library1, "DeletePlaylist", [.uint64(try playlist(invocation.text(0)!, service))])
        },
        Verb(
            name: "playlist add", operands: "NAME [WHAT…]", count: 1...100_000,
            summary: tr("put what plays, files, URIs, or what words find at the end of a playlist"), words: .playlists
        ) { invocation throws(Trouble) in try add(invocation, try Service()) },
        Verb(
            name: "playlist remove", aliases: ["playlist rm"], operands: "NAME PLACE[-PLACE]…", count: 2...10_000,
            summary: tr("take entries out of a playlist"), words: .playlists
        ) { invocation throws(Trouble) in
            let service = try Service()
            let list = try playlist(invocation.text(0)!, service)
            let entries = try entries(of: list, at: Array(invocation.operands.dropFirst()), service)
            try service.own(
                MartletBus.library1, "RemoveFromPlaylist", [.uint64(list), .array(entries, of: .uint64)])
        },
        Verb(
            name: "playlist move", operands: "NAME PLACE[-PLACE] TO", count: 3...3,
            summary: tr("move entries of a playlist, so that the first of them stands at a place"), words: .playlists
        ) { invocation throws(Trouble) in
            let service = try Service()
            let list = try playlist(invocation.text(0)!, service)
            let entries = try entries(of: list, at: [invocation.operands[1]], service)
            guard let target = UInt32(invocation.text(2)!), target > 0 else {
                throw .usage(tr("{0} is no place in the playlist; they count from 1", invocation.text(2)!))
            }
            try service.own(
                MartletBus.library1, "MoveInPlaylist",
                [.uint64(list), .array(entries, of: .uint64), .uint32(target - 1)])
        },
    ]

    static func all(_ service: Service) throws(Trouble) -> [BusDictionary] {
        try pages("GetPlaylists", [.string("alphabetical"), .boolean(false)], nil, service)
    }

    private static func playlist(_ text: String, _ service: Service) throws(Trouble) -> UInt64 {
        let lists = try all(service)
        func name(_ row: BusDictionary) -> String { row["name"]?.string ?? "" }
        let wanted = text.foldedForSearch
        let found =
            lists.first { name($0) == text } ?? lists.first { name($0).foldedForSearch == wanted }
            ?? UInt64(text).flatMap { number in lists.first { $0["id"]?.uint64 == number } }
        guard let id = found?["id"]?.uint64 else {
            let meant = Spelling.nearest(to: text, among: lists.map(name))
            throw .nothing(
                meant.map { tr("there is no playlist {0}; did you mean {1}?", text, $0) }
                    ?? tr("there is no playlist {0}; martlet playlists lists them", text))
        }
        return id
    }

    private static func add(_ invocation: Invocation, _ service: Service) throws(Trouble) {
        let list = try playlist(invocation.text(0)!, service)
        let what = Array(invocation.operands.dropFirst())
        let tracks: [BusValue]
        if what.isEmpty {
            let current = try service.property(MartletBus.library1, "Current").structure?.first?.uint64 ?? 0
            if current == 0 {
                let url = try PlayerStatus(service).record["url"]?.plain ?? ""
                guard !url.isEmpty else { throw .nothing(tr("nothing plays")) }
                return try add(uris: [url], to: list, service)
            }
            tracks = [.uint64(current)]
        } else if Finding.areWords(what) {
            var rest = invocation
            rest.operands = what
            let found = try Finding.one(rest.words, service)
            tracks = try found.tracks(service)
        } else {
            return try add(
                uris: what.map { operand in
                    let text = String(decoding: operand, as: UTF8.self)
                    return text.contains("://") ? text : MediaURI(filePath: absolute(operand))?.description ?? text
                }, to: list, service)
        }
        let added = try service.own(
            MartletBus.library1, "AddToPlaylist", [.uint64(list), .array(tracks, of: .uint64), .int32(-1)])
        if added.first?.array?.isEmpty == true { throw .refused(tr("the playlist has it already")) }
    }

    private static func add(uris: [String], to list: UInt64, _ service: Service) throws(Trouble) {
        let added = try service.own(
            MartletBus.library1, "AddURIsToPlaylist", [.uint64(list), .strings(uris), .int32(-1)])
        if added.first?.array?.isEmpty == true { throw .refused(tr("the playlist has it already")) }
    }

    /// The numbers of entries at places that count from 1.
    private static func entries(
        of list: UInt64, at places: [[UInt8]], _ service: Service
    ) throws(Trouble) -> [BusValue] {
        let rows = try pages("GetPlaylistEntries", [.uint64(list)], nil, service)
        var entries: [BusValue] = []
        for place in places {
            let text = String(decoding: place, as: UTF8.self)
            let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends.last ?? nil, first > 0,
                last >= first
            else { throw .usage(tr("{0} is no range; write 3 or 3-7", text)) }
            guard last <= rows.count else {
                throw .nothing(tr("there is no entry {0}; the playlist has {1}", text, String(rows.count)))
            }
            entries += rows[(first - 1)..<last].compactMap { $0["entry"]?.unwrapped }
        }
        return entries
    }
}
