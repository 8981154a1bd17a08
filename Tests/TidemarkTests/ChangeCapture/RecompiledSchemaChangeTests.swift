import Testing

import Tidemark
@testable import TidemarkEssentials

/// A schema change with `IF EXISTS` or `IF NOT EXISTS` may have nothing to do when it is compiled, and something to do
/// when it runs.
@Suite struct RecompiledSchemaChangeTests {
  struct Change: Sendable {
    var sql: String

    /// Undoes the change, so that the statement has something to do.
    var opposite: String
  }

  private static let schema = """
    CREATE TABLE kept (x); CREATE VIEW v AS SELECT 1;
    CREATE TABLE t (x); CREATE INDEX i ON t (x);
    """

  static let changes = [
    Change(sql: "DROP TABLE IF EXISTS b", opposite: "CREATE TABLE b (x)"),
    Change(sql: "DROP VIEW IF EXISTS b", opposite: "CREATE VIEW b AS SELECT 1"),
    Change(sql: "DROP INDEX IF EXISTS b", opposite: "CREATE INDEX b ON kept (x)"),
    Change(sql: "DROP TRIGGER IF EXISTS b", opposite: "CREATE TRIGGER b AFTER INSERT ON kept BEGIN SELECT 1; END"),
    Change(sql: "CREATE TABLE IF NOT EXISTS t (x)", opposite: "DROP TABLE t"),
    Change(sql: "CREATE INDEX IF NOT EXISTS i ON t (x)", opposite: "DROP INDEX i"),
    Change(sql: "CREATE VIEW IF NOT EXISTS v AS SELECT 1", opposite: "DROP VIEW v"),
  ]

  @Test(arguments: changes, [true, false]) func executedSQLIsReported(change: Change, inTransaction: Bool) throws {
    let (dbQueue, recorder) = try captured(Self.schema)
    try dbQueue.writeWithoutTransaction { db in
      for _ in 0..<3 { try db.execute(sql: change.sql) }
      try db.execute(sql: change.opposite)
      _ = recorder.take()
      if inTransaction {
        try db.inTransaction {
          try db.execute(sql: change.sql)
          return .commit
        }
      } else {
        try db.execute(sql: change.sql)
      }
    }
    #expect(recorder.take().contains { $0.isUnknown || !$0.schemaChanges.isEmpty })
  }

  @Test func `a schema change that was compiled again before the subscription does not concern later transactions`()
    throws
  {
    let dbQueue = try DatabaseQueue()
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(sql: "CREATE TABLE t (n)")
      let statement = try db.makeStatement(sql: "DROP TABLE IF EXISTS b")
      try statement.execute()
      try db.execute(sql: "CREATE TABLE b (n)")
      try statement.execute()
    }
    let recorder = ChangeRecorder(dbQueue)
    try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    #expect(recorder.takeRows() == ["insert t #1(n=1)"])
  }

  @Test(arguments: changes, [true, false]) func preparedStatementsAreReported(change: Change, isCached: Bool) throws {
    let (dbQueue, recorder) = try captured(Self.schema)
    try dbQueue.writeWithoutTransaction { db in
      let statement = try isCached ? db.cachedStatement(sql: change.sql) : db.makeStatement(sql: change.sql)
      try statement.execute()
      try db.execute(sql: change.opposite)
      _ = recorder.take()
      try db.inTransaction {
        try statement.execute()
        return .commit
      }
    }
    #expect(recorder.take().contains { $0.isUnknown || !$0.schemaChanges.isEmpty })
  }

  @Test(arguments: ["aux", "main", "temp"]) func `schema changes beside an attached database are known`(
    schema: String
  ) throws {
    let dbQueue = try DatabaseQueue()
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(sql: "ATTACH ':memory:' AS aux; CREATE TABLE \(schema).t (x); INSERT INTO t VALUES (1)")
    }
    let recorder = ChangeRecorder(dbQueue)
    try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    _ = recorder.take()
    try dbQueue.write { db in
      try db.execute(sql: "ALTER TABLE \(schema).t ADD COLUMN y DEFAULT 1; ALTER TABLE \(schema).t ADD COLUMN z")
      try db.makeStatement(sql: "ALTER TABLE \(schema).t RENAME x TO w").execute()
      try db.execute(sql: "CREATE TABLE \(schema).u (x); DROP TABLE \(schema).u")
    }
    let changes = recorder.take()
    #expect(changes.map(\.isUnknown) == [false])
    #expect(changes.first?.schemaChanges.count == 5)
  }

  @Test func liveQueriesFollowATableThatIsDroppedIfItExists() throws {
    let dbQueue = try DatabaseQueue()
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(sql: "ATTACH ':memory:' AS aux; CREATE TABLE aux.b (x); INSERT INTO aux.b VALUES (1), (2)")
      try db.execute(sql: "DROP TABLE IF EXISTS main.b")
      try db.execute(sql: "CREATE TABLE main.b (x)")
    }
    let observation = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT count(*) FROM b") ?? -1 }
    let (counts, cancellable) = observation.collect(in: dbQueue)
    try counts.wait(forLast: 0)
    try dbQueue.write { try $0.execute(sql: "DROP TABLE IF EXISTS main.b") }
    try counts.wait(forLast: 2)
    cancellable.cancel()
  }
}
