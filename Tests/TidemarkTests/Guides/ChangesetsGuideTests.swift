import Testing
import Tidemark

/// The code of `Documentation/Changesets.md` and `Documentation/Undo.md`.
@Suite struct ChangesetsGuideTests {
  private func makeQueue() throws -> DatabaseQueue {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
          INSERT INTO player VALUES (1, 'Ada', 10), (2, 'Bob', 10);
          """)
    }
    return dbQueue
  }

  private func lines(_ dbQueue: DatabaseQueue) throws -> [String] {
    try dbQueue.read { db in
      try String.fetchAll(db, sql: "SELECT name || ' ' || ifnull(score, '-') FROM player ORDER BY id")
    }
  }

  @Test func `recorded changes are applied to another database`() throws {
    let (dbQueue, replica) = (try makeQueue(), try makeQueue())
    var text = ""
    func print(_ changes: Changeset) { text = changes.description }
    let changes = try dbQueue.write { db in
      try db.recordingChanges {
        try db.execute(sql: "UPDATE player SET score = 20 WHERE id = 1")
        try db.execute(sql: "DELETE FROM player WHERE id = 2")
      }
    }
    print(changes)
    // UPDATE player [1]: score 10 → 20
    // DELETE player [2]: id 2, name "Bob", score 10
    #expect(text == "UPDATE player [1]: score 10 → 20\nDELETE player [2]: id 2, name \"Bob\", score 10")
    try replica.write { db in
      _ = try db.apply(changes)
    }
    #expect(try lines(replica) == ["Ada 20"])
  }

  @Test func `two databases are compared`() throws {
    let (dbQueue, replica) = (try makeQueue(), try makeQueue())
    try replica.write { try $0.execute(sql: "UPDATE player SET score = 30 WHERE id = 2") }
    let difference = try dbQueue.read { old in
      try replica.read { new in
        try Changeset(from: old, to: new, tables: ["player"])
      }
    }
    #expect(difference.description == "UPDATE player [2]: score 10 → 30")
  }

  @Test func `a closure resolves conflicts`() throws {
    let (dbQueue, replica) = (try makeQueue(), try makeQueue())
    try replica.write { try $0.execute(sql: "UPDATE player SET score = id * 15") }
    let changes = try dbQueue.write { db in
      try db.recordingChanges { try db.execute(sql: "UPDATE player SET score = 20") }
    }
    let skipped = try replica.write { db in
      try db.apply(changes) { conflict in
        // The higher score wins.
        let current: Int = conflict.currentRow?["score"] ?? 0
        let new: Int = conflict.change?.newRow?["score"] ?? 0
        return conflict.kind == .rowDiffers && new > current ? .replace : .skip
      }
    }
    #expect(skipped.map(\.description) == ["UPDATE player [2]: score 10 → 20"])
    #expect(try lines(replica) == ["Ada 20", "Bob 30"])
  }

  @Test func `changes are exchanged in SQLite's format`() throws {
    let (dbQueue, replica) = (try makeQueue(), try makeQueue())
    let changes = try dbQueue.write { db in
      try db.recordingChanges { try db.execute(sql: "DELETE FROM player WHERE id = 2") }
    }
    let data = try changes.sqliteChangesetData()
    try replica.write { db in
      _ = try db.apply(Changeset(sqliteChangeset: data, db))
    }
    #expect(try lines(replica) == ["Ada 10"])
  }

  @Test func `steps are undone and redone`() throws {
    let dbQueue = try makeQueue()
    let history = ChangeHistory(dbQueue)
    try history.record(named: "Rename") { db in
      try db.execute(sql: "UPDATE player SET name = 'Arthur' WHERE id = 1")
    }
    #expect(history.undoName == "Rename")
    try history.undo()
    try history.redo()
    #expect(try lines(dbQueue) == ["Arthur 10", "Bob 10"])
    try history.group(named: "Import") {
      for name in ["Cid", "Dan"] {
        try history.record { db in
          try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: [name])
        }
      }
    }
    #expect(try lines(dbQueue).count == 4)
    try history.undo()
    #expect(try lines(dbQueue) == ["Arthur 10", "Bob 10"])
  }

  @Test func `a conflict is reported, and steps are limited`() throws {
    let dbQueue = try makeQueue()
    let history = ChangeHistory(
      dbQueue, limits: ChangeHistory.Limits(stepCount: 50, byteCount: 10_000_000))
    for _ in 0..<60 {
      try history.record(named: "Add") { try $0.execute(sql: "UPDATE player SET score = score + 1 WHERE id = 1") }
    }
    try dbQueue.write { try $0.execute(sql: "UPDATE player SET score = 0") }
    var text = ""
    func print(_ line: String) { text = line }
    do {
      try history.undo()
    } catch let conflict as ChangesetConflict {
      print("Cannot undo \(history.undoName ?? ""): \(conflict)")
    }
    #expect(
      text == """
        Cannot undo Add: the row differs from the expected one, in UPDATE player [1]: score 70 → 69; the current row is \
        id 1, name "Ada", score 0
        """)
    try dbQueue.write { try $0.execute(sql: "UPDATE player SET score = 70") }
    while try history.undo() {}
    #expect(try lines(dbQueue) == ["Ada 20", "Bob 70"])
  }

  @Test func `the steps of a named history survive a restart`() throws {
    let folder = try TemporaryFolder()
    func open() throws -> DatabasePool { try DatabasePool(path: folder.path("a.sqlite")) }
    let first = try open()
    try first.write { try $0.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY)") }
    try ChangeHistory(first, named: "document").record { try $0.execute(sql: "INSERT INTO player VALUES (1)") }
    try first.close()
    let dbPool = try open()
    let history = try ChangeHistory(dbPool, named: "document")
    #expect(try history.undo())
    #expect(try dbPool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM player") } == 0)
  }
}
