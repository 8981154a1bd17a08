/// The rows of a large transaction, in a temporary file.
///
/// They are stored in segments, which are read one by one, and removed from the end when changes are undone.
struct RowStore: Sendable {
  /// A position among the rows of a transaction: the number of rows before it, of their values, and of the bytes of
  /// their texts and blobs.
  struct Position: Sendable, Equatable {
    var records = 0
    var values = 0
    var bytes = 0
  }

  struct Segment: Sendable {
    fileprivate let offset: Int64
    fileprivate let byteCount: Int
    let start: Position
    let end: Position
    let layouts: [CaptureLayout]

    /// The changes of the tables of `layouts`.
    let tables: [TableSummary]
  }

  /// The captured changes of a table in some rows.
  struct TableSummary: Sendable {
    let layout: CaptureLayout
    var rowCount = 0
    var kinds = CommittedChanges.Kinds()
    var changedColumns: UInt64 = 0

    /// Whether the row ID of an updated row has changed.
    var isMoved = false

    /// Whether a row is known incompletely.
    var hasUnknownRow = false

    mutating func add(_ record: ChangeRecord) {
      guard record.isCaptured else { return }
      rowCount += 1
      kinds.insert(record.kind)
      changedColumns |= record.changedColumns
      if record.oldRowID != record.newRowID { isMoved = true }
      if record.unknownColumn != nil || record.hasRepairedText || layout.wholeRows == nil { hasUnknownRow = true }
    }

    /// The columns of all updates; nil for any column.
    var updatedColumns: Set<String>? {
      layout.changedColumns(
        ChangeRecord(kind: .update, newRowID: isMoved ? 1 : 0, changedColumns: changedColumns))
    }
  }

  private let file: TemporaryFile
  private(set) var segments: [Segment] = []

  init(vfs: String?) throws { file = try TemporaryFile(vfs: vfs) }

  /// The size of the file.
  var byteCount: Int { segments.last.map { Int($0.offset) + $0.byteCount } ?? 0 }

  // MARK: - Writing

  /// Stores rows as a segment.
  ///
  /// - Parameter start: The position of the first row.
  /// - Returns: The position after the last row.
  mutating func append(
    _ records: ArraySlice<ChangeRecord>, of log: CapturedLog, at start: Position
  ) throws -> Position {
    var layouts: [CaptureLayout] = []
    var tables: [TableSummary] = []
    var indexes: [ObjectIdentifier: UInt32] = [:]
    var bytes: [UInt8] = []
    var end = start
    for record in records {
      let layout = log.layouts[Int(record.table)]
      let index = indexes[ObjectIdentifier(layout)] ?? UInt32(layouts.count)
      if index == layouts.count {
        indexes[ObjectIdentifier(layout)] = index
        layouts.append(layout)
        tables.append(TableSummary(layout: layout))
      }
      tables[Int(index)].add(record)
      var stored = record
      (stored.table, stored.valueStart) = (index, UInt32(end.values - start.values))
      RowCoding.append(stored, to: &bytes)
      let valueCount = record.valueCount(layout)
      end.bytes += RowCoding.append(
        log.values, from: Int(record.valueStart), count: valueCount, isUpdate: record.kind == .update, to: &bytes)
      end.values += valueCount
    }
    end.records += records.count
    let offset = Int64(byteCount)
    try file.write(bytes, at: offset)
    segments.append(
      Segment(
        offset: offset, byteCount: bytes.count, start: start, end: end, layouts: layouts, tables: tables))
    return end
  }

  // MARK: - Reading

  /// The rows of a segment.
  func rows(of segment: Segment) throws -> CapturedLog {
    let bytes = try file.read(segment.byteCount, at: segment.offset)
    var (records, values): ([ChangeRecord], [DatabaseValue]) = ([], [])
    records.reserveCapacity(segment.end.records - segment.start.records)
    values.reserveCapacity(segment.end.values - segment.start.values)
    bytes.withUnsafeBytes { bytes in
      var reader = RowCoding.Reader(bytes)
      for _ in segment.start.records..<segment.end.records {
        let record = reader.record()
        reader.readValues(
          record.valueCount(segment.layouts[Int(record.table)]), isUpdate: record.kind == .update, into: &values)
        records.append(record)
      }
    }
    return CapturedLog(
      records: records, values: values, layouts: segment.layouts,
      textByteCount: segment.end.bytes - segment.start.bytes)
  }

  /// Removes the segment that contains a row, and the following ones.
  ///
  /// - Parameter row: The number of rows before it.
  /// - Returns: The segment.
  mutating func removeSegments(from row: Int) -> Segment? {
    guard let index = segments.firstIndex(where: { row < $0.end.records }) else { return nil }
    defer { segments.removeSubrange(index...) }
    return segments[index]
  }
}

/// All captured rows of a transaction, in parts: the stored ones, and those in memory.
///
/// Each part is a log with whole rows, to be read in order. The numbers of rows in `SchemaStatement` are numbers of
/// rows of all parts.
struct TransactionRows: Sendable {
  /// The stored parts; nil if all rows are in memory.
  let store: RowStore?

  /// The last part.
  let tail: CapturedLog

  /// The tables whose rows are not known completely: rows in the parts may have been undone.
  let incompleteTables: Set<TableKey>

  /// Whether rows of these tables are not known because there were too many.
  let isTruncated: Bool

  /// The statements that have changed the schema.
  let schemaStatements: [ChangeLog.SchemaStatement]

  var partCount: Int { (store?.segments.count ?? 0) + 1 }

  /// The rows of a part.
  ///
  /// - Throws: An error if the temporary file cannot be read.
  func part(_ index: Int) throws -> CapturedLog {
    guard let store, index < store.segments.count else { return tail }
    return try store.rows(of: store.segments[index])
  }

  /// The number of rows before a part.
  func rowCount(beforePart index: Int) -> Int {
    guard let store else { return 0 }
    return index < store.segments.count
      ? store.segments[index].start.records : store.segments.last?.end.records ?? 0
  }

  /// The number of captured rows of some tables.
  func rowCount(where isIncluded: (TableKey) -> Bool) -> Int {
    let stored = store?.segments.reduce(0) { count, segment in
      segment.tables.reduce(count) { $0 + (isIncluded($1.layout.key) ? $1.rowCount : 0) }
    }
    return tail.records.reduce(stored ?? 0) { count, record in
      count + (record.isCaptured && isIncluded(tail.layouts[Int(record.table)].key) ? 1 : 0)
    }
  }
}

extension ChangeRecord {
  /// The number of its values.
  func valueCount(_ layout: CaptureLayout) -> Int {
    isCaptured ? layout.storedColumns.count * (kind == .update ? 2 : 1) : 0
  }
}
