import Testing

import Tidemark
@testable import TidemarkEssentials

/// What belongs to a part of a transaction: to a recording, a savepoint, or a statement.
@Suite struct ChangeLogPartsTests {
  private let book = CapturedTable(TableKey("book"), layout: CaptureLayout.ofTable("book", ["title"]))
  private let shelf = CapturedTable(TableKey("shelf"), layout: CaptureLayout.ofTable("shelf", ["name"]))

  private func openLog() -> ChangeLog {
    var log = ChangeLog()
    log.begin(needsVersion: 1)
    return log
  }

  private func creation(of table: String, in database: String) -> SchemaChange {
    SchemaChange(kind: .create, subject: .table, name: table, database: database)
  }

  // MARK: - Recordings

  @Test func `a recording does not contain what was unreported before it`() {
    var log = openLog()
    log.becomeUnknown(.settings)
    log.truncate()
    log.beginRecording()
    #expect(log.unreported == [] && !log.isTruncated)
    log.becomeUnknown(.rows)
    let (_, unreported, isTruncated) = log.endRecording()
    #expect(unreported == .rows && !isTruncated)
    #expect(log.unreported == [.settings, .rows] && log.isTruncated)
  }

  @Test(arguments: [false, true])
  func `a commit is truncated if one of its recordings is`(isTruncated: Bool) {
    var log = openLog()
    log.beginRecording()
    if isTruncated { log.truncate() }
    let own = log.endRecording()
    #expect(own.isTruncated == isTruncated)
    #expect(log.isTruncated == isTruncated)
  }

  @Test func `a recording that outlives its transaction does not affect the next one`() {
    var log = openLog()
    log.becomeUnknown(.settings)
    log.truncate()
    log.beginRecording()
    log.reset()
    log.begin(needsVersion: 1)
    #expect(log.recordedChanges() == nil)
    let (recording, _, _) = log.endRecording()
    #expect(recording.hasLostItsTransaction)
    #expect(log.unreported == [] && !log.isTruncated)
  }

  @Test func `a recording contains a coarse change that the log knows already`() throws {
    var log = openLog()
    log.addCoarse(book.key, .insert)
    let generation = log.generation
    log.beginRecording()
    #expect(log.generation != generation)
    let isNew = log.addCoarse(book.key, .insert)
    #expect(isNew)
    log.addCoarse(shelf.key, .delete)
    let changes = try #require(log.recordedChanges())
    #expect(!changes.isUnknown)
    #expect(changes.tables.map(\.summary) == ["book insert coarse", "shelf delete coarse"])
  }

  @Test func `a recording contains no rows of a coarse table`() throws {
    var log = openLog()
    log.insert(1, ["before"], into: shelf)
    log.beginRecording()
    log.insert(2, ["A"], into: book)
    log.insert(3, ["top"], into: shelf)
    log.addCoarse(book.key, .insert)
    #expect(try #require(log.recordedChanges()).rows.map(\.words) == ["insert shelf #3(name=\"top\")"])
  }

  @Test func `a recording goes on after a rollback to its beginning`() throws {
    var log = openLog()
    log.insert(1, ["A"], into: book)
    log.beginRecording()
    log.openSavepoint("s")
    log.insert(2, ["B"], into: book)
    log.rollBackToSavepoint("s")
    log.insert(3, ["C"], into: book)
    #expect(try #require(log.recordedChanges()).rowIDs == [3])
  }

  // MARK: - Savepoints

  @Test func `a recording is lost if a schema change before it is rolled back`() {
    var log = openLog()
    log.openSavepoint("s")
    log.add([creation(of: "tidemark_undo", in: "main")], by: "CREATE TABLE tidemark_undo (a)")
    log.beginRecording()
    log.rollBackToSavepoint("s")
    #expect(log.recordedChanges() == nil)
  }

