// SPDX-License-Identifier: Apache-2.0
import MartletProtocol
import MartletText
import Testing

@testable import MartletCLI

@Suite("The command line")
struct CommandLineTests {
    private func read(_ words: String...) throws(Trouble) -> Invocation {
        try Invocation.read(words.map { Array($0.utf8) }, verbs: Verb.all)
    }

    private func trouble(_ words: String...) -> String? {
        do {
            _ = try Invocation.read(words.map { Array($0.utf8) }, verbs: Verb.all)
            return nil
        } catch {
            return error.exit == .usage ? error.message : "not usage: \(error)"
        }
    }

    @Test func `a verb of two words is found before one of its first`() throws {
        #expect(try read("queue", "move", "3-5", "1").verb.name == "queue move")
        #expect(try read("queue").verb.name == "queue")
        #expect(try read("queue", "--json").wantsJSON)
        #expect(try read("previous").verb.name == "prev")
    }

    @Test func `options and operands may stand in any order, and two dashes end the options`() throws {
        let status = try read("status", "--format", "{title}", "--follow")
        #expect(status.options == ["format": "{title}", "follow": ""])
        #expect(try read("status", "--format={title}").options["format"] == "{title}")
        #expect(try read("play", "--", "--json").operands == [Array("--json".utf8)])
        #expect(try read("play", "a", "b").operands.count == 2)
    }

    @Test(arguments: ["+10", "-10", "1:23", "50%"]) func `a place to seek may begin with a sign`(place: String) throws {
        #expect(try read("seek", place).text(0) == place)
    }

    @Test func `names of files are bytes`() throws {
        let name: [UInt8] = [0xFF, 0x2E, 0x6D, 0x70, 0x33]
        #expect(try Invocation.read([Array("play".utf8), name], verbs: Verb.all).operands == [name])
    }

    @Test func `what cannot be meant says what could`() {
        #expect(trouble() == "what shall it do? martlet help lists the verbs")
        #expect(trouble("pasue") == "there is no verb pasue; did you mean martlet pause?")
        #expect(trouble("stat") == "there is no verb stat; did you mean martlet status?")
        #expect(trouble("xylophone") == "there is no verb xylophone; martlet help lists them")
        #expect(trouble("queue", "mvoe") == "queue has no mvoe; did you mean martlet queue move?")
        #expect(trouble("pause", "now")?.hasPrefix("usage: martlet pause") == true)
        #expect(trouble("seek")?.hasPrefix("usage: martlet seek WHERE") == true)
        #expect(trouble("status", "--jsno")?.contains("--json") == true)
        #expect(trouble("status", "--json=1") == "--json takes no value")
        #expect(trouble("status", "--format") == "--format needs TEMPLATE")
    }

