// SPDX-License-Identifier: Apache-2.0
import CMartletDBus

@testable import MartletDBus

/// The bytes libdbus would send for a message.
func wireBytes(of message: BusMessage, serial: UInt32 = 1) throws -> [UInt8] {
    let raw = try message.encoded()
    dbus_message_set_serial(raw.pointer, serial)
    var bytes: UnsafeMutablePointer<CChar>?
    var count: CInt = 0
    guard dbus_message_marshal(raw.pointer, &bytes, &count) != 0 else { throw BusError.failed("marshal") }
    defer { dbus_free(bytes) }
    return bytes!.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
        Array(UnsafeBufferPointer(start: $0, count: Int(count)))
    }
}

/// The message in bytes; throws what libdbus finds wrong with them.
func message(fromWire bytes: [UInt8]) throws -> BusMessage? {
    var error = martlet_dbus_error()
    defer { dbus_error_free(&error) }
    let raw = bytes.withUnsafeBytes {
        dbus_message_demarshal($0.baseAddress!.assumingMemoryBound(to: CChar.self), CInt($0.count), &error)
    }
    guard let raw else {
        throw BusError(ErrorName(String(cString: error.name!))!, String(cString: error.message!))
    }
    return BusMessage(RawMessage(owning: raw))
}

/// A signal that carries the values.
func carrier(_ body: [BusValue]) -> BusMessage {
    .signal(path: "/a", interface: "org.martlet.Test", member: "Carry", body: body)
}

/// The values after a way over the wire, checked by libdbus as a receiver does.
func roundTrip(_ body: [BusValue]) throws -> [BusValue] {
    try message(fromWire: wireBytes(of: carrier(body)))!.body
}

/// The length of the body, which stands at the fifth byte of a little-endian message.
func bodyLength(_ wire: [UInt8]) -> Int {
    wire[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
}
