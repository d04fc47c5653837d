// SPDX-License-Identifier: Apache-2.0

/// What the listener asked for: the three words of MPRIS' `PlaybackStatus`.
///
/// Intent, not the pipeline's state: it changes when a command is accepted and stays `playing` while a source loads
/// or a stream buffers. Only a failure with nothing left to play changes it back.
public enum PlaybackStatus: String, Hashable, Sendable, CaseIterable {
    case playing
    case paused
    case stopped
}

/// What keeps the intent from being heard, for the people and programs that want to know.
public enum PlaybackActivity: Hashable, Sendable {
    /// Sound runs, or rightly stands.
    case steady
    /// The source is being opened.
    case loading
    /// A network source fills its buffer, 0…99 percent.
    case buffering(percent: Int)
}

/// The last thing that went wrong, kept until something plays.
public struct PlaybackProblem: Hashable, Sendable {
    public var entry: EntryID?
    public var failure: EngineFailure

    public init(entry: EntryID?, failure: EngineFailure) {
        self.entry = entry
        self.failure = failure
    }
}
