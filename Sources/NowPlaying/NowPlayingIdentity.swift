// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus

/// Who the player is: its name on the bus, its name for people, and what it can open.
public struct NowPlayingIdentity: Hashable, Sendable {
    /// The last part of the bus name `org.mpris.MediaPlayer2.<name>`: letters, digits, `_` and `-`, not a digit first.
    public var name: String
    /// The name for people; KDE drops a player whose name is empty.
    public var displayName: String
    /// The base name of the *installed* desktop entry, without `.desktop` and without a folder. Icons come from it.
    public var desktopEntry: String?
    /// Schemes that ``RemoteCommandCenter/openURI`` and ``NowPlayingTrackList/addTrack`` take, in lower case. Others are
    /// refused before a handler sees them.
    public var uriSchemes: [String] { didSet { uriSchemes = uriSchemes.map { $0.lowercased() } } }
    /// Types that it takes, such as `audio/flac`.
    public var mimeTypes: [String]

    /// Describes a player.
    ///
    /// - Precondition: `name` makes a valid bus name, `displayName` is not empty, and the desktop entry is a base name.
    public init(
        name: String, displayName: String, desktopEntry: String? = nil, uriSchemes: [String] = [],
        mimeTypes: [String] = []
    ) {
        precondition(BusName("org.mpris.MediaPlayer2.\(name)") != nil, "\(name) makes no valid bus name")
        precondition(!displayName.isEmpty, "a player has a name for people")
        precondition(
            desktopEntry.map { !$0.contains("/") && !$0.hasSuffix(".desktop") } ?? true,
            "a desktop entry is named without its folder and without .desktop")
        self.name = name
        self.displayName = displayName
        self.desktopEntry = desktopEntry
        self.uriSchemes = uriSchemes.map { $0.lowercased() }
        self.mimeTypes = mimeTypes
    }

    /// The name asked for first.
    var busName: BusName { BusName("org.mpris.MediaPlayer2.\(name)")! }

    /// A name for a second copy (MPRIS 2.2, "Bus Name Policy").
    func instanceName(_ suffix: String) -> BusName { BusName("\(busName).instance\(suffix)")! }

    /// Whether the scheme of a URI is one that is taken.
    func takes(uri: String) -> Bool {
        URIScheme(of: uri).map { uriSchemes.contains($0.name) } ?? false
    }
}
