import Testing
import Tidemark

/// Four verbs, four sources, five kinds of elements: what a fetch answers does not depend on where it comes from.
@Suite struct FetchingTests {
  /// Where results come from.
  enum Source: CaseIterable {
    case sql, statement, request, requestItself

    func all<T: RowDecodable>(_ type: T.Type, _ db: Database, _ sql: String) throws -> [T] {
      switch self {
      case .sql: try T.fetchAll(db, sql: sql, arguments: [0])
      case .statement: try T.fetchAll(db.makeStatement(sql: sql), arguments: [0])
      case .request: try T.fetchAll(db, SQLRequest<Row>(sql: sql, arguments: [0]))
      case .requestItself: try SQLRequest<T>(sql: sql, arguments: [0]).fetchAll(db)
      }
    }

    func set<T: RowDecodable & Hashable>(_ type: T.Type, _ db: Database, _ sql: String) throws -> Set<T> {
      switch self {
      case .sql: try T.fetchSet(db, sql: sql, arguments: [0])
      case .statement: try T.fetchSet(db.makeStatement(sql: sql), arguments: [0])
      case .request: try T.fetchSet(db, SQLRequest<Row>(sql: sql, arguments: [0]))
      case .requestItself: try SQLRequest<T>(sql: sql, arguments: [0]).fetchSet(db)
      }
    }

    func one<T: RowDecodable>(_ type: T.Type, _ db: Database, _ sql: String) throws -> T? {
      switch self {
      case .sql: try T.fetchOne(db, sql: sql, arguments: [0])
      case .statement: try T.fetchOne(db.makeStatement(sql: sql), arguments: [0])
      case .request: try T.fetchOne(db, SQLRequest<Row>(sql: sql, arguments: [0]))
      case .requestItself: try SQLRequest<T>(sql: sql, arguments: [0]).fetchOne(db)
      }
    }

    func cursor<T: RowDecodable>(_ type: T.Type, _ db: Database, _ sql: String) throws -> FetchCursor<T> {
      switch self {
      case .sql: try T.fetchCursor(db, sql: sql, arguments: [0])
      case .statement: try T.fetchCursor(db.makeStatement(sql: sql), arguments: [0])
      case .request: try T.fetchCursor(db, SQLRequest<Row>(sql: sql, arguments: [0]))
      case .requestItself: try SQLRequest<T>(sql: sql, arguments: [0]).fetchCursor(db)
      }
    }
  }

  struct Book: FetchableRecord, Hashable {
    var title: String?
    init(title: String?) { self.title = title }
    init(row: Row) throws { title = row["title"] }
  }

  struct Both: FetchableRecord, DatabaseValueConvertible, Hashable {
    var origin: String
    init(_ origin: String) { self.origin = origin }
    init(row: Row) throws { origin = "row" }
    var databaseValue: DatabaseValue { origin.databaseValue }
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Both? { dbValue.isNull ? nil : Both("value") }
  }

  // The rows: 'a', NULL, 'a'.
  private static let sql =
    "SELECT title FROM (SELECT 1 AS id, 'a' AS title UNION ALL SELECT 2, NULL UNION ALL SELECT 3, 'a') WHERE id > ? ORDER BY id"
  private static let texts = "SELECT title FROM (\(sql)) WHERE title IS NOT NULL"
  private static let none = "SELECT 'a' AS title WHERE ?"
  private static let null = "SELECT NULL AS title WHERE ? = 0"

