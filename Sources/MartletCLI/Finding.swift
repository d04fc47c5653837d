// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletDBus
internal import MartletProtocol
internal import MartletText

/// Something in the library that words on a command line mean.
struct Finding {
    enum Kind: String {
        case track, album, artist, playlist
    }

    var kind: Kind
    var id: UInt64
    var name: String
    /// Behind the name: the artist of a track, of an album.
    var by: String

    /// How it is written where one has to be chosen.
    var label: String {
        let word =
            switch kind {
            case .track: tr("song")
            case .album: tr("album")
            case .artist: tr("artist")
            case .playlist: tr("playlist")
            }
        return by.isEmpty ? "\(word)  \(name)" : "\(word)  \(name) – \(by)"
    }

    /// What words mean: all that may be, the likeliest first. What is called just so comes before what holds the words.
    static func all(_ words: String, _ service: Service, kinds: [Kind] = [.artist, .album, .playlist, .track])
        throws(Trouble)
        -> [Finding]
    {
        let groups = try service.own(MartletBus.library1, "Search", [.string(words), .uint32(8)], starts: true)
        var found: [Finding] = []
        for (kind, group) in zip([Kind.track, .album, .artist, .playlist], groups) where kinds.contains(kind) {
            for row in group.structure?.last?.array?.compactMap(\.dictionary) ?? [] {
                let name = (row["title"] ?? row["name"])?.string ?? ""
                found.append(
                    Finding(kind: kind, id: row["id"]?.uint64 ?? 0, name: name, by: row["artist"]?.string ?? ""))
            }
        }
        let wanted = words.foldedForSearch
        let (exact, rest) = (found.filter { $0.isCalled(wanted) }, found.filter { !$0.isCalled(wanted) })
        return exact.sorted { kinds.firstIndex(of: $0.kind)! < kinds.firstIndex(of: $1.kind)! } + rest
    }

    private func isCalled(_ wanted: String) -> Bool { name.foldedForSearch == wanted }

    /// The one that is meant: of several the likeliest, or, on a terminal, the one that is chosen.
    static func one(
        _ words: String, _ service: Service, kinds: [Kind] = [.artist, .album, .playlist, .track]
    ) throws(Trouble) -> Finding {
        let found = try all(words, service, kinds: kinds)
        guard let first = found.first else { throw .nothing(tr("nothing in the library is like {0}", words)) }
        let wanted = words.foldedForSearch
        let isClear = found.count == 1 || (first.isCalled(wanted) && !found[1].isCalled(wanted))
        guard !isClear, isatty(STDIN_FILENO) != 0, isatty(STDERR_FILENO) != 0 else { return first }
        var text = ""
        for (index, finding) in found.enumerated() { text += "\(index + 1)  \(Screen.printable(finding.label))\n" }
        text += tr("Which one? [1] ")
        try? Screen.write(text, to: STDERR_FILENO)
        guard let answer = readLine() else { throw .nothing(tr("none was chosen")) }
        if answer.allSatisfy(\.isWhitespace) { return first }
        guard let number = Int(answer.filter { !$0.isWhitespace }), found.indices.contains(number - 1) else {
            throw .nothing(tr("none was chosen"))
        }
        return found[number - 1]
    }

    /// Has the service play it.
    ///
    /// - Parameter mode: As `Player1.OpenFiles` has it.
    func play(_ mode: String, _ service: Service) throws(Trouble) {
        let library = MartletBus.library1
        switch kind {
        case .album: try service.own(library, "PlayAlbum", [.uint64(id), .string(mode)])
        case .playlist: try service.own(library, "PlayPlaylist", [.uint64(id), .string(mode)])
        case .track, .artist:
            try service.own(
                library, "PlayTracks", [.array(try tracks(service), of: .uint64), .string(mode)], starts: true)
        }
    }

    /// The numbers of its tracks, up to a thousand.
    func tracks(_ service: Service) throws(Trouble) -> [BusValue] {
        let filter: String
        switch kind {
        case .track: return [.uint64(id)]
        case .album: filter = "album"
        case .artist: filter = "artist"
        case .playlist:
            return try Verb.pages("GetPlaylistEntries", [.uint64(id)], 1000, service).compactMap { $0["id"]?.unwrapped }
        }
        return try Verb.pages("GetTracks", [.string(filter), .uint64(id), .string("album")], 1000, service)
            .compactMap { $0["id"]?.unwrapped }
    }

    /// What the operands of a command find; `nil` where they are files or addresses, or look like a file's name that is wrong.
    static func meant(by invocation: Invocation, _ service: Service) throws(Trouble) -> Finding? {
        guard areWords(invocation.operands) else { return nil }
        do throws(Trouble) {
            return try one(invocation.words, service)
        } catch {
            guard error.exit == .nothingFound, invocation.operands.contains(where: { $0.contains(UInt8(ascii: ".")) })
            else {
                throw error
            }
            return nil
        }
    }

    /// Whether operands are words to search for, and nothing that could be opened: no file, no address.
    static func areWords(_ operands: [[UInt8]]) -> Bool {
        operands.allSatisfy { operand in
            let text = String(decoding: operand, as: UTF8.self)
            if text.contains("/") || text.contains("://") { return false }
            return unsafe operand.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer { bytes in
                unsafe access(Array(bytes) + [0], F_OK) != 0
            }
        }
    }
}
