// SPDX-License-Identifier: Apache-2.0
internal import Glibc
public import MartletProtocol

/// What `martletd` reads before there is a service: its command line, its environment, its configuration.
public struct Startup: Sendable {
    public var options: Options
    public var configuration: Configuration
    public var configurationPath: String
    public var folders: Folders
    public var log: Log
    public var succession: Succession
    /// Where the program was started.
    public var workingDirectory: [UInt8]

    /// A start that ends here.
    public struct Ending: Error, Sendable {
        public var code: ServiceExit
        /// For standard output.
        public var output: String
        /// For standard error, without the program's name.
        public var complaint: String

        /// Says what is to be said and ends the process.
        public func leave() -> Never {
            try? Descriptor.write(Array(output.utf8), to: STDOUT_FILENO)
            if !complaint.isEmpty {
                try? Descriptor.write(Array("martletd: \(complaint)\n".utf8), to: STDERR_FILENO)
            }
            code.leave()
        }
    }

    /// Reads everything.
    ///
    /// - Throws: ``Ending`` for `--help` and its like, and for what cannot be meant.
    public init(arguments: [[UInt8]], environment: [String: String]) throws(Ending) {
        do throws(Options.Mistake) {
            options = try Options(arguments: arguments)
        } catch {
            throw Ending(code: .usage, output: "", complaint: error.message)
        }
        switch options.request {
        case .help: throw Ending(code: .clean, output: Options.help, complaint: "")
        case .version: throw Ending(code: .clean, output: "martletd \(martletVersion)\n", complaint: "")
        case .serve, .printConfiguration: break
        }
        folders = Folders(environment: environment)
        succession = Succession(options: options.lasting, environment: environment)
        configurationPath = options.configurationPath ?? folders.configuration + "/martlet.conf"
        configuration = Configuration()
        var warnings: [ConfigurationFile.Warning] = []
        do throws(SystemError) {
            let bytes = try AtomicFile.read(Array(configurationPath.utf8), limit: 1 << 20)
            warnings = ConfigurationFile.read(String(decoding: bytes, as: UTF8.self), into: &configuration)
        } catch {
            // The user's own file may be absent; one that was named may not.
            guard error.code == ENOENT, options.configurationPath == nil else {
                throw Ending(
                    code: .usage, output: "",
                    complaint: tr("cannot read the configuration {0}: {1}", configurationPath, error.reason))
            }
        }
        if let sink = options.sink { configuration.sink = sink }
        if let level = options.logLevel { configuration.logLevel = level }
        log = Log(level: configuration.logLevel, hasJournal: environment["JOURNAL_STREAM"] != nil)
        for warning in warnings { log.warning("\(configurationPath):\(warning.line): \(warning.message)") }
        if options.request == .printConfiguration {
            throw Ending(code: .clean, output: ConfigurationFile.text(of: configuration), complaint: "")
        }
        workingDirectory = Startup.currentDirectory()
    }

    private static func currentDirectory() -> [UInt8] {
        guard let path = unsafe getcwd(nil, 0) else { return [] }
        defer { unsafe free(path) }
        return unsafe Array(UnsafeBufferPointer(start: path, count: strlen(path))).map { UInt8(bitPattern: $0) }
    }

    /// The program's arguments without its name, as bytes.
    public static func arguments() -> [[UInt8]] {
        (1..<max(Int(CommandLine.argc), 1)).compactMap { index in
            guard let argument = unsafe CommandLine.unsafeArgv[index] else { return nil }
            return unsafe Array(UnsafeBufferPointer(start: argument, count: strlen(argument)))
                .map { UInt8(bitPattern: $0) }
        }
    }

    /// The variables that matter here.
    public static func environment() -> [String: String] {
        var result: [String: String] = [:]
        for name in [
            "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "JOURNAL_STREAM",
            "SYSTEMD_EXEC_PID",
        ] {
            if let value = unsafe getenv(name) { result[name] = unsafe String(cString: value) }
        }
        return result
    }
}

extension ServiceExit {
    /// Ends the process with this code.
    public func leave() -> Never {
        exit(rawValue)
    }
}
