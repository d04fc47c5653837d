// SPDX-License-Identifier: Apache-2.0
internal import Glibc
public import MartletProtocol

/// `martlet`: a command line in, an exit code out.
public enum CommandLineClient {
    /// Does what the arguments say; what it tells goes to standard output, what goes wrong to standard error in one sentence.
    ///
    /// - Parameter arguments: Without the program's own name, as the system gave them.
    public static func run(_ arguments: [[UInt8]]) -> ClientExit {
        signal(SIGPIPE, SIG_IGN)
        do throws(Trouble) {
            if let first = arguments.first, first == Array("--complete".utf8) {
                let words = arguments.dropFirst().map { String(decoding: $0, as: UTF8.self) }
                for word in Manual.completions(of: words) { try? Screen.standard.line(word) }
                return .done
            }
            if arguments == [Array("--man".utf8)] {
                try? Screen.standard.line(Manual.page)
                return .done
            }
            let invocation = try Invocation.read(arguments, verbs: Verb.all)
            if invocation.options["help"] != nil {
                try invocation.say(Manual.help(for: invocation.verb))
            } else {
                try invocation.verb.run(invocation)
            }
            return .done
        } catch {
            if !error.message.isEmpty {
                try? Screen.write("martlet: \(Screen.printable(error.message))\n", to: STDERR_FILENO)
            }
            return error.exit
        }
    }

    /// The process's own arguments, as bytes, without its name.
    public static var arguments: [[UInt8]] {
        (1..<max(Int(CommandLine.argc), 1)).compactMap { index in
            unsafe CommandLine.unsafeArgv[index].map { text in
                unsafe Array(UnsafeBufferPointer(start: text, count: strlen(text))).map { UInt8(bitPattern: $0) }
            }
        }
    }
}
