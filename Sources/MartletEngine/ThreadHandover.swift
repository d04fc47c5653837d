// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// What is made on one thread and met on another by GStreamer's doing.
///
/// GLib's locks put the one before the other already, but they are futexes of its own, of which ThreadSanitizer sees
/// nothing. This number says the same in a way it understands: two instructions for each handover.
enum ThreadHandover {
    private static let count = Atomic<UInt64>(0)

    /// Everything written so far may be met on GStreamer's threads from now on.
    static func give() { count.wrappingAdd(1, ordering: .releasing) }

    /// Everything that was given is there.
    static func take() { _ = count.load(ordering: .acquiring) }
}
