import Foundation
import Testing
import Tidemark

/// Stored values are read back unchanged (hazard A9).
@Suite struct StoredValueTests {
  private func stored(_ value: some DatabaseValueConvertible) throws -> DatabaseValue? {
    try inMemory { db in try DatabaseValue.fetchOne(db, sql: "SELECT ?", arguments: [value]) }
  }

  private func typeAndLength(_ value: some DatabaseValueConvertible) throws -> String? {
    try inMemory { db throws in
      try String.fetchOne(
        db, sql: "SELECT typeof(x) || length(CAST(x AS BLOB)) FROM (SELECT ? AS x)", arguments: [value])
    }
  }

  // swift-format-ignore
  private static let storages: [DatabaseValue.Storage] = [
    .null, .int64(0), .int64(.min), .int64(.max),
    .double(0.5), .double(.infinity), .double(-.infinity), .double(.greatestFiniteMagnitude), .double(.leastNonzeroMagnitude), .double(-0.0),
    .string(""), .string("a"), .string("a\0b"), .string("\0"), .string("e\u{301}\u{1F469}\u{200D}\u{1F680}"),
    .blob(Data()), .blob(Data([0])), .blob(Data([0xFF, 0, 0xFE])),
  ]

  @Test(arguments: storages)
  func boundValuesRoundTrip(storage: DatabaseValue.Storage) throws {
    #expect(try stored(DatabaseValue(storage))?.storage == storage)
  }

  @Test func nanIsStoredAsNull() throws {
    #expect(try stored(Double.nan)?.isNull == true)
    #expect(try stored(Float.nan)?.isNull == true)
  }

  @Test func emptyTextAndBlobAreNotNull() throws {
    #expect(try typeAndLength("") == "text0")
    #expect(try typeAndLength(Data()) == "blob0")
  }

  @Test func sqliteSeesTextBeyondNUL() throws {
    #expect(try typeAndLength("a\0b") == "text3")
  }

  @Test func foundationStringsAreStoredWhole() throws {
    // Not a native Swift string on all systems: its bytes may not be contiguous.
    let text = NSString(string: "né\0").appending("!") as String
    #expect(try stored(text)?.storage == .string("né\0!"))
  }

  @Test func dataSlicesAreStoredFromTheirStart() throws {
    let slice = Data([1, 2, 3, 4])[2...]
    #expect(try stored(slice)?.storage == .blob(Data([3, 4])))
  }

  @Test func randomTextsAndBytesRoundTrip() throws {
    var generator = SeededRandom()
    try inMemory { db throws in
      let statement = try db.makeStatement(sql: "SELECT ?, ?, CAST(? AS BLOB)")
      for _ in 0..<1000 {
        let scalars = (0..<Int.random(in: 0...20, using: &generator)).compactMap { _ in
          Unicode.Scalar(UInt32.random(in: 0...(Bool.random(using: &generator) ? 0x7F : 0x10FFFF), using: &generator))
        }
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        let bytes = Data(
          (0..<Int.random(in: 0...20, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) })
        let row = try #require(try Row.fetchOne(statement, arguments: [text, bytes, text]))
        #expect((row[0] as String).utf8.elementsEqual(text.utf8))
        #expect(row[1] as Data == bytes)
        #expect(row[2] as Data == Data(text.utf8))
      }
    }
  }

  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
  func fileEncodingIsInvisible(encoding: String) throws {
    try inMemory { db throws in
      try db.execute(sql: "PRAGMA encoding = '\(encoding)'; CREATE TABLE t (x)")
      try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: ["né\0\u{1F680}"])
      let bytes = Data("né\0\u{1F680}".utf8)
      let sql = "SELECT x FROM t"
      #expect(try String.fetchOne(db, sql: sql) == "né\0\u{1F680}")
      #expect(try Data.fetchOne(db, sql: sql) == bytes)
      #expect(try Data.fromDatabaseValue(Row.fetchOne(db, sql: sql)?[0] ?? .null) == bytes)
      let cursor = try Row.fetchCursor(db, sql: sql)
      let row = try #require(try cursor.next())
      #expect(row[0] as Data == bytes)
      #expect(try row.withUnsafeData(atIndex: 0) { $0.map { Data($0) } } == bytes)
      #expect(try Data.fetchOne(db, sql: "SELECT 300") == Data("300".utf8))
    }
  }

  // MARK: Size

  @Test func hundredMegabytesRoundTrip() throws {
    let text = String(repeating: "0123456789", count: 10_000_000)
    try inMemory { db throws in
      #expect(try String.fetchOne(db, sql: "SELECT ?", arguments: [text]) == text)
      let data = Data(text.utf8)
      #expect(try Data.fetchOne(db, sql: "SELECT ?", arguments: [data]) == data)
    }
  }

  @Test(arguments: ["text", "blob"])
  func oversizedValuesFailWhenBound(type: String) throws {
    var configuration = Configuration()
    configuration.limits[.valueSize] = 1000
    try inMemory(configuration) { db throws in
      func value(_ count: Int) -> any DatabaseValueConvertible {
        type == "text" ? String(repeating: "x", count: count) : Data(count: count)
      }
      #expect(try Row.fetchOne(db, sql: "SELECT ?", arguments: [value(900)]) != nil)
      let error = #expect(throws: DatabaseError.self) {
        try Row.fetchOne(db, sql: "SELECT ?", arguments: [value(1001)])
      }
      #expect(error?.resultCode == .SQLITE_TOOBIG)
      #expect(error?.message == "string or blob too big")
      #expect(try Int.fetchOne(db, sql: "SELECT ?", arguments: [1]) == 1)
    }
  }

  @Test func oversizedResultsFail() throws {
    var configuration = Configuration()
    configuration.limits[.valueSize] = 1000
    try inMemory(configuration) { db throws in
      #expect(throws: DatabaseError.self) { try Data.fetchOne(db, sql: "SELECT zeroblob(1001)") }
    }
  }

  @Test func oversizedUncheckedArgumentsFailTheNextExecution() throws {
    var configuration = Configuration()
    configuration.limits[.valueSize] = 1000
    try inMemory(configuration) { db throws in
      let statement = try db.makeStatement(sql: "SELECT length(?)")
      statement.setUncheckedArguments([String(repeating: "x", count: 1001)])
      #expect(throws: DatabaseError.self) { try Int.fetchOne(statement) }
      #expect(try Int.fetchOne(statement, arguments: ["xx"]) == 2)
    }
  }
}
