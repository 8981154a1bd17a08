import Testing
import Tidemark

/// The code of `Documentation/Changes.md`.
@Suite struct ChangesGuideTests {
  final class BookCounter: TransactionObserver {
    var insertedCount = 0
    var committedCount = 0

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
      eventKind.tableName == "book"
    }

    func databaseDidChange(with event: DatabaseEvent) {
      if event.kind == .insert { insertedCount += 1 }
    }

    func databaseDidCommit(_ db: Database) {
      committedCount += insertedCount
      insertedCount = 0
    }

    func databaseDidRollback(_ db: Database) {
      insertedCount = 0
    }
  }

  final class Flag: TransactionObserver {
    var isModified = false

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }

    func databaseDidChange(with event: DatabaseEvent) {
      isModified = true
      stopObservingDatabaseChangesUntilNextTransaction()
    }

    func databaseDidChange() { isModified = true }

    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
  }

  private func library() throws -> DatabaseQueue {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { try $0.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT)") }
    return dbQueue
  }

  @Test func observerExampleWorks() throws {
    let dbQueue = try library()
    let counter = BookCounter()
    dbQueue.add(transactionObserver: counter)
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO book (title) VALUES ('Dune'), ('Solaris')")
    }
    #expect(counter.committedCount == 2)
  }

  @Test func transactionEndExampleWorks() throws {
    let dbQueue = try library()
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO book (title) VALUES ('Dune')")
      db.afterNextTransaction { _ in
        print("Dune is in the library")
      }
    }
  }

  @Test func unseenChangesExampleWorks() throws {
    let dbQueue = try library()
    let flag = Flag()
    dbQueue.add(transactionObserver: flag)
    try dbQueue.write { db in
      try db.notifyChanges(in: Table("book"))
    }
    #expect(flag.isModified)
  }
}
