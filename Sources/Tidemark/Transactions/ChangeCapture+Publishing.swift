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
    if hasWritten || !log.isEmpty { broker.countWrite() }
    let version = broker.version
    let ownVersion = log.isOpen ? log.needsVersion : needsVersion
    if db.compilation.foreignControlCount != foreignControlCount { log.becomeUnknown() }
    let isNews = ownVersion != version ? hasWritten || !log.isEmpty : !needs.isEmpty && !log.isEmpty
    guard isNews else { return }
    var changes = CommittedChanges(
      number: broker.nextCommitNumber(), needsVersion: ownVersion, isUnknown: log.isUnknown || log.isUncertain,
      schemaChanges: log.schemaChanges, log: log.hasCaptured ? capturedLog() : .empty)
    changes.tables = tables(of: changes.log)
    broker.publish(changes)
  }

  private func capturedLog() -> CapturedLog {
    // Of a coarse table, some rows are missing, and some may not have stayed.
    let coarseKeys = Set(log.coarse.map(\.key))
    let isTold = logTables.map { !coarseKeys.contains($0.key) }
    let isAll = log.records.allSatisfy(\.isCaptured) && !isTold.contains(false)
    let records = isAll ? log.records : log.records.filter { $0.isCaptured && isTold[Int($0.table)] }
    return CapturedLog(
      records: records, values: log.values, layouts: logTables.map { $0.layout ?? CaptureLayout(key: $0.key) })
  }

  private func tables(of captured: CapturedLog) -> [CommittedChanges.TableChanges] {
    var tables: [CommittedChanges.TableChanges] = []
    var indexes: [TableKey: Int] = [:]
    func index(of key: TableKey) -> Int {
      if let index = indexes[key] { return index }
      tables.append(.init(key: key))
      indexes[key] = tables.count - 1
      return tables.count - 1
    }
    // The tables of the log are often one and the same, as several statements have seen it.
    let places = captured.layouts.map { index(of: $0.key) }
    var masks = [UInt64](repeating: 0, count: captured.layouts.count)
    for (position, record) in captured.records.enumerated() {
      let place = places[Int(record.table)]
      tables[place].rowIndexes.append(position)
      tables[place].note(record.kind)
      if record.kind == .update {
        masks[Int(record.table)] |= record.changedColumns
        if record.oldRowID != record.newRowID || captured.layouts[Int(record.table)].mustTellAll {
          tables[place].addUpdatedColumns(captured.layouts[Int(record.table)].changedColumns(record))
        }
      }
    }
    for (layout, mask) in zip(captured.layouts, masks) where mask != 0 {
      let record = ChangeRecord(table: 0, kind: .update, oldRowID: 0, newRowID: 0, changedColumns: mask)
      tables[index(of: layout.key)].addUpdatedColumns(layout.changedColumns(record))
    }
    for coarse in log.coarse {
      let place = index(of: coarse.key)
      tables[place].isCoarse = true
      tables[place].note(coarse.kind)
      if coarse.kind == .update { tables[place].addUpdatedColumns(coarse.columns) }
    }
    return tables.filter { $0.inserts || $0.deletes || $0.updates }
  }
}

extension CommittedChanges.TableChanges {
  fileprivate mutating func note(_ kind: RowChange.Kind) {
    switch kind {
    case .insert: inserts = true
    case .delete: deletes = true
    case .update: updates = true
    }
  }

  fileprivate mutating func addUpdatedColumns(_ columns: Set<String>?) {
    updatedColumns = updatedColumns.flatMap { known in columns.map(known.union) }
  }
}
