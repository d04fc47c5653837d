// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletCore
internal import MartletFormats
internal import MartletSQLite
internal import MartletText

/// Reads files of a root, one after the other, on a thread of its own.
actor FileReading {
    private nonisolated let executor = SerialQueueExecutor(label: "org.martlet.library.read", isBackground: true)
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private let tags: any TagReader
    private let rootPath: [UInt8]

    init(tags: any TagReader, root: [UInt8]) {
        self.tags = tags
        rootPath = root
    }

    /// Reads what waits in some folders. What is gone by now is left out: the next walk misses it.
    func read(_ folders: [WaitingFolder]) -> (read: [ScannedFile], gone: [FileID]) {
        var read: [ScannedFile] = []
        var gone: [FileID] = []
        for folder in folders {
            let path = LibraryPath.join(rootPath, folder.path)
            let sheets = FolderSheets(folder.sheets, in: path)
            for file in folder.files {
                guard !Task.isCancelled else { return (read, gone) }
                if let outcome = outcome(of: file, in: path, sheets) {
                    read.append(ScannedFile(file: file.id, folder: folder.id, outcome: outcome))
                } else {
                    gone.append(file.id)
                }
            }
        }
        return (read, gone)
    }

    private func outcome(of file: WaitingFile, in folder: [UInt8], _ sheets: FolderSheets) -> ScannedFile.Outcome? {
        if file.kind == .sheet {
            return sheets.failures[file.name].map { .failed($0) } ?? .sheet
        }
        do throws(TagReadError) {
            let path = LibraryPath.join(folder, [], name: file.name)
            let reading = try tags.read(path: path, wanted: [.audioSample, .cueSheet])
            return .tracks(FileReading.tracks(reading, file, path, sheets))
        } catch {
            return error == .notFound ? nil : .failed(FileFailure(error))
        }
    }

    private static func tracks(
        _ reading: TagReading, _ file: WaitingFile, _ path: [UInt8], _ sheets: FolderSheets
    ) -> [ScannedTrack] {
        let audio = reading.audioSample.map(AudioIdentity.make)
        var entries = sheets.entries[file.name] ?? []
        let sheet = entries.isEmpty ? nil : sheets.sheet[file.name]
        if entries.isEmpty, let text = reading.cueSheet, let inside = try? CueSheet(Array(text.utf8)) {
            entries = inside.entries(insideFile: path)
        }
        guard !entries.isEmpty else { return [ScannedTrack(tags: reading.tags, name: file.name, audio: audio)] }
        return entries.map { entry in
            var tags = reading.tags
            // What the file says of itself as a whole is true of no part.
            tags.title = nil
            tags.trackNumber = nil
            tags.isrc = nil
            tags.lyrics = nil
            tags.replayGain.trackGain = nil
            tags.replayGain.trackPeak = nil
            tags.musicBrainz.recording = nil
            tags.musicBrainz.track = nil
            tags.override(with: entry.tags)
            if entry.end == nil { tags.audio.length = reading.tags.audio.length.map { max(.zero, $0 - entry.start) } }
            if tags.title == nil { tags.title = tags.trackNumber.map { "\(ScannedTrack.stem(of: file.name)) (\($0))" } }
            return ScannedTrack(
                tags: tags, name: file.name, audio: audio, start: entry.start, end: entry.end, sheet: sheet)
        }
    }
}

/// The cue sheets of a folder, and which of its files each takes apart.
///
/// A sheet whose files are not all there is passed over: better the whole file than a track that cannot be played. Of
/// two sheets for one file the first by name counts. Files of other folders are none of a sheet's.
struct FolderSheets {
    /// Tracks of a file, by the file's name.
    private(set) var entries: [[UInt8]: [PlaylistEntry]] = [:]
    private(set) var sheet: [[UInt8]: FileID] = [:]
    /// Sheets that are none, by name.
    private(set) var failures: [[UInt8]: FileFailure] = [:]

    init(_ sheets: [WaitingFile], in folder: [UInt8]) {
        guard !sheets.isEmpty else { return }
        let names = (try? FolderContent(path: folder)).map { $0.files.filter { $0.kind == .audio }.map(\.name) } ?? []
        let finder = NamesInFolder(folder, names)
        for file in sheets.sorted(by: { NaturalOrder($0.name) < NaturalOrder($1.name) }) {
            let path = LibraryPath.join(folder, [], name: file.name)
            let bytes: [UInt8]
            do throws(FolderError) {
                bytes = try FolderSheets.contents(of: path)
            } catch {
                failures[file.name] = error.code == EACCES ? .denied : .unreadable(errno: error.code)
                continue
            }
            guard let sheet = try? CueSheet(bytes) else {
                failures[file.name] = bytes.isEmpty ? .empty : .unsupported
                continue
            }
            var found: [[UInt8]: [PlaylistEntry]] = [:]
            var isComplete = true
            for entry in sheet.entries(base: .folder(folder)) {
                if let name = finder.name(of: entry) {
                    found[name, default: []].append(entry)
                } else {
                    isComplete = false
                }
            }
            guard isComplete, entries.keys.allSatisfy({ found[$0] == nil }) else { continue }
            for (name, tracks) in found {
                entries[name] = tracks
                self.sheet[name] = file.id
            }
        }
    }

    /// More no sheet has.
    private static let largest = 4 << 20

    private static func contents(of path: [UInt8]) throws(FolderError) -> [UInt8] {
        let descriptor = unsafe open(FolderContent.cString(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw FolderError(code: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw FolderError(code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FolderError(code: EINVAL) }
        guard status.st_size <= FolderSheets.largest else { throw FolderError(code: EFBIG) }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var filled = 0
        while filled < bytes.count {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress! + filled, buffer.count - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FolderError(code: errno) }
            if count == 0 { break }
            filled += count
        }
        bytes.removeLast(bytes.count - filled)
        return bytes
    }
}

/// Finds the file an entry means among the names of a folder: by its bytes, else by what differs in normal form or case
/// only (F264).
private struct NamesInFolder {
    private let folder: [UInt8]
    private let names: Set<[UInt8]>
    private var folded: [String: [UInt8]] = [:]

    init(_ folder: [UInt8], _ names: [[UInt8]]) {
        self.folder = folder
        self.names = Set(names)
        for name in names.reversed() {
            if let text = String(validating: name, as: UTF8.self) { folded[SortKey.identity(text)] = name }
        }
    }

    func name(of entry: PlaylistEntry) -> [UInt8]? {
        let candidates = entry.candidatePaths.compactMap { path -> [UInt8]? in
            guard let slash = path.lastIndex(of: LibraryPath.slash), LibraryPath.tidied(Array(path[..<slash])) == folder
            else { return nil }
            return Array(path[(slash + 1)...])
        }
        if let exact = candidates.first(where: names.contains) { return exact }
        for name in candidates {
            if let text = String(validating: name, as: UTF8.self), let found = folded[SortKey.identity(text)] {
                return found
            }
        }
        return nil
    }
}
