// SPDX-License-Identifier: Apache-2.0
internal import MartletProtocol

/// The text of `martlet.conf`: a key file as the Desktop Entry Specification lays down (groups, `key=value`, `#`).
///
/// What it does not understand is a warning with its line, never a refusal: a setting of a newer version must not
/// keep an older one from playing.
public enum ConfigurationFile {
    /// One line that has no effect, and why.
    public struct Warning: Hashable, Sendable {
        /// From 1.
        public var line: Int
        public var message: String
    }

    /// Reads the text into a configuration; later lines win.
    public static func read(_ text: String, into configuration: inout Configuration) -> [Warning] {
        var warnings: [Warning] = []
        var group: String?
        var isKnownGroup = false
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, raw) in lines.enumerated() {
            func warn(_ message: String) { warnings.append(Warning(line: index + 1, message: message)) }
            let line = trim(index == 0 && raw.first == "\u{FEFF}" ? raw.dropFirst() : raw)
            if line.isEmpty || line.hasPrefix("#") { continue }
            if line.hasPrefix("[") {
                guard line.hasSuffix("]"), line.count > 2 else {
                    warn(tr("a group is written [name]"))
                    group = nil
                    continue
                }
                let name = String(line.dropFirst().dropLast())
                group = name
                isKnownGroup = Configuration.settings.contains { $0.group == name }
                if !isKnownGroup { warn(tr("unknown group [{0}]", name)) }
                continue
            }
            guard let equals = line.firstIndex(of: "=") else {
                warn(tr("expected key=value"))
                continue
            }
            guard let group else {
                warn(tr("a setting must stand under a [group]"))
                continue
            }
            guard isKnownGroup else { continue }
            let key = String(trim(line[..<equals]))
            let value = String(trim(line[line.index(after: equals)...]))
            guard let setting = Configuration.settings.first(where: { $0.group == group && $0.key == key }) else {
                warn(tr("unknown setting {0} in [{1}]", key, group))
                continue
            }
            if let problem = setting.read(&configuration, value) {
                warn("\(key)=\(value): \(problem)")
            }
        }
        return warnings
    }

    /// The whole file for a configuration, each setting with its meaning above it; what reading gives back unchanged.
    public static func text(of configuration: Configuration) -> String {
        var result = ""
        var group: String?
        for setting in Configuration.settings {
            if setting.group != group {
                result += (group == nil ? "" : "\n") + "[\(setting.group)]\n"
                group = setting.group
            }
            result += "# \(setting.summary): \(setting.values)\n\(setting.key)=\(setting.write(configuration))\n"
        }
        return result
    }

    private static func trim(_ text: Substring) -> Substring {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }
}

extension ConfigurationFile {
    /// The text with one setting changed: in its own line where it has one, else at the end of its group.
    ///
    /// - Parameter name: `group.key`.
    static func setting(_ name: String, to value: String, in text: String) -> String {
        guard let dot = name.firstIndex(of: ".") else { return text }
        let (group, key) = (name[..<dot], name[name.index(after: dot)...])
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        if lines.last == "" { lines.removeLast() }
        let line = "\(key)=\(value)"
        var end: Int?
        var isInside = false
        for (index, existing) in lines.enumerated() {
            let trimmed = trim(existing[...])
            if trimmed.hasPrefix("[") {
                isInside = trimmed == "[\(group)]"
                if isInside { end = index + 1 }
            } else if isInside, !trimmed.isEmpty {
                end = index + 1
                let name = trimmed.prefix { $0 != "=" }
                if trim(name) == key, name.endIndex < trimmed.endIndex {
                    lines[index] = line
                    return lines.joined(separator: "\n") + "\n"
                }
            }
        }
        if let end {
            lines.insert(line, at: end)
        } else {
            if !lines.isEmpty { lines.append("") }
            lines += ["[\(group)]", line]
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
