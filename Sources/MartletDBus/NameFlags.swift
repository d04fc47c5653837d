// SPDX-License-Identifier: Apache-2.0

/// How a name is requested.
public struct NameRequestFlags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// Another connection may take the name over later.
    public static let allowReplacement = NameRequestFlags(rawValue: 1)
    /// Take the name over from an owner that allows it.
    public static let replaceExisting = NameRequestFlags(rawValue: 2)
    /// Answer ``NameRequestReply/exists`` instead of waiting in line for the name (R167, F116).
    public static let doNotQueue = NameRequestFlags(rawValue: 4)
}

/// What the bus answered to a request for a name.
public enum NameRequestReply: UInt32, Hashable, Sendable {
    case primaryOwner = 1
    /// Another connection owns the name; this one waits in line.
    case inQueue = 2
    /// Another connection owns the name.
    case exists = 3
    case alreadyOwner = 4
}

/// What the bus answered to the return of a name.
public enum NameReleaseReply: UInt32, Hashable, Sendable {
    case released = 1
    /// Nobody owns the name.
    case nonExistent = 2
    case notOwner = 3
}
