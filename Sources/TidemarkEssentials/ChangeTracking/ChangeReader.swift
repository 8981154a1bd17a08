/// Converts commits to the changes of a region.
struct ChangeReader {
  var region: DatabaseRegion

  /// Whether rows that were written in pieces are reported, with their former value as the new one.
  var reportsBlobWrites = false

  /// Reported rows that were written in pieces: their indexes among the elements, and the written columns.
  private(set) var blobWrites: [(element: Int, column: Int)] = []

  private var tables: [ObjectIdentifier: Table] = [:]

  /// The form of a table's rows, and whether they belong to the region.
  private struct Table {
    /// Retained, because its address identifies it.
    let layout: CaptureLayout

    /// The table, and the offsets of its columns among the captured values; nil if rows are not captured as a whole.
    let rows: (table: ChangedTable, offsets: [Int?])?
    let admission: Admission
  }

  private enum Admission {
    case all
    case none
    case some(TableRegion)
  }

  init(region: DatabaseRegion) { self.region = region }

  /// The limit of cached tables: schema changes make new ones.
  private static let tableCountMax = 256

  mutating func limitCache() {
    if tables.count > Self.tableCountMax { tables = [:] }
  }

  /// Returns the changes that concern the region; nil if there are none.
  ///
  /// - Parameter isUnknown: Whether the commit was captured for older needs.
  /// - Parameter rowLimit: The number of rows in the region beyond which rows are left out.
  mutating func changes(
    of commit: CommittedChanges, isUnknown: Bool, rowLimit: Int, at microsecondsSince1970: Int64,
    _ versions: ClosedRange<DatabaseVersion>?
  ) -> TransactionChanges? {
    var draft = Draft()
    let others = commit.details?.rowlessChanges ?? []
    var otherIndex = 0
    func addOthers(before row: Int) {
      while otherIndex < others.count, others[otherIndex].rowCount <= row {
        add(others[otherIndex], to: &draft)
        otherIndex += 1
      }
    }
    limitCache()
    let log = commit.log
    log.withRows { records, values in
      for (index, record) in records.enumerated() {
        if !others.isEmpty { addOthers(before: index) }
        add(record, at: index, of: log, values, to: &draft)
      }
    }
    addOthers(before: .max)
    for table in commit.tables where table.isCoarse && concernsRegion(table) {
      draft.addUnknownRows(table.key.database, table.key.name)
    }
    if draft.rowCount > rowLimit { draft.removeRows() }
    if let numbers = commit.details?.numbers { add(numbers, to: &draft) }
    let hasTooManyRows =
      draft.rowCount > rowLimit || !draft.unknownTables.isEmpty && commit.details?.isTruncated == true
    let completeness = completeness(of: commit, isUnknown: isUnknown, hasTooManyRows: hasTooManyRows, draft)
    if draft.elements.isEmpty, completeness == .complete { return nil }
    return TransactionChanges(
      versions: versions, microsecondsSince1970: microsecondsSince1970, completeness: completeness,
      elements: draft.elements)
  }

  /// Whether a table belongs to the region, or contains its counters: they are unknown if its rows are.
  func concernsRegion(_ table: CommittedChanges.TableChanges) -> Bool {
    table.touches(region) || table.key.isCounterTable && region.counterTables.contains(table.key)
  }

  func completeness(
    of commit: CommittedChanges, isUnknown: Bool, hasTooManyRows: Bool, _ draft: Draft
  ) -> TransactionChanges.Completeness {
    let unreported = commit.details?.unreported ?? []
    if unreported.contains(.database) || commit.schemaChanges.contains(where: mayReplaceDatabase) {
      return .incomplete(.databaseReplaced)
    }
    if isUnknown || unreported.contains(.content) { return .incomplete(.unknown) }
    if mayHaveRenamedUncapturedTable(commit) { return .incomplete(.unknown) }
    if unreported.contains(.rows) { return .incomplete(.notStored) }
    if hasTooManyRows { return .incomplete(.tooManyRows) }
    return draft.unknownTables.isEmpty ? .complete : .incomplete(.notReported)
  }

  /// Whether a statement may have attached or detached a database of the region.
  private func mayReplaceDatabase(_ change: SchemaChange) -> Bool {
    guard change.subject == .database else { return false }
    guard let tables = region.tables else { return true }
    return tables.keys.contains { key in
      let name = key.database.asciiLowercased
      return change.kind == .detach ? name == change.database.asciiLowercased : !["main", "temp"].contains(name)
    }
  }

  /// Whether another table may have become a table of the region: the changes of its rows were not captured.
  private func mayHaveRenamedUncapturedTable(_ commit: CommittedChanges) -> Bool {
    commit.schemaChanges.contains { $0.kind == .alter && !region.overlaps(TableKey($0.name, in: $0.database)) }
  }

  /// The elements of a transaction so far.
  struct Draft {
    var elements: [TransactionChanges.Element] = []
    var rowCount = 0
    var unknownTables: Set<TableKey> = []

    mutating func addUnknownRows(_ databaseName: String, _ tableName: String) {
      guard unknownTables.insert(TableKey(tableName, in: databaseName)).inserted else { return }
      elements.append(.unknownRows(databaseName: databaseName, tableName: tableName))
    }

