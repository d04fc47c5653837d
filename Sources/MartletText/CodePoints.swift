// SPDX-License-Identifier: Apache-2.0
import CMartletUtf8proc

/// utf8proc's functions on single code points and on buffers of them.
enum CodePoints {
    /// Appends what a code point decomposes into.
    static func decompose(_ code: UInt32, _ options: utf8proc_option_t, into codes: inout [UInt32]) {
        var boundary: Int32 = 0
        // The longest decomposition in Unicode has eighteen code points.
        unsafe withUnsafeTemporaryAllocation(of: Int32.self, capacity: 24) { buffer in
            let count = unsafe utf8proc_decompose_char(
                Int32(bitPattern: code), buffer.baseAddress, buffer.count, options, &boundary)
            guard count >= 0, count <= buffer.count else { return codes.append(code) }
            for index in 0..<count { unsafe codes.append(UInt32(bitPattern: buffer[index])) }
        }
    }

    /// Puts combining marks of one base into their canonical order, as decomposing by single code points leaves open.
    static func order(_ codes: inout [UInt32]) {
        var index = 1
        while index < codes.count {
            let rank = combiningClass(codes[index])
            var place = index
            while rank > 0, place > 0, combiningClass(codes[place - 1]) > rank {
                codes.swapAt(place, place - 1)
                place -= 1
            }
            index += 1
        }
    }

    /// Joins what canonically composes.
    static func compose(_ codes: [UInt32]) -> [UInt32] {
        var buffer = codes.map { Int32(bitPattern: $0) }
        let options = utf8proc_option_t(UTF8PROC_COMPOSE.rawValue | UTF8PROC_STABLE.rawValue)
        let count = unsafe utf8proc_normalize_utf32(&buffer, buffer.count, options)
        guard count >= 0, count <= buffer.count else { return codes }
        return buffer[..<count].map { UInt32(bitPattern: $0) }
    }

    static func combiningClass(_ code: UInt32) -> Int32 {
        // Nothing below U+0300 combines; most text is there.
        code < 0x300 ? 0 : Int32(unsafe utf8proc_get_property(Int32(bitPattern: code)).pointee.combining_class)
    }

    static func isMark(_ code: UInt32) -> Bool {
        guard code >= 0x300 else { return false }
        switch utf8proc_category(Int32(bitPattern: code)) {
        case UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_MC, UTF8PROC_CATEGORY_ME: return true
        default: return false
        }
    }

    static func text(_ codes: some Sequence<UInt32>) -> String {
        var view = String.UnicodeScalarView()
        for code in codes { view.append(Unicode.Scalar(code) ?? "\u{FFFD}") }
        return String(view)
    }
}

extension String {
    var isASCII: Bool {
        utf8.allSatisfy { $0 < 0x80 }
    }
}
