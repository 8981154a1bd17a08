import CSQLite
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Which changes reach which observers.
@Suite struct ObservedChangeTests {
  // MARK: - Beginning and end of an observation

  @Test func `removing an unknown observer changes nothing`() throws {
    let observer = EventRecorder()
    let dbQueue = try observed(observer)
    dbQueue.remove(transactionObserver: EventRecorder())
    try dbQueue.write { try $0.execute(sql: "INSERT INTO book (id) VALUES (1)") }
    #expect(observer.log == ["insert book 1", "will commit", "did commit"])
  }

  @Test func `an observer that is released in a transaction is not asked about its next statements`() throws {
    let other = EventRecorder()
    let dbQueue = try observed(other)
    var released: EventRecorder? = EventRecorder()
    if let released { dbQueue.add(transactionObserver: released) }
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO book (id) VALUES (1)")
      #expect(released?.takeLog() == ["insert book 1"])
      released = nil
      try db.execute(sql: "DELETE FROM book")
    }
    #expect(other.log == ["insert book 1", "delete book 1", "will commit", "did commit"])
  }

  @Test func `without a closure for a rollback, nothing is called`() throws {
    let dbQueue = try observed(EventRecorder())
    let commits = Locked(0)
    try dbQueue.inTransaction { db in
      db.afterNextTransaction { _ in commits.update { $0 += 1 } }
      return .rollback
    }
    try dbQueue.write { try $0.execute(sql: "INSERT INTO book (id) VALUES (1)") }
    #expect(commits.value == 0)
  }

  // MARK: - Events

  @Test func `an event can be kept as it is`() throws {
    let event = DatabaseEvent(kind: .update, databaseName: "main", tableName: "book", rowID: 2, formerRowID: 1)
    let copy = event.copy()
    #expect(copy.kind == .update && copy.databaseName == "main" && copy.tableName == "book")
    #expect(copy.rowID == 2 && copy.formerRowID == 1)
  }

  @Test func `an event of another row does not modify the region of a row`() throws {
    let dbQueue = try observed(EventRecorder())
    try dbQueue.read { db in
      let first = try Table("book").filter(Column("id") == 1).databaseRegion(db)
      func isModified(_ kind: DatabaseEvent.Kind, formerRowID: Int64?) -> Bool {
        let event = DatabaseEvent(
          kind: kind, databaseName: "main", tableName: "book", rowID: 2, formerRowID: formerRowID)
        return first.isModified(by: event)
      }
      #expect(!isModified(.insert, formerRowID: 2))
      #expect(!isModified(.update, formerRowID: 2))
      #expect(isModified(.update, formerRowID: 1))
      // SQLite's update hook does not report the former row ID.
      #expect(isModified(.update, formerRowID: nil))
    }
  }

  // MARK: - Virtual tables

  @Test(arguments: [true, false])
  func `an observer of a full-text table receives changes of its content, once each`(observesAll: Bool) throws {
    let observer = EventRecorder { observesAll || $0.tableName == "docs" }
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { try $0.execute(sql: "CREATE VIRTUAL TABLE docs USING fts5(body)") }
    dbQueue.add(transactionObserver: observer)
    try dbQueue.write { try $0.execute(sql: "INSERT INTO docs VALUES ('hello')") }
    #expect(observer.log.count { $0 == "insert docs_content 1" } == 1)
    #expect(observer.log.suffix(2) == ["will commit", "did commit"])
  }

  // MARK: - Tables WITHOUT ROWID

  @Test func `a failed insertion into a table without row IDs is not delivered`() throws {
    let observer = EventRecorder()
    let dbQueue = try observed(observer)
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE w (k PRIMARY KEY) WITHOUT ROWID")
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO w VALUES (1), (1)") }
      try db.execute(sql: "INSERT INTO book (id) VALUES (1)")
    }
    #expect(observer.log == ["insert book 1", "will commit", "did commit"])
  }

  @Test func `updates without effect by a failed statement are not delivered`() throws {
    let observer = EventRecorder(table: "w")
    let (dbQueue, recorder) = try captured(
      "CREATE TABLE w (k PRIMARY KEY, n CHECK (n < 9)) WITHOUT ROWID; INSERT INTO w VALUES ('a', 1), ('b', 2);")
    dbQueue.add(transactionObserver: observer)
    try dbQueue.write { db throws -> Void in
      #expect(throws: DatabaseError.self) {
        try db.execute(sql: "UPDATE w SET n = CASE k WHEN 'a' THEN n ELSE 9 END")
      }
    }
    #expect(observer.log == ["will commit", "did commit"])
    #expect(recorder.take().isEmpty)
  }

  // MARK: - notifyChanges

  @Test func `outside of a transaction, a notification is a commit`() throws {
    let (dbQueue, recorder) = try captured(Captured.book)
    try dbQueue.inDatabase { try $0.notifyChanges(in: Table("book")) }
    #expect(recorder.take().map { $0.tables.map(\.summary) } == [["book insert delete update(*) coarse"]])
    try dbQueue.inDatabase { try $0.notifyChanges(in: DatabaseRegion.fullDatabase) }
    #expect(recorder.take().map(\.isUnknown) == [true])
  }

  @Test func `in a read-only section, nothing is notified`() throws {
    let observer = EventRecorder()
    let dbQueue = try observed(observer)
    try dbQueue.read { try $0.notifyChanges(in: Table("book")) }
    #expect(observer.log == [])
  }

  @Test func `a region of a table that was dropped concerns the observers of its name`() throws {
    let (gone, book) = (EventRecorder(table: "gone"), EventRecorder(table: "book"))
    let dbQueue = try observed(gone)
    dbQueue.add(transactionObserver: book)
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE gone (a)")
      let region = try Table("gone").databaseRegion(db)
      try db.execute(sql: "DROP TABLE gone")
      try db.notifyChanges(in: region)
    }
    #expect(gone.log == ["something", "will commit", "did commit"])
    #expect(book.log == ["will commit", "did commit"])
  }
}
