// The capture of rows. The hook calls this for each changed row while row changes are needed.

extension ChangeCapture {
  func rowWillChange(_ signal: RowChangeSignal) {
    if isRecording { return }
    // Loaded once: each use of an unowned reference retains the object.
    let db: Database = self.db
    if let bypass = db.capture.bypass.current {
      if isExpected(signal, in: bypass) { return }
      endCaptureBypass()
    }
    steps.signalCount &+= 1
    if !log.isOpen { beginTransaction() }
    steps.isReceivingRow = true
    defer { steps.isReceivingRow = false }
    guard let (table, isPlanned) = table(of: signal, on: db) else { return }
    if signal.isDelete { askDeleteObservers(table) }
    if !table.isNeeded { return rowIsNotNeeded() }
    let blobColumn = signal.isDelete ? signal.blobColumn : nil
    let kind: RowChange.Kind =
      signal.isInsert ? .insert : !signal.isDelete || blobColumn != nil ? .update : .delete
    let observers = table.state.observers[kind]
    if !observers.isEmpty { notifyWillChange(signal, table, observers) }
    if !table.state.virtualTables.isEmpty {
      for virtualTable in table.state.virtualTables { log.addCoarse(virtualTable) }
    }
    var record = ChangeRecord(
      table: 0, kind: kind, isObserved: !observers.isEmpty, oldRowID: signal.oldRowID,
      newRowID: blobColumn == nil ? signal.newRowID : signal.oldRowID)
    if let layout = table.layout {
      if let blobColumn {
        captureBlobWrite(signal, blobColumn, table, layout, &record)
      } else if steps.current != nil, layout.wantsRows, log.hasRoom(for: table) {
        capture(signal, table, layout, unchangedColumns(table, db), &record)
      } else {
        steps.current?.hasUnrecordedRows = true
        if layout.wantsRows, !log.hasRoom(for: table) { log.truncate() }
        captureCoarsely(signal, kind, table, layout, unchangedColumns(table, db))
      }
    }
    if record.isObserved || record.isCaptured {
      record.table = log.index(of: table)
      log.add(record)
    }
    // Checked first, because taking a step out of its optional copies it.
    if steps.current?.hasOwnRows == false { noteOwner(of: table, isPlanned: isPlanned) }
  }

  /// The columns of the layout that the update leaves as they are. If the program has the connection's pointer,
  /// functions may execute statements that are not known.
  private func unchangedColumns(_ table: CapturedTable, _ db: Database) -> UInt64 {
    db.capture.isHandleExposed ? 0 : table.state.unchangedColumns
  }

  /// Before a statement begins to write, virtual tables write the content that they have buffered since earlier
  /// statements. If the statement fails, these writes are kept.
  private func noteOwner(of table: CapturedTable, isPlanned: Bool) {
    if isPlanned {
      steps.current?.hasOwnRows = true
      return
    }
    let written = steps.current?.statement.writes?.tables ?? []
    func isWritten(_ key: TableKey) -> Bool { written.contains { $0.key == key } }
    if !isWritten(table.key), let virtualTable = virtualTable(before: table.key), !isWritten(virtualTable) {
      log.passStepMark()
    } else {
      steps.current?.hasOwnRows = true
    }
  }

  func rowDidChange(
    _ operation: CInt, _ database: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>, _ rowID: Int64
  ) {
    if isRecording { return }
    if !log.isOpen { beginTransaction() }
    steps.isReceivingRow = true
    defer { steps.isReceivingRow = false }
    let kind: RowChange.Kind
    switch DatabaseEvent.Kind(rawValue: operation) {
    case .insert?: kind = .insert
    case .delete?: kind = .delete
    case .update?, nil: kind = .update
    }
    let key = TableKey(String(cString: table), in: String(cString: database))
    let known = steps.current?.plan?.tables.first { $0.key == key }
    let changed = known ?? unplannedTable(key)
    // A statement of the library adds its tables when it has ended.
    if steps.current == nil, changed.layout != nil { log.addCoarse(key, kind) }
    guard !changed.state.observers[kind].isEmpty else { return }
    log.add(
      ChangeRecord(
        table: log.index(of: changed), kind: kind, isObserved: true, oldRowID: rowID, newRowID: rowID))
  }

  // MARK: - The table of a row

