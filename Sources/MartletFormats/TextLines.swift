// SPDX-License-Identifier: Apache-2.0

/// The lines of a text file, each with its bytes and its text.
struct TextLines {
    struct Line {
        /// From 1.
        var number: Int
        /// As in the file, without the line end.
        var bytes: ArraySlice<UInt8>
        var text: String
        /// Whether `text` is `bytes` read as UTF-8; otherwise it is a decoder's opinion.
        var isExact: Bool
    }

    /// A longer line is passed over: no path or title is that long, and somebody is testing us.
    static let longestLine = 65_536

    private var cursor: LineCursor
    private let isUTF8: Bool
    private let decode: PlaylistDecoding
    private var batch: [Line] = []
    private var position = 0
    private var count = 0
    /// What `#EXTENC` says, once it has been met.
    var declared: String?
    private(set) var longLineCount = 0

    init(_ bytes: [UInt8], decode: @escaping PlaylistDecoding) {
        var bytes = bytes
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            bytes = Array(decode([bytes], nil)[0].utf8)
        }
        cursor = LineCursor(bytes.starts(with: ByteText.mark) ? bytes.dropFirst(3) : bytes[...])
        isUTF8 = String(validating: bytes, as: UTF8.self) != nil
        self.decode = decode
    }

    mutating func next() -> Line? {
        if position == batch.count {
            fill()
            position = 0
            guard !batch.isEmpty else { return nil }
        }
        defer { position += 1 }
        return batch[position]
    }

    // A batch, because a decoder judges many short lines better than one, and not the whole file, because that may be
    // thirty million lines of one byte.
    private mutating func fill() {
        batch.removeAll(keepingCapacity: true)
        var open: [Int] = []
        while batch.count < 4096, let bytes = cursor.next() {
            count += 1
            guard bytes.count <= TextLines.longestLine else {
                longLineCount += 1
                continue
            }
            if !isUTF8, bytes.contains(where: { $0 >= 0x80 }) {
                open.append(batch.count)
                batch.append(Line(number: count, bytes: bytes, text: "", isExact: false))
            } else {
                if !isUTF8, bytes.hasPrefix(ignoringCase: "#EXTENC:") {
                    declared = ByteText.field(String(decoding: bytes.dropFirst(8), as: UTF8.self))
                }
                let text = String(decoding: bytes, as: UTF8.self)
                batch.append(Line(number: count, bytes: bytes, text: text, isExact: true))
            }
        }
        guard !open.isEmpty else { return }
        for (index, text) in zip(open, decode(open.map { Array(batch[$0].bytes) }, declared)) {
            batch[index].text = text
            batch[index].isExact = text.utf8.elementsEqual(batch[index].bytes)
        }
    }
}
