// SPDX-License-Identifier: Apache-2.0
internal import CMartletSQLite

// SQLite calls these from inside a call this room made, on that call's thread. The data pointer is a retained box of
// Database+Functions.swift, released by `boxReleased` with the connection.

nonisolated func functionCalled(
    _ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
) {
    guard let data = unsafe sqlite3_user_data(context) else { return }
    let box = unsafe Unmanaged<FunctionBox>.fromOpaque(data).takeUnretainedValue()
    let arguments = (0..<Int(count)).map { unsafe SQLiteValue(argument: values?[$0]) }
    do {
        unsafe setResult(try box.function(arguments), context)
    } catch {
        let message = "\(error)"
        unsafe sqlite3_result_error(context, message, -1)
    }
}

nonisolated func textsCompared(
    _ data: UnsafeMutableRawPointer?, _ leftCount: Int32, _ left: UnsafeRawPointer?, _ rightCount: Int32,
    _ right: UnsafeRawPointer?
) -> Int32 {
    guard let data = unsafe data else { return 0 }
    let box = unsafe Unmanaged<CollationBox>.fromOpaque(data).takeUnretainedValue()
    let order = unsafe box.order(
        UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
        UnsafeRawBufferPointer(start: right, count: Int(rightCount)))
    return Int32(order.signum())
}

nonisolated func boxReleased(_ data: UnsafeMutableRawPointer?) {
    if let data = unsafe data { unsafe Unmanaged<AnyObject>.fromOpaque(data).release() }
}

extension SQLiteValue {
    fileprivate init(argument value: OpaquePointer?) {
        switch unsafe sqlite3_value_type(value) {
        case SQLITE_INTEGER: self = .integer(unsafe sqlite3_value_int64(value))
        case SQLITE_FLOAT: self = .real(unsafe sqlite3_value_double(value))
        case SQLITE_TEXT:
            let start = unsafe sqlite3_value_text(value)
            let bytes = unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
            self = .text(unsafe String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            let start = unsafe sqlite3_value_blob(value)
            self = .blob(unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))))
        default: self = .null
        }
    }
}

private nonisolated func setResult(_ value: SQLiteValue, _ context: OpaquePointer?) {
    switch value {
    case .null: unsafe sqlite3_result_null(context)
    case .integer(let value): unsafe sqlite3_result_int64(context, value)
    case .real(let value): unsafe sqlite3_result_double(context, value)
    case .text(var text):
        text.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { text in
                unsafe sqlite3_result_text64(
                    context, text.baseAddress, UInt64(text.count), martlet_sqlite_transient(), UInt8(SQLITE_UTF8))
            }
        }
    case .blob(let bytes):
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe sqlite3_result_blob64(context, bytes.baseAddress, UInt64(bytes.count), martlet_sqlite_transient())
        }
    }
}
