import Testing
import Tidemark

@testable import TidemarkEssentials

@Suite struct ChangeHistoryTests {
  private func makeQueue() throws -> DatabaseQueue {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);
          CREATE TABLE item (id INTEGER PRIMARY KEY AUTOINCREMENT, owner REFERENCES player);
          INSERT INTO player VALUES (1, 'Ada'), (2, 'Bob');
          """)
    }
    return dbQueue
  }

  private func names(_ dbQueue: DatabaseQueue) throws -> [String] {
    try dbQueue.read { try String.fetchAll($0, sql: "SELECT name FROM player ORDER BY id") }
  }

  private func rename(_ history: ChangeHistory, _ id: Int, _ name: String) throws {
    try history.record(named: "Rename to \(name)") { db in
      try db.execute(sql: "UPDATE player SET name = ? WHERE id = ?", arguments: [name, id])
    }
  }

  @Test func `steps are undone and redone in their order`() throws {
    let dbQueue = try makeQueue()
    let history = ChangeHistory(dbQueue)
    try rename(history, 1, "x")
    try rename(history, 1, "y")
    #expect(history.undoName == "Rename to y" && history.redoName == nil)
    #expect(try history.undo())
    #expect(try names(dbQueue) == ["x", "Bob"])
    #expect(history.undoName == "Rename to x" && history.redoName == "Rename to y")
    #expect(try history.undo())
    #expect(try !history.undo())
    #expect(try names(dbQueue) == ["Ada", "Bob"])
    #expect(!history.canUndo && history.canRedo)
    #expect(try history.redo())
    #expect(try history.redo())
    #expect(try !history.redo())
    #expect(try names(dbQueue) == ["y", "Bob"])
  }

  @Test func `asynchronous methods record, undo and redo`() async throws {
    let dbQueue = try makeQueue()
    let history = ChangeHistory(dbQueue)
    let count = try await history.record { db in
      try db.execute(sql: "DELETE FROM player")
      return db.changesCount
    }
    #expect(count == 2)
    #expect(try await history.undo())
    #expect(try names(dbQueue) == ["Ada", "Bob"])
    #expect(try await history.redo())
    #expect(try names(dbQueue) == [])
  }

  @Test(arguments: ["a", "b"]) func `an exchange of keys is not undone if one of the rows is gone`(removed: String)
    throws
  {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write {
      try $0.execute(sql: "CREATE TABLE tag (name TEXT PRIMARY KEY, n); INSERT INTO tag VALUES ('a', 1), ('b', 1)")
    }
    let history = ChangeHistory(dbQueue)
    try history.record { db in
      for (old, new) in [("a", "x"), ("b", "a"), ("x", "b")] {
        try db.execute(sql: "UPDATE tag SET name = ? WHERE name = ?", arguments: [new, old])
      }
    }
    try dbQueue.write { try $0.execute(sql: "DELETE FROM tag WHERE name = ?", arguments: [removed]) }
    #expect(throws: (any Error).self) { try history.undo() }
  }

  @Test func `a new step forgets the steps that could be redone`() throws {
    let history = ChangeHistory(try makeQueue())
    try rename(history, 1, "x")
    try history.undo()
    try rename(history, 2, "y")
    #expect(!history.canRedo)
    #expect(history.undoName == "Rename to y")
  }

  @Test func `a step without changes is no step, and forgets nothing`() throws {
    let history = ChangeHistory(try makeQueue())
    try rename(history, 1, "x")
    try history.undo()
    try rename(history, 1, "Ada")
    #expect(!history.canUndo && history.canRedo)
  }

  @Test func `the counter is restored`() throws {
    let dbQueue = try makeQueue()
    let history = ChangeHistory(dbQueue)
    try history.record { try $0.execute(sql: "INSERT INTO item (owner) VALUES (1)") }
    try history.undo()
    #expect(try dbQueue.read { try Int.fetchOne($0, sql: "SELECT seq FROM sqlite_sequence") } == nil)
  }

  @Test func `a group is one step`() throws {
    let dbQueue = try makeQueue()
    let history = ChangeHistory(dbQueue)
    try history.group(named: "Both") {
      try rename(history, 1, "x")
      #expect(!history.canUndo)
      try history.group(named: "Inner") { try rename(history, 2, "y") }
    }
    #expect(history.undoName == "Both")
    try history.undo()
    #expect(try names(dbQueue) == ["Ada", "Bob"])
    #expect(!history.canUndo)
  }

  // MARK: - Conflicts

  @Test func `a later change of the row is a conflict, and nothing is changed`() throws {
    let dbQueue = try makeQueue()
    let history = ChangeHistory(dbQueue)
    try history.record { try $0.execute(sql: "UPDATE player SET name = name || '!'") }
    try dbQueue.write { try $0.execute(sql: "UPDATE player SET name = 'other' WHERE id = 2") }
    let conflict = #expect(throws: ChangesetConflict.self) { try history.undo() }
    #expect(conflict?.kind == .rowDiffers)
    #expect(try names(dbQueue) == ["Ada!", "other"])
    // The step can be undone when the conflict does not exist any more.
    try dbQueue.write { try $0.execute(sql: "UPDATE player SET name = 'Bob!' WHERE id = 2") }
    #expect(try history.undo())
    #expect(try names(dbQueue) == ["Ada", "Bob"])
  }

  @Test func `other changes are no conflict`() throws {
    let dbQueue = try makeQueue()
    let history = ChangeHistory(dbQueue)
    try rename(history, 1, "x")
    try dbQueue.write { db in
      try db.execute(sql: "UPDATE player SET name = 'other' WHERE id = 2; ALTER TABLE player ADD COLUMN s")
    }
    #expect(try history.undo())
    #expect(try names(dbQueue) == ["Ada", "other"])
  }

  @Test func `a row that later rows refer to is not removed`() throws {
    let dbQueue = try makeQueue()
    let history = ChangeHistory(dbQueue)
    try history.record { try $0.execute(sql: "INSERT INTO player VALUES (3, 'Cid')") }
    try dbQueue.write { try $0.execute(sql: "INSERT INTO item (owner) VALUES (3)") }
    let conflict = #expect(throws: ChangesetConflict.self) { try history.undo() }
    #expect(conflict?.kind == .foreignKey)
    #expect(try names(dbQueue) == ["Ada", "Bob", "Cid"])
  }

  @Test func `a commit of another connection is found by its rows`() throws {
    let folder = try TemporaryFolder()
    let (own, other) = (try folder.pool(), try folder.pool())
    try own.write { db in
      try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 1), (2, 1)")
    }
    let history = ChangeHistory(own)
    try history.record { try $0.execute(sql: "UPDATE t SET a = 2 WHERE id = 1") }
    try other.write { try $0.execute(sql: "UPDATE t SET a = 3 WHERE id = 2") }
    #expect(try history.undo())
    try other.write { try $0.execute(sql: "UPDATE t SET a = 3") }
    #expect(throws: ChangesetConflict.self) { try history.redo() }
    #expect(try own.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } == [3, 3])
  }

  @Test func `a step cannot change the schema`() throws {
    let dbQueue = try makeQueue()
    let history = ChangeHistory(dbQueue)
    let error = #expect(throws: ChangesetError.self) {
      try history.record { try $0.execute(sql: "INSERT INTO player VALUES (3, 'Cid'); CREATE TABLE new (a)") }
    }
    #expect(error?.reason == .schemaChange)
    #expect(try dbQueue.read { try !$0.tableExists("new") })
    #expect(try names(dbQueue) == ["Ada", "Bob"])
    #expect(!history.canUndo)
  }

  @Test func `a table that has lost a column is refused`() throws {
    let dbQueue = try makeQueue()
    let history = ChangeHistory(dbQueue)
    try rename(history, 1, "x")
    try dbQueue.write { try $0.execute(sql: "ALTER TABLE player RENAME COLUMN name TO title") }
    let error = #expect(throws: ChangesetError.self) { try history.undo() }
    #expect(error?.message == "the changeset changes column name of table player, which does not exist")
    #expect(history.canUndo)
  }

  @Test func `a closure that throws records no step`() throws {
    struct Failure: Error {}
    let dbQueue = try makeQueue()
    let history = ChangeHistory(dbQueue)
    #expect(throws: Failure.self) {
      try history.record { db in
        try db.execute(sql: "DELETE FROM player")
        throw Failure()
      }
    }
    #expect(try names(dbQueue) == ["Ada", "Bob"])
    #expect(!history.canUndo)
  }

  @Test func `undo in a group is an error of the program`() async throws {
    await #expect(processExitsWith: .failure) {
      let history = ChangeHistory(try DatabaseQueue())
      try history.group { _ = try history.undo() }
    }
  }
}

/// The steps of a history, without a database.
@Suite struct HistoryStateTests {
  private func changes(_ id: Int64, _ text: String = "x") throws -> Changeset {
    let table = ChangedTable(name: "t", columnNames: ["id", "a"], primaryKey: [0], rowID: .primaryKey)
    let image = ChangedRow.Image(rowID: id, values: [id.databaseValue, text.databaseValue])
    return try Changeset([.row(ChangedRow(table: table, images: .insert(image)))])
  }

  @Test func `the oldest steps are forgotten beyond the number of steps`() throws {
    var state = HistoryState(limits: ChangeHistory.Limits(stepCount: 2))
    for name in ["a", "b", "c"] { state.record(try changes(1), name: name) }
    #expect(state.undoable.map(\.name) == ["b", "c"])
  }

  @Test func `the oldest steps are forgotten beyond the number of bytes`() throws {
    var state = HistoryState(limits: ChangeHistory.Limits(byteCount: 1_000))
    for name in ["a", "b", "c"] { state.record(try changes(1, String(repeating: "x", count: 300)), name: name) }
    #expect(state.undoable.map(\.name) == ["b", "c"])
    #expect(state.byteCount == state.undoable.reduce(0) { $0 + $1.byteCount })
  }

  @Test func `a step that exceeds the limit is forgotten with the steps before it`() throws {
    var state = HistoryState(limits: ChangeHistory.Limits(byteCount: 1_000))
    state.record(try changes(1), name: "a")
    state.record(try changes(1, String(repeating: "x", count: 2_000)), name: "b")
    #expect(state.undoable.isEmpty && state.byteCount == 0)
  }

  @Test func `the bytes of forgotten redoable steps are not counted`() throws {
    var state = HistoryState(limits: ChangeHistory.Limits())
    state.record(try changes(1), name: "a")
    state.record(try changes(2), name: "b")
    state.didUndo()
    state.didUndo()
    state.record(try changes(3), name: "c")
    #expect(state.undoable.map(\.name) == ["c"] && state.redoable.isEmpty)
    #expect(state.byteCount == state.undoable[0].byteCount)
  }
}
