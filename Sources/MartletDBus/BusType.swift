// SPDX-License-Identifier: Apache-2.0

/// One complete type of D-Bus: what a value's signature says.
public indirect enum BusType: Hashable, Sendable, CustomStringConvertible {
    case byte, boolean, int16, uint16, int32, uint32, int64, uint64, double
    case string, objectPath, signature, fileDescriptor, variant
    case array(BusType)
    /// An array of entries; the key is a basic type.
    case dictionary(BusType, BusType)
    /// At least one member.
    case structure([BusType])

    /// The type of a signature that is exactly one complete type; `nil` for any other text.
    public init?(_ signature: String) {
        guard let all = BusSignature(signature), all.types.count == 1 else { return nil }
        self = all.types[0]
    }

    /// `a{sv}`, MPRIS' and the Properties interface's map.
    public static let properties = BusType.dictionary(.string, .variant)

    public var description: String {
        switch self {
        case .array(let element): "a\(element)"
        case .dictionary(let key, let value): "a{\(key)\(value)}"
        case .structure(let members): "(" + members.map(\.description).joined() + ")"
        default: String(Unicode.Scalar(code))
        }
    }

    /// Whether it may be a dictionary's key.
    public var isBasic: Bool {
        switch self {
        case .array, .dictionary, .structure, .variant: false
        default: true
        }
    }

    /// libdbus' type code.
    var code: UInt8 {
        switch self {
        case .byte: UInt8(ascii: "y")
        case .boolean: UInt8(ascii: "b")
        case .int16: UInt8(ascii: "n")
        case .uint16: UInt8(ascii: "q")
        case .int32: UInt8(ascii: "i")
        case .uint32: UInt8(ascii: "u")
        case .int64: UInt8(ascii: "x")
        case .uint64: UInt8(ascii: "t")
        case .double: UInt8(ascii: "d")
        case .string: UInt8(ascii: "s")
        case .objectPath: UInt8(ascii: "o")
        case .signature: UInt8(ascii: "g")
        case .fileDescriptor: UInt8(ascii: "h")
        case .variant: UInt8(ascii: "v")
        case .array, .dictionary: UInt8(ascii: "a")
        case .structure: UInt8(ascii: "r")
        }
    }

    static func basic(_ code: UInt8) -> BusType? {
        switch code {
        case UInt8(ascii: "y"): .byte
        case UInt8(ascii: "b"): .boolean
        case UInt8(ascii: "n"): .int16
        case UInt8(ascii: "q"): .uint16
        case UInt8(ascii: "i"): .int32
        case UInt8(ascii: "u"): .uint32
        case UInt8(ascii: "x"): .int64
        case UInt8(ascii: "t"): .uint64
        case UInt8(ascii: "d"): .double
        case UInt8(ascii: "s"): .string
        case UInt8(ascii: "o"): .objectPath
        case UInt8(ascii: "g"): .signature
        case UInt8(ascii: "h"): .fileDescriptor
        case UInt8(ascii: "v"): .variant
        default: nil
        }
    }
}

/// A sequence of complete types: what a message's body is made of. At most 255 bytes, 32 arrays and 32 structures deep.
public struct BusSignature: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    public let types: [BusType]

    /// `nil` for text that is no signature.
    public init?(_ text: String) {
        guard text.utf8.count <= 255 else { return nil }
        var reader = SignatureReader(bytes: Array(text.utf8))
        var types: [BusType] = []
        while !reader.isAtEnd {
            guard let type = reader.next(arrays: 0, structures: 0) else { return nil }
            types.append(type)
        }
        self.types = types
    }

    /// - Precondition: The literal is a signature.
    public init(stringLiteral text: StaticString) {
        guard let value = BusSignature("\(text)") else { preconditionFailure("\(text) is no signature") }
        self = value
    }

    public init(_ types: [BusType]) {
        self.types = types
    }

    public var description: String { types.map(\.description).joined() }
}

private struct SignatureReader {
    let bytes: [UInt8]
    var index = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { index >= bytes.count }

    mutating func next(arrays: Int, structures: Int) -> BusType? {
        guard !isAtEnd else { return nil }
        let code = bytes[index]
        index += 1
        if let basic = BusType.basic(code) { return basic }
        switch code {
        case UInt8(ascii: "a"):
            guard arrays < 32 else { return nil }
            guard !isAtEnd, bytes[index] == UInt8(ascii: "{") else {
                return next(arrays: arrays + 1, structures: structures).map { .array($0) }
            }
            index += 1
            guard structures < 32, let key = next(arrays: arrays + 1, structures: structures + 1), key.isBasic,
                let value = next(arrays: arrays + 1, structures: structures + 1), take(UInt8(ascii: "}"))
            else { return nil }
            return .dictionary(key, value)
        case UInt8(ascii: "("):
            guard structures < 32 else { return nil }
            var members: [BusType] = []
            while !isAtEnd, bytes[index] != UInt8(ascii: ")") {
                guard let member = next(arrays: arrays, structures: structures + 1) else { return nil }
                members.append(member)
            }
            guard take(UInt8(ascii: ")")), !members.isEmpty else { return nil }
            return .structure(members)
        default:
            return nil
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard !isAtEnd, bytes[index] == byte else { return false }
        index += 1
        return true
    }
}
