// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletCore
internal import MartletDBus
internal import MartletFormats
internal import MartletLoop
internal import MartletProtocol

/// The methods that only look, and the one that writes a file.
extension Queue1Interface {
    /// Entries told at once, at most: a message of all of 100,000 would be tens of megabytes.
    static let pageLimit = 1000

    private static let page = [Argument("offset", "u"), Argument("limit", "u")]
    private static let limit = [Argument("limit", "u")]

    var reading: [MethodEntry] {
        [
            look("GetEntries", Queue1Interface.page, [Argument("version", "t"), Argument("entries", "aa{sv}")]) {
                me, values in
                let limit = min(Int(values[1].uint32!), Queue1Interface.pageLimit)
                let rows = me.slice(values[0], limit).compactMap { me.queue.entry($0) }.map { me.row($0) }
                return [.uint64(me.queue.version), .array(rows, of: "a{sv}")]
            },
            look("GetIds", Queue1Interface.page, [Argument("version", "t"), Argument("entries", "at")]) { me, values in
                let limit = Int(values[1].uint32!)
                let ids = me.slice(values[0], limit == 0 ? .max : limit)
                return [.uint64(me.queue.version), .entries(ids)]
            },
            look(
                "GetChanges", [Argument("since", "t")],
                [Argument("known", "b"), Argument("version", "t"), Argument("changes", "a(satu)")]
            ) { me, values in
                let changes = me.queue.changes(since: values[0].uint64!)
                return [
                    .boolean(changes != nil), .uint64(me.queue.version),
                    .array((changes ?? []).map(\.busValue), of: "(satu)"),
                ]
            },
            look("GetUpcoming", Queue1Interface.limit, [Argument("entries", "at")]) { me, values in
                [.entries(me.queue.upcoming(limit: min(Int(values[0].uint32!), Queue1Interface.pageLimit)))]
            },
            look("GetHeard", Queue1Interface.limit, [Argument("entries", "at")]) { me, values in
                [.entries(me.queue.heard(limit: Int(values[0].uint32!)))]
            },
        ]
    }

    private func look(
        _ name: MemberName, _ arguments: [Argument], _ out: [Argument],
        answer: @escaping @MainActor @Sendable (Queue1Interface, [BusValue]) -> [BusValue]
    ) -> MethodEntry {
        MethodEntry(name, in: arguments, out: out) { [weak self] call throws(BusError) in
            guard let self else { throw .failed("going away") }
            return .reply(answer(self, call.arguments))
        }
    }

    private func slice(_ offset: BusValue, _ limit: Int) -> [EntryID] {
        let start = min(Int(offset.uint32!), queue.count)
        return Array(queue.list[start..<start + min(limit, queue.count - start)])
    }

    private func row(_ entry: QueueEntry) -> BusValue {
        let details = player.knownDetails(of: entry)
        let tags = details?.tags
        var pairs: [(String, BusValue)] = [
            ("id", .uint64(entry.id.rawValue)), ("uri", .string(entry.uri.withoutSecrets)),
            ("title", .string(tags?.title ?? entry.uri.titleFromName)),
        ]
        if let artists = tags?.artists, !artists.isEmpty { pairs.append(("artist", .strings(artists))) }
        if let album = tags?.album { pairs.append(("album", .string(album))) }
        if let length = player.length(of: entry) { pairs.append(("length", .int64(length.microseconds))) }
        if entry.start > .zero || entry.end != nil { pairs.append(("start", .int64(entry.start.microseconds))) }
        if let end = entry.end { pairs.append(("end", .int64(end.microseconds))) }
        if entry.priority > 0 { pairs.append(("priority", .byte(entry.priority))) }
        if entry.isUnplayable { pairs.append(("unplayable", .boolean(true))) }
        return .dict(pairs)
    }

    // MARK: Saving

    var save: MethodEntry {
        MethodEntry("Save", in: [Argument("path", "ay"), Argument("replace", "b")]) {
            [weak self] call throws(BusError) in
            guard let self else { throw .failed("going away") }
            let bytes = call.arguments[0].bytes!
            let path = String(decoding: bytes, as: UTF8.self)
            guard path.hasPrefix("/"), Array(path.utf8) == bytes, !bytes.contains(0) else {
                throw BusError(.invalidArgs, tr("a playlist's name is an absolute path, in UTF-8"))
            }
            guard let format = PlaylistFormat(writtenName: path) else {
                throw BusError(.invalidArgs, tr("a playlist's name ends in .m3u8, .m3u, .pls or .xspf"))
            }
            let entries = queue.list.compactMap { self.queue.entry($0) }.map { self.listEntry($0) }
            let reply = call.deferReply()
            let replaces = call.arguments[1].boolean!
            Task {
                let failure = await WorkQueue(label: "queue-save").run {
                    Queue1Interface.write(entries, as: format, to: path, replaces)
                }
                if let failure {
                    reply.fail(failure)
                } else {
                    reply.reply()
                }
            }
            return .deferred
        }
    }

    private func listEntry(_ entry: QueueEntry) -> PlaylistEntry {
        let tags = player.knownDetails(of: entry)?.tags ?? TrackTags()
        var listed = PlaylistEntry(entry.uri.filePath.map { .path($0) } ?? .uri(entry.uri), tags: tags)
        listed.start = entry.start
        listed.end = entry.end
        return listed
    }

    /// May block.
    private nonisolated static func write(
        _ entries: [PlaylistEntry], as format: PlaylistFormat, to path: String, _ replaces: Bool
    ) -> BusError? {
        if !replaces, unsafe access(path, F_OK) == 0 {
            return BusError(MartletFailure.conflict.errorName, tr("there is a file already: {0}", path))
        }
        let folder = path.utf8.reversed().drop { $0 != UInt8(ascii: "/") }.dropFirst().reversed()
        let writer = PlaylistWriter(style: .relative(toFolder: Array(folder)))
        guard let bytes = writer.write(Playlist(entries: entries), as: format) else {
            return BusError(.notSupported, tr("this kind of playlist is not written"))
        }
        do throws(SystemError) {
            try AtomicFile.write([bytes], to: path)
            return nil
        } catch {
            let isMissing = error.code == ENOENT || error.code == ENOTDIR
            let failure = isMissing ? MartletFailure.notFound : error.failure
            return BusError(failure.errorName, tr("cannot write {0}: {1}", path, error.reason))
        }
    }
}

extension PlaylistFormat {
    /// The format a file of this name is written in; `nil` for another ending.
    init?(writtenName name: String) {
        switch MediaTypes.ending(of: Array(name.utf8)) {
        case "m3u", "m3u8": self = .m3u
        case "pls": self = .pls
        case "xspf": self = .xspf
        default: return nil
        }
    }
}

extension QueueChange {
    /// `(satu)` of `GetChanges`.
    fileprivate var busValue: BusValue {
        let (word, ids, position): (String, [EntryID], Int) =
            switch self {
            case .inserted(let ids, let position): ("inserted", ids, position)
            case .removed(let ids): ("removed", ids, 0)
            case .moved(let ids, let position): ("moved", ids, position)
            case .updated(let ids): ("updated", ids, 0)
            }
        return .structure([.string(word), .entries(ids), .uint32(UInt32(clamping: position))])
    }
}
