// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus
internal import MartletProtocol

/// A second start: the arguments go to the service that runs already.
enum HandOver {
    /// Hands names over; with none there is nothing to do and the running service stays as it is.
    ///
    /// - Returns: What could not be opened.
    /// - Throws: When the running service refuses or does not answer.
    static func send(_ names: [[UInt8]], from folder: [UInt8]) throws(BusError) -> [String] {
        guard !names.isEmpty else { return [] }
        let bus = try BlockingBus(to: .session)
        let message = BusMessage.methodCall(
            destination: MartletBus.name, path: MartletBus.path, interface: MartletBus.player1, member: "OpenFiles",
            body: [
                .array(names.map { .bytes($0) }, of: "ay"), .bytes(folder),
                .string(OpenMode.replace.rawValue),
            ])
        let reply = try bus.call(message, timeout: .seconds(20)).body
        guard reply.count == 2, let problems = reply[1].array else { return [] }
        return problems.compactMap { problem in
            guard let pair = problem.structure, pair.count == 2 else { return nil }
            return "\(pair[0].string ?? ""): \(pair[1].string ?? "")"
        }
    }
}
