import Foundation
import Testing
import Tidemark

/// What does not decode without loss is an error, where the configuration says so.
@Suite struct StrictDecodingTests {
  private static let strict: Configuration = {
    var configuration = Configuration()
    configuration.strictDecoding = true
    return configuration
  }()

  private enum Number: Int, DatabaseValueConvertible { case zero, one }
  private struct Wrapper: Codable, DatabaseValueConvertible, Equatable {
    var number: Int
    init(from decoder: any Decoder) throws { number = try decoder.singleValueContainer().decode(Int.self) }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(number)
    }
  }

  private static var lossy: [(any DatabaseValueConvertible.Type, String)] {
    [

      (Int.self, "'abc'"), (Int.self, "'12'"), (Int.self, "1.5"), (Int.self, "x'31'"), (Int.self, "1e30"),
      (Int8.self, "1000"), (UInt.self, "-1"), (UInt64.self, "1e30"), (Int64.self, "9223372036854775808.0"),
      (Bool.self, "'true'"), (Bool.self, "2"), (Bool.self, "-1"), (Bool.self, "0.5"), (Bool.self, "x'01'"),
      (Double.self, "'1.5'"), (Double.self, "'abc'"), (Double.self, "9007199254740993"), (Double.self, "x'31'"),
      (Float.self, "'1.5'"), (Float.self, "1e300"),
      (String.self, "5"), (String.self, "1.5"), (String.self, "x'ff'"), (Data.self, "5"), (Data.self, "1.5"),
      (Date.self, "5"), (Date.self, "1.5"), (Date.self, "'abc'"), (Date.self, "'2020-02-30'"), (NSDate.self, "5"),
      (UUID.self, "5"), (UUID.self, "'abc'"), (Decimal.self, "'abc'"), (DatabaseDateComponents.self, "5"),
      (Number.self, "'abc'"), (Number.self, "1.5"), (Number.self, "7"), (Wrapper.self, "'abc'"), (Wrapper.self, "1.5"),
      (URL.self, "5"),
    ]
  }

  private static var lossless: [(any DatabaseValueConvertible.Type, String, String)] {
    [

      (Int.self, "1", "1"), (Int.self, "1.0", "1"), (UInt64.self, "1e19", "10000000000000000000"),
      (Int8.self, "-128", "-128"),
      (Bool.self, "0", "false"), (Bool.self, "1", "true"), (Double.self, "1", "1.0"), (Double.self, "0.1", "0.1"),
      (Float.self, "0.1", "0.1"), (Float.self, "9e999", "inf"), (String.self, "'5'", "5"), (String.self, "x'61'", "a"),
      (Data.self, "'ab'", "2 bytes"), (Data.self, "x'00'", "1 bytes"),
      (Date.self, "'1970-01-01'", "1970-01-01 00:00:00 +0000"), (Decimal.self, "'1.50'", "1.5"),
      (Decimal.self, "2", "2"),
      (UUID.self, "'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"),
      (Number.self, "1", "one"), (Number.self, "1.0", "one"), (DatabaseValue.self, "1.5", "1.5"),
    ]
  }

  private func ways<Value: DatabaseValueConvertible>(
    _: Value.Type, _ expression: String, _ db: Database
  ) -> [(String, () throws -> Value?)] {
    let sql = "SELECT \(expression) AS a"
    func live<Result>(_ adapter: (any RowAdapter)? = nil, _ body: (Row) throws -> Result) throws -> Result {
      let cursor = try Row.fetchCursor(db, sql: sql, adapter: adapter)
      let row = try #require(try cursor.next())
      return try withExtendedLifetime(cursor) { try body(row) }
    }
    return [
      ("fetchOne", { try Value.fetchOne(db, sql: sql) }),
      ("fetchAll", { try Value.fetchAll(db, sql: sql).first }),
      ("optional fetchAll", { try Value?.fetchAll(db, sql: sql)[0] }),
      ("cursor", { try Value.fetchCursor(db, sql: sql).next() }),
      ("live row", { try live { try $0.decode(Value.self, forColumn: "a") } }),
      ("live row by index", { try live { try $0.decode(Value?.self, atIndex: 0) } }),
      ("adapted row", { try live(RenameColumnAdapter { $0 }) { try $0.decode(Value.self, forColumn: "a") } }),
      ("copied row", { try Row.fetchAll(db, sql: sql)[0].decode(Value.self, forColumn: "a") }),
      ("copy of a live row", { try live { $0.copy() }.decode(Value.self, forColumn: "a") }),
    ]
  }

  @Test(arguments: lossy.indices) func aValueThatDoesNotFitThrows(index: Int) throws {
    func test<Value: DatabaseValueConvertible>(_ type: Value.Type, _ expression: String) throws {
      try inMemory(Self.strict) { db throws in
        for (way, read) in ways(type, expression, db) {
          let error = errorText { try read() as Any }
          #expect(error.contains("could not decode "), "\(way): \(error)")
          #expect(error.contains("\(type)"), "\(way)")
          #expect(error.contains(#"column: "a""#), "\(way)")
        }
      }
    }
    try test(Self.lossy[index].0, Self.lossy[index].1)
  }

  @Test(arguments: lossless.indices) func aValueThatFitsIsRead(index: Int) throws {
    func test<Value: DatabaseValueConvertible>(_ type: Value.Type, _ expression: String, _ expected: String) throws {
      try inMemory(Self.strict) { db throws in
        for (way, read) in ways(type, expression, db) {
          let value = try #require(try read())
          #expect("\(value)" == expected, "\(way)")
        }
      }
    }
    try test(Self.lossless[index].0, Self.lossless[index].1, Self.lossless[index].2)
  }

  @Test func nullIsNilAndNoValue() throws {
    try inMemory(Self.strict) { db throws in
      #expect(try Int.fetchOne(db, sql: "SELECT NULL") == nil)
      #expect(try Int?.fetchAll(db, sql: "SELECT NULL") == [nil])
      #expect(throws: RowDecodingError.self) { try Int.fetchAll(db, sql: "SELECT NULL") }
      #expect(try Row.fetchOne(db, sql: "SELECT NULL AS a")?.decode(Int?.self, forColumn: "b") == nil)
    }
  }

  // MARK: Records

  private struct Coded: Codable, FetchableRecord {
    var id: Int
    var date: Date?
  }

  private struct Subscripting: FetchableRecord {
    var id: Int
    var date: Date?
    init(row: Row) {
      id = row["id"]
      date = row["date"]
    }
  }

  @Test(arguments: ["'abc' AS id, NULL AS date", "1 AS id, 5 AS date", "1.5 AS id, '2031-04-09' AS date"])
  func aRecordOfAValueThatDoesNotFitThrows(columns: String) throws {
    func test<Record: FetchableRecord>(_: Record.Type) throws {
      try inMemory(Self.strict) { db throws in
        let sql = "SELECT \(columns) UNION ALL SELECT 2, '2031-04-09'"
        #expect(throws: RowDecodingError.self) { try Record.fetchOne(db, sql: sql) }
        #expect(throws: RowDecodingError.self) { try Record.fetchAll(db, sql: sql) }
        let cursor = try Record.fetchCursor(db, sql: sql)
        #expect(throws: RowDecodingError.self) { try cursor.next() }
        #expect(try cursor.next() != nil)
        #expect(try cursor.next() == nil)
        let adapter = RenameColumnAdapter { $0 }
        #expect(throws: RowDecodingError.self) { try Record.fetchAll(db, sql: sql, adapter: adapter) }
      }
    }
    try test(Coded.self)
    try test(Subscripting.self)
  }

  @Test func theErrorOfASubscriptNamesColumnValueAndType() throws {
    try inMemory(Self.strict) { db throws in
      #expect(
        errorText { try Subscripting.fetchOne(db, sql: "SELECT 1 AS id, 5 AS date") as Any }
          .hasPrefix(#"could not decode Optional<Date> from database value 5 - column: "date", column index: 1, row: "#)
      )
    }
  }

  @Test func aSubscriptOfACursorMakesTheNextStepThrow() throws {
    try inMemory(Self.strict) { db throws in
      let rows = try Row.fetchCursor(db, sql: "SELECT 'abc' AS a UNION ALL SELECT 2")
      #expect(try rows.next()?["a"] as Int? == 0)
      #expect(throws: RowDecodingError.self) { try rows.next() }
      #expect(try rows.next()?["a"] as Int? == 2)
      #expect(try rows.next() == nil)
    }
  }

  @Test func anErrorOfASubscriptDoesNotOutliveItsFetch() throws {
    struct Throwing: FetchableRecord {
      init(row: Row) throws {
        _ = row["id"] as Int
        throw Planned()
      }
    }
    try inMemory(Self.strict) { db throws in
      let sql = "SELECT ? AS id, NULL AS date"
      #expect(throws: Planned.self) { try Throwing.fetchOne(db, sql: sql, arguments: ["abc"]) }
      #expect(try Subscripting.fetchOne(db, sql: sql, arguments: [1])?.id == 1)
    }
  }

  // MARK: Configurations

  @Test func decodingIsNotStrictByDefault() throws {
    #expect(Configuration().strictDecoding == false)
    try inMemory { db throws in
      #expect(try Int.fetchAll(db, sql: "SELECT 'abc'") == [0])
      #expect(try Bool.fetchAll(db, sql: "SELECT 'true'") == [false])
      #expect(try Date.fetchAll(db, sql: "SELECT 5") == [Date(timeIntervalSince1970: 5)])
    }
  }

  @Test func aFileFromOutsideIsDecodedStrictly() throws {
    #expect(Configuration.forUntrustedFiles.strictDecoding)
    let folder = try TemporaryFolder()
    let path = folder.path("upload.sqlite")
    try DatabaseQueue(path: path).inDatabase {
      try $0.execute(sql: "CREATE TABLE t (id); INSERT INTO t VALUES ('abc')")
    }
    let pool = try DatabaseQueue(path: path, configuration: .forUntrustedFiles)
    #expect(throws: RowDecodingError.self) { try pool.read { try Int.fetchAll($0, sql: "SELECT id FROM t") } }
    #expect(throws: RowDecodingError.self) {
      try pool.read { try Coded.fetchAll($0, sql: "SELECT id, NULL AS date FROM t") }
    }
  }
}
