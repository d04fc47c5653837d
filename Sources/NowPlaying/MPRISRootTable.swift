// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus

extension NowPlayingSession {
    static let rootInterface: InterfaceName = "org.mpris.MediaPlayer2"

    /// `org.mpris.MediaPlayer2`: contract §2.
    func rootTable() -> InterfaceTable {
        let commands = commandCenter
        let center = infoCenter
        func told(
            _ name: MemberName, _ type: BusType,
            _ value: @escaping @MainActor @Sendable (NowPlayingSession) -> BusValue?
        ) -> PropertyEntry {
            PropertyEntry(name, type) { [weak self] () throws(BusError) in try offered(self.flatMap(value)) }
        }
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
                    set: { [weak self] value throws(BusError) in
                        guard commands.setFullscreen.hasHandler else { throw notThere }
                        // R019, R020: never an error, even when the wish cannot be met.
                        let event = FullscreenEvent(isFullscreen: value.boolean!)
                        commands.setFullscreen.send(event) { [weak self] _ in
                            self?.repeatUnless(center.isFullscreen == event.isFullscreen, "Fullscreen")
                        }
                    }),
                told("CanSetFullscreen", "b") {
                    let command = $0.commandCenter.setFullscreen
                    return command.hasHandler ? .boolean(command.isEnabled) : nil
                },
                PropertyEntry("CanRaise", "b") { .boolean(commands.raise.isOffered) },
                told("HasTrackList", "b") { .boolean($0.trackList != nil) },
                told("Identity", "s") { .string($0.identity.displayName) },
                told("DesktopEntry", "s") { $0.identity.desktopEntry.map { .string($0) } },
                told("SupportedUriSchemes", "as") { .strings($0.identity.uriSchemes) },
                told("SupportedMimeTypes", "as") { .strings($0.identity.mimeTypes) },
            ].filter { isPresent($0.name) })
    }
}
