// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus

extension NowPlayingSession {
    static let rootInterface: InterfaceName = "org.mpris.MediaPlayer2"

    /// `org.mpris.MediaPlayer2`: contract §2.
    func rootTable() -> InterfaceTable {
        let commands = commandCenter
        let center = infoCenter
        let identity = identity
        return InterfaceTable(
            NowPlayingSession.rootInterface,
            methods: [
                MethodEntry("Raise") { call throws(BusError) in
                    // R011: without a window to raise there is no effect.
                    try MPRISAnswers.send(commands.raise, (), for: call)
                },
                MethodEntry("Quit") { call throws(BusError) in
                    guard commands.quit.isOffered else { return .reply([]) }
                    // The caller hears that it worked before there is nobody left to say so.
                    call.deferReply().reply()
                    commands.quit.send(()) { _ in }
                    return .deferred
                },
            ],
            properties: [
                PropertyEntry("CanQuit", "b") { .boolean(commands.quit.isOffered) },
                PropertyEntry(
                    "Fullscreen", "b", access: .readWrite,
                    get: { () throws(BusError) in
                        try offered(commands.setFullscreen.hasHandler ? .boolean(center.isFullscreen) : nil)
                    },
                    set: { value throws(BusError) in
                        // R020: never an error, even when the wish cannot be met.
                        commands.setFullscreen.send(FullscreenEvent(isFullscreen: value.boolean!)) { _ in }
                    }),
                PropertyEntry("CanSetFullscreen", "b") { () throws(BusError) in
                    try offered(
                        commands.setFullscreen.hasHandler ? .boolean(commands.setFullscreen.isEnabled) : nil)
                },
                PropertyEntry("CanRaise", "b") { .boolean(commands.raise.isOffered) },
                PropertyEntry("HasTrackList", "b") { [weak self] in .boolean(self?.trackList != nil) },
                PropertyEntry("Identity", "s") { .string(identity.displayName) },
                PropertyEntry("DesktopEntry", "s") { () throws(BusError) in
                    try offered(identity.desktopEntry.map { .string($0) })
                },
                PropertyEntry("SupportedUriSchemes", "as") { .strings(identity.uriSchemes) },
                PropertyEntry("SupportedMimeTypes", "as") { .strings(identity.mimeTypes) },
            ])
    }
}
