// SPDX-License-Identifier: Apache-2.0
internal import CMartletSQLite

extension Database {
    /// Makes a function known to SQL.
    ///
    /// - Parameters:
    ///   - argumentCount: `nil` for any number.
    ///   - isDeterministic: The same arguments always give the same result; required for use in an index.
    ///   - function: Called wherever this connection runs, on its owner's thread. What it throws becomes the statement's
    ///     error, as ``ResultCode/error`` with its description.
    public func addFunction(
        _ name: String, argumentCount: Int? = nil, isDeterministic: Bool = true,
        _ function: @escaping ([SQLiteValue]) throws -> SQLiteValue
    ) throws(SQLiteError) {
        let box = unsafe Unmanaged.passRetained(FunctionBox(function)).toOpaque()
        let flags = SQLITE_UTF8 | SQLITE_DIRECTONLY | (isDeterministic ? SQLITE_DETERMINISTIC : 0)
        // On failure SQLite calls the destructor itself.
        try handle.check(
            unsafe sqlite3_create_function_v2(
                handle.pointer, name, Int32(argumentCount ?? -1), flags, box, functionCalled, nil, nil, boxReleased))
    }

    /// Makes an order of texts known to SQL.
    ///
    /// - Parameter order: Negative, 0 or positive, as the first UTF-8 text comes before, beside or after the second;
    ///   the same forever for the same texts, or indexes over it are damaged.
    public func addCollation(
        _ name: String, _ order: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int
    ) throws(SQLiteError) {
        let box = unsafe Unmanaged.passRetained(CollationBox(order))
        let code = unsafe sqlite3_create_collation_v2(
            handle.pointer, name, SQLITE_UTF8, box.toOpaque(), textsCompared, boxReleased)
        if code != SQLITE_OK {
            // Other than for functions, SQLite does not call the destructor here.
            unsafe box.release()
            throw unsafe handle.error(code, sql: nil)
        }
    }
}

final class FunctionBox {
    let function: ([SQLiteValue]) throws -> SQLiteValue

    init(_ function: @escaping ([SQLiteValue]) throws -> SQLiteValue) {
        self.function = function
    }
}

@safe final class CollationBox {
    let order: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int

    init(_ order: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int) {
        unsafe self.order = order
    }
}
