// SPDX-License-Identifier: Apache-2.0
internal import CMartletDBus

/// A message of libdbus, owned. Safe because the pointer is valid as long as this value lives.
@safe struct RawMessage: ~Copyable {
    let pointer: OpaquePointer

    /// Takes over a reference.
    init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe dbus_message_unref(pointer) }
}

extension BusMessage {
    /// The message as libdbus holds it, ready to be sent.
    ///
    /// - Throws: `LimitsExceeded` or `InvalidArgs` when the values cannot be sent, `Failed` when memory or
    ///   descriptors are exhausted.
    func encoded() throws(BusError) -> RawMessage {
        var layout = BodyLayout()
        try layout.add(body)
        let type =
            switch kind {
            case .methodCall: DBUS_MESSAGE_TYPE_METHOD_CALL
            case .methodReturn: DBUS_MESSAGE_TYPE_METHOD_RETURN
            case .error: DBUS_MESSAGE_TYPE_ERROR
            case .signal: DBUS_MESSAGE_TYPE_SIGNAL
            }
        guard let pointer = unsafe dbus_message_new(type) else { throw BusMessage.exhausted }
        let raw = unsafe RawMessage(owning: pointer)
        guard unsafe setHeader(pointer) else { throw BusMessage.exhausted }
        if !body.isEmpty {
            var iterator = unsafe martlet_dbus_iter()
            unsafe dbus_message_iter_init_append(pointer, &iterator)
            for value in body {
                guard unsafe append(value, to: &iterator) else { throw BusMessage.exhausted }
            }
        }
        return raw
    }

    private static let exhausted = BusError(.noMemory, "No memory or no file descriptor is left for a message.")

    private func setHeader(_ raw: OpaquePointer) -> Bool {
        var isComplete: dbus_bool_t = 1
        if let path { isComplete &= unsafe dbus_message_set_path(raw, path.string) }
        if let interface { isComplete &= unsafe dbus_message_set_interface(raw, interface.string) }
        if let member { isComplete &= unsafe dbus_message_set_member(raw, member.string) }
        if let destination { isComplete &= unsafe dbus_message_set_destination(raw, destination.string) }
        if let errorName { isComplete &= unsafe dbus_message_set_error_name(raw, errorName.string) }
        if replySerial != 0 { isComplete &= unsafe dbus_message_set_reply_serial(raw, replySerial) }
        if flags.contains(.noReply) { unsafe dbus_message_set_no_reply(raw, 1) }
        if flags.contains(.noAutoStart) { unsafe dbus_message_set_auto_start(raw, 0) }
        if flags.contains(.allowInteractive) { unsafe dbus_message_set_allow_interactive_authorization(raw, 1) }
        return isComplete != 0
    }

    /// The message libdbus has received; `nil` for one of a type the specification does not know, which is to be
    /// ignored.
    init?(_ raw: borrowing RawMessage) {
        let pointer = unsafe raw.pointer
        switch unsafe dbus_message_get_type(pointer) {
        case DBUS_MESSAGE_TYPE_METHOD_CALL: kind = .methodCall
        case DBUS_MESSAGE_TYPE_METHOD_RETURN: kind = .methodReturn
        case DBUS_MESSAGE_TYPE_ERROR: kind = .error
        case DBUS_MESSAGE_TYPE_SIGNAL: kind = .signal
        default: return nil
        }
        flags = []
        if unsafe dbus_message_get_no_reply(pointer) != 0 { flags.insert(.noReply) }
        if unsafe dbus_message_get_auto_start(pointer) == 0 { flags.insert(.noAutoStart) }
        if unsafe dbus_message_get_allow_interactive_authorization(pointer) != 0 { flags.insert(.allowInteractive) }
        serial = unsafe dbus_message_get_serial(pointer)
        replySerial = unsafe dbus_message_get_reply_serial(pointer)
        destination = unsafe dbus_message_get_destination(pointer).map {
            BusName(validated: unsafe String(cString: $0))
        }
        sender = unsafe dbus_message_get_sender(pointer).map { BusName(validated: unsafe String(cString: $0)) }
        path = unsafe dbus_message_get_path(pointer).map { ObjectPath(validated: unsafe String(cString: $0)) }
        interface = unsafe dbus_message_get_interface(pointer).map {
            InterfaceName(validated: unsafe String(cString: $0))
        }
        member = unsafe dbus_message_get_member(pointer).map { MemberName(validated: unsafe String(cString: $0)) }
        errorName = unsafe dbus_message_get_error_name(pointer).map { ErrorName(validated: unsafe String(cString: $0)) }
        signature = BusSignature(
            validated: unsafe dbus_message_get_signature(pointer).map { unsafe String(cString: $0) } ?? "")
        body = []
        var iterator = unsafe martlet_dbus_iter()
        guard unsafe dbus_message_iter_init(pointer, &iterator) != 0 else { return }
        unsafe decodeAll(&iterator, into: &body)
    }
}

