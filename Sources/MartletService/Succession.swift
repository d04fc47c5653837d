// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// How this process makes room for another of the same service: what an upgrade put in the program's place.
public struct Succession: Sendable {
    /// The program's file, absolute, as it was called when this process began.
    let program: [UInt8]
    /// Whether a service manager began this process and begins the next one. An `exec` would not do there: a unit of
    /// `Type=dbus` is ended by systemd when its name goes.
    let isManaged: Bool
    private let options: [[UInt8]]

    /// - Parameter options: Those of the command line that hold for the next process, too; nothing to be opened.
    init(options: [[UInt8]], environment: [String: String]) {
        self.options = options
        // systemd.exec(5): set for every process of a unit, but it is the number of the one that was started only.
        isManaged = environment["SYSTEMD_EXEC_PID"] == String(getpid())
        program = Succession.ownProgram()
    }

    /// Becomes the next process, in place; returns if that is the service manager's to do, or cannot be done.
    func takePlace() {
        guard !isManaged, !program.isEmpty else { return }
        // What a library left open for children is not for this one.
        for descriptor in 3..<CInt(clamping: min(sysconf(CInt(_SC_OPEN_MAX)), 1 << 16)) {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
        var words = unsafe Succession.copies(of: [program] + options)
        unsafe execv(words[0]!, &words)
    }

    /// What stands in the program's place.
    enum Candidate: Hashable, Sendable {
        /// The program that runs, or nothing.
        case none
        /// Another, which does not run. In the middle of an upgrade the libraries it needs may not be there yet.
        case unfit
        /// Another, which runs.
        case fit
    }

    /// Looks at what stands in the program's place by now, and tries it if it is another.
    @concurrent func candidate() async -> Candidate {
        var file = stat()
        var own = stat()
        guard unsafe stat(program.map { CChar(bitPattern: $0) } + [0], &file) == 0,
            unsafe stat("/proc/self/exe", &own) == 0, file.st_ino != own.st_ino || file.st_dev != own.st_dev
        else { return .none }
        return runs() ? .fit : .unfit
    }

    private func runs() -> Bool {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var words = unsafe Succession.copies(of: [program, Array("--version".utf8)])
        defer { unsafe words.forEach { unsafe free($0) } }
        var process = pid_t()
        guard unsafe posix_spawn(&process, words[0]!, &actions, nil, &words, environ) == 0 else { return false }
        var status: CInt = 0
        while unsafe waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return false } }
        return status == 0
    }

    private static func ownProgram() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe readlink(
                "/proc/self/exe", buffer.baseAddress!.assumingMemoryBound(to: CChar.self), buffer.count)
        }
        return Array(bytes.prefix(max(count, 0)))
    }

    /// For `exec`: its own copies, with the end marked.
    private static func copies(of words: [[UInt8]]) -> [UnsafeMutablePointer<CChar>?] {
        unsafe words.map { word in unsafe strdup(word.map { CChar(bitPattern: $0) } + [0]) } + [nil]
    }
}
