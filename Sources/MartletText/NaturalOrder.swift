// SPDX-License-Identifier: Apache-2.0

/// Where a file name stands among others as people order them: `2 Intro` before `10 Outro`.
///
/// Numbers compare by value; case, accents and width do not count; a folder's content stands together, before names
/// that go on where the folder's name ends. Names that differ in none of that are ordered by their bytes, so the order
/// is total and the same everywhere. Comparing keys is comparing bytes: make a key once a name, then sort.
public struct NaturalOrder: Comparable, Hashable, Sendable {
    /// What is compared first; for storing, where bytes are what is ordered by. Names that differ in nothing people see
    /// have the same key.
    public let key: [UInt8]
    private let name: [UInt8]

    /// - Parameter name: A name or path as bytes; need not be valid UTF-8.
    public init(_ name: some Sequence<UInt8>) {
        let bytes = Array(name)
        self.name = bytes
        key = NaturalOrder.key(String(decoding: bytes, as: UTF8.self).foldedForSearch)
    }

    public init(_ name: String) {
        self.init(name.utf8)
    }

    public static func < (left: NaturalOrder, right: NaturalOrder) -> Bool {
        if left.key != right.key { return left.key.lexicographicallyPrecedes(right.key) }
        return left.name.lexicographicallyPrecedes(right.name)
    }

    public static func == (left: NaturalOrder, right: NaturalOrder) -> Bool {
        left.name == right.name
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }

    // A number is written as the digit 0, the length of its digits without leading zeros, and the digits: longer is
    // larger, and beside letters it stands where digits stand.
    private static func key(_ folded: String) -> [UInt8] {
        var key: [UInt8] = []
        var digits: [UInt8] = []
        func endNumber() {
            guard !digits.isEmpty else { return }
            let value = digits.drop { $0 == 0x30 }
            key += [0x30, UInt8(min(value.count, 0xFFFF) >> 8), UInt8(min(value.count, 0xFFFF) & 0xFF)]
            key += value
            digits.removeAll(keepingCapacity: true)
        }
        for byte in folded.utf8 {
            if (0x30...0x39).contains(byte) {
                digits.append(byte)
                continue
            }
            endNumber()
            key.append(byte == 0x2F ? 1 : byte)
        }
        endNumber()
        return key
    }
}
