// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus

/// From a remote command's status to a reply, at once or later.
@MainActor
enum MPRISAnswers {
    @MainActor
    private final class Outcome {
        var status: RemoteCommandStatus?
        var deferred: DeferredReply?
    }

    /// Sends a command for a call.
    static func send<Event>(
        _ command: RemoteCommand<Event>, _ event: Event, for call: MethodCall
    ) throws(BusError) -> MethodResult {
        let outcome = Outcome()
        command.send(event) { status in
            guard outcome.status == nil else { return }
            outcome.status = status
            guard let deferred = outcome.deferred else { return }
            if let error = status.replyError { deferred.fail(error) } else { deferred.reply() }
        }
        if let status = outcome.status {
            if let error = status.replyError { throw error }
            return .reply([])
        }
        outcome.deferred = call.deferReply()
        return .deferred
    }

    /// Sends a command for a property that was written. A handler that answers later is taken as content.
    ///
    /// - Parameter settled: Called once, when the handler has answered, whatever it said.
    static func send<Event>(
        _ command: RemoteCommand<Event>, _ event: Event, settled: @escaping @MainActor () -> Void = {}
    ) throws(BusError) {
        let outcome = Outcome()
        command.send(event) { status in
            guard outcome.status == nil else { return }
            outcome.status = status
            settled()
        }
        if let error = outcome.status?.replyError { throw error }
    }
}
