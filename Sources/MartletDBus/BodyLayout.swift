// SPDX-License-Identifier: Apache-2.0
internal import CMartletDBus
internal import Glibc

extension BusValue {
    /// The type, as a signature spells it; `nil` when the value cannot be sent: too deep (R151), a structure
    /// without fields, a dictionary whose key is a container.
    ///
    /// Only the container's own type is looked at: elements that do not fit it are found when the value is sent.
    public var type: BusType? { BusType(signatureText) }

    /// The type's text without the check that it is one.
    var signatureText: String {
        switch self {
        case .byte: return "y"
        case .boolean: return "b"
        case .int16: return "n"
        case .uint16: return "q"
        case .int32: return "i"
        case .uint32: return "u"
        case .int64: return "x"
        case .uint64: return "t"
        case .double: return "d"
        case .string: return "s"
        case .objectPath: return "o"
        case .signature: return "g"
        case .fileDescriptor: return "h"
        case .variant: return "v"
        case .array(_, let element): return "a" + element.string
        case .dictionary(let dictionary): return dictionary.signatureText
        case .structure(let fields):
            var text = "("
            for field in fields { text += field.signatureText }
            return text + ")"
        }
    }

    /// The first letter of ``signatureText``.
    var typeCode: UInt8 {
        switch self {
        case .byte: TypeCode.byte
        case .boolean: TypeCode.boolean
        case .int16: TypeCode.int16
        case .uint16: TypeCode.uint16
        case .int32: TypeCode.int32
        case .uint32: TypeCode.uint32
        case .int64: TypeCode.int64
        case .uint64: TypeCode.uint64
        case .double: TypeCode.double
        case .string: TypeCode.string
        case .objectPath: TypeCode.objectPath
        case .signature: TypeCode.signature
        case .fileDescriptor: TypeCode.fileDescriptor
        case .variant: TypeCode.variant
        case .array, .dictionary: TypeCode.array
        case .structure: TypeCode.structBegin
        }
    }

    /// Whether the value is of a type, as far as ``type`` looks.
    func conforms(to type: BusType) -> Bool {
        switch self {
        case .array, .dictionary, .structure: signatureText == type.string
        default: type.code == typeCode
        }
    }
}

extension BusDictionary {
    /// The type's text without the check that it is one.
    var signatureText: String {
        keyType == .string && valueType == .variant ? "a{sv}" : "a{" + keyType.string + valueType.string + "}"
    }
}

/// The signature of values in a row, without the check that it is one.
func signatureText(of values: [BusValue]) -> String {
    if values.count == 1 { return values[0].signatureText }
    var text = ""
    for value in values { text += value.signatureText }
    return text
}

/// Walks over values before libdbus sees them, and refuses what D-Bus has no form for.
///
/// libdbus treats an element of the wrong type as a mistake of the programmer and aborts; a message that breaks a
/// limit is accepted by it and ends the connection at the other side. So both are found here, where they are an
/// error. Sizes are exact: the walk pads as the wire does.
struct BodyLayout {
    /// Bytes of the body so far.
    private(set) var size = 0
    /// File descriptors so far.
    private(set) var descriptorCount = 0

    /// One array holds at most 64 MiB (R151).
    static let longestArray = Int(DBUS_MAXIMUM_ARRAY_LENGTH)
    /// One message, header included, at most 128 MiB (R151); a header of ours is far below the 4 KiB set aside.
    static let longestBody = Int(DBUS_MAXIMUM_MESSAGE_LENGTH) - 4096
    /// Containers within containers, variants included: what libdbus accepts at the receiving side.
    static let deepestNesting = 2 * Int(DBUS_MAXIMUM_TYPE_RECURSION_DEPTH)
    /// More descriptors in one message are refused by the kernel (`SCM_MAX_FD`), which ends the connection.
    static let mostDescriptors = 253

    /// Adds the values of a body.
    ///
    /// - Throws: `LimitsExceeded`, or `InvalidArgs` for a value whose parts do not fit.
    mutating func add(_ body: [BusValue]) throws(BusError) {
        for value in body { try add(value, depth: 0) }
        // Types nest at most 32 deep and a signature has at most 255 bytes; libdbus knows the rules. A few types of at
        // most five letters need no look.
        if body.count > 50 || !body.allSatisfy(\.hasPlainType) {
            guard BusSignature(signatureText(of: body)) != nil else { throw BodyLayout.noSignature }
        }
        guard size <= BodyLayout.longestBody else { throw BusError(.limitsExceeded, "The message exceeds 128 MiB.") }
        guard descriptorCount <= BodyLayout.mostDescriptors else {
            throw BusError(.limitsExceeded, "The message holds more than \(BodyLayout.mostDescriptors) descriptors.")
        }
    }

    private static let noSignature = BusError(
        .limitsExceeded, "The values have no valid signature: too long, too deep, or an empty structure.")

    private mutating func align(_ alignment: Int) { size = (size + alignment - 1) & ~(alignment - 1) }

