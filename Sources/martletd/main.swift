// SPDX-License-Identifier: Apache-2.0
import MartletCharset
import MartletEngine
import MartletLoop
import MartletService
import MartletTags

do {
    ProgramPages.shareHeap()
    // Before anything that is to be served by it.
    let loop = MainLoop()
    let startup = try Startup(arguments: Startup.arguments(), environment: Startup.environment())
    let engine = GStreamerEngine(sink: SinkDescription(startup.configuration.sink))
    let service = Service(
        options: startup.options, configuration: startup.configuration,
        configurationPath: startup.configurationPath, folders: startup.folders,
        succession: startup.succession,
        parts: Service.Parts(
            engine: engine,
            makeSilentEngine: { GStreamerEngine(sink: .null) },
            tagReader: TagLibReader(fallbackCharset: Charset(named: startup.configuration.fallbackCharset)),
            encoder: GStreamerFileEncoder(), scaler: GStreamerImageScaler()),
        log: startup.log,
        end: { $0.leave() })
    Task { await service.start(in: startup.workingDirectory) }
    // Never returns, so the service lives as long as the process.
    withExtendedLifetime(service) { loop.run() }
} catch {
    error.leave()
}
