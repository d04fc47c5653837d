// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus
internal import MartletProtocol
internal import MartletText

/// The verbs told: the help, the manual page and what the shells complete, all of them out of the one table.
enum Manual {
    static var overview: String {
        let names = Verb.all.map { ([$0.name, $0.operands].filter { !$0.isEmpty }).joined(separator: " ") }
        let width = min(names.map(\.cellWidth).max() ?? 0, 34)
        var lines = [tr("Usage: martlet VERB [WHAT…]"), tr("Drives martletd, the music player without a window."), ""]
        for (name, verb) in zip(names, Verb.all) {
            let head = "  " + name.fitted(toCells: max(width, name.cellWidth))
            if name.cellWidth > width {
                lines += [head, String(repeating: " ", count: width + 4) + verb.summary]
            } else {
                lines.append(head + "  " + verb.summary)
            }
        }
        lines += [
            "", tr("martlet help VERB tells more of one. What lists takes --json for programs."),
            tr("Exit: 0 done, 1 nothing found, 2 usage, 3 no service, 4 refused or failed."),
        ]
        return lines.joined(separator: "\n")
    }

    static func help(for verb: Verb) -> String {
        var lines = [tr("Usage: martlet {0}", verb.synopsis), sentence(verb.summary)]
        if !verb.aliases.isEmpty { lines.append(tr("Also: {0}", verb.aliases.joined(separator: ", "))) }
        lines += verb.details
        if !verb.options.isEmpty {
            let names = verb.options.map { option in option.value.map { "--\(option.name) \($0)" } ?? "--\(option.name)"
            }
            let width = names.map(\.count).max() ?? 0
            lines.append("")
            for (name, option) in zip(names, verb.options) {
                lines.append("  " + name.fitted(toCells: width) + "  " + option.summary)
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + "."
    }

    /// martlet(1), in mdoc(7).
    static var page: String {
        var lines = [
            ".\\\" SPDX-License-Identifier: Apache-2.0", ".\\\" Written by `martlet --man` from the table of verbs.",
            ".Dd December 1, 2026", ".Dt MARTLET 1", ".Os", ".Sh NAME", ".Nm martlet",
            ".Nd drive the music player without a window", ".Sh SYNOPSIS", ".Nm", ".Ar verb", ".Op Ar what ...",
            ".Sh DESCRIPTION",
            "Does one thing with", ".Xr martletd 1 ,", "over the session bus, and leaves.",
            "What plays is started by the bus if it does not run; what only tells says so and leaves with 3.", ".Pp",
            "On a terminal lists have columns; in a pipe a line is the same things with a tab between, without a head.",
            ".Bl -tag -width Ds",
        ]
        for verb in Verb.all {
            lines.append(
                ".It Cm \(escaped(verb.name))" + (verb.operands.isEmpty ? "" : " Ar \(escaped(verb.operands))"))
            lines.append(escaped(sentence(verb.summary)))
            lines += verb.details.map(escaped)
            for option in verb.options {
                lines.append(
                    escaped("--\(option.name)" + (option.value.map { " \($0)" } ?? "") + ": \(option.summary)."))
            }
        }
        lines +=
            [
                ".El", ".Sh JSON",
                "The members of what --json writes keep their names and meanings; others may be added.",
                "Of status: \(PlayerStatus.names.joined(separator: ", ")).",
                "Of an entry of the queue: \(QueueLine.names.joined(separator: ", ")).",
                "Of search: tracks, albums, artists and playlists, each with count, more and items.",
            ] + LibraryListing.allCases.map { "Of \($0.rawValue): \($0.names.joined(separator: ", "))." } + [
                "Positions and lengths are seconds, ratings 0 to 5 stars; what is not known is null.",
                ".Sh ENVIRONMENT", ".Bl -tag -width Ds",
                ".It Ev NO_COLOR", "Set, no colours are written.", ".It Ev DBUS_SESSION_BUS_ADDRESS",
                "Where the session bus is.", ".El", ".Sh EXIT STATUS", ".Bl -tag -width Ds", ".It 0", "Done.", ".It 1",
                "Nothing was found.", ".It 2", "The command line cannot be meant.", ".It 3", "There is no service.",
                ".It 4",
                "The service refused, or failed.", ".El", ".Sh SEE ALSO", ".Xr martletd 1 ,", ".Xr playerctl 1",
            ]
        return lines.joined(separator: "\n")
    }

    private static func escaped(_ text: String) -> String {
        var text = text.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\e")
        if text.first == "." || text.first == "'" { text = "\\&" + text }
        return text.split(separator: "-", omittingEmptySubsequences: false).joined(separator: "\\-")
    }

    // MARK: Completion

    /// What may stand at the end of a command line, a line each; `files` stands for names of files.
    ///
    /// - Parameter words: What was typed after `martlet`, the unfinished word last.
    static func completions(of words: [String]) -> [String] {
        let typed = words.last ?? ""
        let before = words.dropLast()
        var offered: [String] = []
        let head = before.prefix(2).joined(separator: " ")
        let verb =
            Verb.all.first { $0.name == head && before.count >= 2 || $0.aliases.contains(head) && before.count >= 2 }
            ?? Verb.all.first { verb in before.first.map { verb.name == $0 || verb.aliases.contains($0) } ?? false }
        if before.isEmpty {
            offered = Array(Set(Verb.all.map { String($0.name.prefix { $0 != " " }) })).sorted()
        } else if let verb {
            if typed.hasPrefix("-") {
                offered = verb.options.map { "--\($0.name)" } + ["--help"]
            } else {
                if before.count == 1 {
                    offered = Verb.all.compactMap { other in
                        other.name.hasPrefix(before.first! + " ")
                            ? String(other.name.dropFirst(before.first!.count + 1)) : nil
                    }
                }
                offered += live(verb)
            }
        }
        return offered.filter { $0.hasPrefix(typed) || $0 == "files" }
    }

    private static func live(_ verb: Verb) -> [String] {
        switch verb.words {
        case .none: return []
        case .files: return ["files"]
        case .fixed(let words): return words
        case .settings:
            let settings = try? Service().property(MartletBus.player1, "Config").dictionary?.keys
            return (settings ?? nil)?.sorted() ?? []
        case .entries:
            let count = (try? Service().property(MartletBus.queue1, "Count").integer) ?? nil
            return (0..<min(count ?? 0, 200)).map { String($0 + 1) }
        case .playlists:
            let lists = (try? Service()).flatMap { try? Verb.all($0) } ?? []
            return lists.compactMap { $0["name"]?.string }
        }
    }
}
