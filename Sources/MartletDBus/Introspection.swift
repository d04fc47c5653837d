// SPDX-License-Identifier: Apache-2.0

/// Introspection data in the DTD's version 1.0, out of the tables.
@MainActor
enum Introspection {
    static let standardNames: Set<String> = [
        "org.freedesktop.DBus.Introspectable", "org.freedesktop.DBus.Peer", "org.freedesktop.DBus.Properties",
    ]

    private static let head = """
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
          <interface name="org.freedesktop.DBus.Properties">
            <method name="Get">
              <arg name="interface_name" type="s" direction="in"/>
              <arg name="property_name" type="s" direction="in"/>
              <arg name="value" type="v" direction="out"/>
            </method>
            <method name="Set">
              <arg name="interface_name" type="s" direction="in"/>
              <arg name="property_name" type="s" direction="in"/>
              <arg name="value" type="v" direction="in"/>
            </method>
            <method name="GetAll">
              <arg name="interface_name" type="s" direction="in"/>
              <arg name="properties" type="a{sv}" direction="out"/>
            </method>
            <signal name="PropertiesChanged">
              <arg name="interface_name" type="s"/>
              <arg name="changed_properties" type="a{sv}"/>
              <arg name="invalidated_properties" type="as"/>
            </signal>
          </interface>

        """

    static func xml(tables: [InterfaceTable], children: [String]) -> String {
        var text = head + "<node>\n"
        if !tables.isEmpty { text += standard }
        for table in tables { append(table, to: &text) }
        for child in children { text += "  <node name=\"\(child)\"/>\n" }
        return text + "</node>\n"
    }

    private static func append(_ table: InterfaceTable, to text: inout String) {
        text += "  <interface name=\"\(table.name)\">\n"
        append(table.annotations, indent: "    ", to: &text)
        for method in table.methods {
            text += "    <method name=\"\(method.name)\""
            if method.inputs.isEmpty, method.outputs.isEmpty, method.annotations.isEmpty {
                text += "/>\n"
                continue
            }
            text += ">\n"
            append(method.annotations, indent: "      ", to: &text)
            append(method.inputs, direction: "in", to: &text)
            append(method.outputs, direction: "out", to: &text)
            text += "    </method>\n"
        }
        for property in table.properties where property.get() != nil {
            let access = property.set == nil ? "read" : "readwrite"
            text += "    <property name=\"\(property.name)\" type=\"\(property.type)\" access=\"\(access)\""
            var annotations = property.annotations
            if property.emission != .value {
                annotations.append(
                    ("org.freedesktop.DBus.Property.EmitsChangedSignal", property.emission.rawValue))
            }
            if annotations.isEmpty {
                text += "/>\n"
            } else {
                text += ">\n"
                append(annotations, indent: "      ", to: &text)
                text += "    </property>\n"
            }
        }
        for signal in table.signals {
            text += "    <signal name=\"\(signal.name)\">\n"
            append(signal.arguments, direction: nil, to: &text)
            text += "    </signal>\n"
        }
        text += "  </interface>\n"
    }

    private static func append(_ arguments: [Argument], direction: String?, to text: inout String) {
        for argument in arguments {
            text += "      <arg name=\"\(argument.name)\" type=\"\(argument.type)\""
            text += direction.map { " direction=\"\($0)\"/>\n" } ?? "/>\n"
        }
    }

    private static func append(_ annotations: [(String, String)], indent: String, to text: inout String) {
        for (name, value) in annotations {
            text += "\(indent)<annotation name=\"\(name)\" value=\"\(escaped(value))\"/>\n"
        }
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
        return result
    }
}
