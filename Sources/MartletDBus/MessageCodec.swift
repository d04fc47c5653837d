// SPDX-License-Identifier: Apache-2.0
internal import CMartletDBus
internal import Glibc

/// Messages between libdbus' form and ours.
///
/// Everything libdbus would abort on is unreachable here: names, paths and signatures are valid by type, NULs are replaced,
/// depth and size are checked before the first append.
enum MessageCodec {
    /// A new libdbus message; the caller unreferences it.
    ///
    /// - Throws: `LimitsExceeded` for a body D-Bus cannot carry, `InvalidArgs` for values that do not fit their types.
    static func encode(_ message: BusMessage) throws(BusError) -> OpaquePointer {
        for value in message.body { try check(value, depth: 0) }
        let type: Int32 =
            switch message.kind {
            case .methodCall: DBUS_MESSAGE_TYPE_METHOD_CALL
            case .methodReturn: DBUS_MESSAGE_TYPE_METHOD_RETURN
            case .error: DBUS_MESSAGE_TYPE_ERROR
            case .signal: DBUS_MESSAGE_TYPE_SIGNAL
            }
        guard let raw = unsafe dbus_message_new(type) else { throw outOfMemory }
        do throws(BusError) {
            unsafe try encodeHeader(of: message, into: raw)
            guard !message.body.isEmpty else { return unsafe raw }
            var iterator = unsafe DBusMessageIter()
            unsafe dbus_message_iter_init_append(raw, &iterator)
            for value in message.body {
                guard unsafe append(value, &iterator) else { throw outOfMemory }
            }
        } catch {
            unsafe dbus_message_unref(raw)
            throw error
        }
        return unsafe raw
    }

    private static let outOfMemory = BusError(name: .noMemory, message: "out of memory")

    private static func encodeHeader(of message: BusMessage, into raw: OpaquePointer) throws(BusError) {
        var isDone = true
        if let path = message.path { isDone = unsafe dbus_message_set_path(raw, path.description) != 0 && isDone }
        if let interface = message.interface {
            isDone = unsafe dbus_message_set_interface(raw, interface.description) != 0 && isDone
        }
        if let member = message.member {
            isDone = unsafe dbus_message_set_member(raw, member.description) != 0 && isDone
        }
        if let name = message.errorName {
            isDone = unsafe dbus_message_set_error_name(raw, name.description) != 0 && isDone
        }
        if let destination = message.destination {
            isDone = unsafe dbus_message_set_destination(raw, destination.description) != 0 && isDone
        }
        if let serial = message.replySerial {
            isDone = unsafe dbus_message_set_reply_serial(raw, serial) != 0 && isDone
        }
        guard isDone else { throw outOfMemory }
        unsafe dbus_message_set_no_reply(raw, message.isReplyUnwanted ? 1 : 0)
        unsafe dbus_message_set_auto_start(raw, message.preventsAutoStart ? 0 : 1)
        unsafe dbus_message_set_allow_interactive_authorization(raw, message.allowsInteraction ? 1 : 0)
    }

    /// R151: at most 32 arrays and 32 structures deep, 64 in all with variants; arrays of at most 64 MiB.
    private static func check(_ value: BusValue, depth: Int) throws(BusError) {
        guard depth < 60 else { throw BusError(name: .limitsExceeded, message: "a value is nested too deeply") }
        switch value {
        case .array(let element, let values):
            guard values.count <= 1 << 23 else {
                throw BusError(name: .limitsExceeded, message: "an array is too long")
            }
            if element == .byte || element == .string, values.allSatisfy({ $0.type == element }) { return }
            for value in values {
                guard value.type == element else {
                    throw BusError(name: .invalidArgs, message: "an array of \(element) holds a \(value.type)")
                }
                try check(value, depth: depth + 1)
            }
        case .dictionary(let dictionary):
            for (key, value) in dictionary.entries {
                guard key.type == dictionary.keyType, value.type == dictionary.valueType else {
                    throw BusError(name: .invalidArgs, message: "an entry does not fit its dictionary")
                }
                try check(value, depth: depth + 1)
            }
        case .structure(let members):
            guard !members.isEmpty else {
                throw BusError(name: .invalidArgs, message: "a structure has at least one member")
            }
            for member in members { try check(member, depth: depth + 1) }
        case .variant(let inner):
            try check(inner, depth: depth + 1)
        default:
            break
        }
    }

