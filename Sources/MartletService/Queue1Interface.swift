// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletDBus
internal import MartletProtocol

/// `org.martlet.Queue1`: the queue, whole. Its XML is `dbus/org.martlet.Queue1.xml`.
@MainActor
final class Queue1Interface: OwnInterface {
    let player: Player
    let opener: Opener
    private let teller = PropertyTeller(MartletBus.queue1)

    init(player: Player, opener: Opener) {
        self.player = player
        self.opener = opener
        player.observe { [weak self] _ in
            guard let self else { return }
            teller.tell(rows)
        }
    }

    func export(on connection: BusConnection) {
        connection.objects.export(
            InterfaceTable(
                MartletBus.queue1, methods: adding + editing + undoing + reading + [save], properties: properties),
            at: MartletBus.path)
        teller.begin(on: connection, with: rows)
    }

    var queue: PlayQueue { player.machine.queue }

    // MARK: Properties

    private var rows: [(MemberName, BusValue)] {
        Queue1Interface.values.map { ($0.name, $0.value(queue)) }
    }

    private static let values: [(name: MemberName, type: BusType, value: @Sendable (PlayQueue) -> BusValue)] = [
        ("Version", "t", { .uint64($0.version) }),
        ("Count", "u", { .uint32(UInt32(clamping: $0.count)) }),
        ("Current", "t", { .uint64($0.currentID?.rawValue ?? 0) }),
        (
            "Position", "i",
            { queue in .int32(Int32(clamping: queue.currentID.flatMap { queue.position(of: $0) } ?? -1)) }
        ),
        ("LoopMode", "s", { .string($0.loopMode.rawValue) }),
        ("ShuffleMode", "s", { .string($0.shuffleMode.rawValue) }),
        ("Consume", "b", { .boolean($0.consumes) }),
        ("StopAfter", "t", { .uint64($0.stopAfter?.rawValue ?? 0) }),
        ("CanUndo", "b", { .boolean($0.canUndo) }),
        ("CanRedo", "b", { .boolean($0.canRedo) }),
    ]

    private var properties: [PropertyEntry] {
        let player = player
        return Queue1Interface.values.map { row in
            let get: @MainActor @Sendable () -> BusValue = { row.value(player.machine.queue) }
            guard let set = setter(of: row.name) else { return PropertyEntry(row.name, row.type, get: get) }
            return PropertyEntry(row.name, row.type, access: .readWrite, get: get, set: set)
        }
    }

    private func setter(of name: MemberName) -> (@MainActor @Sendable (BusValue) throws(BusError) -> Void)? {
        let player = player
        switch name {
        case "LoopMode":
            return { value throws(BusError) in
                let mode = try LoopMode(word: value.string!) { tr("a loop mode is one of {0}", $0) }
                player.send(.setLoopMode(mode))
            }
        case "ShuffleMode":
            return { value throws(BusError) in
                let mode = try ShuffleMode(word: value.string!) { tr("a shuffle mode is one of {0}", $0) }
                player.send(.setShuffleMode(mode))
            }
        case "Consume":
            return { value in player.send(.setConsumes(value.boolean!)) }
        case "StopAfter":
            return { [weak self] value throws(BusError) in
                let entry = try self?.anchor(value.uint64!)
                player.send(.setStopAfter(entry ?? nil))
            }
        default: return nil
        }
    }

    // MARK: Arguments

    /// Entries of the queue.
    ///
    /// - Throws: `NotFound` for the first that is not in it.
    func entries(_ value: BusValue) throws(BusError) -> [EntryID] {
        var ids: [EntryID] = []
        for number in value.array!.compactMap(\.uint64) { ids.append(try entry(number)) }
        return ids
    }

    /// An entry of the queue, or `nil` for 0.
    func anchor(_ number: UInt64) throws(BusError) -> EntryID? {
        number == 0 ? nil : try entry(number)
    }

    /// An entry of the queue.
    ///
    /// - Throws: `NotFound` for one that is not in it.
    func entry(_ number: UInt64) throws(BusError) -> EntryID {
        guard queue.contains(EntryID(number)) else {
            throw BusError(MartletFailure.notFound.errorName, tr("no entry {0} in the queue", String(number)))
        }
        return EntryID(number)
    }

    /// Positions of the queue.
    ///
    /// - Throws: `InvalidArgs` when there are not so many.
    func range(_ first: BusValue, _ count: BusValue) throws(BusError) -> Range<Int> {
        let first = Int(first.uint32!)
        let count = Int(count.uint32!)
        guard first + count <= queue.count else {
            throw BusError(.invalidArgs, tr("the queue has {0} entries", String(queue.count)))
        }
        return first..<first + count
    }
}

extension BusValue {
    /// Numbers of entries: `at`.
    static func entries(_ ids: some Sequence<EntryID>) -> BusValue {
        .array(ids.map { .uint64($0.rawValue) }, of: .uint64)
    }
}
