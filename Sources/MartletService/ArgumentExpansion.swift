// SPDX-License-Identifier: Apache-2.0
internal import MartletCharset
internal import MartletCore
internal import MartletSQLite

/// One thing to queue, found behind an argument.
struct ExpandedItem: Hashable, Sendable {
    var uri: MediaURI
    /// The part of the source that is meant, relative to the source's start.
    var start = Duration.zero
    var end: Duration?
    /// What a playlist or a cue sheet tells of it; goes before what the file says.
    var tags: TrackTags?
    /// Entries of one folder, or of one cue sheet, are one album until tags say better.
    var albumKey: String?
}

/// An argument, or something behind it, that gave nothing.
struct ExpansionProblem: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case notFound
        case denied
        /// A scheme, a kind of list or a kind of file that is not opened.
        case unsupported
        /// A file that is certainly no sound: empty, a picture, a program.
        case notAudio
        case unreadable
        /// Lists in lists, or folders in folders, deeper than anybody means; a list that names itself.
        case tooDeep
        case tooMany
        case cancelled
    }

    /// The argument, path or URI, repaired and shortened: fit to show.
    var what: String
    var kind: Kind
    /// One sentence, without a full stop where the system wrote it.
    var reason: String
}

/// What arguments came to, in the order of the arguments.
struct Expansion: Hashable, Sendable {
    var items: [ExpandedItem] = []
    /// At most ``ArgumentExpander/mostProblems`` and one that says so.
    var problems: [ExpansionProblem] = []
}

/// Turns arguments into entries, on a queue of its own: a folder on a mount that hangs hangs nothing else.
///
/// An argument is a path, absolute or relative to a folder, or a URI. Folders are walked in natural order without their
/// hidden files; a cue sheet in a folder stands for its files, other lists in a folder are passed over, because they
/// mostly name what lies beside them. A list that is named itself is read, and lists in it, five deep.
actor ArgumentExpander {
    private let executor = SerialQueueExecutor(label: "org.martlet.expansion")
    /// More than this nobody means.
    static let limit = 200_000
    /// A list of an unplugged disk is one complaint and not ten thousand.
    static let mostProblems = 1000

    private let limit: Int
    private let fallback: Charset?

    /// - Parameters:
    ///   - limit: Items at which an expansion stops and says so.
    ///   - fallback: The user's setting for lists in old encodings.
    init(limit: Int = ArgumentExpander.limit, fallback: Charset? = nil) {
        self.limit = limit
        self.fallback = fallback
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Looks at each argument.
    ///
    /// A cancelled task gets what was found so far and a problem that says so. Requests wait for one another.
    ///
    /// - Parameters:
    ///   - arguments: Paths as bytes, or URIs.
    ///   - folder: The bytes of the path at which relative ones begin; empty refuses them.
    func expand(_ arguments: [[UInt8]], in folder: [UInt8]) -> Expansion {
        var walk = ArgumentWalk(folder: folder, limit: limit, fallback: fallback)
        walk.add(arguments)
        return walk.expansion
    }
}
