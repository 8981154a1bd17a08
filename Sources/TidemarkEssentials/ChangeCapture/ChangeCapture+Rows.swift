// The capture of rows. The hook calls this for each changed row while there are subscribers or observers.

extension ChangeCapture {
  func rowWillChange(_ signal: RowChangeSignal) {
    if let bypass = db.capture.bypass.current {
      if isExpected(signal, in: bypass) { return }
      endCaptureBypass()
    }
    signalCount &+= 1
    if !log.isOpen { beginTransaction() }
    isReceivingRow = true
    defer { isReceivingRow = false }
    guard let (table, isPlanned) = table(of: signal) else { return }
    if signal.isDelete, !table.hasCheckedDeleteObservers { notifyDeleteObservers(table) }
    if table.isUnobserved { return rowIsUnobserved() }
    let blobColumn = signal.isDelete ? signal.blobColumn : nil
    let kind: RowChange.Kind =
      signal.isInsert ? .insert : !signal.isDelete || blobColumn != nil ? .update : .delete
    let observers = table.observers(of: kind)
    if !observers.isEmpty { notifyWillChange(signal, table, observers) }
    for virtualTable in table.virtualTables { log.addCoarse(virtualTable) }
    var record = ChangeRecord(
      table: 0, kind: kind, isObserved: !observers.isEmpty, oldRowID: signal.oldRowID,
      newRowID: blobColumn == nil ? signal.newRowID : signal.oldRowID)
    if let layout = table.layout {
      if let blobColumn {
        captureBlobWrite(signal, blobColumn, table, layout, &record)
      } else if step != nil, layout.wantsRows, log.hasRoom(layout.rowCountMax) {
        capture(signal, table, layout, &record)
      } else {
        step?.hasUnrecordedRows = true
        captureCoarsely(signal, kind, table, layout)
      }
    }
    if record.isObserved || record.isCaptured {
      record.table = logIndex(of: table)
      log.add(record)
    }
    // Checked first, because taking a step out of its optional copies it.
    if step?.hasOwnRows == false { noteOwner(of: table, isPlanned: isPlanned) }
  }

  /// Before a statement begins to write, virtual tables write the content that they have buffered since earlier
  /// statements. If the statement fails, these writes are kept.
  private func noteOwner(of table: CapturedTable, isPlanned: Bool) {
    if isPlanned {
      step?.hasOwnRows = true
      return
    }
    let written = step?.statement.writes?.tables ?? []
    func isWritten(_ key: TableKey) -> Bool { written.contains { $0.key == key } }
    if !isWritten(table.key), let virtualTable = virtualTable(before: table.key), !isWritten(virtualTable) {
      log.passStepMark()
    } else {
      step?.hasOwnRows = true
    }
  }

  func rowDidChange(
    _ operation: CInt, _ database: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>, _ rowID: Int64
  ) {
    if !log.isOpen { beginTransaction() }
    isReceivingRow = true
    defer { isReceivingRow = false }
    let kind: RowChange.Kind
    switch DatabaseEvent.Kind(rawValue: operation) {
    case .insert?: kind = .insert
    case .delete?: kind = .delete
    case .update?, nil: kind = .update
    }
    let key = TableKey(String(cString: table), in: String(cString: database))
    let known = step?.plan?.tables.first { $0.key == key }
    let watched = known ?? unplannedTable(key)
    // A statement of the library adds its tables when it has ended.
    if step == nil, watched.layout != nil { log.addCoarse(key, kind) }
    guard !watched.observers(of: kind).isEmpty else { return }
    log.add(
      ChangeRecord(
        table: logIndex(of: watched), kind: kind, isObserved: true, oldRowID: rowID, newRowID: rowID))
  }

  // MARK: - The table of a row

