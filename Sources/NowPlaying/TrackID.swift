// SPDX-License-Identifier: Apache-2.0
public import MartletDBus

/// The identity of one entry, as MPRIS wants it: an object path of your own.
///
/// "[The track id] must be a valid D-Bus object path … must not start with /org/mpris" (MPRIS 2.2, `mpris:trackid` and
/// `Track_Id`). One song queued twice is two entries with two ids, and an id is best never used again.
public struct TrackID: Hashable, Sendable, CustomStringConvertible {
    /// The path itself.
    public let path: ObjectPath

    /// - Parameter path: `nil` comes back for a path the specification keeps for itself, under `/org/mpris`.
    public init?(_ path: ObjectPath) {
        let text = path.description
        guard text != "/org/mpris", !text.hasPrefix("/org/mpris/"), text != "/" else { return nil }
        self.path = path
    }

    /// A path made of a prefix and a number: `/com/example/player/track/7`.
    ///
    /// - Precondition: The prefix and the number form a valid path outside `/org/mpris`.
    public init(prefix: String, number: UInt64) {
        let separator = prefix.hasSuffix("/") ? "" : "/"
        guard let path = ObjectPath("\(prefix)\(separator)\(number)"), let id = TrackID(path) else {
            preconditionFailure("no track id can be made of the prefix \(prefix)")
        }
        self = id
    }

    /// The path, as text.
    public var description: String { path.description }

    /// What stands for "no track" in MPRIS, and is never a track's id.
    static let noTrack: ObjectPath = "/org/mpris/MediaPlayer2/TrackList/NoTrack"
}
