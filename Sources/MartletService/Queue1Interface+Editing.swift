// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletDBus
internal import MartletProtocol

/// The methods that change the queue.
extension Queue1Interface {
    // MARK: Putting in

    var adding: [MethodEntry] {
        [
            opening("Add", Argument("mode", "s")) { value throws(BusError) in
                Opener.Mode(try OpenMode(word: value.string!) { tr("a mode is one of {0}", $0) })
            },
            opening("InsertAfter", Argument("entry", "t")) { [weak self] value throws(BusError) in
                .insert(after: try self?.anchor(value.uint64!) ?? nil, isCurrent: false)
            },
            opening("InsertAt", Argument("position", "u")) { value in .insertAt(Int(value.uint32!)) },
            addRange,
        ]
    }

    /// A method that looks through names and queues what they stand for.
    private func opening(
        _ name: MemberName, _ place: Argument,
        mode: @escaping @MainActor @Sendable (BusValue) throws(BusError) -> Opener.Mode
    ) -> MethodEntry {
        MethodEntry(
            name, in: [Argument("names", "aay"), Argument("working_directory", "ay"), place],
            out: [Argument("entries", "at"), Argument("problems", "a(ss)")]
        ) { [opener] call throws(BusError) in
            let mode = try mode(call.arguments[2])
            let reply = call.deferReply()
            let names = call.arguments[0].array!.compactMap(\.bytes)
            opener.open(names, in: call.arguments[1].bytes!, mode: mode) { expansion, ids in
                reply.reply([.entries(ids), expansion.problemsValue])
            }
            return .deferred
        }
    }

    private var addRange: MethodEntry {
        MethodEntry(
            "AddRange",
            in: [Argument("uri", "s"), Argument("start", "x"), Argument("end", "x"), Argument("mode", "s")],
            out: [Argument("entry", "t")]
        ) { [player] call throws(BusError) in
            let start = call.arguments[1].int64!
            let end = call.arguments[2].int64!
            guard let uri = MediaURI(call.arguments[0].string!) else {
                throw BusError(.invalidArgs, tr("this is no URI: {0}", call.arguments[0].string!))
            }
            guard start >= 0, end == -1 || end > start else {
                throw BusError(.invalidArgs, tr("a range begins at 0 or later and ends after its start, or with -1"))
            }
            let entry = NewEntry(
                uri: uri, start: .microseconds(start), end: end == -1 ? nil : .microseconds(end))
            let id = player.machine.queue.upcomingID
            switch try OpenMode(word: call.arguments[3].string!, complaint: { tr("a mode is one of {0}", $0) }) {
            case .append: player.send(.edit(.append([entry])))
            case .next: player.send(.edit(.playNext([entry])))
            case .replace: throw BusError(.invalidArgs, tr("a mode is one of {0}", "append, next"))
            }
            return [.uint64(id)]
        }
    }

    // MARK: Moving and taking out

    var editing: [MethodEntry] {
        [
            edit("Move", [Argument("entries", "at"), Argument("after", "t")]) { me, values throws(BusError) in
                .edit(.move(try me.entries(values[0]), after: try me.anchor(values[1].uint64!)))
            },
            edit("MoveRange", [Argument("first", "u"), Argument("count", "u"), Argument("target", "u")]) {
                me, values throws(BusError) in
                .edit(.moveRange(try me.range(values[0], values[1]), to: Int(values[2].uint32!)))
            },
            edit("Remove", [Argument("entries", "at")]) { me, values throws(BusError) in
                .edit(.remove(try me.entries(values[0])))
            },
            edit("RemoveRange", [Argument("first", "u"), Argument("count", "u")]) { me, values throws(BusError) in
                .edit(.removeRange(try me.range(values[0], values[1])))
            },
            edit("Clear", []) { _, _ in .edit(.clear) },
            edit("GoTo", [Argument("entry", "t")]) { me, values throws(BusError) in
                .goTo(try me.entry(values[0].uint64!))
            },
            edit("SetPriority", [Argument("entries", "at"), Argument("priority", "y")]) { me, values throws(BusError) in
                .edit(.setPriority(try me.entries(values[0]), values[1].byte!))
            },
        ]
    }

    private func edit(
        _ name: MemberName, _ arguments: [Argument],
        command: @escaping @MainActor @Sendable (Queue1Interface, [BusValue]) throws(BusError) -> PlayerCommand
    ) -> MethodEntry {
        MethodEntry(name, in: arguments) { [weak self] call throws(BusError) in
            guard let self else { throw .failed("going away") }
            player.send(try command(self, call.arguments))
            return []
        }
    }

    var undoing: [MethodEntry] {
        [step("Undo", .undo) { $0.canUndo }, step("Redo", .redo) { $0.canRedo }]
    }

    private func step(
        _ name: MemberName, _ edit: QueueEdit, isPossible: @escaping @Sendable (PlayQueue) -> Bool
    ) -> MethodEntry {
        MethodEntry(name, out: [Argument("done", "b")]) { [player] _ in
            let isDone = isPossible(player.machine.queue)
            player.send(.edit(edit))
            return [.boolean(isDone)]
        }
    }
}
