// SPDX-License-Identifier: Apache-2.0

/// A failure as D-Bus tells it: a name that programs act on, and a sentence for people.
///
/// Thrown by everything in this module that meets the bus, and by the handlers of an ``InterfaceTable``, whose
/// error becomes the reply. The message may come from another process: it is shown, never parsed.
public struct BusError: Error, Hashable, Sendable, CustomStringConvertible {
    public var name: ErrorName
    public var message: String

    public init(_ name: ErrorName, _ message: String) {
        self.name = name
        self.message = message
    }

    public var description: String { message.isEmpty ? name.string : "\(name.string): \(message)" }

    /// The connection to the bus is gone, or was never there.
    public static let disconnected = BusError(.disconnected, "The connection to the bus is closed.")
    /// No answer came in time. The call may still take effect.
    public static let timedOut = BusError(.noReply, "No answer came in time.")
    /// The caller gave the call up.
    public static let cancelled = BusError(.noReply, "The call was cancelled.")

    /// The action may not be done now, or not at all.
    public static func notSupported(_ message: String) -> BusError { BusError(.notSupported, message) }
    /// The arguments have the wrong type or make no sense.
    public static func invalidArgs(_ message: String) -> BusError { BusError(.invalidArgs, message) }
    /// Anything without a better name.
    public static func failed(_ message: String) -> BusError { BusError(.failed, message) }

    /// Whether the other side is not there: no such name, no way to start it, or it left before answering.
    public var isUnreachable: Bool {
        [.serviceUnknown, .nameHasNoOwner, .disconnected, .noServer].contains(name)
            || name.string.hasPrefix("org.freedesktop.DBus.Error.Spawn.")
    }
}

/// What a method or a property setter throws to be answered as an error.
public typealias BusReplyError = BusError

/// The names in `org.freedesktop.DBus.Error.*` that this module sends, throws or expects.
extension ErrorName {
    public static let failed: ErrorName = "org.freedesktop.DBus.Error.Failed"
    public static let noMemory: ErrorName = "org.freedesktop.DBus.Error.NoMemory"
    public static let serviceUnknown: ErrorName = "org.freedesktop.DBus.Error.ServiceUnknown"
    public static let nameHasNoOwner: ErrorName = "org.freedesktop.DBus.Error.NameHasNoOwner"
    public static let noReply: ErrorName = "org.freedesktop.DBus.Error.NoReply"
    public static let ioError: ErrorName = "org.freedesktop.DBus.Error.IOError"
    public static let badAddress: ErrorName = "org.freedesktop.DBus.Error.BadAddress"
    public static let notSupported: ErrorName = "org.freedesktop.DBus.Error.NotSupported"
    public static let limitsExceeded: ErrorName = "org.freedesktop.DBus.Error.LimitsExceeded"
    public static let accessDenied: ErrorName = "org.freedesktop.DBus.Error.AccessDenied"
    public static let authFailed: ErrorName = "org.freedesktop.DBus.Error.AuthFailed"
    public static let noServer: ErrorName = "org.freedesktop.DBus.Error.NoServer"
    public static let timeout: ErrorName = "org.freedesktop.DBus.Error.Timeout"
    public static let noNetwork: ErrorName = "org.freedesktop.DBus.Error.NoNetwork"
    public static let addressInUse: ErrorName = "org.freedesktop.DBus.Error.AddressInUse"
    public static let disconnected: ErrorName = "org.freedesktop.DBus.Error.Disconnected"
    public static let invalidArgs: ErrorName = "org.freedesktop.DBus.Error.InvalidArgs"
    public static let fileNotFound: ErrorName = "org.freedesktop.DBus.Error.FileNotFound"
    public static let fileExists: ErrorName = "org.freedesktop.DBus.Error.FileExists"
    public static let unknownMethod: ErrorName = "org.freedesktop.DBus.Error.UnknownMethod"
    public static let unknownObject: ErrorName = "org.freedesktop.DBus.Error.UnknownObject"
    public static let unknownInterface: ErrorName = "org.freedesktop.DBus.Error.UnknownInterface"
    public static let unknownProperty: ErrorName = "org.freedesktop.DBus.Error.UnknownProperty"
    public static let propertyReadOnly: ErrorName = "org.freedesktop.DBus.Error.PropertyReadOnly"
    public static let timedOut: ErrorName = "org.freedesktop.DBus.Error.TimedOut"
    public static let matchRuleNotFound: ErrorName = "org.freedesktop.DBus.Error.MatchRuleNotFound"
    public static let matchRuleInvalid: ErrorName = "org.freedesktop.DBus.Error.MatchRuleInvalid"
    public static let spawnFailed: ErrorName = "org.freedesktop.DBus.Error.Spawn.Failed"
    public static let spawnServiceNotFound: ErrorName = "org.freedesktop.DBus.Error.Spawn.ServiceNotFound"
    public static let spawnChildExited: ErrorName = "org.freedesktop.DBus.Error.Spawn.ChildExited"
    public static let spawnExecFailed: ErrorName = "org.freedesktop.DBus.Error.Spawn.ExecFailed"
    public static let invalidSignature: ErrorName = "org.freedesktop.DBus.Error.InvalidSignature"
    public static let inconsistentMessage: ErrorName = "org.freedesktop.DBus.Error.InconsistentMessage"
    public static let interactiveAuthorizationRequired: ErrorName =
        "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired"
}
