// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletTestSupport

/// A directory of one test, gone with the value.
final class TestFolder {
    let path: String

    init() {
        var name = Array("/tmp/martlet-tags-XXXXXX".utf8CString)
        precondition(mkdtemp(&name) != nil, "no temporary directory")
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        Tool.run("rm", "-rf", path)
    }

    /// Writes a file and returns the bytes of its path.
    func file(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
        file(Array(name.utf8), bytes)
    }

    func file(_ name: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        let path = Array(self.path.utf8) + [0x2F] + name
        let descriptor = (path + [0]).withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { open($0.baseAddress!, O_WRONLY | O_CREAT | O_TRUNC, 0o600) }
        }
        precondition(descriptor >= 0, "cannot write into \(self.path)")
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + written, $0.count - written) }
            precondition(count > 0, "disk full")
            written += count
        }
        return path
    }

    func bytes(of name: String) -> [UInt8] {
        Tool.contents("\(path)/\(name)")
    }
}

enum Tool {
    /// Runs a program and waits; traps if it fails, because then the test has nothing to read.
    static func run(_ arguments: String...) {
        run(arguments)
    }

    static func run(_ arguments: [String]) {
        do { try MartletTestSupport.Tool.run(arguments) } catch { preconditionFailure("\(error)") }
    }

    static func contents(_ path: String) -> [UInt8] {
        let descriptor = open(path, O_RDONLY)
        precondition(descriptor >= 0, "no file \(path)")
        defer { close(descriptor) }
        var all: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &block, block.count)
            if count <= 0 { return all }
            all += block[..<count]
        }
    }
}
