import CSQLite
import Testing
import Tidemark

private struct EvenInteger {
  let value: Int  // Guaranteed even

  init?(_ value: Int) {
    guard value.isMultiple(of: 2) else {
      return nil  // Not an even number
    }
    self.value = value
  }
}

extension EvenInteger: DatabaseValueConvertible {
  var databaseValue: DatabaseValue {
    value.databaseValue
  }

  static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    guard let value = Int.fromDatabaseValue(dbValue) else {
      return nil  // Not an integer
    }
    return EvenInteger(value)  // Nil if not even
  }
}

extension EvenInteger: StatementColumnConvertible {
  init?(sqliteStatement: SQLiteStatement, index: CInt) {
    let int64 = sqlite3_column_int64(sqliteStatement, index)
    guard let value = Int(exactly: int64) else {
      return nil  // Does not fit Int (probably a 32-bit architecture)
    }
    self.init(value)  // Nil if not even
  }
}

/// A type as in the Tagged library.
private struct Tagged<Tag, RawValue>: RawRepresentable {
  var rawValue: RawValue
  init(rawValue: RawValue) { self.rawValue = rawValue }
  init(_ rawValue: RawValue) { self.rawValue = rawValue }
}

extension Tagged: SQLExpressible where RawValue: SQLExpressible {}
extension Tagged: StatementBinding where RawValue: StatementBinding {}
extension Tagged: DatabaseValueConvertible where RawValue: DatabaseValueConvertible {}

private struct Player: FetchableRecord {
  typealias ID = Tagged<Player, String>
  var id: ID
  init(row: Row) throws { id = row["id"] }
}

/// The examples of the documentation of values.
@Suite struct DatabaseValueConvertibleExampleTests {
  @Test func evenIntegersAreStoredAndRead() throws {
    let two = try #require(EvenInteger(2))
    try inMemory { db throws in
      #expect(try EvenInteger.fetchOne(db, sql: "SELECT ?", arguments: [two])?.value == 2)
      #expect(throws: RowDecodingError.self) { try EvenInteger.fetchAll(db, sql: "SELECT 3") }
      #expect(throws: RowDecodingError.self) { try EvenInteger?.fetchAll(db, sql: "SELECT 3") }
      #expect(throws: RowDecodingError.self) { try EvenInteger.fetchOne(db, sql: "SELECT 3") }
      #expect(try EvenInteger?.fetchAll(db, sql: "SELECT NULL").first?.map(\.value) == .some(nil))
      #expect((try Row.fetchOne(db, sql: "SELECT 4")?[0] as EvenInteger?)?.value == 4)
      #expect(throws: RowDecodingError.self) {
        try Row.fetchOne(db, sql: "SELECT 'x'")?.decode(EvenInteger.self, atIndex: 0)
      }
    }
  }

  @Test func recordIdentifiersCanBeTagged() throws {
    try inMemory { db throws in
      let id = Player.ID("x")
      let player = try SQLRequest<Player>("SELECT \(id) AS id").fetchOne(db)
      #expect(player?.id.rawValue == "x")
      #expect(try Player.ID.fetchAll(db, sql: "SELECT ?", arguments: [id]).map(\.rawValue) == ["x"])
    }
  }

  @Test func listsArePassedAsExplicitArguments() throws {
    let ids = [1, 2, 3]
    let questionMarks = databaseQuestionMarks(count: ids.count)  // "?,?,?"
    #expect(questionMarks == "?,?,?")
    try inLibrary { db throws in
      let books = try Row.fetchAll(
        db,
        sql: """
          SELECT id FROM book WHERE id IN (\(questionMarks))
          """, arguments: StatementArguments(ids))
      #expect(books.count == 3)
    }
  }

  @Test func listsAreInterpolated() throws {
    let ids = [1, 2, 3]
    try inLibrary { db throws in
      let request: SQLRequest<Row> = """
        SELECT * FROM book WHERE id IN \(ids)
        """
      let books = try request.fetchAll(db)
      #expect(books.count == 3)
    }
  }
}
