// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletLibrary

/// A day of the calendar on the wall.
struct CalendarDay: Hashable {
    /// Days since 1970-01-01.
    let number: Int
    /// When it begins, where this process is.
    let start: UnixTime

    /// The day a moment lies in; `nil` for a moment no calendar has.
    init?(at moment: UnixTime) {
        var time = time_t(moment.seconds)
        var parts = unsafe tm()
        guard unsafe localtime_r(&time, &parts) != nil else { return nil }
        let (year, month, day) = unsafe (Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
        self.init(year: year, month: month, day: day)
    }

    /// - Parameter text: As `2026-12-31`; `nil` for anything else, and for a day there is not.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2], text.utf8.allSatisfy({ $0 == 0x2D || (0x30...0x39).contains($0) }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    private init?(year: Int, month: Int, day: Int) {
        var parts = unsafe tm()
        unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
        // timegm(3) makes a day that is none into another one.
        let midnight = unsafe timegm(&parts)
        guard unsafe parts.tm_mon == Int32(month - 1), unsafe parts.tm_mday == Int32(day) else { return nil }
        number = Int((Double(midnight) / 86_400).rounded(.down))
        unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (0, 0, 0, -1)
        start = UnixTime(seconds: Int64(unsafe mktime(&parts)))
    }
}
