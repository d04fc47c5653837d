// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// The objects a connection offers: interfaces at paths.
///
/// Introspection, properties and Peer are answered from the tables. Errors have the names of the usual server libraries
/// (contract §7.1): what is unknown, read-only or of a wrong type is refused before a handler sees it.
@MainActor
public final class ObjectTree {
    /// Runs after a handler or a setter has returned and before its answer, also an error, leaves.
    public var beforeReply: (@MainActor () -> Void)?

    private var nodes: [ObjectPath: [InterfaceTable]] = [:]

    init() {}

    /// Offers an interface at a path, in place of one of the same name there.
    public func export(_ table: InterfaceTable, at path: ObjectPath) {
        var tables = nodes[path] ?? []
        tables.removeAll { $0.name == table.name }
        tables.append(table)
        nodes[path] = tables
    }

    /// Offers the interface no more.
    public func unexport(_ interface: InterfaceName, at path: ObjectPath) {
        nodes[path]?.removeAll { $0.name == interface }
        if nodes[path]?.isEmpty == true { nodes.removeValue(forKey: path) }
    }

    /// The tables at a path, in the order they were exported.
    public func tables(at path: ObjectPath) -> [InterfaceTable] { nodes[path] ?? [] }

    // MARK: Dispatch

    func dispatch(_ message: BusMessage, on connection: BusConnection) {
        let call = MethodCall(message: message, tree: self, connection: connection)
        do throws(BusReplyError) {
            switch try handle(call) {
            case .reply(let body): call.answer(.success(body))
            case .deferred: break
            }
        } catch {
            call.answer(.failure(error))
        }
    }

    private func handle(_ call: MethodCall) throws(BusReplyError) -> MethodAnswer {
        guard let path = call.message.path, let member = call.message.member else {
            throw BusReplyError(name: .unknownMethod, message: "the call names no path or no method")
        }
        let interface = call.message.interface
        if let standard = StandardInterface(interface, member) {
            return try answer(standard, at: path, call)
        }
        guard let tables = nodes[path] else {
            throw BusReplyError(name: .unknownObject, message: "there is no object \(path)")
        }
        // Without an interface "any of the methods" of that name may be meant (specification, "Method Calls").
        let table =
            interface.map { name in tables.first { $0.name == name } } ?? tables.first { $0.methodIndex[member] != nil }
        guard let method = table?.methodIndex[member] else {
            let place = interface.map { " in \($0)" } ?? ""
            throw BusReplyError(name: .unknownMethod, message: "there is no method \(member)\(place) at \(path)")
        }
        try check(call, method.signature, method.inputs)
        return try method.handler(call)
    }

    private func check(_ call: MethodCall, _ signature: [BusType], _ inputs: [Argument]) throws(BusReplyError) {
        let body = call.message.body
        if body.count == signature.count, zip(body, signature).allSatisfy({ $0.type == $1 }) { return }
        let wanted = inputs.map { "\($0.type) \($0.name)" }.joined(separator: ", ")
        let given = call.message.signature.description
        throw BusReplyError(
            name: .invalidArgs,
            message: "\(call.message.member!) takes (\(wanted)), not \"\(given)\"")
    }

    // MARK: The interfaces every object has

    private enum StandardInterface {
        case introspect, ping, machineID, get, set, getAll

        init?(_ interface: InterfaceName?, _ member: MemberName) {
            func fits(_ name: InterfaceName) -> Bool { interface == nil || interface == name }
            switch member.description {
            case "Introspect" where fits("org.freedesktop.DBus.Introspectable"): self = .introspect
            case "Ping" where fits("org.freedesktop.DBus.Peer"): self = .ping
            case "GetMachineId" where fits("org.freedesktop.DBus.Peer"): self = .machineID
            case "Get" where fits("org.freedesktop.DBus.Properties"): self = .get
            case "Set" where fits("org.freedesktop.DBus.Properties"): self = .set
            case "GetAll" where fits("org.freedesktop.DBus.Properties"): self = .getAll
            default: return nil
            }
        }
    }

    private static let property = Argument("property_name", "s")
    private static let interface = Argument("interface_name", "s")
    private static let value = Argument("value", "v")

