import CSQLite
import Foundation
import Testing
import Tidemark

/// Statements that are compiled while another connection changes the schema.
@Suite struct ChangingSchemaTests {
  /// Adds a table at each of the first calls.
  private final class Changes {
    private let dbQueue: DatabaseQueue
    private(set) var left: Int

    init(_ dbQueue: DatabaseQueue, count: Int) { (self.dbQueue, left) = (dbQueue, count) }

    func addTable() throws {
      guard left > 0 else { return }
      left -= 1
      try dbQueue.write { [left] db in try db.execute(sql: "CREATE TABLE other\(left) (x)") }
    }
  }

  @Test func `a query plan is explained again after a change of the schema`() throws {
    let sql = "EXPLAIN QUERY PLAN SELECT a FROM t WHERE a = 1"
    func plan(_ db: Database) throws -> String? { try Row.fetchOne(db, sql: sql).map { $0["detail"] } }
    try DatabaseQueue().inDatabase { db in
      try db.execute(sql: "CREATE TABLE t (a); CREATE INDEX i ON t (a)")
      try db.execute(sql: sql)
      #expect(try plan(db) == "SEARCH t USING COVERING INDEX i (a=?)")
      try db.execute(sql: "DROP INDEX i")
      #expect(try plan(db) == "SCAN t")
      try db.execute(sql: "CREATE INDEX i ON t (a)")
      #expect(try plan(db) == "SEARCH t USING COVERING INDEX i (a=?)")
    }
  }

  @Test(arguments: [false, true])
  func `a reader explains a query plan with the schema of another connection`(inStatement: Bool) throws {
    let sql = "EXPLAIN QUERY PLAN SELECT a FROM t WHERE a = 1"
    let folder = try TemporaryFolder()
    let dbPool = try DatabasePool(path: folder.path("db"))
    func plan() throws -> String? {
      try dbPool.read { db in
        let row = inStatement ? try Row.fetchOne(db.cachedStatement(sql: sql)) : try Row.fetchOne(db, sql: sql)
        return row.map { $0["detail"] }
      }
    }
    try dbPool.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    #expect(try plan() == "SCAN t")
    try dbPool.write { try $0.execute(sql: "CREATE INDEX i ON t (a)") }
    #expect(try plan() == "SEARCH t USING COVERING INDEX i (a=?)")
  }

  @Test func `an error of a statement is not that the schema has changed`() throws {
    let folder = try TemporaryFolder()
    let (dbQueue, other) = (try DatabaseQueue(path: folder.path("db")), try DatabaseQueue(path: folder.path("db")))
    try other.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    let changes = Changes(other, count: 5)
    try dbQueue.inDatabase { db throws in
      #expect(try Int.fetchOne(db, sql: "SELECT count(a) FROM t") == 0)
      // SQLite asks whether the column may be read, after it has read the schema.
      sqlite3_set_authorizer(
        db.sqliteConnection,
        { context, action, _, _, _, _ in
          if action == SQLITE_READ, let context {
            do {
              try Unmanaged<Changes>.fromOpaque(context).takeUnretainedValue().addTable()
            } catch {
              Issue.record(error)
            }
          }
          return SQLITE_OK
        }, Unmanaged.passUnretained(changes).toOpaque())
      defer { sqlite3_set_authorizer(db.sqliteConnection, nil, nil) }
      let error = #expect(throws: DatabaseError.self) { try db.makeStatement(sql: "SELECT a, missing FROM t") }
      #expect(error?.resultCode == .SQLITE_ERROR)
      #expect(error?.message == "no such column: missing")
    }
    #expect(changes.left == 0)
    try withExtendedLifetime(changes) { try dbQueue.close() }
  }
}
