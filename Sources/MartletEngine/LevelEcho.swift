// SPDX-License-Identifier: Apache-2.0

/// Tells a mixer's level from the echo of our own.
///
/// A sound server answers an order with a notification, late and rounded; while a slider is dragged several are on
/// their way at once.
struct LevelEcho {
    private var expected = [SoundLevel()]
    private static let memory = 32
    /// PulseAudio keeps 65,536 steps on a cubic scale.
    private static let rounding = 1.0 / 16_384

    mutating func expect(_ level: SoundLevel) {
        expected.append(level)
        if expected.count > LevelEcho.memory { expected.removeFirst() }
    }

    /// Whether this is one of ours; those ordered before it will not come any more.
    mutating func isEcho(_ level: SoundLevel) -> Bool {
        let match = expected.lastIndex {
            $0.isMuted == level.isMuted && abs($0.volume - level.volume) <= LevelEcho.rounding
        }
        guard let match else { return false }
        // The match itself stays: the server may repeat it, for each new stream does so.
        expected.removeFirst(match)
        return true
    }

    /// Forgets ours: the mixer has the last word.
    mutating func overrule(_ level: SoundLevel) {
        expected = [level]
    }
}
