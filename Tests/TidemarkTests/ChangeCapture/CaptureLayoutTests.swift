import Testing

import Tidemark
@testable import TidemarkEssentials

/// Which columns an update has changed.
@Suite struct CaptureLayoutTests {
  private func moved(from old: Int64, to new: Int64, changing columns: UInt64 = 0) -> ChangeRecord {
    ChangeRecord(kind: .update, oldRowID: old, newRowID: new, changedColumns: columns)
  }

  @Test(arguments: [nil, "id"]) func `a new row ID changes its column`(rowIDColumn: String?) {
    let layout = CaptureLayout.ofTable("book", ["title"], rowIDColumn: rowIDColumn)
    let name = rowIDColumn ?? RowFilter.rowIDName
    #expect(layout.mayHaveChanged([name], moved(from: 1, to: 2)))
    #expect(!layout.mayHaveChanged(["title"], moved(from: 1, to: 2)))
    #expect(!layout.mayHaveChanged([name], moved(from: 1, to: 1)))
    #expect(layout.changedColumns(moved(from: 1, to: 2)) == [name])
  }

  /// SQLite finds old values in the order of the key, and converts them as if this were the order of the table.
  @Test(arguments: Observed.allCases)
  func `a deleted row without row ID is noticed although SQLite reports its key as a double`(
    _ observed: Observed
  ) throws {
    let database = try observed.open()
    let key = 9_007_199_254_740_993 as Int64
    try database.writer.write { db in
      try db.execute(sql: "CREATE TABLE t (x REAL, id INTEGER PRIMARY KEY, name TEXT) WITHOUT ROWID")
      try db.execute(sql: "INSERT INTO t VALUES (1.5, ?, 'Ada')", arguments: [key])
    }
    let observation = ValueObservation.tracking { db in
      try String.fetchAll(db, sql: "SELECT name FROM t WHERE id = ?", arguments: [key])
    }
    let (values, cancellable) = observation.collect(in: database.writer)
    try values.wait(forLast: ["Ada"])
    try database.writer.write { try $0.execute(sql: "DELETE FROM t") }
    try values.wait(forLast: [])
    cancellable.cancel()
  }

  @Test(arguments: [
    ("t (x REAL, id INTEGER PRIMARY KEY, name TEXT) WITHOUT ROWID", ["id"]),
    ("t (id INTEGER PRIMARY KEY, x REAL, name TEXT) WITHOUT ROWID", []),
    ("t (x REAL, name TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID", []),
    ("t (name TEXT, x REAL, id INTEGER, data, PRIMARY KEY (id, name)) WITHOUT ROWID", []),
    ("t (name TEXT, x REAL, data, id INTEGER, PRIMARY KEY (id, data)) WITHOUT ROWID", ["data"]),
    ("t (x REAL, id INTEGER PRIMARY KEY, name TEXT)", []),
    // A key with a repeated column.
    ("t (a TEXT, b, x REAL, PRIMARY KEY (a COLLATE NOCASE, a, b)) WITHOUT ROWID", ["b"]),
    ("t (a TEXT, x REAL, b, PRIMARY KEY (a COLLATE NOCASE, a)) WITHOUT ROWID", ["b"]),
    ("t (a TEXT, b, x REAL, PRIMARY KEY (a, a, b)) WITHOUT ROWID", []),
  ])
  func `columns whose old integers SQLite reports as doubles are not read`(table: String, unread: [String]) throws {
    try DatabaseQueue().inDatabase { db in
      try db.execute(sql: "CREATE TABLE \(table)")
      let key = TableKey("t", in: "main")
      let catalog = try #require(try db.catalogTable("t", in: "main"))
      var needs = CaptureNeeds.TableNeeds()
      (needs.columns, needs.values) = (nil, nil)
      #expect(try CaptureLayout(catalog, key, needs, db).unreadColumns == unread)
    }
  }

  /// SQLite reports NULL for the old value of a column that was added after the row, so the row is read.
  @Test(arguments: [
    ("x REAL, name TEXT, id INTEGER, PRIMARY KEY (id, name)", "(1, 'a', 1), (1, 'a', 2)", "id = 1"),
    ("name TEXT COLLATE NOCASE, PRIMARY KEY (name COLLATE BINARY)", "('A'), ('a')", "name = 'A' COLLATE BINARY"),
  ])
  func `an update of an added column is noticed if another row has a similar key`(
    definition: String, rows: String, first: String
  ) throws {
    let database = try Observed.queue.open()
    try database.writer.write { db in
      try db.execute(
        sql: """
          CREATE TABLE t (\(definition)) WITHOUT ROWID; INSERT INTO t VALUES \(rows);
          ALTER TABLE t ADD COLUMN d DEFAULT 5; UPDATE t SET d = 6 WHERE \(first);
          """)
    }
    let observation = ValueObservation.tracking { db in
      try Int.fetchAll(db, sql: "SELECT d FROM t WHERE d = 5")
    }
    let (values, cancellable) = observation.collect(in: database.writer)
    try values.wait(forLast: [5])
    try database.writer.write { try $0.execute(sql: "UPDATE t SET d = 6 WHERE d = 5") }
    try values.wait(forLast: [])
    cancellable.cancel()
  }

  @Test func `an update changes the columns that differ`() {
    let layout = CaptureLayout.ofTable("book", ["title", "pages"])
    #expect(layout.mayHaveChanged(["pages"], moved(from: 1, to: 1, changing: 0b10)))
    #expect(!layout.mayHaveChanged(["title"], moved(from: 1, to: 1, changing: 0b10)))
  }
}
