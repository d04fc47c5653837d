// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletFormats
import Testing

@Suite("XSPF")
struct XSPFTests {
    private func list(_ tracks: String, head: String = "", root: String = "") -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <playlist version="1" xmlns="http://xspf.org/ns/0/"\(root)>\(head)<trackList>\(tracks)</trackList></playlist>
        """
    }

    @Test func `a track's elements become its tags`() throws {
        let playlist = try read(
            list(
                """
                <track><location>file:///m/a%20b.flac</location><title>Tom &amp; <![CDATA[<J>]]></title>
                <creator> Lee </creator><album>Al</album><trackNum>3</trackNum><duration>61500</duration>
                <image>http://h/c.png</image><annotation>Note</annotation><info>http://h</info></track>
                """, head: "<title>List</title><creator>Me</creator><image>cover.png</image>"), as: .xspf)
        #expect(playlist.title == "List")
        #expect(playlist.creator == "Me")
        #expect(playlist.image == MediaURI("file:///music/lists/cover.png"))
        let entry = playlist.entries[0]
        #expect(entry.candidates == ["/m/a b.flac"])
        #expect(entry.tags.title == "Tom & <J>")
        #expect(entry.tags.artists == ["Lee"])
        #expect(entry.tags.album == "Al")
        #expect(entry.tags.trackNumber == 3)
        #expect(entry.tags.comments == ["Note"])
        #expect(entry.tags.audio.length == .milliseconds(61_500))
        #expect(entry.image == MediaURI("http://h/c.png"))
    }

    @Test func `relative locations are references: decoded, with dots resolved`() throws {
        let playlist = try read(
            list("<track><location>a%20b.mp3</location></track><track><location>../c/./d.mp3</location></track>"),
            as: .xspf)
        #expect(playlist.places == ["/music/lists/a b.mp3", "/music/c/d.mp3"])
        // Somebody may have written a plain name all the same.
        #expect(playlist.entries[0].candidates.contains("/music/lists/a%20b.mp3"))
    }

    @Test func `xml base moves the references below it, and only those`() throws {
        let playlist = try read(
            list(
                """
                <track xml:base="sub/"><location>a.mp3</location></track>
                <track><location xml:base="/else/where/">b.mp3</location></track>
                <track><location>c.mp3</location></track>
                """, root: " xml:base=\"http://h/x/\""), as: .xspf)
        #expect(playlist.places == ["http://h/x/sub/a.mp3", "http://h/else/where/b.mp3", "http://h/x/c.mp3"])
    }

    @Test func `plain names with number signs and question marks are tried as written`() throws {
        let playlist = try read(list("<track><location>Song #1?.mp3</location></track>"), as: .xspf)
        #expect(playlist.entries[0].candidates.contains("/music/lists/Song #1?.mp3"))
    }

    @Test func `other locations of a track are its alternatives`() throws {
        let playlist = try read(
            list("<track><location>a.flac</location><location>a.mp3</location></track>"), as: .xspf)
        #expect(playlist.entries[0].candidates == ["/music/lists/a.flac", "/music/lists/a.mp3"])
    }

    @Test func `elements without a namespace count and those of other namespaces do not`() throws {
        let bare = try read(
            "<playlist><trackList><track><location>a</location></track></trackList></playlist>", as: .xspf)
        #expect(bare.places == ["/music/lists/a"])
        let foreign = try read(
            list(
                "<track><location>a</location><title xmlns=\"urn:x\">No</title><x:title xmlns:x=\"urn:x\">No</x:title></track>"
            ),
            as: .xspf)
        #expect(foreign.entries[0].tags.title == nil)
    }

    @Test func `a track without a location is counted as rejected`() throws {
        let playlist = try read(list("<track><title>T</title></track>"), as: .xspf)
        #expect(playlist.entries.isEmpty)
        #expect(playlist.rejectedCount == 1)
    }

    @Test func `VLC's options give the part that is meant`() throws {
        let playlist = try read(
            list(
                """
                <track><location>a</location><extension application="http://www.videolan.org/vlc/playlist/0">
                <vlc:id xmlns:vlc="http://www.videolan.org/vlc/playlist/ns/0/">0</vlc:id>
                <vlc:option xmlns:vlc="http://www.videolan.org/vlc/playlist/ns/0/">start-time=2.5</vlc:option>
                <vlc:option xmlns:vlc="http://www.videolan.org/vlc/playlist/ns/0/">stop-time=9</vlc:option>
                </extension></track>
                """), as: .xspf)
        #expect(playlist.entries[0].start == .milliseconds(2500))
        #expect(playlist.entries[0].end == .seconds(9))
    }

    @Test func `entities that grow are refused`() {
        var document = "<?xml version=\"1.0\"?><!DOCTYPE playlist [<!ENTITY a0 \"boom\">"
        for level in 1...9 {
            document += "<!ENTITY a\(level) \"" + String(repeating: "&a\(level - 1);", count: 10) + "\">"
        }
        document += "]><playlist><title>&a9;</title></playlist>"
        #expect {
            try read(document, as: .xspf)
        } throws: {
            if case PlaylistError.malformed(let reason, line: _) = $0 { reason.contains("entities") } else { false }
        }
    }

    @Test func `an external entity is refused and nothing is opened`() {
        let document = """
            <!DOCTYPE playlist [<!ENTITY x SYSTEM "file:///etc/passwd">]><playlist><title>&x;</title></playlist>
            """
        #expect(throws: PlaylistError.self) { try read(document, as: .xspf) }
    }

    @Test func `XML nested deeper than any list is refused`() {
        let deep = String(repeating: "<a>", count: 100_000)
        #expect(throws: PlaylistError.self) { try read("<playlist>" + deep, as: .xspf) }
    }

    @Test func `a text longer than any title is left out and the entry stays`() throws {
        let long = String(repeating: "x", count: 3_000_000)
        let playlist = try read(list("<track><location>a</location><title>\(long)</title></track>"), as: .xspf)
        #expect(playlist.places == ["/music/lists/a"])
        #expect(playlist.entries[0].tags.title == nil)
    }

    @Test func `bytes that are not the declared encoding are decoded as a playlist's lines are (F277)`() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?><playlist><trackList><track><location>a</location>
            <title>Männer sind Schweine für große Köche</title></track></trackList></playlist>
            """
        #expect(try read(latin1(text), as: .xspf).entries[0].tags.title == "Männer sind Schweine für große Köche")
    }

    @Test func `an encoding expat does not know goes through the decoder with its name`() throws {
        let reader = PlaylistReader(base: .folder(Array("/m".utf8))) { pieces, declared in
            pieces.map { String(decoding: $0, as: UTF8.self).replacing("???", with: declared ?? "none") }
        }
        let text = "<?xml version='1.0' encoding='x-odd'?><playlist><title>???</title></playlist>"
        #expect(try reader.read(Array(text.utf8), as: .xspf).title == "x-odd")
    }

    @Test func `broken XML and other XML are errors that name the line`() {
        #expect {
            try read("<playlist>\n<trackList>\n</playlist>", as: .xspf)
        } throws: {
            if case PlaylistError.malformed(_, line: 3) = $0 { true } else { false }
        }
        #expect(throws: PlaylistError.malformed("This XML is no XSPF playlist.")) { try read("<html/>", as: .xspf) }
        #expect(throws: PlaylistError.self) { try read("", as: .xspf) }
    }
}
