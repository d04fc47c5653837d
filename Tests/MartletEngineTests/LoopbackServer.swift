// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletCore
import Synchronization

/// An HTTP server on the loopback interface that serves one body, well or badly.
final class LoopbackServer: Sendable {
    enum Behaviour: Sendable {
        /// Answers ranges too.
        case serve([UInt8], type: String = "audio/x-wav")
        /// Accepts and never answers.
        case hang
        /// Answers with this status and nothing else.
        case status(Int)
        /// Sends the head and the given bytes, promises `promised`, and then neither sends nor closes.
        case stall([UInt8], promised: Int, type: String)
        /// Sends the given bytes, promises more, and closes.
        case cut([UInt8], promised: Int, type: String)
        /// Serves like `serve`, but the first connection breaks after so many bytes of the body, as a changed network does.
        case breaking([UInt8], after: Int, type: String)
        /// Sends the body without a length, and closes: a stream that tells its titles in its own way.
        case stream([UInt8], type: String)
        /// A station: no length, a title every `interval` bytes, the body over and over, at the pace it is read.
        case radio([UInt8], interval: Int, titles: [String], name: String)
    }

    private let listener: CInt
    private let port: UInt16
    private let behaviour: Behaviour
    private let state = Mutex(State())

    private struct State {
        var connections: [CInt] = []
        var requests: [String] = []
    }

    init(_ behaviour: Behaviour) {
        self.behaviour = behaviour
        listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        port = withUnsafeMutablePointer(to: &address) { [listener] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                guard bind(listener, $0, size) == 0, listen(listener, 16) == 0 else { fatalError("bind: \(errno)") }
                getsockname(listener, $0, &size)
            }
            return UInt16(bigEndian: pointer.pointee.sin_port)
        }
        var thread = pthread_t()
        pthread_create(&thread, nil, acceptConnections, Unmanaged.passRetained(self).toOpaque())
        pthread_detach(thread)
    }

    /// Closes the door and every connection; the thread that serves ends.
    func close() {
        shutdown(listener, CInt(SHUT_RDWR))
        state.withLock { for connection in $0.connections { shutdown(connection, CInt(SHUT_RDWR)) } }
    }

    func uri(_ name: String = "sound") -> MediaURI { MediaURI("http://127.0.0.1:\(port)/\(name)")! }

    /// The heads of all requests so far.
    var requests: [String] { state.withLock { $0.requests } }

    fileprivate func run() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            state.withLock { $0.connections.append(connection) }
            let work = Work(server: self, connection: connection)
            var thread = pthread_t()
            pthread_create(&thread, nil, answerConnection, Unmanaged.passRetained(work).toOpaque())
            pthread_detach(thread)
        }
    }

    fileprivate func answer(_ connection: CInt) {
        while let head = readHead(connection) {
            state.withLock { $0.requests.append(head) }
            guard answer(head, on: connection) else { break }
        }
        shutdown(connection, CInt(SHUT_RDWR))
    }

    /// Whether the connection is still of use.
    private func answer(_ head: String, on connection: CInt) -> Bool {
        switch behaviour {
        case .hang:
            waitForClose(connection)
            return false
        case .status(let code):
            return send("HTTP/1.1 \(code) No\r\nContent-Length: 0\r\n\r\n", connection)
        case .serve(let body, let type):
            return serve(body, type, head, connection)
        case .breaking(let body, let limit, let type):
            let isFirst = state.withLock { $0.requests.count == 1 }
            guard isFirst else { return serve(body, type, head, connection) }
            _ = send(
                "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nAccept-Ranges: bytes\r\n"
                    + "Content-Length: \(body.count)\r\n\r\n", connection)
            _ = send(Array(body.prefix(limit)), connection)
            return false
        case .stream(let body, let type):
            _ = send("HTTP/1.0 200 OK\r\nContent-Type: \(type)\r\n\r\n", connection) && send(body, connection)
            return false
        case .stall(let body, let promised, let type), .cut(let body, let promised, let type):
            guard
                send("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(promised)\r\n\r\n", connection),
                send(body, connection)
            else { return false }
            if case .stall = behaviour { waitForClose(connection) }
            return false
        case .radio(let body, let interval, let titles, let name):
            guard
                send(
                    "HTTP/1.0 200 OK\r\nContent-Type: audio/mpeg\r\nicy-name: \(name)\r\nicy-genre: Test\r\n"
                        + "icy-metaint: \(interval)\r\n\r\n", connection)
            else { return false }
            var offset = 0
            var turn = 0
            while true {
                let chunk = (0..<interval).map { body[(offset + $0) % body.count] }
                offset += interval
                var text = Array("StreamTitle='\(titles[min(turn, titles.count - 1)])';".utf8)
                turn += 1
                let blocks = (text.count + 15) / 16
                text += [UInt8](repeating: 0, count: blocks * 16 - text.count)
                guard send(chunk + [UInt8(blocks)] + text, connection) else { return false }
            }
        }
    }

    private func serve(_ body: [UInt8], _ type: String, _ head: String, _ connection: CInt) -> Bool {
        let start = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("range: bytes=") }
            .flatMap { Int($0.dropFirst(13).prefix { $0.isNumber }) }
        let part = body[min(start ?? 0, body.count)...]
        let status = start == nil ? "200 OK" : "206 Partial Content"
        let range = start == nil ? "" : "Content-Range: bytes \(start!)-\(body.count - 1)/\(body.count)\r\n"
        return send(
            "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nAccept-Ranges: bytes\r\n"
                + "Content-Length: \(part.count)\r\n\(range)\r\n", connection)
            && send(Array(part), connection)
    }

    private func readHead(_ connection: CInt) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) == 1 {
            bytes.append(byte)
            if bytes.suffix(4) == Array("\r\n\r\n".utf8) { return String(decoding: bytes, as: UTF8.self) }
        }
        return nil
    }

    private func waitForClose(_ connection: CInt) {
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) > 0 {}
    }

    private func send(_ text: String, _ connection: CInt) -> Bool { send(Array(text.utf8), connection) }

    private func send(_ bytes: [UInt8], _ connection: CInt) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

private final class Work: Sendable {
    let server: LoopbackServer
    let connection: CInt

    init(server: LoopbackServer, connection: CInt) {
        self.server = server
        self.connection = connection
    }
}

private nonisolated func acceptConnections(_ data: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    Unmanaged<LoopbackServer>.fromOpaque(data!).takeRetainedValue().run()
    return nil
}

private nonisolated func answerConnection(_ data: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    let work = Unmanaged<Work>.fromOpaque(data!).takeRetainedValue()
    work.server.answer(work.connection)
    return nil
}
