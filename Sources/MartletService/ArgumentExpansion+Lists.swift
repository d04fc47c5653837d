// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletCore
internal import MartletFormats
internal import MartletProtocol

/// How lists are read: one way for all of a walk.
struct ListReading {
    var limit: Int
    var decode: PlaylistDecoding

    func playlist(at path: [UInt8], _ format: PlaylistFormat) throws(ListFailure) -> Playlist {
        var reader = PlaylistReader(base: .folder(FileStatus.folder(of: path)), decode: decode)
        // One more than is wanted, so that the walk sees that there is more.
        reader.maximumEntries = limit + 1
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try AtomicFile.read(path, limit: reader.maximumBytes)
        } catch {
            throw .system(error)
        }
        do throws(PlaylistError) {
            return try reader.read(bytes, as: format)
        } catch {
            throw .content(error)
        }
    }
}

/// Why a list was not read.
enum ListFailure: Error {
    case system(SystemError)
    case content(PlaylistError)
}

/// A cue sheet with the files it names, looked up.
struct FoundSheet {
    var path: [UInt8]
    var entries: [(entry: PlaylistEntry, path: [UInt8]?)]
    /// The files that are there.
    var files: Set<FileIdentity>
    /// Whether all are.
    var isComplete: Bool { entries.allSatisfy { $0.path != nil } }
}

extension ArgumentWalk {
    /// Lists in lists go this deep.
    static let deepestList = 5
    /// So many bytes of lists are read for one argument; the smallest list counts as a block of a disk. Lists that name
    /// each other forty times would be read some millions of times else.
    static let mostListBytes = 64 << 20

    /// Reads a list somebody named and adds what it names.
    mutating func add(list path: [UInt8], _ format: PlaylistFormat, _ status: FileStatus) {
        guard !openLists.contains(status.identity) else {
            return fail(path, .tooDeep, tr("the list names itself"))
        }
        guard openLists.count < ArgumentWalk.deepestList else {
            return fail(path, .tooDeep, tr("lists are nested more than {0} deep", "\(ArgumentWalk.deepestList)"))
        }
        listBytes += max(status.size, 16_384)
        guard listBytes <= ArgumentWalk.mostListBytes else {
            return stop(path, tr("the list names more lists than anybody reads; the rest is left out"))
        }
        if format == .cue {
            guard let sheet = sheet(at: path, report: true) else { return }
            return add(sheet)
        }
        do throws(ListFailure) {
            let playlist = try reader.playlist(at: path, format)
            openLists.append(status.identity)
            defer { openLists.removeLast() }
            if playlist.rejectedCount > 0 {
                let count = "\(playlist.rejectedCount)"
                fail(path, .unsupported, tr("{0} entries of the list name no place on this machine", count))
            }
            for entry in playlist.entries {
                guard mayGoOn() else { return }
                lookedAt += 1
                // What gives nothing counts as well: it takes as long.
                guard lookedAt <= limit else { return stop(path) }
                add(entry)
            }
        } catch {
            report(error, path)
        }
    }

    private mutating func add(_ entry: PlaylistEntry) {
        guard let uri = entry.uri else { return }
        guard uri.filePath != nil else { return addRemote(uri, entry: entry) }
        guard let path = finder.find(entry.candidatePaths) else {
            return fail(uri.filePath ?? [], .notFound, SystemError.text(ENOENT))
        }
        add(path: path, from: .list(entry))
    }

    /// Adds the tracks of a sheet whose files are there; the others are one complaint a file.
    mutating func add(_ sheet: FoundSheet) {
        let key = MediaURI(filePath: sheet.path)?.description
        var missing: Set<[UInt8]> = []
        for (entry, path) in sheet.entries {
            guard mayGoOn() else { return }
            guard let path, let uri = MediaURI(filePath: path) else {
                let named = entry.candidatePaths.first ?? []
                if missing.insert(named).inserted { fail(named, .notFound, SystemError.text(ENOENT)) }
                continue
            }
            var item = item(uri, entry: entry)
            item.albumKey = key
            append(item)
        }
    }

    /// Reads a sheet and looks its files up.
    ///
    /// - Returns: `nil` for what is no sheet or names no track.
    mutating func sheet(at path: [UInt8], report isReported: Bool = false) -> FoundSheet? {
        do throws(ListFailure) {
            let playlist = try reader.playlist(at: path, .cue)
            var found = FoundSheet(path: path, entries: [], files: [])
            // The tracks of one file name it once each.
            var known: [PlaylistEntry.Location: [UInt8]?] = [:]
            for entry in playlist.entries {
                let place: [UInt8]?
                if let before = known[entry.location] {
                    place = before
                } else {
                    place = finder.find(entry.candidatePaths) { status, path in
                        status.kind == .file && status.size > 0 && MediaTypes.ending(of: path) != "cue"
                            && FileStatus.isReadable(path)
                    }
                    known[entry.location] = .some(place)
                    if let place, let status = FileStatus(place) { found.files.insert(status.identity) }
                }
                found.entries.append((entry, place))
            }
            if found.entries.isEmpty, isReported {
                fail(path, .unreadable, tr("the cue sheet names no audio track"))
            }
            return found.entries.isEmpty ? nil : found
        } catch {
            if isReported { report(error, path) }
            return nil
        }
    }

    private mutating func report(_ failure: ListFailure, _ path: [UInt8]) {
        switch failure {
        case .system(let error):
            fail(path, error.code == EACCES ? .denied : .unreadable, error.reason)
        case .content(.stream):
            // The pieces of one stream are the engine's affair, not ours.
            if let uri = MediaURI(filePath: path) { append(ExpandedItem(uri: uri)) }
        case .content(.unsupported(let format)):
            fail(
                path, .unsupported,
                tr(
                    "lists of the kind {0} are not read; supported: {1}", format.rawValue,
                    PlaylistFormat.allCases.filter(\.isReadable).map(\.rawValue).joined(separator: ", ")))
        case .content(.malformed(let reason, line: let line)):
            fail(path, .unreadable, line.map { tr("line {0}: {1}", "\($0)", reason) } ?? reason)
        case .content(.tooLarge(let limit)):
            fail(path, .tooMany, tr("a list of more than {0} bytes", "\(limit)"))
        }
    }
}
