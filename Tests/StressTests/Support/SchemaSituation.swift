import StressSupport

import Tidemark
@testable import TidemarkEssentials

/// A schema change, and what happens around it.
///
/// The first statement of a full-text table in a transaction is followed by others: each of them makes the table write
/// its buffered content, in its own step.
struct SchemaSituation: CustomStringConvertible {
  var change: String
  var isAttached: Bool
  var writesDocuments: Bool
  var inTransaction: Bool
  var isUndone: Bool

  var description: String {
    "\(change); attached: \(isAttached), documents: \(writesDocuments), in a transaction: \(inTransaction), "
      + "undone: \(isUndone)"
  }

  private static let schemaChanges = [
    "CREATE TABLE new AS SELECT * FROM t", "CREATE TABLE new (a, b)", "CREATE TABLE new (a PRIMARY KEY) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS t (x)", "CREATE TABLE IF NOT EXISTS new AS SELECT a FROM t",
    "CREATE TEMP TABLE new AS SELECT * FROM t", "CREATE TEMP TABLE t (a, b, c)", "CREATE TEMP TABLE t AS SELECT 1 AS a",
    "ALTER TABLE t RENAME TO new", "ALTER TABLE t RENAME COLUMN b TO c", "ALTER TABLE t ADD COLUMN c DEFAULT 7",
    "ALTER TABLE t DROP COLUMN b", "DROP TABLE t; CREATE TABLE t (b, a, c)",
    "DROP TABLE t; CREATE TABLE t AS SELECT 1 AS b",
    "DROP TABLE u", "DROP TABLE u; CREATE TABLE u (a, id TEXT PRIMARY KEY)", "CREATE UNIQUE INDEX i ON t (a)",
    "CREATE VIEW v AS SELECT * FROM t",
    "CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO u VALUES (NULL, new.a); END",
    "CREATE VIRTUAL TABLE new USING fts5(a)", "CREATE VIRTUAL TABLE new USING rtree(id, lo, hi)", "DROP TABLE docs",
    "ALTER TABLE docs RENAME TO new", "REINDEX", "ANALYZE",
  ]

  private static let schemaChangesOfAttached = [
    "CREATE TABLE other.new AS SELECT * FROM main.t", "CREATE TABLE other.t (b, a)",
    "ALTER TABLE other.o RENAME TO new",
    "DROP TABLE other.o",
  ]

  static let all: [SchemaSituation] = {
    let flags = [false, true]
    var situations: [SchemaSituation] = []
    for isAttached in flags {
      for change in schemaChanges + (isAttached ? schemaChangesOfAttached : []) {
        for writesDocuments in flags {
          for (inTransaction, isUndone) in [(false, false), (true, false), (true, true)] {
            situations.append(
              SchemaSituation(
                change: change, isAttached: isAttached, writesDocuments: writesDocuments, inTransaction: inTransaction,
                isUndone: isUndone))
          }
        }
      }
    }
    return situations
  }()

  /// All situations in a run of full size, otherwise some of them.
  static func selection(seed: UInt64) -> [SchemaSituation] {
    var random = RandomNumbers(seed: seed)
    return Array(all.shuffled(using: &random).prefix(Scale.of(daily: 40, full: all.count)))
  }

  // MARK: - Steps

  /// Creates the tables, and writes them, so that the plans of these statements are known before the schema changes.
  ///
  /// - Parameter attached: The path of the attached database; nil if it is attached already.
  func makeSchema(_ db: Database, attaching attached: String? = ":memory:") throws {
    try db.execute(
      sql: """
        CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y');
        CREATE TABLE u (id INTEGER PRIMARY KEY, a); INSERT INTO u VALUES (1, 1), (2, 2);
        CREATE VIRTUAL TABLE docs USING fts5(body); INSERT INTO docs VALUES ('one');
        """)
    if isAttached {
      if let attached { try db.execute(sql: "ATTACH ? AS other", arguments: [attached]) }
      try db.execute(sql: "CREATE TABLE other.o (a); INSERT INTO other.o VALUES (1)")
    }
    for _ in 1...3 { try Self.writeAll(db) }
  }

  func changeSchema(_ db: Database) throws {
    if inTransaction { try db.execute(sql: isUndone ? "BEGIN; SAVEPOINT s" : "BEGIN") }
    if writesDocuments { try db.execute(sql: "INSERT INTO docs VALUES ('two')") }
    try db.execute(sql: change)
    if isUndone { try db.execute(sql: "ROLLBACK TO s") }
    if inTransaction {
      try Self.writeAll(db)
      try db.execute(sql: "COMMIT")
    }
  }

  /// Inserts, updates and deletes rows of all tables, as they are now.
  static func writeAll(_ db: Database) throws {
    for table in try CaptureShapes(db).tables where !table.isShadow {
      let column = "\"\(table.writableColumns[table.writableColumns.count - 1])\""
      let value = "(SELECT COUNT(*) + 100 FROM \(table.sql))"
      try db.execute(sql: "INSERT OR IGNORE INTO \(table.sql) (\(column)) VALUES (\(value))")
      try db.execute(sql: "INSERT OR IGNORE INTO \(table.sql) (\(column)) VALUES (\(value) + 0.5)")
      try db.execute(sql: "UPDATE OR IGNORE \(table.sql) SET \(column) = \(column) + 1")
      try db.execute(sql: "DELETE FROM \(table.sql) WHERE \(column) = (SELECT MIN(\(column)) FROM \(table.sql))")
    }
  }
}
