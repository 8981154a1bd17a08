import Foundation
import SQLiteDB
import Testing

@Suite struct RowTests {
  @Test func rowsAreIterated() throws {
    let db = try database("Alice")
    var lines: [String] = []
    for user in try db.prepare(users) {
      lines.append("id: \(user[id]), email: \(user[email]), name: \(String(describing: user[name]))")
    }
    #expect(lines == ["id: 1, email: Alice@mac.com, name: Optional(\"Alice\")"])
    let all = Array(try db.prepare(users))
    #expect(all.count == 1)
  }

  @Test func valuesAreReadByExpression() throws {
    let db = try database("Alice")
    try db.run(users.update(name <- nil))
    let row = try #require(try db.pluck(users))
    #expect(try row.get(id) == 1)
    #expect(try row.get(name) == nil)
    do {
      _ = try row.get(SQLExpression<String>("name"))
      Issue.record("There is no name")
    } catch QueryError.unexpectedNullValue(let name) {
      #expect(name == "\"name\"")
      #expect("\(QueryError.unexpectedNullValue(name: name))" == "Unexpected null value for column `\"name\"`")
    }
    do {
      _ = try row.get(SQLExpression<String>("nope"))
      Issue.record("There is no such column")
    } catch QueryError.noSuchColumn(let name, let columns) {
      #expect(name == "\"nope\"")
      #expect(
        columns == ["\"balance\"", "\"email\"", "\"id\"", "\"manager_id\"", "\"name\"", "\"verified\""])
    }
  }

  @Test func `the error for a missing expression contains its arguments`() throws {
    let db = try database("a")
    let row = try #require(try db.pluck(users.select(balance + 1, balance + 2)))
    let columns = ["(\"balance\" + 1.0)", "(\"balance\" + 2.0)"]
    #expect(throws: QueryError.noSuchColumn(name: "(\"balance\" + 3.0)", columns: columns)) { try row.get(balance + 3) }
  }

  @Test func mismatchedTypesThrow() throws {
    let db = try database("Alice")
    let row = try #require(try db.pluck(users))
    #expect(try row.get(SQLExpression<Int?>("email")) == nil)
    #expect(throws: QueryError.self) { try row.get(SQLExpression<Int>("email")) }
  }

  @Test func forcedReadsTrap() async throws {
    await #expect(processExitsWith: .failure) {
      let db = try database("Alice")
      _ = try db.pluck(users)?[SQLExpression<Int>("email")]
    }
  }

  @Test func integersAreReadAsDoubles() throws {
    let db = try Connection()
    try db.execute("CREATE TABLE t (a, b NUMERIC); INSERT INTO t VALUES (1, 2.0), (2, 9007199254740993)")
    let table = Table("t"), a = SQLExpression<Double>("a"), b = SQLExpression<Double?>("b")
    let rows = Array(try db.prepare(table))
    #expect(rows.map { $0[a] } == [1, 2])
    #expect(rows.map { $0[b] } == [2, nil])
    #expect(try db.scalar(table.select(a.sum)) == 3)
  }

  @Test func failedStepsThrow() throws {
    let db = try database("a", "b")
    db.createFunction("refuse", argumentCount: 1) { args in
      if args[0] as? Int64 == 2 { throw ValueError(type: "Int", found: "two") }
      return args[0]
    }
    let rows = try db.prepareRowIterator("SELECT refuse(id) AS id FROM users")
    #expect(try rows.failableNext()?[id] == 1)
    #expect(failure { try rows.failableNext() }?.message == "expected Int, got 'two'")
    try db.run("DROP TABLE users")
  }

  @Test func rowIteratorsReturnRows() throws {
    let db = try database("a", "b")
    let rowIterator = try db.prepareRowIterator(users)
    var emails: [String] = []
    for user in try Array(rowIterator) { emails.append(user[email]) }
    #expect(emails == ["a@mac.com", "b@mac.com"])
    let mapRowIterator = try db.prepareRowIterator(users)
    let userIds = try mapRowIterator.map { $0[id] }
    #expect(userIds == [1, 2])
    #expect(try db.prepareRowIterator(users).compactMap { $0[id] == 1 ? nil : $0[email] } == ["b@mac.com"])
    var count = 0
    while let row = try rowIterator.failableNext() { count += Int(row[id]) }
    #expect(count == 3)
  }

  @Test func `a prepared statement returns typed rows`() throws {
    let db = try database("a", "b")
    let statement = try db.prepare("SELECT email FROM users WHERE id > ?", 0)
    #expect(try statement.prepareRowIterator().map { $0[email] } == ["a@mac.com", "b@mac.com"])
    #expect(try statement.bind(1).prepareRowIterator().map { $0[email] } == ["b@mac.com"])
    #expect(failure { try statement.bind(1, 2).prepareRowIterator().failableNext() } != nil)
  }

  @Test func pluckReturnsTheFirstRow() throws {
    let db = try database("a", "b", "c")
    let trace = Trace(db)
    #expect(try db.pluck(users)?[id] == 1)
    #expect(trace.lines == ["SELECT * FROM \"users\" LIMIT 1"])
    #expect(try db.pluck(users.limit(5, offset: 1))?[id] == 2)
    #expect(try db.pluck(users.filter(id == 9)) == nil)
    #expect(try db.pluck(users.limit(0)) == nil)
  }

  @Test func rowsFollowSchemaChanges() throws {
    let db = try database("a")
    let nick = SQLExpression<String?>("nick")
    let typed = try db.prepareRowIterator(users), raw = try db.prepareRowIterator("SELECT * FROM users")
    #expect(try Array(typed).count + Array(raw).count == 2)
    try db.run(users.addColumn(nick, defaultValue: "x"))
    #expect(try typed.map { $0[nick] } == ["x"])
    #expect(try raw.map { $0[nick] } == ["x"])
    #expect(try db.pluck(users)?[nick] == "x")
  }

  @Test func `queries with the same SQL have their own columns`() throws {
    let db = try database("a", "b")
    let inOneText = users.select([SQLExpression<Void>(literal: "min(\"id\"), max(\"id\")")])
    let inTwo = users.select([id.min, id.max])
    #expect(sql(inOneText) == sql(inTwo))
    #expect(try db.pluck(inOneText)?.get("max(\"id\")") as? Int64 == 2)
    #expect(try db.pluck(inTwo)?.get(id.max) == 2)
  }

  // Swift considers both names equal.
  @Test func `columns with different bytes in their names are different columns`() throws {
    let composed = SQLExpression<Int>("\u{E9}"), decomposed = SQLExpression<Int>("e\u{301}"), table = Table("t")
    let db = try Connection()
    try db.run(
      table.create {
        $0.column(composed, unique: true)
        $0.column(decomposed)
      })
    try db.run(table.insert(composed <- 1, decomposed <- 2))
    try db.run(table.upsert(composed <- 1, decomposed <- 3, onConflictOf: composed))
    for query in [table, table.select(decomposed, composed)] {
      let row = try #require(try db.pluck(query))
      #expect(try row.get(composed) == 1)
      #expect(try row.get(table[decomposed]) == 3)
    }
    #expect(try db.schema.columnDefinitions("t").map(\.unique) == [true, false])
    let (left, right) = (table.alias("\u{E9}"), table.alias("e\u{301}"))
    let joined = left.join(.leftOuter, right, on: right[composed] == left[decomposed]).select(left[*], right[*])
    #expect(try db.pluck(joined)?.get(left[composed]) == 1)
    #expect(try db.pluck(joined)?.get(SQLExpression<Int?>(right[composed])) == .some(nil))
  }

  @Test func rowsHaveDescriptions() throws {
    let db = try database("alice")
    let row = try #require(try db.pluck(users.select(id, email, managerId, balance)))
    #expect("\(row)" == "[id:1 email:'alice@mac.com' manager_id:NULL balance:0.0]")
  }

  @Test func rowsAreSendable() async throws {
    let db = try database("a", "b")
    let rows = Array(try db.prepare(users))
    let ids = await Task { rows.map { $0[id] } }.value
    #expect(ids == [1, 2])
  }

  @Test func namespacedColumnsAreRead() throws {
    let db = try database("a")
    let row = try #require(try db.pluck(users))
    #expect(row[users[id]] == 1)
    #expect(throws: QueryError.self) { try row.get(posts[id]) }
  }
}

