// SPDX-License-Identifier: Apache-2.0
import MartletCore

/// One message from the pipeline's bus, as a value.
enum PipelineMessage {
    /// The pipeline is empty of the past; what follows belongs to this load.
    case begun(load: UInt64)
    /// The answer of the pipeline to an order to change state: it is a live source and does not preroll.
    case foundLive
    /// The order to change state was refused outright.
    case refused
    /// The pipeline itself reached a state and is not on its way to another.
    case reached(PipelineState)
    /// A load or a seek has its first sound ready.
    case prerolled
    /// The seek with this serial begins to be carried out.
    case seeking(serial: UInt64)
    /// The seek was refused by every element.
    case seekRefused(serial: UInt64)
    /// A segment reached the sink.
    case segment(SinkSegment)
    /// The next item was taken out of the slot.
    case tookNext(EntryID)
    case endOfStream
    case buffering(percent: Int)
    case durationChanged
    case tags(StreamTags)
    case level(SoundLevel)
    case missingPlugin(String)
    case failure(EngineFailure)
    /// The pipeline's clock went away with its device.
    case clockLost
}

/// The states an engine asks of a pipeline, from nothing to sound.
enum PipelineState: Hashable, Sendable {
    case empty, ready, paused, playing
}

/// The stretch of a stream that begins to flow into the sink.
struct SinkSegment: Hashable, Sendable {
    /// Position in the stream of its first sound.
    var position: Duration
    /// Running time of the pipeline at which that sound is due.
    var dueAt: Duration
    /// Whether it is the first of another stream than the segment before.
    var startsStream: Bool
    /// Ties the segment to the seek that made it.
    var sequence: UInt32
    /// Which source it comes from, as ``SourceKey`` has it.
    var source: UInt32
}
