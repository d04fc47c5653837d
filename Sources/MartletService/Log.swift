// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// One line a fact on standard error: with a journal priority where systemd reads it, with a word otherwise.
///
/// Messages are for people and go through `tr`; paths, queries and what libraries said are told at ``Level/debug`` only
/// (`sd-daemon(3)`: the `<N>` prefixes).
public struct Log: Sendable {
    public enum Level: Int, Sendable, CaseIterable, Comparable {
        case error = 3
        case warning = 4
        case notice = 5
        case info = 6
        case debug = 7

        public init?(name: String) {
            guard let level = Level.allCases.first(where: { $0.name == name }) else { return nil }
            self = level
        }

        public var name: String { "\(self)" }

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    public var level: Level
    private let hasJournal: Bool

    /// - Parameter hasJournal: Whether standard error is a journal's stream (`$JOURNAL_STREAM` names it).
    public init(level: Level, hasJournal: Bool) {
        self.level = level
        self.hasJournal = hasJournal
    }

    public func error(_ message: String) { write(.error, message) }
    public func warning(_ message: String) { write(.warning, message) }
    public func notice(_ message: String) { write(.notice, message) }
    public func info(_ message: @autoclosure () -> String) { if level >= .info { write(.info, message()) } }
    public func debug(_ message: @autoclosure () -> String) { if level >= .debug { write(.debug, message()) } }

    private func write(_ level: Level, _ message: String) {
        guard level <= self.level else { return }
        let text = message.unicodeScalars.map { $0 == "\n" || $0 == "\r" ? " " : Character($0) }
        var line = hasJournal ? "<\(level.rawValue)>" : "martletd: \(level.name): "
        line += String(text)
        line += "\n"
        // One write a line: lines of several threads must not mix, and nothing may be lost at a crash.
        // Nobody is left to be told of a log that cannot be written.
        try? Descriptor.write(Array(line.utf8), to: STDERR_FILENO)
    }
}