@Suite struct DateTests {
  let published_at = SQLExpression<Date>("published_at")

  @Test func queriesFilterByDates() {
    let date = Date(timeIntervalSince1970: 1_416_314_730)
    #expect(
      sql(posts.filter(published_at <= date))
        == "SELECT * FROM \"posts\" WHERE (\"published_at\" <= '2014-11-18T12:45:30.000')")
    let startDate = Date(timeIntervalSince1970: 0)
    #expect(
      sql(posts.filter(startDate...date ~= published_at))
        == "SELECT * FROM \"posts\" WHERE \"published_at\" BETWEEN '1970-01-01T00:00:00.000' AND "
        + "'2014-11-18T12:45:30.000'")
  }

  @Test(
    arguments: [
      ("2014-11-18T12:45:30.000", 1_416_314_730.0), ("2014-11-18 12:45:30", 1_416_314_730),
      ("2014-11-18 12:45", 1_416_314_700),
      ("2014-11-18", 1_416_268_800), ("2014-11-18T12:45:30Z", 1_416_314_730),
      ("2014-11-18T14:45:30.5+02:00", 1_416_314_730.5),
      ("12:45:30", 946_730_730),
    ])
  func dateFormatsOfSQLiteAreRead(text: String, seconds: Double) throws {
    #expect(Date.fromDatatypeValue(text) == Date(timeIntervalSince1970: seconds))
  }

  @Test(
    arguments: [
      (Date.distantPast, "0001-01-01T00:00:00.000"), (.distantFuture, "4001-01-01T00:00:00.000"),
      (Date(timeIntervalSince1970: -12_219_292_801), "1582-10-04T23:59:59.000"),
      (Date(timeIntervalSince1970: -12_219_292_800), "1582-10-15T00:00:00.000"),
      (Date(timeIntervalSince1970: 253_402_300_800), "10000-01-01T00:00:00.000"),
    ])
  func `early and late dates have the text of a date formatter`(_ date: Date, _ text: String) throws {
    #expect(date.datatypeValue == text)
    #expect(Date.fromDatatypeValue(text) == date)
  }

  @Test func `early dates in other formats of SQLite are Gregorian`() throws {
    #expect(Date.fromDatatypeValue("1582-10-14") == Date(timeIntervalSince1970: -12_219_379_200))
    #expect(throws: ValueError.self) { try Date._from(stored: "10000-1-01T00:00:00.000"._databaseValue) }
  }

  @Test func datesWrittenBySQLiteAreRead() throws {
    let db = try Connection()
    let table = Table("t"), date = SQLExpression<Date>("d")
    try db.execute(
      """
      CREATE TABLE t (d);
      INSERT INTO t VALUES (CURRENT_TIMESTAMP), (julianday('2014-11-18 12:00')), (1416314730), (x'00'), ('soon')
      """)
    let rows = Array(try db.prepare(table))
    #expect(abs(rows[0][date].timeIntervalSinceNow) < 100)
    #expect(abs(rows[1][date].timeIntervalSince1970 - 1_416_312_000) < 0.01)
    #expect(rows[2][date] == Date(timeIntervalSince1970: 1_416_314_730))
    #expect(throws: QueryError.self) { try rows[3].get(date) }
    #expect(throws: ValueError.self) { try rows[4].get(date) }
    #expect(throws: ValueError.self) { try rows[4].get(SQLExpression<UUID>("d")) }
  }
}
