// The rows of a large transaction that do not fit in memory.
//
//     none ── the bound is reached, and a subscriber needs all rows ──► stored ── a cut before the rows ──► none
//                                                                          │
//                                                                          └── an error ──► failed
//
// All positions in marks are positions in the transaction. `base` is the position of the first row in memory.

extension ChangeLog {
  enum Storage {
    /// All rows are in memory.
    case none

    /// The rows before `base` are in a file.
    case stored(RowStore)

    /// The rows before `base` are lost: anything may have changed.
    case failed
  }

  /// Whether there is room for another row of a table, within the limit of its layout.
  mutating func hasRoom(for table: CapturedTable) -> Bool {
    let storesRows = table.layout?.storesRows == true
    switch storage {
    case .none:
      if records.count >= bound.recordCount || values.byteCount >= bound.byteCount {
        guard storesRows, storeRows() else { return false }
      }
    case .stored:
      // The table is reported without rows.
      if !storesRows, bound.recordCount < .max { return false }
      if records.count >= bound.segmentRecordCount || values.byteCount >= bound.segmentByteCount {
        guard storeRows() else { return false }
      }
    case .failed: return false
    }
    let rowCountMax = table.layout?.rowCountMax ?? .max
    // Usually, all tables together have fewer rows.
    if records.count < rowCountMax { return true }
    if table.state.fullGeneration == generation { return false }
    if rowCounts.count(of: table.key, tables, records) < rowCountMax { return true }
    table.state.fullGeneration = generation
    return false
  }

  /// Moves the rows in memory to the file.
  ///
  /// - Returns: Whether they were moved.
  private mutating func storeRows() -> Bool {
    // Observers receive them from memory.
    if hasObserved, deliveredCount < records.count { return false }
    do {
      var store = if case .stored(let known) = storage { known } else { try RowStore(vfs: bound.vfs) }
      noteCountersOfRows()
      var start = RowStore.Position()
      while start.records < records.count {
        let end = endOfSegment(from: start)
        try store.append(records[start.records..<end.records], values, layouts, from: start, to: end, after: base)
        start = end
      }
      if store.byteCount > bound.fileByteCount {
        throw DatabaseError(resultCode: .SQLITE_FULL, message: "the rows exceed \(bound.fileByteCount) bytes")
      }
      storage = .stored(store)
      base = end
    } catch {
      Database.log(error, "Could not store the rows of a large transaction")
      loseRows(from: end)
      return false
    }
    clearRows()
    return true
  }

  /// The end of the next segment of the rows in memory.
  private func endOfSegment(from start: RowStore.Position) -> RowStore.Position {
    var end = start
    while end.records < records.count, end.records - start.records < bound.segmentRecordCount,
      end.bytes - start.bytes < bound.segmentByteCount
    {
      let record = records[end.records]
      let values = end.values + record.valueCount(layouts[Int(record.table)])
      end.bytes = self.values.byteCount(upTo: values, from: end.values, end.bytes)
      end.values = values
      end.records += 1
    }
    return end
  }

  /// The position after the last row.
  var end: RowStore.Position {
    RowStore.Position(
      records: base.records + records.count, values: base.values + values.count,
      bytes: base.bytes + values.byteCount)
  }

  private mutating func clearRows() {
    (tables, layouts) = ([], [])
    removeRowsForReuse()
    deliveredCount = 0
    rowCounts.reset(to: 0)
    serial &+= 1
  }

  /// Removes the rows, so that the next ones can use their memory.
  mutating func removeRowsForReuse() {
    records.removeAllForReuse(smallCapacity: 1_024)
    values.removeAllForReuse()
  }

  /// Frees the memory that is kept for rows. The rows of an open transaction stay.
  mutating func releaseMemory() {
    if records.isEmpty, values.isEmpty { (records, values) = ([], CapturedValues()) }
    (returnedReport, lentReports) = (nil, Queue())
  }

  private mutating func loseRows(from position: RowStore.Position) {
    storage = .failed
    base = position
    clearRows()
    becomeUnknown(.rows)
  }

  /// Moves the rows around a position back to memory, and removes the later ones.
  mutating func restoreRows(from position: RowStore.Position) {
    guard case .stored(var store) = storage, let segment = store.removeSegments(from: position.records) else {
      return loseRows(from: position)
    }
    do {
      let rows = try store.rows(of: segment)
      clearRows()
      (records, values, layouts) = (rows.records, rows.values, rows.layouts)
      // They were delivered.
      deliveredCount = records.count
      base = segment.start
      for layout in layouts {
        tables.append(CapturedTable(layout.key, layout: layout))
      }
      storage = store.segments.isEmpty ? .none : .stored(store)
    } catch {
      Database.log(error, "Could not read the rows of a large transaction")
      loseRows(from: position)
    }
  }

  /// The tables of stored rows, from a position on.
  func storedTables(from row: Int) -> Set<TableKey> {
    guard case .stored(let store) = storage else { return [] }
    return Set(store.segments.filter { row < $0.end.records }.flatMap { $0.layouts.map(\.key) })
  }

  /// Whether rows of a database may have changed.
  func hasChanges(in database: String) -> Bool {
    coarse.contains { $0.key.database == database } || layouts.contains { $0.key.database == database }
      || storedTables(from: 0).contains { $0.database == database }
  }

  /// Whether all rows of the current statement are in memory.
  var holdsStepRecords: Bool { (steps.last?.mark.position.records ?? 0) >= base.records }

  // MARK: - Reading

  /// All captured rows of the transaction so far, in parts.
  var rows: TransactionRows {
    var store: RowStore?
    if case .stored(let known) = storage { store = known }
    let summaries = (store?.segments.flatMap(\.tables) ?? []) + summariesOfMemory
    let unknown = summaries.filter(\.hasUnknownRow).map(\.layout.key)
    return TransactionRows(
      store: store,
      tail: CapturedLog(records: records, values: values, layouts: layouts),
      incompleteTables: Set(coarse.map(\.key)).union(unknown), isTruncated: isTruncated,
      rowlessChanges: rowlessChanges)
  }

  private var summariesOfMemory: [RowStore.TableSummary] {
    var summaries = layouts.map { RowStore.TableSummary(layout: $0) }
    for record in records { summaries[Int(record.table)].add(record) }
    return summaries.filter { $0.rowCount > 0 }
  }

  /// The rows of a transaction that are partly in a file; nil if all of them are in memory. The tables become coarse
  /// for subscribers that do not read the file.
  mutating func takeStoredRows() -> TransactionRows? {
    guard case .stored(let store) = storage else { return nil }
    let rows = rows
    truncate()
    for table in store.segments.flatMap(\.tables) + summariesOfMemory {
      for kind in [RowChange.Kind.insert, .delete, .update] where table.kinds.contains(kind) {
        addCoarse(table.layout.key, kind, kind == .update ? table.updatedColumns : nil)
      }
    }
    return rows
  }
}

/// The numbers of captured rows of tables, which are counted when a limit requires it.
struct RowCounts {
  private var recordCount = 0
  private var counts: [TableKey: Int] = [:]

  /// Forgets rows, unless they remain.
  mutating func reset(to recordCount: Int) {
    if self.recordCount > recordCount { self = RowCounts() }
  }

  mutating func count(of key: TableKey, _ tables: [CapturedTable], _ records: [ChangeRecord]) -> Int {
    for record in records[recordCount...] where record.isCaptured {
      counts[tables[Int(record.table)].key, default: 0] += 1
    }
    recordCount = records.count
    return counts[key] ?? 0
  }
}
