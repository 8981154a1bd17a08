import Testing

import Tidemark
@testable import TidemarkEssentials

/// Notifications of observers about changes.
@Suite struct TransactionObserverTests {
  @Test func changesPrecedeTheCommit() throws {
    let recorder = EventRecorder()
    try observed(recorder).write { db throws -> Void in
      try db.execute(sql: "INSERT INTO book VALUES (7, 'Dune', 1)")
      #expect(recorder.takeLog() == ["insert book 7"])
      try db.execute(sql: "UPDATE book SET title = 'Dune Messiah'")
      try db.execute(sql: "DELETE FROM book")
      #expect(recorder.takeLog() == ["update book 7", "delete book 7"])
    }
    #expect(recorder.log == ["will commit", "did commit"])
  }

  @Test func autocommitStatementsAreTransactions() throws {
    let recorder = EventRecorder()
    try observed(recorder).inDatabase { try $0.execute(sql: "INSERT INTO book (id) VALUES (1), (2)") }
    #expect(recorder.log == ["insert book 1", "insert book 2", "will commit", "did commit"])
  }

  @Test func observersAreAskedBeforeAStatementRuns() throws {
    let recorder = EventRecorder(table: "book")
    recorder.logsQuestions = true
    try observed(recorder).write { db throws -> Void in
      try db.execute(sql: "UPDATE book SET title = 'x', authorId = NULL")
      #expect(recorder.takeLog() == ["update book(authorId,title)?"])
      try db.execute(sql: "INSERT INTO book (id) VALUES (?)", arguments: [3])
      #expect(recorder.takeLog() == ["insert into book?", "insert book 3"])
      // Once per transaction.
      try db.execute(sql: "INSERT INTO book (id) VALUES (?)", arguments: [4])
      #expect(recorder.takeLog() == ["insert book 4"])
    }
    let dbQueue = try observed(recorder)
    for id in 5...6 {
      _ = recorder.takeLog()
      try dbQueue.write { try $0.execute(sql: "INSERT INTO book (id) VALUES (?)", arguments: [id]) }
      #expect(recorder.log == ["insert into book?", "insert book \(id)", "will commit", "did commit"])
    }
  }

  @Test func triggersAndForeignKeysAreObserved() throws {
    let recorder = EventRecorder(table: "book")
    let dbQueue = try observed(recorder)
    try dbQueue.write { db in
      try db.execute(
        sql: """
          CREATE TRIGGER first AFTER INSERT ON author BEGIN
            INSERT INTO book (id, authorId) VALUES (new.id * 10, new.id);
          END
          """)
      try db.execute(sql: "INSERT INTO author VALUES (2, 'Lem')")
      #expect(recorder.takeLog() == ["insert book 20"])
      try db.execute(sql: "DELETE FROM author WHERE id = 2")
      #expect(recorder.takeLog() == ["delete book 20"])
    }
  }

  @Test func tablesWithLongerNamesAreDistinguished() throws {
    let recorder = EventRecorder(table: "book")
    try observed(recorder).write { db in
      try db.execute(
        sql: """
          CREATE TABLE book_note (a);
          CREATE TRIGGER noted AFTER INSERT ON book BEGIN INSERT INTO book_note VALUES (new.id); END;
          INSERT INTO book (id) VALUES (1)
          """)
    }
    #expect(recorder.log == ["insert book 1", "will commit", "did commit"])
  }

  @Test func onlyObservedChangesAreReported() throws {
    let recorder = EventRecorder { if case .update(_, let columns) = $0 { columns.contains("title") } else { false } }
    try observed(recorder).write { db throws -> Void in
      try db.execute(sql: "INSERT INTO book (id) VALUES (1)")
      try db.execute(sql: "UPDATE book SET authorId = 1")
      try db.execute(sql: "UPDATE book SET title = 'Dune'")
      try db.execute(sql: "DELETE FROM book")
    }
    #expect(recorder.log == ["update book 1", "will commit", "did commit"])
  }

  @Test func updatesWithoutEffectAreReportedToObservers() throws {
    let recorder = EventRecorder()
    let dbQueue = try observed(recorder)
    try dbQueue.inDatabase { try $0.execute(sql: "UPDATE author SET name = name") }
    #expect(recorder.log == ["update author 1", "will commit", "did commit"])
  }

  @Test func newRowIDsAreReported() throws {
    let recorder = EventRecorder()
    let dbQueue = try observed(recorder)
    try dbQueue.inDatabase { try $0.execute(sql: "UPDATE author SET id = 9") }
    #expect(recorder.log.first == "update author 9")
  }

  @Test func replacedRowsAreReported() throws {
    let recorder = EventRecorder()
    try observed(recorder).write { db throws -> Void in
      try db.execute(sql: "INSERT INTO book VALUES (1, 'Dune', 1)")
      _ = recorder.takeLog()
      try db.execute(sql: "REPLACE INTO book VALUES (2, 'Dune', 1)")
      #expect(recorder.takeLog() == ["delete book 1", "insert book 2"])
    }
  }

  @Test func deleteObserversSeeReplacedRows() throws {
    let recorder = EventRecorder { if case .delete = $0 { true } else { false } }
    try observed(recorder).write { db throws -> Void in
      try db.execute(sql: "INSERT INTO book VALUES (1, 'Dune', 1)")
      try db.execute(sql: "REPLACE INTO book VALUES (2, 'Dune', 1)")
    }
    #expect(recorder.log == ["delete book 1", "will commit", "did commit"])
  }

