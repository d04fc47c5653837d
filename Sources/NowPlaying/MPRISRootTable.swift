// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus

extension NowPlayingSession {
    static let rootInterface: InterfaceName = "org.mpris.MediaPlayer2"

    /// `org.mpris.MediaPlayer2`: contract §2.
    func rootTable() -> InterfaceTable {
        let commands = commandCenter
        let identity = identity
        return InterfaceTable(
            name: NowPlayingSession.rootInterface,
            methods: [
                MethodEntry("Raise") { call throws(BusReplyError) in
                    // R011: without a window to raise there is no effect.
                    try MPRISAnswers.send(commands.raise, (), for: call)
                },
                MethodEntry("Quit") { call throws(BusReplyError) in
                    guard commands.quit.isOffered else { return .reply([]) }
                    // The caller hears that it worked before there is nobody left to say so.
                    call.deferReply().send()
                    commands.quit.send(()) { _ in }
                    return .deferred
                },
            ],
            properties: [
                PropertyEntry("CanQuit", "b") { .boolean(commands.quit.isOffered) },
                PropertyEntry(
                    "Fullscreen", "b",
                    get: { [weak self] in self?.rootSnapshot.isFullscreen.map { .boolean($0) } },
                    set: { value throws(BusReplyError) in
                        // R020: never an error, even when the wish cannot be met.
                        commands.setFullscreen.send(FullscreenEvent(isFullscreen: value.boolean!)) { _ in }
                    }),
                PropertyEntry("CanSetFullscreen", "b") {
                    commands.setFullscreen.hasHandler ? .boolean(commands.setFullscreen.isEnabled) : nil
                },
                PropertyEntry("CanRaise", "b") { .boolean(commands.raise.isOffered) },
                PropertyEntry("HasTrackList", "b") { [weak self] in .boolean(self?.trackList != nil) },
                PropertyEntry("Identity", "s") { .string(identity.displayName) },
                PropertyEntry("DesktopEntry", "s") { identity.desktopEntry.map { .string($0) } },
                PropertyEntry("SupportedUriSchemes", "as") { .strings(identity.uriSchemes) },
                PropertyEntry("SupportedMimeTypes", "as") { .strings(identity.mimeTypes) },
            ])
    }
}
