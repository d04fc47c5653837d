// SPDX-License-Identifier: Apache-2.0
internal import MartletProtocol

/// `martletd`'s command line, taken apart.
public struct Options: Hashable, Sendable {
    /// What to do instead of serving.
    public enum Request: Hashable, Sendable {
        case serve
        case help
        case version
        case printConfiguration
    }

    public var request = Request.serve
    public var sink: String?
    public var logLevel: Log.Level?
    public var configurationPath: String?
    public var usesSession = true
    public var usesBus = true
    public var isSeparateInstance = false
    public var showsLiveLine = false
    public var playsDemo = false
    /// Files, folders, playlists and URIs, as bytes: names on Linux have no encoding.
    public var arguments: [[UInt8]] = []
    /// The options as they were written, but for what asks to play something: what a process in place of this one is given.
    var lasting: [[UInt8]] = []

    public init() {}

    /// A command line that cannot be meant.
    public struct Mistake: Error, Hashable, Sendable {
        /// One sentence.
        public var message: String
    }

    /// One option: the row from which the parser, `--help` and the manual page come.
    public struct Row: Sendable {
        public var name: String
        /// What stands behind it, or `nil` for a switch.
        public var value: String?
        public var summary: String
        var apply: @Sendable (inout Options, String) -> String?
    }

    private static func flag(
        _ name: String, _ summary: String, _ apply: @escaping @Sendable (inout Options) -> Void
    ) -> Row {
        Row(name: name, value: nil, summary: summary) { options, _ in
            apply(&options)
            return nil
        }
    }

    /// Every option, in the order of `--help`.
    public static let rows: [Row] = [
        flag("--help", tr("show this help and leave")) { $0.request = .help },
        flag("--version", tr("show the version and leave")) { $0.request = .version },
        Row(
            name: "--sink", value: tr("SINK"),
            summary: tr("where the sound goes: auto, null, or a GStreamer sink description")
        ) { options, value in
            guard !value.isEmpty else { return tr("a sink description must not be empty") }
            options.sink = value
            return nil
        },
        Row(
            name: "--log-level", value: tr("LEVEL"),
            summary: tr("how much to tell: {0}", Log.Level.allCases.map(\.name).joined(separator: ", "))
        ) { options, value in
            guard let level = Log.Level(name: value) else {
                return tr("expected one of {0}", Log.Level.allCases.map(\.name).joined(separator: ", "))
            }
            options.logLevel = level
            return nil
        },
        Row(name: "--config", value: tr("FILE"), summary: tr("read this configuration instead of the user's")) {
            options, value in
            guard !value.isEmpty else { return tr("a file name must not be empty") }
            options.configurationPath = value
            return nil
        },
        flag("--print-config", tr("show the configuration in force and leave")) { $0.request = .printConfiguration },
        flag("--no-session", tr("neither restore the last session nor save this one")) { $0.usesSession = false },
        flag("--no-bus", tr("play on without a session bus, and join one when it appears")) { $0.usesBus = false },
        flag("--instance", tr("be a player of its own beside one that runs already")) { $0.isSeparateInstance = true },
        flag("--show", tr("stay in front with one live line")) { $0.showsLiveLine = true },
        flag("--demo", tr("play the built-in demo album")) { $0.playsDemo = true },
    ]

    /// Takes a command line apart; `--` ends the options, `--name=value` and `--name value` are the same.
    ///
    /// - Parameter arguments: Without the program's own name.
    /// - Throws: ``Mistake`` for the first thing that cannot be meant.
    public init(arguments: [[UInt8]]) throws(Mistake) {
        var rest = arguments[...]
        while let argument = rest.first {
            let start = rest.startIndex
            rest.removeFirst()
            guard argument.starts(with: "-".utf8), argument.count > 1 else {
                self.arguments.append(argument)
                continue
            }
            if argument == Array("--".utf8) {
                self.arguments += rest
                return
            }
            let text = String(decoding: argument, as: UTF8.self)
            let name = text.prefix { $0 != "=" }
            guard let row = Options.rows.first(where: { $0.name == name || Options.short[String(name)] == $0.name })
            else {
                throw Mistake(message: tr("unknown option {0}; martletd --help lists them", Options.shortened(text)))
            }
            var value = ""
            if row.value != nil {
                if name.endIndex < text.endIndex {
                    value = String(text[text.index(after: name.endIndex)...])
                } else if let next = rest.popFirst() {
                    value = String(decoding: next, as: UTF8.self)
                } else {
                    throw Mistake(message: tr("{0} needs a value", row.name))
                }
            } else if name.endIndex < text.endIndex {
                throw Mistake(message: tr("{0} takes no value", row.name))
            }
            if let problem = row.apply(&self, value) {
                throw Mistake(message: "\(row.name) \(Options.shortened(value)): \(problem)")
            }
            if row.name != "--demo" { lasting += arguments[start..<rest.startIndex] }
        }
    }

    private static let short = ["-h": "--help", "-V": "--version"]

    private static func shortened(_ text: String) -> String {
        text.count > 80 ? text.prefix(79) + "…" : text
    }

    /// The text of `--help`.
    public static var help: String {
        var lines = [
            tr("Usage: martletd [OPTION…] [FILE|FOLDER|PLAYLIST|URI…]"),
            tr("A music player service for the whole desktop (MPRIS)."),
            "",
        ]
        let names = rows.map { row in row.value.map { "\(row.name) \($0)" } ?? row.name }
        let width = names.map(\.count).max() ?? 0
        for (name, row) in zip(names, rows) {
            lines.append("  " + name + String(repeating: " ", count: width + 2 - name.count) + row.summary)
        }
        lines += [
            "",
            tr("With a player already running, the arguments are handed over to it."),
            tr("Files: martlet.conf in $XDG_CONFIG_HOME/martlet; see martletd(1)."),
        ]
        return lines.joined(separator: "\n") + "\n"
    }
}
