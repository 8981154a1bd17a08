import Testing

import Tidemark
@testable import TidemarkEssentials

/// The report of a transaction, and the memory of reports, without a database.
@Suite struct ChangeLogReportTests {
  private let book = CapturedTable(TableKey("book"), layout: CaptureLayout.ofTable("book", ["title", "pages"]))
  private let shelf = CapturedTable(TableKey("shelf"), layout: CaptureLayout.ofTable("shelf", ["name"]))

  private func openLog(_ bound: ChangeLog.Bound = ChangeLog.Bound()) -> ChangeLog {
    var log = ChangeLog(bound: bound)
    log.begin(needsVersion: 1)
    return log
  }

  /// Adds a row that only observers need.
  private func observe(_ rowID: Int64, _ table: CapturedTable, in log: inout ChangeLog) {
    log.add(ChangeRecord(table: log.index(of: table), kind: .insert, isObserved: true, newRowID: rowID))
  }

  // MARK: - Columns

  @Test func `the columns of the updates of a single table are merged`() {
    var log = openLog()
    log.update(1, from: ["Dune", 412], to: ["Emma", 412], changing: 0b01, in: book)
    #expect(log.report().tables.map(\.summary) == ["book update(title) rows 0"])
    log.update(1, from: ["Emma", 412], to: ["Emma", 500], changing: 0b10, in: book)
    #expect(log.report().tables.map(\.summary) == ["book update(pages,title) rows 0,1"])
  }

  @Test(arguments: [false, true])
  func `an update that may have changed only unread columns changes these`(isAlone: Bool) {
    let layout = CaptureLayout(key: TableKey("sum"), wantsRows: true, unreadColumns: ["total"], mustReportAll: true)
    let sum = CapturedTable(layout.key, layout: layout)
    var log = openLog()
    log.update(1, from: [], to: [], changing: 0, in: sum)
    if !isAlone { log.insert(7, ["top"], into: shelf) }
    #expect(log.report().tables.first?.summary == "sum update(total) rows 0")
  }

  // MARK: - Rows that only observers need

  @Test func `rows that only observers need are not reported`() {
    var log = openLog()
    log.insert(1, ["Dune", 412], into: book)
    observe(2, book, in: &log)
    log.insert(7, ["top"], into: shelf)
    let changes = log.report()
    #expect(changes.rowIDs == [1, 7])
    #expect(changes.tables.map(\.summary) == ["book insert rows 0", "shelf insert rows 1"])
  }

  @Test func `a report without rows holds no memory of the log`() {
    var log = openLog()
    observe(1, book, in: &log)
    log.add(.notification(channel: "c", payload: "p"))
    #expect(log.report().log.layouts.isEmpty)
  }

  @Test func `delivered rows of one transaction do not count in the next`() {
    var log = openLog()
    log.insert(1, ["Dune", 412], into: book)
    log.didDeliver(log.deliverable)
    log.reset()
    log.begin(needsVersion: 1)
    #expect(log.undelivered.isEmpty)
    observe(1, book, in: &log)
    // No row of this transaction is reported, so that delivered rows are removed.
    log.didDeliver(log.deliverable)
    #expect(log.records.isEmpty)
  }

  @Test func `a notification keeps its place when delivered rows are removed`() {
    var log = openLog()
    observe(1, book, in: &log)
    log.add(.notification(channel: "c", payload: "p"))
    log.didDeliver(log.deliverable)
    log.insert(2, ["Dune", 412], into: book)
    #expect(log.report().details?.rowlessChanges.map(\.rowCount) == [0])
  }

  @Test func `delivered and removed rows do not count against the limit of a table`() {
    let layout = CaptureLayout(key: TableKey("limited"), wantsRows: true, rowCountMax: 1, mustReportAll: false)
    let limited = CapturedTable(layout.key, layout: layout)
    var log = openLog()
    observe(1, limited, in: &log)
    #expect(hasRoom(&log, limited))
    log.didDeliver(log.deliverable)
    #expect(log.records.isEmpty)
    log.insert(2, [], into: limited)
    #expect(!hasRoom(&log, limited))
  }

  private func hasRoom(_ log: inout ChangeLog, _ table: CapturedTable) -> Bool { log.hasRoom(for: table) }

  // MARK: - Unknown changes

