// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletDBus

/// Random types, and random values of a type, file descriptors excepted.
struct RandomValues {
    var generator: SplitMix64
    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    private static let basic = "ybnqiuxtdsog".map(String.init)

    mutating func type(depth: Int = 0) -> BusType {
        let choice = Int.random(in: 0..<(depth > 4 ? 6 : 10), using: &generator)
        switch choice {
        case 6: return .array(of: type(depth: depth + 1))
        case 7:
            return .dictionary(
                key: BusType(RandomValues.basic.randomElement(using: &generator)!)!, value: type(depth: depth + 1))
        case 8:
            let count = Int.random(in: 1...3, using: &generator)
            return .structure((0..<count).map { _ in type(depth: depth + 1) })
        case 9: return .variant
        default: return BusType(RandomValues.basic.randomElement(using: &generator)!)!
        }
    }

    /// A value; `depth` bounds what a variant may hold.
    mutating func value(of type: BusType, depth: Int = 0) -> BusValue {
        switch type.string.first! {
        case "y": return .byte(.random(in: .min ... .max, using: &generator))
        case "b": return .boolean(.random(using: &generator))
        case "n": return .int16(extreme())
        case "q": return .uint16(extreme())
        case "i": return .int32(extreme())
        case "u": return .uint32(extreme())
        case "x": return .int64(extreme())
        case "t": return .uint64(extreme())
        case "d":
            let odd: [Double] = [0, -0.0, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
            return .double(odd.randomElement(using: &generator)! + Double(Int8.random(in: -3...3, using: &generator)))
        case "s": return .string(text())
        case "o":
            let count = Int.random(in: 0...3, using: &generator)
            return .objectPath(ObjectPath("/" + (0..<count).map { _ in "a_Z9" }.joined(separator: "/"))!)
        case "g": return .signature(BusSignature(self.type(depth: 3).string)!)
        case "v": return .variant(value(of: depth > 3 ? .string : self.type(depth: depth + 2), depth: depth + 1))
        case "(": return .structure(fields(of: type).map { value(of: $0, depth: depth + 1) })
        default:
            let count = Int.random(in: 0...(depth > 2 ? 1 : 3), using: &generator)
            let element = String(type.string.dropFirst())
            guard element.hasPrefix("{") else {
                let element = BusType(element)!
                return .array((0..<count).map { _ in value(of: element, depth: depth + 1) }, of: element)
            }
            let key = BusType(String(element.dropFirst().prefix(1)))!
            let content = BusType(String(element.dropFirst(2).dropLast()))!
            return .dictionary(
                BusDictionary(
                    key: key, value: content,
                    entries: (0..<count).map { _ in
                        .init(key: value(of: key, depth: depth + 1), value: value(of: content, depth: depth + 1))
                    }))
        }
    }

    private func fields(of structure: BusType) -> [BusType] {
        BusSignature(String(structure.string.dropFirst().dropLast()))!.types
    }

    private mutating func extreme<Number: FixedWidthInteger>() -> Number {
        [.min, .max, 0, 1, Number.random(in: .min ... .max, using: &generator)].randomElement(using: &generator)!
    }

    private mutating func text() -> String {
        let pieces = [
            "", "a", "é", "漢字", "🎵", "e\u{301}", "\u{FFFE}", "\u{7F}", "\n", "'", "\u{202E}",
            "long enough to leave the small form",
        ]
        return (0..<Int.random(in: 0...3, using: &generator))
            .map { _ in pieces.randomElement(using: &generator)! }.joined()
    }
}
