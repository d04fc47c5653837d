// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import MartletDBus

@Suite("Values")
struct BusValueTests {
    @Test(arguments: 0..<400 as Range<UInt64>)
    func `a random value of a random type comes back from the wire as it was`(seed: UInt64) throws {
        var random = RandomValues(seed: seed)
        var body: [BusValue] = []
        repeat {
            body = (0..<Int.random(in: 1...4, using: &random.generator)).map { _ in
                let type = random.type()
                return random.value(of: type)
            }
        } while BusSignature(signatureText(of: body)) == nil
        let wire = try wireBytes(of: carrier(body))
        let received = try #require(try message(fromWire: wire))
        #expect(received.body == body)
        #expect(received.signature.string == signatureText(of: body))
        var layout = BodyLayout()
        try layout.add(body)
        #expect(layout.size == bodyLength(wire), "the measured size is the size on the wire")
    }

    @Test(arguments: [
        "y", "b", "n", "q", "i", "u", "x", "t", "d", "s", "o", "g", "v", "ay", "ab", "as", "ao", "ag", "ad", "av",
        "aas", "a{sv}",
        "a{ss}", "a{ov}", "a{ya{sv}}", "aa{sv}", "(s)", "(ia(oo)v)", "a(oss)", "a(sa{sv}as)", "a{s(ii)}", "aaaaay",
        "(((y)))",
    ])
    func `every kind of type survives, and an empty container keeps its type (R152)`(type: BusType) throws {
        var random = RandomValues(seed: 7)
        for _ in 0..<20 {
            let value = random.value(of: type)
            let received = try roundTrip([value])
            #expect(received == [value])
            #expect(received[0].type == type)
        }
    }

    @Test func `a NaN travels as a NaN`() throws {
        #expect(try roundTrip([.double(.nan)])[0].double?.isNaN == true)
    }

    @Test func `U+0000 in a string reaches the bus as U+FFFD (R147, F107)`() throws {
        let poisoned = "ti\0tle\0"
        #expect(try roundTrip([.string(poisoned)]) == [.string("ti\u{FFFD}tle\u{FFFD}")])
        #expect(
            try roundTrip([.dict([("xesam:ti\0tle", .strings(["\0"]))])])
                == [.dict([("xesam:ti\u{FFFD}tle", .strings(["\u{FFFD}"]))])])
    }

    @Test func `U+0000 keeps the combining characters around it`() throws {
        #expect(try roundTrip([.string("e\0\u{301}")]) == [.string("e\u{FFFD}\u{301}")])
    }

    @Test func `a broken error sentence is repaired too`() throws {
        var call = BusMessage.methodCall(destination: nil, path: "/a", interface: nil, member: "M")
        call.serial = 3
        let received = try message(fromWire: wireBytes(of: .error(to: call, .failed("a\0b"))))
        #expect(received?.error == .failed("a\u{FFFD}b"))
    }

    @Test func `dictionaries compare without their order, and hash alike`() {
        let one = BusValue.dict([("a", .int32(1)), ("b", .string("x"))])
        let other = BusValue.dict([("b", .string("x")), ("a", .int32(1))])
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one != .dict([("a", .int32(1))]))
        #expect(one != .dict([("a", .int32(1)), ("b", .string("y"))]))
        #expect(BusValue.dict([]) != .stringMap([]), "an empty dictionary keeps its type")
        #expect(BusValue.strings([]) != .objectPaths([]), "an empty array keeps its type")
    }

    @Test func `of a key sent twice the last counts`() {
        let twice = BusDictionary([("a", .int32(1)), ("a", .int32(2))])
        #expect(twice["a"] == .int32(2))
        #expect(twice == BusDictionary([("a", .int32(2))]))
        #expect(twice.hashValue == BusDictionary([("a", .int32(2))]).hashValue)
    }

    @Test func `accessors look through variants and refuse other types`() {
        let value = BusValue.variant(.variant(.int64(5)))
        #expect(value.int64 == 5)
        #expect(value.int32 == nil)
        #expect(value.integer == 5)
        #expect(value.number == 5)
        #expect(BusValue.uint64(.max).integer == nil)
        #expect(BusValue.double(0.5).number == 0.5)
        #expect(BusValue.string("/a").objectPath == nil)
        #expect(BusValue.objectPath("/a").text == "/a")
        #expect(BusValue.strings(["a"]).strings == ["a"])
        #expect(BusValue.strings([]).objectPaths == nil)
        #expect(BusValue.bytes([1, 2]).bytes == [1, 2])
        #expect(BusValue.dict([("k", .boolean(true))])["k"]?.boolean == true)
        #expect(BusValue.structure([.byte(1)]).structure == [.byte(1)])
        #expect(BusValue.int32(1)["k"] == nil)
    }

    @Test func `a descriptor is closed with its last reference and not before`() throws {
        let original = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(original) }
        var copy: BusFileDescriptor? = try BusFileDescriptor(duplicating: original)
        let number = copy!.rawValue
        #expect(fcntl(number, F_GETFD) == FD_CLOEXEC)
        copy = nil
        #expect(fcntl(original, F_GETFD) >= 0)
        #expect(throws: BusError.self) { try BusFileDescriptor(duplicating: -1) }
    }
}

