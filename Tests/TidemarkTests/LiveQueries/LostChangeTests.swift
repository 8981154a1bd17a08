import CSQLite
import Foundation
import Testing
import Tidemark

/// Every commit that changes the result of a query is delivered, however the commit was made.
@Suite struct LostChangeTests {
  private static let count = ValueObservation.tracking { db in
    try Int.fetchOne(db, sql: "SELECT count(*) FROM a WHERE n = 9") ?? -1
  }
  private static let sum = ValueObservation.tracking { db in
    try Int.fetchOne(db, sql: "SELECT sum(r) FROM a") ?? -1
  }

  private func withRows(_ observed: Observed, _ body: (any DatabaseWriter) throws -> Void) throws {
    try observed.withDatabase { writer in
      try writer.write { db in
        try db.execute(
          sql: """
            CREATE TABLE a (id INTEGER PRIMARY KEY, n INT, r INT);
            INSERT INTO a WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 2500)
              SELECT x, 1, 1 FROM c;
            """)
      }
      try body(writer)
    }
  }

  // swift-format-ignore
  @Test(arguments: Observed.allCases, [
    ("INSERT INTO a VALUES (9001, 9, 1); UPDATE a SET r = 5", 1, 12_505),
    ("UPDATE a SET n = 9 WHERE id = 1; UPDATE a SET r = 5", 1, 12_500),
    ("SAVEPOINT s; INSERT INTO a VALUES (9001, 9, 1); RELEASE s; UPDATE a SET r = 5", 1, 12_505),
    ("UPDATE a SET r = 5; INSERT INTO a VALUES (9001, 9, 1)", 1, 12_501),
  ])
  func largeUpdatesDoNotHideSmallerChanges(of observed: Observed, _ transaction: (sql: String, count: Int, sum: Int)) throws {
    try withRows(observed) { writer in
      let (counts, countCancellable) = Self.count.collect(in: writer)
      let (sums, sumCancellable) = Self.sum.collect(in: writer)
      try counts.wait(forLast: 0)
      try sums.wait(forLast: 2500)
      try writer.write { try $0.execute(sql: transaction.sql) }
      try sums.wait(forLast: transaction.sum)
      try counts.wait(forLast: transaction.count)
      countCancellable.cancel()
      sumCancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func changesByCFunctionsAreNotHiddenByStatementsOfTheLibrary(of observed: Observed) throws {
    try withRows(observed) { writer in
      let (counts, countCancellable) = Self.count.collect(in: writer)
      let (sums, sumCancellable) = Self.sum.collect(in: writer)
      try counts.wait(forLast: 0)
      try sums.wait(forLast: 2500)
      try writer.write { db in
        try #require(sqlite3_exec(db.sqliteConnection, "UPDATE a SET r = 3", nil, nil, nil) == SQLITE_OK)
        try db.execute(sql: "INSERT INTO a VALUES (9001, 9, 1)")
      }
      try sums.wait(forLast: 7501)
      try counts.wait(forLast: 1)
      countCancellable.cancel()
      sumCancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases, ["2", "2.0", " 2 ", "+2", ".2e1", "02"])
  func aNumberThatIsStoredAsATextIsFoundAsANumber(of observed: Observed, text: String) throws {
    try observed.withDatabase { writer in
      try writer.write { db in
        try db.execute(
          sql: "CREATE TABLE b (id INTEGER PRIMARY KEY, n INT); INSERT INTO b VALUES (1, ?)",
          arguments: [String(repeating: "x", count: text.utf8.count)])
        try replaceText(by: text, in: db)
      }
      let twos = ValueObservation.tracking { db in try Int.fetchAll(db, sql: "SELECT id FROM b WHERE n = 2") }
      let (values, cancellable) = twos.collect(in: writer)
      try values.wait(forLast: [1])
      try writer.write { try $0.execute(sql: "DELETE FROM b") }
      try values.wait(forLast: [])
      cancellable.cancel()
    }
  }

  @Test(
    arguments: Observed.allCases,
    [
      "SELECT id FROM b WHERE n <= 4 ORDER BY n DESC LIMIT 1",
      "SELECT b.id FROM b JOIN c ON c.n = b.n WHERE b.id = 1", "SELECT b.id FROM b JOIN c USING (n) WHERE c.id = 1",
    ])
  func aNumberThatIsStoredAsATextBoundsNoRegion(of observed: Observed, sql: String) throws {
    try observed.withDatabase { writer in
      try writer.write { db in
        try db.execute(
          sql: """
            CREATE TABLE b (id INTEGER PRIMARY KEY, n INT); INSERT INTO b VALUES (1, 'x');
            CREATE TABLE c (id INTEGER PRIMARY KEY, n INT); INSERT INTO c VALUES (1, 2);
            CREATE INDEX i ON c (n);
            """)
        try replaceText(by: "2", in: db)
      }
      let (values, cancellable) = ValueObservation.tracking { try Int.fetchAll($0, sql: sql) }.collect(in: writer)
      let before = try writer.read { try Int.fetchAll($0, sql: sql) }
      try values.wait(forLast: before)
      try writer.write { try $0.execute(sql: "INSERT INTO b VALUES (2, 1); INSERT INTO c VALUES (2, 2), (3, 1)") }
      try values.wait(forLast: try writer.read { try Int.fetchAll($0, sql: sql) })
      try writer.write { try $0.execute(sql: "DELETE FROM b WHERE id = 1") }
      try values.wait(forLast: try writer.read { try Int.fetchAll($0, sql: sql) })
      cancellable.cancel()
    }
  }

  /// Stores a text in the only row of a table, which SQLite would convert to a number in a statement.
  private func replaceText(by text: String, in db: Database) throws {
    var blob: OpaquePointer?
    try #require(sqlite3_blob_open(db.sqliteConnection, "main", "b", "n", 1, 1, &blob) == SQLITE_OK)
    try #require(sqlite3_blob_write(blob, Array(text.utf8), CInt(text.utf8.count), 0) == SQLITE_OK)
    try #require(sqlite3_blob_close(blob) == SQLITE_OK)
  }

  @Test(arguments: Observed.allCases, [true, false])
  func aStoredSettingIsDelivered(of observed: Observed, throughTheLibrary: Bool) throws {
    try observed.withDatabase { writer in
      for (name, value) in [("user_version", 5), ("application_id", 7)] {
        for query in ["PRAGMA \(name)", "SELECT \(name) FROM pragma_\(name)"] {
          try writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA \(name) = 1") }
          let (values, cancellable) = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: query)
          }.collect(in: writer)
          try values.wait(forLast: 1)
          try writer.writeWithoutTransaction { db in
            let sql = "PRAGMA \(name) = \(value)"
            if throughTheLibrary {
              try db.execute(sql: sql)
            } else {
              try #require(sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil) == SQLITE_OK)
            }
          }
          try values.wait(forLast: value)
          cancellable.cancel()
        }
      }
    }
  }

  @Test(arguments: Observed.allCases, ["SELECT count(*) FROM sqlite_master", "SELECT count(*) FROM sqlite_schema"])
  func theSchemaTableIsDelivered(of observed: Observed, query: String) throws {
    try observed.withDatabase { writer in
      let (counts, cancellable) = ValueObservation.tracking { db in try Int.fetchOne(db, sql: query) }.collect(
        in: writer)
      try counts.wait(forLast: 2)
      try writer.write { try $0.execute(sql: "CREATE TABLE coach (id)") }
      try counts.wait(forLast: 3)
      cancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func theColumnsOfATableAreDelivered(of observed: Observed) throws {
    try observed.withDatabase { writer in
      let (counts, cancellable) = ValueObservation.tracking { db in
        try Row.fetchAll(db, sql: "PRAGMA table_info(team)").count
      }.collect(in: writer)
      try counts.wait(forLast: 2)
      try writer.write { try $0.execute(sql: "ALTER TABLE team ADD COLUMN city") }
      try counts.wait(forLast: 3)
      cancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func theLastKeyOfATableIsDelivered(of observed: Observed) throws {
    try observed.withDatabase { writer in
      try writer.write { try $0.execute(sql: "CREATE TABLE k (id INTEGER PRIMARY KEY AUTOINCREMENT)") }
      let (values, cancellable) = ValueObservation.tracking { db in
        try Int.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'k'") ?? 0
      }.collect(in: writer)
      try values.wait(forLast: 0)
      try writer.write { try $0.execute(sql: "INSERT INTO k DEFAULT VALUES") }
      try values.wait(forLast: 1)
      try writer.write { try $0.execute(sql: "UPDATE sqlite_sequence SET seq = 7") }
      try values.wait(forLast: 7)
      cancellable.cancel()
    }
  }
}
