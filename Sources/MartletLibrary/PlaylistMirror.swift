// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletCore
internal import MartletFormats
internal import MartletSQLite

/// Copies of the playlists as M3U8 files, for other programs and for the day there is no library.
extension LibraryStore {
    /// Writes the copies that are not as their lists are, and removes those of lists that are gone.
    ///
    /// A copy is named as its list; what a file name cannot hold becomes `_`. Each appears whole or not at all
    /// (`rename(2)`). Files there that are no copies of ours are left alone.
    /// - Parameter folder: The bytes of its path; made, with mode 0700, if it is not there.
    /// - Returns: How many were written.
    @discardableResult
    public func mirrorPlaylists(into folder: [UInt8]) throws(LibraryError) -> Int {
        try removeStaleMirrors(in: folder)
        let changed = try reading { database throws(SQLiteError) in
            var lists: [(id: PlaylistID, name: String, mirror: String?)] = []
            try database.forEach(
                "SELECT id, name, mirror FROM playlist WHERE query IS NULL AND is_mirrored = 0 ORDER BY id"
            ) { row throws(SQLiteError) in lists.append((try row.column(0), try row.column(1), try row.column(2))) }
            return lists
        }
        guard !changed.isEmpty else { return 0 }
        if unsafe mkdir(FolderContent.cString(folder), 0o700) != 0, errno != EEXIST { throw MirrorFile.error("mkdir") }
        for list in changed {
            let entries = try reading { database throws(SQLiteError) in
                try PlaylistEntrySummary.read(list.id, .all, database)
            }
            let playlist = Playlist(title: list.name, entries: entries.compactMap(LibraryStore.entry))
            guard let bytes = PlaylistWriter().write(playlist, as: .m3u) else { continue }
            let name = try mirrorName(for: list.id, list.name, list.mirror, in: folder)
            // The name first: a copy nobody knows of would stay for ever.
            try writing { database throws(SQLiteError) in
                try database.run("UPDATE playlist SET mirror = ? WHERE id = ?", name, list.id)
            }
            try MirrorFile.write(bytes, to: LibraryPath.join(folder, [], name: Array(name.utf8)))
            if let old = list.mirror, old != name {
                _ = unsafe unlink(FolderContent.cString(LibraryPath.join(folder, [], name: Array(old.utf8))))
            }
            try writing { database throws(SQLiteError) in
                try database.run("UPDATE playlist SET is_mirrored = 1 WHERE id = ?", list.id)
            }
        }
        return changed.count
    }

    private func removeStaleMirrors(in folder: [UInt8]) throws(LibraryError) {
        let names = try reading { database throws(SQLiteError) in
            var names: [String] = []
            try database.forEach("SELECT value FROM setting WHERE name GLOB 'stale mirror *'") {
                row throws(SQLiteError) in names.append(try row.column(0))
            }
            return names
        }
        for name in names {
            _ = unsafe unlink(FolderContent.cString(LibraryPath.join(folder, [], name: Array(name.utf8))))
            try writing { database throws(SQLiteError) in
                try database.run("DELETE FROM setting WHERE name = 'stale mirror ' || ?", name)
            }
        }
    }

    /// A name that no other list's copy has, and no file of somebody else's.
    private func mirrorName(
        for id: PlaylistID, _ title: String, _ current: String?, in folder: [UInt8]
    ) throws(LibraryError) -> String {
        let stem = MirrorFile.stem(of: title)
        for name in ["\(stem).m3u8", "\(stem) (\(id)).m3u8"] {
            if name == current { return name }
            let isTaken = try reading { database throws(SQLiteError) in
                try database.value("SELECT 1 FROM playlist WHERE mirror = ? AND id <> ?", name, id, as: Int.self) != nil
            }
            let path = LibraryPath.join(folder, [], name: Array(name.utf8))
            if !isTaken, FolderContent.stamp(of: path) == nil { return name }
        }
        return "\(stem) (\(id)).m3u8"
    }

    private static func entry(_ summary: PlaylistEntrySummary) -> PlaylistEntry? {
        guard let uri = summary.uri else { return nil }
        var tags = TrackTags()
        tags.title = summary.title
        tags.artists = summary.artist.isEmpty ? [] : [summary.artist]
        tags.album = summary.album
        tags.audio.length = summary.length
        var entry = PlaylistEntry(.uri(uri), tags: tags)
        entry.start = summary.start
        entry.end = summary.end
        return entry
    }
}

private enum MirrorFile {
    /// At most 200 bytes, no slash, no control character, no dot in front.
    static func stem(of title: String) -> String {
        var stem = ""
        for character in title {
            let isPlain = character.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0 != "/" }
            let next = isPlain ? String(character) : "_"
            if stem.utf8.count + next.utf8.count > 200 { break }
            stem += next
        }
        return stem.first == "." ? "_" + stem.dropFirst() : stem
    }

    /// Replaces a file as a whole: written beside it, synchronised, renamed over it.
    static func write(_ bytes: [UInt8], to path: [UInt8]) throws(LibraryError) {
        let target = FolderContent.cString(path)
        let temporary = FolderContent.cString(path + Array(".tmp".utf8))
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw error("open") }
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress! + written, buffer.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            written += count
        }
        let isWhole = written == bytes.count && fsync(descriptor) == 0
        let failure = isWhole ? nil : error("write")
        close(descriptor)
        if isWhole, unsafe rename(temporary, target) == 0 { return }
        let last = failure ?? error("rename")
        _ = unsafe unlink(temporary)
        throw last
    }

    static func error(_ operation: String) -> LibraryError {
        .database(
            SQLiteError(
                code: errno == ENOSPC ? .full : .inputOutput,
                message: "\(operation): \(unsafe String(cString: strerror(errno)))"))
    }
}
