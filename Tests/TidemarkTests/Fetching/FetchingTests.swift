import Testing
import Tidemark

/// The four fetch methods, from one source, with the argument 0.
private struct Verbs<T: Hashable> {
  var all: (Database, _ sql: String) throws -> [T]
  var set: (Database, _ sql: String) throws -> Set<T>
  var one: (Database, _ sql: String) throws -> T?
  var cursor: (Database, _ sql: String) throws -> () throws -> T?
}

/// The sources of results.
enum FetchSource: CaseIterable {
  case sql, statement, request, requestItself
}

// Written twice: rows and records on the one hand, values on the other, have no protocol in common.
extension FetchSource {
  fileprivate func verbs<T: RowDecodable & Hashable>(_: T.Type) -> Verbs<T> {
    switch self {
    case .sql:
      Verbs(
        all: { try T.fetchAll($0, sql: $1, arguments: [0]) }, set: { try T.fetchSet($0, sql: $1, arguments: [0]) },
        one: { try T.fetchOne($0, sql: $1, arguments: [0]) },
        cursor: { try T.fetchCursor($0, sql: $1, arguments: [0]).next })
    case .statement:
      Verbs(
        all: { try T.fetchAll($0.makeStatement(sql: $1), arguments: [0]) },
        set: { try T.fetchSet($0.makeStatement(sql: $1), arguments: [0]) },
        one: { try T.fetchOne($0.makeStatement(sql: $1), arguments: [0]) },
        cursor: { try T.fetchCursor($0.makeStatement(sql: $1), arguments: [0]).next })
    case .request:
      Verbs(
        all: { try T.fetchAll($0, SQLRequest<Row>(sql: $1, arguments: [0])) },
        set: { try T.fetchSet($0, SQLRequest<Row>(sql: $1, arguments: [0])) },
        one: { try T.fetchOne($0, SQLRequest<Row>(sql: $1, arguments: [0])) },
        cursor: { try T.fetchCursor($0, SQLRequest<Row>(sql: $1, arguments: [0])).next })
    case .requestItself:
      Verbs(
        all: { try SQLRequest<T>(sql: $1, arguments: [0]).fetchAll($0) },
        set: { try SQLRequest<T>(sql: $1, arguments: [0]).fetchSet($0) },
        one: { try SQLRequest<T>(sql: $1, arguments: [0]).fetchOne($0) },
        cursor: { try SQLRequest<T>(sql: $1, arguments: [0]).fetchCursor($0).next })
    }
  }

  @_disfavoredOverload
  fileprivate func verbs<T: DatabaseValueConvertible & Hashable>(_: T.Type) -> Verbs<T> {
    switch self {
    case .sql:
      Verbs(
        all: { try T.fetchAll($0, sql: $1, arguments: [0]) }, set: { try T.fetchSet($0, sql: $1, arguments: [0]) },
        one: { try T.fetchOne($0, sql: $1, arguments: [0]) },
        cursor: { try T.fetchCursor($0, sql: $1, arguments: [0]).next })
    case .statement:
      Verbs(
        all: { try T.fetchAll($0.makeStatement(sql: $1), arguments: [0]) },
        set: { try T.fetchSet($0.makeStatement(sql: $1), arguments: [0]) },
        one: { try T.fetchOne($0.makeStatement(sql: $1), arguments: [0]) },
        cursor: { try T.fetchCursor($0.makeStatement(sql: $1), arguments: [0]).next })
    case .request:
      Verbs(
        all: { try T.fetchAll($0, SQLRequest<Row>(sql: $1, arguments: [0])) },
        set: { try T.fetchSet($0, SQLRequest<Row>(sql: $1, arguments: [0])) },
        one: { try T.fetchOne($0, SQLRequest<Row>(sql: $1, arguments: [0])) },
        cursor: { try T.fetchCursor($0, SQLRequest<Row>(sql: $1, arguments: [0])).next })
    case .requestItself:
      Verbs(
        all: { try SQLRequest<T>(sql: $1, arguments: [0]).fetchAll($0) },
        set: { try SQLRequest<T>(sql: $1, arguments: [0]).fetchSet($0) },
        one: { try SQLRequest<T>(sql: $1, arguments: [0]).fetchOne($0) },
        cursor: { try SQLRequest<T>(sql: $1, arguments: [0]).fetchCursor($0).next })
    }
  }
}

/// Four methods, four sources, five kinds of elements: the result of a fetch does not depend on its source.
@Suite struct FetchingTests {
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

