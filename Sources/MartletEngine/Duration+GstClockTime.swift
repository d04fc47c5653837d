// SPDX-License-Identifier: Apache-2.0

import CMartletGStreamer

extension Duration {
    /// GStreamer's unit: nanoseconds, 0 and more, clamped.
    var gstTime: gint64 {
        let (seconds, attoseconds) = components
        let whole = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !whole.overflow else { return seconds < 0 ? 0 : .max }
        return max(0, gint64(whole.partialValue &+ attoseconds / 1_000_000_000))
    }

    /// For arithmetic with a rate, where a double's microsecond is exact enough.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
