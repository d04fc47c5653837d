// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletDBus
internal import MartletProtocol

/// What starts, stops and moves.
extension Verb {
    static let playback: [Verb] = [
        Verb(
            name: "play", operands: "[WHAT…]", count: 0...100_000,
            summary: tr("play files, folders, playlists, URIs, or what words find; without any, go on"),
            details: [
                tr("The service is started if it does not run."),
                tr("Of several things that words find, a terminal is asked for one; elsewhere the likeliest plays."),
            ], options: [json], words: .files
        ) { invocation throws(Trouble) in
            let service = try Service()
            guard !invocation.operands.isEmpty else {
                try service.player("Play", starts: true)
                return
            }
            try open(invocation, "replace", service)
        },
        Verb(
            name: "open", operands: "WHAT…", count: 1...100_000,
            summary: tr("the same as play with something to play"), options: [json], words: .files
        ) { invocation throws(Trouble) in
            try open(invocation, "replace", try Service())
        },
        Verb(name: "pause", summary: tr("pause")) { _ throws(Trouble) in try Service().player("Pause") },
        Verb(name: "toggle", aliases: ["play-pause"], summary: tr("pause, or go on")) { _ throws(Trouble) in
            try Service().player("PlayPause", starts: true)
        },
        Verb(name: "next", aliases: ["skip"], summary: tr("go to the next entry")) { _ throws(Trouble) in
            try Service().player("Next")
        },
        Verb(name: "prev", aliases: ["previous"], summary: tr("go to the entry before")) { _ throws(Trouble) in
            try Service().player("Previous")
        },
        Verb(name: "stop", summary: tr("stop")) { _ throws(Trouble) in try Service().player("Stop") },
        Verb(
            name: "seek", operands: "WHERE", count: 1...1,
            summary: tr("go to a place (90, 1:23, 50%) or by a distance (+10, -1:00)"), takesSignedNumbers: true
        ) { invocation throws(Trouble) in
            try seek(invocation.text(0)!, try Service())
        },
        Verb(
            name: "volume", operands: "[LEVEL]", count: 0...1,
            summary: tr("tell the volume in percent, or set it (50) or change it (+5, -5)"), options: [json],
            takesSignedNumbers: true
        ) { invocation throws(Trouble) in
            let service = try Service()
            let now = try service.property(Service.player, "Volume").number ?? 1
            guard let text = invocation.text(0) else {
                let percent = Int64((now * 100).rounded())
                return try invocation.say(invocation.wantsJSON ? JSON.integer(percent).text : "\(percent)")
            }
            let sign = text.first == "+" ? 1.0 : text.first == "-" ? -1.0 : nil
            let digits = text.drop { $0 == "+" || $0 == "-" }
            guard let percent = Clock.decimal(digits.hasSuffix("%") ? digits.dropLast() : digits) else {
                throw .usage(tr("{0} is no volume; write 50, +5 or -5", text))
            }
            let wanted = sign.map { now + $0 * percent / 100 } ?? percent / 100
            guard sign != nil || wanted <= 1 else { throw .usage(tr("a volume is at most 100")) }
            try service.set(Service.player, "Volume", .double(min(max(wanted, 0), 1)))
        },
        Verb(
            name: "mute", operands: "[on|off]", count: 0...1, summary: tr("switch the sound off or on"),
            words: .fixed(["on", "off"])
        ) { invocation throws(Trouble) in
            let service = try Service()
            let wanted: Bool
            if let text = invocation.text(0) {
                wanted = try isOn(text)
            } else {
                wanted = try service.property(MartletBus.player1, "Mute").boolean != true
            }
            try service.set(MartletBus.player1, "Mute", .boolean(wanted))
        },
        Verb(
            name: "rate", operands: "[FACTOR]", count: 0...1,
            summary: tr("tell how fast it plays, or set it (0.5 to 2)"), options: [json]
        ) { invocation throws(Trouble) in
            let service = try Service()
            guard let text = invocation.text(0) else {
                let rate = JSON.number(try service.property(Service.player, "Rate").number ?? 1)
                return try invocation.say(invocation.wantsJSON ? rate.text : rate.plain)
            }
            guard let rate = Clock.decimal(text), (0.5...2).contains(rate) else {
                throw .usage(tr("{0} is no rate; write a number from 0.5 to 2", text))
            }
            try service.set(Service.player, "Rate", .double(rate))
        },
        Verb(
            name: "shuffle", operands: "[off|songs|albums|on]", count: 0...1,
            summary: tr("tell or choose the order: as queued, songs or whole albums at random"),
            words: .fixed(["off", "songs", "albums", "on"])
        ) { invocation throws(Trouble) in
            let service = try Service()
            switch invocation.text(0) {
            case nil: try invocation.say(try service.property(MartletBus.queue1, "ShuffleMode").string ?? "off")
            case "on": try service.set(Service.player, "Shuffle", .boolean(true))
            case .some(let mode) where ["off", "songs", "albums"].contains(mode):
                try service.set(MartletBus.queue1, "ShuffleMode", .string(mode))
            case .some(let other): throw .usage(tr("{0} is no order; write off, songs, albums or on", other))
            }
        },
        Verb(
            name: "repeat", operands: "[off|one|all]", count: 0...1, summary: tr("tell or choose what is repeated"),
            words: .fixed(["off", "one", "all"])
        ) { invocation throws(Trouble) in
            let service = try Service()
            switch invocation.text(0) {
            case nil: try invocation.say(try PlayerStatus(service).repeatWord)
            case "off": try service.set(MartletBus.queue1, "LoopMode", .string("none"))
            case "one": try service.set(MartletBus.queue1, "LoopMode", .string("track"))
            case "all": try service.set(MartletBus.queue1, "LoopMode", .string("queue"))
            case .some(let other): throw .usage(tr("{0} is nothing to repeat; write off, one or all", other))
            }
        },
    ]