  private func check<T: Hashable>(
    _ verbs: Verbs<T>, _ sql: String, _ expected: [T], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try inMemory { db throws in
      #expect(try verbs.all(db, sql) == expected, sourceLocation: sourceLocation)
      #expect(try verbs.set(db, sql) == Set(expected), sourceLocation: sourceLocation)
      #expect(try verbs.one(db, sql) == expected.first, sourceLocation: sourceLocation)
      let next = try verbs.cursor(db, sql)
      for element in expected { #expect(try next() == element, sourceLocation: sourceLocation) }
      #expect(try next() == nil, sourceLocation: sourceLocation)
      #expect(try verbs.all(db, Self.none).isEmpty, sourceLocation: sourceLocation)
      #expect(try verbs.set(db, Self.none).isEmpty, sourceLocation: sourceLocation)
      #expect(try verbs.one(db, Self.none) == nil, sourceLocation: sourceLocation)
      #expect(try verbs.cursor(db, Self.none)() == nil, sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: FetchSource.allCases)
  func rowsAreFetched(from source: FetchSource) throws {
    let verbs = source.verbs(Row.self)
    try inMemory { db throws in
      let expected: [Row] = [["title": "a"], ["title": nil], ["title": "a"]]
      #expect(try verbs.all(db, Self.sql) == expected)
      #expect(try verbs.set(db, Self.sql) == Set(expected))
      #expect(try verbs.one(db, Self.sql) == expected[0])
      let next = try verbs.cursor(db, Self.sql)
      for row in expected { #expect(try next() == row) }
      #expect(try next() == nil)
      #expect(try verbs.one(db, Self.none) == nil)
    }
  }

  @Test(arguments: FetchSource.allCases)
  func valuesAreFetched(from source: FetchSource) throws {
    try check(source.verbs(String.self), Self.texts, ["a", "a"])
  }

  @Test(arguments: FetchSource.allCases)
  func optionalValuesAreFetched(from source: FetchSource) throws {
    let verbs = source.verbs(String?.self)
    try check(verbs, Self.sql, ["a", nil, "a"])
    try inMemory { db throws in
      #expect(try verbs.one(db, Self.null) == .some(.none))
      #expect(try verbs.one(db, Self.none) == .none)
      #expect(try verbs.all(db, Self.null) == [nil])
    }
  }

  @Test(arguments: FetchSource.allCases)
  func recordsAreFetched(from source: FetchSource) throws {
    let verbs = source.verbs(Book.self)
    try check(verbs, Self.sql, [Book(title: "a"), Book(title: nil), Book(title: "a")])
    #expect(try inMemory { try verbs.one($0, Self.null) } == Book(title: nil))
  }

  @Test(arguments: FetchSource.allCases)
  func recordsTakePrecedenceOverValues(from source: FetchSource) throws {
    try check(source.verbs(Both.self), Self.sql, [Both("row"), Both("row"), Both("row")])
    try check(source.verbs(Both?.self), Self.sql, [Both("value"), nil, Both("value")])
    #expect(try inMemory { try source.verbs(Both.self).one($0, Self.null) } == Both("row"))
  }

  @Test(arguments: FetchSource.allCases)
  func fetchOneReadsNullAsNilAndOthersThrow(from source: FetchSource) throws {
    let verbs = source.verbs(String.self)
    try inMemory { db throws in
      #expect(try verbs.one(db, Self.null) == nil)
      #expect(throws: RowDecodingError.self) { try verbs.all(db, Self.null) }
      #expect(throws: RowDecodingError.self) { try verbs.set(db, Self.null) }
      #expect(throws: RowDecodingError.self) { try verbs.cursor(db, Self.null)() }
    }
  }

  @Test(arguments: FetchSource.allCases)
  func fetchOneReadsOneRow(from source: FetchSource) throws {
    // The second row causes an error.
    let sql = "SELECT abs(x) FROM (SELECT 1 + ? AS x UNION ALL SELECT -9223372036854775808)"
    try inMemory { db throws in
      #expect(try source.verbs(Int.self).one(db, sql) == 1)
      #expect(throws: DatabaseError.self) { try source.verbs(Int.self).all(db, sql) }
    }
  }

  @Test func fetchedRowsAreCopies() throws {
    try inMemory { db throws in
      let rows = try Row.fetchAll(db, sql: "SELECT 1 AS n UNION ALL SELECT 2")
      #expect(rows.map { $0["n"] as Int } == [1, 2])
      let one = try Row.fetchOne(db, sql: "SELECT ? AS n", arguments: [3])
      #expect(try Row.fetchOne(db, sql: "SELECT ? AS n", arguments: [4])?["n"] as Int? == 4)
      #expect(one?["n"] as Int? == 3)
    }
  }

  @Test(arguments: [[1], [1, 2, 3], ["a": 1]] as [StatementArguments])
  func mismatchedArgumentsThrowBeforeRunning(arguments: StatementArguments) throws {
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

  @Test func genericCodeFetchesAnyType() throws {
    func everything<T: DatabaseValueConvertible>(_ request: some FetchRequest<T>, _ db: Database) throws -> [T] {
      try request.fetchAll(db)
    }
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
