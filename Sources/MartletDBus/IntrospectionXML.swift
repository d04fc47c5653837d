// SPDX-License-Identifier: Apache-2.0

/// Writes introspection data as the D-Bus specification describes it.
struct IntrospectionXML {
    private(set) var text = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">

        """

    /// The document of an object.
    ///
    /// - Parameter tables: `nil` for a path that only leads to others; it has no properties.
    mutating func node(tables: [InterfaceTable]?, children: [String]) {
        text += "<node>\n"
        for name in StandardInterface.names where tables != nil || name != .properties { standard(name) }
        for table in tables ?? [] { interface(table) }
        for child in children { line(1, "node", [("name", child)], isOpen: false) }
        text += "</node>\n"
    }

    /// One interface.
    mutating func interface(_ table: InterfaceTable) {
        line(1, "interface", [("name", table.name.string)], isOpen: true)
        for method in table.methods { self.method(method.name, method.in, method.out, method.annotations) }
        for signal in table.signals { self.signal(signal) }
        for property in table.properties { self.property(property, default: table.emitsByDefault) }
        annotations(table.annotations, 2)
        close(1, "interface")
    }

    private mutating func standard(_ name: InterfaceName) {
        line(1, "interface", [("name", name.string)], isOpen: true)
        for method in StandardInterface.methods[name] ?? [] { self.method(method.name, method.in, method.out, []) }
        if name == .properties { signal(StandardInterface.propertiesChanged) }
        close(1, "interface")
    }

    private mutating func method(_ name: MemberName, _ input: [Argument], _ output: [Argument], _ remarks: [Annotation])
    {
        let isOpen = !(input.isEmpty && output.isEmpty && remarks.isEmpty)
        line(2, "method", [("name", name.string)], isOpen: isOpen)
        guard isOpen else { return }
        for (arguments, direction) in [(input, "in"), (output, "out")] {
            for argument in arguments {
                line(
                    3, "arg", [("name", argument.name), ("type", argument.type.string), ("direction", direction)],
                    isOpen: false)
            }
        }
        annotations(remarks, 3)
        close(2, "method")
    }

    private mutating func signal(_ signal: SignalEntry) {
        let isOpen = !(signal.arguments.isEmpty && signal.annotations.isEmpty)
        line(2, "signal", [("name", signal.name.string)], isOpen: isOpen)
        guard isOpen else { return }
        for argument in signal.arguments {
            line(3, "arg", [("name", argument.name), ("type", argument.type.string)], isOpen: false)
        }
        annotations(signal.annotations, 3)
        close(2, "signal")
    }

    private mutating func property(_ property: PropertyEntry, default: PropertyEntry.Emits) {
        var remarks = property.annotations
        if property.emits != `default` { remarks.insert(.emitsChangedSignal(property.emits), at: 0) }
        line(
            2, "property",
            [("name", property.name.string), ("type", property.type.string), ("access", property.access.rawValue)],
            isOpen: !remarks.isEmpty)
        guard !remarks.isEmpty else { return }
        annotations(remarks, 3)
        close(2, "property")
    }

    private mutating func annotations(_ annotations: [Annotation], _ depth: Int) {
        for annotation in annotations {
            line(depth, "annotation", [("name", annotation.name.string), ("value", annotation.value)], isOpen: false)
        }
    }

    private mutating func line(_ depth: Int, _ element: String, _ attributes: [(String, String)], isOpen: Bool) {
        text += String(repeating: "  ", count: depth) + "<" + element
        for (name, value) in attributes { text += " \(name)=\"\(escaped(value))\"" }
        text += isOpen ? ">\n" : "/>\n"
    }

    private mutating func close(_ depth: Int, _ element: String) {
        text += String(repeating: "  ", count: depth) + "</" + element + ">\n"
    }

    private func escaped(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "\n", "\r", "\t": text += "&#\(scalar.value);"
            // XML 1.0 has no form for the other control characters, nor for two noncharacters.
            case "\0"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension InterfaceTable {
    /// What a property emits that says nothing: what the interface says, else `true` (R162).
    fileprivate var emitsByDefault: PropertyEntry.Emits {
        annotations.first { $0.name == Annotation.emitsChangedSignal(.value).name }
            .flatMap { PropertyEntry.Emits(rawValue: $0.value) } ?? .value
    }

    /// The interface as an introspection document of a node that has only this one, for a file that documents it.
    public var introspectionXML: String {
        var xml = IntrospectionXML()
        xml.document(of: self)
        return xml.text
    }
}

extension IntrospectionXML {
    fileprivate mutating func document(of table: InterfaceTable) {
        text += "<node>\n"
        interface(table)
        text += "</node>\n"
    }
}
