// SPDX-License-Identifier: Apache-2.0

/// What a ``GStreamerEngine`` can be told once, before it starts.
public struct EngineOptions: Hashable, Sendable {
    /// How long a source may take from the load to its first sound, and a network source to go on after it ran dry.
    public var watchdog: Duration = .seconds(15)
    /// How often to look whether what plays still moves; a file that stands still at two looks is given up.
    public var stallCheck: Duration = .seconds(3)
    /// How much sound the device holds in advance, where the sink has such a buffer.
    ///
    /// Longer means fewer wake-ups; pause, seek and volume do not wait for it. Edits of the next item within this
    /// time before an edge come too late.
    public var sinkBuffer: Duration = .seconds(2)
    /// The least the device is refilled by at a time.
    public var sinkPeriod: Duration = .seconds(1)
    /// `User-Agent` of HTTP requests.
    public var userAgent: String = "Martlet"
    /// Address of the sound server as PulseAudio writes it; `nil` for the session's own.
    public var soundServer: String?
    /// Name of the sound stream in mixers.
    public var applicationName: String = "Martlet"
    /// Name of the icon mixers show for the stream.
    public var iconName: String = "martlet"
    /// How often a lost HTTP connection is tried again before it is an error.
    public var networkRetries: Int = 3
    /// How long one HTTP answer may take; a try that takes longer counts as lost.
    public var networkTimeout: Duration = .seconds(10)

    public init() {}
}