  /// - Returns: The table, and whether the statement was known to write it.
  private func table(of signal: RowChangeSignal, on db: Database) -> (CapturedTable, isPlanned: Bool)? {
    if let plan = steps.current?.plan, steps.current?.isStale == false {
      if steps.current?.recompiledWriteCount != db.compilation.counts.recompiledWrites {
        planMayNotHold()
      } else {
        if let table = plan.tables.first(where: { $0.matches(signal) }) { return (table, true) }
      }
    }
    let database = String(cString: signal.database)
    // VACUUM writes to a temporary database.
    if database == "vacuum_db" { return nil }
    return (unplannedTable(TableKey(String(cString: signal.table), in: database)), false)
  }

  /// Handles a compilation during this step: of this statement, after a schema change, or of a statement of a virtual
  /// table.
  private func planMayNotHold() {
    steps.current?.isStale = true
    steps.current?.statement.writes?.forgetFindings()
    forgetPlans()
  }

  private func rowIsNotNeeded() {
    // Checked first, because taking a step out of its optional copies it.
    guard steps.current != nil else { return }
    steps.current?.unneededRowCount += 1
    if steps.current?.unneededRowCount == 32 { bypassRestOfStep() }
  }

  // MARK: - Values

  private func capture(
    _ signal: RowChangeSignal, _ table: CapturedTable, _ layout: CaptureLayout, _ unchanged: UInt64,
    _ record: inout ChangeRecord
  ) {
    let start = log.end
    record.valueStart = UInt32(log.values.count)
    let isRead =
      switch record.kind {
      case .insert: captureNewValues(signal, layout, &record)
      case .delete: captureOldValues(signal, layout, &record)
      case .update: captureUpdate(signal, layout, unchanged, &record)
      }
    guard isRead else { return giveUp(table, start) }
    if record.kind == .update {
      let isChanged =
        record.changedColumns != 0 || record.oldRowID != record.newRowID || layout.mustReportAll
      if !isChanged { return log.dropValues(after: start) }
    }
    record.isCaptured = true
  }

  private func captureNewValues(
    _ signal: RowChangeSignal, _ layout: CaptureLayout, _ record: inout ChangeRecord
  ) -> Bool {
    let columns = layout.storedColumns
    return log.values.append(columns.count) { values in
      for offset in columns.indices {
        let source = layout.sources[columns[offset]]
        guard let new = newValue(signal, source, source.insertIndex) else { return false }
        values.set(new, at: offset)
        if new.isInvalidText { record.hasRepairedText = true }
      }
      return true
    }
  }

  private func captureOldValues(
    _ signal: RowChangeSignal, _ layout: CaptureLayout, _ record: inout ChangeRecord
  ) -> Bool {
    let columns = layout.storedColumns
    return log.values.append(columns.count) { values in
      for offset in columns.indices {
        let isRead: Void? = withOldValue(signal, columns[offset], layout) { old in
          values.set(old, at: offset)
          if old.isInvalidText { record.hasRepairedText = true }
        }
        if isRead == nil { return false }
      }
      return true
    }
  }

  /// Captures the old values, and behind them the new ones. Of columns that do not change, one value is read: the new
  /// one, which is never a missing default (Benchmarks: `streams one`).
  private func captureUpdate(
    _ signal: RowChangeSignal, _ layout: CaptureLayout, _ unchanged: UInt64, _ record: inout ChangeRecord
  ) -> Bool {
    let storedCount = layout.storedColumns.count
    return log.values.append(2 * storedCount) { values in
      var offset = 0
      for index in layout.sources.indices {
        let source = layout.sources[index]
        let isUnchanged = unchanged & 1 << UInt64(index) != 0
        if isUnchanged, !source.isStored { continue }
        guard let new = newValue(signal, source, source.updateIndex) else { return false }
        if isUnchanged {
          values.set(new, at: offset)
          values.set(sameAs: offset, at: offset + storedCount)
          if new.isInvalidText { record.hasRepairedText = true }
          offset += 1
          continue
        }
        if source.mayBecomeInteger, new.isIntegralDouble { return false }
        let isSame = withOldValue(signal, index, layout) { old in
          let isSame = new.hasSameBytes(as: old)
          if !source.isStored { return isSame }
          values.set(old, at: offset)
          if isSame {
            values.set(sameAs: offset, at: offset + storedCount)
          } else {
            values.set(new, at: offset + storedCount)
          }
          if old.isInvalidText || !isSame && new.isInvalidText { record.hasRepairedText = true }
          offset += 1
          return isSame
        }
        guard let isSame else { return false }
        if !isSame { record.changedColumns |= 1 << UInt64(min(index, 63)) }
      }
      return true
    }
  }

