// SPDX-License-Identifier: Apache-2.0
import MartletCore
import Testing

@testable import MartletTags

@Suite("Single values")
struct TagValueTests {
    // F092: MPRIS wants ISO 8601, and a wrong date made a client's parser fail.
    @Test(arguments: [
        ("2021", "2021"), ("2021-03", "2021-03"), ("2021-03-04", "2021-03-04"), ("2009-29-09", "2009"),
        ("2003-00-00", "2003"), ("2009-02-31", "2009-02"), ("2008-02-29", "2008-02-29"), ("1900-02-29", "1900-02"),
        ("20210304", "2021-03-04"), ("2021/3/4", "2021-03-04"), ("2021.03.04", "2021-03-04"), ("2021-3", "2021-03"),
        ("2009-09-29T07:00:00Z", "2009-09-29T07:00:00Z"), ("2009-09-29 07:00:05", "2009-09-29T07:00:05"),
        ("2009-09-29T07:00:00+0900", "2009-09-29T07:00:00+09:00"), ("2009-09-29T25:00", "2009-09-29"),
        ("2009-09-29T07:05", "2009-09-29T07:05"), ("c. 1998", "1998"), ("29.09.2009", "2009"), ("© 1973 EMI", "1973"),
        ("2001; 2003", "2001"), ("2003-13", "2003"), ("1998-", "1998"),
    ])
    func `a date keeps what is valid of it (F092)`(text: String, date: String) {
        #expect(TagDate.normalized(text) == date)
    }

    @Test(arguments: ["", "0000", "unknown", "98", "12345", "0000-00-00", "１９９８"])
    func `what holds no year is no date`(text: String) {
        #expect(TagDate.normalized(text) == nil)
    }

    @Test(
        arguments: [
            ("7", 7, nil), ("07/12", 7, 12), ("7 / 12", 7, 12), ("7 of 12", 7, 12), ("0/0", nil, nil), ("/12", nil, 12),
            ("A1", nil, nil), ("", nil, nil), ("3/", 3, nil), ("99999999999999999999", nil, nil), ("5 (bonus)", 5, nil),
        ] as [(String, Int?, Int?)])
    func `a number may bring its total`(text: String, number: Int?, total: Int?) {
        let (readNumber, readTotal) = TagValues.position(text)
        #expect(readNumber == number)
        #expect(readTotal == total)
    }

    @Test(
        arguments: [
            ("-7.52 dB", -7.52), ("+3 dB", 3), ("-7,52dB", -7.52), ("0.00", 0), ("1e3 dB", nil), ("dB", nil),
            ("nan", nil), ("inf", nil), ("-", nil), ("  -1.5", -1.5),
        ] as [(String, Double?)])
    func `a gain is read with its unit, and nonsense is none`(text: String, gain: Double?) {
        #expect(TagValues.gain(text) == gain)
    }

    @Test
    func `a peak is a positive share`() {
        #expect(TagValues.peak("0.988547") == 0.988547)
        #expect(TagValues.peak("1.2e-05") == 1.2e-05)
        #expect(TagValues.peak("-1") == nil)
    }

    @Test
    func `identifiers are found in lists and in capitals, and what is none is dropped`() {
        let one = "0a1b2c3d-0000-4000-8000-000000000001"
        let two = "0a1b2c3d-0000-4000-8000-000000000002"
        #expect(TagValues.uuids("\(one)/\(two.uppercased())") == [one, two])
        #expect(TagValues.uuids("\(one); \(two)") == [one, two])
        #expect(TagValues.uuids("none") == [])
        #expect(TagValues.uuids("0a1b2c3d-0000-4000-8000-00000000000") == [])
    }

    @Test
    func `a recording code loses its hyphens and must be one`() {
        #expect(TagValues.isrc("us-rc1-76-07839") == "USRC17607839")
        #expect(TagValues.isrc("12RC17607839") == nil)
        #expect(TagValues.isrc("n/a") == nil)
    }

    @Test
    func `tempo is rounded and zero is unknown`() {
        #expect(TagValues.count("127.98") == 128)
        #expect(TagValues.count("0") == nil)
    }
}
