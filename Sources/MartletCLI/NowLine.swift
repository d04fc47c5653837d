// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletDBus
internal import MartletProtocol
internal import MartletText

/// The mini player: one line that the bus and a clock keep true, and keys that drive the player.
final class NowLine {
    private let service: Service
    private let following: Following
    private var status: PlayerStatus
    /// When the status was read, in microseconds of the monotonic clock.
    private var readAt: Int64 = 0

    init(_ service: Service) throws(Trouble) {
        self.service = service
        following = try Following(service)
        status = try PlayerStatus(service)
        readAt = NowLine.now
    }

    private static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    /// Runs until `q`, the end of the input, a signal or the end of the service.
    func run() throws(Trouble) {
        guard Screen.standard.isTerminal, isatty(STDIN_FILENO) != 0 else {
            throw .usage(tr("now needs a terminal; martlet status --follow is for pipes"))
        }
        let terminal = RawTerminal()
        defer { terminal.restore() }
        while true {
            draw()
            let key = try waitForKey()
            if let key, try !act(on: key) { return }
            if unsafe RawTerminal.wasInterrupted { return }
        }
    }

    private var position: Int64 {
        let moved = status.state == "playing" ? Int64(Double(NowLine.now - readAt) * status.rate) : 0
        return min(status.position + moved, status.length ?? .max)
    }

    private func draw() {
        let screen = Screen.standard
        let width = screen.width ?? 80
        let end = status.length.map { "/" + Clock.text(microseconds: $0) } ?? ""
        let place = Clock.text(microseconds: position) + end
        let barWidth = status.length == nil ? 0 : max(0, min(24, width / 4))
        let room = max(8, width - 4 - place.cellWidth - (barWidth > 0 ? barWidth + 2 : 0))
        var line = status.symbol + " " + Screen.printable(status.name).truncated(toCells: room - 2) + "  " + place
        if barWidth > 0, let length = status.length, length > 0 {
            let filled = Int(Int64(barWidth) * position / length)
            line +=
                "  " + String(repeating: "━", count: filled)
                + screen.styled(String(repeating: "─", count: barWidth - filled), .faint)
        }
        try? Screen.write("\r\u{1B}[K" + line, to: STDOUT_FILENO)
    }

    /// Waits for a key, a change or, while it plays, the next second.
    private func waitForKey() throws(Trouble) -> String? {
        let interfaces = [Service.player, MartletBus.player1, MartletBus.queue1]
        if try following.hears(within: .zero, interfaces) {
            status = try PlayerStatus(service)
            readAt = NowLine.now
            return nil
        }
        // The next full second of the track; a standing one waits for news alone.
        let left = 1_000_000 - position % 1_000_000
        let milliseconds = status.state == "playing" ? Int32(Double(left) / status.rate / 1000) + 1 : -1
        var waits = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: service.bus.fileDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        guard unsafe poll(&waits, 2, milliseconds) > 0, waits[0].revents != 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : "q"
    }

    /// - Returns: Whether to go on.
    private func act(on key: String) throws(Trouble) -> Bool {
        switch key {
        case " ": try service.player("PlayPause")
        case "\u{1B}[C", "\u{1B}OC": try service.player("Seek", [.int64(10_000_000)])
        case "\u{1B}[D", "\u{1B}OD": try service.player("Seek", [.int64(-10_000_000)])
        case "n": try service.player("Next")
        case "p": try service.player("Previous")
        case "+", "=": try service.set(Service.player, "Volume", .double(min(status.volume + 0.05, 1)))
        case "-": try service.set(Service.player, "Volume", .double(max(status.volume - 0.05, 0)))
        case "q", "\u{4}": return false
        default: break
        }
        return true
    }
}

/// The terminal without echo and lines, until it is restored; signals end the wait and nothing else.
private final class RawTerminal {
    private var before = termios()
    private let isChanged: Bool

    nonisolated(unsafe) static var wasInterrupted = false

    init() {
        isChanged = unsafe tcgetattr(STDIN_FILENO, &before) == 0
        var raw = before
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        if isChanged { unsafe tcsetattr(STDIN_FILENO, TCSANOW, &raw) }
        for number in [SIGINT, SIGTERM, SIGHUP] {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = interrupted
            unsafe sigaction(number, &action, nil)
        }
        try? Screen.write("\u{1B}[?25l", to: STDOUT_FILENO)
    }

    func restore() {
        try? Screen.write("\u{1B}[?25h\n", to: STDOUT_FILENO)
        if isChanged { unsafe tcsetattr(STDIN_FILENO, TCSANOW, &before) }
    }
}

/// Runs between any two instructions; a flag is all it may set (signal-safety(7)).
private func interrupted(_: Int32) { unsafe RawTerminal.wasInterrupted = true }