  /// Gives up the capture of a row: SQLite had no memory for a value, or it is unknown how SQLite stores it.
  private func giveUp(_ table: CapturedTable, _ start: RowStore.Position) {
    steps.current?.hasUnrecordedRows = true
    log.dropValues(after: start)
    log.addCoarse(table.key)
  }

  @inline(__always)
  private func newValue(
    _ signal: RowChangeSignal, _ source: CaptureLayout.ColumnSource, _ index: CInt
  ) -> BorrowedValue? {
    guard let new = signal.newValue(index) else { return nil }
    return source.isReal ? new.asReal : new
  }

  /// Calls a closure with the old value of a column of a layout.
  ///
  /// - Returns: Nil if SQLite cannot return the value.
  @inline(__always)
  private func withOldValue<Result>(
    _ signal: RowChangeSignal, _ index: Int, _ layout: CaptureLayout, _ body: (BorrowedValue) -> Result
  ) -> Result? {
    let source = layout.sources[index]
    guard let old = signal.oldValue(source.oldIndex) else { return nil }
    if source.mayHaveDefault, old.isNull {
      return defaultedValue(signal, layout.columns[index], layout.key)?.withBorrowedValue(body)
    }
    return body(source.isReal ? old.asReal : old)
  }

  // MARK: - Incremental writes and coarse changes

  /// Captures an incremental blob write. Its new value is unknown, and it does not belong to a statement.
  private func captureBlobWrite(
    _ signal: RowChangeSignal, _ index: Int, _ table: CapturedTable, _ layout: CaptureLayout,
    _ record: inout ChangeRecord
  ) {
    guard layout.wantsRows, log.hasRoom(for: table), layout.unreadColumns.isEmpty, layout.columns.count <= 64,
      // SQLite does not document which of the two indexes it reports.
      layout.columns.allSatisfy({ $0.tableIndex == $0.oldIndex }),
      let written = layout.columns.firstIndex(where: { $0.tableIndex == CInt(index) })
    else {
      log.addCoarse(table.key, .update)
      return
    }
    let start = log.end
    record.valueStart = UInt32(log.values.count)
    guard captureOldValues(signal, layout, &record) else { return giveUp(table, start) }
    log.values.appendCopies(ofLast: layout.storedColumns.count)
    record.unknownColumn = UInt16(written)
    record.changedColumns = 1 << UInt64(written)
    record.isCaptured = true
  }

  /// Whether the log already contains the kind of change for a table.
  func isNoted(_ kind: RowChange.Kind, of table: CapturedTable) -> Bool {
    table.state.coarse.generation == log.generation && table.state.coarse.kinds & (1 << kind.rawValue) != 0
  }

  private func captureCoarsely(
    _ signal: RowChangeSignal, _ kind: RowChange.Kind, _ table: CapturedTable, _ layout: CaptureLayout,
    _ unchanged: UInt64
  ) {
    if table.state.coarse.generation != log.generation { table.state.coarse = (0, 0, log.generation) }
    guard kind == .update else {
      if isNoted(kind, of: table) { return }
      table.state.coarse.kinds |= 1 << kind.rawValue
      log.addCoarse(table.key, kind)
      return
    }
    if layout.columns.count > 64 || layout.isUnknown {
      log.addCoarse(table.key, .update)
      return
    }
    var changed: UInt64 = 0
    let known = table.state.coarse.columns | unchanged
    for index in layout.sources.indices where known & (1 << UInt64(index)) == 0 {
      let new = newValue(signal, layout.sources[index], layout.sources[index].updateIndex)
      let isSame = withOldValue(signal, index, layout) { old in new?.hasSameBytes(as: old) == true }
      if isSame != true { changed |= 1 << UInt64(index) }
    }
    let record = ChangeRecord(
      table: 0, kind: .update, oldRowID: signal.oldRowID, newRowID: signal.newRowID, changedColumns: changed)
    let isMoved = signal.oldRowID != signal.newRowID
    guard changed != 0 || isMoved || layout.mustReportAll else { return }
    table.state.coarse.columns |= changed
    log.addCoarse(table.key, .update, layout.changedColumns(record))
  }
}
