// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus
internal import MartletProtocol

/// What lists and edits the queue. Places count from 1, as the list shows them.
extension Verb {
    static let queue: [Verb] = [
        Verb(
            name: "queue", aliases: ["queue list"], summary: tr("list the queue"),
            options: [.json, .format, .follow]
        ) { invocation throws(Trouble) in
            let template = try invocation.options["format"].map { text throws(Trouble) in
                try Template(text, names: QueueLine.names)
            }
            let service = try Service()
            guard invocation.follows else { return try list(invocation, template, service) }
            try Following(service).each(of: [MartletBus.queue1]) { () throws(Trouble) in
                try list(invocation, template, service)
            }
        },
        add("queue add", "append", tr("put something at the end")),
        add("queue next", "next", tr("put something behind what plays")),
        Verb(
            name: "queue insert", operands: "PLACE WHAT…", count: 2...100_000,
            summary: tr("put something at a place"), words: .files
        ) { invocation throws(Trouble) in
            let service = try Service()
            let place = try place(invocation.text(0)!, service, end: true)
            let answer = try service.own(
                MartletBus.queue1, "InsertAt",
                [
                    .array(invocation.operands.dropFirst().map { .bytes($0) }, of: .array(of: .byte)),
                    .bytes(workingFolder),
                    .uint32(place),
                ])
            try report(problems: answer.last, accepted: answer.first?.array?.count ?? 0)
        },
        Verb(
            name: "queue go", aliases: ["queue goto"], operands: "PLACE", count: 1...1,
            summary: tr("play the entry at a place"),
            words: .entries
        ) { invocation throws(Trouble) in
            let service = try Service()
            try service.own(MartletBus.queue1, "GoTo", [.uint64(try entry(invocation.text(0)!, service))])
        },
        Verb(
            name: "queue move", operands: "PLACE[-PLACE] TO", count: 2...2,
            summary: tr("move one entry or several, so that the first of them stands at a place"), words: .entries
        ) { invocation throws(Trouble) in
            let service = try Service()
            let (first, count) = try range(invocation.text(0)!, service)
            let total = UInt32(clamping: try service.property(MartletBus.queue1, "Count").integer ?? 0)
            let target = try place(invocation.text(1)!, service, end: false)
            try service.own(
                MartletBus.queue1, "MoveRange", [.uint32(first), .uint32(count), .uint32(min(target, total - count))])
        },
        Verb(
            name: "queue remove", aliases: ["queue rm"], operands: "PLACE[-PLACE]…", count: 1...10_000,
            summary: tr("take entries out"), words: .entries
        ) { invocation throws(Trouble) in
            let service = try Service()
            var entries: [BusValue] = []
            for index in invocation.operands.indices {
                let (first, count) = try range(invocation.text(index)!, service)
                let ids = try service.own(MartletBus.queue1, "GetIds", [.uint32(first), .uint32(count)])
                entries += ids.last?.array ?? []
            }
            try service.own(MartletBus.queue1, "Remove", [.array(entries, of: .uint64)])
        },
        plain("queue clear", "Clear", tr("empty the queue")),
        undoing("queue undo", "Undo", tr("take the last edit back"), tr("there is nothing to undo")),
        undoing("queue redo", "Redo", tr("make what was taken back again"), tr("there is nothing to redo")),
        Verb(
            name: "queue save", operands: "FILE", count: 1...1,
            summary: tr("write the queue into a playlist (.m3u8, .pls, .xspf)"),
            options: [Option(name: "replace", summary: tr("also when the file is there"))], words: .files
        ) { invocation throws(Trouble) in
            var path = invocation.operands[0]
            if path.first != UInt8(ascii: "/") { path = workingFolder + [UInt8(ascii: "/")] + path }
            try Service().own(
                MartletBus.queue1, "Save", [.bytes(path), .boolean(invocation.options["replace"] != nil)])
        },
        Verb(
            name: "queue stop-after", operands: "[PLACE|off]", count: 0...1,
            summary: tr("stop after the entry at a place, or after this one"), words: .entries
        ) { invocation throws(Trouble) in
            let service = try Service()
            let id: UInt64
            switch invocation.text(0) {
            case "off": id = 0
            case .some(let text): id = try entry(text, service)
            case nil: id = try service.property(MartletBus.queue1, "Current").uint64 ?? 0
            }
            try service.set(MartletBus.queue1, "StopAfter", .uint64(id))
        },
        Verb(
            name: "queue consume", operands: "[on|off]", count: 0...1,
            summary: tr("tell or choose whether an entry leaves the queue once it was heard"),
            words: .fixed(["on", "off"])
        ) { invocation throws(Trouble) in
            let service = try Service()
            guard let text = invocation.text(0) else {
                let isOn = try service.property(MartletBus.queue1, "Consume").boolean ?? false
                return try invocation.say(isOn ? "on" : "off")
            }
            try service.set(MartletBus.queue1, "Consume", .boolean(try isOn(text)))
        },
        Verb(
            name: "queue priority", operands: "PLACE[-PLACE] LEVEL", count: 2...2,
            summary: tr("have entries play earlier when shuffled (0 to 255)"), words: .entries
        ) { invocation throws(Trouble) in
            let service = try Service()
            guard let level = UInt8(invocation.text(1)!) else {
                throw .usage(tr("{0} is no priority; write 0 to 255", invocation.text(1)!))
            }
            let (first, count) = try range(invocation.text(0)!, service)
            let ids = try service.own(MartletBus.queue1, "GetIds", [.uint32(first), .uint32(count)])
            try service.own(MartletBus.queue1, "SetPriority", [ids.last ?? .array([], of: .uint64), .byte(level)])
        },
    ]

