// SPDX-License-Identifier: Apache-2.0

/// A value that travels over the bus.
///
/// A container carries its type, so an empty one keeps it (R152). Doubles compare as IEEE says: a NaN is unlike
/// itself. A string may hold any Unicode scalar; U+0000, which D-Bus forbids, reaches the bus as U+FFFD (R147).
/// Values whose elements do not fit their type, or that nest or grow beyond D-Bus's limits (R151), can be written
/// down; sending one throws ``BusError`` and sends nothing.
public enum BusValue: Hashable, Sendable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(ObjectPath)
    case signature(BusSignature)
    case fileDescriptor(BusFileDescriptor)
    /// Elements of one type. `a{…}` is a ``dictionary(_:)`` and never an array.
    case array([BusValue], of: BusType)
    case dictionary(BusDictionary)
    /// One field or more.
    case structure([BusValue])
    /// A value of any one type, which travels with it.
    indirect case variant(BusValue)
}

/// Keys with a value each, `a{…}` on the bus: keeps the order they came in, compares without it.
public struct BusDictionary: Hashable, Sendable {
    /// A key and its value.
    public struct Entry: Hashable, Sendable {
        public var key: BusValue
        public var value: BusValue

        public init(key: BusValue, value: BusValue) {
            self.key = key
            self.value = value
        }
    }

    /// The type of the keys, a basic one.
    public let keyType: BusType
    /// The type of the values.
    public let valueType: BusType
    /// The entries in the order they are sent or were received. D-Bus does not forbid a key twice: the last counts.
    public var entries: [Entry]

    public init(key keyType: BusType, value valueType: BusType, entries: [Entry] = []) {
        self.keyType = keyType
        self.valueType = valueType
        self.entries = entries
    }

    /// An `a{sv}` in the given order; the values are wrapped in variants here.
    public init(_ pairs: [(String, BusValue)]) {
        self.init(
            key: .string, value: .variant,
            entries: pairs.map { Entry(key: .string($0.0), value: .variant($0.1)) })
    }

    /// The value of a key that is a string, an object path or a signature, taken out of its variant.
    public subscript(_ key: String) -> BusValue? { entries.last { $0.key.text == key }?.value.unwrapped }

    /// The value of any key, as it is.
    public subscript(key: BusValue) -> BusValue? { entries.last { $0.key == key }?.value }

    public var isEmpty: Bool { entries.isEmpty }
    public var count: Int { entries.count }
    /// The keys that are strings, in order.
    public var keys: [String] { entries.compactMap(\.key.text) }

    private var byKey: [BusValue: BusValue] {
        Dictionary(entries.lazy.map { ($0.key, $0.value) }, uniquingKeysWith: { _, last in last })
    }

    public static func == (left: BusDictionary, right: BusDictionary) -> Bool {
        guard left.keyType == right.keyType, left.valueType == right.valueType else { return false }
        // The usual comparison is of two snapshots made by the same code, in the same order.
        if left.entries == right.entries { return true }
        return left.byKey == right.byKey
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(keyType)
        hasher.combine(valueType)
        hasher.combine(byKey)
    }
}

// MARK: - Building

extension BusValue {
    /// An `as`.
    public static func strings(_ strings: [String]) -> BusValue { .array(strings.map { .string($0) }, of: .string) }

    /// An `ao`.
    public static func objectPaths(_ paths: [ObjectPath]) -> BusValue {
        .array(paths.map { .objectPath($0) }, of: .objectPath)
    }

    /// An `ay`.
    public static func bytes(_ bytes: some Sequence<UInt8>) -> BusValue { .array(bytes.map { .byte($0) }, of: .byte) }

    /// An `a{sv}` in the given order; each value is wrapped in a variant here.
    public static func dict(_ pairs: [(String, BusValue)]) -> BusValue { .dictionary(BusDictionary(pairs)) }

    /// An `a{ss}` in the given order.
    public static func stringMap(_ pairs: [(String, String)]) -> BusValue {
        .dictionary(
            BusDictionary(
                key: .string, value: .string, entries: pairs.map { .init(key: .string($0.0), value: .string($0.1)) }))
    }
}

// MARK: - Reading

/// Each accessor answers `nil` when the value has another type, and looks through variants.
extension BusValue {
    /// The value inside, however many variants are around it; itself when there are none.
    public var unwrapped: BusValue {
        var value = self
        while case .variant(let inner) = value { value = inner }
        return value
    }

    public var byte: UInt8? { if case .byte(let value) = unwrapped { value } else { nil } }
    public var boolean: Bool? { if case .boolean(let value) = unwrapped { value } else { nil } }
    public var int16: Int16? { if case .int16(let value) = unwrapped { value } else { nil } }
    public var uint16: UInt16? { if case .uint16(let value) = unwrapped { value } else { nil } }
    public var int32: Int32? { if case .int32(let value) = unwrapped { value } else { nil } }
    public var uint32: UInt32? { if case .uint32(let value) = unwrapped { value } else { nil } }
    public var int64: Int64? { if case .int64(let value) = unwrapped { value } else { nil } }
    public var uint64: UInt64? { if case .uint64(let value) = unwrapped { value } else { nil } }
    public var double: Double? { if case .double(let value) = unwrapped { value } else { nil } }
    public var string: String? { if case .string(let value) = unwrapped { value } else { nil } }
    public var objectPath: ObjectPath? { if case .objectPath(let value) = unwrapped { value } else { nil } }
    public var signature: BusSignature? { if case .signature(let value) = unwrapped { value } else { nil } }
    public var fileDescriptor: BusFileDescriptor? {
        if case .fileDescriptor(let value) = unwrapped { value } else { nil }
    }
    /// The elements of an array.
    public var array: [BusValue]? { if case .array(let value, _) = unwrapped { value } else { nil } }
    /// The fields of a structure.
    public var structure: [BusValue]? { if case .structure(let value) = unwrapped { value } else { nil } }
    public var dictionary: BusDictionary? { if case .dictionary(let value) = unwrapped { value } else { nil } }

    /// An integer of any width that an `Int64` can hold.
    public var integer: Int64? {
        switch unwrapped {
        case .byte(let value): Int64(value)
        case .int16(let value): Int64(value)
        case .uint16(let value): Int64(value)
        case .int32(let value): Int64(value)
        case .uint32(let value): Int64(value)
        case .int64(let value): value
        case .uint64(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// A double, or an integer of any width.
    public var number: Double? { double ?? integer.map(Double.init) }

    /// A string, an object path or a signature, as text.
    public var text: String? {
        switch unwrapped {
        case .string(let value): value
        case .objectPath(let value): value.string
        case .signature(let value): value.string
        default: nil
        }
    }

    /// The elements of an `as`.
    public var strings: [String]? {
        guard case .array(let elements, of: .string) = unwrapped else { return nil }
        return elements.compactMap(\.string)
    }

    /// The elements of an `ao`.
    public var objectPaths: [ObjectPath]? {
        guard case .array(let elements, of: .objectPath) = unwrapped else { return nil }
        return elements.compactMap(\.objectPath)
    }

    /// The elements of an `ay`.
    public var bytes: [UInt8]? {
        guard case .array(let elements, of: .byte) = unwrapped else { return nil }
        return elements.compactMap(\.byte)
    }

    /// The value of a key of a dictionary, out of its variant.
    public subscript(_ key: String) -> BusValue? { dictionary?[key] }
}
