// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletCore
internal import MartletProtocol
internal import MartletText

/// `--show`: one line in front that lives: state, artist and title, elapsed and length, a bar.
///
/// Drawn by changes; a second hand ticks only while something plays and the line is on a terminal. Elsewhere it is a line for
/// every change of track or state.
@MainActor
final class LiveLine {
    private let player: Player
    private let isTerminal = isatty(STDOUT_FILENO) != 0
    private var alarm: (any Alarm)?
    private var last = ""
    private var isEnded = false

    init(player: Player) {
        self.player = player
        player.observe { [weak self] _ in self?.draw() }
        draw()
    }

    /// Leaves the terminal with the cursor on a line of its own.
    func end() {
        isEnded = true
        alarm?.cancel()
        if isTerminal { write("\n") }
    }

    private func draw() {
        guard !isEnded else { return }
        let width = isTerminal ? LiveLine.columns() : 0
        let text = isTerminal ? line(width: width) : "\(symbol) \(name)"
        if text != last {
            last = text
            write(isTerminal ? "\r\u{1B}[K" + text : text + "\n")
        }
        tick()
    }

    private func tick() {
        alarm?.cancel()
        alarm = nil
        guard isTerminal, player.machine.clock.isRunning else { return }
        let now = player.timekeeper.now
        let position = player.position
        // At the next whole second of the track, not of the clock on the wall.
        let next = Duration.seconds(position.components.seconds + 1)
        let moment = player.machine.clock.instant(reaching: next) ?? now + .seconds(1)
        alarm = player.timekeeper.alarm(at: max(moment, now + .milliseconds(50))) { [weak self] in self?.draw() }
    }

    private var symbol: String {
        switch player.machine.status {
        case .playing: if case .buffering = player.machine.activity { "…" } else { "▶" }
        case .paused: "⏸"
        case .stopped: "■"
        }
    }

    private var name: String {
        guard let entry = player.currentEntry else { return tr("nothing to play") }
        let tags = player.currentDetails?.tags
        let title = tags?.title ?? player.streamTags?.title ?? entry.uri.titleFromName
        let artists = tags?.artists ?? []
        return artists.isEmpty ? title : artists.joined(separator: ", ") + " – " + title
    }

    private func line(width: Int) -> String {
        let elapsed = LiveLine.time(player.position)
        let times = player.machine.length.map { "\(elapsed)/\(LiveLine.time($0))" } ?? elapsed
        let bar = player.machine.length.map { LiveLine.bar(player.position / $0, cells: min(20, width / 4)) } ?? ""
        let tail = "  \(times)" + (bar.isEmpty ? "" : "  \(bar)")
        let room = width - 2 - tail.cellWidth - 1
        return room > 8 ? "\(symbol) " + name.truncated(toCells: room) + tail : "\(symbol) \(times)"
    }

    /// `1:02`, `1:02:03`.
    static func time(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        return hours > 0
            ? "\(hours):\(padded(minutes)):\(padded(seconds % 60))" : "\(minutes):\(padded(seconds % 60))"
    }

    /// A bar of so many cells, filled to a share.
    static func bar(_ share: Double, cells: Int) -> String {
        guard cells > 0 else { return "" }
        let filled = Int((min(max(share, 0), 1) * Double(cells)).rounded(.down))
        return String(repeating: "━", count: filled) + String(repeating: "─", count: cells - filled)
    }

    private static func columns() -> Int {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    private func write(_ text: String) {
        try? Descriptor.write(Array(text.utf8), to: STDOUT_FILENO)
    }
}