    /// Replaces the rows by their tables.
    mutating func removeRows() {
      let removed = elements
      elements = []
      for element in removed {
        if case .row(let row) = element {
          addUnknownRows(row.table.databaseName, row.table.name)
        } else {
          elements.append(element)
        }
      }
    }
  }

  // MARK: - Schema changes and notifications

  func add(_ change: ChangeLog.RowlessChange, to draft: inout Draft) {
    switch change.content {
    case .schema(let sql, _): draft.elements.append(.schema(sql: sql))
    case .notification(let channel, let payload):
      // It belongs to no table.
      if region.isFullDatabase { draft.elements.append(.notification(channel: channel, payload: payload)) }
    }
  }

  // MARK: - Rows

  mutating func add(
    _ record: ChangeRecord, at index: Int, of log: CapturedLog, _ values: CapturedValues.Content,
    to draft: inout Draft
  ) {
    let table = table(of: log.layouts[Int(record.table)])
    switch table.admission {
    case .none: return
    case .some(let region): if !region.isModified(by: log.change(at: index)) { return }
    case .all: break
    }
    guard let rows = table.rows, !record.hasRepairedText, record.unknownColumn == nil || reportsBlobWrites else {
      return draft.addUnknownRows(table.layout.key.database, table.layout.key.name)
    }
    if let written = record.unknownColumn {
      let offset = table.layout.storedColumns.firstIndex(of: Int(written))
      guard let column = rows.offsets.firstIndex(where: { $0 != nil && $0 == offset }) else {
        return draft.addUnknownRows(table.layout.key.database, table.layout.key.name)
      }
      blobWrites.append((draft.elements.count, column))
    }
    draft.rowCount += 1
    let row = Self.row(record, rows.table, rows.offsets, storedCount: table.layout.storedColumns.count, values)
    draft.elements.append(.row(row))
  }

  private static func row(
    _ record: ChangeRecord, _ table: ChangedTable, _ offsets: [Int?], storedCount: Int, _ values: CapturedValues.Content
  ) -> ChangedRow {
    func image(_ start: Int, _ rowID: Int64, unchanged old: [DatabaseValue] = []) -> ChangedRow.Image {
      var image = ChangedRow.Image(rowID: table.rowID == .none ? 0 : rowID, values: [])
      image.values.reserveCapacity(offsets.count)
      for (position, offset) in offsets.enumerated() {
        guard let offset else {
          image.values.append(DatabaseValue(.int64(rowID)))
          continue
        }
        let isUnchanged = !old.isEmpty && values.areStoredOnce(start + offset - storedCount, start + offset)
        image.values.append(isUnchanged ? old[position] : values[start + offset])
      }
      return image
    }
    let start = Int(record.valueStart)
    let images: ChangedRow.Images =
      switch record.kind {
      case .insert: .insert(image(start, record.newRowID))
      case .delete: .delete(image(start, record.oldRowID))
      case .update: update(image(start, record.oldRowID))
      }
    return ChangedRow(table: table, images: images)

    func update(_ old: ChangedRow.Image) -> ChangedRow.Images {
      .update(old: old, new: image(start + storedCount, record.newRowID, unchanged: old.values))
    }
  }

  private mutating func table(of layout: CaptureLayout) -> Table {
    if let known = tables[ObjectIdentifier(layout)] { return known }
    let table = Table(
      layout: layout, rows: layout.wholeRows.map { (ChangedTable($0, hasRowID: layout.hasRowID), $0.offsets) },
      admission: admission(of: layout.key))
    tables[ObjectIdentifier(layout)] = table
    return table
  }

  /// Whether rows of a table may belong to the region.
  func admitsRows(of key: TableKey) -> Bool {
    if case .none = admission(of: key) { false } else { true }
  }

  private func admission(of key: TableKey) -> Admission {
    // The rows of `sqlite_sequence` are reported as counters. Statistics are not content.
    let name = key.name.asciiLowercased
    if name == "sqlite_sequence" || name.hasPrefix("sqlite_stat") { return .none }
    guard let regions = region.tables else { return .all }
    guard let region = regions[key] else { return .none }
    return region.parts.contains { $0.columns == nil && $0.rows.isAll } ? .all : .some(region)
  }

  // MARK: - Numbers

  func add(_ numbers: StoredNumbers, to draft: inout Draft) {
    for counter in numbers.counters where region.overlaps(counter.table) {
      draft.elements.append(
        .counter(databaseName: counter.table.database, tableName: counter.table.name, value: counter.value))
    }
    // It belongs to no table.
    guard region.isFullDatabase else { return }
    for version in numbers.userVersions {
      draft.elements.append(.userVersion(databaseName: version.database, value: version.value))
    }
  }
}

extension ChangedTable {
  /// The table of captured rows.
  convenience init(_ rows: WholeRows, hasRowID: Bool) {
    self.init(
      databaseName: rows.databaseName, name: rows.tableName, columnNames: rows.columnNames,
      primaryKey: rows.primaryKey,
      rowID: !hasRowID ? .none : rows.offsets.contains(where: { $0 == nil }) ? .primaryKey : .hidden)
  }
}
