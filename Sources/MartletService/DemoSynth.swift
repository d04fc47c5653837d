// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletCore

/// A small string ensemble: plucked strings over soft chords, stereo, 44.1 kHz. Deterministic.
struct DemoSynth {
    static let rate = 44_100
    private var left: [Float]
    private var right: [Float]
    private var noise: SplitMix64

    /// - Parameter seconds: How long the piece is; what rings longer is cut.
    init(seconds: Double, seed: UInt64) {
        let count = Int(seconds * Double(DemoSynth.rate))
        left = [Float](repeating: 0, count: count)
        right = left
        noise = SplitMix64(seed: seed)
    }

    /// The frequency of a note, 69 being a' at 440 Hz.
    static func frequency(_ note: Int) -> Double { 440 * pow(2, Double(note - 69) / 12) }

    /// A plucked string (Karplus and Strong, "Digital Synthesis of Plucked-String and Drum Timbres", 1983).
    mutating func pluck(_ note: Int, at start: Double, length: Double, level: Float, pan: Float) {
        let period = Double(DemoSynth.rate) / DemoSynth.frequency(note)
        var string = (0..<max(Int(period), 2)).map { _ in Float.random(in: -1...1, using: &noise) }
        // Softer attack: the burst is smoothed once.
        for index in 1..<string.count { string[index] = (string[index] + string[index - 1]) / 2 }
        let first = Int(start * Double(DemoSynth.rate))
        let count = Int(length * Double(DemoSynth.rate))
        let release = Double(count) * 0.8
        let decay = Float(pow(0.5, 1 / (DemoSynth.frequency(note) * 1.1)))
        var index = 0
        for offset in 0..<count where first + offset < left.count {
            let next = index + 1 == string.count ? 0 : index + 1
            let sample = string[index]
            string[index] = (string[index] + string[next]) / 2 * decay
            index = next
            let fade = Double(offset) < release ? 1 : Float(1 - (Double(offset) - release) / (Double(count) - release))
            left[first + offset] += sample * level * fade * (1 - pan)
            right[first + offset] += sample * level * fade * (1 + pan)
        }
    }

    /// A chord that swells and fades: slightly detuned pairs of sines with two harmonics.
    mutating func pad(_ notes: [Int], at start: Double, length: Double, level: Float) {
        let first = Int(start * Double(DemoSynth.rate))
        let count = Int(length * Double(DemoSynth.rate))
        for (place, note) in notes.enumerated() {
            let step = 2 * Double.pi * DemoSynth.frequency(note) / Double(DemoSynth.rate)
            for offset in 0..<count where first + offset < left.count {
                let position = Double(offset) / Double(count)
                let envelope = Float(sin(Double.pi * min(position * 1.02, 1)))
                let phase = step * Double(first + offset)
                let a = sin(phase * 1.001) + 0.25 * sin(phase * 2.002) + 0.1 * sin(phase * 3.001)
                let b = sin(phase * 0.999) + 0.25 * sin(phase * 1.998) + 0.1 * sin(phase * 2.999)
                let tilt = Float(place) / Float(max(notes.count - 1, 1)) * 0.6 - 0.3
                left[first + offset] += Float(a) * level * envelope * (1 - tilt)
                right[first + offset] += Float(b) * level * envelope * (1 + tilt)
            }
        }
    }

    /// A brushed beat: filtered noise.
    mutating func brush(at start: Double, level: Float) {
        let first = Int(start * Double(DemoSynth.rate))
        var last: Float = 0
        for offset in 0..<3_000 where first + offset < left.count {
            last += (Float.random(in: -1...1, using: &noise) - last) * 0.35
            let sample = last * level * exp(-Float(offset) / 600)
            left[first + offset] += sample
            right[first + offset] += sample * 0.9
        }
    }

    /// The piece with a little room around it, at a safe level, faded at its very ends if asked.
    mutating func render(fades: Bool) -> [Int16] {
        echo(delay: 0.231, feedback: 0.22)
        let peak = zip(left, right).reduce(Float(0.001)) { max($0, abs($1.0), abs($1.1)) }
        let gain = 0.8 / peak
        let edge = DemoSynth.rate / 50
        var result: [Int16] = []
        result.reserveCapacity(left.count * 2)
        for index in left.indices {
            var level = gain
            if fades {
                level *= min(Float(index) / Float(edge), Float(left.count - 1 - index) / Float(edge * 25), 1)
            }
            result.append(Int16(max(-1, min(1, left[index] * level)) * 32_000))
            result.append(Int16(max(-1, min(1, right[index] * level)) * 32_000))
        }
        return result
    }

    private mutating func echo(delay: Double, feedback: Float) {
        let distance = Int(delay * Double(DemoSynth.rate))
        guard distance < left.count else { return }
        for index in distance..<left.count {
            left[index] += right[index - distance] * feedback
            right[index] += left[index - distance] * feedback
        }
    }
}