    private static let json = Option.json

    static func isOn(_ text: String) throws(Trouble) -> Bool {
        switch text {
        case "on", "yes", "true", "1": return true
        case "off", "no", "false", "0": return false
        default: throw .usage(tr("{0} is neither on nor off", text))
        }
    }

    private static func open(_ invocation: Invocation, _ mode: String, _ service: Service) throws(Trouble) {
        if let found = try Finding.meant(by: invocation, service) { return try found.play(mode, service) }
        let answer = try service.own(
            MartletBus.player1, "OpenFiles",
            [
                .array(invocation.operands.map { .bytes($0) }, of: .array(of: .byte)), .bytes(workingFolder),
                .string(mode),
            ],
            starts: true)
        try report(problems: answer.last, accepted: Int(answer.first?.integer ?? 0))
    }

    /// Tells what gave nothing; that nothing at all came of it is the command's failure.
    static func report(problems: BusValue?, accepted: Int) throws(Trouble) {
        let told = (problems?.array ?? []).compactMap(\.structure).map {
            tr("{0}: {1}", Screen.printable($0[0].string ?? ""), $0[1].string ?? "")
        }
        guard accepted > 0 else { throw .nothing(told.isEmpty ? tr("there is nothing to play in it") : told[0]) }
        for problem in told { try? Screen.write("martlet: \(problem)\n", to: STDERR_FILENO) }
    }

    static var workingFolder: [UInt8] {
        guard let path = unsafe getcwd(nil, 0) else { return [UInt8(ascii: "/")] }
        defer { unsafe free(path) }
        return unsafe Array(UnsafeBufferPointer(start: path, count: strlen(path))).map { UInt8(bitPattern: $0) }
    }

    private static func seek(_ text: String, _ service: Service) throws(Trouble) {
        let bad = Trouble.usage(tr("{0} is no place; write 90, 1:23, 50%, +10 or -10", text))
        if let sign = text.first, sign == "+" || sign == "-" {
            guard let distance = Clock.microseconds(text.dropFirst()) else { throw bad }
            try service.player("Seek", [.int64(sign == "+" ? distance : -distance)])
            return
        }
        let status = try PlayerStatus(service)
        guard let entry = status.entry, let track = ObjectPath(MartletBus.entryPrefix + String(entry)) else {
            throw .nothing(tr("nothing plays"))
        }
        var target: Int64
        if text.hasSuffix("%") {
            guard let percent = Clock.decimal(text.dropLast()), percent <= 100 else { throw bad }
            guard let length = status.length else { throw .refused(tr("how long it is is not known")) }
            target = Int64(Double(length) * percent / 100)
        } else {
            guard let place = Clock.microseconds(text) else { throw bad }
            target = place
            if let length = status.length, place > length {
                throw .refused(tr("it is {0} long", Clock.text(microseconds: length)))
            }
        }
        try service.player("SetPosition", [.objectPath(track), .int64(target)])
    }
}