    private mutating func addFixed(_ bytes: Int) {
        align(bytes)
        size += bytes
    }

    private mutating func addText(_ string: String) {
        align(4)
        size += 4 + string.utf8.count + 1
        // U+0000 is replaced by U+FFFD, which takes two bytes more.
        if string.holdsNUL { size += 2 * string.utf8.count(where: { $0 == 0 }) }
    }

    private mutating func addSignature(_ bytes: Int) { size += bytes + 2 }

    private mutating func add(_ value: BusValue, depth: Int) throws(BusError) {
        switch value {
        case .byte: size += 1
        case .int16, .uint16: addFixed(2)
        case .boolean, .int32, .uint32: addFixed(4)
        case .int64, .uint64, .double: addFixed(8)
        case .fileDescriptor:
            addFixed(4)
            descriptorCount += 1
        case .string(let string): addText(string)
        case .objectPath(let path): addText(path.string)
        case .signature(let signature): addSignature(signature.string.utf8.count)
        case .variant(let inner):
            try descend(to: depth + 1)
            if inner.isLeaf {
                addSignature(1)
            } else {
                let text = inner.signatureText
                guard inner.hasPlainType || BusType(text) != nil else { throw BodyLayout.noSignature }
                addSignature(text.utf8.count)
            }
            try add(inner, depth: depth + 1)
        case .structure(let fields):
            guard !fields.isEmpty else { throw BodyLayout.noSignature }
            try descend(to: depth + 1)
            align(8)
            for field in fields { try add(field, depth: depth + 1) }
        case .array(let elements, let type):
            try descend(to: depth + 1)
            let start = beginArray(alignment: alignment(of: type))
            for element in elements {
                guard element.conforms(to: type) else {
                    throw .invalidArgs("An array of \(type) holds a value of type \(element.signatureText).")
                }
                try add(element, depth: depth + 1)
            }
            try endArray(start)
        case .dictionary(let dictionary):
            guard dictionary.keyType.isBasic else { throw BodyLayout.noSignature }
            // An array, and an entry in it that counts as a structure.
            try descend(to: depth + 2)
            let start = beginArray(alignment: 8)
            for entry in dictionary.entries {
                guard entry.key.conforms(to: dictionary.keyType), entry.value.conforms(to: dictionary.valueType) else {
                    throw .invalidArgs(
                        "A dictionary \(dictionary.signatureText) holds an entry of types "
                            + "\(entry.key.signatureText) and \(entry.value.signatureText).")
                }
                align(8)
                try add(entry.key, depth: depth + 2)
                try add(entry.value, depth: depth + 2)
            }
            try endArray(start)
        }
    }

    private func descend(to depth: Int) throws(BusError) {
        guard depth <= BodyLayout.deepestNesting else {
            throw BusError(.limitsExceeded, "The values nest more than \(BodyLayout.deepestNesting) deep.")
        }
    }

    /// Adds an array's length and padding, which do not count as its content.
    private mutating func beginArray(alignment: Int) -> Int {
        addFixed(4)
        align(alignment)
        return size
    }

    private func endArray(_ start: Int) throws(BusError) {
        guard size - start <= BodyLayout.longestArray else {
            throw BusError(.limitsExceeded, "An array exceeds 64 MiB.")
        }
    }

    private func alignment(of type: BusType) -> Int {
        switch type.code {
        case TypeCode.byte, TypeCode.signature, TypeCode.variant: 1
        case TypeCode.int16, TypeCode.uint16: 2
        case TypeCode.int64, TypeCode.uint64, TypeCode.double, TypeCode.structBegin: 8
        default: 4
        }
    }
}

extension BusValue {
    /// Whether the type is one letter.
    var isLeaf: Bool {
        switch self {
        case .array, .dictionary, .structure: false
        default: true
        }
    }
}

extension BusValue {
    /// Whether the type is one letter, or an array or a dictionary of such: `as`, `a{sv}`. Valid without a look.
    var hasPlainType: Bool {
        switch self {
        case .array(_, let element): element.string.utf8.count == 1
        case .dictionary(let dictionary): dictionary.keyType.isBasic && dictionary.valueType.string.utf8.count == 1
        case .structure: false
        default: true
        }
    }
}

extension String {
    /// Whether U+0000 is in it.
    var holdsNUL: Bool {
        let found = unsafe utf8.withContiguousStorageIfAvailable { bytes in
            unsafe bytes.count > 0 && memchr(bytes.baseAddress!, 0, bytes.count) != nil
        }
        return found ?? utf8.contains(0)
    }

    /// The text as it may go on the bus: U+0000 replaced by U+FFFD (R147, F107). A Swift string is valid Unicode
    /// otherwise.
    var withoutNUL: String {
        guard holdsNUL else { return self }
        var scalars = UnicodeScalarView()
        for scalar in unicodeScalars { scalars.append(scalar == "\0" ? "\u{FFFD}" : scalar) }
        return String(scalars)
    }
}
