import Foundation
import TestSupport
import Testing
import Tidemark

@testable import TidemarkEssentials

/// Histories whose steps are stored in the database.
@Suite(.untilItHangs) struct NamedHistoryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Opens the same file each time.
  private func open(hasFeed: Bool = false) throws -> DatabasePool {
    var configuration = Configuration()
    if hasFeed { configuration.changeFeed = ChangeFeedConfiguration() }
    let dbPool = try DatabasePool(path: folder.path("document.sqlite"), configuration: configuration)
    try dbPool.write { db in
      try db.execute(sql: "CREATE TABLE IF NOT EXISTS line (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT UNIQUE)")
    }
    return dbPool
  }

  private func add(_ history: ChangeHistory, _ text: String) throws {
    try history.record(named: "add \(text)") { db in
      try db.execute(sql: "INSERT INTO line (text) VALUES (?)", arguments: [text])
    }
  }

  private func lines(_ writer: DatabasePool) throws -> [String] {
    try writer.read { try String.fetchAll($0, sql: "SELECT text FROM line ORDER BY id") }
  }

  @Test(arguments: [false, true])
  func `steps are undone and redone after the database was opened again`(hasFeed: Bool) throws {
    var dbPool = try open(hasFeed: hasFeed)
    var history = try ChangeHistory(dbPool, named: "a")
    for text in ["one", "two", "three"] { try add(history, text) }
    #expect(try history.undo())
    try dbPool.close()

    dbPool = try open(hasFeed: hasFeed)
    history = try ChangeHistory(dbPool, named: "a")
    #expect(history.undoName == "add two" && history.redoName == "add three")
    #expect(try history.undo())
    #expect(try lines(dbPool) == ["one"])
    try dbPool.close()

    dbPool = try open(hasFeed: hasFeed)
    history = try ChangeHistory(dbPool, named: "a")
    #expect(try history.redo() && history.redo())
    #expect(try !history.redo())
    #expect(try lines(dbPool) == ["one", "two", "three"])
    #expect(try dbPool.read { try Int.fetchOne($0, sql: "SELECT seq FROM sqlite_sequence") } == 3)
  }

  @Test func `asynchronous methods store steps`() async throws {
    let dbPool = try open()
    let history = try await ChangeHistory(dbPool, named: "a")
    try await history.record { db in try db.execute(sql: "INSERT INTO line (text) VALUES ('one')") }
    let again = try await ChangeHistory(dbPool, named: "a")
    #expect(try await again.undo())
    #expect(try lines(dbPool) == [])
  }

  @Test func `a step that is rolled back is not stored`() throws {
    let dbPool = try open()
    let history = try ChangeHistory(dbPool, named: "a")
    try add(history, "one")
    #expect(throws: DatabaseError.self) { try add(history, "one") }
    #expect(throws: CancellationError.self) {
      try history.record { db in
        try db.execute(sql: "DELETE FROM line")
        throw CancellationError()
      }
    }
    let again = try ChangeHistory(dbPool, named: "a")
    #expect(again.undoName == "add one")
    #expect(try again.undo())
    #expect(!again.canUndo)
  }

  @Test func `an undo that conflicts leaves the stored steps unchanged`() throws {
    let dbPool = try open()
    let history = try ChangeHistory(dbPool, named: "a")
    try add(history, "one")
    try dbPool.write { try $0.execute(sql: "UPDATE line SET text = 'other'") }
    #expect(throws: ChangesetConflict.self) { try history.undo() }
    let again = try ChangeHistory(dbPool, named: "a")
    #expect(again.undoName == "add one" && !again.canRedo)
  }

  @Test func `histories of different names have their own steps`() throws {
    let dbPool = try open()
    let (first, second) = (try ChangeHistory(dbPool, named: "a"), try ChangeHistory(dbPool, named: "b"))
    try add(first, "one")
    try add(second, "two")
    #expect(try ChangeHistory(dbPool, named: "a").undoName == "add one")
    #expect(try ChangeHistory(dbPool, named: "b").undoName == "add two")
    try first.removeAll()
    #expect(try !ChangeHistory(dbPool, named: "a").canUndo)
    #expect(try ChangeHistory(dbPool, named: "b").canUndo)
  }

  @Test func `histories of the same name notice the steps of each other`() throws {
    let (first, second) = (try open(), try open())
    let (own, other) = (try ChangeHistory(first, named: "a"), try ChangeHistory(second, named: "a"))
    try add(own, "one")
    try add(other, "two")
    #expect(try own.undo())
    #expect(try lines(first) == ["one"])
    #expect(own.undoName == "add one" && own.redoName == "add two")
    try add(other, "three")
    #expect(try !own.redo())
    #expect(try own.undo() && own.undo() && !own.undo())
    #expect(try lines(first) == [])
  }

  @Test func `a group is one step, also if the program ends in it`() throws {
    var dbPool = try open()
    var history = try ChangeHistory(dbPool, named: "a")
    try add(history, "zero")
    #expect(throws: CancellationError.self) {
      try history.group(named: "import") {
        try add(history, "one")
        try add(history, "two")
        // Other histories see what was committed, as after the end of the program.
        #expect(try ChangeHistory(dbPool, named: "a").undoName == "import")
        throw CancellationError()
      }
    }
    try dbPool.close()
    dbPool = try open()
    history = try ChangeHistory(dbPool, named: "a")
    #expect(history.undoName == "import")
    #expect(try history.undo())
    #expect(try lines(dbPool) == ["zero"])
    #expect(try history.redo())
    #expect(try lines(dbPool) == ["zero", "one", "two"])
  }

  @Test func `a step that replaces a removed one of the same number is noticed`() throws {
    let (first, second) = (try open(), try open())
    let own = try ChangeHistory(first, named: "a")
    try add(own, "one")
    let other = try ChangeHistory(second, named: "a")
    try own.removeAll()
    try add(try ChangeHistory(first, named: "a"), "two")
    #expect(try other.undo())
    #expect(try lines(first) == ["one"])
    #expect(try other.redo())
    #expect(try lines(first) == ["one", "two"])
  }

  @Test func `new transactions of a group are noticed`() throws {
    let (first, second) = (try open(), try open())
    let own = try ChangeHistory(first, named: "a")
    var other: ChangeHistory?
    try own.group {
      try add(own, "one")
      other = try ChangeHistory(second, named: "a")
      try add(own, "two")
    }
    #expect(try other?.undo() == true)
    #expect(try lines(first) == [])
    #expect(try own.redo())
    #expect(try lines(first) == ["one", "two"])
  }

  @Test(arguments: [false, true])
  func `a group whose changes were undone meanwhile continues as another step`(isRemoved: Bool) throws {
    let (first, second) = (try open(), try open())
    let (own, other) = (try ChangeHistory(first, named: "a"), try ChangeHistory(second, named: "a"))
    try own.group {
      try add(own, "one")
      if isRemoved { try other.removeAll() } else { #expect(try other.undo()) }
      try add(own, "two")
    }
    let before = isRemoved ? ["one"] : []
    #expect(try lines(first) == before + ["two"])
    #expect(try own.undo() && !own.undo())
    #expect(try lines(first) == before)
    let again = try ChangeHistory(second, named: "a")
    #expect(try again.redo() && !again.redo())
    #expect(try lines(first) == before + ["two"])
  }

  @Test func `a step that was recorded during a group follows it`() throws {
    let (first, second) = (try open(), try open())
    let (own, other) = (try ChangeHistory(first, named: "a"), try ChangeHistory(second, named: "a"))
    try own.group {
      try own.record { try $0.execute(sql: "INSERT INTO line VALUES (10, 'one')") }
      try other.record { try $0.execute(sql: "INSERT INTO line VALUES (20, 'x')") }
      try own.record { try $0.execute(sql: "INSERT INTO line VALUES (11, 'two')") }
    }
    // The counter of the table makes the order matter.
    try first.write { try $0.execute(sql: "DELETE FROM sqlite_sequence") }
    #expect(try own.undo())
    #expect(try lines(first) == ["one", "two"])
    let again = try ChangeHistory(second, named: "a")
    #expect(again.canUndo && again.canRedo)
  }

  @Test func `changes that are recorded while a group ends belong to its step`() throws {
    let dbPool = try open()
    let history = try ChangeHistory(dbPool, named: "a")
    let (started, goOn, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    try history.group {
      try add(history, "one")
      Thread.detachNewThread {
        do {
          try history.record { db in
            started.signal()
            goOn.wait()
            try db.execute(sql: "INSERT INTO line (text) VALUES ('two')")
          }
        } catch {
          Issue.record(error)
        }
        done.signal()
      }
      started.wait()
    }
    goOn.signal()
    done.wait()
    #expect(try history.undo())
    #expect(try lines(dbPool) == [])
    let again = try ChangeHistory(dbPool, named: "a")
    #expect(try !again.canUndo && again.redo())
    #expect(try lines(dbPool) == ["one", "two"])
  }

  @Test func `an erased database has no steps, and records others`() throws {
    let dbPool = try open()
    let history = try ChangeHistory(dbPool, named: "a")
    try add(history, "one")
    try dbPool.erase()
    try dbPool.write { try $0.execute(sql: "CREATE TABLE line (id INTEGER PRIMARY KEY, text TEXT)") }
    try add(history, "two")
    #expect(try history.undo() && !history.undo())
    #expect(try lines(dbPool) == [])
  }

  @Test func `a group whose changes cancel each other is no step`() throws {
    let dbPool = try open()
    let history = try ChangeHistory(dbPool, named: "a")
    try add(history, "one")
    try history.group {
      try history.record { try $0.execute(sql: "UPDATE line SET text = 'x'") }
      try history.record { try $0.execute(sql: "UPDATE line SET text = 'one'") }
    }
    try add(history, "two")
    let again = try ChangeHistory(dbPool, named: "a")
    #expect(try again.undo() && again.undo())
    #expect(try lines(dbPool) == [])
  }

  @Test func `steps beyond the limits are removed`() throws {
    let dbPool = try open()
    let history = try ChangeHistory(dbPool, named: "a", limits: ChangeHistory.Limits(stepCount: 2))
    for text in ["one", "two", "three"] { try add(history, text) }
    try history.undo()
    try add(history, "four")
    let steps = try dbPool.read { try Int.fetchAll($0, sql: "SELECT step FROM tidemark_undo ORDER BY step") }
    #expect(steps == [2, 4])
    #expect(try ChangeHistory(dbPool, named: "a", limits: ChangeHistory.Limits(stepCount: 1)).undoName == "add four")
  }

  @Test func `stored steps are part of no stream and no feed`() async throws {
    let dbPool = try open(hasFeed: true)
    let (stream, token) = (try await dbPool.changes(), try await dbPool.read { try $0.changeToken() })
    let history = try await ChangeHistory(dbPool, named: "a")
    try await history.record { try $0.execute(sql: "INSERT INTO line VALUES (1, 'one')") }
    try await history.undo()
    try await dbPool.write { try $0.execute(sql: "PRAGMA user_version = 9") }
    let expected = [
      ["INSERT line [1]: id 1, text \"one\"", "counter of line: 1"],
      ["DELETE line [1]: id 1, text \"one\"", "counter of line: none"], ["user_version = 9"],
    ]
    var streamed: [[String]] = []
    for try await transaction in stream {
      streamed.append(transaction.lines)
      if transaction.lines == expected.last { break }
    }
    #expect(streamed == expected)
    var stored: [[String]] = []
    for try await entry in try await dbPool.changes(after: token) {
      stored.append(entry.changes.lines)
      if entry.changes.lines == expected.last { break }
    }
    #expect(stored == expected)
  }

  @Test func `damaged steps are an error`() throws {
    let dbPool = try open()
    try add(try ChangeHistory(dbPool, named: "a"), "one")
    try dbPool.write { try $0.execute(sql: "UPDATE tidemark_undo SET changes = x'00'") }
    #expect(throws: TransactionChanges.DecodingError.self) { try ChangeHistory(dbPool, named: "a") }
    try dbPool.write { try $0.execute(sql: "UPDATE tidemark_undo SET changes = 'text'") }
    #expect(throws: DatabaseError.self) { try ChangeHistory(dbPool, named: "a") }
  }

  @Test(arguments: [Int64.min, 0, 1 << 62, Int64.max])
  func `a step with an impossible number is an error`(_ number: Int64) throws {
    let dbPool = try open()
    try add(try ChangeHistory(dbPool, named: "a"), "one")
    try dbPool.write { try $0.execute(sql: "UPDATE tidemark_undo SET step = ?", arguments: [number]) }
    #expect(throws: DatabaseError.self) { try add(try ChangeHistory(dbPool, named: "a"), "two") }
  }
}