  @Test func rowsWithoutIDsHaveTheIDZero() throws {
    let recorder = EventRecorder()
    try observed(recorder).write { db throws -> Void in
      try db.execute(sql: "CREATE TABLE w (a TEXT PRIMARY KEY) WITHOUT ROWID")
      try db.execute(sql: "INSERT INTO w VALUES ('a')")
      try db.execute(sql: "DELETE FROM w")
    }
    #expect(recorder.log == ["insert w 0", "delete w 0", "will commit", "did commit"])
  }

  @Test func databasesAreNamed() throws {
    let recorder = EventRecorder()
    try observed(recorder).inDatabase { db throws -> Void in
      try db.execute(sql: "ATTACH ':memory:' AS Other; CREATE TABLE Other.t (a)")
      try db.execute(sql: "CREATE TEMP TABLE book (a)")
      _ = recorder.takeLog()
      try db.execute(sql: "INSERT INTO Other.t VALUES (1)")
      try db.execute(sql: "INSERT INTO book VALUES (1)")
    }
    #expect(recorder.log.filter { $0.hasPrefix("insert") } == ["insert Other.t 1", "insert temp.book 1"])
  }

  // MARK: - Silence

  @Test func observersCanSkipFurtherChanges() throws {
    let recorder = EventRecorder()
    recorder.isContentWithOne = true
    let dbQueue = try observed(recorder)
    for _ in 1...2 {
      try dbQueue.write { db in
        try db.execute(sql: "INSERT INTO book (authorId) VALUES (1), (1)")
        try db.execute(sql: "INSERT INTO book (authorId) VALUES (1)")
        try db.execute(sql: "DELETE FROM book")
      }
    }
    #expect(
      recorder.log == [
        "insert book 1", "will commit", "did commit", "insert book 1", "will commit", "did commit",
      ])
  }

  @Test func skippingOutsideAChangeTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      EventRecorder().stopObservingDatabaseChangesUntilNextTransaction()
    }
    #expect(result.words.contains("must be called from the databaseDidChange"))
  }

  // MARK: - notifyChanges

  @Test func notifiedChangesReachTheirObservers() throws {
    let (books, authors) = (EventRecorder(table: "book"), EventRecorder(table: "author"))
    let dbQueue = try observed(books)
    dbQueue.add(transactionObserver: authors)
    try dbQueue.write { db in
      try db.notifyChanges(in: Table("book"))
      #expect(books.log == ["something"])
      #expect(authors.log == [])
      try db.notifyChanges(in: DatabaseRegion.fullDatabase)
    }
    #expect(books.log == ["something", "something", "will commit", "did commit"])
    #expect(authors.log == ["something", "will commit", "did commit"])
  }

  @Test(arguments: ["BOOK", "Book", "book"])
  func observersReceiveTableNamesAsCreated(name: String) throws {
    let books = EventRecorder(table: "book")
    let dbQueue = try observed(books)
    try dbQueue.write { db in
      try db.notifyChanges(in: Table(name))
      try db.notifyChanges(in: Table(name).select(Column("TITLE")))
    }
    #expect(books.log == ["something", "something", "will commit", "did commit"])
  }

  @Test(arguments: ["title", "authorId"])
  func aNotificationConcernsTheColumnsOfAllPartsOfARegion(column: String) throws {
    let recorder = EventRecorder { if case .update(_, let columns) = $0 { columns.contains(column) } else { false } }
    try observed(recorder).write { db in
      let books = Table("book")
      let region = try books.filter(Column("id") == 1).select(Column("title")).databaseRegion(db)
        .union(books.filter(Column("id") == 2).select(Column("authorId")).databaseRegion(db))
      #expect(region.debugDescription == "book(authorId,id) where id = 2,book(id,title) where id = 1")
      try db.notifyChanges(in: region)
    }
    #expect(recorder.log == ["something", "will commit", "did commit"])
  }

  // MARK: - Regions

  @Test func anUpdateOfARowIDConcernsTheRegionsOfBothIDs() throws {
    let observer = RegionEvents()
    let dbQueue = try observed(EventRecorder())
    dbQueue.add(transactionObserver: observer)
    try dbQueue.inDatabase { db in
      try db.execute(sql: "INSERT INTO book (id, title) VALUES (1, 'a'), (2, 'b'), (3, 'c')")
      for id in 1...3 { observer.regions.append(try Table("book").filter(Column("id") == id).databaseRegion(db)) }
      observer.events = []
      try db.execute(sql: "UPDATE book SET id = 9 WHERE id = 1")
      try db.execute(sql: "UPDATE book SET id = 2 WHERE id = 9 AND NOT EXISTS (SELECT 1 FROM book WHERE id = 2)")
      try db.execute(sql: "UPDATE book SET id = 8 WHERE id = 2")
      try db.execute(sql: "UPDATE book SET id = 2 WHERE id = 9")
    }
    #expect(observer.events == [[true, false, false], [false, true, false], [false, true, false]])
  }
}

/// Which of some regions each event may alter.
private final class RegionEvents: TransactionObserver {
  var regions: [DatabaseRegion] = []
  var events: [[Bool]] = []

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
  func databaseDidChange(with event: DatabaseEvent) { events.append(regions.map { $0.isModified(by: event) }) }
  func databaseDidCommit(_ db: Database) {}
  func databaseDidRollback(_ db: Database) {}
}
