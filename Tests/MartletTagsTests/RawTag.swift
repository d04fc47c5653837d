// SPDX-License-Identifier: Apache-2.0

/// Tags as bytes, so that a test can also write what no library would.
struct ID3Tag {
    var version: UInt8 = 4
    var frames: [UInt8] = []

    enum Encoding: UInt8 {
        case latin1, utf16, utf16BigEndian, utf8
    }

    /// A text frame; several values are separated by NUL as ID3v2.4 has it.
    func text(_ id: String, _ values: String..., encoding: Encoding = .utf8) -> ID3Tag {
        var payload = [encoding.rawValue]
        for (index, value) in values.enumerated() {
            if index > 0 { payload += encoding == .utf8 || encoding == .latin1 ? [0] : [0, 0] }
            switch encoding {
            case .utf8: payload += Array(value.utf8)
            case .latin1: payload += value.unicodeScalars.map { UInt8($0.value) }
            case .utf16: payload += [0xFF, 0xFE] + value.utf16.flatMap { little(Int($0), 2) }
            case .utf16BigEndian: payload += value.utf16.flatMap { big(Int($0), 2) }
            }
        }
        return frame(id, payload)
    }

    /// A text frame that says Latin-1, with any bytes.
    func eightBit(_ id: String, _ bytes: [UInt8]) -> ID3Tag {
        frame(id, [0] + bytes)
    }

    func user(_ description: String, _ value: String) -> ID3Tag {
        frame("TXXX", [3] + Array(description.utf8) + [0] + Array(value.utf8))
    }

    func picture(_ kind: UInt8, _ bytes: [UInt8], mime: String = "image/png") -> ID3Tag {
        frame("APIC", [0] + Array(mime.utf8) + [0, kind, 0] + bytes)
    }

    func frame(_ id: String, _ payload: [UInt8], flags: [UInt8] = [0, 0], claiming size: Int? = nil) -> ID3Tag {
        var copy = self
        let size = size ?? payload.count
        if version == 2 {
            copy.frames += Array(id.utf8) + big(size, 3) + payload
        } else {
            copy.frames += Array(id.utf8) + (version == 4 ? ID3Tag.safe(size) : big(size, 4)) + flags + payload
        }
        return copy
    }

    func bytes(claiming size: Int? = nil) -> [UInt8] {
        Array("ID3".utf8) + [version, 0, 0] + ID3Tag.safe(size ?? frames.count) + frames
    }

    static func safe(_ value: Int) -> [UInt8] {
        [21, 14, 7, 0].map { UInt8(value >> $0 & 0x7F) }
    }

    /// The 128 bytes at the end of a file.
    static func version1(title: [UInt8], artist: [UInt8] = [], album: [UInt8] = [], track: UInt8 = 0) -> [UInt8] {
        func field(_ bytes: [UInt8], _ width: Int) -> [UInt8] {
            Array((bytes + [UInt8](repeating: 0, count: width)).prefix(width))
        }
        return Array("TAG".utf8) + field(title, 30) + field(artist, 30) + field(album, 30) + Array("1998".utf8)
            + field([], 29) + [track, 17]
    }
}

/// Writes tags with mutagen (Debian: python3-mutagen), an implementation that is not the one under test.
enum Mutagen {
    /// - Parameter values: `KEY=value`; a key that repeats becomes a list. `@` before the value reads it from a file.
    static func tag(_ path: [UInt8], _ values: String...) {
        Tool.run(["/usr/bin/python3", "-c", script, String(decoding: path, as: UTF8.self)] + values)
    }

    private static let script = """
        import sys, mutagen
        from mutagen.mp4 import MP4, MP4Cover, MP4FreeForm
        from mutagen.asf import ASF
        from mutagen.apev2 import APEv2File
        path = sys.argv[1]
        file = mutagen.File(path)
        if file.tags is None: file.add_tags()
        values = {}
        for argument in sys.argv[2:]:
            key, value = argument.split('=', 1)
            values.setdefault(key, []).append(open(value[1:], 'rb').read() if value[:1] == '@' else value)
        for key, each in values.items():
            if isinstance(file, MP4):
                if key in ('trkn', 'disk'): each = [tuple(int(n) for n in v.split('/')) for v in each]
                elif key == 'cpil': each = each[0] == '1'
                elif key == 'tmpo': each = [int(v) for v in each]
                elif key == 'covr': each = [MP4Cover(v, MP4Cover.FORMAT_PNG) for v in each]
                elif key.startswith('----'): each = [MP4FreeForm(v.encode()) for v in each]
            elif isinstance(each[0], bytes) and not isinstance(file, ASF):
                from mutagen.apev2 import APEValue, BINARY
                each = APEValue(b'cover.png' + bytes(1) + each[0], BINARY)
            file.tags[key] = each
        file.save()
        """
}

/// Enough of a picture to be told from another one.
enum Picture {
    static let front: [UInt8] = [0x89] + Array("PNG front".utf8)
    static let back: [UInt8] = [0x89] + Array("PNG back".utf8)
}
