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

    /// A plucked string (Karplus and Strong, "Digital Synthesis of Plucked-String and Drum Timbres", 1983), tuned between
    /// whole samples by an allpass (Jaffe and Smith, "Extensions of the Karplus-Strong Plucked-String Algorithm", 1983).
    mutating func pluck(_ note: Int, at start: Double, length: Double, level: Float, pan: Float) {
        let period = Double(DemoSynth.rate) / DemoSynth.frequency(note)
        // The average of a sample and the one after it takes half a sample off the loop; the allpass adds the rest.
        let count = max(Int(period + 0.4), 2)
        let rest = period + 0.5 - Double(count)
        let tuning = Float((1 - rest) / (1 + rest))
        var string = burst(count)
        let first = Int(start * Double(DemoSynth.rate))
        let end = min(first + Int(length * Double(DemoSynth.rate)), left.count)
        let release = first + Int(length * 0.8 * Double(DemoSynth.rate))
        let releaseLength = Float(length * 0.2 * Double(DemoSynth.rate))
        let decay = Float(pow(0.5, 1 / (DemoSynth.frequency(note) * 1.1)))
        let (toLeft, toRight) = (level * (1 - pan), level * (1 + pan))
        var (index, next) = (0, 1)
        var (before, after): (Float, Float) = (0, 0)
        // Plain loops and few array accesses: without optimisation, in the tests, they are what time goes to.
        var at = first
        while at < end {
            let sample = string[index]
            let average = (sample + string[next]) * 0.5 * decay
            after = tuning * (average - after) + before
            before = average
            string[index] = after
            index = next
            next += 1
            if next == count { next = 0 }
            var fade: Float = 1
            if at > release { fade = max(0, 1 - Float(at - release) / releaseLength) }
            left[at] += sample * toLeft * fade
            right[at] += sample * toRight * fade
            at += 1
        }
    }

    /// What the finger leaves on the string: noise, smoothed once for a softer attack, without a mean, which would stay.
    private mutating func burst(_ count: Int) -> [Float] {
        var string = (0..<count).map { _ in Float.random(in: -1...1, using: &noise) }
        for index in 1..<count { string[index] = (string[index] + string[index - 1]) / 2 }
        let mean = string.reduce(0, +) / Float(count)
        return string.map { $0 - mean }
    }

    /// A chord that swells and fades: on each side a sine with two harmonics, the sides a little out of tune.
    mutating func pad(_ notes: [Int], at start: Double, length: Double, level: Float) {
        let first = Int(start * Double(DemoSynth.rate))
        let count = Int(length * Double(DemoSynth.rate))
        let end = min(first + count, left.count)
        for (place, note) in notes.enumerated() {
            let step = 2 * Double.pi * DemoSynth.frequency(note) / Double(DemoSynth.rate)
            let tilt = Double(place) / Double(max(notes.count - 1, 1)) * 0.6 - 0.3
            var near = Oscillator(step: step * 1.0006, phase: step * Double(first))
            var far = Oscillator(step: step * 0.9994, phase: step * Double(first) + 1)
            var swell = Oscillator(step: Double.pi / Double(count), phase: 0)
            let (toLeft, toRight) = (Double(level) * (1 - tilt), Double(level) * (1 + tilt))
            var at = first
            while at < end {
                let envelope = swell.sine
                left[at] += Float(near.tone * toLeft * envelope)
                right[at] += Float(far.tone * toRight * envelope)
                near.advance()
                far.advance()
                swell.advance()
                at += 1
            }
        }
    }

    /// A sine by rotation: two additions and four products a sample, where `sin(3)` takes a hundred cycles.
    private struct Oscillator {
        private(set) var sine: Double
        private var cosine: Double
        private let stepSine: Double
        private let stepCosine: Double

        init(step: Double, phase: Double) {
            sine = sin(phase)
            cosine = cos(phase)
            stepSine = sin(step)
            stepCosine = cos(step)
        }

        mutating func advance() {
            let next = sine * stepCosine + cosine * stepSine
            cosine = cosine * stepCosine - sine * stepSine
            sine = next
        }

        /// The sine with its octave at a quarter and its twelfth at a tenth.
        var tone: Double {
            sine * (1 + 0.5 * cosine + 0.1 * (3 - 4 * sine * sine))
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
        var peak: Float = 0.001
        var index = 0
        while index < left.count {
            peak = max(peak, abs(left[index]), abs(right[index]))
            index += 1
        }
        let gain = 0.8 / peak
        let (rise, fall) = (DemoSynth.rate / 50, DemoSynth.rate / 2)
        var result = [Int16](repeating: 0, count: left.count * 2)
        index = 0
        while index < left.count {
            var level = gain
            let remaining = left.count - 1 - index
            if fades, index < rise { level *= Float(index) / Float(rise) }
            if fades, remaining < fall { level *= Float(remaining) / Float(fall) }
            result[2 * index] = Int16(left[index] * level * 32_000)
            result[2 * index + 1] = Int16(right[index] * level * 32_000)
            index += 1
        }
        return result
    }

    private mutating func echo(delay: Double, feedback: Float) {
        let distance = Int(delay * Double(DemoSynth.rate))
        var index = distance
        while index < left.count {
            left[index] += right[index - distance] * feedback
            right[index] += left[index - distance] * feedback
            index += 1
        }
    }
}
