import Synchronization

// The report of a committed transaction.

extension ChangeCapture {
  /// Publishes a successful commit if it has subscribers.
  ///
  /// - Parameter hasWritten: Whether it may have changed stored content.
  /// - Parameter recordedVersion: The version under which its changes are stored.
  func publish(hasWritten: Bool, _ recordedVersion: UInt64? = nil) {
    // The commit becomes visible before it is counted, and it is counted before the needs are read. A query that
    // subscribes before the count is notified of the commit. One that subscribes later reads the commit, or finds that
    // the count has changed.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    let broker = self.broker
    let (hasChanged, hasReport) = (hasWritten || !log.isEmpty, !needs.ofSubscribers.isEmpty && !log.isEmpty)
    if hasChanged { broker.countWrite() }
    let isReported = log.needsVersion == broker.version ? hasReport : hasChanged
    guard isReported, broker.hasReceivers else { return }
    let numbers = needs.ofSubscribers.storedNumbers ? storedNumbers() : StoredNumbers()
    if let lent = publishReport(numbers, recordedVersion) { log.takeBackRows(from: consume lent) }
  }

  /// Publishes the report, and releases it.
  private func publishReport(
    _ numbers: StoredNumbers, _ recordedVersion: UInt64?
  ) -> CommittedChanges.TableChanges? {
    var (changes, lent) = log.report(number: broker.nextCommitNumber(), numbers)
    changes.recordedVersion = recordedVersion
    broker.publish(changes)
    return lent
  }
}

extension ChangeLog {
  /// Returns the changes of the committed transaction.
  ///
  /// - Returns: The changes, and the changes of the only table, which hold the memory of the log. Nil for several
  ///   tables.
  mutating func report(
    number: UInt64, _ numbers: StoredNumbers = StoredNumbers()
  ) -> (changes: CommittedChanges, lent: CommittedChanges.TableChanges?) {
    let storedRows = takeStoredRows()
    let isCoarse = areTablesCoarse
    let details = details(numbers, storedRows, isCoarse)
    let lent = onlyTable.map { self.changes(of: $0) }
    let captured: CapturedLog
    let tables: ShortList<CommittedChanges.TableChanges>
    if let lent {
      (captured, tables) = (lent.log, ShortList(lent))
    } else {
      captured = hasCaptured && storedRows == nil ? capturedLog(isCoarse) : .empty
      tables = ShortList(self.tables(of: captured, isCoarse))
    }
    let changes = CommittedChanges(
      number: number, needsVersion: needsVersion, isUnknown: isUnknown || isUncertain, schemaChanges: schemaChanges,
      tables: tables, log: captured, details: details)
    return (changes, lent)
  }

  /// Whether the tables of the log are reported without their rows: the records of such a table are incomplete, and may
  /// contain changes that were rolled back. Empty if no table is.
  private var areTablesCoarse: [Bool] {
    if coarse.isEmpty { return [] }
    let keys = Set(coarse.map(\.key))
    return tables.map { keys.contains($0.key) }
  }

  /// To be called before the rows are taken from the log.
  private func details(
    _ numbers: StoredNumbers, _ storedRows: TransactionRows?, _ isCoarse: [Bool]
  ) -> CommittedChanges.Details? {
    if unreported.isEmpty, !isUncertain, !isTruncated, schemaChanges.isEmpty, rowlessChanges.isEmpty, numbers.isEmpty {
      return nil
    }
    return CommittedChanges.Details(
      unreported: isUncertain ? unreported.union(.content) : unreported, isTruncated: isTruncated,
      rowlessChanges: reportedRowlessChanges(isCoarse), numbers, storedRows)
  }

  /// The changes that are not rows, with the number of reported rows before them.
  private func reportedRowlessChanges(_ isCoarse: [Bool]) -> [RowlessChange] {
    var (changes, index, rowCount) = (rowlessChanges, 0, 0)
    for position in changes.indices {
      let end = min(changes[position].rowCount, records.count)
      while index < end {
        if isReported(records[index], isCoarse) { rowCount += 1 }
        index += 1
      }
      changes[position].rowCount = rowCount
    }
    return changes
  }

  private func isReported(_ record: ChangeRecord, _ isCoarse: [Bool]) -> Bool {
    record.isCaptured && (isCoarse.isEmpty || !isCoarse[Int(record.table)])
  }

  /// Takes the memory of the rows back, now if no subscriber has retained it, or later. The index of queries uses it
  /// only while it is notified, and the consumers of change streams shortly afterwards.
  mutating func takeBackRows(from lent: consuming CommittedChanges.TableChanges) {
    if CommittedChanges.TableChanges.isUnshared(&lent) {
      lent.log.exchangeRows(with: &self)
      returnedReport = lent
    } else if lent.log.memory <= Self.lentMemoryMax {
      lentReports.append(lent)
      if lentReports.count > Self.lentCountMax { _ = lentReports.popFirst() }
    }
  }

  /// Of the reports that are read after their notification, this number is kept for other commits: more than a consumer
  /// receives at once while commits are frequent (Benchmarks: `streams one`). Their memory is limited.
  private static let lentCountMax = 64
  private static let lentMemoryMax = 4_000

  /// A report that no subscriber retains.
  private mutating func takeReusableReport() -> CommittedChanges.TableChanges? {
    if let report = returnedReport.take() { return report }
    guard !lentReports.isEmpty, CommittedChanges.TableChanges.isUnshared(&lentReports[0]) else { return nil }
    return lentReports.popFirst()
  }

