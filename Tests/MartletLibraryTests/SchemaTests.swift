// SPDX-License-Identifier: Apache-2.0
import MartletSQLite
import Testing

@testable import MartletLibrary

@Suite("The library's tables")
struct SchemaTests {
    @Test
    func `a new file gets the tables and is marked as ours`() throws {
        let database = try Database.inMemory()
        try LibrarySchema.schema.apply(to: database)
        #expect(try database.userVersion == LibrarySchema.schema.version)
        #expect(try database.applicationID == LibrarySchema.applicationID)
        #expect(try database.integrityProblems() == [])
    }

    @Test
    func `a track that the user has a liking for cannot be deleted by mistake`() throws {
        let database = try Database.inMemory()
        try LibrarySchema.schema.apply(to: database)
        try database.run("INSERT INTO track(title, sort, artist, added) VALUES ('a', x'61', 'b', 0)")
        let track = database.lastInsertedRow
        try database.run("INSERT INTO personal(track, liked) VALUES (?, 1)", track)
        #expect(throws: SQLiteError.self) { try database.run("DELETE FROM track WHERE id = ?", track) }
    }

    @Test(arguments: [-1, 101])
    func `a rating outside 0 to 100 is refused`(rating: Int) throws {
        let database = try Database.inMemory()
        try LibrarySchema.schema.apply(to: database)
        try database.run("INSERT INTO track(title, sort, artist, added) VALUES ('a', x'61', 'b', 0)")
        #expect(throws: SQLiteError.self) {
            try database.run("INSERT INTO personal(track, rating) VALUES (1, ?)", rating)
        }
    }
}
