// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// A typed value as a message carries it.
///
/// Strings may hold any Swift text; U+0000, which D-Bus forbids, goes out as U+FFFD. Empty containers keep their type.
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
    /// All elements of the type given.
    case array(BusType, [BusValue])
    case dictionary(BusDictionary)
    /// At least one member.
    case structure([BusValue])
    indirect case variant(BusValue)

    public var type: BusType {
        switch self {
        case .byte: .byte
        case .boolean: .boolean
        case .int16: .int16
        case .uint16: .uint16
        case .int32: .int32
        case .uint32: .uint32
        case .int64: .int64
        case .uint64: .uint64
        case .double: .double
        case .string: .string
        case .objectPath: .objectPath
        case .signature: .signature
        case .fileDescriptor: .fileDescriptor
        case .array(let element, _): .array(element)
        case .dictionary(let dictionary): .dictionary(dictionary.keyType, dictionary.valueType)
        case .structure(let members): .structure(members.map(\.type))
        case .variant: .variant
        }
    }

    // MARK: Makers

    /// `as`.
    public static func strings(_ strings: [String]) -> BusValue {
        .array(.string, strings.map { .string($0) })
    }

    /// `ao`.
    public static func objectPaths(_ paths: [ObjectPath]) -> BusValue {
        .array(.objectPath, paths.map { .objectPath($0) })
    }

    /// `ay`.
    public static func bytes(_ bytes: [UInt8]) -> BusValue {
        .array(.byte, bytes.map { .byte($0) })
    }

    /// `a{sv}`; each value is put into its variant.
    public static func dict(_ rows: [(String, BusValue)]) -> BusValue {
        .dictionary(
            BusDictionary(
                keyType: .string, valueType: .variant, entries: rows.map { (.string($0.0), .variant($0.1)) }))
    }

    // MARK: Readers, `nil` for another type

    public var string: String? { if case .string(let value) = self { value } else { nil } }
    public var objectPath: ObjectPath? { if case .objectPath(let value) = self { value } else { nil } }
    public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    public var byte: UInt8? { if case .byte(let value) = self { value } else { nil } }
    public var int32: Int32? { if case .int32(let value) = self { value } else { nil } }
    public var uint32: UInt32? { if case .uint32(let value) = self { value } else { nil } }
    public var int64: Int64? { if case .int64(let value) = self { value } else { nil } }
    public var uint64: UInt64? { if case .uint64(let value) = self { value } else { nil } }
    public var double: Double? { if case .double(let value) = self { value } else { nil } }
    public var array: [BusValue]? { if case .array(_, let value) = self { value } else { nil } }
    public var structure: [BusValue]? { if case .structure(let value) = self { value } else { nil } }
    public var dictionary: BusDictionary? { if case .dictionary(let value) = self { value } else { nil } }
    public var fileDescriptor: BusFileDescriptor? {
        if case .fileDescriptor(let value) = self { value } else { nil }
    }
    /// What a variant holds.
    public var variant: BusValue? { if case .variant(let value) = self { value } else { nil } }
    /// `as`.
    public var strings: [String]? {
        guard case .array(.string, let values) = self else { return nil }
        return values.compactMap(\.string)
    }
    /// `ao`.
    public var objectPaths: [ObjectPath]? {
        guard case .array(.objectPath, let values) = self else { return nil }
        return values.compactMap(\.objectPath)
    }
    /// `ay`.
    public var bytes: [UInt8]? {
        guard case .array(.byte, let values) = self else { return nil }
        return values.compactMap(\.byte)
    }
    /// The value under a key of an `a{sv}`, out of its variant.
    public subscript(_ key: String) -> BusValue? {
        guard case .dictionary(let dictionary) = self, let value = dictionary[.string(key)] else { return nil }
        return value.variant ?? value
    }
}

/// Pairs of keys and values, in the order they were put in; equal to one with the same pairs in another order.
public struct BusDictionary: Hashable, Sendable {
    public let keyType: BusType
    public let valueType: BusType
    public private(set) var entries: [(key: BusValue, value: BusValue)]

    /// - Parameter entries: Keys and values of the types given; the key type is a basic one.
    public init(keyType: BusType, valueType: BusType, entries: [(BusValue, BusValue)]) {
        precondition(keyType.isBasic, "the key of a dictionary is of a basic type")
        self.keyType = keyType
        self.valueType = valueType
        self.entries = entries.map { (key: $0.0, value: $0.1) }
    }

    /// The value under a key; the last one where a sender repeats itself.
    public subscript(_ key: BusValue) -> BusValue? {
        entries.last { $0.key == key }?.value
    }

    public static func == (left: BusDictionary, right: BusDictionary) -> Bool {
        guard left.keyType == right.keyType, left.valueType == right.valueType,
            left.entries.count == right.entries.count
        else { return false }
        if left.entries.elementsEqual(right.entries, by: { $0 == $1 }) { return true }
        return Dictionary(left.entries.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
            == Dictionary(right.entries.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(keyType)
        hasher.combine(valueType)
        hasher.combine(Set(entries.map(\.key)))
    }
}

/// An open file that travels with a message. Closed when the last copy of the value is gone.
public final class BusFileDescriptor: Hashable, Sendable {
    /// Valid for as long as this object lives.
    public let rawValue: Int32

    /// - Parameter rawValue: An open descriptor; this object owns it from now on.
    public init(owning rawValue: Int32) {
        self.rawValue = rawValue
    }

    deinit {
        _ = close(rawValue)
    }

    public static func == (left: BusFileDescriptor, right: BusFileDescriptor) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
