import Testing

import Tidemark
@testable import TidemarkEssentials

/// The changes of a transaction, without a database.
@Suite struct ChangeLogTests {
  /// A table with a row ID, whose columns are reported.
  private let book = CapturedTable(
    TableKey("book"), layout: CaptureLayout.ofTable("book", ["title", "pages"], rowIDColumn: "id"))
  private let shelf = CapturedTable(TableKey("shelf"), layout: CaptureLayout.ofTable("shelf", ["name"]))

  private func openLog(_ bound: ChangeLog.Bound = ChangeLog.Bound()) -> ChangeLog {
    var log = ChangeLog(bound: bound)
    log.begin(needsVersion: 1)
    return log
  }

  // MARK: - Rows

  @Test func `rows are reported in the order of their changes`() {
    var log = openLog()
    log.insert(1, ["Dune", 412], into: book)
    log.insert(7, ["top"], into: shelf)
    log.update(1, from: ["Dune", 412], to: ["Dune", 500], changing: 0b10, in: book)
    log.delete(7, ["top"], from: shelf)
    let changes = log.report()
    #expect(
      changes.rows.map(\.words) == [
        "insert book #1(id=1 pages=412 title=\"Dune\")",
        "insert shelf #7(name=\"top\")",
        "update book #1(id=1 pages=412 title=\"Dune\") -> #1(id=1 pages=500 title=\"Dune\") [pages]",
        "delete shelf #7(name=\"top\")",
      ])
    #expect(changes.tables.map(\.summary) == ["book insert update(pages) rows 0,2", "shelf insert delete rows 1,3"])
  }

  @Test func `the same table of two statements is reported once`() {
    let other = CapturedTable(
      TableKey("book"), layout: CaptureLayout.ofTable("book", ["title", "pages"], rowIDColumn: "id"))
    var log = openLog()
    log.insert(1, ["Dune", 412], into: book)
    log.update(1, from: ["Dune", 412], to: ["Emma", 412], changing: 0b01, in: other)
    log.update(1, from: ["Emma", 412], to: ["Emma", 500], changing: 0b10, in: book)
    #expect(log.report().tables.map(\.summary) == ["book insert update(pages,title) rows 0,1,2"])
  }

  @Test func `NULL is a value, and an unknown value is none`() {
    var log = openLog()
    log.insert(1, [nil, 412], into: book)
    log.update(
      1, from: [nil, 412], to: [nil, 412], changing: 0b10, unknownColumn: 1, in: book)
    #expect(
      log.report().rows.map(\.words) == [
        "insert book #1(id=1 pages=412 title=NULL)",
        "update book #1(id=1 pages=412 title=NULL) -> #1(id=1 title=NULL) [pages]",
      ])
  }

  @Test func `rows of a table WITHOUT ROWID have only their columns`() {
    let word = CapturedTable(
      TableKey("word"), layout: CaptureLayout.ofTable("word", ["text", "count"], hasRowID: false))
    var log = openLog()
    log.insert(0, ["a", 1], into: word)
    log.update(0, from: ["a", 1], to: ["b", 1], changing: 0b01, in: word)
    #expect(
      log.report().rows.map(\.words) == [
        "insert word (count=1 text=\"a\")", "update word (count=1 text=\"a\") -> (count=1 text=\"b\") [text]",
      ])
  }

  @Test func `a moved row has changed its row ID`() {
    var log = openLog()
    log.update(1, movedTo: 2, from: ["Dune", 412], to: ["Dune", 412], changing: 0, in: book)
    let changes = log.report()
    #expect(
      changes.rows.map(\.words) == [
        "update book #1(id=1 pages=412 title=\"Dune\") -> #2(id=2 pages=412 title=\"Dune\") [id]"
      ])
    #expect(changes.tables.map(\.summary) == ["book update(id) rows 0"])
  }

  // MARK: - Savepoints

  @Test func `ROLLBACK TO removes the changes since its savepoint, and keeps the savepoint`() {
    var log = openLog()
    log.insert(1, ["A", 1], into: book)
    log.openSavepoint("s")
    log.insert(2, ["B", 1], into: book)
    log.addCoarse(TableKey("shelf"))
    log.add([.detachment(of: "other")], by: "DETACH other")
    log.rollBackToSavepoint("s")
    #expect(log.hasSavepoints)
    log.insert(3, ["C", 1], into: book)
    log.rollBackToSavepoint("s")
    log.insert(4, ["D", 1], into: book)
    let changes = log.report()
    #expect(changes.rowIDs == [1, 4])
    #expect(changes.tables.map(\.summary) == ["book insert rows 0,1"])
    #expect(changes.schemaChanges.isEmpty && changes.details == nil)
  }

  @Test func `a schema change has its place among the reported rows`() {
    var log = openLog()
    log.insert(1, ["A", 1], into: book)
    log.add([SchemaChange(kind: .create, subject: .table, name: "a", database: "main")], by: "CREATE TABLE a (b)")
    log.insert(1, ["C"], into: shelf)
    log.addCoarse(book.key)
    log.add([SchemaChange(kind: .drop, subject: .table, name: "a", database: "main")], by: "DROP TABLE a")
    // The rows of a coarse table are not reported.
    #expect(log.report().details?.rowlessChanges.map(\.rowCount) == [0, 1])
  }

  @Test func `a released savepoint no longer limits a rollback`() {
    var log = openLog()
    log.openSavepoint("outer")
    log.insert(1, ["A", 1], into: book)
    log.openSavepoint("inner")
    log.insert(2, ["B", 1], into: book)
    log.releaseSavepoint("inner")
    log.rollBackToSavepoint("inner")
    #expect(log.rowIDs == [1, 2])
    log.rollBackToSavepoint("outer")
    #expect(log.rowIDs == [])
  }

  @Test func `the innermost savepoint of a name counts, in any case of its letters`() {
    var log = openLog()
    log.openSavepoint("S")
    log.insert(1, ["A", 1], into: book)
    #expect(log.isOutermost("s"))
    log.openSavepoint("s")
    log.insert(2, ["B", 1], into: book)
    #expect(!log.isOutermost("S"))
    log.rollBackToSavepoint("S")
    #expect(log.rowIDs == [1])
    log.releaseSavepoint("s")
    log.rollBackToSavepoint("s")
    #expect(log.rowIDs == [])
  }

  @Test func `a rollback to an unknown savepoint removes nothing`() {
    var log = openLog()
    log.insert(1, ["A", 1], into: book)
    log.rollBackToSavepoint("s")
    log.releaseSavepoint("s")
    #expect(log.rowIDs == [1])
  }

  @Test func `nothing is removed while the program controls savepoints itself, and the commit is unknown`() {
    var log = openLog()
    log.openSavepoint("s")
    log.insert(1, ["A", 1], into: book)
    log.becomeUncertain()
    log.rollBackToSavepoint("s")
    #expect(log.report().isUnknown)
  }

  @Test func `a table that is coarse before a savepoint stays coarse`() {
    var log = openLog()
    log.addCoarse(TableKey("book"), .update, ["pages"])
    log.openSavepoint("s")
    log.addCoarse(TableKey("book"), .update, ["pages", "title"])
    log.rollBackToSavepoint("s")
    #expect(log.report().tables.map(\.summary) == ["book update(pages) coarse"])
  }

  // MARK: - Steps

  @Test func `a failed statement that SQLite undoes leaves nothing`() {
    var log = openLog()
    log.insert(1, ["A", 1], into: book)
    log.willStep()
    log.insert(2, ["B", 1], into: book)
    #expect(log.hasStepChanged)
    #expect(log.stepRecords.map(\.newRowID) == [2])
    log.didStep(.undone)
    #expect(log.rowIDs == [1])
  }

  @Test(arguments: [ChangeLog.Outcome.succeeded, .kept])
  func `a statement that keeps its changes leaves its rows`(_ outcome: ChangeLog.Outcome) {
    var log = openLog()
    log.willStep()
    log.insert(1, ["A", 1], into: book)
    log.didStep(outcome)
    #expect(!log.isInStep)
    #expect(log.report().rowIDs == [1])
  }

  @Test func `a failed statement that may have kept its changes makes its tables coarse`() {
    var log = openLog()
    log.insert(7, ["top"], into: shelf)
    log.willStep()
    log.insert(1, ["A", 1], into: book)
    log.didStep(.unclear)
    let changes = log.report()
    #expect(changes.rowIDs == [7])
    #expect(changes.tables.map(\.summary) == ["shelf insert rows 0", "book insert delete update(*) coarse"])
  }

  @Test func `changes of statements inside an undone statement may stay`() {
    var log = openLog()
    log.willStep()
    log.willStep()
    log.insert(1, ["A", 1], into: book)
    log.didStep(.succeeded)
    log.didStep(.undone)
    #expect(log.report().tables.map(\.summary) == ["book insert delete update(*) coarse"])
  }

  @Test func `changes that a virtual table writes before a statement survive its failure`() {
    var log = openLog()
    log.willStep()
    log.insert(1, ["A", 1], into: book)
    log.passStepMark()
    log.insert(2, ["B", 1], into: book)
    log.didStep(.undone)
    #expect(log.rowIDs == [1])
  }

  @Test func `an undone statement does not restore what a savepoint has removed inside it`() {
    var log = openLog(.init(recordCount: 10, byteCount: 5))
    log.insert(1, ["A", 1], into: book)
    log.openSavepoint("s")
    log.insert(2, ["BCDEF", 1], into: book)
    log.willStep()
    log.rollBackToSavepoint("s")
    log.didStep(.undone)
    #expect(hasRoom(log))
    #expect(log.report().rowIDs == [1])
  }

  // MARK: - Bounds

  private func hasRoom(_ log: ChangeLog) -> Bool {
    var log = log
    return log.hasRoom(for: book)
  }

  @Test func `a full log has no room for rows until it is cut`() {
    var log = openLog(.init(recordCount: 2, byteCount: 1_000))
    log.openSavepoint("s")
    log.insert(1, ["A", 1], into: book)
    #expect(hasRoom(log))
    log.insert(2, ["B", 1], into: book)
    #expect(!hasRoom(log))
    log.rollBackToSavepoint("s")
    #expect(hasRoom(log))
  }

  @Test func `texts and blobs count by their bytes until they are cut`() {
    var log = openLog(.init(recordCount: 10, byteCount: 5))
    log.openSavepoint("s")
    log.insert(1, ["ABCD", 1_000_000], into: book)
    #expect(hasRoom(log))
    log.insert(2, ["Ä", 1], into: book)
    #expect(!hasRoom(log))
    log.rollBackToSavepoint("s")
    #expect(hasRoom(log))
  }

  @Test func `values without a row are dropped, with their bytes`() {
    var log = openLog(.init(recordCount: 10, byteCount: 5))
    let start = log.end
    "ABCDEFG".databaseValue.withBorrowedValue { log.values.append($0) }
    #expect(!hasRoom(log))
    log.dropValues(after: start)
    #expect(hasRoom(log))
    #expect(log.isEmpty)
  }

  @Test func `past the bound a table is coarse, with the columns of its earlier rows`() {
    var log = openLog(.init(recordCount: 1, byteCount: 1_000))
    log.update(1, from: ["A", 1], to: ["B", 1], changing: 0b01, in: book)
    #expect(!hasRoom(log))
    log.addCoarse(book.key, .update, ["pages"])
    log.addCoarse(book.key, .delete)
    let changes = log.report()
    #expect(changes.rows.isEmpty)
    #expect(changes.tables.map(\.summary) == ["book delete update(pages,title) coarse"])
  }

  @Test func `other tables keep their rows when one is coarse`() {
    var log = openLog()
    log.insert(7, ["top"], into: shelf)
    log.insert(1, ["A", 1], into: book)
    log.addCoarse(book.key, .insert)
    log.insert(8, ["low"], into: shelf)
    let changes = log.report()
    #expect(changes.rowIDs == [7, 8])
    #expect(changes.tables.map(\.summary) == ["shelf insert rows 0,1", "book insert coarse"])
  }

  // MARK: - Coarse changes

  @Test func `a coarse change is noted once`() {
    var log = openLog()
    let areNew = [
      log.addCoarse(TableKey("book"), .insert), log.addCoarse(TableKey("book"), .insert),
      log.addCoarse(TableKey("book"), .delete), log.addCoarse(TableKey("shelf"), .insert),
    ]
    #expect(areNew == [true, false, true, true])
    #expect(log.report().tables.map(\.summary) == ["book insert delete coarse", "shelf insert coarse"])
  }

  @Test func `coarse updates are merged by their columns`() {
    var log = openLog()
    var areNew = [["pages"], ["pages"], ["title"]].map { log.addCoarse(TableKey("book"), .update, $0) }
    #expect(areNew == [true, false, true])
    #expect(log.report().tables.map(\.summary) == ["book update(pages,title) coarse"])
    areNew = [nil, ["year"]].map { log.addCoarse(TableKey("book"), .update, $0) }
    #expect(areNew == [true, false])
    #expect(log.report().tables.map(\.summary) == ["book update(*) coarse"])
  }

  // MARK: - Delivery to observers

  @Test func `rows are delivered when nothing can undo them any more`() {
    var log = openLog()
    log.openSavepoint("s")
    log.willStep()
    log.insert(1, ["A", 1], into: book)
    #expect(log.deliverable.isEmpty)
    log.didStep(.succeeded)
    #expect(log.deliverable.isEmpty)
    log.releaseSavepoint("s")
    #expect(log.deliverable == 0..<1)
    log.didDeliver(log.deliverable)
    log.insert(2, ["B", 1], into: book)
    #expect(log.undelivered == 1..<2)
    #expect(log.report().rowIDs == [1, 2])
  }

  @Test func `delivered rows that no subscriber needs are removed`() {
    let book = CapturedTable(TableKey("book"))
    var log = openLog()
    log.add(ChangeRecord(table: log.index(of: book), kind: .insert, isObserved: true, newRowID: 1))
    log.didDeliver(log.deliverable)
    #expect(log.records.isEmpty)
    #expect(log.isEmpty)
  }

  // MARK: - Transactions

  @Test func `a transaction begins with an empty log, and its own tables`() {
    var log = openLog()
    log.insert(1, ["A", 1], into: book)
    log.openSavepoint("s")
    log.addCoarse(TableKey("shelf"))
    log.becomeUnknown()
    log.reset()
    #expect(!log.isOpen)
    log.begin(needsVersion: 2)
    #expect(log.isEmpty)
    #expect(!log.hasSavepoints)
    log.insert(7, ["top"], into: shelf)
    log.insert(2, ["B", 1], into: book)
    let changes = log.report()
    #expect(changes.rowIDs == [7, 2])
    #expect(changes.needsVersion == 2)
    #expect(!changes.isUnknown)
  }

  @Test func `each cut changes the generation`() {
    var log = openLog()
    var generations = [log.generation]
    log.openSavepoint("s")
    log.insert(1, ["A", 1], into: book)
    #expect(log.generation == generations[0])
    log.rollBackToSavepoint("s")
    generations.append(log.generation)
    log.willStep()
    log.didStep(.undone)
    generations.append(log.generation)
    log.reset()
    generations.append(log.generation)
    #expect(Set(generations).count == 4)
  }

  @Test func `a kept report is not changed by the next transaction`() {
    var log = openLog()
    log.insert(1, ["A", 1], into: book)
    let kept = log.report().kept()
    log.reset()
    log.begin(needsVersion: 1)
    log.insert(2, ["B", 1], into: book)
    let next = log.report()
    #expect(kept.rowIDs == [1])
    #expect(next.rowIDs == [2])
  }
}