private typealias Iterator = UnsafeMutablePointer<DBusMessageIter>

// MARK: - Writing

/// Appends a value that ``BodyLayout`` has passed. `false` when memory or descriptors are exhausted; the message is
/// then thrown away with its open containers.
private func append(_ value: BusValue, to iterator: Iterator) -> Bool {
    switch value {
    case .byte(let value): return unsafe append(value, TypeCode.byte, iterator)
    case .boolean(let value): return unsafe append(dbus_bool_t(value ? 1 : 0), TypeCode.boolean, iterator)
    case .int16(let value): return unsafe append(value, TypeCode.int16, iterator)
    case .uint16(let value): return unsafe append(value, TypeCode.uint16, iterator)
    case .int32(let value): return unsafe append(value, TypeCode.int32, iterator)
    case .uint32(let value): return unsafe append(value, TypeCode.uint32, iterator)
    case .int64(let value): return unsafe append(value, TypeCode.int64, iterator)
    case .uint64(let value): return unsafe append(value, TypeCode.uint64, iterator)
    case .double(let value): return unsafe append(value, TypeCode.double, iterator)
    case .fileDescriptor(let value): return unsafe append(value.rawValue, TypeCode.fileDescriptor, iterator)
    case .string(let value): return unsafe append(text: value.withoutNUL, TypeCode.string, iterator)
    case .objectPath(let value): return unsafe append(text: value.string, TypeCode.objectPath, iterator)
    case .signature(let value): return unsafe append(text: value.string, TypeCode.signature, iterator)
    case .variant(let inner):
        return unsafe container(TypeCode.variant, inner.signatureText, iterator) { unsafe append(inner, to: $0) }
    case .structure(let fields):
        return unsafe container(TypeCode.structure, nil, iterator) { inside in
            for field in fields { guard unsafe append(field, to: inside) else { return false } }
            return true
        }
    case .array(let elements, let type):
        return unsafe container(TypeCode.array, type.string, iterator) { inside in
            if type == .byte { return unsafe append(bytes: elements, inside) }
            for element in elements { guard unsafe append(element, to: inside) else { return false } }
            return true
        }
    case .dictionary(let dictionary):
        let text = dictionary.signatureText
        let signature = text == "a{sv}" ? "{sv}" : String(text.dropFirst())
        return unsafe container(TypeCode.array, signature, iterator) { inside in
            for entry in dictionary.entries {
                let isWritten = unsafe container(TypeCode.dictEntry, nil, inside) {
                    unsafe append(entry.key, to: $0) && append(entry.value, to: $0)
                }
                guard isWritten else { return false }
            }
            return true
        }
    }
}

private func append<Fixed>(_ value: Fixed, _ code: UInt8, _ iterator: Iterator) -> Bool {
    unsafe withUnsafePointer(to: value) { unsafe dbus_message_iter_append_basic(iterator, Int32(code), $0) } != 0
}

private func append(text: String, _ code: UInt8, _ iterator: Iterator) -> Bool {
    unsafe text.withCString { text in
        unsafe withUnsafePointer(to: text) { unsafe dbus_message_iter_append_basic(iterator, Int32(code), $0) } != 0
    }
}

private func append(bytes elements: [BusValue], _ iterator: Iterator) -> Bool {
    let bytes = elements.map { if case .byte(let byte) = $0 { byte } else { UInt8(0) } }
    return unsafe bytes.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress, buffer.count > 0 else { return true }
        return unsafe withUnsafePointer(to: base) {
            unsafe dbus_message_iter_append_fixed_array(iterator, Int32(TypeCode.byte), $0, Int32(buffer.count))
        } != 0
    }
}

private func container(
    _ code: UInt8, _ signature: String?, _ iterator: Iterator, _ fill: (Iterator) -> Bool
) -> Bool {
    var inside = unsafe martlet_dbus_iter()
    let isOpen =
        if let signature {
            unsafe signature.withCString { unsafe dbus_message_iter_open_container(iterator, Int32(code), $0, &inside) }
        } else {
            unsafe dbus_message_iter_open_container(iterator, Int32(code), nil, &inside)
        }
    guard isOpen != 0 else { return false }
    guard unsafe fill(&inside) else {
        unsafe dbus_message_iter_abandon_container(iterator, &inside)
        return false
    }
    return unsafe dbus_message_iter_close_container(iterator, &inside) != 0
}

// MARK: - Reading

/// Reads what is left at an iterator's level. libdbus has checked the bytes and limits the nesting to 64.
private func decodeAll(_ iterator: Iterator, into values: inout [BusValue]) {
    while true {
        let code = UInt8(truncatingIfNeeded: unsafe dbus_message_iter_get_arg_type(iterator))
        guard code != 0 else { return }
        values.append(unsafe decode(code, iterator))
        unsafe dbus_message_iter_next(iterator)
    }
}

