// SPDX-License-Identifier: Apache-2.0

/// The objects a connection offers: interfaces at paths.
///
/// Answers `Introspectable`, `Properties` and `Peer` out of the tables. Every call that wants an answer gets
/// exactly one (R153).
@MainActor
public final class ObjectTree {
    unowned let connection: BusConnection

    init(connection: BusConnection) { self.connection = connection }

    /// Runs after a method handler or a property setter has returned, and before its reply, also an error reply,
    /// is sent; for a ``DeferredReply`` right before it is sent.
    ///
    /// Whoever collects property changes announces them here: one connection keeps its order, so a client that has
    /// the reply has already been told (R155).
    public var beforeReply: (@MainActor () -> Void)?

    /// Offers an interface at a path. Export before the name is requested: clients call at once (R168).
    ///
    /// An interface of the same name at the same path is replaced.
    public func export(_ table: InterfaceTable, at path: ObjectPath) { preconditionFailure("not yet") }

    /// Offers several interfaces at a path.
    public func export(_ tables: [InterfaceTable], at path: ObjectPath) {
        for table in tables { export(table, at: path) }
    }

    /// Withdraws one interface, or the whole object when none is named. What is not exported is no error.
    public func unexport(_ interface: InterfaceName? = nil, at path: ObjectPath) { preconditionFailure("not yet") }

    /// The tables exported at a path, in the order of their export.
    public func interfaces(at path: ObjectPath) -> [InterfaceTable] { preconditionFailure("not yet") }

    /// Sends `PropertiesChanged` of one interface: new values, and names whose value is to be asked for (R160).
    ///
    /// With nothing to tell nothing is sent.
    /// - Throws: ``BusError`` when the connection is closed or a value cannot be sent.
    public func propertiesChanged(
        _ path: ObjectPath, _ interface: InterfaceName, changed: [(MemberName, BusValue)],
        invalidated: [MemberName] = []
    ) throws(BusError) { preconditionFailure("not yet") }

    /// Sends `PropertiesChanged` with the present values of the named properties, each as its row's
    /// ``PropertyEntry/emits`` says; those that promise no signal are left out.
    public func propertiesChanged(
        _ path: ObjectPath, _ interface: InterfaceName, _ names: [MemberName]
    ) throws(BusError) { preconditionFailure("not yet") }

    /// What `Introspect` answers at a path; `nil` when no object is there or below.
    public func introspection(of path: ObjectPath) -> String? { preconditionFailure("not yet") }
}