    private func answer(
        _ standard: StandardInterface, at path: ObjectPath, _ call: MethodCall
    ) throws(BusReplyError) -> MethodAnswer {
        switch standard {
        case .ping:
            try check(call, [], [])
            return .reply([])
        case .machineID:
            try check(call, [], [])
            return .reply([.string(try machineID())])
        case .introspect:
            try check(call, [], [])
            return .reply([.string(try introspection(of: path))])
        case .get:
            try check(call, [.string, .string], [ObjectTree.interface, ObjectTree.property])
            let row = try property(call.arguments[1].string!, of: call.arguments[0].string!, at: path)
            guard let value = row.get() else { throw unknownProperty(row.name.description, "") }
            return .reply([.variant(value)])
        case .set:
            try check(
                call, [.string, .string, .variant], [ObjectTree.interface, ObjectTree.property, ObjectTree.value])
            let row = try property(call.arguments[1].string!, of: call.arguments[0].string!, at: path)
            guard row.get() != nil else { throw unknownProperty(row.name.description, "") }
            guard let set = row.set else {
                throw BusReplyError(name: .propertyReadOnly, message: "\(row.name) cannot be written")
            }
            let value = call.arguments[2].variant!
            guard value.type == row.type else {
                throw BusReplyError(
                    name: .invalidArgs, message: "\(row.name) is of type \(row.type), not \(value.type)")
            }
            try set(value)
            return .reply([])
        case .getAll:
            try check(call, [.string], [ObjectTree.interface])
            return .reply([try allProperties(of: call.arguments[0].string!, at: path)])
        }
    }

    private func property(
        _ name: String, of interface: String, at path: ObjectPath
    ) throws(BusReplyError) -> PropertyEntry {
        let tables = try tables(named: interface, at: path)
        for table in tables {
            if let row = table.propertyIndex[name] { return row }
        }
        throw unknownProperty(name, interface)
    }

    private func unknownProperty(_ name: String, _ interface: String) -> BusReplyError {
        BusReplyError(
            name: .unknownProperty,
            message: "there is no property \(name)\(interface.isEmpty ? "" : " in \(interface)")")
    }

    /// R157: an empty name may mean any interface; here it means all of ours, first come first.
    private func tables(named interface: String, at path: ObjectPath) throws(BusReplyError) -> [InterfaceTable] {
        guard let tables = nodes[path] else {
            throw BusReplyError(name: .unknownObject, message: "there is no object \(path)")
        }
        if interface.isEmpty { return tables }
        let found = tables.filter { $0.name.description == interface }
        guard found.isEmpty, !Introspection.standardNames.contains(interface) else { return found }
        throw BusReplyError(name: .unknownInterface, message: "there is no interface \(interface) at \(path)")
    }

    private func allProperties(of interface: String, at path: ObjectPath) throws(BusReplyError) -> BusValue {
        var rows: [(String, BusValue)] = []
        for table in try tables(named: interface, at: path) {
            for row in table.properties {
                if let value = row.get() { rows.append((row.name.description, value)) }
            }
        }
        return .dict(rows)
    }

    private func introspection(of path: ObjectPath) throws(BusReplyError) -> String {
        let prefix = path.description == "/" ? "/" : path.description + "/"
        var children: [String] = []
        for other in nodes.keys where other.description.hasPrefix(prefix) && other != path {
            let child = String(other.description.dropFirst(prefix.count).prefix { $0 != "/" })
            if !children.contains(child) { children.append(child) }
        }
        guard nodes[path] != nil || !children.isEmpty else {
            throw BusReplyError(name: .unknownObject, message: "there is no object \(path)")
        }
        return Introspection.xml(tables: nodes[path] ?? [], children: children.sorted())
    }

    private func machineID() throws(BusReplyError) -> String {
        for file in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
            guard let stream = unsafe fopen(file, "re") else { continue }
            defer { unsafe fclose(stream) }
            var buffer = [CChar](repeating: 0, count: 64)
            guard unsafe fgets(&buffer, 64, stream) != nil else { continue }
            let text = String(
                decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.utf8.count == 32 { return text }
        }
        throw BusReplyError(name: .failed, message: "this machine has no id")
    }
}

extension BusConnection {
    /// Tells that properties changed (`org.freedesktop.DBus.Properties.PropertiesChanged`).
    ///
    /// - Parameters:
    ///   - changed: Names and new values.
    ///   - invalidated: Names whose new value has to be asked for.
    public func propertiesChanged(
        _ path: ObjectPath, _ interface: InterfaceName, _ changed: [(String, BusValue)], invalidated: [String] = []
    ) {
        emit(
            path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
            [.string(interface.description), .dict(changed), .strings(invalidated)])
    }
}