  @Test func `unknown rows of a table are changes of all kinds and columns`() {
    let changes = CommittedChanges(unknownRowsOf: [TableKey("a"), TableKey("b", in: "other")])
    #expect(
      changes.tables.map(\.summary) == [
        "a insert delete update(*) coarse", "other.b insert delete update(*) coarse",
      ])
    #expect(changes.rows.isEmpty && !changes.isUnknown)
  }

  @Test func `a draft that becomes coarse has no rows`() {
    var draft = TableDraft()
    draft.rowIndexes = [0, 1]
    draft.becomeCoarse()
    #expect(draft.rowIndexes.isEmpty)
  }

  @Test func `tables of the library are no schema changes of the program`() {
    var log = openLog()
    log.add(
      [SchemaChange(kind: .create, subject: .table, name: "tidemark_undo", database: "main")], by: "CREATE TABLE …")
    #expect(log.rowlessChanges.isEmpty)
    #expect(log.schemaChanges.map(\.name) == ["tidemark_undo"])
    log.add(
      [SchemaChange(kind: .create, subject: .view, name: "tidemark_undo", database: "main")], by: "CREATE VIEW …")
    #expect(log.rowlessChanges.count == 1)
  }

  // MARK: - Memory

  /// Reports the rows of the log, and calls a closure before the memory is taken back.
  private func publish(_ log: inout ChangeLog, _ body: (CommittedChanges) -> Void = { _ in }) {
    if let lent = reported(&log, body) { log.takeBackRows(from: consume lent) }
    log.reset()
    log.begin(needsVersion: 1)
  }

  private func reported(
    _ log: inout ChangeLog, _ body: (CommittedChanges) -> Void
  ) -> CommittedChanges.TableChanges? {
    let (changes, lent) = log.report(number: 1)
    body(changes)
    return lent
  }

  /// The identity of the changes of the only table.
  private func object(_ changes: CommittedChanges) -> ObjectIdentifier { ObjectIdentifier(changes.tables[0]) }

  @Test func `the memory of a report that nobody retains serves for the next one`() {
    var log = openLog()
    var objects: [ObjectIdentifier] = []
    for id in 1...3 {
      log.insert(Int64(id), ["Dune", 412], into: book)
      publish(&log) { changes in
        #expect(changes.rowIDs == [Int64(id)])
        objects.append(object(changes))
      }
      #expect(log.records.isEmpty && log.values.count == 0)
    }
    #expect(Set(objects).count == 1)
    log.insert(7, ["top"], into: shelf)
    publish(&log) { #expect($0.tables.map(\.summary) == ["shelf insert rows 0"]) }
  }

  @Test func `the memory of a report serves again when its last reader has ended`() {
    var log = openLog()
    var kept: [CommittedChanges] = []
    var objects: [ObjectIdentifier] = []
    for id in 1...2 {
      log.insert(Int64(id), ["Dune", 412], into: book)
      publish(&log) { changes in
        objects.append(object(changes))
        kept.append(changes.kept())
      }
    }
    #expect(Set(objects).count == 2)
    #expect(kept.map(\.rowIDs) == [[1], [2]])
    for changes in kept { changes.endReading() }
    kept = []
    log.insert(3, ["Dune", 412], into: book)
    publish(&log) { changes in
      #expect(object(changes) == objects[0])
      #expect(changes.rowIDs == [3])
    }
  }

  @Test func `of the reports that are read for long, the oldest are given up`() {
    var log = openLog()
    var kept: [CommittedChanges] = []
    for id in 1...65 {
      log.insert(Int64(id), ["Dune", 412], into: book)
      publish(&log) { kept.append($0.kept()) }
    }
    #expect(log.lentReports.count == 64)
    #expect(ObjectIdentifier(log.lentReports[0]) == object(kept[1]))
    for changes in kept { changes.endReading() }
  }

  @Test func `large reports are not kept for other commits`() {
    var log = openLog()
    var kept: [CommittedChanges] = []
    for id in 1...100 { log.insert(Int64(id), ["Dune", 412], into: book) }
    publish(&log) { kept.append($0.kept()) }
    #expect(log.lentReports.count == 0)
    #expect(kept[0].rowIDs.count == 100)
    kept[0].endReading()
  }

  @Test func `the memory is released, except for rows of the open transaction`() {
    var log = openLog()
    for id in 1...100 { log.insert(Int64(id), ["Dune", 412], into: book) }
    log.releaseMemory()
    #expect(log.records.count == 100 && log.values.count == 200)
    publish(&log)
    #expect(log.returnedReport != nil)
    log.releaseMemory()
    #expect(log.records.capacity == 0 && log.returnedReport == nil && log.lentReports.count == 0)
    let start = log.end
    "ABC".databaseValue.withBorrowedValue { log.values.append($0) }
    log.releaseMemory()
    #expect(log.values.count == 1)
    log.dropValues(after: start)
    #expect(log.values.isEmpty)
  }

  // MARK: - A new log

  @Test func `a new log is not open, and empty`() {
    let log = ChangeLog()
    #expect(!log.isOpen && log.isEmpty)
    #expect(!log.hasCaptured && !log.isTruncated && !log.isUncertain && !log.isUnknown)
    #expect(log.undelivered.isEmpty && log.needsVersion == 0)
  }

  @Test func `by default, 100,000 rows and 32 megabytes are kept in memory`() {
    var log = openLog()
    for id in 1..<100_000 { observe(Int64(id), book, in: &log) }
    #expect(hasRoom(&log, book))
    observe(100_000, book, in: &log)
    #expect(!hasRoom(&log, book))

    log = openLog()
    log.insert(1, [String(repeating: "a", count: 31_999_999)], into: shelf)
    #expect(hasRoom(&log, shelf))
    log.insert(2, ["b"], into: shelf)
    #expect(!hasRoom(&log, shelf))
  }

  @Test func `a bound without limits has room for everything`() {
    let bound = ChangeLog.Bound(recordCount: 1, byteCount: 1, segmentRecordCount: 1, segmentByteCount: 1)
    var log = openLog(bound.withoutLimits)
    for id in 1...2 { log.insert(Int64(id), ["a text"], into: shelf) }
    #expect(hasRoom(&log, shelf))
    #expect(bound.withoutLimits.segmentRecordCount == .max && bound.withoutLimits.segmentByteCount == .max)
  }
}
