// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// The cover: a martlet over hills at sunrise.
enum DemoCover {
    /// RGB, rows from the top.
    static func pixels(side: Int) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(side * side * 3)
        // Four samples a pixel keep the edges smooth.
        let offsets = [0.25, 0.75]
        for row in 0..<side {
            for column in 0..<side {
                var sum = Color(0, 0, 0)
                for dy in offsets {
                    for dx in offsets {
                        sum += color((Double(column) + dx) / Double(side), (Double(row) + dy) / Double(side))
                    }
                }
                for channel in [sum.x, sum.y, sum.z] { result.append(UInt8(max(0, min(255, channel / 4)))) }
            }
        }
        return result
    }

    private typealias Color = SIMD3<Double>

    private static func color(_ x: Double, _ y: Double) -> Color {
        if isBird(x, y) { return Color(24, 29, 52) }
        if y > 0.86 + 0.035 * sin(x * 6 + 1.2) { return Color(30, 44, 66) }
        let distance = hypot(x - 0.68, y - 0.76)
        let glow = exp(-distance * 3.2)
        if y > 0.78 + 0.05 * sin(x * 5 + 4) { return Color(46 + 50 * glow, 66 + 30 * glow, 92) }
        if distance < 0.15 { return Color(252, 220, 138) }
        return Color(58 + 185 * glow + 24 * y, 84 + 100 * glow + 26 * y, 152 - 30 * glow + 34 * (1 - y))
    }

    /// Sickle wings, a short body, a forked tail and no feet, for a martlet never lands. Seen from below, flying to the
    /// upper right.
    private static func isBird(_ x: Double, _ y: Double) -> Bool {
        let (dx, dy) = ((x - 0.45) / 0.37, (y - 0.36) / 0.37)
        let heading = -0.95
        // Along the body, the head being ahead; and across it, the same on both sides.
        let along = dx * cos(heading) + dy * sin(heading)
        let across = abs(-dx * sin(heading) + dy * cos(heading))
        let body = (along - 0.02) / 0.42
        if abs(body) < 1, across < 0.105 * (1 - body * body) * (1 + 0.25 * body) { return true }
        let beak = along - 0.40
        if beak > 0, beak < 0.09, across < 0.026 * (1 - beak / 0.09) { return true }
        if across < 1, along < 0.19 + 0.22 * across - 0.80 * across * across,
            along > -0.04 + 0.16 * across - 0.51 * across * across
        {
            return true
        }
        let tail = (-0.20 - along) / 0.44
        return tail > 0 && tail < 1 && abs(across - 0.02 - 0.15 * tail * tail) < 0.055 * (1 - tail)
    }
}