    @unsafe
    private static func append(_ value: BusValue, _ iterator: inout DBusMessageIter) -> Bool {
        func basic<Value: BitwiseCopyable>(_ value: Value) -> Bool {
            var value = value
            return unsafe dbus_message_iter_append_basic(&iterator, Int32(code), &value) != 0
        }
        let code = value.type.code
        switch value {
        case .byte(let value): return basic(value)
        case .boolean(let value): return basic(UInt32(value ? 1 : 0))
        case .int16(let value): return basic(value)
        case .uint16(let value): return basic(value)
        case .int32(let value): return basic(value)
        case .uint32(let value): return basic(value)
        case .int64(let value): return basic(value)
        case .uint64(let value): return basic(value)
        case .double(let value): return basic(value)
        case .fileDescriptor(let value): return basic(value.rawValue)
        case .string(let value): return unsafe appendText(value, code, &iterator)
        case .objectPath(let value): return unsafe appendText(value.description, code, &iterator)
        case .signature(let value): return unsafe appendText(value.description, code, &iterator)
        case .array(.byte, let values):
            return unsafe appendContainer(code, "y", &iterator) { inner in
                let bytes = values.compactMap(\.byte)
                return unsafe bytes.withUnsafeBufferPointer { buffer in
                    guard var base = buffer.baseAddress else { return true }
                    return unsafe dbus_message_iter_append_fixed_array(
                        &inner, Int32(UInt8(ascii: "y")), &base, Int32(buffer.count)) != 0
                }
            }
        case .array(let element, let values):
            return unsafe appendContainer(code, element.description, &iterator) { inner in
                for value in values where !(unsafe append(value, &inner)) { return false }
                return true
            }
        case .dictionary(let dictionary):
            return unsafe appendContainer(
                code, "{\(dictionary.keyType)\(dictionary.valueType)}", &iterator
            ) { inner in
                for (key, value) in dictionary.entries {
                    let isDone = unsafe appendContainer(UInt8(ascii: "e"), nil, &inner) { entry in
                        unsafe append(key, &entry) && append(value, &entry)
                    }
                    guard isDone else { return false }
                }
                return true
            }
        case .structure(let members):
            return unsafe appendContainer(code, nil, &iterator) { inner in
                for member in members where !(unsafe append(member, &inner)) { return false }
                return true
            }
        case .variant(let value):
            return unsafe appendContainer(code, value.type.description, &iterator) { inner in
                unsafe append(value, &inner)
            }
        }
    }

