import Foundation
import SQLiteDB
import Synchronization
import Testing

/// The ways to iterate over rows.
enum Loop: String, CaseIterable, Sendable {
  case query
  case rowIterator
  case textIterator
  case statement

  /// Returns a closure that returns the first column of the next row. The query is prepared, but not yet iterated.
  func rows(_ db: Connection, _ table: Table) throws -> () throws -> Int64? {
    let sql = table.expression.template
    switch self {
    case .query:
      let iterator = try db.prepare(table).makeIterator()
      return { try iterator.next()?.get(value) }
    case .rowIterator:
      let iterator = try db.prepareRowIterator(table)
      return { try iterator.failableNext()?.get(value) }
    case .textIterator:
      let iterator = try db.prepareRowIterator(sql, bindings: [])
      return { try iterator.failableNext()?.get(value) }
    case .statement:
      let statement = try db.prepare(sql)
      return { try statement.failableNext()?[0] as? Int64 }
    }
  }
}

private let value = SQLExpression<Int64>("a")
private let numbers = Table("t")

/// Returns an in-memory database with a table that contains the numbers from 1.
private func database(_ count: Int) throws -> Connection {
  let db = try Connection()
  try db.execute("CREATE TABLE t (a INTEGER)")
  try fill(db, count)
  return db
}

private func fill(_ db: Connection, _ count: Int) throws {
  try db.run(
    "INSERT INTO t WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT ?) SELECT x FROM c", count)
}

private func rest(_ next: () throws -> Int64?) throws -> [Int64] {
  var rows: [Int64] = []
  while let row = try next() { rows.append(row) }
  return rows
}

@Suite struct LoopTests {
  @Test(arguments: Loop.allCases, [3, 250])
  func loopsReadOneSnapshot(_ loop: Loop, _ count: Int) throws {
    let db = try database(count)
    let next = try loop.rows(db, numbers)
    #expect(try next() == 1)
    try db.run(numbers.update(value <- value + 1000))
    try db.run(numbers.insert(value <- 7))
    #expect(try rest(next) == Array(2...Int64(count)))
    #expect(try db.scalar(numbers.count) == count + 1)
  }

  @Test(arguments: Loop.allCases)
  func loopsReadOneSnapshotAcrossARollback(_ loop: Loop) throws {
    let db = try database(250)
    try db.run("BEGIN")
    try db.run(numbers.update(value <- value + 1000))
    let next = try loop.rows(db, numbers)
    #expect(try next() == 1001)
    try db.run("ROLLBACK")
    #expect(try rest(next) == Array(1002...1250))
  }

  @Test(arguments: Loop.allCases)
  func loopsReadOneSnapshotAcrossASavepointRollback(_ loop: Loop) throws {
    let db = try database(250)
    try db.run("SAVEPOINT s")
    try db.run(numbers.update(value <- value + 1000))
    let next = try loop.rows(db, numbers)
    #expect(try next() == 1001)
    try db.run("ROLLBACK TO s")
    #expect(try rest(next) == Array(1002...1250))
    try db.run("RELEASE s")
  }

  @Test(arguments: Loop.allCases)
  func tablesCanBeDroppedDuringALoop(_ loop: Loop) throws {
    let db = try database(250)
    let next = try loop.rows(db, numbers)
    #expect(try next() == 1)
    try db.run(numbers.drop())
    #expect(try rest(next) == Array(2...250))
  }

  @Test(arguments: Loop.allCases)
  func loopsAreIsolatedFromConcurrentTransactions(_ loop: Loop) throws {
    let db = try database(300)
    let sum = Int64(300 * 301 / 2)
    let isWriting = Atomic<Bool>(true)
    let wrong = Mutex<[Int64]>([])
    DispatchQueue.concurrentPerform(iterations: 2) { index in
      do {
        if index == 0 {
          defer { isWriting.store(false, ordering: .relaxed) }
          for row in 1...200 {
            try db.transaction {
              try db.run("UPDATE t SET a = a - 5 WHERE rowid = ?", row)
              try db.run("UPDATE t SET a = a + 5 WHERE rowid = ?", 301 - row)
            }
          }
        } else {
          repeat {
            let read = try rest(try loop.rows(db, numbers)).reduce(0, +)
            if read != sum { wrong.withLock { $0.append(read) } }
          } while isWriting.load(ordering: .relaxed)
        }
      } catch {
        Issue.record(error)
      }
    }
    #expect(wrong.withLock { $0 } == [])
  }

