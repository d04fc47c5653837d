// SPDX-License-Identifier: Apache-2.0
import MartletDBus
import MartletTestSupport
import Testing

/// The service as other people's programs see it: GLib's `gdbus`, systemd's `busctl`, libdbus's `dbus-send`.
@MainActor
@Suite("Outside clients", .timeLimit(.minutes(1)))
struct OutsideClientTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        let what: String
        /// Arguments of `gdbus call` after the destination.
        let path: String
        let method: String
        let arguments: [String]
        let expected: ErrorName
        var testDescription: String { what }

        init(
            _ what: String, _ method: String, _ arguments: [String] = [], at path: String = "/org/martlet/Test",
            _ expected: ErrorName
        ) {
            self.what = what
            self.path = path
            self.method = method
            self.arguments = arguments
            self.expected = expected
        }
    }

    // The column "use" of the table of mistakes.
    nonisolated static let mistakes = [
        Mistake(
            "Get of an unknown property", "org.freedesktop.DBus.Properties.Get", ["org.martlet.Test.Bench", "Nope"],
            .unknownProperty),
        Mistake(
            "Set of an unknown property", "org.freedesktop.DBus.Properties.Set",
            ["org.martlet.Test.Bench", "Nope", "<1>"], .unknownProperty),
        Mistake(
            "Get with a property name that is none", "org.freedesktop.DBus.Properties.Get",
            ["org.martlet.Test.Bench", "no such!"], .unknownProperty),
        Mistake(
            "Get of a standard interface's property", "org.freedesktop.DBus.Properties.Get",
            ["org.freedesktop.DBus.Peer", "Nope"], .unknownProperty),
        Mistake(
            "Get on an unknown interface", "org.freedesktop.DBus.Properties.Get", ["org.martlet.Nope", "Volume"],
            .unknownInterface),
        Mistake(
            "Set on an unknown interface", "org.freedesktop.DBus.Properties.Set",
            ["org.martlet.Nope", "Volume", "<1.0>"], .unknownInterface),
        Mistake(
            "GetAll on an unknown interface (F108)", "org.freedesktop.DBus.Properties.GetAll", ["org.martlet.Nope"],
            .unknownInterface),
        Mistake(
            "GetAll on no interface name at all", "org.freedesktop.DBus.Properties.GetAll", ["not a name!"],
            .unknownInterface),
        Mistake(
            "Set of a read-only property", "org.freedesktop.DBus.Properties.Set",
            ["org.martlet.Test.Bench", "Title", "<'x'>"], .propertyReadOnly),
        Mistake(
            "Set of a read-only property with the wrong type", "org.freedesktop.DBus.Properties.Set",
            ["org.martlet.Test.Bench", "Title", "<1>"], .propertyReadOnly),
        Mistake(
            "Set with the wrong type", "org.freedesktop.DBus.Properties.Set",
            ["org.martlet.Test.Bench", "Volume", "<1>"], .invalidArgs),
        Mistake(
            "Set with a variant in the variant", "org.freedesktop.DBus.Properties.Set",
            ["org.martlet.Test.Bench", "Volume", "<<1.0>>"], .invalidArgs),
        Mistake(
            "Set with a senseless value", "org.freedesktop.DBus.Properties.Set",
            ["org.martlet.Test.Bench", "Volume", "<nan>"], .invalidArgs),
        Mistake("method with too few arguments", "org.martlet.Test.Bench.Add", [], .invalidArgs),
        Mistake("standard method with the wrong signature", "org.freedesktop.DBus.Properties.GetAll", [], .invalidArgs),
        Mistake("unknown method", "org.martlet.Test.Bench.Nope", [], .unknownMethod),
        Mistake("method on an unknown interface", "org.martlet.Nope.Add", [], .unknownMethod),
        Mistake("unknown method of a standard interface", "org.freedesktop.DBus.Peer.Nope", [], .unknownMethod),
        Mistake("unknown object path", "org.martlet.Test.Bench.Add", [], at: "/nowhere", .unknownObject),
        Mistake(
            "a path below the object", "org.martlet.Test.Bench.Add", [], at: "/org/martlet/Test/below", .unknownObject),
        Mistake(
            "Introspect on an unknown path", "org.freedesktop.DBus.Introspectable.Introspect", [], at: "/nowhere",
            .unknownObject),
        Mistake(
            "Get on an unknown path", "org.freedesktop.DBus.Properties.Get", ["a.b", "C"], at: "/nowhere",
            .unknownObject),
        Mistake("method on an ancestor of the object", "org.martlet.Test.Bench.Add", [], at: "/org", .unknownMethod),
        Mistake(
            "properties of an ancestor of the object", "org.freedesktop.DBus.Properties.GetAll", ["a.b"], at: "/org",
            .unknownMethod),
        Mistake("verb that may not be used now", "org.martlet.Test.Bench.Refuse", [], .notSupported),
    ]

    @Test(arguments: mistakes)
    func `gdbus sees the right error name`(mistake: Mistake) async throws {
        let bench = try await Workbench()
        let outcome = try await bench.bus.run(
            [
                "gdbus", "call", "--session", "--dest", "org.martlet.Test", "--object-path", mistake.path, "--method",
                mistake.method,
            ]
                + mistake.arguments)
        #expect(outcome.status != 0)
        #expect(outcome.errorOutput.contains("GDBus.Error:" + mistake.expected.string + ":"), "\(outcome.errorOutput)")
        #expect(bench.connection.isConnected)
    }

    @Test func `busctl walks the tree and shows the members`() async throws {
        let bench = try await Workbench()
        let tree = try await bench.bus.run([
            "busctl", "--user", "--address=" + bench.bus.addressText, "tree", "--list", "org.martlet.Test",
        ])
        #expect(tree.output == "/\n/org\n/org/martlet\n/org/martlet/Test\n", "\(tree)")
        let members = try await bench.bus.run([
            "busctl", "--address=" + bench.bus.addressText, "introspect", "org.martlet.Test", "/org/martlet/Test",
            "org.martlet.Test.Bench",
        ])
        let rows = members.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(rows.contains([".Add", "method", "ii", "i", "deprecated"]), "\(members)")
        #expect(rows.contains([".Volume", "property", "d", "0.5", "emits-change", "writable"]), "\(members)")
        #expect(rows.contains([".Count", "property", "u", "3", "const"]))
        #expect(rows.contains([".Tracks", "property", "ao", "0", "emits-invalidation"]))
        #expect(rows.contains([".Position", "property", "x", "-1", "-"]))
        #expect(rows.contains([".Happened", "signal", "sx", "-", "-"]))
    }

    @Test func `busctl, gdbus and dbus-send call and read`() async throws {
        let bench = try await Workbench()
        let busctl = try await bench.bus.run([
            "busctl", "--address=" + bench.bus.addressText, "call", "org.martlet.Test", "/org/martlet/Test",
            "org.martlet.Test.Bench", "Add", "ii", "40", "2",
        ])
        #expect(busctl.output == "i 42\n")
        let gdbus = try await bench.bus.run([
            "gdbus", "call", "--session", "--dest", "org.martlet.Test", "--object-path", "/org/martlet/Test",
            "--method",
            "org.martlet.Test.Bench.Echo", "<{'a': <[(1, 'x')]>}>",
        ])
        #expect(gdbus.output == "(<{'a': <[(1, 'x')]>}>,)\n", "\(gdbus)")
        let send = try await bench.bus.run([
            "dbus-send", "--session", "--print-reply=literal", "--dest=org.martlet.Test", "/org/martlet/Test",
            "org.freedesktop.DBus.Properties.Get", "string:org.martlet.Test.Bench", "string:Volume",
        ])
        #expect(send.output.contains("double 0.5"), "\(send)")
    }
}
