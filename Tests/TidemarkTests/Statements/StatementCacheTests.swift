import CSQLite
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The statement caches: one for the library, and one for `cachedStatement`.
@Suite struct StatementCacheTests {
  // MARK: cachedStatement

  @Test func equalTextsReturnTheSameStatement() throws {
    try DatabaseQueue().inDatabase { db throws in
      let statement = try db.cachedStatement(sql: "SELECT ?")
      #expect(try db.cachedStatement(sql: "SELECT ?") === statement)
      #expect(try db.cachedStatement(sql: "SELECT ? ") !== statement)
      #expect(try db.makeStatement(sql: "SELECT ?") !== statement)
      let long = "SELECT '\(String(repeating: "x", count: 40_000))'"
      #expect(try db.cachedStatement(sql: long) === db.cachedStatement(sql: long))
    }
  }

  @Test func libraryKeepsArgumentsOfCachedStatements() throws {
    try DatabaseQueue().inDatabase { db throws in
      let statement = try db.cachedStatement(sql: "SELECT ?")
      try statement.setArguments([1])
      #expect(try Int.fetchOne(db, sql: "SELECT ?", arguments: [2]) == 2)
      try db.execute(sql: "SELECT ?", arguments: [3])
      #expect(try Int.fetchOne(db.cachedStatement(sql: "SELECT ?")) == 1)
    }
  }

  @Test func failedStatementsAreNotReused() throws {
    try DatabaseQueue.withBooks().inDatabase { db throws in
      let sql = "INSERT INTO book (title) VALUES (?)"
      let statement = try db.cachedStatement(sql: sql)
      // Wrong arguments are not a failure of the statement.
      #expect(throws: DatabaseError.self) { try statement.execute(arguments: [1, 2]) }
      #expect(try db.cachedStatement(sql: sql) === statement)
      #expect(throws: DatabaseError.self) { try statement.execute(arguments: [nil]) }
      #expect(try db.cachedStatement(sql: sql) !== statement)
      try statement.execute(arguments: ["Dune"])
      #expect(try db.titles() == ["Dune"])
    }
  }

  @Test func eachConnectionHasItsOwnCache() throws {
    let one = try DatabaseQueue()
    let other = try DatabaseQueue()
    try one.inDatabase { db1 throws in
      let statement = try db1.cachedStatement(sql: "SELECT 1")
      try other.inDatabase { db2 throws in
        #expect(try db2.cachedStatement(sql: "SELECT 1") !== statement)
      }
    }
  }

