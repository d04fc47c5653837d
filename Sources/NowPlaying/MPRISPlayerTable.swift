// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus

extension NowPlayingSession {
    static let playerInterface: InterfaceName = "org.mpris.MediaPlayer2.Player"

    /// `org.mpris.MediaPlayer2.Player`: contract §3.
    func playerTable() -> InterfaceTable {
        InterfaceTable(
            NowPlayingSession.playerInterface, methods: transportMethods() + positionMethods(),
            properties: (writableProperties() + readOnlyProperties()).filter { isPresent($0.name) },
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
        return [
            MethodEntry("Seek", in: [Argument("Offset", "x")]) { [weak self] call throws(BusError) in
                guard let self, canSeek, center.playbackState != .stopped else { return .reply([]) }
                return try seek(by: .microseconds(call.arguments[0].int64!), for: call)
            },
            MethodEntry(
                "SetPosition", in: [Argument("TrackId", "o"), Argument("Position", "x")]
            ) { [weak self] call throws(BusError) in
                // R050, R052, R053, R055, D15: out of date, out of range or stopped means nothing happens.
                let position = Duration.microseconds(call.arguments[1].int64!)
                guard let self, canSeek, center.playbackState != .stopped, let info = center.nowPlayingInfo,
                    info.trackID.path == call.arguments[0].objectPath, position >= .zero,
                    position.microseconds <= info.knownLength?.microseconds ?? .max
                else { return .reply([]) }
                let event = PlaybackPositionEvent(trackID: info.trackID, position: position)
                return try MPRISAnswers.send(commands.changePlaybackPosition, event, for: call)
            },
            MethodEntry("OpenUri", in: [Argument("Uri", "s")]) { [weak self] call throws(BusError) in
                let uri = call.arguments[0].string!
                guard let self, commands.openURI.isOffered else {
                    throw BusError(.notSupported, "this player opens nothing now")
                }
                guard identity.takes(uri: uri) else { throw identity.refusal(of: uri) }
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
        let end = info.knownLength.flatMap { target > $0 ? $0 : nil }
        if end != nil, commandCenter.nextTrack.isOffered {
            return try MPRISAnswers.send(commandCenter.nextTrack, (), for: call)
        }
        // D03: past the end of the last track is its end, as if it had been played to there.
        let event = PlaybackPositionEvent(trackID: info.trackID, position: max(end ?? target, .zero))
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
                    guard let self, center.repeatMode != nil else { throw notThere }
                    guard let mode = RepeatMode(rawValue: value.string!) else {
                        throw BusError(.invalidArgs, "LoopStatus is None, Track or Playlist, not \(value.string!)")
                    }
                    try write("LoopStatus", commands.changeRepeatMode, RepeatModeEvent(mode: mode)) {
                        center.repeatMode == mode
                    }
                }),
            PropertyEntry(
                "Rate", "d", access: .readWrite, get: { .double(center.shownRate) },
                set: { [weak self] value throws(BusError) in
                    let rate = value.double!
                    guard let self, rate.isFinite, rate >= 0 else {
                        throw BusError(.invalidArgs, "a rate is a number above 0")
                    }
                    if rate == 0 {
                        // R067: "a value of 0.0 … should act as though Pause was called". Rate keeps its value.
                        repeatUnless(false, "Rate")
                        return try MPRISAnswers.send(commands.pause, ())
                    }
                    try write("Rate", commands.changePlaybackRate, PlaybackRateEvent(rate: rate)) {
                        center.shownRate == rate
                    }
                }),
            PropertyEntry(
                "Shuffle", "b", access: .readWrite,
                get: { () throws(BusError) in try offered(center.isShuffled.map { .boolean($0) }) },
                set: { [weak self] value throws(BusError) in
                    guard let self, center.isShuffled != nil else { throw notThere }
                    let event = ShuffleModeEvent(isShuffled: value.boolean!)
                    try write("Shuffle", commands.changeShuffleMode, event) { center.isShuffled == event.isShuffled }
                }),
            PropertyEntry(
                "Volume", "d", access: .readWrite, get: { .double(center.shownVolume) },
                set: { [weak self] value throws(BusError) in
                    let volume = value.double!
                    guard let self, volume.isFinite else { throw BusError(.invalidArgs, "a volume is a number") }
                    // R076: a negative value sets 0.0.
                    try write("Volume", commands.changeVolume, VolumeEvent(volume: max(volume, 0))) {
                        center.shownVolume == volume
                    }
                }),
        ]
    }

    /// Hands a written value on; unless it is taken as it was written, what holds is told again (D20, F075).
    private func write<Event>(
        _ name: MemberName, _ command: RemoteCommand<Event>, _ event: Event, isTaken: @escaping @MainActor () -> Bool
    ) throws(BusError) {
        announced.removeAll()
        guard command.isOffered else {
            repeatUnless(false, name)
            throw BusError(.notSupported, "\(name) cannot be changed on this player")
        }
        try MPRISAnswers.send(command, event) { [weak self] in self?.repeatUnless(isTaken(), name) }
    }

    private func readOnlyProperties() -> [PropertyEntry] {
        let commands = commandCenter
        let center = infoCenter
        return [
            PropertyEntry("PlaybackStatus", "s") { .string(center.playbackState.rawValue) },
            PropertyEntry("Metadata", "a{sv}") { center.metadata.value },
            PropertyEntry("Position", "x", emits: .none) { .int64(center.position.microseconds) },
            PropertyEntry("MinimumRate", "d") { .double(center.shownRates.lowerBound) },
            PropertyEntry("MaximumRate", "d") { .double(center.shownRates.upperBound) },
            PropertyEntry("CanGoNext", "b") { .boolean(commands.nextTrack.isOffered) },
            PropertyEntry("CanGoPrevious", "b") { .boolean(commands.previousTrack.isOffered) },
            PropertyEntry("CanPlay", "b") { .boolean(commands.play.isOffered) },
            PropertyEntry("CanPause", "b") { .boolean(commands.pause.isOffered) },
            PropertyEntry("CanSeek", "b") { [weak self] in .boolean(self?.canSeek ?? false) },
            PropertyEntry("CanControl", "b", emits: .none) { .boolean(true) },
        ]
    }
}

/// The value of a property the player has; one it has not is unknown, as if it were not in the table (contract R008).
func offered(_ value: BusValue?) throws(BusError) -> BusValue {
    guard let value else { throw notThere }
    return value
}

/// What a property that the player does not have answers.
let notThere = BusError(.unknownProperty, "the player does not have this property")

extension NowPlayingIdentity {
    /// Why a URI is not taken.
    func refusal(of uri: String) -> BusError {
        let known = uriSchemes.isEmpty ? "none" : uriSchemes.joined(separator: ", ")
        guard let scheme = URIScheme(of: uri), scheme.name.utf8.count < 40 else {
            return BusError(.invalidArgs, "not a URI; schemes taken: \(known)")
        }
        return BusError(.notSupported, "the scheme \(scheme.name) is not supported; schemes taken: \(known)")
    }
}
