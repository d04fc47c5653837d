// SPDX-License-Identifier: Apache-2.0
internal import CMartletDBus

/// What the bus, a peer or the connection has against something: a name to act on and a sentence.
public struct BusError: Error, Hashable, Sendable, CustomStringConvertible {
    public var name: ErrorName
    public var message: String

    public init(name: ErrorName, message: String) {
        self.name = name
        self.message = message
    }

    public var description: String { message.isEmpty ? name.description : message }

    static func disconnected(_ message: String = "the connection to the bus is gone") -> BusError {
        BusError(name: .disconnected, message: message)
    }
}

/// The error a handler answers a call with.
public struct BusReplyError: Error, Hashable, Sendable {
    public var name: ErrorName
    public var message: String

    public init(name: ErrorName, message: String) {
        self.name = name
        self.message = message
    }
}

extension ErrorName {
    public static let failed: ErrorName = "org.freedesktop.DBus.Error.Failed"
    public static let noMemory: ErrorName = "org.freedesktop.DBus.Error.NoMemory"
    public static let serviceUnknown: ErrorName = "org.freedesktop.DBus.Error.ServiceUnknown"
    public static let nameHasNoOwner: ErrorName = "org.freedesktop.DBus.Error.NameHasNoOwner"
    public static let noReply: ErrorName = "org.freedesktop.DBus.Error.NoReply"
    public static let timedOut: ErrorName = "org.freedesktop.DBus.Error.Timeout"
    public static let noServer: ErrorName = "org.freedesktop.DBus.Error.NoServer"
    public static let disconnected: ErrorName = "org.freedesktop.DBus.Error.Disconnected"
    public static let accessDenied: ErrorName = "org.freedesktop.DBus.Error.AccessDenied"
    public static let limitsExceeded: ErrorName = "org.freedesktop.DBus.Error.LimitsExceeded"
    public static let invalidArgs: ErrorName = "org.freedesktop.DBus.Error.InvalidArgs"
    public static let notSupported: ErrorName = "org.freedesktop.DBus.Error.NotSupported"
    public static let unknownMethod: ErrorName = "org.freedesktop.DBus.Error.UnknownMethod"
    public static let unknownObject: ErrorName = "org.freedesktop.DBus.Error.UnknownObject"
    public static let unknownInterface: ErrorName = "org.freedesktop.DBus.Error.UnknownInterface"
    public static let unknownProperty: ErrorName = "org.freedesktop.DBus.Error.UnknownProperty"
    public static let propertyReadOnly: ErrorName = "org.freedesktop.DBus.Error.PropertyReadOnly"
}

extension BusError {
    /// Runs a libdbus call that reports through a `DBusError`, and frees that.
    static func catching<Result>(_ body: (UnsafeMutablePointer<DBusError>) -> Result) throws(BusError) -> Result {
        var error = unsafe DBusError()
        unsafe dbus_error_init(&error)
        let result = unsafe body(&error)
        guard unsafe dbus_error_is_set(&error) == 0 else {
            let name = unsafe error.name.map { unsafe String(cString: $0) } ?? ""
            let message = unsafe error.message.map { unsafe String(cString: $0) } ?? ""
            unsafe dbus_error_free(&error)
            throw BusError(name: ErrorName(name) ?? .failed, message: message)
        }
        return result
    }
}