private func decode(_ code: UInt8, _ iterator: Iterator) -> BusValue {
    switch code {
    case TypeCode.variant:
        var inside = unsafe martlet_dbus_iter()
        unsafe dbus_message_iter_recurse(iterator, &inside)
        let code = UInt8(truncatingIfNeeded: unsafe dbus_message_iter_get_arg_type(&inside))
        return .variant(unsafe decode(code, &inside))
    case TypeCode.structure:
        var inside = unsafe martlet_dbus_iter()
        unsafe dbus_message_iter_recurse(iterator, &inside)
        var fields: [BusValue] = []
        unsafe decodeAll(&inside, into: &fields)
        return .structure(fields)
    case TypeCode.array:
        return unsafe decodeArray(iterator)
    default:
        break
    }
    var basic = unsafe DBusBasicValue()
    unsafe dbus_message_iter_get_basic(iterator, &basic)
    switch code {
    case TypeCode.byte: return .byte(unsafe basic.byt)
    case TypeCode.boolean: return .boolean(unsafe basic.bool_val != 0)
    case TypeCode.int16: return .int16(unsafe basic.i16)
    case TypeCode.uint16: return .uint16(unsafe basic.u16)
    case TypeCode.int32: return .int32(unsafe basic.i32)
    case TypeCode.uint32: return .uint32(unsafe basic.u32)
    case TypeCode.int64: return .int64(Int64(unsafe basic.i64))
    case TypeCode.uint64: return .uint64(UInt64(unsafe basic.u64))
    case TypeCode.double: return .double(unsafe basic.dbl)
    case TypeCode.string: return .string(unsafe String(cString: basic.str))
    case TypeCode.objectPath: return .objectPath(ObjectPath(validated: unsafe String(cString: basic.str)))
    case TypeCode.signature: return .signature(BusSignature(validated: unsafe String(cString: basic.str)))
    case TypeCode.fileDescriptor: return .fileDescriptor(BusFileDescriptor(owning: unsafe basic.fd))
    default: preconditionFailure("libdbus has let a value of type code \(code) pass")
    }
}

private func decodeArray(_ iterator: Iterator) -> BusValue {
    let code = UInt8(truncatingIfNeeded: unsafe dbus_message_iter_get_element_type(iterator))
    var inside = unsafe martlet_dbus_iter()
    unsafe dbus_message_iter_recurse(iterator, &inside)
    guard code == TypeCode.dictEntry else {
        // Only containers need their signature spelled out, which libdbus allocates.
        let type =
            switch code {
            case TypeCode.array, TypeCode.structure:
                BusType(validated: String(unsafe signature(at: iterator).dropFirst()))
            default:
                BusType(validated: String(Unicode.Scalar(code)))
            }
        if code == TypeCode.byte { return .bytes(unsafe decodeBytes(&inside)) }
        var elements: [BusValue] = []
        unsafe decodeAll(&inside, into: &elements)
        return .array(elements, of: type)
    }
    let text = unsafe signature(at: iterator)
    var dictionary =
        if text == "a{sv}" {
            BusDictionary(key: .string, value: .variant)
        } else {
            BusDictionary(
                key: BusType(validated: String(text.dropFirst(2).prefix(1))),
                value: BusType(validated: String(text.dropFirst(3).dropLast())))
        }
    while UInt8(truncatingIfNeeded: unsafe dbus_message_iter_get_arg_type(&inside)) == TypeCode.dictEntry {
        var entry = unsafe martlet_dbus_iter()
        unsafe dbus_message_iter_recurse(&inside, &entry)
        let key = unsafe decode(UInt8(truncatingIfNeeded: unsafe dbus_message_iter_get_arg_type(&entry)), &entry)
        unsafe dbus_message_iter_next(&entry)
        let value = unsafe decode(UInt8(truncatingIfNeeded: unsafe dbus_message_iter_get_arg_type(&entry)), &entry)
        dictionary.entries.append(.init(key: key, value: value))
        unsafe dbus_message_iter_next(&inside)
    }
    return .dictionary(dictionary)
}

private func decodeBytes(_ iterator: Iterator) -> [UInt8] {
    var base: UnsafePointer<UInt8>?
    var count: CInt = 0
    unsafe dbus_message_iter_get_fixed_array(iterator, &base, &count)
    guard let base = unsafe base, count > 0 else { return [] }
    return unsafe Array(UnsafeBufferPointer(start: base, count: Int(count)))
}

private func signature(at iterator: Iterator) -> String {
    guard let text = unsafe dbus_message_iter_get_signature(iterator) else { return "" }
    defer { unsafe dbus_free(text) }
    return unsafe String(cString: text)
}
