// SPDX-License-Identifier: Apache-2.0

/// The objects a connection offers: interfaces at paths.
///
/// Answers `Introspectable`, `Properties` and `Peer` out of the tables. Every call that wants an answer gets
/// exactly one (R153).
@MainActor
public final class ObjectTree {
    /// Whose objects these are; the connection owns the tree.
    private weak var connection: BusConnection?

    /// One exported object.
    struct Node {
        /// In the order of export, which is the order of introspection and of the search without an interface.
        var tables: [InterfaceTable] = []

        func table(_ name: String) -> InterfaceTable? { tables.first { $0.name.string == name } }
    }

    private(set) var nodes: [ObjectPath: Node] = [:]
    /// How many exported objects lie below a path that is their ancestor.
    private var descendants: [ObjectPath: Int] = [:]

    init(connection: BusConnection) { self.connection = connection }

    /// Runs after a method handler or a property setter has returned, and before its reply, also an error reply,
    /// is sent; for a ``DeferredReply`` right before it is sent. It runs as well when the caller wants no reply.
    ///
    /// Whoever collects property changes announces them here: one connection keeps its order, so a client that has
    /// the reply has already been told (R155).
    public var beforeReply: (@MainActor () -> Void)?

    // MARK: Exporting

    /// Offers an interface at a path. Export before the name is requested: clients call at once (R168).
    ///
    /// An interface of the same name at the same path is replaced. `Introspectable`, `Properties` and `Peer` are
    /// always there; exporting one of them traps.
    public func export(_ table: InterfaceTable, at path: ObjectPath) {
        precondition(!StandardInterface.names.contains(table.name), "\(table.name) is answered by the object tree")
        if nodes[path] == nil {
            nodes[path] = Node()
            for ancestor in ancestors(of: path) { descendants[ancestor, default: 0] += 1 }
        }
        if let row = nodes[path]!.tables.firstIndex(where: { $0.name == table.name }) {
            nodes[path]!.tables[row] = table
        } else {
            nodes[path]!.tables.append(table)
        }
    }

    /// Offers several interfaces at a path.
    public func export(_ tables: [InterfaceTable], at path: ObjectPath) {
        for table in tables { export(table, at: path) }
    }

    /// Withdraws one interface, or the whole object when none is named. What is not exported is no error.
    ///
    /// An object without its last interface is gone, unless others lie below it.
    public func unexport(_ interface: InterfaceName? = nil, at path: ObjectPath) {
        guard var node = nodes[path] else { return }
        node.tables.removeAll { interface == nil || $0.name == interface }
        guard node.tables.isEmpty else {
            nodes[path] = node
            return
        }
        nodes[path] = nil
        for ancestor in ancestors(of: path) {
            descendants[ancestor]! -= 1
            if descendants[ancestor] == 0 { descendants[ancestor] = nil }
        }
    }

    /// The tables exported at a path, in the order of their export.
    public func interfaces(at path: ObjectPath) -> [InterfaceTable] { nodes[path]?.tables ?? [] }

    /// Whether a call to the path finds somebody: an object, an ancestor of one, or the root.
    func exists(_ path: ObjectPath) -> Bool { path == .root || nodes[path] != nil || descendants[path] != nil }

    /// The elements by which the nodes right below a path are reached, in the order of their bytes.
    func children(of path: ObjectPath) -> [String] {
        guard path == .root || descendants[path] != nil else { return [] }
        let prefix = path == .root ? "/" : path.string + "/"
        var elements: Set<String> = []
        for node in nodes.keys where node != path && node.string.hasPrefix(prefix) {
            elements.insert(String(node.string.dropFirst(prefix.count).prefix { $0 != "/" }))
        }
        return elements.sorted()
    }

    private func ancestors(of path: ObjectPath) -> some Sequence<ObjectPath> {
        sequence(first: path) { $0.parent }.dropFirst()
    }

    // MARK: Announcing

    /// Sends `PropertiesChanged` of one interface: new values, and names whose value is to be asked for (R160).
    ///
    /// With nothing to tell nothing is sent.
    /// - Throws: ``BusError`` when the connection is closed or a value cannot be sent.
    public func propertiesChanged(
        _ path: ObjectPath, _ interface: InterfaceName, changed: [(MemberName, BusValue)],
        invalidated: [MemberName] = []
    ) throws(BusError) {
        guard !changed.isEmpty || !invalidated.isEmpty else { return }
        guard let connection else { throw .disconnected }
        try connection.emit(
            "PropertiesChanged", of: .properties, at: path,
            [
                .string(interface.string), .dict(changed.map { ($0.0.string, $0.1) }),
                .strings(invalidated.map(\.string)),
            ])
    }

    /// Sends `PropertiesChanged` with the present values of the named properties, each as its row's
    /// ``PropertyEntry/emits`` says.
    ///
    /// Left out are properties that promise no signal, that are not exported, and that have no value now.
    public func propertiesChanged(
        _ path: ObjectPath, _ interface: InterfaceName, _ names: [MemberName]
    ) throws(BusError) {
        guard let table = nodes[path]?.table(interface.string) else { return }
        var changed: [(MemberName, BusValue)] = []
        var invalidated: [MemberName] = []
        for name in names {
            guard let property = table.property(name.string) else { continue }
            switch property.emits {
            case .value: if let value = try? property.value() { changed.append((name, value)) }
            case .invalidates: invalidated.append(name)
            case .constant, .none: break
            }
        }
        try propertiesChanged(path, interface, changed: changed, invalidated: invalidated)
    }

    /// What `Introspect` answers at a path; `nil` when no object is there or below.
    public func introspection(of path: ObjectPath) -> String? {
        guard exists(path) else { return nil }
        var xml = IntrospectionXML()
        xml.node(tables: nodes[path]?.tables, children: children(of: path))
        return xml.text
    }
}
