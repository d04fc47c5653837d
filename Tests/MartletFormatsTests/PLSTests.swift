// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletFormats
import Testing

@Suite("PLS")
struct PLSTests {
    @Test func `version 2 is read`() throws {
        let list = try read(
            """
            [playlist]
            File1=http://h/stream
            Title1=Radio - The Best
            Length1=-1
            File2=a b.mp3
            Title2=Lee - Song
            Length2=61
            NumberOfEntries=2
            Version=2
            """, as: .pls)
        #expect(list.places == ["http://h/stream", "/music/lists/a b.mp3"])
        #expect(list.entries[0].tags.title == "Radio - The Best")
        #expect(list.entries[0].tags.audio.length == nil)
        #expect(list.entries[1].tags.artists == ["Lee"])
        #expect(list.entries[1].tags.title == "Song")
        #expect(list.entries[1].tags.audio.length == .seconds(61))
    }

    @Test func `numbers order the entries whatever they are, and the count is not believed`() throws {
        let list = try read(
            "[PlayList]\r\nNumberOfEntries=99\r\nfile10=ten\r\nFILE2 = two\r\nTitle0=Zero\r\nFile0=zero\r\nFile007=seven\r\n",
            as: .pls)
        #expect(
            list.places == ["/music/lists/zero", "/music/lists/two", "/music/lists/seven", "/music/lists/ten"])
        #expect(list.entries[0].tags.title == "Zero")
    }

    @Test func `two lists joined keep every entry and each title its file`() throws {
        let list = try read(
            "[playlist]\nFile1=a\nTitle1=A\nFile2=b\nTitle2=B\n[playlist]\nFile1=c\nTitle1=C\nFile2=d\n", as: .pls)
        #expect(list.places == ["/music/lists/a", "/music/lists/b", "/music/lists/c", "/music/lists/d"])
        #expect(list.entries.map(\.tags.title) == ["A", "B", "C", nil])
    }

    @Test func `a title without a file is no entry`() throws {
        #expect(try read("[playlist]\nTitle1=A\nLength1=3\n", as: .pls).entries.isEmpty)
    }

    @Test func `a number too large for any machine is passed over`() throws {
        let list = try read("[playlist]\nFile99999999999999999999=a\nFile-1=b\nFilex=c\nFile3=d\n", as: .pls)
        #expect(list.places.contains("/music/lists/d"))
        #expect(!list.places.contains("/music/lists/a"))
    }

    @Test func `a value may hold equals signs`() throws {
        #expect(try read("[playlist]\nFile1=http://h/?a=b=c\n", as: .pls).places == ["http://h/?a=b=c"])
    }

    @Test func `file URIs are decoded and plain percent signs are not (F276)`() throws {
        let list = try read("[playlist]\nFile1=file:///m/a%20b\nFile2=/m/a%20b\n", as: .pls)
        #expect(list.entries.map(\.candidates) == [["/m/a b"], ["/m/a%20b"]])
    }

    @Test func `what is no list is refused`() {
        #expect(throws: PlaylistError.self) { try read("hello\nworld\n", as: .pls) }
    }
}
