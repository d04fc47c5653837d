// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletCore

/// Dates for `xesam:contentCreated` (contract R139): ISO 8601, with a time of day where the day is known.
enum MetadataDate {
    /// `2021` stays; `2021-03-04` gets midnight, since the guidelines ask for date *and* time; a time stays as it is.
    static func dateTime(_ date: String) -> String {
        date.utf8.count == 10 ? date + "T00:00:00" : date
    }

    /// A moment, in UTC. Empty for one that no calendar has.
    static func dateTime(unix seconds: Int64) -> String {
        var time = time_t(seconds)
        var parts = unsafe tm()
        guard unsafe gmtime_r(&time, &parts) != nil else { return "" }
        let date = unsafe [parts.tm_mon + 1, parts.tm_mday].map(padded).joined(separator: "-")
        let clock = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec].map(padded).joined(separator: ":")
        let year = unsafe String(Int(parts.tm_year) + 1900)
        return String(repeating: "0", count: max(0, 4 - year.count)) + "\(year)-\(date)T\(clock)Z"
    }

    private static func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension MediaURI {
    /// What a track without a title is called: its file's name without the ending.
    var titleFromName: String {
        let name = displayName
        guard filePath != nil, let dot = name.lastIndex(of: "."), dot != name.startIndex,
            name.distance(from: dot, to: name.endIndex) <= 6
        else { return name }
        return String(name[..<dot])
    }
}

extension MediaURI {
    /// The URI as everybody on the bus may read it: without user, password, query and fragment where it is no file (F103, F104).
    var withoutSecrets: String {
        guard filePath == nil, let start = description.firstRange(of: "://")?.upperBound else { return description }
        let end = description[start...].firstIndex { $0 == "?" || $0 == "#" } ?? description.endIndex
        let rest = description[start..<end]
        let authority = rest.prefix { $0 != "/" }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        return String(description[..<start] + host + rest[authority.endIndex...])
    }
}
