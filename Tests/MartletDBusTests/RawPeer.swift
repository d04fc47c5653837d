// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletDBus

/// A bare socket that speaks just enough of D-Bus's authentication to send bytes of its own choice afterwards.
final class RawPeer {
    let descriptor: CInt
    private var buffer: [UInt8] = []

    struct Closed: Error {}

    private init(_ descriptor: CInt) { self.descriptor = descriptor }
    deinit {
        // A program that another test starts at the wrong moment inherits the descriptor, and would keep it open.
        shutdown(descriptor, CInt(SHUT_RDWR))
        close(descriptor)
    }

    /// Connects to a bus daemon, authenticates and says hello.
    static func client(of path: String) throws -> RawPeer {
        let peer = RawPeer(socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        try withAddress(path) { guard connect(peer.descriptor, $0, $1) == 0 else { throw Closed() } }
        let identity = String(getuid()).utf8.map { String($0, radix: 16) }.joined()
        try peer.write(Array("\0AUTH EXTERNAL \(identity)\r\n".utf8))
        guard try peer.line().hasPrefix("OK ") else { throw Closed() }
        try peer.write(Array("BEGIN\r\n".utf8))
        try peer.write(
            wireBytes(
                of: .methodCall(
                    destination: .bus, path: "/org/freedesktop/DBus", interface: .bus, member: "Hello"), serial: 1))
        _ = try peer.message()
        return peer
    }

    /// Accepts one connection, lets it in, and answers its hello with the name `:1.1`.
    static func server(on listener: CInt, passesDescriptors: Bool = true) throws -> RawPeer {
        let peer = RawPeer(accept(listener, nil, nil))
        guard peer.descriptor >= 0 else { throw Closed() }
        // The NUL comes first; the rest is lines.
        while true {
            let line = try peer.line()
            if line.contains("AUTH EXTERNAL") {
                try peer.write(Array("OK 0123456789abcdef0123456789abcdef\r\n".utf8))
            } else if passesDescriptors, line.hasPrefix("NEGOTIATE_UNIX_FD") {
                try peer.write(Array("AGREE_UNIX_FD\r\n".utf8))
            } else if line.hasPrefix("BEGIN") {
                break
            } else {
                try peer.write(Array("ERROR\r\n".utf8))
            }
        }
        let hello = try peer.message()
        try peer.write(wireBytes(of: .reply(to: hello, body: [.string(":1.1")]), serial: 1))
        return peer
    }

    /// A socket that listens at a path.
    static func listener(at path: String) throws -> CInt {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        try withAddress(path) { guard bind(descriptor, $0, $1) == 0 else { throw Closed() } }
        guard listen(descriptor, 16) == 0 else { throw Closed() }
        return descriptor
    }

    /// Writes all of it; throws when the other side has closed.
    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress!, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Closed() }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads one message.
    func message() throws -> BusMessage {
        let head = try bytes(16)
        func number(_ offset: Int) -> Int { head[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int($1) } }
        let fields = (number(12) + 7) & ~7
        let wire = try head + bytes(fields + number(4))
        guard let message = try MartletDBusTests.message(fromWire: wire) else { throw Closed() }
        return message
    }

    /// Reads until the other side closes.
    func readToEnd() {
        var chunk = [UInt8](repeating: 0, count: 65536)
        while recv(descriptor, &chunk, chunk.count, 0) > 0 {}
    }

    /// Whether the other side has closed, as far as it is known without waiting. Throws away what has come.
    var isClosed: Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, CInt(MSG_DONTWAIT))
            if count == 0 { return true }
            if count < 0 { return errno != EAGAIN }
        }
    }

    private func line() throws -> String {
        var line: [UInt8] = []
        while line.suffix(2) != [13, 10] { line += try bytes(1) }
        return String(decoding: line.dropLast(2), as: UTF8.self)
    }

    private func bytes(_ count: Int) throws -> [UInt8] {
        while buffer.count < count {
            var chunk = [UInt8](repeating: 0, count: 4096)
            let got = recv(descriptor, &chunk, chunk.count, 0)
            guard got > 0 else { throw Closed() }
            buffer += chunk[..<got]
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }
}

private func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    try withUnsafePointer(to: &address) {
        try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            try body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}
