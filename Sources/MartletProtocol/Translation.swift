// SPDX-License-Identifier: Apache-2.0

/// The user's language for a text of ours; the one door every sentence for people goes through.
///
/// The key is the English text itself. `{0}`, `{1}`, … are replaced by the arguments, in whatever order the
/// translation needs; an argument is never searched for placeholders. A brace pair without such a number stays.
/// - Parameters:
///   - text: A literal: the extraction script finds it by this call's form.
///   - arguments: Valid text, already fit to show.
public func tr(_ text: StaticString, _ arguments: String...) -> String {
    let pattern = "\(text)"
    guard !arguments.isEmpty else { return pattern }
    var result = ""
    var rest = pattern[...]
    while let open = rest.firstIndex(of: "{") {
        result += rest[..<open]
        let inside = rest[rest.index(after: open)...]
        if let close = inside.firstIndex(of: "}"), let number = Int(inside[..<close]),
            arguments.indices.contains(number)
        {
            result += arguments[number]
            rest = inside[inside.index(after: close)...]
        } else {
            result += "{"
            rest = inside
        }
    }
    return result + rest
}