    private static func add(_ name: String, _ mode: String, _ summary: String) -> Verb {
        Verb(name: name, operands: "WHAT…", count: 1...100_000, summary: summary, words: .files) {
            invocation throws(Trouble) in
            let service = try Service()
            if let found = try Finding.meant(by: invocation, service) { return try found.play(mode, service) }
            let answer = try service.own(
                MartletBus.queue1, "Add",
                [
                    .array(invocation.operands.map { .bytes($0) }, of: .array(of: .byte)), .bytes(workingFolder),
                    .string(mode),
                ],
                starts: true)
            try report(problems: answer.last, accepted: answer.first?.array?.count ?? 0)
        }
    }

    private static func plain(_ name: String, _ member: MemberName, _ summary: String) -> Verb {
        Verb(name: name, summary: summary) { _ throws(Trouble) in try Service().own(MartletBus.queue1, member) }
    }

    private static func undoing(_ name: String, _ member: MemberName, _ summary: String, _ otherwise: String) -> Verb {
        Verb(name: name, summary: summary) { _ throws(Trouble) in
            guard try Service().own(MartletBus.queue1, member).first?.boolean == true else { throw .nothing(otherwise) }
        }
    }

    private static func list(_ invocation: Invocation, _ template: Template?, _ service: Service) throws(Trouble) {
        let lines = try QueueLine.all(service)
        if invocation.wantsJSON { return try invocation.say(JSON.array(lines.map(\.record.json)).text) }
        if let template {
            for line in lines { try invocation.say(template.filled(from: line.record)) }
        } else {
            var table = QueueLine.columns
            for line in lines { table.add(line.cells, isMarked: line.isCurrent) }
            let screen = Screen.standard
            for line in lines.isEmpty ? [] : table.lines(on: screen) { try invocation.say(line) }
        }
        if lines.isEmpty, !invocation.follows { throw .nothing(tr("the queue is empty")) }
    }

    // MARK: Places

    /// A place from 0; one behind the last is allowed where something is to be put.
    private static func place(_ text: String, _ service: Service, end: Bool) throws(Trouble) -> UInt32 {
        let count = try service.property(MartletBus.queue1, "Count").integer ?? 0
        guard let number = Int64(text), number > 0 else {
            throw .usage(tr("{0} is no place in the queue; they count from 1", text))
        }
        guard number <= count + (end ? 1 : 0) else {
            throw .nothing(tr("there is no entry {0}; the queue has {1}", text, String(count)))
        }
        return UInt32(clamping: number - 1)
    }

    private static func range(_ text: String, _ service: Service) throws(Trouble) -> (first: UInt32, count: UInt32) {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count <= 2 else { throw .usage(tr("{0} is no range; write 3 or 3-7", text)) }
        let first = try place(String(ends[0]), service, end: false)
        guard ends.count == 2 else { return (first, 1) }
        let last = try place(String(ends[1]), service, end: false)
        guard last >= first else { throw .usage(tr("{0} ends before it begins", text)) }
        return (first, last - first + 1)
    }

    private static func entry(_ text: String, _ service: Service) throws(Trouble) -> UInt64 {
        let place = try place(text, service, end: false)
        let ids = try service.own(MartletBus.queue1, "GetIds", [.uint32(place), .uint32(1)])
        guard let id = ids.last?.array?.first?.uint64 else { throw .nothing(tr("there is no entry {0}", text)) }
        return id
    }
}
