// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus

extension NowPlayingSession {
    static let trackListInterface: InterfaceName = "org.mpris.MediaPlayer2.TrackList"

    /// `org.mpris.MediaPlayer2.TrackList`: contract §4.
    func trackListTable(_ list: NowPlayingTrackList) -> InterfaceTable {
        let identity = identity
        return InterfaceTable(
            NowPlayingSession.trackListInterface,
            methods: [
                MethodEntry(
                    "GetTracksMetadata", in: [Argument("TrackIds", "ao")], out: [Argument("Metadata", "aa{sv}")]
                ) { call throws(BusError) in
                    // D11: unknown ids are left out, the known keep their order.
                    let maps = call.arguments[0].objectPaths!.compactMap { path in
                        TrackID(path).flatMap { list.source?.info(of: $0) }.map { MetadataMap($0).value }
                    }
                    return .reply([.array(maps, of: .properties)])
                },
                MethodEntry(
                    "AddTrack",
                    in: [Argument("Uri", "s"), Argument("AfterTrack", "o"), Argument("SetAsCurrent", "b")]
                ) { call throws(BusError) in
                    guard list.addTrack.isOffered else {
                        throw BusError(.notSupported, "the track list cannot be edited")
                    }
                    let uri = call.arguments[0].string!
                    guard identity.takes(uri: uri) else { throw identity.refusal(of: uri) }
                    let event = AddTrackEvent(
                        uri: uri, after: TrackID(call.arguments[1].objectPath!),
                        setAsCurrent: call.arguments[2].boolean!)
                    return try MPRISAnswers.send(list.addTrack, event, for: call)
                },
                trackMethod("RemoveTrack", list, list.removeTrack),
                trackMethod("GoTo", list, list.goTo),
            ],
            properties: [
                PropertyEntry("Tracks", "ao", emits: .invalidates) {
                    .objectPaths(list.source?.tracks.map(\.path) ?? [])
                },
                PropertyEntry("CanEditTracks", "b") { .boolean(list.addTrack.isOffered) },
            ],
            signals: [
                SignalEntry("TrackListReplaced", [Argument("Tracks", "ao"), Argument("CurrentTrack", "o")]),
                SignalEntry("TrackAdded", [Argument("Metadata", "a{sv}"), Argument("AfterTrack", "o")]),
                SignalEntry("TrackRemoved", [Argument("TrackId", "o")]),
                SignalEntry("TrackMetadataChanged", [Argument("TrackId", "o"), Argument("Metadata", "a{sv}")]),
            ])
    }

    /// R109, R112: an id that is not in the list has no effect.
    private func trackMethod(
        _ name: MemberName, _ list: NowPlayingTrackList, _ command: RemoteCommand<TrackEvent>
    ) -> MethodEntry {
        MethodEntry(name, in: [Argument("TrackId", "o")]) { call throws(BusError) in
            guard let track = TrackID(call.arguments[0].objectPath!), list.source?.info(of: track) != nil else {
                return .reply([])
            }
            return try MPRISAnswers.send(command, TrackEvent(trackID: track), for: call)
        }
    }

    /// Tells what happened to the list; one invalidation for all of it (R115).
    func tellTrackList(_ list: NowPlayingTrackList, on connection: BusConnection) {
        let announcements = list.takeAnnouncements()
        guard !announcements.isEmpty else { return }
        let interface = NowPlayingSession.trackListInterface
        let isListChanged = announcements.contains { if case .metadataChanged = $0 { false } else { true } }
        if isListChanged {
            try? connection.objects.propertiesChanged(
                NowPlayingSession.path, interface, changed: [], invalidated: ["Tracks"])
        }
        func emit(_ member: MemberName, _ body: [BusValue]) {
            try? connection.emit(member, of: interface, at: NowPlayingSession.path, body)
        }
        for announcement in announcements {
            switch announcement {
            case .replaced:
                let current = infoCenter.nowPlayingInfo?.trackID.path ?? TrackID.noTrack
                let tracks = list.source?.tracks.map(\.path) ?? []
                emit("TrackListReplaced", [.objectPaths(tracks), .objectPath(current)])
            case .added(let track, let after):
                guard let info = list.source?.info(of: track) else { continue }
                emit("TrackAdded", [MetadataMap(info).value, .objectPath(after?.path ?? TrackID.noTrack)])
            case .removed(let track):
                emit("TrackRemoved", [.objectPath(track.path)])
            case .metadataChanged(let track, let new):
                guard let info = list.source?.info(of: new) else { continue }
                emit("TrackMetadataChanged", [.objectPath(track.path), MetadataMap(info).value])
            }
        }
    }
}
