// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletEngine
import MartletTestSupport

/// A private PulseAudio with one null sink, and a way to look at what reaches it.
final class SoundServer: Sendable {
    let directory: ScratchDirectory
    private let process: Process

    /// Starts the server and waits until it takes connections.
    init(in directory: ScratchDirectory) throws {
        self.directory = directory
        process = try Process(
            [
                "pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1",
                "-L", "module-null-sink sink_name=null rate=44100 channels=2",
                "-L", "module-native-protocol-unix socket=\(directory.path)/native auth-anonymous=1",
            ], home: directory.path)
        let path = directory.path + "/native"
        let end = ContinuousClock.now + .seconds(10)
        while access(path, F_OK) != 0 {
            guard ContinuousClock.now < end else { throw ScratchError(call: "pulseaudio", code: ETIMEDOUT) }
            sched_yield()
        }
    }

    deinit { stop() }

    var address: String { "unix:\(directory.path)/native" }

    /// Ends the server at once, as a crash would.
    func stop() {
        process.end()
        unlink(directory.path + "/native")
    }

    /// Makes the server stand still, as a hung one would; ``resume()`` wakes it.
    func freeze() { process.send(SIGSTOP) }

    func resume() { process.send(SIGCONT) }

    /// What `pactl` prints.
    func ask(_ command: String) throws -> String {
        let output = directory.path + "/answer.txt"
        try Tool.run(["sh", "-c", "LC_ALL=C pactl -s \(address) \(command) > \(output)"])
        return try String(decoding: ScratchDirectory.read(output), as: UTF8.self)
    }

    /// Records what the null sink plays, into a file of 16-bit samples that grows until ``Process/end()``.
    func record(to path: String) throws -> Process {
        try Process(
            [
                "parec", "-s", address, "--device=null.monitor", "--raw", "--latency-msec=5", "--rate=44100",
                "--channels=2", "--format=s16le", path,
            ], home: directory.path)
    }
}

/// A program that runs beside a test.
final class Process: Sendable {
    private let identifier: pid_t

    init(_ command: [String], home: String) throws {
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
        arguments.append(nil)
        let variables = ["HOME=\(home)", "XDG_RUNTIME_DIR=\(home)", "PATH=/usr/bin:/bin", "LC_ALL=C"]
        var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) }
        environment.append(nil)
        defer { for text in arguments + environment { free(text) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in CInt(1)...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        var process: pid_t = 0
        let result = posix_spawnp(&process, command[0], &actions, nil, &arguments, &environment)
        guard result == 0 else { throw ScratchError(call: command[0], code: result) }
        identifier = process
    }

    deinit { end() }

    func send(_ signal: CInt) {
        kill(identifier, signal)
    }

    func end() {
        kill(identifier, SIGKILL)
        var status: CInt = 0
        waitpid(identifier, &status, 0)
    }
}
