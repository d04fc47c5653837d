// SPDX-License-Identifier: Apache-2.0
public import MartletDBus

/// What can go wrong for somebody who asks Martlet for something: the one table of Swift case, bus name and exit code.
public enum MartletFailure: Sendable, CaseIterable {
    /// The words of the call do not fit.
    case invalidArguments
    /// Nothing of that name or number.
    case notFound
    /// It changed meanwhile.
    case conflict
    /// It cannot be had now: offline, not ready, no output.
    case unavailable
    /// No room on the disk.
    case noSpace
    /// The system forbids it.
    case denied
    /// Not for this player, or not for this source.
    case notSupported
    case failed

    /// The name on the bus.
    public var errorName: ErrorName {
        switch self {
        case .invalidArguments: "org.freedesktop.DBus.Error.InvalidArgs"
        case .notFound: "org.martlet.Error.NotFound"
        case .conflict: "org.martlet.Error.Conflict"
        case .unavailable: "org.martlet.Error.Unavailable"
        case .noSpace: "org.martlet.Error.NoSpace"
        case .denied: "org.martlet.Error.Denied"
        case .notSupported: "org.freedesktop.DBus.Error.NotSupported"
        case .failed: "org.martlet.Error.Failed"
        }
    }

    /// The case of a name on the bus; a foreign name is a failure like any other.
    public init(errorName: ErrorName) {
        self = MartletFailure.allCases.first { $0.errorName == errorName } ?? .failed
    }

    /// What `martlet` exits with.
    public var exitCode: ClientExit {
        switch self {
        case .invalidArguments: .usage
        case .notFound: .nothingFound
        default: .refused
        }
    }
}

/// Exit codes of `martlet` (DESIGN §8).
public enum ClientExit: Int32, Sendable {
    case done = 0
    case nothingFound = 1
    case usage = 2
    case noService = 3
    case refused = 4
}

/// Exit codes of `martletd` (DESIGN §8).
public enum ServiceExit: Int32, Sendable {
    case clean = 0
    case fatal = 1
    case usage = 2
    /// There is no session bus (`EX_UNAVAILABLE` of sysexits.h).
    case noBus = 69
    /// To be started again (`EX_TEMPFAIL`), which the unit does: the session bus was lost and did not come back, or an
    /// upgrade replaced the program.
    case startAgain = 75
}
