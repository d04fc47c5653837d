// SPDX-License-Identifier: Apache-2.0
internal import CMartletDBus

/// The code of a type in a signature.
enum TypeCode {
    static let byte = UInt8(ascii: "y")
    static let boolean = UInt8(ascii: "b")
    static let int16 = UInt8(ascii: "n")
    static let uint16 = UInt8(ascii: "q")
    static let int32 = UInt8(ascii: "i")
    static let uint32 = UInt8(ascii: "u")
    static let int64 = UInt8(ascii: "x")
    static let uint64 = UInt8(ascii: "t")
    static let double = UInt8(ascii: "d")
    static let string = UInt8(ascii: "s")
    static let objectPath = UInt8(ascii: "o")
    static let signature = UInt8(ascii: "g")
    static let fileDescriptor = UInt8(ascii: "h")
    static let array = UInt8(ascii: "a")
    static let variant = UInt8(ascii: "v")
    static let structure = UInt8(ascii: "r")
    static let dictEntry = UInt8(ascii: "e")
    static let structBegin = UInt8(ascii: "(")
    static let dictBegin = UInt8(ascii: "{")
}

/// The type of one value: a single complete type such as `s`, `ao` or `a{sv}`.
public struct BusType: BusText {
    /// The type as a signature spells it.
    public let string: String

    public init?(_ string: String) {
        guard !string.isEmpty, !string.utf8.contains(0),
            unsafe string.withCString({ unsafe dbus_signature_validate_single($0, nil) }) != 0
        else { return nil }
        self.string = string
    }

    /// Text that libdbus has validated already, or one letter that is a type.
    init(validated string: String) { self.string = string }

    public static let byte = BusType(validated: "y")
    public static let boolean = BusType(validated: "b")
    public static let int16 = BusType(validated: "n")
    public static let uint16 = BusType(validated: "q")
    public static let int32 = BusType(validated: "i")
    public static let uint32 = BusType(validated: "u")
    public static let int64 = BusType(validated: "x")
    public static let uint64 = BusType(validated: "t")
    public static let double = BusType(validated: "d")
    public static let string = BusType(validated: "s")
    public static let objectPath = BusType(validated: "o")
    public static let signature = BusType(validated: "g")
    public static let fileDescriptor = BusType(validated: "h")
    public static let variant = BusType(validated: "v")
    /// `a{sv}`: names with a value of any type each, the shape of metadata and property sets.
    public static let properties = BusType(validated: "a{sv}")
    /// `as`.
    public static let strings = BusType(validated: "as")
    /// `ao`.
    public static let objectPaths = BusType(validated: "ao")

    /// An array; traps when arrays would nest more than 32 deep or the signature exceeds 255 bytes (R151).
    public static func array(of element: BusType) -> BusType { BusType(stringLiteral: "a" + element.string) }

    /// A dictionary; traps when the key is no basic type, or as ``array(of:)``.
    public static func dictionary(key: BusType, value: BusType) -> BusType {
        BusType(stringLiteral: "a{" + key.string + value.string + "}")
    }

    /// A structure; traps when it has no field, or as ``array(of:)``.
    public static func structure(_ fields: [BusType]) -> BusType {
        BusType(stringLiteral: "(" + fields.map(\.string).joined() + ")")
    }

    /// The first letter of the signature.
    var code: UInt8 { string.utf8.first! }

    /// Whether this is neither a container nor a variant. Only such a type can be the key of a dictionary.
    public var isBasic: Bool {
        switch code {
        case TypeCode.array, TypeCode.structBegin, TypeCode.variant: false
        default: true
        }
    }

    /// The same type as a signature.
    public var asSignature: BusSignature { BusSignature(validated: string) }
}

/// A list of types: the signature of a message's body.
public struct BusSignature: BusText {
    /// The signature as D-Bus spells it; empty for no values.
    public let string: String

    public init?(_ string: String) {
        guard !string.utf8.contains(0), unsafe string.withCString({ unsafe dbus_signature_validate($0, nil) }) != 0
        else { return nil }
        self.string = string
    }

    /// Text that libdbus has validated already.
    init(validated string: String) { self.string = string }

    /// The signature of several values; `nil` when it exceeds 255 bytes (R151).
    public init?(_ types: [BusType]) { self.init(types.map(\.string).joined()) }

    /// No values.
    public static let empty = BusSignature(validated: "")

    /// The single complete types, in order.
    public var types: [BusType] {
        guard !string.isEmpty else { return [] }
        return unsafe string.withCString { text in
            var types: [BusType] = []
            var iterator = unsafe DBusSignatureIter()
            unsafe dbus_signature_iter_init(&iterator, text)
            repeat {
                guard let part = unsafe dbus_signature_iter_get_signature(&iterator) else { break }
                types.append(BusType(validated: unsafe String(cString: part)))
                unsafe dbus_free(part)
            } while unsafe dbus_signature_iter_next(&iterator) != 0
            return types
        }
    }
}
