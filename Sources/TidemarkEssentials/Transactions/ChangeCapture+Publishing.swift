import Synchronization

// The commit, as it is told to those who subscribed to the broker.

extension ChangeCapture {
  /// Tells a commit that has succeeded, if somebody wants to know.
  ///
  /// - parameter hasWritten: Whether it may have changed what is stored.
  func publish(hasWritten: Bool) {
    // The commit is seen by others before it is counted, and counted before the needs are read: who wishes now and
    // reads then sees it, or is told; who has read before, and wishes now, is told, or sees that it was counted.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    let broker = self.broker
    if hasWritten || !log.isEmpty { broker.countWrite() }
    let version = broker.version
    let ownVersion = log.isOpen ? log.needsVersion : needsVersion
    if db.compilation.foreignControlCount != foreignControlCount { log.becomeUnknown() }
    let isNews = ownVersion != version ? hasWritten || !log.isEmpty : !needs.isEmpty && !log.isEmpty
    guard isNews else { return }
    let captured = log.hasCaptured ? capturedLog() : .empty
    broker.publish(
      CommittedChanges(
        number: broker.nextCommitNumber(), needsVersion: ownVersion, isUnknown: log.isUnknown || log.isUncertain,
        schemaChanges: log.schemaChanges, tables: onlyTable(of: captured) ?? ShortList(tables(of: captured)),
        log: captured))
  }

  /// What was captured, in the memory of the log, which goes on with memory of its own if somebody keeps this.
  private func capturedLog() -> CapturedLog {
    // Most of the time, it is all of the log.
    let areAllTold = log.coarse.isEmpty && log.records.allSatisfy { $0.isCaptured }
    return CapturedLog(
      records: areAllTold ? log.records : log.records.filter(isTold), values: log.values, layouts: logLayouts)
  }

  private func isTold(_ record: ChangeRecord) -> Bool {
    guard record.isCaptured else { return false }
    // Of a coarse table, some rows are missing, and some may not have stayed.
    let key = logTables[Int(record.table)].key
    return !log.coarse.contains { $0.key == key }
  }

  /// What is told of the one table that has changed; nil when there are others, or some rows are not told.
  private func onlyTable(of captured: CapturedLog) -> ShortList<CommittedChanges.TableChanges>? {
    guard logTables.count == 1, log.coarse.isEmpty, !captured.records.isEmpty else { return nil }
    let table = logTables[0]
    let layout = captured.layouts[0]
    var draft = TableDraft()
    table.changedColumns = 0
    for index in captured.records.indices {
      let record = captured.records[index]
      draft.kinds.insert(record.kind)
      if record.kind != .update { continue }
      table.changedColumns |= record.changedColumns
      if record.oldRowID != record.newRowID || layout.mustTellAll {
        draft.addUpdatedColumns(layout.changedColumns(record))
      }
    }
    if table.changedColumns != 0 { draft.addUpdatedColumns(table.namesOfChangedColumns) }
    return ShortList(
      CommittedChanges.TableChanges(
        key: table.key, kinds: draft.kinds, updatedColumns: draft.updatedColumns,
        rowIndexes: .all(count: captured.records.count), log: captured))
  }

  /// What is told of each table, in the order in which they changed first.
  private func tables(of captured: CapturedLog) -> [CommittedChanges.TableChanges] {
    var keys: [TableKey] = []
    var drafts: [TableDraft] = []
    // There are few of them.
    func place(of key: TableKey) -> Int {
      if let place = keys.firstIndex(of: key) { return place }
      keys.append(key)
      drafts.append(TableDraft())
      return keys.count - 1
    }
    // The tables of the log are often one and the same, as several statements have seen it.
    if !captured.records.isEmpty {
      for table in logTables { (table.place, table.changedColumns) = (place(of: table.key), 0) }
    }
    for (position, record) in captured.records.enumerated() {
      let table = logTables[Int(record.table)]
      drafts[table.place].rowIndexes.append(position)
      drafts[table.place].kinds.insert(record.kind)
      guard record.kind == .update else { continue }
      table.changedColumns |= record.changedColumns
      if record.oldRowID != record.newRowID || captured.layouts[Int(record.table)].mustTellAll {
        drafts[table.place].addUpdatedColumns(captured.layouts[Int(record.table)].changedColumns(record))
      }
    }
    for table in logTables where !captured.records.isEmpty && table.changedColumns != 0 {
      drafts[table.place].addUpdatedColumns(table.namesOfChangedColumns)
    }
    for coarse in log.coarse {
      let place = place(of: coarse.key)
      drafts[place].isCoarse = true
      drafts[place].kinds.insert(coarse.kind)
      if coarse.kind == .update { drafts[place].addUpdatedColumns(coarse.columns) }
    }
    return zip(keys, drafts).compactMap { key, draft in
      if draft.kinds.isEmpty { return nil }
      return CommittedChanges.TableChanges(
        key: key, kinds: draft.kinds, isCoarse: draft.isCoarse, updatedColumns: draft.updatedColumns,
        rowIndexes: .some(draft.rowIndexes), log: captured)
    }
  }
}

/// What is found out of the changes of a table.
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
