// SPDX-License-Identifier: Apache-2.0
import MartletCore

/// What an engine knows of the item it has loaded.
struct LoadedSource {
    enum Phase {
        /// Being opened; nothing is known of it yet.
        case starting
        /// Known, and on its way to where it is to begin.
        case positioning
        /// Sounds, or stands ready to.
        case running
        /// Heard to its end, and still there to be sought in.
        case ended
        /// A radio station that was paused: let go, to be opened anew.
        case suspended
    }

    /// What the next change of the pipeline's state is to be told as.
    enum Announcement {
        case start, pause
    }

    /// A seek on its way.
    struct Landing {
        var serial: UInt64
        /// Whom to tell; nobody when the engine itself sought.
        var id: SeekID?
        /// Absolute position in the source.
        var target: Duration
        /// Whether the pipeline has begun with it: what came before belongs to an earlier one.
        var isUnderWay = false
        /// Where it came down, as the sink was told.
        var position: Duration?
    }

    var item: EngineItem
    var phase = Phase.starting
    var wantsPlaying: Bool
    /// The state the pipeline was last told to go to.
    var orderedState = PipelineState.paused
    /// Whether the pipeline was told to play without prerolling first.
    var startsAtOnce = false
    var announces: Announcement?

    /// Where to begin, absolute.
    var firstTarget: Duration
    /// The seek that came before the source was ready for one.
    var waitingSeek: SeekID?
    var landing: Landing?
    /// Where the pipeline stops by itself, absolute; `nil`: at the source's end.
    var stop: Duration?

    var isLive = false
    var isBuffering = false
    var isSeekable: Bool?
    /// Length as it was told: of the item, not of the source.
    var duration: Duration??
    var tags = StreamTags()
    /// Names of plugins the source lacks, heard before its error.
    var missingPlugin: String?

    /// The items that playbin has taken and that do not flow yet, nearest first.
    var taken: [EngineItem] = []
    /// Why one of those will not be heard, the last that was taken then; told when this one has been heard.
    var takenFailure: (entry: EntryID, failure: EngineFailure)?
    /// Why this item will not be heard; told when what came before it has been heard.
    var heldFailure: EngineFailure?
    /// Running time from which on the item is heard; before, the device plays out what came before.
    var audibleAt: Duration?
    /// Where it stood when its end was overdue.
    var positionAtEnd: Duration?

    init(item: EngineItem, target: Duration, wantsPlaying: Bool) {
        self.item = item
        firstTarget = target
        self.wantsPlaying = wantsPlaying
    }

    /// A station: nothing to go back to, so a pause cannot keep its place.
    var isRadio: Bool {
        isSeekable == false && duration == .some(nil) && ["http", "https"].contains(item.uri.scheme)
    }
}
