// SPDX-License-Identifier: Apache-2.0
import MartletCore
import Testing

@Suite("The playback clock")
struct PlaybackClockTests {
    let start = Instant(sinceOrigin: .seconds(100))

    @Test func `a clock that stands stays where it is`() {
        let clock = PlaybackClock(position: .seconds(7), at: start)
        #expect(clock.position(at: start + .seconds(60)) == .seconds(7))
    }

    @Test(arguments: [0.5, 1.0, 1.5, 2.0])
    func `position runs by the rate (F244)`(rate: Double) {
        var clock = PlaybackClock(at: start, rate: rate)
        clock.run(from: start)
        #expect(clock.position(at: start + .seconds(10)) == .seconds(10) * rate)
    }

    @Test func `position never passes the length (F027, F237)`() {
        var clock = PlaybackClock(position: .seconds(9), at: start, length: .seconds(10))
        clock.run(from: start)
        #expect(clock.position(at: start + .seconds(3600)) == .seconds(10))
    }

    @Test func `position is never negative (F021)`() {
        var clock = PlaybackClock(position: .seconds(-5), at: start)
        #expect(clock.position(at: start) == .zero)
        clock.anchor(at: .zero, instant: start + .seconds(2), isRunning: true)
        #expect(clock.position(at: start + .seconds(1)) == .zero)
    }

    @Test func `an anchor ahead waits for its moment`() {
        var clock = PlaybackClock(at: start)
        clock.anchor(at: .zero, instant: start + .seconds(2), isRunning: true)
        #expect(clock.position(at: start + .seconds(2)) == .zero)
        #expect(clock.position(at: start + .seconds(5)) == .seconds(3))
    }

    @Test func `a rate change keeps the position (F246)`() {
        var clock = PlaybackClock(at: start)
        clock.run(from: start)
        clock.setRate(2, at: start + .seconds(10))
        #expect(clock.position(at: start + .seconds(10)) == .seconds(10))
        #expect(clock.position(at: start + .seconds(15)) == .seconds(20))
    }

    @Test func `hold and run continue where they were`() {
        var clock = PlaybackClock(at: start)
        clock.run(from: start)
        clock.hold(at: start + .seconds(4))
        clock.run(from: start + .seconds(90))
        #expect(clock.position(at: start + .seconds(91)) == .seconds(5))
    }

    @Test func `the moment of a position is told by a running clock only`() {
        var clock = PlaybackClock(position: .seconds(1), at: start, rate: 2)
        #expect(clock.instant(reaching: .seconds(5)) == nil)
        clock.run(from: start)
        #expect(clock.instant(reaching: .seconds(5)) == start + .seconds(2))
        #expect(clock.instant(reaching: .zero) == nil)
    }

    @Test func `a day of music does not overflow (F080, F148)`() {
        var clock = PlaybackClock(at: start, length: .seconds(86_400))
        clock.run(from: start)
        #expect(clock.position(at: start + .seconds(86_399)) == .seconds(86_399))
    }
}
