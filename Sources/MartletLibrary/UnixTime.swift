// SPDX-License-Identifier: Apache-2.0
internal import Glibc
public import MartletSQLite

/// A moment of the calendar in whole seconds since 1970, UTC: what is kept of when something was added or played.
///
/// The calendar's clock may be set back; what must not be fooled by that counts with the monotonic clock.
public struct UnixTime: Hashable, Comparable, Sendable {
    public var seconds: Int64

    public init(seconds: Int64) {
        self.seconds = seconds
    }

    /// The system's clock; for those who own no clock of their own.
    public static var now: UnixTime { UnixTime(seconds: Int64(time(nil))) }

    public static func < (left: UnixTime, right: UnixTime) -> Bool { left.seconds < right.seconds }

    public static func - (time: UnixTime, duration: Duration) -> UnixTime {
        UnixTime(seconds: time.seconds - duration.components.seconds)
    }
}

extension UnixTime: DatabaseValue {
    public func bind(to statement: Statement, at index: Int) throws(SQLiteError) {
        try seconds.bind(to: statement, at: index)
    }

    public static func read(_ statement: Statement, _ column: Int) throws(SQLiteError) -> UnixTime {
        UnixTime(seconds: try Int64.read(statement, column))
    }
}

/// Lengths are kept as whole nanoseconds.
struct Nanoseconds: DatabaseValue {
    var duration: Duration

    init(_ duration: Duration) {
        self.duration = duration
    }

    init?(_ duration: Duration?) {
        guard let duration else { return nil }
        self.duration = duration
    }

    var count: Int64 {
        let (seconds, attoseconds) = duration.components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        // A length of three centuries is a lie of the file's.
        return overflows ? (seconds < 0 ? .min : .max) : product &+ attoseconds / 1_000_000_000
    }

    func bind(to statement: Statement, at index: Int) throws(SQLiteError) {
        try count.bind(to: statement, at: index)
    }

    static func read(_ statement: Statement, _ column: Int) throws(SQLiteError) -> Nanoseconds {
        Nanoseconds(.nanoseconds(try Int64.read(statement, column)))
    }
}