    @Test func `every verb has a summary, its own name, and a help that names its options`() {
        var names: Set<String> = []
        for verb in Verb.all {
            for name in [verb.name] + verb.aliases { #expect(names.insert(name).inserted, "\(name) twice") }
            #expect(!verb.summary.isEmpty && !verb.summary.hasSuffix("."))
            let help = Manual.help(for: verb)
            for option in verb.options { #expect(help.contains("--\(option.name)")) }
            #expect(Manual.overview.contains("  \(verb.name)"))
        }
    }

    @Test func `distances count a swap of neighbours as one`() {
        #expect(Spelling.distance("pasue", "pause") == 1)
        #expect(Spelling.distance("", "abc") == 3)
        #expect(Spelling.distance("kitten", "sitting") == 3)
        #expect(Spelling.nearest(to: "x", among: ["pause", "play"]) == nil)
    }

    @Test func `completions offer verbs, the second words, options and fixed words`() {
        #expect(Manual.completions(of: ["pa"]) == ["pause"])
        #expect(Manual.completions(of: ["queue", "mo"]) == ["move"])
        #expect(Manual.completions(of: ["repeat", ""]) == ["off", "one", "all"])
        #expect(Manual.completions(of: ["status", "--f"]) == ["--format", "--follow"])
        #expect(Manual.completions(of: ["play", "some"]) == ["files"])
        #expect(Manual.completions(of: [""]).contains("queue"))
    }
}

@Suite("What is printed")
struct PrintingTests {
    @Test func `JSON escapes what it must and nothing else`() {
        let text = "a\"b\\c\n\t\u{1}\u{7F}\u{2028}é한🎵"
        #expect(JSON.string(text).text == #""a\"b\\c\n\t\u0001\u007f\u2028é한🎵""#)
        #expect(
            JSON.array([.null, .bool(true), .integer(-3), .number(1.5), .number(.nan)]).text
                == "[null,true,-3,1.5,null]")
        var record = Record()
        record.add("a", "x")
        record.add("b", nil)
        #expect(record.json.text == #"{"a":"x","b":null}"#)
    }

    @Test func `a template is filled, and says what it does not know`() throws {
        var record = Record()
        record.add("artist", "Kim\u{1B}[31m")
        record.add("title", "Søn")
        record.add("position", .number(3))
        let template = try Template(#"{artist} – {title}\t{{{position}}}"#, names: ["artist", "title", "position"])
        #expect(template.filled(from: record) == "Kim [31m – Søn\t{3}")
        for bad in ["{nobody}", "{title", "title}"] {
            #expect(throws: Trouble.self) { try Template(bad, names: ["title"]) }
        }
    }

    @Test func `columns are aligned by cells, cut where the terminal ends, and tabs in a pipe`() {
        var table = Columns([
            .init(title: "#", alignment: .trailing), .init(title: "TITLE", isFlexible: true), .init(title: "TIME"),
        ])
        table.add(["1", "방탄소년단", "3:45"], isMarked: true)
        table.add(["10", "a long title that goes on and on", "12:00"])
        let wide = table.lines(on: Screen(width: 80, hasColours: false))
        #expect(wide[0].hasPrefix(" #  TITLE"))
        #expect(wide[1].hasPrefix(" 1  방탄소년단"))
        let column = wide.map { $0.split(separator: " ").last.map { String($0).cellWidth } }
        #expect(column == [4, 4, 5])
        for line in table.lines(on: Screen(width: 24, hasColours: false)) { #expect(line.cellWidth <= 24, "\(line)") }
        #expect(
            table.lines(on: Screen(width: nil, hasColours: false)) == [
                "1\t방탄소년단\t3:45", "10\ta long title that goes on and on\t12:00",
            ])
        #expect(table.lines(on: Screen(width: 80, hasColours: true))[1].hasPrefix("\u{1B}[1m"))
    }

    @Test(
        arguments: [
            ("90", 90_000_000), ("1.5", 1_500_000), ("1:30", 90_000_000), ("1:02:03", 3_723_000_000),
            ("0:05.25", 5_250_000),
            ("", nil), (":", nil), ("1:60", nil), ("a", nil), ("-1", nil), ("1e3", nil), ("1:2:3:4", nil),
            ("99999999999", nil),
        ] as [(String, Int64?)])
    func `times are read as people write them`(text: String, expected: Int64?) {
        #expect(Clock.microseconds(text) == expected)
    }

    @Test func `times are written as people read them`() {
        #expect(
            [0, 59_999_999, 60_000_000, 3_723_000_000, -5].map(Clock.text) == [
                "0:00", "0:59", "1:00", "1:02:03", "0:00",
            ])
    }

    @Test func `the status has every name it promises, known or not`() {
        var status = PlayerStatus()
        #expect(status.record.members.map(\.name) == PlayerStatus.names)
        status.title = "A"
        status.artists = ["B", "C"]
        #expect(status.record["artist"] == .string("B, C") && status.name == "B, C – A")
        #expect(PlayerStatus().name == "nothing to play")
    }
}