@Suite("Limits (R151)")
struct LimitTests {
    private func refusal(_ value: BusValue) -> ErrorName? {
        do throws(BusError) {
            _ = try carrier([value]).encoded()
            return nil
        } catch { return error.name }
    }

    @Test func `variants nest 64 deep and no deeper`() throws {
        func nested(_ depth: Int) -> BusValue { (0..<depth).reduce(.byte(1)) { value, _ in .variant(value) } }
        let deepest = nested(64)
        #expect(try roundTrip([deepest]) == [deepest])
        #expect(refusal(nested(65)) == .limitsExceeded)
        #expect(refusal(nested(5000)) == .limitsExceeded)
    }

    @Test func `dictionaries in variants nest 21 deep and no deeper`() throws {
        func nested(_ depth: Int) -> BusValue { (0..<depth).reduce(.byte(1)) { value, _ in .dict([("k", value)]) } }
        #expect(try roundTrip([nested(21)]) == [nested(21)])
        #expect(refusal(nested(22)) == .limitsExceeded)
    }

    @Test func `arrays nest 32 deep and no deeper`() throws {
        func nested(_ depth: Int) -> BusValue {
            var value = BusValue.bytes([1])
            var type = BusType.byte
            for _ in 1..<depth {
                type = .array(of: type)
                value = .array([value], of: type)
            }
            return value
        }
        #expect(try roundTrip([nested(32)]) == [nested(32)])
        #expect(refusal(.variant(.structure([.array([nested(32)], of: nested(32).type!)]))) == .limitsExceeded)
        #expect(BusValue.array([], of: nested(32).type!).type == nil)
    }

    @Test func `an empty structure cannot be sent`() {
        #expect(refusal(.structure([])) == .limitsExceeded)
        #expect(refusal(.variant(.structure([]))) == .limitsExceeded)
        #expect(BusValue.structure([]).type == nil)
    }

    @Test func `a key that is a container cannot be sent`() {
        #expect(refusal(.dictionary(BusDictionary(key: .strings, value: .byte))) == .limitsExceeded)
        #expect(refusal(.dictionary(BusDictionary(key: .variant, value: .byte))) == .limitsExceeded)
    }

    @Test func `an element of another type is refused before libdbus sees it`() {
        #expect(refusal(.array([.string("a"), .int32(1)], of: .string)) == .invalidArgs)
        #expect(refusal(.array([.strings([])], of: .objectPaths)) == .invalidArgs)
        #expect(refusal(.array([.strings([])], of: "a{sv}")) == .invalidArgs)
        #expect(refusal(.array([.structure([.byte(1)])], of: "(i)")) == .invalidArgs)
        let entry = BusDictionary.Entry(key: .int32(1), value: .byte(1))
        #expect(refusal(.dictionary(BusDictionary(key: .string, value: .byte, entries: [entry]))) == .invalidArgs)
        #expect(refusal(.variant(.array([.array([.byte(1)], of: .string)], of: .strings))) == .invalidArgs)
        // An array of dictionary entries is written as a dictionary; the other spelling has no values.
        #expect(BusType("{sv}" as String) == nil)
    }

    @Test func `an array holds 64 MiB and not a byte more`() throws {
        var layout = BodyLayout()
        let longest = String(repeating: "x", count: 1 << 20)
        let element = (4 + longest.utf8.count + 1 + 3) & ~3
        let count = (64 << 20) / element
        try layout.add([.array(Array(repeating: .string(longest), count: count), of: .string)])
        #expect(refusal(.array(Array(repeating: .string(longest), count: count + 1), of: .string)) == .limitsExceeded)
    }

    @Test func `a message holds 128 MiB and no more`() {
        let half = BusValue.string(String(repeating: "x", count: 63 << 20))
        #expect(throws: BusError.self) { _ = try carrier([half, half, half]).encoded() }
    }

    @Test func `a body of 256 values is refused and one of 255 is not`() throws {
        #expect(try roundTrip(Array(repeating: .byte(1), count: 255)).count == 255)
        #expect(throws: BusError.self) { _ = try carrier(Array(repeating: .byte(1), count: 256)).encoded() }
    }
}
