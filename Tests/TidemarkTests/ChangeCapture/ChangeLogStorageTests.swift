import Testing

import Tidemark
@testable import TidemarkEssentials

/// The rows of a large transaction, without a database. See `LargeTransactionTests`.
@Suite struct ChangeLogStorageTests {
  /// A table whose rows are needed even if they do not fit in memory.
  let book: CapturedTable = {
    let layout = CaptureLayout.ofTable("book", ["title"], rowIDColumn: "id")
    return CapturedTable(
      layout.key,
      layout: CaptureLayout(
        key: layout.key, columns: layout.columns, storedColumns: layout.storedColumns, rowIDColumn: layout.rowIDColumn,
        wantsRows: true, storesRows: true, mustReportAll: false))
  }()

  /// A table whose rows are reported only if they fit in memory.
  let shelf = CapturedTable(TableKey("shelf"), layout: CaptureLayout.ofTable("shelf", ["name"]))

  func openLog(fileByteCount: Int = 1_000_000, vfs: String? = nil) -> ChangeLog {
    var log = ChangeLog(
      bound: .init(
        recordCount: 2, byteCount: 1_000, segmentRecordCount: 2, segmentByteCount: 1_000, fileByteCount: fileByteCount,
        vfs: vfs))
    log.begin(needsVersion: 1)
    return log
  }

  /// Inserts books. Before each one, rows in memory are stored if there are too many.
  ///
  /// - Returns: Whether there was room for all of them.
  func insert(_ ids: ClosedRange<Int64>, into log: inout ChangeLog) -> Bool {
    for id in ids {
      if !log.hasRoom(for: book) { return false }
      log.insert(id, ["title"], into: book)
    }
    return true
  }

  func hasRoom(_ log: inout ChangeLog, _ table: CapturedTable) -> Bool { log.hasRoom(for: table) }

  private func byteCount(_ log: ChangeLog) -> Int {
    if case .stored(let store) = log.storage { store.byteCount } else { 0 }
  }

  // MARK: - Room

  @Test func `beside stored rows, other tables have no room`() {
    var log = openLog()
    #expect(hasRoom(&log, shelf))
    #expect(insert(1...3, into: &log))
    #expect(log.base.records == 2 && log.rowIDs == [3])
    #expect(!hasRoom(&log, shelf))
  }

  @Test func `a table without needs has room`() {
    var log = openLog()
    #expect(hasRoom(&log, CapturedTable(TableKey("observed"))))
  }