  @Test func releasingMemoryClearsTheCache() throws {
    let dbQueue = try DatabaseQueue()
    try dbQueue.inDatabase { db throws in
      let statement = try db.cachedStatement(sql: "SELECT 1")
      _ = try Int.fetchOne(db, sql: "SELECT 2")
      #expect(db.caches.fetchStatements.count > 0)
      db.releaseMemory()
      #expect(db.caches.fetchStatements.count == 0)
      #expect(try db.cachedStatement(sql: "SELECT 1") !== statement)
      // A statement that the program retains is still valid.
      #expect(try Int.fetchOne(statement) == 1)
    }
    dbQueue.releaseMemory()
    dbQueue.inDatabase { db in #expect(db.caches.programStatements.count == 0) }
  }

  // MARK: The library's own

  @Test func cacheSizeIsBounded() throws {
    var configuration = Configuration()
    configuration.maximumCachedStatementCount = 8
    try DatabaseQueue(configuration: configuration).inDatabase { db throws in
      for number in 0..<1000 {
        #expect(try Int.fetchOne(db, sql: "SELECT \(number)") == number)
        #expect(db.caches.fetchStatements.count <= 8)
      }
      #expect(db.openStatementCount <= 8)
    }
  }

  @Test func statementsAreFoundInLargeCaches() throws {
    try DatabaseQueue.withBooks().inDatabase { db throws in
      var kept: [String: Statement] = [:]
      for number in 0..<40 {
        let sql = "INSERT INTO book (title) VALUES (?) -- \(number)"
        kept[sql] = try db.cachedStatement(sql: sql)
        for (sql, statement) in kept { #expect(try db.cachedStatement(sql: sql) === statement) }
      }
      // Failing statements are removed, down to none, and the others stay.
      while let (_, statement) = kept.popFirst() {
        #expect(throws: DatabaseError.self) { try statement.execute(arguments: [nil]) }
        for (sql, statement) in kept { #expect(try db.cachedStatement(sql: sql) === statement) }
        #expect(db.caches.programStatements.count == kept.count)
      }
    }
  }

  @Test func evictionKeepsStatementsInUse() throws {
    var configuration = Configuration()
    configuration.maximumCachedStatementCount = 8
    try DatabaseQueue(configuration: configuration).inDatabase { db throws in
      let daily = try db.preparedStatement(sql: "SELECT 'daily'")
      for number in 0..<100 {
        _ = try db.preparedStatement(sql: "SELECT \(number)")
        #expect(try db.preparedStatement(sql: "SELECT 'daily'") === daily)
      }
    }
  }

  @Test func emptyCachesWork() throws {
    var configuration = Configuration()
    configuration.maximumCachedStatementCount = 0
    let dbQueue = try DatabaseQueue.withBooks(configuration)
    try dbQueue.write { try $0.execute(sql: "INSERT INTO book (title) VALUES ('Dune')") }
    #expect(try dbQueue.read { try $0.titles() } == ["Dune"])
    dbQueue.inDatabase { db in
      #expect(db.caches.fetchStatements.count == 0)
      #expect(db.openStatementCount == 0)
    }
  }

  @Test func longTextsAreNotCached() throws {
    try DatabaseQueue().inDatabase { db throws in
      let count = db.caches.fetchStatements.count
      _ = try Row.fetchOne(db, sql: "SELECT '\(String(repeating: "x", count: 40_000))'")
      #expect(db.caches.fetchStatements.count == count)
    }
  }

  @Test func queriesNestInsideThemselves() throws {
    try DatabaseQueue().inDatabase { db throws in
      let sql = "WITH n(i) AS (VALUES (1), (2)) SELECT i + ? FROM n"
      var results: [[Int]] = []
      let outer = try Int.fetchCursor(db, sql: sql, arguments: [0])
      while let number = try outer.next() {
        results.append(try Int.fetchAll(db, sql: sql, arguments: [number * 10]))
        let inner = try Int.fetchCursor(db, sql: sql, arguments: [100])
        #expect(try inner.next() == 101)
      }
      #expect(results == [[11, 12], [21, 22]])
    }
  }

  @Test func failedStatementsWorkAgain() throws {
    try DatabaseQueue().inDatabase { db throws in
      let sql = "SELECT abs(?)"
      for _ in 0..<3 {
        #expect(throws: DatabaseError.self) { try Int.fetchOne(db, sql: sql, arguments: [Int64.min]) }
        #expect(try Int.fetchOne(db, sql: sql, arguments: [-1]) == 1)
      }
    }
  }

  @Test func statementsFollowTheSchema() throws {
    try DatabaseQueue().inDatabase { db throws in
      let sql = "SELECT * FROM t"
      try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
      #expect(try Row.fetchAll(db, sql: sql).map(\.description) == ["[a:1]"])
      try db.execute(sql: "DROP TABLE t")
      #expect(
        message { _ = try Row.fetchAll(db, sql: sql) } == "SQLite error 1: no such table: t - while executing `\(sql)`")
      try db.execute(sql: "CREATE TABLE t (b, c); INSERT INTO t VALUES (2, 3)")
      #expect(try Row.fetchAll(db, sql: sql).map(\.description) == ["[b:2 c:3]"])
    }
  }

  @Test func statementsFollowExternalSchemaChanges() throws {
    let folder = try TemporaryFolder()
    let one = try DatabaseQueue(path: folder.path("db"))
    let other = try DatabaseQueue(path: folder.path("db"))
    let sql = "SELECT * FROM t"
    try one.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    #expect(try one.read { try Row.fetchAll($0, sql: sql).map(\.description) } == ["[a:1]"])
    try other.write { try $0.execute(sql: "ALTER TABLE t RENAME COLUMN a TO z; ALTER TABLE t ADD COLUMN b") }
    #expect(try one.read { try Row.fetchAll($0, sql: sql).map(\.description) } == ["[z:1 b:NULL]"])
    try other.write { try $0.execute(sql: "DROP TABLE t") }
    #expect(throws: DatabaseError.self) { try one.read { try Row.fetchAll($0, sql: sql) } }
  }

  @Test func cachedStatementsReleaseLargeValues() throws {
    try DatabaseQueue().inDatabase { db throws in
      _ = try String.fetchOne(db, sql: "SELECT ?", arguments: [String(repeating: "x", count: 5000)])
      let statement = try db.preparedStatement(sql: "SELECT ?")
      #expect(statement.arguments.isEmpty)
      #expect(statement.expandedSQL == "SELECT NULL")
    }
  }
}

extension Database {
  /// The open statements of SQLite. C: `sqlite3_next_stmt`.
  var openStatementCount: Int {
    var count = 0
    // Not `sqliteConnection`: a program that uses it shares the connection, which opens a statement.
    let connection = handle?.pointer
    var statement = sqlite3_next_stmt(connection, nil)
    while statement != nil {
      count += 1
      statement = sqlite3_next_stmt(connection, statement)
    }
    return count
  }
}

extension Tidemark.Statement {
  fileprivate var expandedSQL: String {
    guard let text = sqlite3_expanded_sql(sqliteStatement) else { return "" }
    defer { sqlite3_free(text) }
    return String(cString: text)
  }
}
