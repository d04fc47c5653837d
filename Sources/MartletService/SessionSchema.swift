// SPDX-License-Identifier: Apache-2.0
internal import MartletSQLite

/// The tables of `session.db`.
///
/// Rows of ids (the list, the play order) are kept as they are in memory: in chunks, of which an edit renews one or two,
/// and one directory each that names the chunks in their order. Shuffling 100,000 entries writes a megabyte, not
/// 100,000 rows. Times are whole nanoseconds.
enum SessionSchema {
    /// "MRTs"
    static let applicationID: Int32 = 0x4D52_5473

    static let schema = Schema(
        applicationID: applicationID,
        steps: [
            .script(
                """
                CREATE TABLE entry(
                    id INTEGER PRIMARY KEY, uri TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER, album TEXT);
                CREATE TABLE priority(
                    entry INTEGER PRIMARY KEY REFERENCES entry ON DELETE CASCADE, value INTEGER NOT NULL);
                CREATE TABLE chunk(id INTEGER PRIMARY KEY, ids BLOB NOT NULL);
                CREATE TABLE directory(name TEXT PRIMARY KEY, chunks BLOB NOT NULL) WITHOUT ROWID;
                CREATE TABLE state(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
                CREATE TABLE detail(
                    entry INTEGER NOT NULL REFERENCES entry ON DELETE CASCADE, field INTEGER NOT NULL,
                    place INTEGER NOT NULL, value NOT NULL, PRIMARY KEY (entry, field, place)) WITHOUT ROWID;
                """)
        ])
}

/// Numbers in a blob: 64 bits each, the lowest byte first.
enum PackedNumbers {
    static func pack(_ numbers: some Sequence<UInt64>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(numbers.underestimatedCount * 8)
        for number in numbers {
            for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
        }
        return bytes
    }

    /// - Returns: `nil` for bytes that are no whole numbers.
    static func unpack(_ bytes: [UInt8]) -> [UInt64]? {
        guard bytes.count.isMultiple(of: 8) else { return nil }
        return stride(from: 0, to: bytes.count, by: 8).map { start in
            (0..<8).reduce(0) { $0 | UInt64(bytes[start + $1]) << ($1 * 8) }
        }
    }
}
