// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// Whole microseconds, the bus' unit, rounded towards 0; clamped to what 64 bits hold.
    var microseconds: Int64 { whole(1_000_000) }

    /// Whole nanoseconds, the database's unit, rounded towards 0; clamped to what 64 bits hold.
    var nanoseconds: Int64 { whole(1_000_000_000) }

    private func whole(_ unitsASecond: Int64) -> Int64 {
        let (seconds, attoseconds) = components
        let limit: Int64 = seconds < 0 ? .min : .max
        let (scaled, isOver) = seconds.multipliedReportingOverflow(by: unitsASecond)
        if isOver { return limit }
        let rest = attoseconds / (1_000_000_000_000_000_000 / unitsASecond)
        let (sum, isSumOver) = scaled.addingReportingOverflow(rest)
        return isSumOver ? limit : sum
    }
}
