import CSQLite
import Foundation
import Testing
import Tidemark

/// Observations detect changes made in any of seventeen ways, by the same database or by other connections.
@Suite struct ChangeSourceTests {
  /// A way to change a database.
  struct Source: Sendable, CustomStringConvertible {
    var description: String
    var setUp: String
    var query: String
    var change: @Sendable (Database) throws -> Void

    init(
      _ description: String, _ setUp: String, _ query: String, _ change: @escaping @Sendable (Database) throws -> Void
    ) {
      self.description = description
      self.setUp = setUp
      self.query = query
      self.change = change
    }

    init(_ description: String, _ setUp: String, _ query: String, sql: String) {
      self.init(description, setUp, query) { try $0.execute(sql: sql) }
    }
  }

  static let sources: [Source] = [
    Source(
      "a keyed update", "CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 'a'), (2, 'b')",
      "SELECT v FROM t WHERE id = 1", sql: "UPDATE t SET v = 'x' WHERE id = 1"),
    Source(
      "a foreign key cascade",
      """
      CREATE TABLE p (id INTEGER PRIMARY KEY);
      CREATE TABLE c (id INTEGER PRIMARY KEY, p REFERENCES p ON DELETE CASCADE);
      INSERT INTO p VALUES (1), (2); INSERT INTO c VALUES (10, 1), (20, 2)
      """,
      "SELECT id FROM c", sql: "DELETE FROM p WHERE id = 1"),
    Source(
      "a trigger",
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY); CREATE TABLE log (n);
      CREATE TRIGGER logged AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.id); END
      """,
      "SELECT n FROM log", sql: "INSERT INTO t VALUES (7)"),
    Source(
      "a change below a view",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v); CREATE VIEW w AS SELECT v FROM t; INSERT INTO t VALUES (1, 'a')",
      "SELECT v FROM w", sql: "UPDATE t SET v = 'b'"),
    Source(
      "a DELETE of everything", "CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 'a'), (2, 'b')",
      "SELECT v FROM t", sql: "DELETE FROM t"),
    Source(
      "a row that REPLACE removes",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, k UNIQUE, v); INSERT INTO t VALUES (1, 'k', 'a')",
      "SELECT v FROM t WHERE id = 1", sql: "REPLACE INTO t VALUES (2, 'k', 'b')"),
    Source(
      "a table WITHOUT ROWID", "CREATE TABLE t (k TEXT PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO t VALUES ('k', 'a')",
      "SELECT v FROM t WHERE k = 'k'", sql: "UPDATE t SET v = 'b' WHERE k = 'k'"),
    Source(
      "an update of a column added with a default",
      "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1); ALTER TABLE t ADD COLUMN v DEFAULT 'a'",
      "SELECT id FROM t WHERE v = 'a'", sql: "UPDATE t SET v = 'b'"),
    Source(
      "a blob written in pieces",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, x'00')", "SELECT hex(v) FROM t"
    ) { db in
      var blob: OpaquePointer?
      #expect(sqlite3_blob_open(db.sqliteConnection, "main", "t", "v", 1, 1, &blob) == SQLITE_OK)
      #expect(sqlite3_blob_write(blob, [0xFF], 1, 0) == SQLITE_OK)
      #expect(sqlite3_blob_close(blob) == SQLITE_OK)
    },
    Source(
      "a full-text table with its own content", "CREATE VIRTUAL TABLE f USING fts5(v); INSERT INTO f VALUES ('red')",
      "SELECT v FROM f WHERE f MATCH 'blue'", sql: "INSERT INTO f VALUES ('blue')"),
    Source(
      "a full-text table with external content",
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, v);
      CREATE VIRTUAL TABLE f USING fts5(v, content='t', content_rowid='id');
      INSERT INTO t VALUES (1, 'red'); INSERT INTO f(rowid, v) VALUES (1, 'red')
      """,
      "SELECT v FROM f WHERE f MATCH 'red'", sql: "UPDATE t SET v = 'dark red'"),
    Source(
      "an R*Tree", "CREATE VIRTUAL TABLE r USING rtree(id, a, b); INSERT INTO r VALUES (1, 0, 1)",
      "SELECT id FROM r WHERE a > 5", sql: "INSERT INTO r VALUES (2, 6, 7)"),
    Source(
      "sqlite3_exec on the connection", "CREATE TABLE t (v); INSERT INTO t VALUES ('a')", "SELECT v FROM t"
    ) { db in
      #expect(sqlite3_exec(db.sqliteConnection, "UPDATE t SET v = 'b'", nil, nil, nil) == SQLITE_OK)
    },
    Source(
      "a table that is dropped and made again", "CREATE TABLE t (v); INSERT INTO t VALUES ('a')", "SELECT v FROM t",
      sql: "DROP TABLE t; CREATE TABLE t (v); INSERT INTO t VALUES ('b')"),
  ]

  @Test(arguments: sources, Observed.allCases)
  func changesFromAnySourceAreObserved(_ source: Source, _ observed: Observed) throws {
    try observed.withDatabase { writer in
      try writer.write { try $0.execute(sql: source.setUp) }
      let query = source.query
      let observation = ValueObservation.tracking { db in try Row.fetchAll(db, sql: query).map(\.description) }
      let (deliveries, cancellable) = observation.collect(in: writer)
      let before = try deliveries.wait { !$0.isEmpty }[0]
      try writer.write(source.change)
      let after = try writer.read { try Row.fetchAll($0, sql: query).map(\.description) }
      #expect(after != before, "The source must change something")
      try deliveries.wait(forLast: after)
      cancellable.cancel()
    }
  }

  /// The other connections that change a file.
  enum Other: String, CaseIterable {
    case secondConnection
    case otherProcess
  }

  @Test(arguments: Other.allCases, ["delete", "wal", "pool"])
  func externalChangesAreObserved(_ other: Other, _ mode: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("db")
    let writer: any DatabaseWriter = try mode == "pool" ? DatabasePool(path: path) : DatabaseQueue(path: path)
    try writer.write { try $0.createPlayers() }
    if mode == "wal" {
      _ = try writer.writeWithoutTransaction { try String.fetchOne($0, sql: "PRAGMA journal_mode = wal") }
    }
    let (deliveries, cancellable) = ValueObservationTests.playerCount.collect(in: writer)
    try deliveries.wait(forLast: 0)
    let sql = "INSERT INTO player (name) VALUES ('Arthur')"
    switch other {
    case .secondConnection: try DatabaseQueue(path: path).write { try $0.execute(sql: sql) }
    case .otherProcess: guard try Shell.run(path, sql) else { return }
    }
    try deliveries.wait(forLast: 1)
    cancellable.cancel()
  }

  @Test(arguments: Observed.allCases)
  func backupsIntoTheDatabaseAreObserved(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let (deliveries, cancellable) = ValueObservationTests.playerCount.collect(in: writer)
      try deliveries.wait(forLast: 0)
      let other = try DatabaseQueue()
      try other.write { db in
        try db.createPlayers()
        try db.addPlayer("Arthur")
      }
      try other.backup(to: writer)
      try deliveries.wait(forLast: 1)
      cancellable.cancel()
    }
  }
}
