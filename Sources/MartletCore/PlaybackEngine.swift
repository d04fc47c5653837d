// SPDX-License-Identifier: Apache-2.0

/// What plays sound: a pipeline behind five verbs and an ordered stream of facts.
///
/// Orders are asynchronous: they return within a millisecond or so and never wait for a source, a decoder or a
/// device. What came of them arrives as ``EngineEvent``s, in order, on the main actor. After ``load(_:at:playing:)``
/// or ``stop()`` has returned, no event of what was loaded before is delivered any more.
@MainActor
public protocol PlaybackEngine: AnyObject {
    /// Receives every event. Called on the main actor, never from inside an order.
    var eventHandler: (@MainActor (EngineEvent) -> Void)? { get set }

    /// Begins initialisation off the main actor; `.ready` or `.unavailable` follows. Calling again does nothing.
    ///
    /// Orders given before `.ready` are not allowed, save ``setVolume(_:)``, ``setMuted(_:)`` and ``setRate(_:)``.
    func start()

    /// Replaces whatever is loaded and goes to playing, or to paused and prerolled.
    ///
    /// - Parameter position: Where in the item to begin, 0 or more, relative to the item's start. The engine waits
    ///   until the source can seek; one that cannot begins at its start and says so in `.started`/`.paused`.
    func load(_ item: EngineItem, at position: Duration, playing: Bool)

    /// Resumes at the position where it paused.
    func play()

    /// Pauses at once; the device is released from sound but keeps the stream.
    func pause()

    /// Drops the source and goes silent. The sound device is let go.
    func stop()

    /// Jumps, accurate to the sample where the format allows it; `.landed` follows with the same id.
    ///
    /// A seek given while another is still landing replaces it: only the last one's `.landed` is sent.
    func seek(to position: Duration, id: SeekID)

    /// Speed with the pitch kept; 1.0 is as recorded. Applies at once, keeps the position and survives a load.
    func setRate(_ rate: Double)

    /// The perceptual (cubic) slider, 0…1, as `GstStreamVolume`'s cubic format.
    func setVolume(_ volume: Double)

    func setMuted(_ isMuted: Bool)

    /// What to play next without a gap, or `nil` for nothing. Kept until replaced, taken, or the next load.
    func prepareNext(_ item: EngineItem?)

    /// The position that is heard now, relative to the item's start; `nil` while the pipeline cannot tell.
    func currentPosition() -> Duration?
}

/// Something an engine can load.
public struct EngineItem: Hashable, Sendable {
    /// The entry this plays for; comes back in every event.
    public var entry: EntryID
    public var uri: MediaURI
    /// The part of the source to play: from `start` (0 for all) to `end` (`nil` for its end).
    public var start: Duration
    public var end: Duration?

    public init(entry: EntryID, uri: MediaURI, start: Duration = .zero, end: Duration? = nil) {
        self.entry = entry
        self.uri = uri
        self.start = start
        self.end = end
    }
}

/// Ties a `.landed` to the seek that asked for it.
public struct SeekID: Hashable, Sendable {
    public let rawValue: UInt64

    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// A fact from the engine, in the past tense.
public enum EngineEvent: Hashable, Sendable {
    /// Initialised: orders are taken.
    case ready
    /// Cannot be initialised; no order will ever be taken.
    case unavailable(EngineFailure)
    /// Sound runs, from this position; after a load, a play, or a buffering pause.
    case started(EntryID, position: Duration)
    /// Sound stands, prerolled or after a pause.
    case paused(EntryID, position: Duration)
    /// The seek has landed there.
    case landed(SeekID, position: Duration)
    /// Length of the item became known or better known; `nil`: there is none (a live stream).
    case durationChanged(EntryID, Duration?)
    /// Whether ``PlaybackEngine/seek(to:id:)`` can work on the item.
    case seekableChanged(EntryID, Bool)
    /// The prepared item was taken: the engine can no longer be dissuaded from playing it.
    case tookNext(EntryID)
    /// The taken item's stream began to flow; the one before is still heard for `remaining` at the current rate.
    case crossedEdge(EntryID, remaining: Duration)
    /// Everything of the item has been heard and nothing was taken to follow.
    case endOfStream(EntryID)
    /// A network source fills its buffer: 0…99 means sound waits, 100 means it goes on.
    case buffering(EntryID, percent: Int)
    /// Tags found inside the stream, whole each time; titles of radio stations come this way.
    case tagsChanged(EntryID, StreamTags)
    /// The volume or the mute switch of the stream was changed from outside, by a mixer.
    case volumeChanged(volume: Double, isMuted: Bool)
    /// The item cannot be played (on). The engine is stopped and ready for the next load.
    case failed(EntryID, EngineFailure)
}

/// Tags out of a running stream: valid text, absent means unknown.
public struct StreamTags: Hashable, Sendable {
    public var title: String?
    public var artist: String?
    public var album: String?
    /// Name of a radio station (`icy-name`).
    public var organization: String?
    public var genre: String?
    /// Bits a second.
    public var bitrate: Int?
    public var codec: String?

    public init() {}
}

/// Why something could not be played, with a cause a person can act on.
public struct EngineFailure: Error, Hashable, Sendable {
    public enum Cause: Hashable, Sendable {
        /// No such file, or the server says so.
        case notFound
        /// The file or server refuses us.
        case accessDenied
        /// No installed plugin handles it; the text names what is missing, for people.
        case missingPlugin(String)
        /// Not audio, or a format nobody handles.
        case unsupportedFormat
        /// Damaged beyond playing on.
        case corrupt
        /// Server away, name unknown, connection cut.
        case network
        /// The sound device cannot be opened, or vanished.
        case output
        /// The source did not begin within the watchdog's time.
        case timedOut
        case other
    }

    public var cause: Cause
    /// One sentence for people, valid text, without the URI.
    public var message: String
    /// What the library said; for the log at debug level.
    public var debugText: String?

    public init(cause: Cause, message: String, debugText: String? = nil) {
        self.cause = cause
        self.message = message
        self.debugText = debugText
    }
}
