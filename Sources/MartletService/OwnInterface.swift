// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus
internal import MartletProtocol

/// One of Martlet's own interfaces on ``MartletBus/path``.
@MainActor
protocol OwnInterface: AnyObject {
    /// Offers the interface on a connection, in place of the one before.
    func export(on connection: BusConnection)
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
    /// Reads a word of a fixed few.
    ///
    /// - Parameter complaint: What to say of another, given the words there are.
    /// - Throws: `InvalidArgs` with the complaint.
    init(word: String, complaint: (String) -> String) throws(BusError) {
        guard let value = Self(rawValue: word) else {
            throw BusError(.invalidArgs, complaint(Self.allCases.map(\.rawValue).joined(separator: ", ")))
        }
        self = value
    }
}

/// Announces what is different from what was announced last, at most once a turn and only what changed.
@MainActor
final class PropertyTeller {
    private let interface: InterfaceName
    private var told: [(MemberName, BusValue)] = []
    private weak var connection: BusConnection?

    init(_ interface: InterfaceName) {
        self.interface = interface
    }

    /// From here on, on this connection; whoever comes now reads the values.
    func begin(on connection: BusConnection, with rows: [(MemberName, BusValue)]) {
        self.connection = connection
        told = rows
    }

    /// - Parameters:
    ///   - rows: Every property that is announced, always in the same order.
    ///   - others: Changes of properties that are no state to compare.
    func tell(_ rows: [(MemberName, BusValue)], besides others: [(MemberName, BusValue)] = []) {
        guard let connection else { return }
        let changes = zip(rows, told).filter { $0 != $1 }.map(\.0) + others
        told = rows
        guard !changes.isEmpty else { return }
        try? connection.objects.propertiesChanged(MartletBus.path, interface, changed: changes)
    }
}
