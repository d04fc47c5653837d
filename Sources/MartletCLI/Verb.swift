// SPDX-License-Identifier: Apache-2.0
internal import MartletProtocol

/// A thing `martlet` can do. The parser, the help, the manual and the completions read this.
struct Verb: Sendable {
    /// What may follow a verb.
    struct Option: Sendable, Hashable {
        /// Without its dashes.
        var name: String
        /// What its value is called; `nil` for a switch.
        var value: String?
        var summary: String

        static let json = Option(name: "json", summary: tr("write JSON, one object or array on a line"))
        static let format = Option(
            name: "format", value: "TEMPLATE", summary: tr("write this, with {name} replaced by what is of that name"))
        static let follow = Option(name: "follow", summary: tr("go on, with a line for each change"))

        init(name: String, value: String? = nil, summary: String) {
            self.name = name
            self.value = value
            self.summary = summary
        }
    }

    /// What the completions offer for an operand.
    enum Words: Sendable, Hashable {
        case none
        case files
        case fixed([String])
        case settings
        case entries
        case playlists
    }

    /// Words of one or two: "queue add" is a verb of its own.
    var name: String
    var aliases: [String] = []
    /// The operands as the help shows them.
    var operands = ""
    var count: ClosedRange<Int> = 0...0
    var summary: String
    /// Sentences more for the help and the manual.
    var details: [String] = []
    var options: [Option] = []
    /// Whether what begins with a minus is an operand when it goes on with a digit.
    var takesSignedNumbers = false
    /// Whether everything that begins with one minus is an operand: what is searched may.
    var takesMinus = false
    var words = Words.none
    var run: @Sendable (Invocation) throws(Trouble) -> Void
}

/// What a verb was given.
struct Invocation {
    var verb: Verb
    /// Bytes: names of files have no encoding.
    var operands: [[UInt8]] = []
    var options: [String: String] = [:]

    /// An operand as text.
    func text(_ index: Int) -> String? {
        operands.indices.contains(index) ? String(decoding: operands[index], as: UTF8.self) : nil
    }

    /// The operands as a person would write them to be found: one that has a space is kept together.
    var words: String {
        operands.map { operand in
            let text = String(decoding: operand, as: UTF8.self)
            return text.contains(" ") && !text.contains("\"") && operands.count > 1 ? "\"\(text)\"" : text
        }.joined(separator: " ")
    }

    var wantsJSON: Bool { options["json"] != nil }
    var follows: Bool { options["follow"] != nil }

    /// Writes a line; a pipe that is closed ends the command.
    func say(_ text: String) throws(Trouble) {
        do throws(Screen.Closed) {
            try Screen.standard.line(text)
        } catch {
            throw error.code == 32 ? .pipeClosed : .refused(tr("cannot write: {0}", error.reason))
        }
    }

    /// Takes a command line apart.
    ///
    /// - Parameter arguments: Without the program's own name.
    static func read(_ arguments: [[UInt8]], verbs: [Verb]) throws(Trouble) -> Invocation {
        var words = arguments[...]
        guard let first = words.popFirst().map({ String(decoding: $0, as: UTF8.self) }) else {
            throw .usage(tr("what shall it do? martlet help lists the verbs"))
        }
        var verb: Verb?
        if let second = words.first {
            verb = find("\(first) \(String(decoding: second, as: UTF8.self))", in: verbs)
            if verb != nil { words.removeFirst() }
        }
        if verb == nil { verb = find(first, in: verbs) }
        guard let verb else { throw unknown(first, words.first, verbs) }
        // What takes no operands, and is the first word of others, was meant to be one of those.
        let isGroup = verb.count == 0...0 && verbs.contains { $0.name.hasPrefix(verb.name + " ") }
        if isGroup, let second = words.first, second.first != UInt8(ascii: "-") { throw unknown(first, second, verbs) }
        var invocation = Invocation(verb: verb)
        while let word = words.popFirst() {
            let isNumber = verb.takesSignedNumbers && word.dropFirst().first.map { (0x30...0x39).contains($0) } == true
            let isExclusion = verb.takesMinus && !word.starts(with: Array("--".utf8)) && word != Array("-h".utf8)
            guard word.first == UInt8(ascii: "-"), word.count > 1, !isNumber, !isExclusion else {
                invocation.operands.append(word)
                continue
            }
            if word == Array("--".utf8) {
                invocation.operands += words
                break
            }
            try invocation.take(String(decoding: word, as: UTF8.self), &words)
        }
        guard verb.count.contains(invocation.operands.count) || invocation.options["help"] != nil else {
            throw .usage(tr("usage: martlet {0}", verb.synopsis))
        }
        return invocation
    }

    private mutating func take(_ word: String, _ rest: inout ArraySlice<[UInt8]>) throws(Trouble) {
        if word == "-h" || word == "--help" { return options["help"] = "" }
        let name = String(word.drop { $0 == "-" }.prefix { $0 != "=" })
        guard word.hasPrefix("--"), let option = verb.options.first(where: { $0.name == name }) else {
            let known = (verb.options.map { "--\($0.name)" } + ["--help"]).joined(separator: ", ")
            throw .usage(tr("{0} knows no {1}; there are {2}", verb.name, word, known))
        }
        let value = word.firstIndex(of: "=").map { String(word[word.index(after: $0)...]) }
        switch (option.value, value) {
        case (nil, nil): options[name] = ""
        case (nil, .some): throw .usage(tr("--{0} takes no value", name))
        case (.some, .some(let value)): options[name] = value
        case (.some(let what), nil):
            guard let next = rest.popFirst() else { throw .usage(tr("--{0} needs {1}", name, what)) }
            options[name] = String(decoding: next, as: UTF8.self)
        }
    }

    private static func find(_ name: String, in verbs: [Verb]) -> Verb? {
        verbs.first { $0.name == name || $0.aliases.contains(name) }
    }

    private static func unknown(_ word: String, _ next: [UInt8]?, _ verbs: [Verb]) -> Trouble {
        // The first words of those that have two.
        let groups = Set(verbs.compactMap { $0.name.contains(" ") ? String($0.name.prefix { $0 != " " }) : nil })
        if groups.contains(word), let next {
            let inside = verbs.filter { $0.name.hasPrefix(word + " ") }.map {
                String($0.name.dropFirst(word.count + 1))
            }
            let second = String(decoding: next, as: UTF8.self)
            guard let meant = Spelling.nearest(to: second, among: inside) else {
                return .usage(tr("{0} has no {1}; there are {2}", word, second, inside.joined(separator: ", ")))
            }
            return .usage(tr("{0} has no {1}; did you mean martlet {0} {2}?", word, second, meant))
        }
        let names = verbs.flatMap { [$0.name] + $0.aliases }.map { String($0.prefix { $0 != " " }) }
        guard let meant = Spelling.nearest(to: word, among: Array(Set(names)).sorted()) else {
            return .usage(tr("there is no verb {0}; martlet help lists them", word))
        }
        return .usage(tr("there is no verb {0}; did you mean martlet {1}?", word, meant))
    }
}

extension Verb {
    /// The verb with what follows it.
    var synopsis: String {
        let shown = options.map { option in option.value.map { "[--\(option.name) \($0)]" } ?? "[--\(option.name)]" }
        return ([name] + (operands.isEmpty ? [] : [operands]) + shown).joined(separator: " ")
    }
}

extension Trouble {
    /// Nobody reads what is written: the command is over, and nothing is wrong.
    static let pipeClosed = Trouble(exit: .done, message: "")
}
