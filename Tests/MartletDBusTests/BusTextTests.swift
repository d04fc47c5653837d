// SPDX-License-Identifier: Apache-2.0
import MartletDBus
import Testing

@Suite("Names, paths and signatures")
struct BusTextTests {
    @Test(arguments: ["", "a", "/a/", "//", "/a//b", "/a-b", "/é", "/a\0b", "/a.b", "/x/-1"])
    func `a text that is no object path makes none (R148)`(text: String) {
        #expect(ObjectPath(text) == nil)
    }

    @Test(arguments: ["/", "/a", "/org/mpris/MediaPlayer2/TrackList/NoTrack", "/1/_2"])
    func `a text that is an object path makes one`(text: String) {
        #expect(ObjectPath(text)?.string == text)
    }

    @Test(arguments: ["", "a", ".a.b", "a..b", "a.b.", "a.1b", "a.b c", "a.b\0c", "ä.b"])
    func `a text that is no interface name makes none (R150)`(text: String) {
        #expect(InterfaceName(text) == nil)
        #expect(ErrorName(text) == nil)
    }

    @Test func `an interface name holds no hyphen and at most 255 bytes (R150)`() {
        #expect(InterfaceName("a.b-c" as String) == nil)
        #expect(InterfaceName("a." + String(repeating: "b", count: 253)) != nil)
        #expect(InterfaceName("a." + String(repeating: "b", count: 254)) == nil)
    }

    @Test(arguments: ["", "a.b", "1a", "a-b", "a\0", "é"])
    func `a text that is no member name makes none (R150)`(text: String) {
        #expect(MemberName(text) == nil)
    }

    @Test(arguments: ["", "a", "a.12", "a.b.", "a.é", "a." + String(repeating: "b", count: 254), ":", ":1", "a.b\0"])
    func `a text that is no bus name makes none (R003, R149)`(text: String) {
        #expect(BusName(text) == nil)
    }

    @Test func `a bus name may hold a hyphen, and tells whether it is unique (R149)`() {
        #expect(BusName("a-b.c-d" as String)?.isUnique == false)
        #expect(BusName(":1.42" as String)?.isUnique == true)
    }

    @Test(arguments: ["", "z", "a", "(", "()", "a{vs}", "{ss}", "ss", "a{sss}", "s\0"])
    func `a text that is no single complete type makes none`(text: String) {
        #expect(BusType(text) == nil)
    }

    @Test func `types nest at most 32 arrays and 32 structures deep (R151)`() {
        func nested(_ opening: String, _ closing: String, _ depth: Int) -> BusType? {
            BusType(String(repeating: opening, count: depth) + "y" + String(repeating: closing, count: depth))
        }
        #expect(nested("a", "", 32) != nil)
        #expect(nested("a", "", 33) == nil)
        #expect(nested("(", ")", 32) != nil)
        #expect(nested("(", ")", 33) == nil)
    }

    @Test func `a signature holds at most 255 bytes (R151) and splits into its types`() {
        #expect(BusSignature(String(repeating: "y", count: 255))?.types.count == 255)
        #expect(BusSignature(String(repeating: "y", count: 256)) == nil)
        let parts: [BusType] = ["s", "a{sv}", "as", "(ia(oo))", "v"]
        #expect(BusSignature(parts)?.types == parts)
        #expect(BusSignature.empty.types == [])
        #expect(BusSignature("a" as String) == nil)
    }

    @Test func `a path knows its parent, its last element and what it is inside of`() {
        let path: ObjectPath = "/org/mpris/MediaPlayer2"
        #expect(path.parent == "/org/mpris")
        #expect(ObjectPath("/org" as String)?.parent == .root)
        #expect(ObjectPath.root.parent == nil)
        #expect(path.lastElement == "MediaPlayer2")
        #expect(ObjectPath.root.lastElement == "")
        #expect(ObjectPath.root.appending("a") == "/a")
        #expect(path.appending("a")?.string == "/org/mpris/MediaPlayer2/a")
        #expect(path.appending("a/b") == nil)
        #expect(path.appending("") == nil)
        #expect(path.isInside("/org/mpris"))
        #expect(path.isInside(path))
        #expect(path.isInside(.root))
        #expect(!path.isInside("/org/mpri"))
    }
}
