import Synchronization

// Publishes commits to the subscribers of the broker.

extension ChangeCapture {
  /// Publishes a successful commit if it has subscribers.
  ///
  /// - Parameter hasWritten: Whether it may have changed stored content.
  func publish(hasWritten: Bool) {
    // The commit becomes visible before it is counted, and it is counted before the needs are read. A query that
    // subscribes before the count is notified of the commit. One that subscribes later reads the commit, or finds that
    // the count has changed.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    let broker = self.broker
    if hasWritten || !log.isEmpty { broker.countWrite() }
    let version = broker.version
    let ownVersion = log.isOpen ? log.needsVersion : needsVersion
    if db.compilation.foreignControlCount != foreignControlCount {
      foreignControlCount = db.compilation.foreignControlCount
      foreignContentCount = db.compilation.foreignContentCount
      log.becomeUnknown()
    }
    let isReported = ownVersion != version ? hasWritten || !log.isEmpty : !needs.isEmpty && !log.isEmpty
    guard isReported else { return }
    guard let table = onlyTable else {
      // The records of a coarse table are incomplete, and may contain changes that were rolled back.
      let isCoarse = logTables.map { table in log.coarse.contains { $0.key == table.key } }
      let captured = log.hasCaptured ? capturedLog(isCoarse) : .empty
      return publish(ShortList(tables(of: captured, isCoarse)), captured, ownVersion)
    }
    publish(changes(of: table), ownVersion)
    // The log takes its memory back if no subscriber has retained it. The index of queries uses it only during the
    // call.
    if CommittedChanges.TableChanges.isUnshared(&table.lastReported) {
      table.lastReported?.log.exchangeRows(with: &log)
    } else {
      table.lastReported = nil
    }
  }

  private func publish(_ changes: CommittedChanges.TableChanges, _ needsVersion: Int) {
    publish(ShortList(changes), changes.log, needsVersion)
  }

  private func publish(
    _ tables: ShortList<CommittedChanges.TableChanges>, _ captured: CapturedLog, _ needsVersion: Int
  ) {
    broker.publish(
      CommittedChanges(
        number: broker.nextCommitNumber(), needsVersion: needsVersion, isUnknown: log.isUnknown || log.isUncertain,
        schemaChanges: log.schemaChanges, tables: tables, log: captured))
  }

  /// The captured rows, in the memory of the log. The log continues with new memory if a subscriber retains the rows.
  ///
  /// - Parameter isCoarse: The tables of the log that are reported without their rows.
  private func capturedLog(_ isCoarse: [Bool]) -> CapturedLog {
    // Usually, all records are reported.
    let areAllReported = log.coarse.isEmpty && log.records.allSatisfy { $0.isCaptured }
    let isReported: (ChangeRecord) -> Bool = { $0.isCaptured && !isCoarse[Int($0.table)] }
    return CapturedLog(
      records: areAllReported ? log.records : log.records.filter(isReported), values: log.values, layouts: logLayouts)
  }

  /// The only changed table; nil if there are several, or if some rows are not reported.
  private var onlyTable: CapturedTable? {
    guard log.hasCaptured, logTables.count == 1, log.coarse.isEmpty, !log.records.isEmpty,
      log.records.allSatisfy({ $0.isCaptured })
    else { return nil }
    return logTables[0]
  }

  /// The changes of the only table, with the rows of the log. The log has no rows until they are returned.
  private func changes(of table: CapturedTable) -> CommittedChanges.TableChanges {
    let layout = logLayouts[0]
    let changes =
      table.lastReported ?? CommittedChanges.TableChanges(key: table.key, log: CapturedLog(layouts: [layout]))
    table.lastReported = changes
    let captured = changes.log
    captured.exchangeRows(with: &log)
    var draft = TableDraft()
    table.changedColumns = 0
    for record in captured.records {
      draft.kinds.insert(record.kind)
      if record.kind != .update { continue }
      table.changedColumns |= record.changedColumns
      if record.oldRowID != record.newRowID || layout.mustReportAll {
        draft.addUpdatedColumns(layout.changedColumns(record))
      }
    }
    if table.changedColumns != 0 { draft.addUpdatedColumns(table.namesOfChangedColumns) }
    changes.set(draft.kinds, updatedColumns: draft.updatedColumns, .all(count: captured.records.count))
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
    if log.hasCaptured {
      for table in logTables { (table.reportIndex, table.changedColumns) = (reportIndex(of: table.key), 0) }
    }
    var position = 0
    for record in log.records where record.isCaptured {
      let table = logTables[Int(record.table)]
      if !isCoarse[Int(record.table)] {
        drafts[table.reportIndex].rowIndexes.append(position)
        position += 1
      }
      drafts[table.reportIndex].kinds.insert(record.kind)
      guard record.kind == .update else { continue }
      table.changedColumns |= record.changedColumns
      let layout = logLayouts[Int(record.table)]
      if record.oldRowID != record.newRowID || layout.mustReportAll {
        drafts[table.reportIndex].addUpdatedColumns(layout.changedColumns(record))
      }
    }
    for table in logTables where log.hasCaptured && table.changedColumns != 0 {
      drafts[table.reportIndex].addUpdatedColumns(table.namesOfChangedColumns)
    }
    for coarse in log.coarse {
      let reportIndex = reportIndex(of: coarse.key)
      drafts[reportIndex].isCoarse = true
      drafts[reportIndex].kinds.insert(coarse.kind)
      if coarse.kind == .update { drafts[reportIndex].addUpdatedColumns(coarse.columns) }
    }
    return zip(keys, drafts).compactMap { key, draft in
      if draft.kinds.isEmpty { return nil }
      let changes = CommittedChanges.TableChanges(key: key, isCoarse: draft.isCoarse, log: captured)
      changes.set(draft.kinds, updatedColumns: draft.updatedColumns, .some(draft.rowIndexes))
      return changes
    }
  }
}

/// The collected changes of a table.
private struct TableDraft {
  var kinds = CommittedChanges.Kinds()
  var isCoarse = false
  var updatedColumns: Set<String>? = []
  var rowIndexes: [Int] = []

  mutating func addUpdatedColumns(_ columns: Set<String>?) {
    guard let known = updatedColumns else { return }
    updatedColumns = known.isEmpty ? columns : columns.map(known.union)
  }
}
