// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Open conversions to Unicode scalars, kept for the next string.
///
/// Opening one loads a module of iconv's and closing it may unload it again: 0.7 ms for the eight usual sets, twenty
/// times what the judgement itself takes. A conversion has state, so a set of them has one user at a time.
final class ScalarDecoders: @unchecked Sendable {
    // Unchecked, because `open` is touched only between take() and putBack(), by the one who took it.
    private var open: [Charset: Box] = [:]

    private final class Box {
        let converter: Converter

        init?(_ charset: Charset) {
            guard let converter = Converter(from: charset.name, to: Converter.scalars) else { return nil }
            self.converter = converter
        }
    }

    private static let idle = Mutex<[ScalarDecoders]>([])

    static func take() -> ScalarDecoders {
        idle.withLock { $0.popLast() } ?? ScalarDecoders()
    }

    func putBack() {
        ScalarDecoders.idle.withLock { $0.append(self) }
    }

    /// - Returns: `nil` if iconv cannot open the set.
    func decode(_ bytes: [UInt8], as charset: Charset) -> Converter.Decoding? {
        if let known = open[charset] { return known.converter.decode(bytes) }
        guard let box = Box(charset) else { return nil }
        open[charset] = box
        return box.converter.decode(bytes)
    }
}
