// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletTestSupport
import Testing

@testable import MartletService

@Suite("Configuration")
struct ConfigurationTests {
    @Test func `a file of every setting reads back as itself`() {
        var configuration = Configuration()
        configuration.previous = .restart
        configuration.sink = "alsasink device=hw:1"
        configuration.fallbackCharset = "CP1251"
        configuration.logLevel = .debug
        configuration.libraryFolders = ["~/Music", "/mnt/a b;c", "/back\\slash"]
        var read = Configuration()
        #expect(ConfigurationFile.read(ConfigurationFile.text(of: configuration), into: &read).isEmpty)
        #expect(read == configuration)
    }

    @Test func `what is not understood is a warning with its line and nothing more`() {
        let text = """
            \u{FEFF}# a comment
            stray=1
            [playback]
            previous = restart
            colour = blue
            previous = sideways
            nonsense
            [future]
            anything = goes
            [output
            [log]
            level=debug
            """
        var configuration = Configuration()
        let warnings = ConfigurationFile.read(text, into: &configuration)
        #expect(warnings.map(\.line) == [2, 5, 6, 7, 8, 10])
        #expect(configuration.previous == .restart && configuration.logLevel == .debug)
    }

    @Test(arguments: [
        ("", "[playback]\nprevious=restart\n"),
        (
            "[playback]\n# mine\nprevious=entry # no\non-empty=library\n",
            "[playback]\n# mine\nprevious=restart\non-empty=library\n"
        ),
        ("[playback]\n\n[log]\nlevel=info\n", "[playback]\nprevious=restart\n\n[log]\nlevel=info\n"),
        ("[log]\nprevious=1\n", "[log]\nprevious=1\n\n[playback]\nprevious=restart\n"),
    ])
    func `a change keeps what else stands in the file`(before: String, after: String) {
        #expect(ConfigurationFile.setting("playback.previous", to: "restart", in: before) == after)
    }

    @Test func `a value that cannot be meant changes nothing and says why`() {
        var configuration = Configuration()
        #expect(configuration.set("playback.previous", to: "never") != nil)
        #expect(configuration.set("no.such", to: "1") != nil)
        #expect(configuration.set("library.artwork-cache-mebibytes", to: "0") != nil)
        #expect(configuration.set("library.folders", to: "~/Music;relative") != nil)
        for value in ["null\n[log]\nlevel=debug", "null\r", " null", "null\t"] {
            #expect(configuration.set("output.sink", to: value) != nil, "the file would read it back as something else")
        }
        #expect(configuration == Configuration())
    }
}

@Suite("The command line of martletd")
struct OptionsTests {
    func parse(_ words: String...) throws -> Options { try Options(arguments: words.map { Array($0.utf8) }) }

    @Test func `options and names mix, and two hyphens end the options`() throws {
        let options = try parse("a.flac", "--sink=null", "--log-level", "debug", "--", "--demo", "-")
        #expect(options.sink == "null" && options.logLevel == .debug && !options.playsDemo)
        #expect(options.arguments == ["a.flac", "--demo", "-"].map { Array($0.utf8) })
    }

    @Test(arguments: [
        ["--nope"], ["--sink"], ["--sink", ""], ["--log-level", "loud"], ["--help=1"], ["--config="], ["-x"],
    ])
    func `what cannot be meant is refused with a sentence`(words: [String]) {
        #expect(throws: Options.Mistake.self) { try Options(arguments: words.map { Array($0.utf8) }) }
    }

    @Test func `a process in place of this one has the options as written, and nothing to open`() throws {
        let options = try parse("a.flac", "--sink", "null", "--demo", "--log-level=debug", "b.flac", "--", "--show")
        #expect(options.lasting == ["--sink", "null", "--log-level=debug"].map { Array($0.utf8) })
    }

    @Test func `a process that systemd started leaves the next one to systemd, and what that one starts does not`() {
        let own = String(getpid())
        #expect(Succession(options: [], environment: ["SYSTEMD_EXEC_PID": own]).isManaged)
        #expect(!Succession(options: [], environment: ["SYSTEMD_EXEC_PID": own + "0"]).isManaged)
        #expect(!Succession(options: [], environment: [:]).isManaged)
    }

    @Test func `the program that runs is no successor of itself`() async {
        #expect(await Succession(options: [], environment: [:]).candidate() == .none)
    }

    @Test func `a very long name is a name (bad input)`() throws {
        let name = [UInt8](repeating: UInt8(ascii: "x"), count: 100_000)
        #expect(try Options(arguments: [name]).arguments == [name])
    }

    @Test func `every option stands in the help, the manual and the completion`() throws {
        for row in Options.rows { #expect(Options.help.contains(row.name)) }
    }
}

@Suite("Folders")
struct FoldersTests {
    @Test func `the base directories are taken when absolute, the defaults otherwise`() {
        let folders = Folders(environment: [
            "HOME": "/h/x", "XDG_CONFIG_HOME": "relative", "XDG_CACHE_HOME": "/c/", "XDG_STATE_HOME": "",
        ])
        #expect(folders.configuration == "/h/x/.config/martlet" && folders.cache == "/c/martlet")
        #expect(folders.state == "/h/x/.local/state/martlet" && folders.data == "/h/x/.local/share/martlet")
    }
}
