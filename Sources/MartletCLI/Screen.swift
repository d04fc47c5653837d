// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletText

/// Where a command writes to: a terminal with a width and colours, or a pipe that gets plain lines.
struct Screen: Sendable {
    /// Cells in a line; `nil` when it is no terminal, and nothing is cut.
    var width: Int?
    /// Never in a pipe, and not where `NO_COLOR` is set (no-color.org) or the terminal is dumb.
    var hasColours: Bool

    var isTerminal: Bool { width != nil }

    /// Standard output as it is now.
    static var standard: Screen {
        guard isatty(STDOUT_FILENO) != 0 else { return Screen(width: nil, hasColours: false) }
        var size = winsize()
        let isKnown = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        let isPlain = unsafe (getenv("NO_COLOR").map { unsafe $0.pointee != 0 } ?? false)
        let isDumb = unsafe getenv("TERM").map { unsafe String(cString: $0) } == "dumb"
        return Screen(width: isKnown ? Int(size.ws_col) : 80, hasColours: !isPlain && !isDumb)
    }

    enum Style: String {
        case strong = "1"
        case faint = "2"
        case good = "32"
        case bad = "31"
    }

    func styled(_ text: String, _ style: Style) -> String {
        hasColours && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Writes a line, all of it.
    ///
    /// - Throws: ``Closed`` when nobody reads any more: a command in a pipe that is over leaves without a word.
    func line(_ text: String) throws(Closed) { try Screen.write(text + "\n", to: STDOUT_FILENO) }

    static func write(_ text: String, to descriptor: CInt) throws(Closed) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Closed(code: errno) }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Standard output takes no more.
    struct Closed: Error {
        var code: Int32
        var reason: String { unsafe String(cString: strerror(code)) }
    }

    /// A text from a file as one line that does nothing to a terminal: control characters become spaces.
    static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? " " : $0 }))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

/// Lines with the same things in the same columns.
struct Columns {
    struct Column {
        var title: String
        var alignment = CellAlignment.leading
        /// Gets narrower when the terminal is too narrow for all.
        var isFlexible = false
    }

    var columns: [Column]
    private(set) var rows: [[String]] = []
    /// The rows that are shown strong.
    private(set) var marked: Set<Int> = []

    init(_ columns: [Column]) { self.columns = columns }

    mutating func add(_ cells: [String], isMarked: Bool = false) {
        if isMarked { marked.insert(rows.count) }
        rows.append(cells.map(Screen.printable))
    }

    /// On a terminal aligned, with a head; elsewhere the cells with a tab between, and no head.
    func lines(on screen: Screen) -> [String] {
        guard let width = screen.width else { return rows.map { $0.joined(separator: "\t") } }
        var widths = columns.indices.map { column in
            max(columns[column].title.cellWidth, rows.map { $0[column].cellWidth }.max() ?? 0)
        }
        let gaps = 2 * (columns.count - 1)
        while widths.reduce(gaps, +) > width,
            let widest = columns.indices.filter({ columns[$0].isFlexible && widths[$0] > 8 })
                .max(by: { widths[$0] < widths[$1] })
        {
            widths[widest] -= 1
        }
        func row(_ cells: [String]) -> String {
            zip(columns.indices, cells).map { column, cell in
                cell.fitted(toCells: widths[column], alignment: columns[column].alignment)
            }.joined(separator: "  ").trimmingEnd()
        }
        return [screen.styled(row(columns.map(\.title)), .faint)]
            + rows.enumerated().map {
                marked.contains($0.offset) ? screen.styled(row($0.element), .strong) : row($0.element)
            }
    }
}

extension String {
    fileprivate func trimmingEnd() -> String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

/// Times as people write them.
enum Clock {
    /// 1:02, 12:34, 1:02:03.
    static func text(microseconds: Int64) -> String {
        let seconds = max(microseconds, 0) / 1_000_000
        let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
        let tail = (rest < 10 ? "0" : "") + String(rest)
        guard hours > 0 else { return "\(minutes):\(tail)" }
        return "\(hours):\(minutes < 10 ? "0" : "")\(minutes):\(tail)"
    }

    /// Reads 90, 1.5, 1:30, 1:02:03; in microseconds. `nil` for what is no time.
    static func microseconds(_ text: some StringProtocol) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count), let last = parts.last, let seconds = decimal(last) else { return nil }
        var whole: Int64 = 0
        for part in parts.dropLast() {
            guard part.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int64(part), number < 1_000_000 else {
                return nil
            }
            whole = whole * 60 + number
        }
        guard parts.count == 1 || seconds < 60, seconds < 1e9 else { return nil }
        return (whole * (parts.count > 1 ? 60 : 0)) * 1_000_000 + Int64((seconds * 1e6).rounded())
    }

    /// A number without a sign, an exponent or a name.
    static func decimal(_ text: some StringProtocol) -> Double? {
        guard !text.isEmpty, text.first != ".", text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }) else {
            return nil
        }
        return Double(String(text))
    }
}
