// SPDX-License-Identifier: Apache-2.0
import CMartletUchardet
import Glibc

/// An open iconv conversion. One caller at a time; closed with the value.
@safe struct Converter: ~Copyable {
    // Never invalid while the value lives: the only initialiser refuses (iconv_t)-1.
    private let handle: iconv_t

    init?(from source: String, to target: String) {
        guard let opened = unsafe iconv_open(target, source), Int(bitPattern: opened) != -1 else { return nil }
        unsafe handle = opened
    }

    deinit {
        _ = unsafe iconv_close(handle)
    }

    /// iconv's name for Unicode scalars as 32-bit numbers in this machine's byte order.
    static let scalars = "WCHAR_T"

    static func exists(from source: String) -> Bool {
        Converter(from: source, to: "UTF-8") != nil
    }

    /// Text out of bytes, as far as they are text.
    struct Decoding {
        var scalars: [UInt32] = []
        /// Bytes that are no character; each stands as U+FFFD in the scalars.
        var faults = 0
        /// Whether the last character is cut short. It is left out: ID3v1 cuts at 30 bytes, through a character.
        var isCutShort = false

        /// The scalars as text; a code that is no Unicode scalar becomes U+FFFD.
        var text: String {
            var view = String.UnicodeScalarView()
            view.reserveCapacity(scalars.count)
            for code in scalars { view.append(Unicode.Scalar(code) ?? "\u{FFFD}") }
            return String(view)
        }
    }

    /// Decodes bytes; the conversion must have been opened to ``scalars``.
    borrowing func decode(_ bytes: [UInt8]) -> Decoding {
        var decoding = Decoding()
        // One character never needs fewer than one byte, so the output always fits; Big5-HKSCS and the like, where
        // one character is two scalars, take two bytes for them.
        decoding.scalars.reserveCapacity(bytes.count + 1)
        var output = [UInt32](repeating: 0, count: bytes.count + 4)
        var start = 0
        reset()
        while start < bytes.count {
            let step = run(bytes, from: start, into: &output)
            decoding.scalars += output[..<step.produced]
            start += step.consumed
            switch step.error {
            case 0:
                start = bytes.count
            case EINVAL:
                decoding.isCutShort = true
                return decoding
            default:
                decoding.scalars.append(0xFFFD)
                decoding.faults += 1
                start += 1
                reset()
            }
        }
        return decoding
    }

    /// Converts bytes, all or nothing.
    borrowing func convert(_ bytes: [UInt8]) -> [UInt8]? {
        reset()
        // UTF-8 to UTF-32 with its mark is the longest: four bytes for one, and four for the mark.
        var output = [UInt32](repeating: 0, count: bytes.count + 4)
        let capacity = output.count * 4
        var produced = 0
        let error: Int32 = unsafe bytes.withUnsafeBytes { source in
            unsafe output.withUnsafeMutableBytes { target in
                var input = unsafe UnsafeMutablePointer<CChar>(
                    mutating: source.baseAddress?.assumingMemoryBound(to: CChar.self))
                var inputLeft = source.count
                var out = unsafe target.baseAddress?.assumingMemoryBound(to: CChar.self)
                var outLeft = capacity
                var failed = unsafe iconv(handle, &input, &inputLeft, &out, &outLeft) == -1
                // Stateful sets end with a return to ASCII.
                failed = unsafe failed || iconv(handle, nil, nil, &out, &outLeft) == -1
                produced = capacity - outLeft
                return failed ? errno : 0
            }
        }
        guard error == 0 else { return nil }
        return unsafe output.withUnsafeBytes { unsafe Array($0.prefix(produced)) }
    }

    private borrowing func reset() {
        _ = unsafe iconv(handle, nil, nil, nil, nil)
    }

    private borrowing func run(
        _ bytes: [UInt8], from start: Int, into output: inout [UInt32]
    ) -> (consumed: Int, produced: Int, error: Int32) {
        let capacity = output.count * 4
        return unsafe bytes.withUnsafeBytes { source in
            unsafe output.withUnsafeMutableBytes { target in
                var input = unsafe UnsafeMutablePointer<CChar>(
                    mutating: source.baseAddress?.advanced(by: start).assumingMemoryBound(to: CChar.self))
                var inputLeft = source.count - start
                var out = unsafe target.baseAddress?.assumingMemoryBound(to: CChar.self)
                var outLeft = capacity
                let result = unsafe iconv(handle, &input, &inputLeft, &out, &outLeft)
                let error = result == -1 ? errno : 0
                return (source.count - start - inputLeft, (capacity - outLeft) / 4, error)
            }
        }
    }
}
