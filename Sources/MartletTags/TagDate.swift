// SPDX-License-Identifier: Apache-2.0

/// Brings dates as taggers write them into ISO 8601, keeping what is valid of them.
///
/// `2003-00-00` is the year 2003, `2009-29-09` (F092) the year 2009, `0000` nothing. Four digits that may be a year are
/// looked for anywhere, because people write `c. 1998` and `29.09.2009`; a month or day is only taken from behind the
/// year, where its place is unambiguous.
enum TagDate {
    static func normalized(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard let start = yearStart(bytes) else { return nil }
        var scanner = Scanner(bytes: bytes, index: start)
        guard let year = scanner.digits(4), year > 0 else { return nil }
        var result = padded(year, 4)
        // Behind a day and a month stands a year and nothing else of use.
        guard start == 0 || !bytes[..<start].contains(where: isDigit) else { return result }

        let isCompact = scanner.remaining == 4 && bytes[scanner.index...].allSatisfy(isDigit)
        guard isCompact || scanner.skip(separators), let month = scanner.digits(2), (1...12).contains(month) else {
            return result
        }
        // A day alone is no date either: 2009-02-31 keeps its month.
        result += "-" + padded(month, 2)
        guard isCompact || scanner.skip(separators), let day = scanner.digits(2),
            (1...days(inMonth: month, of: year)).contains(day)
        else { return result }
        result += "-" + padded(day, 2)
        if let time = time(&scanner) { result += time }
        return result
    }

    private static let separators = Array("-/.".utf8)

    private static func time(_ scanner: inout Scanner) -> String? {
        guard scanner.skip(Array("T ".utf8)), let hour = scanner.digits(2), hour < 24, scanner.skip([0x3A]),
            let minute = scanner.digits(2), minute < 60
        else { return nil }
        var result = "T" + padded(hour, 2) + ":" + padded(minute, 2)
        var isWhole = false
        if scanner.skip([0x3A]), let second = scanner.digits(2), second < 60 {
            result += ":" + padded(second, 2)
            isWhole = true
        }
        // RFC 3339 wants seconds where there is a zone.
        if isWhole, let zone = zone(&scanner) { result += zone }
        return result
    }

    private static func zone(_ scanner: inout Scanner) -> String? {
        if scanner.skip(Array("Zz".utf8)) { return "Z" }
        guard let sign = scanner.peek, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
        scanner.index += 1
        guard let hour = scanner.digits(2), hour < 24 else { return nil }
        _ = scanner.skip([0x3A])
        guard let minute = scanner.digits(2), minute < 60 else { return nil }
        return (sign == UInt8(ascii: "+") ? "+" : "-") + padded(hour, 2) + ":" + padded(minute, 2)
    }

    /// The first run of digits that begins like a year: exactly four of them, or at least four at the very start.
    private static func yearStart(_ bytes: [UInt8]) -> Int? {
        var index = 0
        while index < bytes.count {
            guard isDigit(bytes[index]) else {
                index += 1
                continue
            }
            let end = bytes[index...].firstIndex { !isDigit($0) } ?? bytes.count
            if end - index == 4 || (end - index == 8 && index == 0) { return index }
            index = end
        }
        return nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte)
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private struct Scanner {
        let bytes: [UInt8]
        var index: Int

        var remaining: Int { bytes.count - index }
        var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

        mutating func skip(_ any: [UInt8]) -> Bool {
            guard let next = peek, any.contains(next) else { return false }
            index += 1
            return true
        }

        /// A number of up to so many digits.
        mutating func digits(_ most: Int) -> Int? {
            var value = 0
            var count = 0
            while count < most, let next = peek, TagDate.isDigit(next) {
                value = value * 10 + Int(next - 0x30)
                count += 1
                index += 1
            }
            return count > 0 ? value : nil
        }
    }
}
