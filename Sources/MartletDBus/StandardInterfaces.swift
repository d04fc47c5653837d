// SPDX-License-Identifier: Apache-2.0
internal import CMartletDBus

/// The interfaces every object has, as tables for dispatch and introspection.
enum StandardInterface {
    enum Action: Sendable { case ping, machineID, introspect, get, getAll, set }

    struct Method: Sendable {
        let interface: InterfaceName
        let name: MemberName
        let `in`: [Argument]
        let out: [Argument]
        let action: Action
        let inSignature: BusSignature
        let outSignature: BusSignature

        init(
            _ interface: InterfaceName, _ name: MemberName, in: [Argument] = [], out: [Argument] = [], _ action: Action
        ) {
            self.interface = interface
            self.name = name
            self.in = `in`
            self.out = out
            self.action = action
            inSignature = BusSignature(`in`.map(\.type))!
            outSignature = BusSignature(out.map(\.type))!
        }
    }

    static let names: [InterfaceName] = [.introspectable, .peer, .properties]

    static let allMethods: [Method] = [
        Method(.introspectable, "Introspect", out: [Argument("xml_data", .string)], .introspect),
        Method(.peer, "Ping", .ping),
        Method(.peer, "GetMachineId", out: [Argument("machine_uuid", .string)], .machineID),
        Method(
            .properties, "Get", in: [Argument("interface_name", .string), Argument("property_name", .string)],
            out: [Argument("value", .variant)], .get),
        Method(
            .properties, "GetAll", in: [Argument("interface_name", .string)],
            out: [Argument("properties", .properties)], .getAll),
        Method(
            .properties, "Set",
            in: [
                Argument("interface_name", .string), Argument("property_name", .string), Argument("value", .variant),
            ], .set),
    ]

    static let methods: [InterfaceName: [Method]] = Dictionary(grouping: allMethods, by: \.interface)

    static let propertiesChanged = SignalEntry(
        "PropertiesChanged",
        [
            Argument("interface_name", .string), Argument("changed_properties", .properties),
            Argument("invalidated_properties", .strings),
        ])
}

/// The identity of this installation of the operating system.
enum MachineID {
    /// 32 hexadecimal digits (R165).
    ///
    /// - Throws: ``BusError`` when the machine has none.
    static func read() throws(BusError) -> String {
        let text = try unsafe withBusError { unsafe dbus_try_get_local_machine_id($0) }
        guard let text = unsafe text else { throw .failed("The machine has no id.") }
        defer { unsafe dbus_free(text) }
        return unsafe String(cString: text)
    }
}
