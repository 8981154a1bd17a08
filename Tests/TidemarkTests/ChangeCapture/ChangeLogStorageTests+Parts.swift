import Testing

import Tidemark
@testable import TidemarkEssentials

// What belongs to a part of a transaction whose first rows are in a file.

extension ChangeLogStorageTests {
  // MARK: - Undone changes

  @Test func `stored rows that are undone in part return to memory, as delivered`() {
    var log = openLog()
    log.insert(1, ["first"], into: book)
    log.openSavepoint("s")
    log.insert(2, ["second"], into: book)
    #expect(insert(3...3, into: &log))
    log.rollBackToSavepoint("s")
    #expect(log.rowIDs == [1] && log.base.records == 0)
    #expect(log.values.count == 1 && log.values.byteCount == 5)
    #expect(log.undelivered.isEmpty)
    log.insert(4, ["fourth"], into: book)
    #expect(
      log.report().rows.map(\.words) == [
        "insert book #1(id=1 title=\"first\")", "insert book #4(id=4 title=\"fourth\")",
      ])
  }

  @Test func `rows behind stored ones are undone with their values`() {
    var log = openLog()
    #expect(insert(1...3, into: &log))
    log.openSavepoint("s")
    log.insert(4, ["other"], into: book)
    log.rollBackToSavepoint("s")
    #expect(log.rowIDs == [3] && log.base.records == 2)
    #expect(log.values.count == 1 && log.values.byteCount == 5)
  }

  @Test func `values without a row are dropped behind stored rows`() {
    var log = openLog()
    #expect(insert(1...3, into: &log))
    let start = log.end
    "ABC".databaseValue.withBorrowedValue { log.values.append($0) }
    log.dropValues(after: start)
    #expect(log.values.count == 1 && log.values.byteCount == 5)
  }

  @Test func `a rollback to the beginning leaves no byte`() {
    var log = openLog()
    log.openSavepoint("s")
    #expect(insert(1...1, into: &log))
    log.rollBackToSavepoint("s")
    #expect(log.values.count == 0 && log.values.byteCount == 0)
  }

  @Test func `a statement whose rows were lost has changed something`() {
    var log = openLog(fileByteCount: 1)
    log.willStep()
    #expect(!insert(1...3, into: &log))
    #expect(log.hasStepChanged)
  }

  // MARK: - Failed statements

  @Test func `a statement that may have kept stored rows makes their tables coarse`() {
    var log = openLog()
    log.willStep()
    #expect(insert(1...3, into: &log))
    #expect(!log.holdsStepRecords)
    log.didStep(.unclear)
    #expect(log.report().tables.map(\.summary) == ["book insert delete update(*) coarse"])
  }

  @Test func `a statement that begins behind stored rows has no part in them`() {
    var log = openLog()
    #expect(insert(1...2, into: &log))
    #expect(hasRoom(&log, book) && log.base.records == 2)
    #expect(!log.holdsStepRecords)
    log.willStep()
    #expect(log.holdsStepRecords)
    log.didStep(.unclear)
    #expect(log.coarse.isEmpty)
  }

  @Test func `outside of a statement, a single stored row is a row that is not in memory`() {
    var log = openLog()
    log.bound.recordCount = 1
    #expect(insert(1...2, into: &log))
    #expect(log.base.records == 1)
    #expect(!log.holdsStepRecords)
    #expect(log.hasChanges(in: "main"))
  }

  @Test func `outside of a statement, there is no change of one`() {
    var log = openLog()
    log.insert(1, ["title"], into: book)
    #expect(!log.hasStepChanged)
    #expect(log.holdsStepRecords)
    #expect(log.stepRecords.map(\.newRowID) == [1])
  }

  // MARK: - Recordings

  @Test func `a recording whose first rows are in a file is unknown`() throws {
    var log = openLog()
    log.beginRecording()
    #expect(insert(1...3, into: &log))
    let changes = try #require(log.recordedChanges())
    #expect(changes.isUnknown && changes.rows.isEmpty)
    #expect(changes.details?.isTruncated == true)
  }

  @Test func `a recording that begins behind stored rows contains its own rows`() throws {
    var log = openLog()
    #expect(insert(1...3, into: &log))
    log.beginRecording()
    log.insert(4, ["fourth"], into: book)
    log.add([SchemaChange(kind: .create, subject: .view, name: "v", database: "main")], by: "CREATE VIEW v AS …")
    let changes = try #require(log.recordedChanges())
    #expect(!changes.isUnknown)
    #expect(changes.rows.map(\.words) == ["insert book #4(id=4 title=\"fourth\")"])
    #expect(changes.details?.rowlessChanges.map(\.rowCount) == [1])
    #expect(changes.log.values.byteCount == 6)
  }

  @Test func `a recording is lost if changes before it are rolled back`() {
    var log = openLog()
    log.openSavepoint("s")
    log.insert(1, ["title"], into: book)
    log.beginRecording()
    log.insert(2, ["title"], into: book)
    log.rollBackToSavepoint("s")
    #expect(log.recordedChanges() == nil)
    let (recording, _, _) = log.endRecording()
    #expect(recording.hasLostItsTransaction)
  }

  @Test func `a recording is unknown while the program controls savepoints itself`() throws {
    var log = openLog()
    log.beginRecording()
    log.insert(1, ["title"], into: book)
    log.becomeUncertain()
    let changes = try #require(log.recordedChanges())
    #expect(changes.isUnknown)
    #expect(changes.details?.unreported == .content)
  }
}
