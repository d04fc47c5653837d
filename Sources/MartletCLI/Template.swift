// SPDX-License-Identifier: Apache-2.0
internal import MartletProtocol

/// `--format`: a text in which `{name}` stands for what a record has of that name; `{{` and `}}` are braces.
///
/// What is not known is empty. `\n` and `\t` are what they are in other programs' templates.
struct Template: Hashable, Sendable {
    private enum Piece: Hashable, Sendable {
        case text(String)
        case name(String)
    }

    private var pieces: [Piece] = []

    /// - Parameter names: Those a record has.
    /// - Throws: Usage, for a brace without its other half and a name that is none.
    init(_ text: String, names: [String]) throws(Trouble) {
        var plain = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            switch character {
            case "{" where rest.first == "{", "}" where rest.first == "}":
                plain.append(character)
                rest.removeFirst()
            case "{":
                guard let end = rest.firstIndex(of: "}") else {
                    throw .usage(tr("a {{ in the format has no }}; write {{{{ for a brace"))
                }
                let name = String(rest[..<end])
                guard names.contains(name) else {
                    throw .usage(tr("the format knows no {0}; there are {1}", name, names.joined(separator: ", ")))
                }
                if !plain.isEmpty { pieces.append(.text(plain)) }
                plain = ""
                pieces.append(.name(name))
                rest = rest[rest.index(after: end)...]
            case "}": throw .usage(tr("a }} in the format has no {{; write }}}} for a brace"))
            case "\\" where rest.first == "n":
                plain.append("\n")
                rest.removeFirst()
            case "\\" where rest.first == "t":
                plain.append("\t")
                rest.removeFirst()
            default: plain.append(character)
            }
        }
        if !plain.isEmpty { pieces.append(.text(plain)) }
    }

    func filled(from record: Record) -> String {
        pieces.reduce(into: "") { text, piece in
            switch piece {
            case .text(let plain): text += plain
            case .name(let name): text += Screen.printable(record[name]?.plain ?? "")
            }
        }
    }
}
