// SPDX-License-Identifier: Apache-2.0
public import MartletDBus

/// Where Martlet is on the session bus, and what its own interfaces are called (DESIGN §8).
///
/// A member may be added to an interface `…1`; changing or removing one makes `…2`.
public enum MartletBus {
    /// The name of the service itself; beside it stands `org.mpris.MediaPlayer2.martlet`.
    public static let name: BusName = "org.martlet.Martlet"
    /// The one object of the own interfaces. Never `/org/mpris/MediaPlayer2`: playerctld 2.4.1 aborts on a foreign
    /// `PropertiesChanged` there (F305).
    public static let path: ObjectPath = "/org/martlet/Martlet"
    /// The last part of the MPRIS name, and the base name of the desktop entry.
    public static let player = "martlet"
    /// The MPRIS name of the first copy; a second one's ends in `.instance<pid>`.
    public static let mprisName: BusName = "org.mpris.MediaPlayer2.martlet"
    /// Queue entries are `/org/martlet/Martlet/entry/<n>`.
    public static let entryPrefix = "/org/martlet/Martlet/entry/"
    /// Playlists are `/org/martlet/Martlet/playlist/<n>`; the built-in ones have a word for a number.
    public static let playlistPrefix = "/org/martlet/Martlet/playlist/"

    public static let player1: InterfaceName = "org.martlet.Player1"
    public static let queue1: InterfaceName = "org.martlet.Queue1"
    public static let library1: InterfaceName = "org.martlet.Library1"
}

/// The version of the program, as `--version` and `Player1.Version` tell it.
public let martletVersion = "0.1.0"

/// How `Player1.OpenFiles` puts what it is given into the queue.
public enum OpenMode: String, Sendable, CaseIterable {
    /// In place of the queue; the first one plays.
    case replace
    /// At the end; what plays goes on.
    case append
    /// After the current entry and whatever was put there this way before.
    case next
}

/// Words of `Player1.State`.
public enum PlayerStateWord: String, Sendable, CaseIterable {
    case stopped
    case playing
    case paused
    case buffering
}
