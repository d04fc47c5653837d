// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletProtocol

/// Where a user's files are, after the XDG Base Directory Specification 0.8.
///
/// An unset, empty or relative variable counts as absent, as the specification asks. Nothing is made here; a folder is
/// created, with mode 0700, by who first writes into it.
public struct Folders: Sendable {
    public var home: String
    public var configuration: String
    public var data: String
    public var state: String
    public var cache: String

    /// - Parameter environment: Looked up by name; `HOME` falls back to the password database.
    public init(environment: [String: String]) {
        func absolute(_ name: String) -> String? {
            guard let value = environment[name], value.hasPrefix("/") else { return nil }
            return value.count > 1 && value.hasSuffix("/") ? String(value.dropLast()) : value
        }
        home = absolute("HOME") ?? Folders.passwordHome() ?? "/"
        let base = home == "/" ? "" : home
        configuration = (absolute("XDG_CONFIG_HOME") ?? base + "/.config") + "/martlet"
        data = (absolute("XDG_DATA_HOME") ?? base + "/.local/share") + "/martlet"
        state = (absolute("XDG_STATE_HOME") ?? base + "/.local/state") + "/martlet"
        cache = (absolute("XDG_CACHE_HOME") ?? base + "/.cache") + "/martlet"
    }

    private static func passwordHome() -> String? {
        guard let entry = unsafe getpwuid(getuid()), let directory = unsafe entry.pointee.pw_dir else { return nil }
        let path = unsafe String(cString: directory)
        return path.hasPrefix("/") ? path : nil
    }

    /// Makes a folder and its parents, mode 0700 each; one that is there stays as it is.
    ///
    /// - Throws: `errno` of the call that failed.
    public static func make(_ path: String) throws(SystemError) {
        var prefix = ""
        for component in path.split(separator: "/") {
            prefix += "/" + component
            if unsafe mkdir(prefix, 0o700) != 0, errno != EEXIST {
                throw SystemError(code: errno, operation: "mkdir")
            }
        }
    }
}

extension SystemError {
    /// What a write that failed means for somebody who asked for it.
    var failure: MartletFailure {
        switch code {
        case ENOSPC, EDQUOT: .noSpace
        case EACCES, EPERM, EROFS: .denied
        default: .failed
        }
    }
}

/// A system call that failed.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// `errno` right after the call.
    public var code: Int32
    /// The call's name.
    public var operation: String

    public init(code: Int32, operation: String) {
        self.code = code
        self.operation = operation
    }

    /// The system's words for the code.
    public var reason: String { unsafe String(cString: strerror(code)) }

    public var description: String { "\(operation): \(reason)" }
}
