// SPDX-License-Identifier: Apache-2.0

/// The way from a method call to the row that answers it. The error names are those of the usual server libraries.
extension ObjectTree {
    func dispatch(_ message: BusMessage, on connection: BusConnection) {
        // libdbus lets no method call without a path and a member pass.
        guard let path = message.path, let member = message.member else { return }
        do throws(BusError) {
            if let standard = try standardMember(of: message, at: path, member) {
                try check(message, standard.inSignature, standard.in)
                try answer(message, standard, at: path, on: connection)
                return
            }
            guard let method = try method(of: message, at: path, member) else {
                throw BusError(
                    .unknownMethod,
                    "No method \(member) in interface \(message.interface?.string ?? "any") at \(path).")
            }
            try check(message, method.inSignature, method.in)
            run(method, message, on: connection)
        } catch {
            connection.answer(message, .failure(error), expecting: .empty)
        }
    }

    private func run(_ method: MethodEntry, _ message: BusMessage, on connection: BusConnection) {
        let call = MethodCall(message, connection: connection, outSignature: method.outSignature)
        let result: Result<MethodResult, BusError>
        do throws(BusError) {
            result = .success(try method.handler(call))
        } catch {
            result = .failure(error)
        }
        call.handlerEnded(result)
    }

    /// The method in the tables; without an interface in the call, the first in the order of export (F171).
    private func method(of message: BusMessage, at path: ObjectPath, _ member: MemberName) throws(BusError)
        -> MethodEntry?
    {
        guard let node = nodes[path] else {
            guard exists(path) else { throw BusError(.unknownObject, "No object at \(path).") }
            return nil
        }
        if let interface = message.interface { return node.table(interface.string)?.method(member.string) }
        for table in node.tables { if let method = table.method(member.string) { return method } }
        return nil
    }

    private func check(_ message: BusMessage, _ expected: BusSignature, _ arguments: [Argument]) throws(BusError) {
        guard message.signature != expected else { return }
        let names = arguments.map { "\($0.type) \($0.name)" }.joined(separator: ", ")
        throw .invalidArgs(
            "\(message.member?.string ?? "") takes (\(expected))\(names.isEmpty ? "" : ": \(names)"); "
                + "the call has (\(message.signature)).")
    }

    // MARK: Standard interfaces

    /// The row of a standard interface that a call means; `nil` when it means one of the tables.
    ///
    /// A member without an interface is looked for in the tables first: their owner knows what is meant.
    private func standardMember(of message: BusMessage, at path: ObjectPath, _ member: MemberName) throws(BusError)
        -> StandardInterface.Method?
    {
        if let interface = message.interface {
            guard let methods = StandardInterface.methods[interface] else { return nil }
            // Peer answers wherever it is called, also where no object is (R165).
            if interface != .peer, !exists(path) { throw BusError(.unknownObject, "No object at \(path).") }
            // An ancestor of objects has no properties; it says so rather than "unknown interface" for each name.
            if interface == .properties, nodes[path] == nil { return nil }
            return methods.first { $0.name == member }
        }
        if nodes[path]?.tables.contains(where: { $0.method(member.string) != nil }) == true { return nil }
        guard let method = StandardInterface.allMethods.first(where: { $0.name == member }) else { return nil }
        if method.interface == .peer { return method }
        guard exists(path) else { throw BusError(.unknownObject, "No object at \(path).") }
        return method.interface == .properties && nodes[path] == nil ? nil : method
    }

    private func answer(
        _ message: BusMessage, _ method: StandardInterface.Method, at path: ObjectPath, on connection: BusConnection
    ) throws(BusError) {
        func reply(_ values: [BusValue] = []) {
            connection.answer(message, .success(values), expecting: method.outSignature)
        }
        switch method.action {
        case .ping: reply()
        case .machineID: reply([.string(try MachineID.read())])
        case .introspect: reply([.string(introspection(of: path) ?? "")])
        case .get: reply([.variant(try get(message.body, nodes[path]?.tables ?? []))])
        case .getAll:
            let values = try getAll(message.body, nodes[path]?.tables ?? [])
            guard !message.flags.contains(.noReply) else { return }
            do throws(BusError) {
                try connection.send(.reply(to: message, body: [.dictionary(values)]))
            } catch {
                // Looked at one by one only now: that all can be sent is the rule.
                reply([.dictionary(values.withoutUnsendable)])
            }
        case .set:
            let result: Result<[BusValue], BusError>
            do throws(BusError) {
                let setter = try self.setter(message.body, nodes[path]?.tables ?? [])
                do throws(BusError) {
                    try setter()
                    result = .success([])
                } catch { result = .failure(error) }
                beforeReply?()
            } catch { result = .failure(error) }
            connection.answer(message, result, expecting: .empty)
        }
    }

