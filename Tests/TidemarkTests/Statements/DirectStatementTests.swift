import CSQLite
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The statements of the library, which run beside the statements of the program.
@Suite struct DirectStatementTests {
  private func withConnection(_ body: (Database) throws -> Void) throws {
    try DatabaseQueue().inDatabase { db throws in try body(db) }
  }

  @Test func boundValuesAreThoseOfTheRow() throws {
    try withConnection { db in
      let statement = try DirectStatement("SELECT ?1 + 1, ?2", on: db)
      defer { statement.reset() }
      try statement.bind(41, at: 1)
      let bytes: [UInt8] = [1, 2, 3]
      try bytes.withUnsafeBytes { bytes in
        try statement.bind(bytes, at: 2)
        #expect(try statement.step())
        #expect(statement.integer(0) == 42)
        #expect(Array(statement.bytes(1)) == [1, 2, 3])
      }
      #expect(try !statement.step())
    }
  }

  @Test func emptyBytesAreABlobAndNotNull() throws {
    try withConnection { db in
      let statement = try DirectStatement("SELECT typeof(?1) = 'blob', length(?1)", on: db)
      defer { statement.reset() }
      try statement.bind(UnsafeRawBufferPointer(start: nil, count: 0), at: 1)
      #expect(try statement.step())
      #expect(statement.integer(0) == 1)
      #expect(statement.integer(1) == 0)
    }
  }

  @Test func aValueForAMissingParameterThrows() throws {
    try withConnection { db in
      let statement = try DirectStatement("SELECT ?1", on: db)
      let error = #expect(throws: DatabaseError.self) { try statement.bind(1, at: 2) }
      #expect(error?.resultCode == .SQLITE_RANGE)
      #expect(error?.sql == "SELECT ?1")
    }
  }

  @Test func theCollationOfAMissingColumnIsUnknown() throws {
    try withConnection { db in
      try db.execute(sql: "CREATE TABLE word (text COLLATE NOCASE)")
      let handle = try db.openHandle()
      #expect(handle.collation(ofColumn: "text", in: TableKey("word")) == "NOCASE")
      #expect(handle.collation(ofColumn: "missing", in: TableKey("word")) == nil)
      #expect(handle.collation(ofColumn: "text", in: TableKey("missing")) == nil)
    }
  }
}
