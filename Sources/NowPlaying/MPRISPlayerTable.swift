// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus

extension NowPlayingSession {
    static let playerInterface: InterfaceName = "org.mpris.MediaPlayer2.Player"

    /// `org.mpris.MediaPlayer2.Player`: contract §3.
    func playerTable() -> InterfaceTable {
        InterfaceTable(
            NowPlayingSession.playerInterface, methods: transportMethods() + positionMethods(),
            properties: writableProperties() + readOnlyProperties(),
            signals: [SignalEntry("Seeked", [Argument("Position", "x")])])
    }

    private func transportMethods() -> [MethodEntry] {
        let commands = commandCenter
        let center = infoCenter
        func plain(_ name: MemberName, _ command: RemoteCommand<Void>) -> MethodEntry {
            MethodEntry(name) { call throws(BusError) in try MPRISAnswers.send(command, (), for: call) }
        }
        return [
            plain("Next", commands.nextTrack),
            plain("Previous", commands.previousTrack),
            plain("Pause", commands.pause),
            MethodEntry("PlayPause") { call throws(BusError) in
                // R037: the one command that owes an error when pausing is impossible.
                guard commands.pause.isOffered else {
                    throw BusError(.notSupported, "there is nothing that can be paused")
                }
                if commands.togglePlayPause.isOffered {
                    return try MPRISAnswers.send(commands.togglePlayPause, (), for: call)
                }
                let isPlaying = center.playbackState == .playing
                return try MPRISAnswers.send(isPlaying ? commands.pause : commands.play, (), for: call)
            },
            plain("Stop", commands.stop),
            plain("Play", commands.play),
        ]
    }

    private func positionMethods() -> [MethodEntry] {
        let commands = commandCenter
        let center = infoCenter
        let identity = identity
        return [
            MethodEntry("Seek", in: [Argument("Offset", "x")]) { [weak self] call throws(BusError) in
                guard let self, canSeek else { return .reply([]) }
                return try seek(by: .microseconds(call.arguments[0].int64!), for: call)
            },
            MethodEntry(
                "SetPosition", in: [Argument("TrackId", "o"), Argument("Position", "x")]
            ) { [weak self] call throws(BusError) in
                // R050, R052, R053, R055: out of date or out of range means nothing happens.
                let position = Duration.microseconds(call.arguments[1].int64!)
                guard let self, canSeek, let info = center.nowPlayingInfo,
                    info.trackID.path == call.arguments[0].objectPath, position >= .zero,
                    position.microseconds <= info.knownLength?.microseconds ?? .max
                else { return .reply([]) }
                let event = PlaybackPositionEvent(trackID: info.trackID, position: position)
                return try MPRISAnswers.send(commands.changePlaybackPosition, event, for: call)
            },
            MethodEntry("OpenUri", in: [Argument("Uri", "s")]) { call throws(BusError) in
                let uri = call.arguments[0].string!
                guard commands.openURI.isOffered, identity.takes(uri: uri) else { throw identity.refusal(of: uri) }
                return try MPRISAnswers.send(commands.openURI, OpenURIEvent(uri: uri), for: call)
            },
        ]
    }

    /// MPRIS' `Seek` for programs that know positions only (contract R045 to R048).
    private func seek(by offset: Duration, for call: MethodCall) throws(BusError) -> MethodResult {
        if commandCenter.skip.hasHandler {
            return try MPRISAnswers.send(commandCenter.skip, SkipEvent(offset: offset), for: call)
        }
        guard let info = infoCenter.nowPlayingInfo else { return .reply([]) }
        let target = infoCenter.position + offset
        if let length = info.knownLength, target > length {
            return try MPRISAnswers.send(commandCenter.nextTrack, (), for: call)
        }
        let event = PlaybackPositionEvent(trackID: info.trackID, position: max(target, .zero))
        return try MPRISAnswers.send(commandCenter.changePlaybackPosition, event, for: call)
    }

