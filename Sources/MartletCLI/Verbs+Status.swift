// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletDBus
internal import MartletProtocol

/// What tells, and what is about the service itself.
extension Verb {
    static let telling: [Verb] = [
        Verb(
            name: "status", summary: tr("tell what plays, and how"),
            details: [
                tr("Names for --format: {0}.", PlayerStatus.names.joined(separator: ", ")),
                tr("Positions and lengths are seconds."),
            ], options: [.json, .format, .follow]
        ) { invocation throws(Trouble) in
            let template = try invocation.options["format"].map { text throws(Trouble) in
                try Template(text, names: PlayerStatus.names)
            }
            let service = try Service()
            guard invocation.follows else { return try tell(try PlayerStatus(service), invocation, template) }
            var told: PlayerStatus?
            try Following(service).each(of: [Service.player, MartletBus.player1, MartletBus.queue1]) {
                () throws(Trouble) in
                let status = try PlayerStatus(service)
                guard status != told else { return }
                told = status
                try tell(status, invocation, template)
            }
        },
        Verb(
            name: "now", summary: tr("show what plays in one live line, with keys to drive it"),
            details: [tr("Space pauses, ← and → seek by 10 s, n and p change the track, + and - the volume, q leaves.")]
        ) { _ throws(Trouble) in
            try NowLine(try Service()).run()
        },
        Verb(
            name: "art", operands: "[SIZE]", count: 0...1, summary: tr("tell the file with the cover of what plays"),
            details: [tr("With a size, a picture that fits into a square of so many pixels, 1 to 4096.")]
        ) { invocation throws(Trouble) in
            var side: UInt32 = 0
            if let text = invocation.text(0) {
                guard let number = UInt32(text), (1...4096).contains(number) else {
                    throw .usage(tr("a size is a whole number from 1 to 4096"))
                }
                side = number
            }
            let uri = try Service().own(MartletBus.player1, "GetArt", [.uint32(side)]).first?.string ?? ""
            guard let path = MediaURI(uri)?.filePath else { throw .nothing(tr("what plays has no cover")) }
            try invocation.say(String(decoding: path, as: UTF8.self))
        },
        Verb(
            name: "config", operands: "[NAME [VALUE]]", count: 0...2, summary: tr("tell the settings, or change one"),
            options: [.json], words: .settings
        ) { invocation throws(Trouble) in
            let service = try Service()
            if let name = invocation.text(0), let value = invocation.text(1) {
                try service.own(MartletBus.player1, "SetConfig", [.string(name), .string(value)])
                return
            }
            let settings = (try service.property(MartletBus.player1, "Config").dictionary?.entries ?? [])
                .map { (name: $0.key.string ?? "", value: $0.value.string ?? "") }.sorted { $0.name < $1.name }
            if let name = invocation.text(0) {
                guard let value = settings.first(where: { $0.name == name })?.value else {
                    let meant = Spelling.nearest(to: name, among: settings.map(\.name))
                    throw .nothing(
                        meant.map { tr("there is no setting {0}; did you mean {1}?", name, $0) }
                            ?? tr("there is no setting {0}; martlet config lists them", name))
                }
                return try invocation.say(invocation.wantsJSON ? JSON.string(value).text : value)
            }
            if invocation.wantsJSON {
                let members = settings.map { JSON.Member(name: $0.name, value: .string($0.value)) }
                return try invocation.say(JSON.object(members).text)
            }
            var table = Columns([.init(title: tr("SETTING")), .init(title: tr("VALUE"), isFlexible: true)])
            for setting in settings { table.add([setting.name, setting.value]) }
            for line in table.lines(on: .standard) { try invocation.say(line) }
        },
        Verb(name: "quit", summary: tr("end the service")) { _ throws(Trouble) in
            try Service().own(MartletBus.player1, "Quit")
        },
        Verb(
            name: "help", aliases: ["--help", "-h"], operands: "[VERB]", count: 0...2,
            summary: tr("tell what there is, or what a verb does")
        ) { invocation throws(Trouble) in
            guard !invocation.operands.isEmpty else { return try invocation.say(Manual.overview) }
            let asked = try Invocation.read(invocation.operands + [Array("--help".utf8)], verbs: all)
            try invocation.say(Manual.help(for: asked.verb))
        },
        Verb(name: "version", aliases: ["--version", "-V"], summary: tr("tell the version")) {
            invocation throws(Trouble) in
            try invocation.say("martlet \(martletVersion)")
        },
    ]

    /// Every verb, in the order of the help.
    static let all: [Verb] = playback + telling.prefix(3) + queue + library + playlists + telling.dropFirst(3)

    private static func tell(_ status: PlayerStatus, _ invocation: Invocation, _ template: Template?) throws(Trouble) {
        let screen = Screen.standard
        if invocation.wantsJSON {
            try invocation.say(status.record.json.text)
        } else if let template {
            try invocation.say(template.filled(from: status.record))
        } else if invocation.follows {
            let end = status.length.map { "/" + Clock.text(microseconds: $0) } ?? ""
            let place = Clock.text(microseconds: status.position) + end
            let cells = [status.state, Screen.printable(status.name), place]
            try invocation.say(cells.joined(separator: screen.isTerminal ? "  " : "\t"))
        } else if screen.isTerminal {
            for line in status.lines(on: screen) { try invocation.say(line) }
        } else {
            for member in status.record.members {
                try invocation.say("\(member.name)\t\(Screen.printable(member.value.plain))")
            }
        }
    }
}
