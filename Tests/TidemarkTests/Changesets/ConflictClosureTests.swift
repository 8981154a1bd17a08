import Testing
import Tidemark

@testable import TidemarkEssentials

/// The closure that resolves conflicts.
@Suite struct ConflictClosureTests {
  @Test(arguments: [ChangesetConflict.Resolution.skip, .replace])
  func `the replacement of a row does not remove another row with its unique value without asking`(
    resolution: ChangesetConflict.Resolution
  ) throws {
    let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, u UNIQUE, a)"
    let changes = try inMemory { db in
      try db.execute(sql: schema)
      return try db.recordingChanges { try db.execute(sql: "INSERT INTO t VALUES (1, 'v', 'new')") }
    }
    try inMemory { db in
      try db.execute(sql: "\(schema); INSERT INTO t VALUES (1, 'u', 'a'), (2, 'v', 'b')")
      var kinds: [ChangesetConflict.Kind] = []
      try db.apply(changes) { conflict in
        kinds.append(conflict.kind)
        return conflict.kind == .rowExists ? .replace : resolution
      }
      #expect(kinds == [.rowExists, .uniqueValueExists])
      let lines = try String.fetchAll(db, sql: "SELECT id || ' ' || u || ' ' || a FROM t ORDER BY id")
      #expect(lines == (resolution == .skip ? ["1 u a", "2 v b"] : ["1 v new"]))
    }
  }

  @Test(arguments: ["UPDATE t SET a = 2", "INSERT INTO t VALUES (2, 2, 2)", "DELETE FROM t"])
  func `the current row has all columns, also those that the changeset does not contain`(updates: String) throws {
    let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b)"
    let data = try inMemory { db in
      try db.execute(sql: "\(schema); INSERT INTO t VALUES (1, 1, 1)")
      return try db.recordingChanges { try db.execute(sql: updates) }.sqliteChangesetData()
    }
    try inMemory { db in
      try db.execute(sql: "\(schema); INSERT INTO t VALUES (1, 7, 7), (2, 7, 7)")
      let changes = try Changeset(sqliteChangeset: data, db)
      try db.execute(sql: "ALTER TABLE t ADD COLUMN c DEFAULT 9")
      var rows: [Row?] = []
      try db.apply(changes) { conflict in
        rows.append(conflict.currentRow)
        return .skip
      }
      let id = updates.hasPrefix("INSERT") ? 2 : 1
      #expect(rows == [["id": id, "a": 7, "b": 7, "c": 9]])
    }
  }
}