    // MARK: Properties

    /// The tables an interface argument means. The empty string means all, the first exported first (R157); a
    /// standard interface is there and has no properties (R158).
    private func tables(_ interface: String, _ all: [InterfaceTable]) throws(BusError) -> [InterfaceTable] {
        if interface.isEmpty { return all }
        if let table = all.first(where: { $0.name.string == interface }) { return [table] }
        if StandardInterface.names.contains(where: { $0.string == interface }) { return [] }
        throw BusError(.unknownInterface, "No interface \(interface).")
    }

    private func property(_ body: [BusValue], _ all: [InterfaceTable]) throws(BusError) -> PropertyEntry {
        let (interface, name) = (body[0].string ?? "", body[1].string ?? "")
        for table in try tables(interface, all) { if let property = table.property(name) { return property } }
        throw BusError(.unknownProperty, "No property \(name)\(interface.isEmpty ? "" : " in \(interface)").")
    }

    private func get(_ body: [BusValue], _ all: [InterfaceTable]) throws(BusError) -> BusValue {
        try property(body, all).value()
    }

    /// What can be read now. A property without a value is left out; one of them never fails the rest (R159).
    private func getAll(_ body: [BusValue], _ all: [InterfaceTable]) throws(BusError) -> BusDictionary {
        let tables = try tables(body[0].string ?? "", all)
        var values = BusDictionary(key: .string, value: .variant)
        var names: Set<MemberName> = []
        for table in tables {
            values.entries.reserveCapacity(values.count + table.properties.count)
            for property in table.properties {
                if tables.count > 1, !names.insert(property.name).inserted { continue }
                guard let value = try? property.value() else { continue }
                values.entries.append(.init(key: .string(property.name.string), value: .variant(value)))
            }
        }
        return values
    }

    /// The setter with its value, checked.
    private func setter(_ body: [BusValue], _ all: [InterfaceTable]) throws(BusError)
        -> @MainActor () throws(BusError) -> Void
    {
        let property = try property(body, all)
        guard property.access != .read, let set = property.set else {
            throw BusError(.propertyReadOnly, "\(property.name) cannot be written.")
        }
        guard case .variant(let value) = body[2], value.conforms(to: property.type) else {
            throw .invalidArgs("\(property.name) has type \(property.type), not \(body[2].unwrapped.signatureText).")
        }
        return { () throws(BusError) in try set(value) }
    }
}

extension PropertyEntry {
    /// The present value.
    ///
    /// - Throws: What the getter throws; `AccessDenied` when the property cannot be read (R159); `Failed` when the
    ///   getter gave a value that is not of the row's type.
    @MainActor
    func value() throws(BusError) -> BusValue {
        guard access != .write, let get else { throw BusError(.accessDenied, "\(name) cannot be read.") }
        let value = try get()
        guard value.conforms(to: type) else {
            throw .failed("\(name) has type \(type), and its value is of type \(value.signatureText).")
        }
        return value
    }
}

extension BusDictionary {
    /// Whether the values fit their types and D-Bus's limits.
    fileprivate var canBeSent: Bool {
        var layout = BodyLayout()
        return (try? layout.add([.dictionary(self)])) != nil
    }

    /// The entries whose value can be sent: one property that cannot is not to fail the rest (R159).
    fileprivate var withoutUnsendable: BusDictionary {
        BusDictionary(
            key: keyType, value: valueType,
            entries: entries.filter { BusDictionary(key: keyType, value: valueType, entries: [$0]).canBeSent })
    }
}