    @unsafe
    private static func appendText(_ text: String, _ code: UInt8, _ iterator: inout DBusMessageIter) -> Bool {
        // R147: one NUL would cost the connection.
        let valid =
            text.utf8.contains(0)
            ? String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 })) : text
        return unsafe valid.withCString { pointer in
            var pointer: UnsafePointer<CChar>? = unsafe pointer
            return unsafe dbus_message_iter_append_basic(&iterator, Int32(code), &pointer) != 0
        }
    }

    @unsafe
    private static func appendContainer(
        _ code: UInt8, _ signature: String?, _ iterator: inout DBusMessageIter, _ body: (inout DBusMessageIter) -> Bool
    ) -> Bool {
        var inner = unsafe DBusMessageIter()
        guard unsafe dbus_message_iter_open_container(&iterator, Int32(code), signature, &inner) != 0 else {
            return false
        }
        guard unsafe body(&inner) else {
            unsafe dbus_message_iter_abandon_container(&iterator, &inner)
            return false
        }
        return unsafe dbus_message_iter_close_container(&iterator, &inner) != 0
    }

    // MARK: Decoding

    /// Our form of a message libdbus has validated; `nil` for a kind we do not know.
    static func decode(_ raw: OpaquePointer) -> BusMessage? {
        let kind: BusMessage.Kind
        switch unsafe dbus_message_get_type(raw) {
        case DBUS_MESSAGE_TYPE_METHOD_CALL: kind = .methodCall
        case DBUS_MESSAGE_TYPE_METHOD_RETURN: kind = .methodReturn
        case DBUS_MESSAGE_TYPE_ERROR: kind = .error
        case DBUS_MESSAGE_TYPE_SIGNAL: kind = .signal
        default: return nil
        }
        var message = BusMessage(kind: kind, body: [])
        message.path = unsafe text(dbus_message_get_path(raw)).flatMap { ObjectPath($0) }
        message.interface = unsafe text(dbus_message_get_interface(raw)).flatMap { InterfaceName($0) }
        message.member = unsafe text(dbus_message_get_member(raw)).flatMap { MemberName($0) }
        message.errorName = unsafe text(dbus_message_get_error_name(raw)).flatMap { ErrorName($0) }
        message.destination = unsafe text(dbus_message_get_destination(raw)).flatMap { BusName($0) }
        message.sender = unsafe text(dbus_message_get_sender(raw)).flatMap { BusName($0) }
        message.serial = unsafe dbus_message_get_serial(raw)
        let replySerial = unsafe dbus_message_get_reply_serial(raw)
        message.replySerial = replySerial == 0 ? nil : replySerial
        message.isReplyUnwanted = unsafe dbus_message_get_no_reply(raw) != 0
        message.preventsAutoStart = unsafe dbus_message_get_auto_start(raw) == 0
        message.allowsInteraction = unsafe dbus_message_get_allow_interactive_authorization(raw) != 0
        var iterator = unsafe DBusMessageIter()
        if unsafe dbus_message_iter_init(raw, &iterator) != 0 {
            message.body = unsafe values(&iterator)
        }
        return message
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        unsafe pointer.map { unsafe String(cString: $0) }
    }

    @unsafe
    private static func values(_ iterator: inout DBusMessageIter) -> [BusValue] {
        var values: [BusValue] = []
        while unsafe dbus_message_iter_get_arg_type(&iterator) != 0 {
            if let value = unsafe value(&iterator) { values.append(value) }
            unsafe dbus_message_iter_next(&iterator)
        }
        return values
    }

    @unsafe
    private static func value(_ iterator: inout DBusMessageIter) -> BusValue? {
        func basic<Value: BitwiseCopyable>(_ start: Value) -> Value {
            var value = start
            unsafe dbus_message_iter_get_basic(&iterator, &value)
            return value
        }
        func text() -> String {
            var pointer: UnsafePointer<CChar>?
            unsafe dbus_message_iter_get_basic(&iterator, &pointer)
            return unsafe pointer.map { unsafe String(cString: $0) } ?? ""
        }
        let code = UInt8(truncatingIfNeeded: unsafe dbus_message_iter_get_arg_type(&iterator))
        switch code {
        case UInt8(ascii: "y"): return .byte(basic(0))
        case UInt8(ascii: "b"): return .boolean(basic(UInt32(0)) != 0)
        case UInt8(ascii: "n"): return .int16(basic(0))
        case UInt8(ascii: "q"): return .uint16(basic(0))
        case UInt8(ascii: "i"): return .int32(basic(0))
        case UInt8(ascii: "u"): return .uint32(basic(0))
        case UInt8(ascii: "x"): return .int64(basic(0))
        case UInt8(ascii: "t"): return .uint64(basic(0))
        case UInt8(ascii: "d"): return .double(basic(0))
        case UInt8(ascii: "h"):
            // libdbus hands out a duplicate that is ours to close.
            let descriptor: Int32 = basic(-1)
            return descriptor < 0 ? nil : .fileDescriptor(BusFileDescriptor(owning: descriptor))
        case UInt8(ascii: "s"): return .string(text())
        case UInt8(ascii: "o"): return ObjectPath(text()).map { .objectPath($0) }
        case UInt8(ascii: "g"): return BusSignature(text()).map { .signature($0) }
        case UInt8(ascii: "v"):
            var inner = unsafe DBusMessageIter()
            unsafe dbus_message_iter_recurse(&iterator, &inner)
            return unsafe value(&inner).map { .variant($0) }
        case UInt8(ascii: "r"):
            var inner = unsafe DBusMessageIter()
            unsafe dbus_message_iter_recurse(&iterator, &inner)
            return .structure(unsafe values(&inner))
        case UInt8(ascii: "a"):
            return unsafe container(&iterator)
        default:
            return nil
        }
    }

    @unsafe
    private static func container(_ iterator: inout DBusMessageIter) -> BusValue? {
        var inner = unsafe DBusMessageIter()
        unsafe dbus_message_iter_recurse(&iterator, &inner)
        guard let signature = unsafe dbus_message_iter_get_signature(&iterator) else { return nil }
        let type = unsafe BusType(String(cString: signature))
        unsafe dbus_free(signature)
        switch type {
        case .array(.byte):
            var start: UnsafePointer<UInt8>?
            var count: Int32 = 0
            unsafe dbus_message_iter_get_fixed_array(&inner, &start, &count)
            guard let start = unsafe start, count > 0 else { return .array(.byte, []) }
            return unsafe .bytes(Array(UnsafeBufferPointer(start: start, count: Int(count))))
        case .array(let element):
            return .array(element, unsafe values(&inner))
        case .dictionary(let key, let value):
            var entries: [(BusValue, BusValue)] = []
            while unsafe dbus_message_iter_get_arg_type(&inner) != 0 {
                var entry = unsafe DBusMessageIter()
                unsafe dbus_message_iter_recurse(&inner, &entry)
                let pair = unsafe values(&entry)
                if pair.count == 2 { entries.append((pair[0], pair[1])) }
                unsafe dbus_message_iter_next(&inner)
            }
            return .dictionary(BusDictionary(keyType: key, valueType: value, entries: entries))
        default:
            return nil
        }
    }
}