  /// - Returns: The table, and whether the statement was known to write it.
  private func table(of signal: RowChangeSignal) -> (CapturedTable, isPlanned: Bool)? {
    if let plan = step?.plan, step?.isStale == false {
      if step?.recompiledWriteCount != db.compilation.recompiledWriteCount {
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
    step?.isStale = true
    step?.statement.writes?.forgetFindings()
    epoch &+= 1
    unplannedTables = [:]
  }

  /// Disables the hook for the rest of a statement that changes many unobserved rows. The hook stays enabled if a
  /// function of the program may change other rows meanwhile.
  private func rowIsUnobserved() {
    guard step != nil else { return }
    step?.unobservedRowCount += 1
    if step?.unobservedRowCount == 32 { disableHookIfUnobserved() }
  }

  private func disableHookIfUnobserved() {
    guard let step, !step.isStale, let plan = step.plan, usesRowHook, !db.capture.isHandleExposed,
      isOrdinary(step.statement),
      step.statement.writes?.hold(for: step.statement) == true
    else { return }
    plan.tables.forEach(notifyDeleteObservers)
    guard plan.isUnobserved else { return }
    self.step?.isHookDisabled = true
    setHook(false)
  }

  private func logIndex(of table: CapturedTable) -> UInt32 {
    if table.logSerial != logSerial {
      table.logSerial = logSerial
      table.logIndex = UInt32(logTables.count)
      logTables.append(table)
      logLayouts.append(table.layout ?? CaptureLayout(key: table.key))
    }
    return table.logIndex
  }

  // MARK: - Values

  private func capture(
    _ signal: RowChangeSignal, _ table: CapturedTable, _ layout: CaptureLayout, _ record: inout ChangeRecord
  ) {
    let start = log.valueCount
    record.valueStart = UInt32(start)
    switch record.kind {
    case .insert:
      let isInsert = signal.isInsert
      for index in layout.storedColumns {
        guard let value = newValue(signal, layout.sources[index], isInsert) else { return giveUp(table, start) }
        log.add(value)
      }
    case .delete:
      for index in layout.storedColumns {
        guard let value = oldValue(signal, index, layout) else { return giveUp(table, start) }
        log.add(value)
      }
    case .update:
      guard captureUpdate(signal, layout, &record) else { return giveUp(table, start) }
      let isChanged =
        record.changedColumns != 0 || record.oldRowID != record.newRowID || layout.mustReportAll
      if !isChanged { return log.dropValues(from: start) }
    }
    record.isCaptured = true
  }

  private func captureUpdate(
    _ signal: RowChangeSignal, _ layout: CaptureLayout, _ record: inout ChangeRecord
  ) -> Bool {
    // The old values are stored before the new ones.
    let storedCount = layout.storedColumns.count
    var offset = log.makeRoom(2 * storedCount)
    for index in layout.sources.indices {
      let source = layout.sources[index]
      guard let old = oldValue(signal, index, layout), let new = newValue(signal, source, false) else { return false }
      if !old.isIdentical(to: new) { record.changedColumns |= 1 << UInt64(min(index, 63)) }
      if source.isStored {
        log.put(old, at: offset)
        log.put(new, at: offset + storedCount)
        offset += 1
      }
    }
    return true
  }

  /// Gives up the capture of a row: SQLite had no memory for a value.
  private func giveUp(_ table: CapturedTable, _ start: Int) {
    step?.hasUnrecordedRows = true
    log.dropValues(from: start)
    log.addCoarse(table.key)
  }

  private func newValue(
    _ signal: RowChangeSignal, _ source: CaptureLayout.ColumnSource, _ isInsert: Bool
  ) -> DatabaseValue? {
    signal.newValue(isInsert ? source.insertIndex : source.updateIndex)?.stored(isReal: source.isReal)
  }

  /// Returns the old value of a column of a layout.
  private func oldValue(_ signal: RowChangeSignal, _ index: Int, _ layout: CaptureLayout) -> DatabaseValue? {
    let source = layout.sources[index]
    guard let value = signal.oldValue(source.oldIndex)?.stored(isReal: source.isReal) else { return nil }
    if value.isNull, source.mayHaveDefault { return defaultedValue(signal, layout.columns[index], layout.key) }
    return value
  }

  // MARK: - Incremental writes and coarse changes

  /// Captures an incremental blob write. Its new value is unknown, and it does not belong to a statement.
  private func captureBlobWrite(
    _ signal: RowChangeSignal, _ index: Int, _ table: CapturedTable, _ layout: CaptureLayout,
    _ record: inout ChangeRecord
  ) {
    guard layout.wantsRows, log.hasRoom(layout.rowCountMax), layout.unreadColumns.isEmpty, layout.columns.count <= 64,
      // SQLite does not document which of the two indexes it reports.
      layout.columns.allSatisfy({ $0.tableIndex == $0.oldIndex }),
      let written = layout.columns.firstIndex(where: { $0.tableIndex == CInt(index) })
    else {
      log.addCoarse(table.key, .update)
      return
    }
    let start = log.valueCount
    record.valueStart = UInt32(start)
    var values: [DatabaseValue] = []
    for index in layout.storedColumns {
      guard let value = oldValue(signal, index, layout) else { return giveUp(table, start) }
      values.append(value)
    }
    for value in values + values { log.add(value) }
    record.unknownColumn = UInt16(written)
    record.changedColumns = 1 << UInt64(written)
    record.isCaptured = true
  }

  /// Whether the log already contains the kind of change for a table.
  func isNoted(_ kind: RowChange.Kind, of table: CapturedTable) -> Bool {
    table.coarseGeneration == log.generation && table.coarseKinds & (1 << kind.rawValue) != 0
  }

  private func captureCoarsely(
    _ signal: RowChangeSignal, _ kind: RowChange.Kind, _ table: CapturedTable, _ layout: CaptureLayout
  ) {
    if table.coarseGeneration != log.generation {
      (table.coarseGeneration, table.coarseKinds, table.coarseColumns) = (log.generation, 0, 0)
    }
    guard kind == .update else {
      if isNoted(kind, of: table) { return }
      table.coarseKinds |= 1 << kind.rawValue
      log.addCoarse(table.key, kind)
      return
    }
    if layout.columns.count > 64 || layout.isUnknown {
      log.addCoarse(table.key, .update)
      return
    }
    var changed: UInt64 = 0
    for index in layout.sources.indices where table.coarseColumns & (1 << UInt64(index)) == 0 {
      let old = oldValue(signal, index, layout)
      let new = newValue(signal, layout.sources[index], false)
      if let old, let new, old.isIdentical(to: new) { continue }
      changed |= 1 << UInt64(index)
    }
    let record = ChangeRecord(
      table: 0, kind: .update, oldRowID: signal.oldRowID, newRowID: signal.newRowID, changedColumns: changed)
    let isMoved = signal.oldRowID != signal.newRowID
    guard changed != 0 || isMoved || layout.mustReportAll else { return }
    table.coarseColumns |= changed
    log.addCoarse(table.key, .update, layout.changedColumns(record))
  }
}

extension DatabaseValue {
  /// Whether another value has the same storage class and is equal in SQLite.
  fileprivate func isIdentical(to other: DatabaseValue) -> Bool {
    switch (storage, other.storage) {
    case (.null, .null): true
    case (.int64(let own), .int64(let other)): own == other
    case (.double(let own), .double(let other)): own == other
    // Swift considers texts equal that are canonically equivalent; SQLite compares bytes.
    case (.string(let own), .string(let other)): own.utf8.elementsEqual(other.utf8)
    case (.blob(let own), .blob(let other)): own == other
    default: false
    }
  }

  /// The value as the column returns it. SQLite stores REAL values as integers where possible.
  fileprivate func stored(isReal: Bool) -> DatabaseValue {
    if isReal, case .int64(let integer) = storage { return DatabaseValue(.double(Double(integer))) }
    return self
  }
}