  @Test func `delivered rows before a recording stay until it has ended`() throws {
    var log = openLog()
    log.add(ChangeRecord(table: log.index(of: shelf), kind: .insert, isObserved: true, newRowID: 1))
    log.beginRecording()
    log.didDeliver(log.deliverable)
    #expect(log.records.count == 1)
    let changes = try #require(log.recordedChanges())
    #expect(changes.rows.isEmpty)
    _ = log.endRecording()
    log.didDeliver(log.deliverable)
    #expect(log.records.isEmpty)
  }

  @Test func `a rollback ends the savepoints inside the savepoint`() {
    var log = openLog()
    log.openSavepoint("outer")
    log.openSavepoint("inner")
    log.rollBackToSavepoint("outer")
    log.insert(1, ["A"], into: book)
    log.rollBackToSavepoint("inner")
    #expect(log.rowIDs == [1])
  }

  @Test func `a rollback removes notifications`() {
    var log = openLog()
    log.add(.notification(channel: "c", payload: "kept"))
    log.openSavepoint("s")
    log.add(.notification(channel: "c", payload: "undone"))
    log.rollBackToSavepoint("s")
    #expect(log.rowlessChanges.map(\.content) == [.notification(channel: "c", payload: "kept")])
  }

  @Test func `after the rollback of delivered rows, the next row is delivered`() {
    var log = openLog()
    log.openSavepoint("s")
    log.insert(1, ["A"], into: book)
    log.didDeliver(0..<1)
    log.rollBackToSavepoint("s")
    log.insert(2, ["B"], into: book)
    #expect(log.undelivered == 0..<1)
  }

  // MARK: - Statements

  @Test func `a statement has changed something if it has added a row or a coarse change`() {
    var log = openLog()
    log.insert(1, ["A"], into: book)
    log.addCoarse(shelf.key)
    log.willStep()
    #expect(!log.hasStepChanged)
    log.addCoarse(book.key)
    #expect(log.hasStepChanged)
    log.didStep(.succeeded)
    log.willStep()
    log.insert(2, ["B"], into: book)
    #expect(log.hasStepChanged)
  }

  @Test func `the changes of a statement are dropped, unless others ran inside it`() {
    var log = openLog()
    log.insert(1, ["A"], into: book)
    log.willStep()
    log.insert(2, ["B"], into: book)
    log.dropStepChanges()
    #expect(log.rowIDs == [1] && !log.isUnknown)
    log.willStep()
    log.didStep(.succeeded)
    log.insert(3, ["C"], into: book)
    log.dropStepChanges()
    #expect(log.rowIDs == [1, 3] && log.isUnknown)
  }

  // MARK: - Databases

  @Test func `a schema change is of the main database or of others`() {
    var log = openLog()
    log.add([creation(of: "a", in: "MAIN")], by: "CREATE TABLE a")
    log.add([creation(of: "b", in: "temp")], by: "CREATE TABLE b")
    #expect(
      log.rowlessChanges.map(\.content) == [
        .schema(sql: "CREATE TABLE a", isInMain: true), .schema(sql: "CREATE TABLE b", isInMain: false),
      ])
  }

  @Test func `rows and coarse changes are changes of their database`() {
    var log = openLog()
    log.insert(1, ["A"], into: book)
    #expect(log.hasChanges(in: "main") && !log.hasChanges(in: "temp"))
    log.addCoarse(TableKey("t", in: "temp"))
    #expect(log.hasChanges(in: "temp") && !log.hasChanges(in: "other"))
  }

  @Test func `stored settings are forgotten with their transaction`() {
    var log = openLog()
    log.noteUserVersion(of: "main")
    log.noteCounter(of: book.key)
    #expect(log.isUnknown && log.unreported == .settings)
    #expect(log.userVersionDatabases == ["main"] && log.counterTables == [book.key])
    log.reset()
    #expect(log.userVersionDatabases == [] && log.counterTables == [] && log.isEmpty)
  }
}
