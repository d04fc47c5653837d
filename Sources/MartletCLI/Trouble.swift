// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus
internal import MartletProtocol

/// Why a command did not do what it was asked for: one sentence, and what the process exits with (DESIGN §8).
struct Trouble: Error, Hashable {
    var exit: ClientExit
    /// Without a full stop; it stands behind "martlet: ".
    var message: String

    static func usage(_ message: String) -> Trouble { Trouble(exit: .usage, message: message) }
    static func nothing(_ message: String) -> Trouble { Trouble(exit: .nothingFound, message: message) }
    static func refused(_ message: String) -> Trouble { Trouble(exit: .refused, message: message) }

    static let noService = Trouble(
        exit: .noService, message: tr("martletd is not running (martlet play starts it)"))

    init(exit: ClientExit, message: String) {
        self.exit = exit
        self.message = message
    }

    /// What the service or the bus answered.
    init(_ error: BusError) {
        switch error.name {
        case .serviceUnknown, .nameHasNoOwner: self = .noService
        case .disconnected: self.init(exit: .noService, message: tr("martletd has ended, or the session bus has"))
        case .noReply, .timedOut, .timeout: self.init(exit: .refused, message: tr("martletd does not answer"))
        default:
            if error.name.string.hasPrefix("org.freedesktop.DBus.Error.Spawn") {
                self.init(exit: .noService, message: tr("martletd cannot be started: {0}", error.message))
            } else {
                let message = error.message.isEmpty ? error.name.string : error.message
                self.init(
                    exit: MartletFailure(errorName: error.name).exitCode,
                    message: message.hasSuffix(".") ? String(message.dropLast()) : message)
            }
        }
    }
}
