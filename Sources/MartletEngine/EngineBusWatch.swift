// SPDX-License-Identifier: Apache-2.0
import MartletLoop

/// Tells the main actor that messages wait on a pipeline's bus, without a GLib main loop and without a timer.
@MainActor
final class EngineBusWatch {
    private let watch: DescriptorWatch

    /// - Parameter onReadable: Called on the main actor; must pop until nothing is left, or it is called again.
    init(of pipeline: PlaybinPipeline, onReadable: @escaping @MainActor () -> Void) {
        watch = DescriptorWatch(
            pipeline.messageDescriptor, .reading,
            // The descriptor closes with the pipeline's bus, which may not happen under the watch's feet.
            onEnd: { withExtendedLifetime(pipeline) {} }, ready: onReadable)
    }

    /// Ends the watch; the handler is not called again. The descriptor stays the bus's.
    func cancel() {
        watch.end()
    }
}
