import Testing
import Tidemark

/// Conditions of live queries whose functions are replaced while the queries run.
@Suite struct RedefinedFunctionTests {
  private func check(
    _ condition: String, inserting value: String, _ redefine: @escaping (Database) throws -> Void
  ) throws {
    let database = try Observed.queue.open()
    try database.writer.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)") }
    let observation = ValueObservation.tracking { db in
      try Int.fetchAll(db, sql: "SELECT id FROM t WHERE \(condition)")
    }
    let (deliveries, cancellable) = observation.collect(in: database.writer)
    try deliveries.wait(forLast: [])
    try database.writer.writeWithoutTransaction(redefine)
    for id in 1...3 {
      try database.writer.write { try $0.execute(sql: "INSERT INTO t (a) VALUES ('\(value)')") }
      try deliveries.wait(forLast: Array(1...id))
    }
    cancellable.cancel()
  }

  @Test func `a query whose function is replaced is fetched after the following commits`() throws {
    try check("lower(a) = 'x'", inserting: "zzz") { db in
      db.add(function: DatabaseFunction("lower", argumentCount: 1, pure: true) { _ in "x" })
    }
  }

  @Test func `a query whose operator is replaced is fetched after the following commits`() throws {
    try check("a LIKE 'x%'", inserting: "zzz") { db in
      db.add(function: DatabaseFunction("like", argumentCount: 2, pure: true) { _ in true })
    }
  }

  @Test func `a query whose collation is replaced is fetched after the following commits`() throws {
    try check("a = 'x' COLLATE NOCASE", inserting: "zzz") { db in
      db.add(collation: DatabaseCollation("NOCASE") { _, _ in .orderedSame })
    }
  }

  @Test func `a query whose comparison a setting changes is fetched after the following commits`() throws {
    try check("a NOT LIKE 'x%'", inserting: "X") { try $0.execute(sql: "PRAGMA case_sensitive_like = ON") }
  }
}
