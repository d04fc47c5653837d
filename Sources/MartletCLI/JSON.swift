// SPDX-License-Identifier: Apache-2.0

/// A value as `--json` writes it (RFC 8259). It is only ever written: whoever reads it has a parser.
enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Not a number and infinite are `null`, since JSON has no word for them.
    case number(Double)
    case string(String)
    case array([JSON])
    /// In this order.
    case object([Member])

    struct Member: Hashable, Sendable {
        var name: String
        var value: JSON
    }

    /// On one line, without spaces.
    var text: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value): text += value.isFinite ? "\(value)" : "null"
        case .string(let value): JSON.quote(value, to: &text)
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                JSON.quote(member.name, to: &text)
                text += ":"
                member.value.write(to: &text)
            }
            text += "}"
        }
    }

    private static func quote(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..<"\u{20}", "\u{7F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    /// As a template and a tab-separated line show it: without quotes, lists joined by commas.
    var plain: String {
        switch self {
        case .null: ""
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .number(let value): value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : "\(value)"
        case .string(let value): value
        case .array(let values): values.map(\.plain).joined(separator: ", ")
        case .object: text
        }
    }
}

/// What a command prints, by name: one description of it for `--json`, `--format` and pipes.
struct Record: Hashable, Sendable {
    private(set) var members: [JSON.Member] = []

    mutating func add(_ name: String, _ value: JSON) {
        members.append(JSON.Member(name: name, value: value))
    }

    /// Added as `null` where it is not known.
    mutating func add(_ name: String, _ value: String?) { add(name, value.map(JSON.string) ?? .null) }

    subscript(name: String) -> JSON? { members.first { $0.name == name }?.value }

    var json: JSON { .object(members) }
}
