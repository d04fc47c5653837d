// SPDX-License-Identifier: Apache-2.0
internal import MartletProtocol

/// What the user may set: the values of `martlet.conf` and of the options that override it.
public struct Configuration: Hashable, Sendable {
    /// What MPRIS' `Previous` does late in a track.
    public enum Previous: String, Sendable, CaseIterable {
        /// Always the entry before, as the specification says.
        case entry
        /// Within three seconds the entry before, later this one's start.
        case restart
    }

    /// What `Play` does on an empty queue.
    public enum OnEmpty: String, Sendable, CaseIterable {
        case nothing
        case library
    }

    public var previous = Previous.entry
    public var onEmpty = OnEmpty.nothing
    /// `auto`, `null`, or a GStreamer sink description.
    public var sink = "auto"
    /// Where the collection's music lies, as written: absolute, or below the home folder with `~`.
    public var libraryFolders = Configuration.usualLibraryFolders
    /// Charset of old tags that declare none, as iconv names it, or `auto` to judge by the bytes.
    public var fallbackCharset = "auto"
    /// Bytes the picture cache may take.
    public var artworkCacheLimit = 200 * 1024 * 1024
    public var logLevel = Log.Level.notice

    public init() {}

    /// What is taken without a word of the user's, if it is there.
    static let usualLibraryFolders = ["~/Music"]
}

/// One setting: the row from which the file's parser, the members on the bus and the manual page come.
public struct Setting: Sendable {
    public var group: String
    public var key: String
    /// What may be written there, in words.
    public var values: String
    public var summary: String
    /// Takes a value; answers what is wrong with it, or `nil`.
    var read: @Sendable (inout Configuration, String) -> String?
    var write: @Sendable (Configuration) -> String

    /// `group.key`, the name on the bus.
    public var name: String { "\(group).\(key)" }
}

extension Configuration {
    /// Every setting there is, in the file's order.
    public static let settings: [Setting] = [
        choice(
            "playback", "previous", \.previous,
            tr("what Previous does late in a track: the entry before, or this one's start after three seconds")),
        choice(
            "playback", "on-empty", \.onEmpty,
            tr("what Play does on an empty queue: nothing, or play from the collection")),
        Setting(
            group: "output", key: "sink", values: tr("auto, null, or a GStreamer sink description"),
            summary: tr("where the sound goes"),
            read: { configuration, value in
                guard !value.isEmpty else { return tr("a sink description must not be empty") }
                configuration.sink = value
                return nil
            }, write: { $0.sink }),
        Setting(
            group: "library", key: "folders", values: tr("folders, absolute or beginning with ~/, with ; between them"),
            summary: tr("where the music of the collection lies"),
            read: { configuration, value in
                let folders = FolderList.read(value)
                guard folders.allSatisfy({ $0 == "~" || $0.hasPrefix("~/") || $0.hasPrefix("/") }) else {
                    return tr("a folder is absolute or begins with ~/")
                }
                configuration.libraryFolders = folders
                return nil
            }, write: { FolderList.text($0.libraryFolders) }),
        Setting(
            group: "library", key: "fallback-charset", values: tr("auto, or the name of a charset"),
            summary: tr("charset of old tags that do not say theirs"),
            read: { configuration, value in
                guard !value.isEmpty, value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                    return tr("a charset's name is a word such as CP1251")
                }
                configuration.fallbackCharset = value
                return nil
            }, write: { $0.fallbackCharset }),
        Setting(
            group: "library", key: "artwork-cache-mebibytes", values: tr("a whole number from 1 to 100000"),
            summary: tr("how much room cover pictures may take"),
            read: { configuration, value in
                guard let number = Int(value), (1...100_000).contains(number) else {
                    return tr("expected a whole number from 1 to 100000")
                }
                configuration.artworkCacheLimit = number * 1024 * 1024
                return nil
            }, write: { String($0.artworkCacheLimit / (1024 * 1024)) }),
        Setting(
            group: "log", key: "level", values: Log.Level.allCases.map(\.name).joined(separator: ", "),
            summary: tr("how much is written to standard error"),
            read: { configuration, value in
                guard let level = Log.Level(name: value) else {
                    return tr("expected one of {0}", Log.Level.allCases.map(\.name).joined(separator: ", "))
                }
                configuration.logLevel = level
                return nil
            }, write: { $0.logLevel.name }),
    ]

    private static func choice<Value: RawRepresentable & CaseIterable & Sendable>(
        _ group: String, _ key: String, _ path: any WritableKeyPath<Configuration, Value> & Sendable, _ summary: String
    ) -> Setting where Value.RawValue == String {
        let words = Value.allCases.map(\.rawValue).joined(separator: ", ")
        return Setting(
            group: group, key: key, values: words, summary: summary,
            read: { configuration, text in
                guard let value = Value(rawValue: text) else { return tr("expected one of {0}", words) }
                configuration[keyPath: path] = value
                return nil
            }, write: { $0[keyPath: path].rawValue })
    }

    /// Every setting with its value in force, by its name on the bus.
    public var values: [(name: String, value: String)] {
        Configuration.settings.map { ($0.name, $0.write(self)) }
    }

    /// Sets one value by its name on the bus.
    ///
    /// - Returns: What is wrong, as a sentence, or `nil`.
    public mutating func set(_ name: String, to value: String) -> String? {
        guard let setting = Configuration.settings.first(where: { $0.name == name }) else {
            return tr("there is no setting {0}", name)
        }
        // The file has a line for a setting and trims it: what does not survive that would come back as something else.
        let isBlank = { (character: Character?) in character == " " || character == "\t" }
        guard !value.contains(where: \.isNewline), !isBlank(value.first), !isBlank(value.last) else {
            return tr("a value is one line without blanks around it")
        }
        return setting.read(&self, value)
    }
}

/// Folders in one line: `;` ends each but the last, and `\;` and `\\` stand for the characters themselves.
enum FolderList {
    static func read(_ text: String) -> [String] {
        var folders = [""]
        var isEscaped = false
        for character in text {
            switch character {
            case "\\" where !isEscaped: isEscaped = true
            case ";" where !isEscaped: folders.append("")
            default:
                folders[folders.count - 1].append(character)
                isEscaped = false
            }
        }
        return folders.filter { !$0.isEmpty }
    }

    static func text(_ folders: [String]) -> String {
        folders.map { folder in
            folder.map { $0 == ";" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
        }.joined(separator: ";")
    }
}
