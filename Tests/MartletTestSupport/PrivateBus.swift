// SPDX-License-Identifier: Apache-2.0
public import Glibc
public import MartletDBus

/// A real dbus-daemon of its own, in a directory of its own.
///
/// Up in a few milliseconds. It activates nothing unless directories of `.service` files are given. The daemon ends
/// with this object, and also when the test process dies without a word.
public final class PrivateBus: @unchecked Sendable {
    // Invariant: `daemon` and `watchdog` are changed by start, stop and kill only, which one test calls in turn.

    /// Where it listens; the same after a restart.
    public let address: BusAddress
    /// The address in D-Bus's notation, for the environment of a process.
    public let addressText: String
    /// The path of its socket.
    public let socketPath: String
    /// A fresh directory, removed with this object. The daemon's own words are in its file `log`.
    public let directory: String

    private var daemon: pid_t = 0
    private var watchdog: (process: pid_t, pipe: CInt)?

    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// Starts a bus and returns when it listens.
    ///
    /// - Parameters:
    ///   - serviceDirectories: Directories of activation files. None by default: a call to a name nobody owns fails.
    ///   - configuration: More elements for the daemon's configuration, as `<limit …>` or `<policy>`.
    public init(serviceDirectories: [String] = [], configuration: String = "") throws {
        var template = Array("/tmp/martlet-bus-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Failure(description: "no directory for a bus") }
        directory = String(cString: made)
        socketPath = directory + "/bus"
        addressText = "unix:path=" + socketPath
        address = .address(addressText)
        let services = serviceDirectories.map { "<servicedir>\($0)</servicedir>" }.joined()
        let text = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type>
              <keep_umask/>
              <listen>\(addressText)</listen>
              <auth>EXTERNAL</auth>
              \(services)
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/>
                <allow eavesdrop="true"/>
                <allow own="*"/>
              </policy>
              <limit name="max_incoming_bytes">1000000000</limit>
              <limit name="max_outgoing_bytes">1000000000</limit>
              <limit name="max_message_size">1000000000</limit>
              <limit name="max_replies_per_connection">50000</limit>
              <limit name="max_match_rules_per_connection">50000</limit>
              \(configuration)
            </busconfig>
            """
        try write(text, to: directory + "/bus.conf")
        try start()
    }

    deinit {
        kill()
        for name in ["bus", "bus.conf", "log"] { unlink(directory + "/" + name) }
        rmdir(directory)
    }

    /// Whether the daemon runs as far as this object knows.
    public var isRunning: Bool { daemon > 0 }
    /// The daemon's process id; 0 when it does not run.
    public var processID: pid_t { daemon }

    /// Starts the daemon, again at the same address. No effect while it runs.
    public func start() throws {
        guard daemon == 0 else { return }
        unlink(socketPath)
        let ends = try channel()
        defer { close(ends[0]) }
        let arguments = [
            "dbus-daemon", "--nofork", "--nopidfile", "--nosyslog", "--config-file=" + directory + "/bus.conf",
            "--print-address=1",
        ]
        do {
            let log = open(directory + "/log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            defer { close(log) }
            daemon = try spawn(arguments, environment: nil, output: ends[1], errorOutput: log)
        } catch {
            close(ends[1])
            throw error
        }
        close(ends[1])
        // The address is printed when the socket listens.
        var poller = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
        var byte: UInt8 = 0
        guard poll(&poller, 1, 10_000) == 1, read(ends[0], &byte, 1) == 1 else {
            kill()
            throw Failure(description: "dbus-daemon does not start")
        }
        try watch()
    }

    /// Ends the daemon the way a session ends; returns when it is gone.
    public func stop() { end(SIGTERM) }

    /// Ends the daemon without a chance to say goodbye; returns when it is gone.
    public func kill() { end(SIGKILL) }

    /// Stops the daemon's work without closing anything: it accepts and never answers.
    public func freeze() { if daemon > 0 { Glibc.kill(daemon, SIGSTOP) } }

    /// Lets a frozen daemon go on.
    public func thaw() { if daemon > 0 { Glibc.kill(daemon, SIGCONT) } }

    private func end(_ signal: CInt) {
        if daemon > 0 {
            Glibc.kill(daemon, signal)
            if signal != SIGKILL { Glibc.kill(daemon, SIGCONT) }
            waitpid(daemon, nil, 0)
            daemon = 0
        }
        if let watchdog {
            Glibc.kill(watchdog.process, SIGKILL)
            waitpid(watchdog.process, nil, 0)
            close(watchdog.pipe)
            self.watchdog = nil
        }
    }

    /// A process that waits for the end of a pipe whose other end only this process holds, and then ends the daemon.
    private func watch() throws {
        let ends = try channel()
        defer { close(ends[0]) }
        let process = try spawn(
            ["sh", "-c", "read x; kill -9 \(daemon); rm -rf '\(directory)'"], environment: nil, input: ends[0])
        watchdog = (process, ends[1])
    }

    // MARK: Outside programs

    /// How a program ended.
    public struct Outcome: Sendable {
        public let status: CInt
        public let output: String
        public let errorOutput: String
    }

    /// Runs a program with this bus as its session bus and waits for its end, away from the main actor.
    ///
    /// - Parameter deadline: Afterwards the program is killed and its status is negative.
    public func run(_ arguments: [String], deadline: Duration = .seconds(30)) async throws -> Outcome {
        try await onAnotherThread { [addressText] in
            try PrivateBus.run(arguments, bus: addressText, deadline: deadline)
        }
    }

    private static func run(_ arguments: [String], bus: String, deadline: Duration) throws -> Outcome {
        var environment: [String] = []
        var entry = environ
        while let text = entry.pointee {
            let variable = String(cString: text)
            if !variable.hasPrefix("DBUS_SESSION_BUS_ADDRESS=") { environment.append(variable) }
            entry += 1
        }
        environment.append("DBUS_SESSION_BUS_ADDRESS=" + bus)
        let output = try channel()
        let errors = try channel()
        let process: pid_t
        do {
            defer {
                close(output[1])
                close(errors[1])
            }
            process = try spawn(arguments, environment: environment, output: output[1], errorOutput: errors[1])
        }
        let end = ContinuousClock.now + deadline
        var texts: [CInt: [UInt8]] = [output[0]: [], errors[0]: []]
        var open = [output[0], errors[0]]
        var isLate = false
        while !open.isEmpty {
            var pollers = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let left = (end - .now).components
            let milliseconds = max(0, left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000)
            guard poll(&pollers, nfds_t(pollers.count), CInt(milliseconds)) > 0 else {
                isLate = true
                break
            }
            for poller in pollers where poller.revents != 0 {
                var bytes = [UInt8](repeating: 0, count: 65536)
                let count = read(poller.fd, &bytes, bytes.count)
                if count > 0 { texts[poller.fd]! += bytes[..<count] } else { open.removeAll { $0 == poller.fd } }
            }
        }
        if isLate { Glibc.kill(process, SIGKILL) }
        var status: CInt = 0
        waitpid(process, &status, 0)
        close(output[0])
        close(errors[0])
        return Outcome(
            status: status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F),
            output: String(decoding: texts[output[0]]!, as: UTF8.self),
            errorOutput: String(decoding: texts[errors[0]]!, as: UTF8.self))
    }
}

private func write(_ text: String, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    let bytes = Array(text.utf8)
    guard descriptor >= 0, write(descriptor, bytes, bytes.count) == bytes.count else {
        throw PrivateBus.Failure(description: "\(path) cannot be written")
    }
    close(descriptor)
}

/// Two connected descriptors that no other child inherits. Sockets, for Swift's Glibc has no `pipe2`, and a pipe made
/// in two steps leaks into a program another test starts in between.
private func channel() throws -> [CInt] {
    var ends: [CInt] = [0, 0]
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw PrivateBus.Failure(description: "no descriptors left") }
    return ends
}

/// Starts a program found in PATH.
private func spawn(
    _ arguments: [String], environment: [String]?, input: CInt? = nil, output: CInt? = nil, errorOutput: CInt? = nil
) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (descriptor, target) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (errorOutput, STDERR_FILENO)] {
        if let descriptor { posix_spawn_file_actions_adddup2(&actions, descriptor, target) }
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A test runner's interrupt is for the runner; the daemon goes when its watchdog sees the runner gone.
    // Threads of Dispatch block every signal, and a child inherits that: the daemon would never hear of SIGTERM, nor
    // of the end of a service it has started.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
    let words = arguments.map { strdup($0) } + [nil]
    let variables = environment.map { $0.map { strdup($0) } + [nil] }
    defer {
        words.forEach { free($0) }
        variables?.forEach { free($0) }
    }
    var process: pid_t = 0
    let code =
        if let variables {
            posix_spawnp(&process, arguments[0], &actions, &attributes, words, variables)
        } else {
            posix_spawnp(&process, arguments[0], &actions, &attributes, words, environ)
        }
    guard code == 0 else {
        throw PrivateBus.Failure(description: "\(arguments[0]): \(String(cString: strerror(code)))")
    }
    return process
}