  /// The captured rows, in the memory of the log. The log continues with new memory if a subscriber retains the rows.
  ///
  /// - Parameter isCoarse: The tables of the log that are reported without their rows.
  private func capturedLog(_ isCoarse: [Bool]) -> CapturedLog {
    // Usually, all records are reported.
    let areAllReported = isCoarse.isEmpty && records.allSatisfy { $0.isCaptured }
    return CapturedLog(
      records: areAllReported ? records : records.filter { isReported($0, isCoarse) },
      values: values, layouts: layouts)
  }

  /// The only changed table; nil if there are several, or if some rows are not reported.
  private var onlyTable: CapturedTable? {
    guard hasCaptured, tables.count == 1, coarse.isEmpty, !records.isEmpty,
      records.allSatisfy({ $0.isCaptured })
    else { return nil }
    return tables[0]
  }

  /// The changes of the only table, with the rows of the log. The log has no rows until they are returned.
  private mutating func changes(of table: CapturedTable) -> CommittedChanges.TableChanges {
    var draft = TableDraft()
    var changedColumns: UInt64 = 0
    let mustReportAll = layouts[0].mustReportAll
    for index in records.indices {
      draft.kinds.insert(records[index].kind)
      if records[index].kind != .update { continue }
      changedColumns |= records[index].changedColumns
      if mustReportAll || records[index].oldRowID != records[index].newRowID {
        draft.addUpdatedColumns(layouts[0].changedColumns(records[index]))
      }
    }
    table.state.changedColumns = changedColumns
    if changedColumns != 0 { draft.addUpdatedColumns(table.namesOfChangedColumns) }
    let changes = takeReusableReport() ?? CommittedChanges.TableChanges(key: table.key, log: CapturedLog(layouts: []))
    changes.reuse(for: table)
    changes.set(draft.kinds, updatedColumns: draft.updatedColumns, .all(count: records.count))
    changes.log.exchangeRows(with: &self)
    return changes
  }

  /// Returns the changes of each table, in the order of their first changes.
  ///
  /// The captured rows of a coarse table are not reported. Their kinds and columns are reported together with the kinds
  /// and columns of uncaptured changes.
  private func tables(of captured: CapturedLog, _ isCoarse: [Bool]) -> [CommittedChanges.TableChanges] {
    var keys: [TableKey] = []
    var drafts: [TableDraft] = []
    // A linear search: there are few tables.
    func reportIndex(of key: TableKey) -> Int {
      if let reportIndex = keys.firstIndex(of: key) { return reportIndex }
      keys.append(key)
      drafts.append(TableDraft())
      return keys.count - 1
    }
    // Several tables of the log can be the same table, seen by several statements.
    if hasCaptured {
      for table in tables { (table.state.reportIndex, table.state.changedColumns) = (reportIndex(of: table.key), 0) }
    }
    var position = 0
    for record in records where record.isCaptured {
      let table = tables[Int(record.table)]
      if isReported(record, isCoarse) {
        drafts[table.state.reportIndex].rowIndexes.append(position)
        position += 1
      }
      drafts[table.state.reportIndex].kinds.insert(record.kind)
      guard record.kind == .update else { continue }
      table.state.changedColumns |= record.changedColumns
      let layout = layouts[Int(record.table)]
      if record.oldRowID != record.newRowID || layout.mustReportAll {
        drafts[table.state.reportIndex].addUpdatedColumns(layout.changedColumns(record))
      }
    }
    for table in tables where hasCaptured && table.state.changedColumns != 0 {
      drafts[table.state.reportIndex].addUpdatedColumns(table.namesOfChangedColumns)
    }
    for coarse in self.coarse {
      let reportIndex = reportIndex(of: coarse.key)
      drafts[reportIndex].isCoarse = true
      drafts[reportIndex].kinds.insert(coarse.kind)
      if coarse.kind == .update { drafts[reportIndex].addUpdatedColumns(coarse.columns) }
    }
    return zip(keys, drafts).compactMap { key, draft in
      draft.kinds.isEmpty ? nil : draft.changes(of: key, captured)
    }
  }
}

/// The collected changes of a table.
struct TableDraft {
  var kinds = CommittedChanges.Kinds()
  var isCoarse = false
  var updatedColumns: Set<String>? = []
  var rowIndexes: [Int] = []

  mutating func addUpdatedColumns(_ columns: Set<String>?) {
    guard let known = updatedColumns else { return }
    updatedColumns = known.isEmpty ? columns : columns.map(known.union)
  }

  /// Any rows may have changed.
  mutating func becomeCoarse() {
    isCoarse = true
    rowIndexes = []
    for kind in [RowChange.Kind.insert, .delete, .update] { kinds.insert(kind) }
    addUpdatedColumns(nil)
  }

  /// - Parameter log: The rows of all tables.
  func changes(of key: TableKey, _ log: CapturedLog) -> CommittedChanges.TableChanges {
    let changes = CommittedChanges.TableChanges(key: key, isCoarse: isCoarse, log: log)
    changes.set(kinds, updatedColumns: updatedColumns, .some(rowIndexes))
    return changes
  }
}

extension CommittedChanges {
  /// Changes of tables whose rows are not known.
  init(unknownRowsOf tables: [TableKey]) {
    let log = CapturedLog(records: [], values: CapturedValues(), layouts: [])
    var draft = TableDraft()
    draft.becomeCoarse()
    self.init(
      needsVersion: .max, tables: ShortList(tables.map { [draft] key in draft.changes(of: key, log) }),
      log: log)
  }
}
