// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus
internal import MartletProtocol
internal import MartletSQLite

/// The settings in force while the service runs: read on the bus, changed there, kept in the file.
@MainActor
final class SettingsDesk {
    private(set) var configuration: Configuration
    let path: String
    /// Told after a change, once it is in force.
    var onChange: (@MainActor () -> Void)?
    /// Brings a change into force.
    var apply: (@MainActor (Configuration) -> Void)?

    private let writer = ConfigurationWriter()

    init(configuration: Configuration, path: String) {
        self.configuration = configuration
        self.path = path
    }

    /// `a{ss}`.
    var value: BusValue {
        .stringMap(configuration.values.map { ($0.name, $0.value) })
    }

    /// Changes one setting, now and in the file.
    ///
    /// - Parameter completion: Gets what was wrong, if anything; then nothing has changed.
    func set(_ name: String, to value: String, completion: @escaping @MainActor (BusError?) -> Void) {
        var changed = configuration
        if let problem = changed.set(name, to: value) {
            return completion(BusError(.invalidArgs, problem))
        }
        let (path, writer) = (path, writer)
        Task {
            do throws(SystemError) {
                try await writer.write(name, value, to: path)
            } catch {
                return completion(
                    BusError(error.failure.errorName, tr("cannot write {0}: {1}", path, error.reason)))
            }
            // Read again: another change may have come meanwhile.
            _ = configuration.set(name, to: value)
            apply?(configuration)
            onChange?()
            completion(nil)
        }
    }
}

/// Changes lines of the file, off the main actor, and keeps what else stands there.
private actor ConfigurationWriter {
    private let executor = SerialQueueExecutor(label: "org.martlet.configuration")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    func write(_ name: String, _ value: String, to path: String) throws(SystemError) {
        let text: String
        do throws(SystemError) {
            text = String(decoding: try AtomicFile.read(Array(path.utf8), limit: 1 << 20), as: UTF8.self)
        } catch {
            guard error.code == 2 else { throw error }
            text = ""
        }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try Folders.make(String(path[..<slash]))
        }
        let changed = ConfigurationFile.setting(name, to: value, in: text)
        try AtomicFile.write(CollectionOfOne(Array(changed.utf8)), to: path)
    }
}
