// SPDX-License-Identifier: Apache-2.0
import MartletDBus
import MartletTestSupport
import Testing

@MainActor
@Suite("Introspection", .timeLimit(.minutes(1)))
struct IntrospectionTests {
    private static let header = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">

        """

    private static let standard = """
          <interface name="org.freedesktop.DBus.Introspectable">
            <method name="Introspect">
              <arg name="xml_data" type="s" direction="out"/>
            </method>
          </interface>
          <interface name="org.freedesktop.DBus.Peer">
            <method name="Ping"/>
            <method name="GetMachineId">
              <arg name="machine_uuid" type="s" direction="out"/>
            </method>
          </interface>

        """

    private static let properties = """
          <interface name="org.freedesktop.DBus.Properties">
            <method name="Get">
              <arg name="interface_name" type="s" direction="in"/>
              <arg name="property_name" type="s" direction="in"/>
              <arg name="value" type="v" direction="out"/>
            </method>
            <method name="GetAll">
              <arg name="interface_name" type="s" direction="in"/>
              <arg name="properties" type="a{sv}" direction="out"/>
            </method>
            <method name="Set">
              <arg name="interface_name" type="s" direction="in"/>
              <arg name="property_name" type="s" direction="in"/>
              <arg name="value" type="v" direction="in"/>
            </method>
            <signal name="PropertiesChanged">
              <arg name="interface_name" type="s"/>
              <arg name="changed_properties" type="a{sv}"/>
              <arg name="invalidated_properties" type="as"/>
            </signal>
          </interface>

        """

    private func introspect(_ path: ObjectPath, _ bench: Workbench) async -> String? {
        let call = BusMessage.methodCall(
            destination: Workbench.name, path: path, interface: .introspectable, member: "Introspect")
        return try? await bench.outcome(call).get()[0].string
    }

    @Test func `the document of an object names every member, argument and annotation`() async throws {
        let bench = try await Workbench()
        bench.connection.objects.export(
            InterfaceTable(
                "org.martlet.Test.Small",
                methods: [
                    MethodEntry(
                        "Do", in: [Argument("a", .string)], out: [Argument("b", "a(os)")], annotations: [.noReply]
                    ) { _ in [] },
                    MethodEntry("Plain") { _ in [] },
                ],
                properties: [
                    PropertyEntry("Loud", .double, access: .readWrite, get: { .double(0) }, set: { _ in }),
                    PropertyEntry("Quiet", .int64, emits: .none) { .int64(0) },
                    PropertyEntry("Fixed", .string, emits: .constant, annotations: [.deprecated]) { .string("") },
                    PropertyEntry("Listed", .objectPaths, emits: .invalidates) { .objectPaths([]) },
                    PropertyEntry("In", .string, access: .write, emits: .none, set: { _ in }),
                ],
                signals: [
                    SignalEntry("Gone"), SignalEntry("Moved", [Argument("to", .int64)], annotations: [.deprecated]),
                ],
                annotations: [Annotation("org.martlet.Note", "<\"&'>\n")]), at: "/small/one")
        bench.connection.objects.export(InterfaceTable("org.martlet.Test.Empty"), at: "/small/one/below/deep")
        let expected = """
              <interface name="org.martlet.Test.Small">
                <method name="Do">
                  <arg name="a" type="s" direction="in"/>
                  <arg name="b" type="a(os)" direction="out"/>
                  <annotation name="org.freedesktop.DBus.Method.NoReply" value="true"/>
                </method>
                <method name="Plain"/>
                <signal name="Gone"/>
                <signal name="Moved">
                  <arg name="to" type="x"/>
                  <annotation name="org.freedesktop.DBus.Deprecated" value="true"/>
                </signal>
                <property name="Loud" type="d" access="readwrite"/>
                <property name="Quiet" type="x" access="read">
                  <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
                </property>
                <property name="Fixed" type="s" access="read">
                  <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="const"/>
                  <annotation name="org.freedesktop.DBus.Deprecated" value="true"/>
                </property>
                <property name="Listed" type="ao" access="read">
                  <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="invalidates"/>
                </property>
                <property name="In" type="s" access="write">
                  <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
                </property>
                <annotation name="org.martlet.Note" value="&lt;&quot;&amp;'&gt;&#10;"/>
              </interface>
              <node name="below"/>

            """
        let live = await introspect("/small/one", bench)
        #expect(live == Self.header + "<node>\n" + Self.standard + Self.properties + expected + "</node>\n")
    }

    @Test func `an annotation of the interface changes what a property need not say (R162)`() {
        let table = InterfaceTable(
            "org.martlet.Test.Quiet",
            properties: [
                PropertyEntry("A", .byte, emits: .none) { .byte(0) }, PropertyEntry("B", .byte) { .byte(0) },
            ], annotations: [.emitsChangedSignal(.none)])
        #expect(table.introspectionXML.contains("<property name=\"A\" type=\"y\" access=\"read\"/>"))
        #expect(
            table.introspectionXML.contains(
                """
                    <property name="B" type="y" access="read">
                      <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="true"/>
                """))
    }

    @Test func `ancestors lead to the object (R164)`() async throws {
        let bench = try await Workbench()
        for (path, child) in [("/", "org"), ("/org", "martlet"), ("/org/martlet", "Test")] {
            let live = await introspect(ObjectPath(path)!, bench)
            #expect(live == Self.header + "<node>\n" + Self.standard + "  <node name=\"\(child)\"/>\n</node>\n")
        }
    }
}