    private func writableProperties() -> [PropertyEntry] {
        let commands = commandCenter
        let center = infoCenter
        return [
            PropertyEntry(
                "LoopStatus", "s", access: .readWrite,
                get: { () throws(BusError) in try offered(center.repeatMode.map { .string($0.rawValue) }) },
                set: { [weak self] value throws(BusError) in
                    guard let mode = RepeatMode(rawValue: value.string!) else {
                        throw BusError(.invalidArgs, "LoopStatus is None, Track or Playlist, not \(value.string!)")
                    }
                    try self?.write("LoopStatus", commands.changeRepeatMode, RepeatModeEvent(mode: mode))
                    self?.repeatUnless(center.repeatMode == mode, "LoopStatus")
                }),
            PropertyEntry(
                "Rate", "d", access: .readWrite, get: { .double(center.rate) },
                set: { [weak self] value throws(BusError) in
                    let rate = value.double!
                    guard rate.isFinite, rate >= 0 else {
                        throw BusError(.invalidArgs, "a rate is a number above 0")
                    }
                    if rate == 0 {
                        // R067: "a value of 0.0 … should act as though Pause was called".
                        try MPRISAnswers.send(commands.pause, ())
                    } else {
                        try self?.write("Rate", commands.changePlaybackRate, PlaybackRateEvent(rate: rate))
                    }
                    self?.repeatUnless(center.rate == rate, "Rate")
                }),
            PropertyEntry(
                "Shuffle", "b", access: .readWrite,
                get: { () throws(BusError) in try offered(center.isShuffled.map { .boolean($0) }) },
                set: { [weak self] value throws(BusError) in
                    let event = ShuffleModeEvent(isShuffled: value.boolean!)
                    try self?.write("Shuffle", commands.changeShuffleMode, event)
                    self?.repeatUnless(center.isShuffled == event.isShuffled, "Shuffle")
                }),
            PropertyEntry(
                "Volume", "d", access: .readWrite, get: { [weak self] in .double(self?.playerSnapshot.volume ?? 0) },
                set: { [weak self] value throws(BusError) in
                    let volume = value.double!
                    guard volume.isFinite else {
                        throw BusError(.invalidArgs, "a volume is a number")
                    }
                    // R076: a negative value sets 0.0.
                    try self?.write("Volume", commands.changeVolume, VolumeEvent(volume: max(volume, 0)))
                    self?.repeatUnless(center.volume == volume, "Volume")
                }),
        ]
    }

    private func write<Event>(
        _ name: String, _ command: RemoteCommand<Event>, _ event: Event
    ) throws(BusError) {
        guard command.isOffered else {
            throw BusError(.notSupported, "\(name) cannot be changed on this player")
        }
        try MPRISAnswers.send(command, event)
    }

    private func readOnlyProperties() -> [PropertyEntry] {
        let center = infoCenter
        func told(
            _ name: MemberName, _ type: BusType, _ value: @escaping @MainActor @Sendable (PlayerSnapshot) -> BusValue
        ) -> PropertyEntry {
            PropertyEntry(name, type) { [weak self] () throws(BusError) in
                try offered(self.map { value($0.playerSnapshot) })
            }
        }
        return [
            told("PlaybackStatus", "s") { .string($0.playbackStatus) },
            PropertyEntry("Metadata", "a{sv}") { center.metadata.value },
            PropertyEntry("Position", "x", emits: .none) { .int64(center.position.microseconds) },
            told("MinimumRate", "d") { .double($0.minimumRate) },
            told("MaximumRate", "d") { .double($0.maximumRate) },
            told("CanGoNext", "b") { .boolean($0.canGoNext) },
            told("CanGoPrevious", "b") { .boolean($0.canGoPrevious) },
            told("CanPlay", "b") { .boolean($0.canPlay) },
            told("CanPause", "b") { .boolean($0.canPause) },
            told("CanSeek", "b") { .boolean($0.canSeek) },
            PropertyEntry("CanControl", "b", emits: .none) { .boolean(true) },
        ]
    }
}

/// The value of a property the player has; one it has not is unknown, as if it were not in the table (contract R008).
func offered(_ value: BusValue?) throws(BusError) -> BusValue {
    guard let value else { throw BusError(.unknownProperty, "the player does not have this property") }
    return value
}

extension NowPlayingIdentity {
    /// Why a URI is not taken.
    func refusal(of uri: String) -> BusError {
        let known = uriSchemes.isEmpty ? "none" : uriSchemes.joined(separator: ", ")
        guard let colon = uri.firstIndex(of: ":"), uri[..<colon].utf8.count < 40 else {
            return BusError(.invalidArgs, "not a URI; schemes taken: \(known)")
        }
        return BusError(.notSupported, "the scheme \(uri[..<colon]) is not supported; schemes taken: \(known)")
    }
}
