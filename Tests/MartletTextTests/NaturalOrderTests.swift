// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletText
import Testing

@Suite("Natural order of names")
struct NaturalOrderTests {
    @Test(arguments: [
        ["1.mp3", "2.mp3", "10.mp3", "100.mp3"],
        ["1-2", "1-10", "2-1", "10-1"],
        ["a", "B", "c", "É", "f"],
        ["disc 2/01.mp3", "disc 2/2.mp3", "disc 2 bonus/1.mp3", "disc 10/1.mp3"],
        ["01 x", "1 y", "001 z"],
        ["Track ９", "track 10", "TRACK 11"],
        ["9" + String(repeating: "0", count: 40), "1" + String(repeating: "0", count: 41)],
        ["", "0", "a"],
        ["가", "나 2", "나 10", "다"],
    ])
    func `names stand as people count`(names: [String]) {
        #expect(names.reversed().sorted { NaturalOrder($0) < NaturalOrder($1) } == names)
    }

    @Test
    func `names that read alike are ordered by their bytes and are not equal`() {
        let alike = ["01", "1", "É", "é"]
        #expect(alike.shuffled().sorted { NaturalOrder($0) < NaturalOrder($1) } == ["01", "1", "É", "é"])
        #expect(NaturalOrder("É") != NaturalOrder("é"))
    }

    @Test
    func `bytes that are no text have their place too`() {
        let latin = Array("caf".utf8) + [0xE9]
        #expect(NaturalOrder(latin) == NaturalOrder(latin))
        #expect(NaturalOrder(latin) != NaturalOrder("caf\u{FFFD}"))
        #expect(
            (NaturalOrder(latin) < NaturalOrder("caf\u{FFFD}")) != (NaturalOrder("caf\u{FFFD}") < NaturalOrder(latin)))
    }

    @Test
    func `the order is total`() {
        var generator = SplitMix64(seed: 3)
        let letters = Array("aAbé019/ -가".unicodeScalars)
        let names = (0..<60).map { _ in
            var view = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                view.append(letters.randomElement(using: &generator)!)
            }
            return NaturalOrder(String(view))
        }
        for a in names {
            for b in names {
                #expect((a < b ? 1 : 0) + (b < a ? 1 : 0) + (a == b ? 1 : 0) == 1)
                for c in names where a < b && b < c { #expect(a < c) }
            }
        }
    }
}
