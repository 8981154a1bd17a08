import Foundation
import Testing
import Tidemark

private let a = Column("a")
private let b = Column("b")
private let n = Column("n")

/// Lines that compile with GRDB 7: names and overloads that generic code, references to functions and literals use.
@Suite struct ReferenceNameTests {
  private func operators<T: SQLExpressible>(_ t: T) -> [SQLExpression] {
    [
      t + a, t - a, t * a, t / a, t & a, t | a, t << a, t >> a, t && b, t || b, t == a, t != a, t === a, t !== a,
      t < a, t <= a, t > a, t >= a,
    ]
  }

  // swift-format-ignore
  @Test func `the left operand may be any SQLExpressible`() throws {
    let symbols = [
      "+", "-", "*", "/", "&", "|", "<<", ">>", "AND", "OR", "=", "<>", "IS", "IS NOT", "<", "<=", ">", ">=",
    ]
    for (expression, symbol) in zip(operators(1), symbols) {
      try expectSQL("\(expression)", symbol == "AND" || symbol == "OR" ? #"? \#(symbol) "b""# : #"? \#(symbol) "a""#, [1])
    }
    for (expression, symbol) in zip(operators(n), symbols) {
      try expectSQL("\(expression)", symbol == "AND" || symbol == "OR" ? #""n" \#(symbol) "b""# : #""n" \#(symbol) "a""#)
    }
    let anything: any SQLExpressible = n
    try expectSQL("\(anything == a)", #""n" = "a""#)
    let nothing: (any SQLExpressible)? = nil
    try expectSQL("\(nothing == a)", #""a" IS NULL"#)
    try expectSQL("\(nothing !== a)", #""a" IS NOT NULL"#)
  }

  @Test func `functions can be referred to`() throws {
    let functions: [(Column) -> SQLExpression] = [average, max, min, sum, total]
    for (function, name) in zip(functions, ["AVG", "MAX", "MIN", "SUM", "TOTAL"]) {
      try expectSQL("\(function(n))", #"\#(name)("n")"#)
    }
    try expectSQL("\(average(n, filter: a > 1))", #"AVG("n") FILTER (WHERE "a" > ?)"#, [1])
    let combine: (SQLExpression, SQLExpression) -> SQLExpression = (&&)
    try expectSQL(
      "\([a == 1, b == 2].reduce(true.sqlExpression, combine))", #"? AND ("a" = ?) AND ("b" = ?)"#, [1, 1, 2])
  }

  // swift-format-ignore
  @Test func `literals accept texts, selections, tables and names`() throws {
    try expectSQL("\("abc".prefix(2))", "?", ["ab"])
    let selection: (any SQLSelectable)? = n
    let none: (any SQLSelectable)? = nil
    try expectSQL("SELECT \(selection), \(none)", #"SELECT "n", NULL"#)
    let type: any TableRecord.Type = Shelves.Book.self
    try expectSQL("\(Table("a")) \(tableOf: type) \(.rowID) \(Data([1]))", #""a" "book" "rowid" ?"#, [Data([1])])
    try expectSQL("\(["a", "b"].map { SQL(sql: $0) }.joined(separator: " OR "))", "a OR b")
  }

  // swift-format-ignore
  @Test func `assignments compute the new value`() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (12)")
      let assignments = [
        n &= 14, n |= 1, n += 1, n -= 2, n *= 3, n /= 2, n <<= 2, n >>= 1,
      ]
      var values: [Int?] = []
      for assignment in assignments {
        try Table("t").updateAll(db, assignment)
        values.append(try Int.fetchOne(db, sql: "SELECT n FROM t"))
      }
      #expect(values == [12, 13, 14, 12, 36, 18, 72, 36])
    }
  }

  @Test func `functions of the program are expressions, and equal by name and number of arguments`() throws {
    struct Longest: DatabaseAggregate {
      var longest = 0
      mutating func step(_ dbValues: [DatabaseValue]) { longest = max(longest, dbValues.count) }
      func finalize() -> (any DatabaseValueConvertible)? { longest }
    }
    let twice = DatabaseFunction("twice", argumentCount: 1, pure: true) { values in
      Int.fromDatabaseValue(values[0]).map { $0 * 2 }
    }
    let makeFunction: (String, Int?, Bool, Longest.Type) -> DatabaseFunction =
      DatabaseFunction.init(_:argumentCount:pure:aggregate:)
    let longest = makeFunction("longest", nil, false, Longest.self)
    try expectSQL("\(twice(a))", #"twice("a")"#)
    #expect(twice == DatabaseFunction("twice", argumentCount: 1) { _ in nil })
    #expect(twice != DatabaseFunction("twice") { _ in nil })
    #expect(twice != DatabaseFunction("TWICE", argumentCount: 1) { _ in nil })
    try inMemory { db in
      db.add(function: twice)
      db.add(function: longest)
      try #expect(Int.fetchOne(db, sql: "SELECT twice(21)") == 42)
      try #expect(Int.fetchOne(db, sql: "SELECT longest(1, 2, 3)") == 3)
      // One row is fetched of an aggregate function: the request has no LIMIT.
      try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
      try #expect(db.expandedSQL(Table("t").select(longest(a))) == #"SELECT longest("a") FROM "t""#)
      let recorder = TraceRecorder()
      db.trace { recorder.append($0.description) }
      try #expect(Int.fetchOne(db, Table("t").select(longest(a))) == 1)
      try #expect(Int.fetchOne(db, Table("t").select(twice(a))) == 2)
      db.trace(nil)
      try #expect(Table("t").select(longest(a)).fetchCount(db) == 1)
      #expect(recorder.lines == [#"SELECT longest("a") FROM "t""#, #"SELECT twice("a") FROM "t" LIMIT 1"#])
    }
  }

  // swift-format-ignore
  @Test func `generic functions use members of the protocols`() throws {
    func all<T: FetchableRecord>(_ type: T.Type, _ db: Database) throws -> [T] {
      let statement = try db.makeStatement(sql: "SELECT * FROM book ORDER BY id")
      let request = SQLRequest<T>(sql: "SELECT * FROM book ORDER BY id")
      let cursor = try T.fetchCursor(db, sql: "SELECT * FROM book ORDER BY id LIMIT ?", arguments: [1], adapter: nil)
      return try T.fetchAll(db, request) + T.fetchAll(statement, arguments: nil, adapter: nil)
        + T.fetchAll(db, sql: "SELECT * FROM book ORDER BY id") + [cursor.next(), T.fetchOne(db, request)].compactMap { $0 }
        + [T.fetchOne(statement), T.fetchOne(db, sql: "SELECT * FROM book")].compactMap { $0 }
    }
    func sets<T: FetchableRecord & Hashable>(_ type: T.Type, _ db: Database) throws -> [Set<T>] {
      let statement = try db.makeStatement(sql: "SELECT * FROM book")
      return try [
        T.fetchSet(db, SQLRequest<T>(sql: "SELECT * FROM book")), T.fetchSet(statement), T.fetchSet(db, sql: "SELECT * FROM book"),
      ]
    }
    func decorated<A: Association>(_ association: A) -> A {
      association.annotatedWhenConnected(with: { _ in [Column("title").forKey("t")] })
        .filterWhenConnected { _ in Column("id") > 0 }.orderWhenConnected { _ in [Column("id")] }
        .reversed().unordered()
    }
    func grouped<A: Association>(_ association: A) -> A {
      association.selectWhenConnected { _ in [Column("authorId")] }.groupWhenConnected { _ in [Column("authorId")] }
        .havingWhenConnected { _ in Column("authorId") > 1 }.distinct().withStableOrder()
    }
    func components<A: AssociationToMany>(_ association: A) -> A.DatabaseComponents where A.RowDecoder: TableRecord {
      A.RowDecoder.databaseComponents
    }
    func doesExist(_ alias: TableAlias<Shelves.Book>) -> SQLExpression { alias.exists }
    try inShelves { db in
      let count = try #require(try Int.fetchOne(db, sql: "SELECT count(*) FROM book"))
      try #expect(all(Shelves.Book.self, db).count == 3 * count + 4)
      try #expect(sets(Shelves.Book.self, db).map(\.count) == [count, count, count])
      let books = Shelves.Author.hasMany(Shelves.Book.self)
      _ = grouped(books)
      #expect(components(books) == Shelves.Book.Columns.self)
      let request = Shelves.Author.including(required: decorated(books))
      try #expect(request.makePreparedRequest(db).statement.sql == """
        SELECT "author".*, "book".*, "book"."title" AS "t" FROM "author" \
        JOIN "book" ON ("book"."authorId" = "author"."id") AND ("book"."id" > ?)
        """)
      let book = TableAlias<Shelves.Book>()
      let existing = Shelves.Author.joining(optional: books.aliased(book)).filter(doesExist(book))
      try #expect(existing.fetchAll(db).count == 3)
    }
  }

  @Test func `cursors have elements, and records are metatypes of sendable types`() throws {
    func first<C: DatabaseCursor>(_ cursor: C) throws -> C.Element? { try cursor.next() }
    func name<T: GRDBSendableMetatype>(_ type: T.Type) -> String { "\(type)" }
    #expect(name(Shelves.Book.self) == "Book")
    try inShelves { db in
      let title: RecordCursor<Shelves.Book>.Element? = try first(Shelves.Book.order(Column("id")).fetchCursor(db))
      #expect(title?.title == "Rocannon")
      let row: RowCursor.Element? = try first(Row.fetchCursor(db, sql: "SELECT 1"))
      #expect(row == nil || row?.count == 1)
      let number: FastDatabaseValueCursor<Int>.Element? = try first(Int.fetchCursor(db, sql: "SELECT 1"))
      #expect(number == 1)
      let url: DatabaseValueCursor<URL>.Element? = try first(URL.fetchCursor(db, sql: "SELECT 'file:///a'"))
      #expect(url?.path == "/a")
    }
  }
}
