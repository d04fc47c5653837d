// SPDX-License-Identifier: Apache-2.0

/// A string D-Bus restricts: it holds a valid one or does not exist.
///
/// The rules are those of the D-Bus specification 0.36, "Valid Names" and "Valid Object Paths".
public protocol BusIdentifier: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// `nil` for text the specification forbids.
    init?(_ text: String)
}

extension BusIdentifier {
    /// - Precondition: The literal is valid; a wrong one is a mistake of the program.
    public init(stringLiteral text: StaticString) {
        guard let value = Self("\(text)") else { preconditionFailure("\(text) is no valid \(Self.self)") }
        self = value
    }
}

/// The path of an object: `/` or `/` and elements of letters, digits and `_`.
public struct ObjectPath: BusIdentifier {
    public let description: String

    public init?(_ text: String) {
        let bytes = text.utf8
        guard bytes.first == UInt8(ascii: "/"), bytes.count <= 64 * 1024 else { return nil }
        var previous = UInt8(ascii: "/")
        for byte in bytes.dropFirst() {
            guard NameByte.isWord(byte) || (byte == UInt8(ascii: "/") && previous != byte) else { return nil }
            previous = byte
        }
        guard bytes.count == 1 || previous != UInt8(ascii: "/") else { return nil }
        description = text
    }

    /// The path above; `nil` above `/`.
    public var parent: ObjectPath? {
        guard description != "/", let slash = description.lastIndex(of: "/") else { return nil }
        return ObjectPath(slash == description.startIndex ? "/" : String(description[..<slash]))
    }
}

/// The name of an interface: two elements or more, of letters, digits and `_`, none starting with a digit.
public struct InterfaceName: BusIdentifier {
    public let description: String

    public init?(_ text: String) {
        guard NameByte.isDotted(text, allowsHyphen: false, allowsDigitFirst: false) else { return nil }
        description = text
    }
}

/// The name of an error: as an interface's.
public struct ErrorName: BusIdentifier {
    public let description: String

    public init?(_ text: String) {
        guard NameByte.isDotted(text, allowsHyphen: false, allowsDigitFirst: false) else { return nil }
        description = text
    }
}

/// The name of a method, signal or property.
public struct MemberName: BusIdentifier {
    public let description: String

    public init?(_ text: String) {
        let bytes = text.utf8
        guard (1...255).contains(bytes.count), bytes.allSatisfy(NameByte.isWord), !NameByte.isDigit(bytes.first!)
        else { return nil }
        description = text
    }
}

/// The name of a connection: a unique one (`:1.42`) or a well-known one (`org.example.Name`).
public struct BusName: BusIdentifier {
    public let description: String

    public init?(_ text: String) {
        let isUnique = text.utf8.first == UInt8(ascii: ":")
        guard text.utf8.count <= 255,
            NameByte.isDotted(
                isUnique ? String(text.dropFirst()) : text, allowsHyphen: true, allowsDigitFirst: isUnique)
        else { return nil }
        description = text
    }

    /// Whether the bus gave it out, rather than a program having asked for it.
    public var isUnique: Bool { description.utf8.first == UInt8(ascii: ":") }
}

enum NameByte {
    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    static func isWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "_")
    }

    static func isDotted(_ text: String, allowsHyphen: Bool, allowsDigitFirst: Bool) -> Bool {
        guard text.utf8.count <= 255 else { return false }
        let elements = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return elements.count >= 2
            && elements.allSatisfy { element in
                guard let first = element.first else { return false }
                return (allowsDigitFirst || !isDigit(first))
                    && element.allSatisfy { isWord($0) || (allowsHyphen && $0 == UInt8(ascii: "-")) }
            }
    }
}