  @Test func changesOfOtherTablesDoNotReadAhead() throws {
    let db = try database(1)
    try db.execute("CREATE TABLE log (n INTEGER)")
    let rows = try db.prepareRowIterator(
      "WITH RECURSIVE c(x) AS (SELECT a FROM t UNION ALL SELECT x + 1 FROM c) SELECT x FROM c")
    for count in 1...3 {
      #expect(try rows.failableNext()?.bindings[0] as? Int64 == Int64(count))
      try db.run("INSERT INTO log VALUES (?)", count)
    }
  }

  @Test func currentRowIsConvertedAfterReadingAhead() throws {
    let db = try database(3)
    let statement = try db.prepare("SELECT a FROM t")
    #expect(try statement.failableNext()?[0] as? Int64 == 1)
    try db.run(numbers.delete())
    #expect(statement.row[0] as? Int64 == 1)
    #expect(statement.row[0] as String == "1")
    #expect(try statement.step())
    #expect(statement.row[0] as Int64 == 2)
  }

  @Test func steppedStatementsBlockTheDropOfTheirTable() throws {
    let db = try database(3)
    let statement = try db.prepare("SELECT a FROM t")
    #expect(try statement.step())
    #expect(failure { try db.run("DROP TABLE t") }?.code == SQLITE_LOCKED)
    statement.reset()
    try db.run("DROP TABLE t")
  }
}

@Suite struct PreparedQueryTests {
  @Test func prepareThrowsTheErrorOfTheFirstStep() throws {
    let folder = try Folder()
    let path = folder.path("db.sqlite")
    let (db, other) = (try Connection(path), try Connection(path))
    try db.execute("CREATE TABLE t (a INTEGER)")
    try fill(db, 3)
    try other.run("BEGIN EXCLUSIVE")
    #expect(failure { try db.prepare(numbers) }?.code == SQLITE_BUSY)
    try other.run("COMMIT")
    #expect(try db.prepare(numbers).map { $0[value] } == [1, 2, 3])
  }

  @Test func prepareThrowsErrorsOfTheFirstRows() throws {
    let db = try database(3)
    try db.run("UPDATE t SET a = ? WHERE a = 3", Int64.min)
    let query = numbers.select(value.absoluteValue)
    do {
      _ = try db.prepare(query)
      Issue.record("The query was prepared")
    } catch Result.error(let message, let code, let statement) {
      #expect(message == "integer overflow")
      #expect(code == SQLITE_ERROR)
      #expect(statement?.description == "SELECT abs(\"a\") FROM \"t\"")
    }
  }

  @Test(arguments: [3, 250])
  func preparedQueriesRunOnceForTheFirstLoop(_ count: Int) throws {
    let db = try database(count)
    let trace = Trace(db)
    #expect(try db.prepare(numbers).map { $0[value] } == Array(1...Int64(count)))
    #expect(trace.lines == ["SELECT * FROM \"t\""])
  }

  @Test(arguments: [3, 250])
  func laterLoopsRunTheQueryAgain(_ count: Int) throws {
    let db = try database(count)
    let rows = try db.prepare(numbers)
    #expect(rows.map { $0[value] }.count == count)
    try db.run(numbers.filter(value == 1).delete())
    #expect(rows.map { $0[value] } == Array(2...Int64(count)))
  }

  @Test(arguments: [3, 250])
  func firstLoopReadsEarlierChanges(_ count: Int) throws {
    let db = try database(count)
    let rows = try db.prepare(numbers)
    try db.run(numbers.filter(value == 1).delete())
    #expect(rows.map { $0[value] } == Array(2...Int64(count)))
  }

  @Test(arguments: [3, 250])
  func unusedPreparedQueriesDoNotBlockOtherStatements(_ count: Int) throws {
    let db = try database(count)
    let rows = try db.prepare(numbers)
    try db.run("DROP TABLE t")
    withExtendedLifetime(rows) {}
  }

  @Test(arguments: [3, 120])
  func nestedLoopsOverOneQueryAreIndependent(_ count: Int) throws {
    let db = try database(count)
    let rows = try db.prepare(numbers)
    var pairs = 0
    for _ in rows { for _ in rows { pairs += 1 } }
    #expect(pairs == count * count)
  }
}
