// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletCore
import MartletTags
import Testing

@Suite("Files that are broken, or want to break the reader", .timeLimit(.minutes(3)))
struct HostileFileTests {
    let folder = TestFolder()
    let reader = TagLibReader()

    private func error(_ path: [UInt8]) -> TagReadError? {
        do throws(TagReadError) {
            _ = try reader.read(path: path, wanted: [.picture])
            return nil
        } catch {
            return error
        }
    }

    // MARK: - What the system says

    @Test
    func `a file that is not there is told from one that may not be read`() {
        #expect(error(Array("\(folder.path)/none.mp3".utf8)) == .notFound)
        let file = folder.file("tone.mp3", [1])
        #expect(error(file + Array("/below.mp3".utf8)) == .notFound)
        #expect(error([]) == .notFound)
        #expect(error(Array("/tmp\0/etc".utf8)) == .notFound)
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func `a file without permission is told`() {
        _ = folder.file("tone.mp3", ToneAudio.mp3.bytes)
        chmod("\(folder.path)/tone.mp3", 0)
        #expect(error(Array("\(folder.path)/tone.mp3".utf8)) == .accessDenied)
    }

    @Test
    func `a folder and a name too long give their errno`() {
        #expect(error(Array(folder.path.utf8)) == .unreadable(errno: EISDIR))
        let long = [UInt8](repeating: 0x61, count: 300)
        #expect(error(Array("\(folder.path)/".utf8) + long) == .unreadable(errno: ENAMETOOLONG))
    }

    @Test
    func `a pipe in the music folder holds nobody up`() {
        mkfifo("\(folder.path)/pipe.mp3", 0o600)
        #expect(error(Array("\(folder.path)/pipe.mp3".utf8)) == .unsupported)
    }

    @Test
    func `a file name in another encoding, or with a line feed, opens`() throws {
        for name in [Array("caf".utf8) + [0xE9], Array("new\nline.mp3".utf8), Array("%20 ?#.mp3".utf8)] {
            #expect(try reader.read(path: folder.file(name, ToneAudio.mp3.bytes), wanted: []).tags.audio.codec == "mp3")
        }
    }

    // MARK: - What is no audio

    // F233: an empty file named .mp3 blocked a list.
    @Test
    func `an empty file is told from a wrong one (F233)`() {
        #expect(error(folder.file("zero.mp3", [])) == .empty)
        #expect(error(folder.file("one.mp3", [0xFF])) == .unsupported)
    }

    @Test
    func `text, a picture, a random file and a film are unsupported`() {
        var generator = SplitMix64(seed: 7)
        let text = Array(String(repeating: "this is not an mp3 file\n", count: 4000).utf8)
        #expect(error(folder.file("text.mp3", text)) == .unsupported)
        #expect(
            error(folder.file("cover.mp3", [0x89] + Array("PNG\r\n\u{1A}\n".utf8) + [UInt8](repeating: 0, count: 99)))
                == .unsupported)
        let noise = (0..<20_000).map { _ in UInt8.random(in: 0...254, using: &generator) }
        #expect(error(folder.file("noise.flac", noise)) == .unsupported)
        #expect(
            error(folder.file("film.mp3", [0x1A, 0x45, 0xDF, 0xA3] + [UInt8](repeating: 0, count: 4096)))
                == .unsupported)
    }

    @Test
    func `a tag without audio behind it is unsupported`() {
        #expect(error(folder.file("tag.mp3", ID3Tag().text("TIT2", "Only a tag").bytes())) == .unsupported)
    }

    @Test
    func `an image of a disk under a wrong name is not searched to its end`() {
        // Sparse: eight gigabytes of zeros.
        let path = folder.file("disk.mp3", Array("disk".utf8))
        truncate("\(folder.path)/disk.mp3", 8 << 30)
        let elapsed = ContinuousClock().measure { #expect(error(path) == .unsupported) }
        #expect(elapsed < .seconds(2))
    }

    // MARK: - Attacks

    @Test
    func `a tag that claims a quarter of a gigabyte costs no more than the file has`() throws {
        let tag = ID3Tag().text("TIT2", "Small").bytes(claiming: (1 << 28) - 1)
        let before = Memory.peak()
        _ = error(folder.file("claim.mp3", tag + ToneAudio.mp3.bytes))
        let frame = ID3Tag().frame("TIT2", [3, 0x41], claiming: (1 << 28) - 1).bytes()
        _ = error(folder.file("frame.mp3", frame + ToneAudio.mp3.bytes))
        // Other tests run meanwhile, so the bound is half of what the claim asks for.
        #expect(Memory.peak() - before < 128 << 20)
    }

    @Test
    func `atoms in atoms in atoms do not overrun the stack`() {
        var bytes: [UInt8] = []
        let depth = 60_000
        for level in 0..<depth { bytes += big((depth - level) * 8, 4) + Array("moov".utf8) }
        #expect(error(folder.file("deep.m4a", bytes)) == .unsupported)
    }

    @Test(arguments: [ToneAudio.mp3, .wav, .aiff, .dsf])
    func `chapters in chapters do not overrun the stack`(tone: ToneAudio) throws {
        // Inside out; each holds an identifier, four numbers and the next one.
        let depth = 30_000
        let header = 10 + 2 + 16
        var payload: [UInt8] = []
        payload.reserveCapacity(depth * header)
        for level in (0..<depth).reversed() {
            payload +=
                Array("CHAP".utf8) + ID3Tag.safe((level + 1) * header - 10) + [0, 0, 0x61, 0]
                + [UInt8](repeating: 0, count: 16)
        }
        var tag = ID3Tag().text("TIT2", "In front")
        tag.frames += payload
        let path = folder.file("chapters", ToneAudio.carrying(tag.bytes(), in: tone))
        #expect(try reader.read(path: path, wanted: []).tags.title == "In front")
    }

    @Test
    func `a frame that inflates a thousand times is not inflated`() throws {
        // A quarter of a megabyte out of zlib, a quarter of a gigabyte of zeros when inflated.
        Tool.run(
            "/usr/bin/python3", "-c",
            "import sys, zlib; open(sys.argv[1], 'wb').write(zlib.compress(bytes(1 << 28), 9))",
            "\(folder.path)/zeros")
        let zeros = folder.bytes(of: "zeros")
        #expect(zeros.count > 200_000)
        let payload = ID3Tag.safe((1 << 28) - 1) + zeros
        let tag = ID3Tag().frame("TXXX", payload, flags: [0, 0x09]).text("TIT2", "Behind it").bytes()
        for tone in [ToneAudio.mp3, .wav] {
            let before = Memory.peak()
            let path = folder.file("bomb", ToneAudio.carrying(tag, in: tone))
            #expect(try reader.read(path: path, wanted: []).tags.title == "Behind it")
            #expect(Memory.peak() - before < 128 << 20)
        }
    }

    @Test
    func `a small compressed frame is read`() throws {
        Tool.run(
            "/usr/bin/python3", "-c", "import sys, zlib; open(sys.argv[1], 'wb').write(zlib.compress(b'\\x03Pressed'))",
            "\(folder.path)/small")
        let payload = ID3Tag.safe(8) + folder.bytes(of: "small")
        let tag = ID3Tag().frame("TIT2", payload, flags: [0, 0x09]).bytes()
        #expect(
            try reader.read(path: folder.file("tone.mp3", tag + ToneAudio.mp3.bytes), wanted: []).tags.title
                == "Pressed")
    }

    @Test
    func `a million values of one field are bounded`() throws {
        let values = (0..<200_000).map { "g\($0)" }.joined(separator: "\0")
        let tag = ID3Tag().frame("TCON", [3] + Array(values.utf8)).bytes()
        let path = folder.file("tone.mp3", tag + ToneAudio.mp3.bytes)
        #expect(try reader.read(path: path, wanted: []).tags.genres.count <= 256)
    }

    // MARK: - Mutations

    @Test(arguments: ToneAudio.allCases)
    func `mutated copies give a reading or an error, valid text, and never a crash`(tone: ToneAudio) {
        var generator = SplitMix64(seed: UInt64(tone.rawValue.utf8.reduce(0) { $0 &* 31 &+ Int($1) }))
        let tag = ID3Tag().text("TIT2", "노래").text("TPE1", "One", "Two").text("TRCK", "3/12").user("A", "b")
            .frame("SYLT", [3] + Array("eng".utf8) + [2, 1, 0] + Array("x\0".utf8) + big(5, 4))
            .frame("RVA2", Array("track\0".utf8) + [1] + big(512, 2) + [16, 0, 1]).text("TCON", "(17)(4)Rock")
            .picture(3, Picture.front)
        let path = folder.file("seed", tone.bytes)
        switch tone {
        case .flac, .vorbis, .opus, .oggFlac, .speex:
            Mutagen.tag(path, "TITLE=노래", "ARTIST=One", "TRACKNUMBER=3/12", "DATE=2009-29-09")
        case .aac, .alac: Mutagen.tag(path, "©nam=노래", "©ART=One", "trkn=3/12", "cpil=1", "tmpo=120", "©lyr=a\nb")
        case .ape, .wavpack, .musepack: Mutagen.tag(path, "Title=노래", "Artist=One", "Track=3/12", "Cuesheet=x")
        case .wma: Mutagen.tag(path, "Title=노래", "Author=One", "WM/TrackNumber=3/12", "WM/Lyrics=a")
        case .mp3, .mp2, .tta, .wav, .aiff, .dsf, .adts:
            _ = folder.file("seed", ToneAudio.carrying(tag.bytes(), in: tone))
        }
        #expect((try? reader.read(path: path, wanted: []))?.tags.title == "노래")
        let seed = folder.bytes(of: "seed")
        let deadline = ContinuousClock.now + .milliseconds(400)
        var rounds = 0
        while ContinuousClock.now < deadline || rounds < 20 {
            rounds += 1
            let bytes = Mutation.apply(to: seed, with: &generator)
            let path = folder.file("mutant", bytes)
            guard let reading = try? reader.read(path: path, wanted: [.picture, .cueSheet, .audioSample]) else {
                continue
            }
            let tags = reading.tags
            let texts =
                [tags.title, tags.album, tags.lyrics, tags.date].compactMap(\.self) + tags.artists + tags.comments
            for text in texts where text.unicodeScalars.contains("\0") || text.isEmpty {
                Issue.record("round \(rounds): a text that is empty or holds a NUL")
            }
            if let length = tags.audio.length, length <= .zero { Issue.record("round \(rounds): \(length)") }
        }
    }
}

/// What happens to files: bits flip, ends are lost, sizes are wrong, blocks are lost or doubled.
enum Mutation {
    static func apply(to seed: [UInt8], with generator: inout SplitMix64) -> [UInt8] {
        var bytes = seed
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
            guard bytes.count > 16 else { return bytes }
            // Headers are where readers go wrong, so half of the hits land in the first kilobyte.
            let reach = Bool.random(using: &generator) ? min(bytes.count, 1024) : bytes.count
            let place = Int.random(in: 0..<reach, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 1: bytes[place] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &generator)!
            case 2:
                for index in place..<min(place + 4, bytes.count) { bytes[index] = 0xFF }
            case 3: bytes.removeSubrange(place...)
            case 4: bytes.removeSubrange(place..<min(place + 64, bytes.count))
            default: bytes.insert(contentsOf: bytes[place..<min(place + 64, bytes.count)], at: place)
            }
        }
        return bytes
    }
}

enum Memory {
    /// The most this process has ever had resident, in bytes.
    static func peak() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss * 1024
    }
}
