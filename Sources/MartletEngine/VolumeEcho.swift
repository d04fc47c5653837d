// SPDX-License-Identifier: Apache-2.0

/// Tells a mixer's volume from the echo of our own.
///
/// A sound server answers an order with a notification, late and rounded; while a slider is dragged several are on
/// their way at once.
struct VolumeEcho {
    private var expected: [Double] = []
    private static let memory = 32
    /// PulseAudio keeps 65,536 steps on a cubic scale.
    private static let rounding = 1.0 / 16_384

    mutating func expect(_ volume: Double) {
        expected.append(volume)
        if expected.count > VolumeEcho.memory { expected.removeFirst() }
    }

    /// Whether this is one of ours; those ordered before it will not come any more.
    mutating func isEcho(_ volume: Double) -> Bool {
        guard let index = expected.lastIndex(where: { abs($0 - volume) <= VolumeEcho.rounding }) else { return false }
        // The last one stays: the server may repeat it, for each new stream does so.
        expected.removeFirst(index)
        return true
    }

    /// Forgets ours: the mixer has the last word.
    mutating func overrule(_ volume: Double) {
        expected = [volume]
    }
}
