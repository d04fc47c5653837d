// SPDX-License-Identifier: Apache-2.0
import Dispatch

/// Tells the main actor that messages wait on a pipeline's bus, without a GLib main loop and without a timer.
@MainActor
final class EngineBusWatch {
    private let source: any DispatchSourceRead

    /// - Parameter onReadable: Called on the main actor; must pop until nothing is left, or it is called again.
    init(of pipeline: PlaybinPipeline, onReadable: @escaping @MainActor () -> Void) {
        source = DispatchSource.makeReadSource(fileDescriptor: pipeline.messageDescriptor, queue: .main)
        source.setEventHandler { MainActor.assumeIsolated(onReadable) }
        // The descriptor closes with the pipeline's bus, which may not happen under the source's feet.
        source.setCancelHandler { withExtendedLifetime(pipeline) {} }
        source.activate()
    }

    /// Ends the watch; the handler is not called again. The descriptor stays the bus's.
    func cancel() {
        source.cancel()
    }
}