  private func check<T: RowDecodable & Hashable>(
    _ source: Source, _ sql: String, _ expected: [T], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try inMemory { db throws in
      #expect(try source.all(T.self, db, sql) == expected, sourceLocation: sourceLocation)
      #expect(try source.set(T.self, db, sql) == Set(expected), sourceLocation: sourceLocation)
      #expect(try source.one(T.self, db, sql) == expected.first, sourceLocation: sourceLocation)
      let cursor = try source.cursor(T.self, db, sql)
      for element in expected { #expect(try cursor.next() == element, sourceLocation: sourceLocation) }
      #expect(try cursor.next() == nil, sourceLocation: sourceLocation)
      #expect(try source.all(T.self, db, Self.none).isEmpty, sourceLocation: sourceLocation)
      #expect(try source.set(T.self, db, Self.none).isEmpty, sourceLocation: sourceLocation)
      #expect(try source.one(T.self, db, Self.none) == nil, sourceLocation: sourceLocation)
      #expect(try source.cursor(T.self, db, Self.none).next() == nil, sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: Source.allCases)
  func rowsAreFetched(from source: Source) throws {
    try check(source, Self.sql, [["title": "a"], ["title": nil], ["title": "a"]] as [Row])
  }

  @Test(arguments: Source.allCases)
  func valuesAreFetched(from source: Source) throws {
    try check(source, Self.texts, ["a", "a"])
  }

  @Test(arguments: Source.allCases)
  func optionalValuesAreFetched(from source: Source) throws {
    try check(source, Self.sql, ["a", nil, "a"] as [String?])
    try inMemory { db throws in
      #expect(try source.one(String?.self, db, Self.null) == .some(.none))
      #expect(try source.one(String?.self, db, Self.none) == .none)
      #expect(try source.all(String?.self, db, Self.null) == [nil])
    }
  }

  @Test(arguments: Source.allCases)
  func recordsAreFetched(from source: Source) throws {
    try check(source, Self.sql, [Book(title: "a"), Book(title: nil), Book(title: "a")])
    #expect(try inMemory { try source.one(Book.self, $0, Self.null) } == Book(title: nil))
  }

  @Test(arguments: Source.allCases)
  func whatIsBothIsFetchedAsARecord(from source: Source) throws {
    try check(source, Self.sql, [Both("row"), Both("row"), Both("row")])
    try check(source, Self.sql, [Both("value"), nil, Both("value")] as [Both?])
    #expect(try inMemory { try source.one(Both.self, $0, Self.null) } == Both("row"))
  }

  @Test(arguments: Source.allCases)
  func nullIsNilForFetchOneAndAnErrorForTheOthers(from source: Source) throws {
    try inMemory { db throws in
      #expect(try source.one(String.self, db, Self.null) == nil)
      #expect(throws: RowDecodingError.self) { try source.all(String.self, db, Self.null) }
      #expect(throws: RowDecodingError.self) { try source.set(String.self, db, Self.null) }
      #expect(throws: RowDecodingError.self) { try source.cursor(String.self, db, Self.null).next() }
    }
  }

  @Test(arguments: Source.allCases)
  func fetchOneReadsOneRowOnly(from source: Source) throws {
    // The second row cannot be computed.
    let sql = "SELECT abs(x) FROM (SELECT 1 + ? AS x UNION ALL SELECT -9223372036854775808)"
    try inMemory { db throws in
      #expect(try source.one(Int.self, db, sql) == 1)
      #expect(throws: DatabaseError.self) { try source.all(Int.self, db, sql) }
    }
  }

  @Test func keptRowsAreCopies() throws {
    try inMemory { db throws in
      let rows = try Row.fetchAll(db, sql: "SELECT 1 AS n UNION ALL SELECT 2")
      #expect(rows.map { $0["n"] as Int } == [1, 2])
      let one = try Row.fetchOne(db, sql: "SELECT ? AS n", arguments: [3])
      #expect(try Row.fetchOne(db, sql: "SELECT ? AS n", arguments: [4])?["n"] as Int? == 4)
      #expect(one?["n"] as Int? == 3)
    }
  }

  @Test(arguments: [[1], [1, 2, 3], ["a": 1]] as [StatementArguments])
  func argumentsThatDoNotFitAreAnErrorBeforeAnythingRuns(arguments: StatementArguments) throws {
    try inMemory { db throws in
      let error = #expect(throws: DatabaseError.self) {
        try Row.fetchAll(db, sql: "SELECT ?, ?", arguments: arguments)
      }
      #expect(error?.resultCode == .SQLITE_MISUSE)
      #expect(error?.sql == "SELECT ?, ?")
      #expect(error?.arguments == nil)
      #expect(try Row.fetchOne(db, sql: "SELECT ?, ?", arguments: [1, 2])?.count == 2)
    }
  }

  @Test func genericCodeFetchesAnything() throws {
    func everything<T: RowDecodable>(_ request: some FetchRequest<T>, _ db: Database) throws -> [T] {
      try request.fetchAll(db)
    }
    func load<R: FetchRequest>(_ request: R, _ db: Database) throws -> [R.RowDecoder]
    where R.RowDecoder: FetchableRecord {
      try request.fetchAll(db)
    }
    func values<T: DatabaseValueConvertible & StatementColumnConvertible & Hashable>(_: T.Type, _ db: Database) throws
      -> Set<T>
    {
      try T.fetchSet(db, sql: "SELECT 1")
    }
    func records<T: FetchableRecord>(_: T.Type, _ db: Database) throws -> [T] {
      try T.fetchAll(db, sql: "SELECT 'x' AS title")
    }
    try inMemory { db throws in
      #expect(try everything(SQLRequest<Int>(sql: "SELECT 1"), db) == [1])
      #expect(try everything(SQLRequest<Row>(sql: "SELECT 1 AS a"), db) == [["a": 1]])
      #expect(try load(SQLRequest<Book>(sql: "SELECT 'x' AS title"), db) == [Book(title: "x")])
      #expect(try values(Int.self, db) == [1])
      #expect(try records(Book.self, db) == [Book(title: "x")])
    }
  }
}
