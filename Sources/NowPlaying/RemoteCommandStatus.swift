// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus

/// What came of a remote command.
public enum RemoteCommandStatus: Hashable, Sendable {
    /// Done, or under way: MPRIS asks for no more.
    case success
    /// There is nothing of that name or address.
    case noSuchContent(String)
    /// Nothing is playing that the command could act on. MPRIS wants no error for it: the caller gets an empty reply.
    case noActionableNowPlayingItem
    /// The arguments make no sense.
    case invalidArguments(String)
    /// Not for this player or not for this source.
    case notSupported(String)
    /// Failed, with a sentence for people.
    case commandFailed(String)

    /// The error a caller gets, or `nil` for an empty reply.
    var replyError: BusError? {
        switch self {
        case .success, .noActionableNowPlayingItem: nil
        case .noSuchContent(let message):
            BusError(.fileNotFound, message)
        case .invalidArguments(let message):
            BusError(.invalidArgs, message)
        case .notSupported(let message):
            BusError(.notSupported, message)
        case .commandFailed(let message):
            BusError(.failed, message)
        }
    }
}
