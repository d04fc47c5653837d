// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus

extension NowPlayingSession {
    static let trackListInterface: InterfaceName = "org.mpris.MediaPlayer2.TrackList"

    /// `org.mpris.MediaPlayer2.TrackList`: contract §4.
    func trackListTable(_ list: NowPlayingTrackList) -> InterfaceTable {
        InterfaceTable(
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
                ) { [weak self] call throws(BusError) in
                    guard let self, list.addTrack.isOffered else {
                        throw BusError(.notSupported, "the track list cannot be edited")
                    }
                    let uri = call.arguments[0].string!
                    guard identity.takes(uri: uri) else { throw identity.refusal(of: uri) }
                    let event = AddTrackEvent(
                        uri: uri, after: TrackID(call.arguments[1].objectPath!),
                        setAsCurrent: call.arguments[2].boolean!)
                    return try MPRISAnswers.send(list.addTrack, event, for: call)
                },
                MethodEntry("RemoveTrack", in: [Argument("TrackId", "o")]) { call throws(BusError) in
                    // R109, R111: without the right to edit, and for an entry that is not shown, there is no effect.
                    guard list.addTrack.isOffered, let track = TrackID(call.arguments[0].objectPath!),
                        list.source?.tracks.contains(track) == true
                    else { return .reply([]) }
                    return try MPRISAnswers.send(list.removeTrack, TrackEvent(trackID: track), for: call)
                },
                MethodEntry("GoTo", in: [Argument("TrackId", "o")]) { call throws(BusError) in
                    // R112. An entry outside a window is still an entry.
                    guard let track = TrackID(call.arguments[0].objectPath!), list.source?.info(of: track) != nil else {
                        return .reply([])
                    }
                    return try MPRISAnswers.send(list.goTo, TrackEvent(trackID: track), for: call)
                },
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

    /// Tells what happened to the list: `PropertiesChanged` once (R115), then what it was in order.
    ///
    /// - Parameter changes: Properties that changed with it.
    func tellTrackList(
        _ list: NowPlayingTrackList, _ changes: [(MemberName, BusValue)], on connection: BusConnection
    ) {
        let interface = NowPlayingSession.trackListInterface
        var announcements = list.takeAnnouncements()
        let isAdditionGone = announcements.contains {
            if case .added(let track, _) = $0 { list.source?.info(of: track) == nil } else { false }
        }
        // An entry that came and went in one turn has no metadata to announce it with.
        if isAdditionGone { announcements = [.replaced] + announcements.filter(\.isOfMetadata) }
        let isListChanged = announcements.contains { !$0.isOfMetadata }
        try? connection.objects.propertiesChanged(
            NowPlayingSession.path, interface, changed: changes, invalidated: isListChanged ? ["Tracks"] : [])
        for announcement in announcements {
            guard let (member, body) = signal(announcement, list) else { continue }
            try? connection.emit(member, of: interface, at: NowPlayingSession.path, body)
        }
    }

    /// The signal an announcement becomes; `nil` for the metadata of an entry that is gone.
    private func signal(
        _ announcement: NowPlayingTrackList.Announcement, _ list: NowPlayingTrackList
    ) -> (MemberName, [BusValue])? {
        func metadata(_ track: TrackID) -> BusValue? { list.source?.info(of: track).map { MetadataMap($0).value } }
        switch announcement {
        case .replaced:
            let current = infoCenter.nowPlayingInfo?.trackID.path ?? TrackID.noTrack
            return ("TrackListReplaced", [.objectPaths(list.source?.tracks.map(\.path) ?? []), .objectPath(current)])
        case .added(let track, let after):
            return metadata(track).map { ("TrackAdded", [$0, .objectPath(after?.path ?? TrackID.noTrack)]) }
        case .removed(let track):
            return ("TrackRemoved", [.objectPath(track.path)])
        case .metadataChanged(let track, let new):
            return metadata(new).map { ("TrackMetadataChanged", [.objectPath(track.path), $0]) }
        }
    }
}
