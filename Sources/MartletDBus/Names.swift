// SPDX-License-Identifier: Apache-2.0
internal import CMartletDBus

/// Text that follows one of D-Bus's grammars; a value of a conforming type is valid by construction.
///
/// libdbus aborts the process when it is handed an invalid name or path, and the bus daemon closes the connection
/// of whoever sends one: neither can be reached through these types. A literal that does not follow the grammar
/// traps, text from outside goes through the failable initialiser.
public protocol BusText: Hashable, Comparable, Sendable, LosslessStringConvertible, ExpressibleByStringLiteral
where StringLiteralType == String {
    /// The text itself.
    var string: String { get }

    /// Text from outside; `nil` when it breaks the grammar.
    init?(_ string: String)
}

extension BusText {
    /// The text itself.
    public var description: String { string }

    /// A literal; traps when it breaks the grammar.
    public init(stringLiteral string: String) {
        guard let value = Self(string) else { preconditionFailure("not a valid \(Self.self): \"\(string)\"") }
        self = value
    }

    /// Order of the bytes.
    public static func < (left: Self, right: Self) -> Bool { left.string < right.string }
}

/// One of libdbus's validators, `dbus_validate_…`.
private typealias Validator = (UnsafePointer<CChar>?, UnsafeMutablePointer<DBusError>?) -> dbus_bool_t

/// Whether the text passes a validator of libdbus. The validators end at the first NUL, so that is looked for here.
private func passes(_ string: String, _ validator: Validator) -> Bool {
    // Length first: the longest name is 255 bytes, and an object path may be long but never holds a NUL.
    guard !string.isEmpty, !string.utf8.contains(0) else { return false }
    return unsafe string.withCString { unsafe validator($0, nil) } != 0
}

/// The path of an object, as `/org/mpris/MediaPlayer2` (R148).
public struct ObjectPath: BusText {
    public let string: String

    public init?(_ string: String) {
        guard unsafe passes(string, dbus_validate_path) else { return nil }
        self.string = string
    }

    /// Text that libdbus has validated already.
    init(validated string: String) { self.string = string }

    /// `/`, the parent of every object.
    public static let root = ObjectPath(validated: "/")

    /// The path one element up; `nil` for the root.
    public var parent: ObjectPath? {
        guard string.utf8.count > 1, let slash = string.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return slash == string.startIndex ? .root : ObjectPath(validated: String(string[..<slash]))
    }

    /// The last element; empty for the root.
    public var lastElement: String {
        guard let slash = string.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(string[string.utf8.index(after: slash)...])
    }

    /// The path with one element more; `nil` when the element is empty or holds anything but `A–Z a–z 0–9 _`.
    public func appending(_ element: String) -> ObjectPath? {
        guard !element.utf8.contains(UInt8(ascii: "/")) else { return nil }
        return ObjectPath(self == .root ? "/" + element : string + "/" + element)
    }

    /// Whether this path is `ancestor` or lies below it.
    public func isInside(_ ancestor: ObjectPath) -> Bool {
        self == ancestor || ancestor == .root || string.hasPrefix(ancestor.string + "/")
    }
}

/// The name of an interface, as `org.mpris.MediaPlayer2.Player` (R150).
public struct InterfaceName: BusText {
    public let string: String

    public init?(_ string: String) {
        guard unsafe passes(string, dbus_validate_interface) else { return nil }
        self.string = string
    }

    /// Text that libdbus has validated already.
    init(validated string: String) { self.string = string }

    public static let introspectable: InterfaceName = "org.freedesktop.DBus.Introspectable"
    public static let properties: InterfaceName = "org.freedesktop.DBus.Properties"
    public static let peer: InterfaceName = "org.freedesktop.DBus.Peer"
    /// The bus daemon's own interface.
    public static let bus: InterfaceName = "org.freedesktop.DBus"
    /// The interface of signals that libdbus makes up for its own process (`Disconnected`).
    static let local: InterfaceName = "org.freedesktop.DBus.Local"
}

/// The name of a method, signal or property (R150).
///
/// D-Bus prescribes no grammar for property names; every tool expects this one.
public struct MemberName: BusText {
    public let string: String

    public init?(_ string: String) {
        guard unsafe passes(string, dbus_validate_member) else { return nil }
        self.string = string
    }

    /// Text that libdbus has validated already.
    init(validated string: String) { self.string = string }
}

/// The name of a connection on the bus: unique (`:1.42`) or well-known (`org.martlet.Martlet`) (R149).
public struct BusName: BusText {
    public let string: String

    public init?(_ string: String) {
        // libdbus lets a unique name pass with one element or none; the specification asks for two.
        guard unsafe passes(string, dbus_validate_bus_name), string.utf8.contains(UInt8(ascii: ".")) else { return nil }
        self.string = string
    }

    /// Text that libdbus has validated already.
    init(validated string: String) { self.string = string }

    /// Whether the bus gave this name and never gives it to another connection.
    public var isUnique: Bool { string.utf8.first == UInt8(ascii: ":") }

    /// The bus daemon itself.
    public static let bus: BusName = "org.freedesktop.DBus"
}

/// The name of an error, as `org.freedesktop.DBus.Error.InvalidArgs` (R150).
public struct ErrorName: BusText {
    public let string: String

    public init?(_ string: String) {
        guard unsafe passes(string, dbus_validate_error_name) else { return nil }
        self.string = string
    }

    /// Text that libdbus has validated already.
    init(validated string: String) { self.string = string }
}