  @Test func `the rows of a table are limited, until some are undone`() {
    let layout = CaptureLayout(
      key: TableKey("limited"), columns: [], storedColumns: [], rowIDColumn: "id", wantsRows: true, rowCountMax: 2,
      mustReportAll: false)
    let limited = CapturedTable(layout.key, layout: layout)
    var log = ChangeLog()
    log.begin(needsVersion: 1)
    for id in 1...3 { log.insert(Int64(id), ["name"], into: shelf) }
    log.insert(1, [], into: limited)
    #expect(hasRoom(&log, limited))
    log.openSavepoint("s")
    log.insert(2, [], into: limited)
    for _ in 1...2 { #expect(!hasRoom(&log, limited)) }
    #expect(hasRoom(&log, shelf))
    log.rollBackToSavepoint("s")
    #expect(hasRoom(&log, limited))
    log.insert(3, [], into: limited)
    #expect(!hasRoom(&log, limited))
    log.reset()
    log.begin(needsVersion: 1)
    for id in 1...6 { log.insert(Int64(id), ["name"], into: shelf) }
    log.insert(1, [], into: limited)
    #expect(hasRoom(&log, limited))
  }

  @Test func `a table has no room once it has as many rows as its layout allows`() {
    let layout = CaptureLayout(key: TableKey("limited"), wantsRows: true, rowCountMax: 1, mustReportAll: false)
    let limited = CapturedTable(layout.key, layout: layout)
    var log = ChangeLog()
    log.begin(needsVersion: 1)
    log.insert(1, [], into: limited)
    #expect(!hasRoom(&log, limited))
    log.reset()
    log.begin(needsVersion: 1)
    log.insert(1, ["top"], into: shelf)
    // None of the rows is of this table, as in the transaction before.
    #expect(hasRoom(&log, limited))
  }

  @Test func `the rows of a segment are limited by their bytes`() {
    var log = ChangeLog(
      bound: .init(recordCount: 4, byteCount: 1_000, segmentRecordCount: 4, segmentByteCount: 10))
    log.begin(needsVersion: 1)
    // Two titles have ten bytes.
    for id in 1...4 { log.insert(Int64(id), ["12345"], into: book) }
    #expect(hasRoom(&log, book))
    guard case .stored(let store) = log.storage else { Issue.record("no rows are stored"); return }
    #expect(store.segments.map(\.end.records) == [2, 4])
    #expect(store.segments.map(\.end.bytes) == [10, 20])
    log.insert(5, ["123456789"], into: book)
    #expect(hasRoom(&log, book) && log.base.records == 4)
    log.insert(6, ["1"], into: book)
    #expect(hasRoom(&log, book) && log.base.records == 6)
  }

  @Test func `by default, 10,000 rows or 2 megabytes are stored together`() {
    for (rowCount, title) in [(10_000, ""), (2, String(repeating: "a", count: 1_000_000))] {
      var log = ChangeLog()
      log.begin(needsVersion: 1)
      log.bound.recordCount = 1
      log.insert(0, ["first"], into: book)
      #expect(hasRoom(&log, book) && log.base.records == 1)
      for id in 1...rowCount {
        #expect(hasRoom(&log, book) && log.base.records == 1)
        log.insert(Int64(id), [title], into: book)
      }
      #expect(hasRoom(&log, book) && log.base.records == rowCount + 1)
    }
  }

  @Test func `beside stored rows, other tables have room if there is no limit any more`() {
    var log = openLog()
    #expect(insert(1...3, into: &log))
    log.bound = log.bound.withoutLimits
    #expect(hasRoom(&log, shelf))
  }

  @Test func `observed rows of one transaction do not hold back the rows of the next`() {
    var log = openLog()
    log.add(ChangeRecord(table: log.index(of: book), kind: .insert, isObserved: true, newRowID: 1))
    log.reset()
    log.begin(needsVersion: 1)
    #expect(insert(1...3, into: &log))
    #expect(log.base.records == 2)
  }

  @Test func `rows that were delivered and stored are not delivered again`() {
    var log = openLog()
    for id in 1...2 {
      log.insert(Int64(id), ["title"], into: book)
    }
    log.didDeliver(log.deliverable)
    #expect(hasRoom(&log, book) && log.base.records == 2)
    log.insert(3, ["title"], into: book)
    #expect(log.undelivered == 0..<1)
  }

  @Test func `rows that observers have not received stay in memory`() {
    var log = openLog()
    log.insert(1, ["title"], into: book)
    log.add(ChangeRecord(table: log.index(of: book), kind: .insert, isObserved: true, newRowID: 2))
    #expect(!hasRoom(&log, book))
    #expect(log.base.records == 0)
    log.didDeliver(log.deliverable)
    #expect(hasRoom(&log, book))
    #expect(log.base.records == 2)
  }

  @Test func `if there is no temporary file, the rows are lost, and the commit says so`() {
    var log = openLog(vfs: "no such vfs")
    #expect(!insert(1...3, into: &log))
    let changes = log.report()
    #expect(changes.isUnknown && changes.rows.isEmpty)
    #expect(changes.details?.unreported == .rows)
  }

  @Test func `if a later segment does not fit in the file, the rows are lost`() {
    var log = openLog()
    #expect(insert(1...3, into: &log))
    var full = openLog(fileByteCount: byteCount(log))
    #expect(insert(1...4, into: &full))
    #expect(byteCount(full) == byteCount(log))
    #expect(!insert(5...5, into: &full))
    #expect(full.report().details?.unreported == .rows)
    #expect(!hasRoom(&full, book))
  }

  @Test func `after lost rows were rolled back, the next transaction keeps its rows`() {
    var log = openLog(fileByteCount: 1)
    log.openSavepoint("s")
    #expect(!insert(1...3, into: &log))
    log.rollBackToSavepoint("s")
    log.reset()
    log.begin(needsVersion: 1)
    #expect(insert(1...2, into: &log))
    #expect(log.rowIDs == [1, 2])
  }

  // MARK: - Parts

  @Test func `the rows of a small transaction are one part`() throws {
    var log = openLog()
    log.insert(1, ["title"], into: book)
    log.insert(7, ["top"], into: shelf)
    let rows = log.rows
    #expect(rows.partCount == 1)
    #expect(rows.rowCount(beforePart: 0) == 0)
    #expect(try rows.part(0).records.map(\.newRowID) == [1, 7])
    #expect(rows.rowCount { $0 == book.key } == 1)
  }

  @Test func `a single row in the file is a change of its database`() {
    var log = openLog()
    log.bound.recordCount = 1
    #expect(insert(1...1, into: &log))
    #expect(hasRoom(&log, book))
    #expect(log.base.records == 1 && log.layouts.isEmpty)
    #expect(log.hasChanges(in: "main"))
  }

  @Test func `the report of stored rows does not hold the rows in memory`() {
    var log = openLog()
    #expect(insert(1...3, into: &log))
    let changes = log.report()
    #expect(changes.details?.storedRows != nil)
    #expect(changes.log.values.isEmpty && changes.log.layouts.isEmpty)
  }

  @Test func `inserted rows in the file change the counter of their table`() {
    let layout = CaptureLayout(
      key: TableKey("counted"), rowIDColumn: "id", wantsRows: true, storesRows: true, mustReportAll: false,
      hasCounter: true)
    let counted = CapturedTable(layout.key, layout: layout)
    var log = openLog()
    for id in 1...2 { log.insert(Int64(id), [], into: counted) }
    #expect(log.counterTables.isEmpty)
    #expect(hasRoom(&log, counted))
    #expect(log.counterTables == [counted.key])
  }

  @Test func `rows in the file are changes of their database`() {
    var log = openLog()
    #expect(insert(1...2, into: &log))
    #expect(hasRoom(&log, book))
    #expect(log.base.records == 2 && log.layouts.isEmpty)
    #expect(log.hasChanges(in: "main") && !log.hasChanges(in: "temp"))
  }

  @Test func `rows are counted by table, in the file and in memory`() throws {
    var log = openLog()
    log.insert(7, ["top"], into: shelf)
    #expect(insert(1...4, into: &log))
    let rows = log.rows
    #expect(rows.partCount == 3)
    #expect((0...2).map { rows.rowCount(beforePart: $0) } == [0, 2, 4])
    #expect(rows.rowCount { $0 == book.key } == 4)
    #expect(rows.rowCount { $0 == shelf.key } == 1)
    #expect(rows.rowCount { _ in false } == 0)
  }

  @Test func `a store without segments has no rows`() throws {
    var store = try RowStore(vfs: nil)
    #expect(store.byteCount == 0)
    let removed = store.removeSegments(from: 0)
    #expect(removed == nil)
    let rows = TransactionRows(
      store: store, tail: .empty, incompleteTables: [], isTruncated: false, rowlessChanges: [])
    #expect(rows.partCount == 1 && rows.rowCount(beforePart: 0) == 0)
  }

  @Test func `rows that only observers need are stored, and not counted`() throws {
    var log = openLog()
    log.insert(1, ["title"], into: book)
    log.add(ChangeRecord(table: log.index(of: book), kind: .delete, isObserved: true, newRowID: 2))
    log.didDeliver(log.deliverable)
    #expect(hasRoom(&log, book))
    let rows = log.rows
    #expect(try rows.part(0).records.map(\.newRowID) == [1, 2])
    #expect(rows.rowCount { _ in true } == 1)
    #expect(log.report().tables.map(\.summary) == ["book insert coarse"])
  }

  @Test func `a moved row in the file has changed its row ID`() {
    var log = openLog()
    log.update(1, movedTo: 9, from: ["title"], to: ["title"], changing: 0, in: book)
    log.update(2, from: ["title"], to: ["other"], changing: 1, in: book)
    #expect(hasRoom(&log, book))
    #expect(log.base.records == 2)
    #expect(log.report().tables.map(\.summary) == ["book update(id,title) coarse"])
  }
}
